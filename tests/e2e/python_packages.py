#!/usr/bin/env python3
"""Python environments against Python itself: what importlib.metadata reads of every distribution of
environments with ordinary and odd metadata, and what sys.path would be, is what gpudoctor finds."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys

from harness import Run, Suite, environment

PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"

# folder, files: as pip, uv, setuptools and distributors leave them
DISTRIBUTIONS = [
    ("torch-2.8.0.dist-info", {
        "METADATA": "Metadata-Version: 2.4\nName: torch\nVersion: 2.8.0\n"
                    "Requires-Dist: filelock\n"
                    "Requires-Dist: typing-extensions>=4.10.0\n"
                    'Requires-Dist: setuptools; python_version >= "3.12"\n'
                    'Requires-Dist: nvidia-cublas-cu12==12.8.4.1; platform_system == "Linux"\n'
                    'Requires-Dist: optree>=0.13.0; extra == "optree"\nProvides-Extra: optree\n'
                    "\nRequires-Dist: not-a-header\n",
        "INSTALLER": "uv", "RECORD": "torch/__init__.py,,\n"}),
    ("Flask_SQLAlchemy-3.1.1.dist-info", {
        "METADATA": "Metadata-Version: 2.1\r\nName: Flask-SQLAlchemy\r\nVersion: 3.1.1\r\n"
                    "Requires-Dist: flask>=2.2.5\r\nRequires-Dist: SQLAlchemy (>=2.0.16)\r\n\r\n",
        "INSTALLER": "pip\r\n", "RECORD": ""}),
    ("zope.interface-7.2.dist-info", {
        "METADATA": "Name: zope.interface\nMetadata-Version: 2.1\nVersion: 7.2\nLicense: ZPL 2.1\n"
                    "        more of the licence\n        Name: folded\n"
                    "Requires-Dist: Sphinx[docs,test] ; extra == 'docs'\n\nbody\n",
        "INSTALLER": "", "RECORD": ""}),
    ("jaxlib-0.4.38+cuda12.cudnn91.dist-info", {
        "METADATA": "Metadata-Version: 2.1\nName: jaxlib\nVersion: 0.4.38+cuda12.cudnn91\n"
                    "Requires-Dist: scipy >=1.10,!=1.11.1\nRequires-Dist: ml_dtypes>=0.2\n\n",
        "INSTALLER": "pip\n"}),
    ("editable_thing-0.1.dev0.dist-info", {
        "METADATA": "Metadata-Version: 2.1\nName: editable.thing\nVersion: 0.1.dev0\n"
                    "Requires-Dist: helper @ https://example.org/helper-1.0-py3-none-any.whl\n\n",
        "INSTALLER": "pip\n", "RECORD": "",
        "direct_url.json": '{"url": "file:///srv/thing", "dir_info": {"editable": true}}'}),
    ("old_one-1.0.egg-info", {
        "PKG-INFO": "Metadata-Version: 1.1\nName: old-one\nVersion: 1.0\nSummary: UNKNOWN\n",
        "requires.txt": "numpy>=1.7\n\n[gpu]\ncupy\n"}),
    ("single_file-2.0-py3.11.egg-info", "Metadata-Version: 1.1\nName: single-file\nVersion: 2.0\n"),
    ("~orch-2.7.0.dist-info", {  # what pip leaves when an uninstallation is cut short
        "METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.7.0\n\n", "INSTALLER": "pip"}),
]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def make(suite, prefix, *options):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, prefix], check=True)
    site = os.path.join(prefix, "lib", PYTHON, "site-packages")
    for folder, files in DISTRIBUTIONS:
        if isinstance(files, str):
            suite.write(os.path.join(site, folder), files)
            continue
        for name, text in files.items():
            suite.write(os.path.join(site, folder, name), text)
    return site


def facts(suite, home, *words):
    out = suite.path("facts.json")
    run = Run("facts", *words, "-o", out, cwd=home,
              env=environment(HOME=home, PATH="/usr/bin:/bin"))
    suite.equal(run.status, 0, run)
    with open(out, encoding="utf-8") as file:
        return json.load(file)["tables"]


def requirement(text):
    """Name, what it is bound to, and marker, as PEP 508 splits them."""
    found = re.match(r"([A-Za-z0-9._-]+)\s*(\[[^]]*\])?\s*(@\s*\S+)?\s*\(?([^;)]*)\)?\s*(?:;\s*(.*))?$",
                     text)
    return normal(found[1]), found[5]


def compare(suite, tables, prefix, site):
    dists = [d for d in importlib.metadata.distributions(path=[site])
             if not os.path.basename(str(d._path)).startswith("~")]
    rows = [r for r in tables["package"] if r["environment_id"] == prefix]
    want = sorted((normal(d.metadata["Name"]), d.version,
                   "dist" if str(d._path).endswith(".dist-info") else "egg",
                   (d.read_text("INSTALLER") or "").strip() or None) for d in dists)
    have = sorted(((r["name"], r["version"], r["kind"], r.get("installer")) for r in rows))
    suite.equal(have, want, f"packages of {prefix}")
    want = sorted((normal(d.metadata["Name"]), *requirement(r)) for d in dists
                  if str(d._path).endswith(".dist-info") for r in d.requires or [])
    kinds = {r["name"] for r in rows if r["kind"] == "dist"}
    have = sorted((r["package"], r["requires"], r.get("marker")) for r in tables["requirement"]
                  if r["environment_id"] == prefix and r["package"] in kinds)
    text = [tuple(str(x).replace("'", '"') for x in row) for row in want]
    suite.equal([tuple(str(x).replace("'", '"') for x in row) for row in have], text,
                f"requirements of {prefix}")


def a_venv(suite):
    home = suite.path("home")
    prefix = os.path.join(home, "project/.venv")
    site = make(suite, prefix)
    tables = facts(suite, home, "--env", prefix)
    compare(suite, tables, prefix, site)
    rows = [r for r in tables["environment"] if r["environment_id"] == prefix]
    have = [(r["kind"], r["python"], r["system_site"]) for r in rows]
    suite.equal(have, [("venv", sys.version.split()[0], 0)], "environment")
    origin = [(r["origin"], r.get("origin_url")) for r in tables["package"]
              if r["environment_id"] == prefix and r["name"] == "editable-thing"]
    suite.equal(origin, [("editable", "/srv/thing")], "origin")


def search_path(suite):
    """The folders that this Python itself would search."""
    home = suite.path("paths")
    prefix = os.path.join(home, "with-system")
    site = make(suite, prefix, "--system-site-packages")
    os.makedirs(os.path.join(home, "src/thing"))
    suite.write(os.path.join(site, "thing.pth"), os.path.join(home, "src/thing") + "\n# no\n\n/nowhere\n")
    env = environment(HOME=home, PATH="/usr/bin:/bin")
    env.pop("PYTHONPATH", None)
    done = subprocess.run([os.path.join(prefix, "bin/python"), "-c",
                           "import sys, json; print(json.dumps(sys.path))"],
                          env=env, cwd=home, capture_output=True, text=True, check=True)
    want = [p for p in json.loads(done.stdout) if os.path.isdir(p) and
            (p.endswith("-packages") or p.startswith(home))]
    rows = [r for r in facts(suite, home, "--env", prefix)["search_path"]
            if r["environment_id"] == prefix and r["present"] == 1]
    rows.sort(key=lambda r: r["position"])
    suite.equal([r["path"] for r in rows], want, "sys.path")


def many_environments(suite):
    """All of them are read, wherever a user keeps them, and none twice."""
    home = suite.path("many")
    prefixes = [os.path.join(home, p) for p in
                [f".virtualenvs/env{n}" for n in range(8)] +
                [".local/share/virtualenvs/web-Zx81", ".local/share/pipx/venvs/tool", "venv"]]
    sites = [make(suite, p) for p in prefixes]
    tables = facts(suite, home, "--all-envs")
    have = sorted(r["environment_id"] for r in tables["environment"]
                  if r["environment_id"].startswith(home))
    suite.equal(have, sorted(prefixes), "environments")
    for prefix, site in zip(prefixes, sites):
        compare(suite, tables, prefix, site)


Suite().run([a_venv, search_path, many_environments])
