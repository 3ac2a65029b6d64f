#!/usr/bin/env python3
"""gpudoctor archs: fatbins made by hand, GPUs by number and name, bad input, JSON."""

import os
import shutil
import struct
import subprocess

from harness import GPUDOCTOR, Run, Suite, environment, is_clean

KINDS = {"compute": 1, "sm": 2, "lto": 8, "other": 0x40}
SUFFIXES = {"": 0, "a": 1 << 20, "f": 1 << 21}


def entry(target, isa="0.0", size=64):
    """One entry: a header of 64 bytes and a payload of zeros."""
    kind, number = target.split("_")
    suffix = number.lstrip("0123456789")
    major, minor = map(int, isa.split("."))
    return struct.pack("<HHIQIIHHIIIQQQ", KINDS[kind], 0x0101, 64, size, 0, 0, minor, major,
                       int(number[:len(number) - len(suffix)]), 0, 0,
                       0x11 | SUFFIXES[suffix], 0, 0) + bytes(size)


def fatbin(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def elf_without_code():
    """A shared object's header, and nothing behind it."""
    return struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 3, 62, 1, 0, 0, 0, 0, 64, 56, 0,
                       64, 0, 0)


def sample(suite):
    return suite.write("sample.fatbin", fatbin(
        entry("sm_80"), entry("sm_90a"), entry("sm_100f"), entry("compute_80", "7.0"),
        entry("compute_90", "8.7"), entry("lto_75")))


def shows_what_is_in_it(suite):
    run = Run("archs", sample(suite))
    suite.equal(run.status, 0, run)
    suite.equal(run.err, "", run)
    lines = [line.split() for line in run.out.splitlines()]
    suite.expect("1 container, 6 entries" in run.out, run.out)
    suite.expect(["machine", "code", "sm_80", "sm_90a", "sm_100f"] in lines, run.out)
    suite.expect("compute_80 (ISA 7.0), compute_90 (ISA 8.7)" in run.out, run.out)
    suite.expect(["link-time", "lto_75"] in lines, run.out)


def json_of_it(suite):
    path = sample(suite)
    run = Run("archs", path, "--gpu", "8.6", "--gpu", "h200", "--gpu", "12.0", "--gpu", "7.5",
              "--format", "json")
    suite.equal(run.status, 1, run)
    document = run.json()
    suite.equal(sorted(document), ["files", "schema"], run)
    file, = document["files"]
    suite.equal(sorted(file), ["bytes_read", "containers", "entries", "gpus", "path", "problem",
                               "size", "status", "targets"], run)
    suite.equal([file["path"], file["status"], file["containers"], file["entries"]],
                [path, "code", 1, 6], run)
    suite.equal(file["size"], os.path.getsize(path), run)
    suite.equal([(t["kind"], t["target"], t["cc"], t["suffix"], t["isa"], t["place"])
                 for t in file["targets"]],
                [("cubin", "sm_80", "8.0", None, None, "linked"),
                 ("cubin", "sm_90a", "9.0", "a", None, "linked"),
                 ("cubin", "sm_100f", "10.0", "f", None, "linked"),
                 ("ptx", "compute_80", "8.0", None, "7.0", "linked"),
                 ("ptx", "compute_90", "9.0", None, "8.7", "linked"),
                 ("lto", "lto_75", "7.5", None, None, "linked")], run)
    suite.equal([(g["gpu"], g["cc"], g["runs"], g["by"], g["needs_driver_cuda"])
                 for g in file["gpus"]],
                [("8.6", "8.6", "native", "sm_80", None), ("h200", "9.0", "native", "sm_90a", None),
                 ("12.0", "12.0", "ptx", "compute_90", "12.8"), ("7.5", "7.5", "no", None, None)],
                run)


def verdicts_in_words(suite):
    path = sample(suite)
    for gpu, status, words in (
        ("8.6", 0, "8.6: runs natively (sm_80)"),
        ("sm_86", 0, "8.6: runs natively (sm_80)"),
        ("86", 0, "8.6: runs natively (sm_80)"),
        ("RTX 4090", 0, "RTX 4090 (8.9): runs natively (sm_80)"),
        ("10.3", 0, "10.3: runs natively (sm_100f)"),
        ("12.0", 0, "needs a driver of CUDA 12.8 or newer (PTX 8.7)"),
        ("8.7", 0, "8.7: runs by PTX (compute_80)"),
        ("7.5", 1, "7.5: does not run: no code for 7.5"),
    ):
        run = Run("archs", path, "--gpu", gpu)
        suite.equal(run.status, status, run)
        suite.expect(words in " ".join(run.out.split()), f"{gpu}: {run.out}")
    border = suite.write("orin.fatbin", fatbin(entry("sm_80")))
    run = Run("archs", border, "--gpu", "8.7")
    suite.equal(run.status, 2, run)  # a gate must not pass where it is not known
    suite.equal(run.err, "", run)
    suite.expect("not known: code for desktop GPUs is not promised" in " ".join(run.out.split()),
                 run.out)
    link_time = suite.write("lto.fatbin", fatbin(entry("lto_75")))
    run = Run("archs", link_time, "--gpu", "9.0")
    suite.equal(run.status, 1, run)
    suite.expect("only nvJitLink can use" in " ".join(run.out.split()), run.out)
    strange = suite.write("other.fatbin", fatbin(entry("sm_80"), entry("other_90")))
    suite.equal(Run("archs", strange, "--gpu", "8.0").status, 0, "nobody asked for the other")
    run = Run("archs", strange, "--gpu", "9.0", "--gpu", "8.0")
    suite.equal(run.status, 2, run)
    suite.expect("9.0: not known: part of the code is of a kind that is not known" in
                 " ".join(run.out.split()), run.out)
    suite.expect("8.0: runs natively (sm_80)" in " ".join(run.out.split()), run.out)


def gates(suite):
    desktop, tegra = (suite.write(f"{sm}.cubins", fatbin(entry(sm))) for sm in ("sm_80", "sm_87"))
    host = suite.write("host.so", elf_without_code())
    for words, status in (
        ([tegra, "--gpu", "8.7"], 0), ([tegra, "--gpu", "8.6"], 1), ([tegra, "--gpu", "8.9"], 2), ([desktop, "--gpu", "8.7"], 2),
        ([tegra], 0),
        # a file that is known not to run decides, whatever is not known of others
        ([tegra, desktop, "--gpu", "8.9"], 2), ([tegra, desktop, "--gpu", "7.5"], 1),
        ([tegra, desktop, "--gpu", "8.9", "--gpu", "7.5"], 1),
        # one that cannot be read leaves the question open
        ([tegra, suite.path("gone"), "--gpu", "7.5"], 2),
        ([host, "--gpu", "8.6", "--gpu", "9.0"], 0), ([host, desktop, "--gpu", "8.6"], 0),
    ):
        for form in ("text", "json"):
            run = Run("archs", *words, "--format", form)
            suite.equal(run.status, status, run)
    run = Run("archs", host, "--gpu", "8.6", "--gpu", "9.0", "--gpu", "h200")
    suite.equal(run.out.count("no device code"), 1, run.out)
    suite.equal(len(run.out.splitlines()), 2, run.out)
    gpus = Run("archs", host, "--gpu", "8.6", "--format", "json").json()["files"][0]["gpus"]
    suite.equal(gpus[0]["runs"], "unknown", gpus)


def gpus_that_nobody_knows(suite):
    path = sample(suite)
    for gpu, words in (("RTX 6000", "Quadro RTX 6000 (7.5)"), ("xyz", "no GPU of that name"),
                       ("sm_90a", "the GPU is 9.0"), ("9", "such as 8.9"), ("12", "with its dot"),
                       ("9.7", "no GPU has"),
                       ("\x1b[31m", "no GPU of that name"), ("9" * 5000, "no GPU")):
        run = Run("archs", path, "--gpu", gpu)
        suite.equal(run.status, 2, run)
        suite.equal(run.out, "", run)
        suite.expect(words in run.err and run.err.count("\n") == 1 and is_clean(run.err), run)


def bad_input(suite):
    good = sample(suite)
    os.makedirs(suite.path("folder"), exist_ok=True)
    fifo = suite.path("fifo")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    os.symlink("loop", suite.path("loop"))
    hostile = suite.path("x\x1b[31m\n\u202e")
    for path in (suite.path("gone"), suite.path("folder"), fifo, suite.path("loop"), hostile, "-",
                 "/dev/null", "/dev/zero", suite.path("sample.fatbin/x"), "/" + "a" * 300, suite.path("deep/" * 900),
                 suite.write("empty", b""), suite.write("text.so", "no ELF"),
                 suite.write("wheel.whl", b"PK\x03\x04" + bytes(200)),
                 suite.write("cut.so", b"\x7fELF\x02\x01\x01")):
        run = Run("archs", path, "--", good)
        suite.equal(run.status, 2, run)
        suite.expect("machine code" in run.out, f"the others are not shown: {run}")
        suite.expect(run.err.startswith("gpudoctor: archs: ") and is_clean(run.err + run.out), run)
        suite.equal(run.err.count("\n"), 1, run)
        files = Run("archs", path, "--format", "json").json()["files"]
        suite.expect(files[0]["status"] in ("unread", "broken"), files)
        suite.equal(files[0]["targets"], [], run)
    other = suite.write("other one.fatbin", fatbin(entry("sm_75")))
    run = Run("archs", good, suite.path("gone"), other, suite.path("text.so"), "--gpu", "9.0")
    suite.equal([run.status, run.err.count("\n")], [2, 2], run)
    suite.expect("sm_90a" in run.out and "sm_75" in run.out, run.out)
    for path, words in (("torch", "of a framework, give the files"), ("gone", "no such file\n"),
                        (suite.path("empty"), "it is empty"), (suite.path("folder"), "files in it"),
                        (suite.write("x.whl", b"PK\x03\x04"), "unpack it")):
        suite.expect(words in Run("archs", path).err, f"{path}: {words}")
    for words in ([], ["--gpu"], [good, "--format", "xml"], [good, "--facts", "x"], [""],
                  [good, "--gpu", ""]):
        suite.equal(Run("archs", *words).status, 2, words)


def broken_containers(suite):
    whole = fatbin(entry("sm_80"), entry("sm_90"))
    cut = suite.write("cut.fatbin", whole[:-100])
    run = Run("archs", cut, "--gpu", "12.0", "--format", "json")
    file = run.json()["files"][0]
    suite.expect(file["problem"], run)
    suite.expect(file["gpus"][0]["runs"] == "unknown", "a cut file does not tell what it lacks")
    huge = bytearray(whole)
    struct.pack_into("<Q", huge, 16 + 8, 1 << 63)
    run = Run("archs", suite.write("huge.fatbin", bytes(huge)))
    suite.expect(run.status in (0, 2), run)


def odd_names(suite):
    for name in ("a b\x1b[31m.fatbin", "new\nline.fatbin", "\u202egnp.fatbin", "--gpu", "\udcff.fatbin"):
        path = os.fsencode(suite.path(name))
        with open(path, "wb") as file:
            file.write(fatbin(entry("sm_80")))
        run = Run("archs", path)
        suite.equal(run.status, 0, run)
        suite.expect("sm_80" in run.out and is_clean(run.out), run)
        document = Run("archs", path, "--format", "json")
        suite.expect(document.out.isascii(), document)
        suite.equal(document.json()["files"][0]["status"], "code", document)


def places_and_output(suite):
    path = sample(suite)
    folder, name = os.path.split(path)
    run = Run("archs", name, cwd=folder)
    suite.equal(run.status, 0, run)
    suite.expect(run.out.startswith(name + " "), run.out)
    suite.equal(Run("archs", "./" + name, cwd=folder).status, 0, "relative")
    # the same file twice is shown once
    suite.equal(len(Run("archs", path, path, "--format", "json").json()["files"]), 1, "twice")
    # inside a root, where absolute links stay inside
    root = suite.path("root")
    os.makedirs(os.path.join(root, "lib"))
    shutil.copy(path, os.path.join(root, "lib", "k.fatbin"))
    os.symlink("/lib/k.fatbin", os.path.join(root, "link"))
    for inside in ("/lib/k.fatbin", "lib/k.fatbin", "/link", "../lib/k.fatbin"):
        run = Run("archs", "--root", root, inside)
        suite.equal(run.status, 0, run)
        suite.expect("sm_90a" in run.out, run)
    suite.equal(Run("archs", "--root", root, path).status, 2, "outside")
    target = suite.path("out.json")
    suite.equal(Run("archs", path, "--format", "json", "-o", target).out, "", "a file")
    suite.expect(os.path.getsize(target) > 500, "a file")


def color_and_pipes(suite):
    path = sample(suite)
    run = Run("archs", path, "--gpu", "7.5", "--color", "always")
    suite.expect("\x1b[" in run.out, run)
    suite.expect("\x1b" not in Run("archs", path, "--gpu", "7.5").out, "no colour in a pipe")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([GPUDOCTOR, "archs", path], stdout=full, stderr=subprocess.PIPE,
                              env=environment(), check=False)
    suite.equal(done.returncode, 3, done)


def same_as_the_compiler_was_asked(suite):
    nvcc = shutil.which("nvcc")
    if not nvcc:
        print("without nvcc: compiled files are not looked at")
        return
    source = suite.write("k.cu", "__global__ void k(float *p) { p[threadIdx.x] *= 2; }\n")
    targets = ["sm_80", "sm_90a", "sm_120f", "compute_80"]
    flags = [f"-gencode=arch=compute_{t.split('_')[1]},code={t}" for t in targets]
    out = suite.path("k.o")
    done = subprocess.run([nvcc, "-c", source, "-o", out, *flags], capture_output=True, check=False)
    if done.returncode:
        print("this nvcc does not know these targets: compiled files are not looked at")
        return
    file = Run("archs", out, "--format", "json").json()["files"][0]
    suite.equal([t["target"] for t in file["targets"] if t["place"] == "linked"], targets, file)


Suite().run([
    shows_what_is_in_it, json_of_it, verdicts_in_words, gates, gpus_that_nobody_knows, bad_input,
    broken_containers, odd_names, places_and_output, color_and_pipes,
    same_as_the_compiler_was_asked,
])
