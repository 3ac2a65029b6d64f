#!/usr/bin/env python3
"""The line of progress: on a terminal after half a second, gone before the output, and nowhere else."""

import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import time

from harness import GPUDOCTOR, Run, Suite, environment

WIPE = "\r\x1b[K"
LINE = re.compile(r"\r\x1b\[K[a-z][a-z ]*( \d+(/\d+)?)?")


def add_environment(suite, number):
    """A thousand packages with thirty requirements each."""
    site = f"slow/opt/env{number}/lib/python3.11/site-packages"
    suite.write(f"slow/opt/env{number}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    suite.write(f"slow/opt/env{number}/bin/python", "")
    for package in range(1000):
        suite.write(f"{site}/package{package}-1.0.dist-info/METADATA",
                    f"Metadata-Version: 2.1\nName: package{package}\nVersion: 1.0\n"
                    + "".join(f"Requires-Dist: other{n} (>=1.{n})\n" for n in range(30)))


def words(suite, *more):
    """The command on a machine with as many packages as take this build a while to read."""
    def given():
        environments = (w for n in range(suite.slow) for w in ("--env", f"/opt/env{n}"))
        return [*more, "--root", suite.path("slow"), *environments]

    if not hasattr(suite, "slow"):
        suite.slow, seconds = 0, 0.0
        while seconds < 1.5 and suite.slow < 20:
            for _ in range(2):
                add_environment(suite, suite.slow)
                suite.slow += 1
            start = time.monotonic()
            Run(*given())
            seconds = time.monotonic() - start
    return given()


def on_terminal(arguments, stop=None, **more):
    """(status, what came on standard error, a pseudo-terminal; standard output; seconds). `stop`: a
    signal that is sent once something has come."""
    master, slave = pty.openpty()
    env = environment(**{"TERM": "xterm", **more})
    if "CI" not in more:
        env.pop("CI", None)
    start = time.monotonic()
    out = tempfile.TemporaryFile()
    child = subprocess.Popen([GPUDOCTOR, *arguments], stdin=subprocess.DEVNULL, stdout=out,
                             stderr=slave, env=env)
    os.close(slave)
    data, first = b"", None
    while time.monotonic() - start < 120:
        ready, _, _ = select.select([master], [], [], 0.2)
        if not ready:
            if child.poll() is not None:
                break
            continue
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        first = first if first is not None else time.monotonic() - start
        data += part
        if stop is not None and child.poll() is None:
            child.send_signal(stop)
            stop = None
    status = child.wait(timeout=60)
    os.close(master)
    out.seek(0)
    text = out.read().decode()
    out.close()
    return status, data.decode(), text, time.monotonic() - start, first


def screen(data):
    """What is left on the line once the terminal has done what it was told."""
    line, at = "", 0
    for part in re.split(r"(\r|\x1b\[K|\n)", data):
        if part == "\r":
            at = 0
        elif part == "\x1b[K":
            line = line[:at]
        elif part:
            line = line[:at] + part
            at = len(line)
    return line


def appears_and_is_wiped(suite):
    for command in ("check", "facts"):
        status, data, out, seconds, first = on_terminal(words(suite, command))
        suite.expect(status in (0, 1), f"{command}: status {status}")
        suite.expect(seconds > 0.7, f"{command}: not slow enough ({seconds:.2f} s)")
        suite.expect(LINE.search(data), f"{command}: no line: {data[:200]!r}")
        suite.equal(screen(data), "", f"{command}: the line is wiped")
        suite.expect(data.endswith(WIPE) and "\n" not in data, f"{command}: one line: {data[-50:]!r}")
        suite.expect(first is not None and first > 0.45, f"{command}: first after {first} s")
        count = data.count(WIPE) - 1
        suite.expect(1 <= count <= seconds * 10 + 1, f"{command}: {count} lines in {seconds:.1f} s")
        suite.expect("\x1b[K" not in out and len(out) > 50, f"{command}: the output is whole")


def only_on_a_terminal(suite):
    run = Run(*words(suite, "facts", "package"), env=environment(TERM="xterm"))
    suite.equal((run.status, run.err), (0, ""), run)
    for more in ({"TERM": "dumb"}, {"TERM": ""}, {"CI": "true"}, {"CI": "1"}):
        status, data, _, _, _ = on_terminal(words(suite, "facts"), **more)
        suite.equal((status, data), (0, ""), f"{more}")


def not_when_it_is_quick(suite):
    for arguments in (["check", "--root", suite.machine("driver-570-torch-cu130")],
                      ["rules", "list"], ["deps", "/nonexistent"]):
        status, data, _, seconds, _ = on_terminal(arguments)
        if seconds < 0.45:
            suite.expect("\x1b" not in data, f"{arguments}: status {status}, {data!r}")
        suite.equal(screen(data.replace("\r\n", "")).count("\x1b"), 0, arguments)


def signals_leave_nothing(suite):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        status, data, out, _, _ = on_terminal(words(suite, "facts"), stop=number)
        suite.equal(status, -number, f"{number}: it ends by the signal")
        suite.expect(LINE.search(data), f"{number}: {data!r}")
        suite.equal((screen(data), out), ("", ""), f"{number}: the line is wiped")


Suite().run([appears_and_is_wiped, only_on_a_terminal, not_when_it_is_quick, signals_leave_nothing])
