#!/usr/bin/env python3
"""Conda prefixes by hand: the records that conda, mamba and an old conda leave, field by field, with
channels whose addresses hold what nobody may see."""

import json
import os

from conda_packages import PACKAGES, compare, facts
from harness import Suite

SECRETS = ("carol", "hunter2", "tk-0123456789", "conda.example.org")
CHANNELS = {
    "python": "https://conda.anaconda.org/conda-forge",
    "cuda-version": "https://carol:hunter2@conda.example.org/t/tk-0123456789/nvidia/noarch",
    "cuda-cudart": "nvidia/label/cuda-12.6.3",
    "cudnn": "https://repo.anaconda.com/pkgs/main/linux-64",
    "nccl": "conda-forge",
    "pytorch": "https://conda.anaconda.org/pytorch/linux-64",
}
NAMES = {"python": "conda-forge", "cuda-version": "nvidia", "cuda-cudart": "nvidia/label/cuda-12.6.3",
         "cudnn": "defaults", "nccl": "conda-forge", "pytorch": "pytorch"}


def written(suite, prefix, asked):
    """Writes a record for each package of the GPU build; returns what must come out."""
    for package in PACKAGES:
        name, version, build, subdir, depends, constrains, files, _ = package
        if build.startswith("cpu_"):
            continue
        for path, text in files.items():
            suite.write(os.path.join(prefix, path), text)
        stem = f"{name}-{version}-{build}"
        record = {"name": name, "version": version, "build": build, "subdir": subdir,
                  "channel": CHANNELS[name], "depends": depends, "constrains": constrains,
                  "fn": stem + ".conda", "files": list(files), "license": "BSD-3-Clause",
                  "url": f"{CHANNELS[name]}/{stem}.conda"}
        if subdir == "noarch":
            record["noarch"] = "generic"
        asked(record)
        suite.write(os.path.join(prefix, "conda-meta", stem + ".json"), json.dumps(record, indent=2))
        yield {**record, "channel": NAMES[name], "requested": int(name == "pytorch"),
               "noarch": int(subdir == "noarch")}


def conda_asked(record):
    record["requested_spec"] = "pytorch=2.7" if record["name"] == "pytorch" else "None"


def mamba_asked(record):
    record["requested_specs"] = ["pytorch 2.7.*"] if record["name"] == "pytorch" else []


def check(suite, name, asked):
    home = suite.path(name)
    prefix = os.path.join(home, "miniforge3/envs/train")
    records = list(written(suite, prefix, asked))
    suite.write(os.path.join(prefix, "conda-meta/history"), "==> 2026-01-01 00:00:00 <==\n")
    suite.write(os.path.join(prefix, "conda-meta/pinned"), "cudnn 9.10.*\n")
    rows = facts(suite, prefix, home)

    def unpinned(table):
        return [r for r in rows(table) if table != "constraint_spec" or r["package"] != "pinned"]

    compare(suite, prefix, unpinned, records)
    pins = [(r["constrains"], r["specifier"]) for r in rows("constraint_spec")
            if r["package"] == "pinned"]
    suite.equal(pins, [("cudnn", "9.10.*")], "pins")
    torch = [(f["version"], f.get("variant"), f.get("cuda")) for f in rows("framework")
             if f["name"] == "torch"]
    suite.equal(torch, [("2.7.0", "cuda", "12.6")], "torch")
    with open(suite.path("facts.json"), encoding="utf-8") as file:
        text = file.read()
    suite.equal([s for s in SECRETS if s in text], [], "secrets in the snapshot")


def by_conda(suite):
    check(suite, "conda", conda_asked)


def by_mamba(suite):
    check(suite, "mamba", mamba_asked)


Suite().run([by_conda, by_mamba])
