#!/usr/bin/env python3
"""libgpudoctor: it exports what the header declares and tests/data/exports.txt lists, and no more;
the header is C99 and C++, by itself."""

import os
import re
import shutil
import subprocess
import tempfile

from c_source import ROOT, report

HEADER = ROOT / "include/gpudoctor/gpudoctor.h"
COMPILERS = [  # command, suffix of the source, standards
    ("gcc", "c", ("c99", "c17")),
    ("clang", "c", ("c99", "c17")),
    ("g++", "cpp", ("c++11", "c++17")),
    ("clang++", "cpp", ("c++11", "c++17")),
]
PROGRAM = """#include "gpudoctor/gpudoctor.h"
int main(void)
{
    struct gpudoctor_options options = {SIZE};
    char *text = NULL;
    enum gpudoctor_status status = gpudoctor_check(&options, &text);
    gpudoctor_free(text);
    return status == GPUDOCTOR_OK && gpudoctor_version() != NULL ? 0 : 1;
}
"""
MORE = {"c": "sizeof options, NULL, NULL, NULL, NULL, 0, 0", "cpp": ""}


def libraries():
    """Those that have been built: the sanitized and the one that is installed."""
    folders = [os.environ.get("BINARY_DIR"), os.path.dirname(os.environ.get("GPUDOCTOR_RELEASE", ""))]
    names = [os.path.join(f, "libgpudoctor.so") for f in folders if f]
    return [name for name in names if os.path.exists(name)]


def exports(library):
    done = subprocess.run(
        ["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True
    )
    return [line.split()[-1] for line in done.stdout.splitlines()]


def check_exports():
    wanted = (ROOT / "tests/data/exports.txt").read_text(encoding="utf-8").split()
    declared = re.findall(r"^GPUDOCTOR_API[^;]*?\b(\w+)\(", HEADER.read_text(encoding="utf-8"), re.MULTILINE)
    if wanted != sorted(wanted):
        yield "tests/data/exports.txt is not sorted"
    if sorted(declared) != wanted:
        yield f"the header declares {sorted(declared)}, tests/data/exports.txt has {wanted}"
    found = libraries()
    if not found:
        yield "there is no libgpudoctor.so to look at"
    for library in found:
        have = sorted(exports(library))
        if have != wanted:
            yield f"{library} exports {have}, not {wanted}"


def check_header(folder):
    for command, suffix, standards in COMPILERS:
        if not shutil.which(command):
            continue
        source = os.path.join(folder, "program." + suffix)
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM.replace("SIZE", MORE[suffix]))
        for standard in standards:
            words = [command, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
            done = subprocess.run(
                words + ["-I", str(ROOT / "include"), source],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            )
            if done.returncode:
                yield f"{command} -std={standard}: {done.stdout}"


def main():
    faults = list(check_exports())
    with tempfile.TemporaryDirectory() as folder:
        faults += list(check_header(folder))
    report(faults, 1 + len(libraries()))


main()
