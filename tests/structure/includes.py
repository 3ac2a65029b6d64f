#!/usr/bin/env python3
"""Holds every #include of src/ to the table of folders in docs/architecture.md."""

import re

from c_source import ROOT, files, line_of, name_of, report

ROW = re.compile(r"^\| `(\w+)` \|([^|]*)\|", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def main():
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    allowed = {folder: set(re.findall(r"`(\w+)`", rest)) for folder, rest in ROW.findall(page)}
    faults = []
    for folder in sorted(p.name for p in (ROOT / "src").iterdir() if p.is_dir()):
        if folder not in allowed and any((ROOT / "src" / folder).iterdir()):
            faults.append(f"docs/architecture.md: no row for src/{folder}")
    checked = 0
    for path in files("src"):
        folder = path.relative_to(ROOT / "src").parts[0]
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            place = f"{name_of(path)}:{line_of(text, match.start())}"
            target = match.group(1).split("/")
            checked += 1
            if len(target) < 2:
                faults.append(f'{place}: write "{folder}/{target[0]}"')
            elif target[0] == "gpudoctor":
                if not (ROOT / "include" / match.group(1)).is_file():
                    faults.append(f"{place}: no such public header")
            elif not (ROOT / "src" / match.group(1)).is_file():
                faults.append(f"{place}: no src/{match.group(1)}")
            elif target[0] != folder and target[0] not in allowed.get(folder, ()):
                faults.append(f"{place}: {folder} may not include {target[0]}")
    report(faults, checked)


main()
