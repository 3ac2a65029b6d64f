#!/usr/bin/env python3
"""What the repository must not hold, and what must be there for each of its parts."""

import os
import re
import subprocess

from c_source import ROOT, report

# Paths that exist only where somebody developed, and the hosts of package registries and mirrors:
# neither means anything to a user. Written so that this file does not match itself.
STRAY = [
    (re.compile(r"(?<![\w.])/wor[k]/(main|shared|\.)"), "a developer's path"),
    (re.compile(r"/tm[p]/gd\b"), "a developer's path"),
    (re.compile(r"\bpyp[i]\.(org|io|python)|pythonhoste[d]"), "a registry's host"),
    (re.compile(r"\b(deb|ftp|security|snapshot|archive)\.(debia[n]|ubunt[u])\."), "a mirror's host"),
]


def tracked():
    """Tracked files and new ones that are not ignored; without git, all but builds."""
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, "ls-files", "-z", "-co"]
    try:
        done = subprocess.run(git + ["--exclude-standard"], stdout=subprocess.PIPE, check=True)
        names = done.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, here in os.walk(ROOT):
            folders[:] = [f for f in folders if f != ".git" and not f.startswith("build")]
            names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in here]
    return sorted(name for name in names if name and (ROOT / name).is_file())


def stray(names):
    for name in names:
        data = (ROOT / name).read_bytes()
        if b"\0" in data[:4096]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            for pattern, what in STRAY:
                if pattern.search(line):
                    yield f"{name}:{number}: {what}"


def text_form(names):
    """Of our own text: no tabs for indentation, no trailing space, an end to the last line."""
    own = re.compile(r"(^|/)(CMakeLists\.txt|[^/]+\.(c|h|S|def|py|sh|cmake))$")
    for name in names:
        if not own.search(name) and not name.startswith("scripts/"):
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            yield f"{name}: the last line has no end"
        for number, line in enumerate(text.splitlines(), 1):
            if line != line.rstrip():
                yield f"{name}:{number}: trailing space"
            if line.startswith("\t"):
                yield f"{name}:{number}: a tab"


def fuzz_corpora(names):
    for name in names:
        found = re.fullmatch(r"tests/fuzz/fuzz_(\w+)\.c", name)
        if found and not any(n.startswith(f"tests/fuzz/corpus/{found[1]}/") for n in names):
            yield f"{name}: no corpus in tests/fuzz/corpus/{found[1]}/"
    for folder in sorted({n.split("/")[3] for n in names if n.startswith("tests/fuzz/corpus/")}):
        if f"tests/fuzz/fuzz_{folder}.c" not in names:
            yield f"tests/fuzz/corpus/{folder}: no target tests/fuzz/fuzz_{folder}.c"


def readme_commands(names):
    """Every ./path of the README's code blocks exists and can be run."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = set()
    for block in re.findall(r"^```.*?$(.*?)^```|^((?:    \S[^\n]*\n)+)", text, re.DOTALL | re.MULTILINE):
        commands |= set(re.findall(r"(?<![\w/.])\./([\w./-]+)", "".join(block)))
    for command in sorted(commands):
        if command.startswith("build"):
            continue
        if command not in names or not os.access(ROOT / command, os.X_OK):
            yield f"README.md: ./{command} is not there or not executable"
    for needed in ("scripts/gpudoctor", "scripts/test"):
        if needed not in commands:
            yield f"README.md: does not name ./{needed}"


def pages(names):
    """Links between our own pages lead somewhere."""
    for name in names:
        if not name.endswith(".md"):
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not (ROOT / name).parent.joinpath(target).exists():
                yield f"{name}: {target} is not there"


def main():
    names = tracked()
    faults = []
    for test in (stray, text_form, fuzz_corpora, readme_commands, pages):
        faults += list(test(names))
    report(faults, len(names))


main()
