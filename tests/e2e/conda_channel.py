#!/usr/bin/env python3
"""A conda prefix and a pixi environment that a real installer made, against what it says of them.

Builds a small channel of its own (.conda and .tar.bz2 archives and repodata.json), lets rattler, the
installer behind pixi, solve and install from it, and compares its records with gpudoctor's rows.
Needs no network, but Python's py-rattler: of this interpreter, of $RATTLER_PYTHON, or of the
environment that scripts/test-conda makes. Skipped without (hand-written records are tested apart).
"""
import asyncio
import hashlib
import io
import json
import os
import re
import struct
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import rattler
except ImportError:
    PYTHON = os.environ.get("RATTLER_PYTHON") or os.path.join(
        os.environ.get("SOURCE_DIR") or os.path.join(HERE, "..", ".."), "build/rattler/bin/python")
    if not os.access(PYTHON, os.X_OK) or "RATTLER_TRIED" in os.environ:
        print("no py-rattler (scripts/test-conda installs it)")
        sys.exit(77)
    os.execve(PYTHON, [PYTHON, __file__], dict(os.environ, RATTLER_TRIED="1"))

sys.path.insert(0, HERE)
from conda_packages import PACKAGES, compare, facts  # noqa: E402
from harness import Suite  # noqa: E402

TIME = 1750000000000


def tar(files, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size, info.mode = len(data), 0o755 if path.startswith("bin/") else 0o644
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zstd_stored(data):
    """A Zstandard frame of blocks as they are (RFC 8878): the standard library packs none."""
    size, blocks = 1 << 16, []
    for at in range(0, max(len(data), 1), size):
        part = data[at:at + size]
        last = at + size >= len(data)
        blocks.append(struct.pack("<I", len(part) << 3 | last)[:3] + part)
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data)) + b"".join(blocks)


def build_package(folder, package):
    name, version, build, subdir, depends, constrains, texts, kind = package
    index = {"name": name, "version": version, "build": build, "subdir": subdir, "depends": depends,
             "build_number": int(re.findall(r"_(\d+)(?:_|$)", build)[-1]),
             "constrains": constrains, "timestamp": TIME, "license": "BSD-3-Clause"}
    if subdir == "noarch":
        index["noarch"] = "generic"
    else:
        index.update(arch="x86_64", platform="linux")
    files = {path: text.encode() for path, text in texts.items()}
    paths = [{"_path": path, "path_type": "hardlink", "size_in_bytes": len(data),
              "sha256": hashlib.sha256(data).hexdigest()} for path, data in files.items()]
    info = {"info/index.json": json.dumps(index), "info/files": "".join(f + "\n" for f in files),
            "info/paths.json": json.dumps({"paths": paths, "paths_version": 1})}
    info = {path: text.encode() for path, text in info.items()}
    stem = f"{name}-{version}-{build}"
    path = os.path.join(folder, subdir, f"{stem}.{kind}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == "conda":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("metadata.json", json.dumps({"conda_pkg_format_version": 2}))
            archive.writestr(f"pkg-{stem}.tar.zst", zstd_stored(tar(files)))
            archive.writestr(f"info-{stem}.tar.zst", zstd_stored(tar(info)))
    else:
        with open(path, "wb") as out:
            out.write(tar({**info, **files}, "w:bz2"))
    with open(path, "rb") as file:
        data = file.read()
    index.update(size=len(data), sha256=hashlib.sha256(data).hexdigest(),
                 md5=hashlib.md5(data).hexdigest())
    return subdir, kind, os.path.basename(path), index


def build_channel(folder):
    data = {s: {"info": {"subdir": s}, "packages": {}, "packages.conda": {}, "repodata_version": 1}
            for s in ("linux-64", "noarch")}
    for package in PACKAGES:
        subdir, kind, file, index = build_package(folder, package)
        data[subdir]["packages.conda" if kind == "conda" else "packages"][file] = index
    for subdir, repodata in data.items():
        os.makedirs(os.path.join(folder, subdir), exist_ok=True)
        with open(os.path.join(folder, subdir, "repodata.json"), "w", encoding="utf-8") as out:
            json.dump(repodata, out)


async def install(suite, channel, prefix, specs, virtual):
    cache = suite.path("cache")
    gateway = rattler.Gateway(cache_dir=suite.path("repodata"))
    records = await rattler.solve([rattler.Channel(channel)], specs, gateway=gateway,
                                  platforms=["linux-64", "noarch"], virtual_packages=virtual)
    # py-rattler 0.28 hands these through as they are: it wants what a MatchSpec wraps
    requested = [rattler.MatchSpec(s)._match_spec for s in specs]
    await rattler.install(records, prefix, cache_dir=cache, show_progress=False,
                          requested_specs=requested)


def said_by_rattler(prefix, requested):
    """What the installer's own reader makes of its records."""
    folder = os.path.join(prefix, "conda-meta")
    for file in sorted(os.listdir(folder)):
        if file.endswith(".json"):
            record = rattler.PrefixRecord.from_path(os.path.join(folder, file))
            name = record.name.normalized
            yield {"name": name, "version": str(record.version), "build": str(record.build),
                   "channel": record.channel.rstrip("/").rsplit("/", 1)[1],
                   "requested": int(name in requested), "noarch": int(record.subdir == "noarch"),
                   "depends": record.depends, "constrains": record.constrains}


def cuda(version):
    return rattler.GenericVirtualPackage(rattler.PackageName("__cuda"), rattler.Version(version),
                                         rattler.BuildString("0"))


def conda_prefix(suite):
    """With __cuda the solver takes the GPU build."""
    channel, prefix = suite.path("conda-forge"), suite.path("home/miniforge3/envs/train")
    build_channel(channel)
    specs = ["pytorch 2.7.*", "cuda-version 12.6.*"]
    asyncio.run(install(suite, "file://" + channel, prefix, specs, [cuda("12.8")]))
    with open(os.path.join(prefix, "conda-meta/history"), "w", encoding="utf-8") as out:
        out.write("==> 2026-01-01 00:00:00 <==\n")
    rows = facts(suite, prefix, suite.path("home"))
    builds = compare(suite, prefix, rows,
                     list(said_by_rattler(prefix, {"pytorch", "cuda-version"})))
    suite.expect(builds["pytorch"].startswith("cuda126") and len(builds) == 6, builds)
    have = [(r["kind"], r["manager"], r.get("python")) for r in rows("environment")]
    suite.equal(have, [("conda", "conda", "3.12.9")], "environment")
    have = [(f["version"], f.get("variant"), f.get("cuda")) for f in rows("framework")
            if f["name"] == "torch"]
    suite.equal(have, [("2.7.0", "cuda", "12.6")], "framework")


def pixi_environment(suite):
    """Without __cuda it takes the CPU build; the mark that pixi leaves tells who made it."""
    channel, project = suite.path("conda-forge"), suite.path("home/project")
    prefix = os.path.join(project, ".pixi/envs/default")
    asyncio.run(install(suite, "file://" + channel, prefix, ["pytorch"], []))
    suite.write("home/project/pixi.toml", '[workspace]\nname = "project"\nchannels = ["conda-forge"]\n'
                'platforms = ["linux-64"]\n\n[dependencies]\npytorch = "*"\n')
    suite.write(os.path.join(prefix, "conda-meta/pixi"), json.dumps({
        "manifest_path": os.path.join(project, "pixi.toml"), "environment_name": "default",
        "pixi_version": "0.50.2", "environment_lock_file_hash": "0123456789abcdef"}))
    rows = facts(suite, prefix, suite.path("home"))
    builds = compare(suite, prefix, rows, list(said_by_rattler(prefix, {"pytorch"})))
    suite.expect(builds["pytorch"].startswith("cpu_") and len(builds) == 2, builds)
    have = [(r["kind"], r["manager"], r.get("python"), r.get("manager_version"), r.get("project"))
            for r in rows("environment")]
    suite.equal(have, [("conda", "pixi", "3.12.9", "0.50.2", project)], "environment")
    have = [(f.get("variant"), f.get("cuda")) for f in rows("framework") if f["name"] == "torch"]
    suite.equal(have, [("cpu", None)], "framework")


Suite().run([conda_prefix, pixi_environment])
