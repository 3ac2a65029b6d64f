#!/usr/bin/env python3
"""Which functions may be called where: one door to the outside, one place that prints or exits, and
functions that nothing may call."""

import re

from c_source import ROOT, code_of, files, line_of, name_of, report

OUTSIDE = """
open openat open64 creat fopen fdopen freopen opendir fdopendir readdir scandir glob wordexp
stat lstat fstatat statx statfs statvfs access faccessat euidaccess readlink readlinkat realpath
getcwd chdir fchdir chroot unlink rename mkdir mkstemp mkdtemp tmpfile
getenv secure_getenv setenv unsetenv putenv clearenv uname gethostname sysconf gnu_get_libc_version
getpwuid getpwnam getpwuid_r getgrgid getgrnam getgrgid_r getuid geteuid getgid getegid getgroups
isatty ioctl socket connect time clock clock_gettime gettimeofday nanosleep usleep sleep
""".split()
CHILDREN = """
dlopen dlmopen dlsym popen system fork vfork clone pipe pipe2 wait waitpid kill
execl execlp execle execv execvp execve execvpe fexecve posix_spawn posix_spawnp
""".split()
OUTPUT = """
printf vprintf puts putchar putc fputc fputs fprintf vfprintf dprintf vdprintf perror psignal
err errx warn warnx syslog exit _exit _Exit quick_exit abort stdout stderr STDOUT_FILENO
STDERR_FILENO
""".split()
# Overflow by nature, wrong results unnoticed, state shared with others, or SIGBUS when a file shrinks.
BANNED = """
strcpy strcat stpcpy sprintf vsprintf gets strtok atoi atol atoll atof alloca
mmap rand srand asctime ctime tmpnam mktemp setjmp longjmp assert
""".split()

# (what, folder or file): the reason.
ALLOWED = {
    ("OUTSIDE", "src/machine/"): "it is the door",
    ("CHILDREN", "src/machine/"): "the NVML child, with its deadline",
    ("OUTSIDE", "src/cli/"): "its arguments, the terminal, and the files it is told to write",
    ("OUTSIDE", "src/base/json_file.c"): "a file that the user named: a rule, a snapshot",
    ("OUTSIDE", "src/engine/load_dir.c"): "as above",
    ("OUTPUT", "src/cli/"): "it is the one that prints",
    ("OUTPUT", "src/base/alloc.c"): "out of memory has no caller that could go on",
    ("OUTPUT", "src/machine/child.c"): "a forked child must leave without the parent's exit handlers",
    ("OUTPUT", "src/machine/nvml_child.c"): "a forked child, as above",
    ("OUTPUT", "src/machine/smi.c"): "the standard output of a child",
}
# One function in one file: the reason.
ALLOWED_CALL = {
    ("clock_gettime", "src/engine/run.c"): "how long each rule took",
    ("clock_gettime", "src/engine/guard.c"): "a runaway query is stopped by the clock",
}


def allowed(kind, name, function):
    if (function, name) in ALLOWED_CALL:
        return True
    return any(kind == k and name.startswith(place) for k, place in ALLOWED)


def main():
    kinds = {"OUTSIDE": OUTSIDE, "CHILDREN": CHILDREN, "OUTPUT": OUTPUT, "BANNED": BANNED}
    kind_of = {function: kind for kind, functions in kinds.items() for function in functions}
    streams = {"stdout", "stderr", "STDOUT_FILENO", "STDERR_FILENO"}
    # A call, or the function's address given away; not a member, and no declaration of our own.
    word = re.compile(r"(?<![\w.])(?<!->)(" + "|".join(sorted(kind_of, key=len, reverse=True)) + r")\b")
    faults, checked = [], 0
    for path in files("src", "include"):
        checked += 1
        name, code = name_of(path), code_of(path)
        for match in word.finditer(code):
            function = match.group(1)
            if function not in streams and not re.match(r"\s*\(", code[match.end() :]):
                continue
            kind = kind_of[function]
            if not allowed(kind, name, function):
                what = {
                    "OUTSIDE": "ask struct machine instead",
                    "CHILDREN": "only src/machine starts children or loads libraries",
                    "OUTPUT": "only src/cli prints or exits",
                    "BANNED": "banned everywhere",
                }[kind]
                faults.append(f"{name}:{line_of(code, match.start())}: {function}: {what}")
    for kind, place in ALLOWED:
        if place.endswith(".c") and not (ROOT / place).is_file():
            faults.append(f"tests/structure/calls.py: {place} is gone")
    report(faults, checked)


main()
