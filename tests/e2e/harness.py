"""What the end-to-end tests share: recorded machines laid out, runs of the program, and faults."""

import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE_DIR"]
GPUDOCTOR = os.environ["GPUDOCTOR"]
LAY_OUT = os.environ["LAY_OUT"]

# Nothing of the caller's terminal or site may change what a run prints.
DROPPED = ("NO_COLOR", "COLUMNS", "TERM", "LC_ALL", "LC_CTYPE", "LANG")


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k not in DROPPED}
    return {**kept, "LC_ALL": "C.UTF-8", **more}


class Run:
    """One run of gpudoctor: status, out and err (both text, undecodable bytes kept)."""

    def __init__(self, *words, env=None, timeout=60, **more):
        self.words = [os.fsencode(w) for w in words]
        done = subprocess.run(
            [GPUDOCTOR, *self.words], stdin=subprocess.DEVNULL, timeout=timeout,
            stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
            env=environment() if env is None else env, check=False, **more,
        )
        self.status = done.returncode
        self.out = (done.stdout or b"").decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        words = " ".join(w.decode("utf-8", "backslashreplace") for w in self.words)
        return f"gpudoctor {words!r}: status {self.status}, err {self.err[:300]!r}"


def is_clean(text):
    """No byte in it steers a terminal."""
    return all(c == "\n" or (ord(c) >= 0x20 and not 0x7f <= ord(c) < 0xa0 and ord(c) < 0xd800
                             or 0xe000 <= ord(c)) for c in text)


class Suite:
    """Tests are functions that get a Suite and call expect(); a folder for them is at hand."""

    def __init__(self):
        self.faults, self.checked, self.machines = [], 0, {}
        self.holder = tempfile.TemporaryDirectory()
        self.folder = self.holder.name

    def expect(self, good, what):
        self.checked += 1
        if not good:
            self.faults.append(str(what))

    def equal(self, have, want, what):
        self.expect(have == want, f"{what}: have {have!r}, want {want!r}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def lay_out(self, machine, name):
        """A tree of its own, to be changed."""
        root = self.path(name)
        tree = os.path.join(SOURCE, "fixtures", "machines", machine + ".tree")
        subprocess.run([LAY_OUT, tree, root], check=True)
        return root

    def machine(self, name):
        """A tree that no test changes."""
        if name not in self.machines:
            self.machines[name] = self.lay_out(name, "machine-" + name)
        return self.machines[name]

    def run(self, tests):
        with self.holder:
            for test in tests:
                try:
                    test(self)
                except Exception as error:  # a fault as any other: the rest runs
                    self.faults.append(f"{test.__name__}: {type(error).__name__}: {error}")
        for fault in self.faults:
            print(fault)
        print(f"{self.checked} checked, {len(self.faults)} faults")
        sys.exit(1 if self.faults or not self.checked else 0)
