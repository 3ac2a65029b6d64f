#!/usr/bin/env python3
"""Input that is broken or hostile: one line and status 2, or a row of `probe`; never a raw byte."""

import json
import os
import shutil

from harness import SOURCE, Run, Suite, is_clean

VENV = "driver-570-torch-cu130"
CONDA = "healthy-conda-forge-cuda128"
PREFIX = "home/user/venv"
SITE = PREFIX + "/lib/python3.12/site-packages"
TORCH = SITE + "/torch-2.11.0.dist-info"
NOISE = bytes(range(256)) * 40
HUGE = 4 << 30
EVIL = "no\x1b[2J\nsuch\x07\udc9b; $(reboot)"  # escape, newline, bell, a byte that is no UTF-8


def refused(suite, *words, **more):
    """Status 2, one line, nothing on standard output."""
    run = Run(*words, timeout=20, **more)
    suite.equal(run.status, 2, run)
    suite.equal(run.out, "", run)
    suite.expect(run.err.startswith("gpudoctor: ") and run.err.count("\n") == 1 and len(run.err) > 20, run)
    suite.expect(is_clean(run.err), run)
    return run


def sparse(path, size):
    with open(path, "wb") as file:
        file.truncate(size)
    return path


def wrong_options(suite):
    root = suite.machine(VENV)
    for words in (
        ["bogus"], ["check", "--bogus"], ["check", "-x"], ["check", "--root"], ["check", "--strict=1"],
        ["check", "operand"], ["check", "--format", "xml"], ["check", "--fail-on", "big"],
        ["check", "--color", "pink"], ["check", "--nvml-timeout", "0"], ["check", "--nvml-timeout", "1h"],
        ["check", "--root", root, "--facts", "x.json"], ["check", "--facts", "x.json", "--all-envs"],
        ["check", "--root", root, "--only", "bogus"], ["check", "--root", root, "--ignore", "bogus"],
        ["check", "--root", root, "--require", "bogus"], ["check", "--root", root, "--require", "torch>>1"],
        ["check", "--root", root, "--require", "gpu>1"], ["check", "--root", root, "--require", ">=1"],
        ["check", "--root", root, "--env", "/no/such"], ["check", "--root", root, "--env", "../../.."],
        ["facts", "bogus"], ["facts", "gpu", "host"], ["facts", "--format", "yaml"], ["query"],
        ["query", "a", "b"], ["rules"], ["rules", "bogus"], ["rules", "list", "x"], ["rules", "show"],
        ["rules", "show", "bogus"], ["rules", "check"], ["rules", "check", "/no/such"],
    ):
        refused(suite, *words)


def queries(suite):
    root = suite.machine(VENV)
    for sql in ("", "SELEC", "SELECT nope FROM gpu", "SELECT 1; SELECT 2", "DELETE FROM gpu",
                "ATTACH '/tmp/x' AS x", "PRAGMA writable_schema=1", "SELECT load_extension('x')",
                "SELECT writefile('/tmp/x', 'y')", "CREATE TABLE t(a)", "SELECT abs(-9223372036854775808)",
                "SELECT '\x1b' FROM \x1b[2J"):
        if sql:
            refused(suite, "query", "--root", root, sql)
    run = Run("query", "--root", root, "SELECT char(27, 10) || '[2J' AS \"a\x1b\"")
    suite.expect(run.status == 0 and is_clean(run.out) and run.out.count("\n") == 2, run)


def roots(suite):
    for path in (suite.path("none"), suite.write("file", "x"), "/dev/null"):
        refused(suite, "check", "--root", path)
    os.mkfifo(suite.path("fifo"))
    refused(suite, "check", "--root", suite.path("fifo"))
    os.symlink("circle", suite.path("circle"))
    refused(suite, "check", "--root", suite.path("circle"))
    os.mkdir(suite.path("empty"))
    run = Run("check", "--root", suite.path("empty"))
    suite.equal((run.status, run.err), (0, ""), run)
    suite.expect("Nothing could be checked" in run.out.splitlines()[0], run.out[:200])
    if os.geteuid() != 0:  # to root every folder is open
        os.mkdir(suite.path("closed"), 0)
        refused(suite, "check", "--root", suite.path("closed"))


def hostile_names(suite):
    root = suite.machine(VENV)
    for words in (
        ["check", "--root", EVIL], ["check", "--facts", EVIL], ["check", "--rules", EVIL, "--root", root],
        ["check", "--root", root, "--env", EVIL], ["check", "--root", root, "--only", EVIL],
        ["check", "--root", root, "--require", EVIL], ["check", "--" + EVIL], [EVIL], ["facts", EVIL],
        ["rules", "show", EVIL], ["rules", "check", EVIL], ["check", "--format", EVIL], ["query", EVIL],
        ["check", "--root", root, "-o", "/no/such/" + EVIL], ["check", "--root", "/" + "x" * 5000],
    ):
        refused(suite, *words)
    rules = os.path.join(suite.folder, "rules" + EVIL)
    os.mkdir(rules)
    refused(suite, "rules", "check", rules)  # it holds none
    shutil.copy(os.path.join(SOURCE, "docs/examples/site-rules/driver-at-least.json"), rules)
    run = Run("rules", "check", rules)
    suite.expect(run.status == 0 and is_clean(run.out) and run.out.count("\n") == 1, run)


def snapshots(suite):
    good = json.loads(Run("facts", "--root", suite.machine(VENV), "--format", "json").out)
    text = json.dumps(good)
    wrong = {
        "empty": "", "cut": text[: len(text) // 2], "noise": NOISE, "array": "[]", "deep": "[" * 100000,
        "no-tables": '{"schema": 1}', "no-schema": '{"tables": {}}', "zero": '{"schema": 0, "tables": {}}',
        "table": '{"schema": 1, "tables": {"bogus": []}}', "rows": '{"schema": 1, "tables": {"gpu": {}}}',
        "row": '{"schema": 1, "tables": {"gpu": [1]}}',
        "nul": '{"schema": 1, "tables": {"gpu": [{"name": "a\\u0000"}]}}',
        "column": '{"schema": 1, "tables": {"gpu": [{"bogus": 1}]}}',
        "type": '{"schema": 1, "tables": {"gpu": [{"gpu_index": "0"}]}}',
        "range": '{"schema": 1, "tables": {"gpu": [{"gpu_index": 99999999999999999999}]}}',
        "utf8": b'{"schema": 1, "tables": {"gpu": [{"name": "\xff"}]}}', "after": text + "x",
    }
    for name, data in wrong.items():
        refused(suite, "check", "--facts", suite.write(name + ".json", data))
    os.mkfifo(suite.path("facts-fifo"))
    sparse(suite.path("facts-huge"), HUGE)
    for path in (suite.path("facts-fifo"), suite.path("facts-huge"), suite.folder, "/dev/zero", "/dev/null"):
        refused(suite, "check", "--facts", path)
    newer = {**good, "schema": 2, "tables": {**good["tables"], "of_the_future": [{"a": 1}]}}
    run = Run("check", "--facts", suite.write("newer.json", json.dumps(newer)))
    suite.equal((run.status, run.err), (1, ""), run)


def damage(path, kind):
    """Puts something else where a file was."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "circle":
        os.symlink(os.path.basename(path), path)
    elif kind == "dangling":
        os.symlink("/no/such/file", path)
    elif kind == "huge":
        sparse(path, HUGE)
    elif kind == "device":
        os.symlink("/dev/zero", path)
    else:
        with open(path, "wb") as file:
            file.write({"empty": b"", "noise": NOISE, "half": b"Metadata-Version: 2.1\nName: to"}[kind])


def look(suite, root, what):
    """It ends well and prints nothing raw. The rows of `probe` that tell of a fault."""
    run = Run("check", "--root", root, timeout=30)
    suite.expect(run.status in (0, 1) and run.err == "" and is_clean(run.out), f"{what}: {run}")
    rows = Run("facts", "probe", "--root", root, "--format", "json")
    suite.equal(rows.status, 0, what)
    return [r for r in rows.json() if r["status"] in ("denied", "malformed", "timeout")]


KINDS = ("empty", "noise", "half", "fifo", "folder", "circle", "dangling", "huge", "device")
FILES = [
    TORCH + "/METADATA", SITE + "/torch/version.py", PREFIX + "/pyvenv.cfg", PREFIX + "/bin/python3",
    "proc/driver/nvidia/version", "proc/modules", "proc/version", "etc/os-release", "etc/ld.so.cache",
    ".record/nvidia-smi.xml", ".record/dev", ".record/environ", ".record/user", ".record/uname",
    "sys/bus/pci/devices/0000:01:00.0/class", "sys/bus/pci/devices/0000:01:00.0/driver",
    "sys/module/nvidia/version", "usr/lib/x86_64-linux-gnu/libcuda.so.1",
]


def damaged_files(suite):
    """Each file as each kind: 4 GiB, noise, a FIFO that nobody writes to, a link in a circle."""
    for kind in KINDS:
        for i, name in enumerate(FILES):
            root = suite.lay_out(VENV, f"{kind}-{i}")
            suite.expect(os.path.lexists(os.path.join(root, name)), name + " is in the fixture")
            damage(os.path.join(root, name), kind)
            rows = look(suite, root, f"{name} as {kind}")
            if name.endswith("/METADATA") and kind not in ("dangling", "device"):
                suite.expect(any(r.get("path") == "/" + name for r in rows), f"{name} as {kind}: {rows}")
            shutil.rmtree(root)


def conda_meta_cut_in_the_middle(suite):
    root = suite.lay_out(CONDA, "conda")
    folder = os.path.join(root, "opt/miniconda/envs/pytorch-conda-test/conda-meta")
    name = next(n for n in sorted(os.listdir(folder)) if n.startswith("pytorch-"))
    with open(os.path.join(folder, name), "r+b") as file:
        file.truncate(40)
    rows = look(suite, root, "a conda-meta file that is cut")
    path = "/opt/miniconda/envs/pytorch-conda-test/conda-meta/" + name
    suite.expect(any(r["status"] == "malformed" and r.get("path") == path for r in rows), rows)
    suite.expect(path in Run("check", "--root", root).out.replace("\n    ", ""), "the report names it")


def circles_of_folders(suite):
    root = suite.lay_out(VENV, "circles")
    os.symlink("..", os.path.join(root, SITE, "up"))
    os.symlink("/home/user", os.path.join(root, PREFIX, "home"))
    os.symlink("venv", os.path.join(root, "home/user/second"))
    look(suite, root, "links to folders above")
    shutil.rmtree(os.path.join(root, SITE))
    os.symlink("site-packages", os.path.join(root, SITE))
    rows = look(suite, root, "site-packages is a link to itself")
    suite.expect(any(r["status"] == "malformed" for r in rows), rows)


def names_in_a_tree(suite):
    """Folders and packages whose names would steer a terminal or a shell."""
    root = suite.lay_out(VENV, "names")
    evil = "v\x1b[2J\n$(reboot)'\" ;\u202e\udcff"
    os.rename(os.path.join(root, PREFIX), os.path.join(root, "home/user", evil))
    site = os.path.join(root, "home/user", evil, "lib/python3.12/site-packages")
    os.makedirs(os.path.join(site, "a\x1b]0;x\x07\n-1.dist-info"))
    with open(os.path.join(site, "torch/version.py"), "wb") as file:
        file.write(b"__version__ = '2.11.0+\x1b[31mcu130'\ncuda: Optional[str] = '13.0\x07'\n")
    look(suite, root, "hostile names")
    report = Run("check", "--root", root).out
    commands = [line for line in report.splitlines() if line.lstrip().startswith("$ ")]
    suite.expect(not any("reboot" in c for c in commands), commands)
    for command in ("facts", "query"):
        more = ["package"] if command == "facts" else ["SELECT * FROM environment"]
        run = Run(command, "--root", root, *more)
        suite.expect(run.status == 0 and is_clean(run.out), run)


def a_path_that_is_no_utf8(suite):
    """It is opened as it stands, and shown escaped: the same is found as under another name."""
    root = suite.lay_out("torch-library-empty", "bytes")
    home = os.path.join(root, "home/user")

    def found(*words):
        document = Run("check", "--root", root, "--format", "json", *words).json()
        return [(f["rule"], f["severity"]) for f in document["findings"]], len(document["unknown"])

    wanted = found()
    suite.expect(wanted[0], "nothing is found")
    os.rename(os.path.join(home, "venv"), os.path.join(home, "e\udcff"))
    path = "/home/user/e\udcff"
    suite.equal(found(), wanted, "in a home folder")
    suite.equal(found("--env", path), wanted, "--env")
    snapshot = suite.path("bytes.json")
    Run("facts", "--root", root, "--env", path, "-o", snapshot)
    reports = [Run("check", *words, "--format", "json").json()["findings"]
               for words in (["--root", root, "--env", path], ["--facts", snapshot])]
    for report in reports:
        suite.expect(report and "/home/user/e\\xff" in json.dumps(report).replace("\\\\", "\\"), report)
        commands = [s["command"] for f in report for s in f["steps"] if s.get("command")]
        suite.expect(not any("/e" in c for c in commands), commands)
    suite.equal([f["fingerprint"] for f in reports[0]], [f["fingerprint"] for f in reports[1]],
                "a snapshot tells the same")
    outside = os.path.join(suite.path("real"), "e\udcff")
    shutil.copytree(os.path.join(home, "e\udcff"), outside, symlinks=True)
    for words, more in (([], {"VIRTUAL_ENV": outside}), (["--env", outside], {})):
        run = Run("facts", "framework", "--format", "json", *words, env={**os.environ, **more})
        suite.expect(any(row["name"] == "torch" and row["environment_id"].endswith("/e\\xff")
                         for row in run.json()), run)


def names_that_escape_alike_stay_two(suite):
    root = suite.lay_out(VENV, "alike")
    paths = ["/home/user/e\udcff", "/home/user/e\\xff"]
    for path in paths:
        shutil.copytree(os.path.join(root, PREFIX), root + path, symlinks=True)
    snapshot = suite.path("alike.json")
    words = [word for path in paths for word in ("--env", path)]
    suite.equal(Run("facts", "--root", root, *words, "-o", snapshot).status, 0, "facts")
    for given in (("--root", root, *words), ("--facts", snapshot)):
        run = Run("check", *given)
        suite.expect("/home/user/e\\xff (" in run.out and "/home/user/e\\x5cxff (" in run.out, run)


def a_space_in_a_path_is_quoted(suite):
    root = suite.lay_out(VENV, "space")
    os.rename(os.path.join(root, PREFIX), os.path.join(root, "home/user/my $(x) venv"))
    steps = Run("check", "--root", root, "--format", "json").json()["findings"][0]["steps"]
    suite.expect(steps[0]["command"].startswith("'/home/user/my $(x) venv/bin/python' -m pip "), steps[0])


if __name__ == "__main__":
    Suite().run([
        wrong_options, queries, roots, hostile_names, snapshots, damaged_files,
        conda_meta_cut_in_the_middle, circles_of_folders, names_in_a_tree, a_path_that_is_no_utf8,
        names_that_escape_alike_stay_two, a_space_in_a_path_is_quoted,
    ])
