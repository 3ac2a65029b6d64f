#!/usr/bin/env python3
"""deps: what a file or a framework's import loads, held against the real loader on libraries that
are made here."""

import os
import re
import shutil
import subprocess
import sys

from harness import Run, Suite, environment, is_clean

CC = shutil.which("cc") or shutil.which("gcc")
KEYS = ["schema", "process", "elsewhere", "objects", "requests", "missing", "shadowed", "symbols",
        "unread"]


def library(suite, path, *more, needs=(), body=None, soname=None):
    """Makes a shared library at `path` below the folder; `needs` are paths of others."""
    target = suite.path(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    name = re.sub(r"\W", "_", os.path.basename(path))
    source = suite.write(f"source/{name}.c", body or f"int {name}(void) {{ return 1; }}\n")
    subprocess.run([CC, "-shared", "-fPIC", "-nostdlib", "-Wl,-soname," + (soname or
                    os.path.basename(path)), "-Wl,--no-as-needed", "-o", target, source,
                    *map(suite.path, needs), *more], check=True)
    return target


def program(suite, path, *more, needs=()):
    target = suite.path(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    source = suite.write("source/main.c", "int main(void) { return 0; }\n")
    subprocess.run([CC, "-o", target, source, "-Wl,--no-as-needed", *map(suite.path, needs),
                    "-Wl,--allow-shlib-undefined", *more], check=True)
    return target


def rpath(*folders):
    return ["-Wl,--disable-new-dtags", *("-Wl,-rpath," + f for f in folders)]


def runpath(*folders):
    return ["-Wl,--enable-new-dtags", *("-Wl,-rpath," + f for f in folders)]


def without_paths(**more):
    env = environment(**more)
    for name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
        if name not in more:
            env.pop(name, None)
    return env


def real(program_path, env):
    """soname -> path, as the loader of this machine says."""
    done = subprocess.run([program_path], env={**env, "LD_TRACE_LOADED_OBJECTS": "1"},
                          stdout=subprocess.PIPE, check=False)
    return dict(re.findall(r"^\t(\S+) => (\S+) \(0x", done.stdout.decode(), re.M))


def told(run):
    return {o["soname"]: o["path"] for o in run.json()["objects"]}


def same_as_the_loader(suite, target, env, what):
    run = Run("deps", target, "--format", "json", env=env)
    suite.equal(run.status, 0, run)
    want, have = real(target, env), told(run)
    suite.expect(want, f"{what}: the loader tells nothing")
    for name, path in want.items():
        suite.equal(os.path.realpath(have.get(name, "/")), os.path.realpath(path),
                    f"{what}: {name}")
    return run.json()


# --- what loads ---


def breadth_first(suite):
    """libl's RUNPATH names another libx than the program's, which comes first."""
    library(suite, "t8/a/libx.so.1")
    library(suite, "t8/b/libx.so.1")
    library(suite, "t8/l/libl.so.1", *runpath("$ORIGIN/../b"), needs=["t8/b/libx.so.1"])
    target = program(suite, "t8/exe", *runpath("$ORIGIN/a", "$ORIGIN/l"),
                     needs=["t8/l/libl.so.1", "t8/a/libx.so.1"])
    answer = same_as_the_loader(suite, target, without_paths(), "breadth first")
    libx = [o for o in answer["objects"] if o["soname"] == "libx.so.1"]
    suite.equal([o["path"] for o in libx], [suite.path("t8/a/libx.so.1")], "one libx")
    suite.equal([o["via"] for o in libx], ["RUNPATH"], "by the program's RUNPATH")
    again = [r["via"] for r in answer["requests"] if r["name"] == "libx.so.1"]
    suite.equal(again, ["RUNPATH", "loaded"], "the second request is answered by what is there")
    text = Run("deps", target, env=without_paths())
    suite.equal(text.out.count("libx.so.1"), 1, text)
    suite.expect("needed by 2" in text.out, text)
    every = Run("deps", target, "--all", env=without_paths())
    suite.expect("libx.so.1  [is there already]" in every.out and "libc.so.6  " in every.out, every)
    suite.expect("libc.so.6 " in text.out.splitlines()[-1], "system libraries are named in a line")


def library_path_and_rpath(suite):
    for kind in ("rp", "ru", "llp"):
        library(suite, f"t3/{kind}/libx.so.1")
    by_rpath = program(suite, "t3/by-rpath", *rpath("$ORIGIN/rp"), needs=["t3/rp/libx.so.1"])
    by_runpath = program(suite, "t3/by-runpath", *runpath("$ORIGIN/ru"), needs=["t3/ru/libx.so.1"])
    env = without_paths(LD_LIBRARY_PATH=suite.path("t3/llp"))
    same_as_the_loader(suite, by_rpath, env, "RPATH beats LD_LIBRARY_PATH")
    answer = same_as_the_loader(suite, by_runpath, env, "LD_LIBRARY_PATH beats RUNPATH")
    same_as_the_loader(suite, by_runpath, without_paths(), "RUNPATH alone")
    lost = [(s["name"], s["path"], s["via"], s["winner"], s["winner_via"])
            for s in answer["shadowed"]]
    suite.equal(lost, [("libx.so.1", suite.path("t3/ru/libx.so.1"), "RUNPATH",
                        suite.path("t3/llp/libx.so.1"), "LD_LIBRARY_PATH")], "the copy that loses")
    suite.equal(answer["process"]["library_path"], suite.path("t3/llp"), "the variable is told")
    text = Run("deps", by_runpath, "--all", env=env)
    suite.expect("\n  with LD_LIBRARY_PATH=" + suite.path("t3/llp") + "\n" in text.out, text)
    suite.expect("\nShadowed (found later, not loaded):\n  ! libx.so.1: loaded is " in text.out, text)


def preload(suite):
    library(suite, "t16/a/libx.so.1")
    other = library(suite, "t16/b/libx.so.1")
    target = program(suite, "t16/exe", *runpath("$ORIGIN/a"), needs=["t16/a/libx.so.1"])
    env = without_paths(LD_PRELOAD=other)
    run = Run("deps", target, "--format", "json", env=env)
    libx = [(o["path"], o["how"]) for o in run.json()["objects"] if o["soname"] == "libx.so.1"]
    suite.equal(libx, [(other, "preload")], run)


def circles(suite):
    library(suite, "circle/liba.so", *runpath("$ORIGIN"))
    library(suite, "circle/libb.so", *runpath("$ORIGIN"), needs=["circle/liba.so"])
    library(suite, "circle/liba.so", *runpath("$ORIGIN"), needs=["circle/libb.so"])
    target = program(suite, "circle/exe", *runpath("$ORIGIN"), needs=["circle/liba.so"])
    same_as_the_loader(suite, target, without_paths(), "a circle")


# --- what does not ---


def missing(suite):
    library(suite, "gone/libdep.so.1")
    target = library(suite, "gone/libtop.so", *runpath("$ORIGIN/sub"), needs=["gone/libdep.so.1"])
    os.unlink(suite.path("gone/libdep.so.1"))
    words = "libdep.so.1: cannot open shared object file: No such file or directory"
    run = Run("deps", target, env=without_paths())
    suite.equal((run.status, run.err), (1, ""), run)
    suite.equal(run.out.splitlines()[0], f"✗ {target} does not load: {words}", run)
    suite.expect("└─ libdep.so.1  [not found]\n" in run.out, run)
    suite.expect("\nMissing:\n  ✗ libdep.so.1, needed by " in run.out, run)
    suite.expect(f"\n        RUNPATH: {suite.path('gone/sub/libdep.so.1')}: not there\n" in run.out,
                 run)
    run = Run("deps", target, "--format", "json", env=without_paths())
    answer = run.json()
    suite.equal((run.status, list(answer)), (1, KEYS), run)
    suite.equal((answer["process"]["outcome"], answer["process"]["error"]), ("fails", words), run)
    suite.equal([(m["name"], m["needed_by"], m["required"], m["error"]) for m in answer["missing"]],
                [("libdep.so.1", target, True, words)], "missing")
    suite.expect(len(answer["missing"][0]["trail"]) > 1, "where it was looked for")
    for way in ("../gone/libtop.so", ".//../gone/./libtop.so", suite.path("gone/../gone/libtop.so")):
        other = Run("deps", way, env=without_paths(), cwd=suite.path("gone"))
        suite.equal(other.out, Run("deps", target, env=without_paths()).out, other)
    behind_a_link(suite)
    using = program(suite, "gone/exe", *runpath("$ORIGIN"), needs=["gone/libtop.so"])
    done = subprocess.run([using], env=without_paths(), stderr=subprocess.PIPE, check=False)
    run = Run("deps", using, env=without_paths())
    suite.equal(run.status, 1, run)
    suite.expect(done.stderr.decode().strip().endswith(words) and words in run.out.splitlines()[0],
                 f"{run} {done.stderr}")


def behind_a_link(suite):
    """gone/link/.. is deep, not gone: what lies there is another file, or the same one with another
    $ORIGIN."""
    os.makedirs(suite.path("deep/inner"))
    os.symlink("../deep/inner", suite.path("gone/link"))
    library(suite, "deep/libx.so")
    there = library(suite, "deep/libhere.so", *runpath("$ORIGIN"), needs=["deep/libx.so"])
    os.symlink("../deep/libhere.so", suite.path("gone/libhere.so"))
    way = suite.path("gone/link/../libhere.so")
    run = Run("deps", way, "--format", "json", env=without_paths())
    suite.equal(told(run), {"libhere.so": there, "libx.so": suite.path("deep/libx.so")}, run)
    os.remove(suite.path("deep/libx.so"))
    run = Run("deps", way, env=without_paths())
    suite.equal(run.out, Run("deps", there, env=without_paths()).out, run)
    at_root = Run("deps", "/gone/link/../libhere.so", "--root", suite.path("."), env=without_paths())
    suite.equal(at_root.out, Run("deps", "deep//.//libhere.so", "--root", suite.path("."),
                                 env=without_paths()).out, at_root)
    suite.expect("─ libx.so  [not found]" in at_root.out, at_root)


def bad_input(suite):
    text = suite.write("text.so", "GROUP ( libx.so.1 )\n" + "x" * 100)
    short = suite.write("short.so", "\x7fELF")
    good = library(suite, "bad/liba.so")
    with open(good, "rb") as file:
        cut = suite.write("cut.so", file.read()[:200])
    fifo = suite.path("fifo")
    os.mkfifo(fifo)
    for words in ([], [""], ["a", "b"], ["torch", "--env", "x", "--env", "y"], [text], [short],
                  [cut], [fifo], [suite.folder], ["/nonexistent"], ["./torch"], ["no-such-name"],
                  ["/dev/null"], ["/dev/zero"], [good, "--format", "xml"], [good, "--color", "blue"],
                  [good, "--root", "/nonexistent"], [good, "--facts", "/nonexistent"],
                  [good, "--env", suite.path("no-env")], ["x" * 5000], [good, "--wrong"],
                  [good + "/below"], ["torch", "--env", suite.path("no-env")]):
        run = Run("deps", *words, env=without_paths())
        suite.equal((run.status, run.out, run.err.count("\n")), (2, "", 1), run)
        suite.expect(is_clean(run.err), run)
    suite.expect("invalid ELF header" in Run("deps", text).err, "the loader's words for text")
    snapshot = suite.path("facts.json")
    Run("facts", "--root", suite.machine("host-h200"), "-o", snapshot)
    run = Run("deps", good, "--facts", snapshot)
    suite.equal((run.status, run.err.count("\n")), (2, 1), run)


def not_written_whole(suite):
    """The size is right and the end is zeros, as a power cut leaves it: the real loader dies."""
    good = library(suite, "zeros/liba.so", body="int value = 7; int *at = &value;\n")
    user = program(suite, "zeros/user", *runpath("$ORIGIN/zeros"), needs=["zeros/liba.so"])
    with open(good, "rb") as file:
        whole = file.read()
    zeros = suite.path("zeros/zeros/liba.so")
    os.makedirs(os.path.dirname(zeros))
    for at in (64 + 16 * 56, 4096, len(whole) // 4, len(whole) // 2):
        with open(zeros, "wb") as file:
            file.write(whole[:at] + bytes(len(whole) - at))
        fate = subprocess.run([user], env=without_paths(), check=False).returncode
        suite.expect(fate < 0, f"{at}: the real loader ends with {fate}")
        for target in (zeros, user):
            run = Run("deps", target, env=without_paths())
            suite.equal(run.status, 1, run)
            suite.expect("its dynamic section is empty: the file was not written whole" in run.out,
                         run)
        run = Run("archs", zeros, "--format", "json")
        suite.equal((run.status, run.json()["files"][0]["status"]), (2, "broken"), run)
        suite.expect("the file was not written whole" in run.err, run)
    shutil.copyfile(good, zeros)
    suite.equal(Run("deps", user, env=without_paths()).status, 0, "the whole file")


def static_programs(suite):
    """No loader comes into it; nor are they libraries."""
    for name, flag in (("static", "-static"), ("anywhere", "-static-pie")):
        target = program(suite, "static/" + name, flag)
        run = Run("deps", target, env=without_paths())
        suite.equal(run.status, 0, run)
        suite.expect(f"{target} loads, 1 object in all" in run.out, run)


def hostile_names(suite):
    name = "evil\x1b[2J\nGPU\x9bfine.so"
    target = library(suite, "hostile/" + name, soname="lib\x1b[31m.so")
    for words in ([], ["--all"], ["--color", "always"]):
        run = Run("deps", target, *words, env=without_paths())
        suite.equal(run.status, 0, run)
        suite.expect(is_clean(re.sub(r"\x1b\[[0-9;]*m", "", run.out) if "always" in words
                              else run.out) and "[2J" not in run.out.replace("\\x1b[2J", ""), run)
    suite.expect(Run("deps", target, "--format=json").out.isascii(), "JSON is ASCII")


def output(suite):
    target = program(suite, "out/exe")
    plain = Run("deps", target, env=without_paths()).out
    path = suite.path("out/file")
    run = Run("deps", target, "-o", path, env=without_paths())
    with open(path, encoding="utf-8") as file:
        suite.equal((run.out, file.read()), ("", plain), run)
    bright = Run("deps", target, "--color=always", env=without_paths()).out
    suite.expect("\x1b" in bright, "colour")
    suite.equal(re.sub(r"\x1b\[[0-9;]*m", "", bright), plain, "colour changes nothing else")
    ascii_only = Run("deps", target, "--all", env={**without_paths(), "LC_ALL": "C"}).out
    suite.expect(ascii_only.isascii() and "`- " in ascii_only, ascii_only)
    short = os.path.relpath(target, suite.folder)
    suite.equal(Run("deps", short, env=without_paths(), cwd=suite.folder).out, plain,
                "a relative path")
    suite.equal(Run("deps", "./" + short, env=without_paths(), cwd=suite.folder).out, plain, "./")


# --- frameworks ---


def venv(suite, name, torch=True, broken=False):
    """An environment whose torch is two libraries."""
    site = f"{name}/lib/python3.11/site-packages"
    suite.write(f"{name}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    os.makedirs(suite.path(f"{name}/bin"), exist_ok=True)
    if not os.path.islink(suite.path(f"{name}/bin/python")):
        os.symlink(CC, suite.path(f"{name}/bin/python"))  # any program will do
    os.makedirs(suite.path(site), exist_ok=True)
    if not torch:
        return suite.path(name)
    suite.write(f"{site}/torch/__init__.py", "")
    suite.write(f"{site}/torch/version.py", "__version__ = '2.7.1+cu126'\ncuda = '12.6'\n")
    suite.write(f"{site}/torch-2.7.1+cu126.dist-info/METADATA",
                "Metadata-Version: 2.1\nName: torch\nVersion: 2.7.1+cu126\n")
    suite.write(f"{site}/torch-2.7.1+cu126.dist-info/RECORD", "torch/__init__.py,,\n")
    cudart = f"{site}/nvidia/cuda_runtime/lib/libcudart.so.12"
    library(suite, cudart)
    library(suite, f"{site}/torch/lib/libtorch_global_deps.so",
            *rpath("$ORIGIN/../../nvidia/cuda_runtime/lib"), needs=[cudart])
    if broken:
        os.unlink(suite.path(cudart))
    return suite.path(name)


def frameworks(suite):
    home, other = venv(suite, "venv"), venv(suite, "other")
    empty, broken = venv(suite, "empty", torch=False), venv(suite, "broken", broken=True)
    env = without_paths(VIRTUAL_ENV=home)
    run = Run("deps", "torch", env=env)
    suite.equal((run.status, run.err), (0, ""), run)
    suite.expect(run.out.startswith(f"✓ torch 2.7.1+cu126 in {home} loads, "), run.out[:200])
    suite.expect("libtorch_global_deps.so  torch/lib/  [opened" in run.out, run.out)
    suite.expect("─ libcudart.so.12  nvidia/cuda_runtime/lib/  [RPATH" in run.out, run.out)
    suite.equal(Run("deps", "Torch", env=env).out, run.out, "case does not matter")
    answer = Run("deps", "torch", "--format", "json", env=env).json()
    suite.equal((answer["process"]["framework"], answer["process"]["environment"]),
                ("torch", home), "process")
    run = Run("deps", "torch", "--env", other, env=env)
    suite.expect(f"in {other} loads" in run.out.splitlines()[0], run)
    suite.expect(f"torch is also in {home} (--env PATH" in re.sub(r"\s+", " ", run.out), run.out)
    run = Run("deps", "torch", "--env", home + "/bin/python", env=env)
    suite.expect(f"in {home} loads" in run.out.splitlines()[0], run)
    run = Run("deps", "torch", "--env", broken, env=env)
    suite.equal(run.status, 1, run)
    suite.expect(run.out.splitlines()[0].endswith(
        "does not load all that it needs: libcudart.so.12: cannot open shared object file: No such file or directory"),
        run.out[:300])
    suite.equal(run.out.splitlines()[-1], f"How to mend it: gpudoctor check --env {broken}", run.out)
    suite.equal(Run("deps", "PyTorch", "--env", broken, env=env).out, run.out, "by its title")
    for name, words in (("libcudnn.so.9", "give its path"), ("torchx", "did you mean torch\n"),
                        ("onnxruntime-gpu", "onnxruntime is not installed"),
                        ("jaxlib", "jax is not installed"), ("numba", "numba is not installed")):
        run = Run("deps", name, "--env", home, env=env)
        suite.expect(run.status == 2 and words in run.err, run)
    run = Run("deps", "torch", "--env", empty, env=env)
    suite.equal((run.status, run.out), (2, ""), run)
    suite.equal(run.err, f"gpudoctor: deps: torch is not installed in {empty};"
                         " --env PATH looks into another environment\n", run)
    # a folder of that name is a file only with a slash
    run = Run("deps", "torch", env=env, cwd=home + "/lib/python3.11/site-packages")
    suite.equal(run.status, 0, run)
    run = Run("deps", "./torch", env=env, cwd=home + "/lib/python3.11/site-packages")
    suite.equal(run.status, 2, run)
    # a file in an environment
    module = library(suite, "module/ext.so", needs=["module/../venv/lib/python3.11/site-packages/"
                                                    "nvidia/cuda_runtime/lib/libcudart.so.12"])
    run = Run("deps", module, "--env", home, "--format", "json", env=env)
    suite.equal((run.status, [m["name"] for m in run.json()["missing"]]), (1, ["libcudart.so.12"]),
                run)
    snapshot = suite.path("venv.json")
    suite.equal(Run("facts", "--env", home, "-o", snapshot, env=env).status, 0, "a snapshot")
    replayed = Run("deps", "torch", "--facts", snapshot)
    suite.equal(replayed.out, Run("deps", "torch", env=env).out, "--facts tells the same")
    run = Run("deps", "jax", "--facts", snapshot)
    suite.equal((run.status, run.err.count("\n")), (2, 1), run)


def a_file_alone(suite):
    """No environment is read for a file: its package's METADATA keeps the time of its last reading."""
    home = venv(suite, "unread")
    metadata = home + "/lib/python3.11/site-packages/torch-2.7.1+cu126.dist-info/METADATA"

    def is_read(*words):
        os.utime(metadata, (1, os.stat(metadata).st_mtime))
        Run("deps", *words, env=environment(VIRTUAL_ENV=home))
        return os.stat(metadata).st_atime != 1

    if is_read("torch"):  # else the file system keeps no such time
        suite.expect(not is_read(library(suite, "alone/liba.so")), "an environment was read for a file")


def a_root(suite):
    """An unpacked image: paths and links are resolved inside it."""
    venv(suite, "root/opt/venv")
    library(suite, "root/opt/app/libapp.so", *runpath("/opt/lib"), needs=[
        "root/opt/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"])
    root = suite.path("root")
    run = Run("deps", "/opt/app/libapp.so", "--root", root)  # it may lie in what is not recorded
    suite.equal(run.status, 2, run)
    suite.expect("? /opt/app/libapp.so: whether it loads is not known: libcudart.so.12: cannot open "
                 in run.out and "\n└─ libcudart.so.12  [not found]\n" in run.out, run.out)
    os.makedirs(root + "/opt/lib")
    os.symlink("/opt/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
               root + "/opt/lib/libcudart.so.12")
    run = Run("deps", "opt/app/libapp.so", "--root", root, "--format", "json")
    suite.equal((run.status, told(run).get("libcudart.so.12")), (0, "/opt/lib/libcudart.so.12"), run)
    run = Run("deps", "torch", "--root", root, "--env", "/opt/venv")
    suite.expect("in /opt/venv loads" in run.out.splitlines()[0] if run.out else False, run)
    for name in ("host-h200", "driver-570-torch-cu130"):
        run = Run("deps", "torch", "--root", suite.machine(name))
        suite.expect(run.status in (0, 1, 2) and "runtime error" not in run.err, run)
        suite.expect(is_clean(run.out + run.err), run)


if __name__ == "__main__":
    if not CC:
        print("no C compiler")
        sys.exit(77)
    Suite().run([breadth_first, library_path_and_rpath, preload, circles, missing, bad_input, not_written_whole,
                 static_programs, hostile_names, output, frameworks, a_file_alone,
                 a_root])
