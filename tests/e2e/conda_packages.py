"""Conda packages that the tests of conda build or write down, and how they are compared."""

import json

from harness import Run, environment

# name, version, build, platform, depends, constrains, files, archive
PACKAGES = [
    ("python", "3.12.9", "h9e4cc4f_1_cpython", "linux-64", [], ["python_abi 3.12.* *_cp312"],
     {"bin/python3.12": "", "lib/python3.12/site-packages/README.txt": "folder\n"}, "conda"),
    ("cuda-version", "12.6", "h7480c83_3", "noarch", [], ["cudatoolkit 12.6|12.6.*", "__cuda >=12"],
     {}, "conda"),
    ("cuda-cudart", "12.6.77", "h5888daf_0", "linux-64", ["cuda-version >=12.6,<12.7.0a0"], [],
     {"lib/libcudart.so.12.6.77": "x"}, "conda"),
    ("cudnn", "9.10.1.4", "hcd2ec93_0", "linux-64", ["cuda-version >=12,<13.0a0"], ["libcudnn-jit <0a"],
     {"lib/libcudnn.so.9.10.1": "x"}, "tar.bz2"),
    ("nccl", "2.27.3.1", "h03a54cd_0", "linux-64", ["cuda-version >=12.0,<13"], [],
     {"lib/libnccl.so.2.27.3": "x"}, "tar.bz2"),
    ("pytorch", "2.7.0", "cpu_generic_py312_h9b5b5b5_0", "linux-64", ["python >=3.12,<3.13.0a0"],
     ["pytorch-gpu 99999999"], {"lib/python3.12/site-packages/torch/version.py": "cuda = None\n"},
     "conda"),
    ("pytorch", "2.7.0", "cuda126_generic_py312_h5e4b0c3_200", "linux-64",
     ["__cuda", "cuda-cudart >=12.6.77,<13.0a0", "cudnn >=9.10.1.4,<10.0a0", "nccl >=2.27.3.1,<3.0a0",
      "python >=3.12,<3.13.0a0"], ["pytorch-cpu <0.0a0", "pytorch-gpu 2.7.0"],
     {"lib/python3.12/site-packages/torch/version.py":
      "__version__ = '2.7.0'\ncuda = '12.6'\n"}, "conda"),
]


def facts(suite, prefix, home):
    """The rows of one environment, read where it lies."""
    out = suite.path("facts.json")
    env = environment(HOME=home, PATH="/usr/bin:/bin")
    run = Run("facts", "--env", prefix, "-o", out, env=env, cwd=home)
    suite.equal(run.status, 0, run)
    with open(out, encoding="utf-8") as file:
        tables = json.load(file)["tables"]
    return lambda table: [r for r in tables.get(table, []) if r.get("environment_id") == prefix]


def compare(suite, prefix, rows, records):
    """Every package field by field, every dependency and every constraint."""
    fields = ("name", "version", "build", "channel", "requested", "noarch")
    want = sorted(tuple(r[f] for f in fields) for r in records)
    have = sorted(tuple(r.get(f) for f in fields) for r in rows("package") if r["kind"] == "conda")
    suite.equal(have, want, f"packages of {prefix}")
    want = sorted((r["name"], *(d.split(" ", 1) + [""])[:2]) for r in records for d in r["depends"])
    have = sorted((r["package"], r["requires"], r.get("specifier") or "")
                  for r in rows("requirement"))
    suite.equal(have, want, f"requirements of {prefix}")
    want = sorted((r["name"], *(c.split(" ") + [None, None])[:3]) for r in records
                  for c in r["constrains"])
    have = sorted(((r["package"], r["constrains"], r["specifier"], r.get("build"))
                   for r in rows("constraint_spec")), key=lambda r: tuple(map(str, r)))
    suite.equal(have, sorted(want, key=lambda r: tuple(map(str, r))), f"constraints of {prefix}")
    return {r["name"]: r["build"] for r in records}
