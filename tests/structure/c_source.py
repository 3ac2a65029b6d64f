"""What the structure tests share: the C files of the project, without comments and strings."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ.get("SOURCE_DIR") or Path(__file__).resolve().parents[2])

# A comment, a string or a character; the alternatives are tried in this order at each place.
LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


def blank(match):
    """The same lines and nothing in them; a string stays a string."""
    text = match.group(0)
    kept = re.sub(r"[^\n]", " ", text)
    return '"' + kept[2:] + '"' if text.startswith('"') else kept


def code_of(path):
    return LITERAL.sub(blank, path.read_text(encoding="utf-8"))


def files(*folders):
    """The .c and .h files below these folders, in order."""
    found = []
    for folder in folders:
        for suffix in ("*.c", "*.h", "*.def"):
            found += (ROOT / folder).rglob(suffix)
    return sorted(found)


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def report(faults, checked):
    """Prints and exits: a test that has looked at nothing has failed."""
    for fault in faults:
        print(fault)
    print(f"{checked} checked, {len(faults)} faults")
    sys.exit(1 if faults or not checked else 0)
