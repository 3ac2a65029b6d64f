#!/usr/bin/env python3
"""The command line: exit status, standard output and files, colour and width, rules of a site."""

import json
import os
import re
import stat

from harness import SOURCE, Run, Suite, environment

ERROR = "driver-570-torch-cu130"      # one error: driver-too-old-for-cuda
HEALTHY = "host-h200"                 # an active environment with torch and jax
UNKNOWN = "healthy-jetson-orin-jp6"   # nothing wrong, one thing not known
SITE = os.path.join(SOURCE, "docs", "examples", "site-rules")


def rule(name, severity, verdict, **more):
    return json.dumps({
        "id": name, "title": "T " + name, "severity": severity, "summary": "s", "subject": "machine",
        "query": f"SELECT 'machine' AS subject, '{verdict}' AS verdict", "message": "m", **more,
    })


def site_rules(suite):
    """One rule for each severity, one that does not know, and a follower of the error."""
    for name, severity, verdict in (
        ("t-error", "error", "fail"), ("t-warning", "warning", "fail"), ("t-info", "info", "fail"),
        ("t-unknown", "error", "unknown"), ("t-ok", "error", "ok"),
    ):
        suite.write(f"rules/{name}.json", rule(name, severity, verdict))
    suite.write("rules/t-follower.json", rule("t-follower", "error", "fail", caused_by=["t-error"]))
    return suite.path("rules")


# --- exit status ---


def severity_and_fail_on(suite):
    root, rules = suite.machine(HEALTHY), site_rules(suite)
    ranks = {"info": 0, "warning": 1, "error": 2, "never": 3}
    for severity in ("info", "warning", "error"):
        for fail_on in (None, "info", "warning", "error", "never"):
            words = ["--fail-on", fail_on] if fail_on else []
            run = Run("check", "--root", root, "--rules", rules, "--only", "t-" + severity, *words)
            want = int(ranks[severity] >= ranks[fail_on or "error"])
            suite.equal(run.status, want, run)
            suite.equal(run.err, "", run)


def strict(suite):
    rules = site_rules(suite)
    for fail_on in ("info", "error", "never"):
        for more, want in (([], 0), (["--strict"], 1)):
            run = Run("check", "--root", suite.machine(UNKNOWN), "--fail-on", fail_on, *more)
            suite.equal(run.status, want, run)
        for name, want in (("t-unknown", 1), ("t-ok", 0)):
            run = Run("check", "--root", suite.machine(HEALTHY), "--rules", rules, "--only", name,
                      "--strict", "--fail-on", fail_on)
            suite.equal(run.status, want, run)
    run = Run("check", "--root", suite.machine(UNKNOWN), "--strict", "--ignore", "arch-not-in-binary")
    suite.equal(run.status, 0, run)


def only_and_ignore(suite):
    root = suite.machine(ERROR)
    wrong = "driver-too-old-for-cuda"
    for words, want in (
        ([], 1), (["--only", wrong], 1), (["--only", "nvml-failed"], 0), (["--ignore", wrong], 0),
        (["--only", wrong, "--ignore", wrong], 0), (["--only", wrong, "--only", "nvml-hung"], 1),
    ):
        run = Run("check", "--root", root, "--format", "json", *words)
        suite.equal(run.status, want, run)
        checked = {c["rule"] for c in run.json()["checked"]}
        if "--ignore" in words:
            suite.expect(wrong not in checked, run)
        elif words:
            suite.equal(checked, set(words[1::2]), run)


def ignoring_a_cause_releases_its_followers(suite):
    root, rules = suite.machine(HEALTHY), site_rules(suite)
    words = ["check", "--root", root, "--rules", rules, "--format", "json",
             "--only", "t-error", "--only", "t-follower"]
    both, alone = Run(*words), Run(*words, "--ignore", "t-error")
    suite.equal((both.status, both.json()["summary"]["error"], both.json()["summary"]["folded"]),
                (1, 1, 1), both)
    suite.equal((alone.status, alone.json()["summary"]["error"], alone.json()["summary"]["folded"]),
                (1, 1, 0), alone)


def require(suite):
    for machine, what, want in (
        (HEALTHY, "gpu", 0), (HEALTHY, "driver", 0), (HEALTHY, "torch", 0), (HEALTHY, "Torch>=2.6", 0),
        (HEALTHY, "torch<2", 1), (HEALTHY, "tensorflow", 1), (HEALTHY, "torch>=2.6,<3", 0),
        ("wsl2-windows-build-too-old", "gpu", 1), ("wsl2-windows-build-too-old", "driver", 1),
        ("healthy-8xh100-nvswitch", "jax", 1),
    ):
        run = Run("check", "--root", suite.machine(machine), "--require", what)
        suite.equal(run.status, want, run)
    run = Run("check", "--root", suite.machine(HEALTHY), "--require", "gpu", "--require", "jax",
              "--require", "tensorflow", "--format", "json")
    found = [(f["rule"], f["subject"]["key"]) for f in run.json()["findings"] if f["severity"] != "info"]
    suite.equal(found, [("required-missing", "tensorflow")], run)
    image = suite.path("image")
    os.makedirs(image + "/etc")
    for what in ("gpu", "driver"):
        run = Run("check", "--root", image, "--require", what)
        suite.equal((run.status, f"? --require {what}: an image gets it from" in run.out), (0, True), run)
        suite.equal(Run("check", "--root", image, "--require", what, "--strict").status, 1, run)
    home = suite.path("named")
    for name, dist in (("active", "torch-2.8.0"), ("other", "six-1.17.0")):
        site = f"{home}/{name}/lib/python3.11/site-packages/{dist}.dist-info"
        os.makedirs(site)
        os.makedirs(f"{home}/{name}/bin")
        suite.write(f"named/{name}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
        project, version = dist.split("-")
        with open(site + "/METADATA", "w") as file:
            file.write(f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n")
    words = ["check", "--require", "torch>=2.6", "--only", "required-missing"]
    env = environment(VIRTUAL_ENV=home + "/active")
    suite.equal(Run(*words, env=env).status, 0, "the active one has it")
    run = Run(*words, "--env", home + "/other", env=env)
    suite.equal((run.status, f"not {home}/other has it" in run.out), (1, True), run)
    suite.equal(Run(*words, "--env", home + "/other", "--env", home + "/active", env=env).status, 0,
                "one of those that were named has it")


# --- output ---


def files_are_whole_or_absent(suite):
    root = suite.machine(HEALTHY)
    words = ["check", "--root", root, "--format", "json"]
    want = Run(*words).out
    path = suite.path("out.json")
    for before in (None, "old", "x" * 100000):
        if before is not None:
            suite.write("out.json", before)
        run = Run(*words, "-o", path)
        suite.equal((run.status, run.out, run.err), (0, "", ""), run)
        with open(path, encoding="utf-8") as file:
            suite.equal(file.read(), want, "the file is the document")
    mask = os.umask(0o027)
    Run(*words, "--output=" + path)
    os.umask(mask)
    suite.equal(stat.S_IMODE(os.stat(path).st_mode), 0o640, "the mode is the umask's")
    for target in ("/dev/full", suite.folder, suite.path("no/such"), path + "/below"):
        run = Run(*words, "-o", target)
        suite.equal((run.status, run.out, run.err.count("\n")), (2, "", 1), run)
    suite.equal(sorted(n for n in os.listdir(suite.folder) if n.startswith("out.json")), ["out.json"],
                "nothing half-written is left")
    suite.equal(Run(*words, "-o", "/dev/stdout").out, want, "a pipe is written to")
    suite.equal(Run(*words, "-o", "/dev/null").status, 0, "so is a device")
    suite.expect(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null is what it was")


def a_link_is_replaced_not_followed(suite):
    target = suite.write("linked/target", "kept")
    link = suite.path("linked/link")
    os.symlink("target", link)
    run = Run("facts", "--root", suite.machine(HEALTHY), "-o", link)
    suite.equal(run.status, 0, run)
    suite.expect(not os.path.islink(link) and os.path.getsize(link) > 100, "the file is in its place")
    with open(target, encoding="utf-8") as file:
        suite.equal(file.read(), "kept", "what the link led to")


def a_folder_that_is_not_writable(suite):
    folder = suite.path("closed")
    os.mkdir(folder, 0o555)
    run = Run("facts", "--root", suite.machine(HEALTHY), "-o", os.path.join(folder, "f.json"))
    if os.access(folder, os.W_OK):  # root may
        suite.equal(run.status, 0, run)
    else:
        suite.equal((run.status, run.out, run.err.count("\n")), (2, "", 1), run)
        suite.equal(os.listdir(folder), [], "nothing is there")
    os.chmod(folder, 0o755)


def standard_output_that_cannot_be_written(suite):
    for words in (["check", "--root", suite.machine(HEALTHY)], ["--help"], ["rules", "list"],
                  ["facts", "gpu", "--schema"]):
        with open("/dev/full", "wb") as full:
            run = Run(*words, stdout=full)
        suite.equal((run.status, run.err.count("\n")), (3, 1), run)


def each_command_writes_to_a_file(suite):
    root = ["--root", suite.machine(HEALTHY)]
    for words in (["facts", *root], ["facts", "gpu", *root], ["facts", "--schema"],
                  ["facts", "gpu", "--schema"], ["query", *root, "SELECT 1 AS a"], ["rules", "list"],
                  ["rules", "show", "nvml-failed"], ["rules", "check", SITE], ["check", *root]):
        path = suite.path("each")
        run = Run(*words, "-o", path)
        suite.equal((run.status, run.out, run.err), (0, "", ""), run)
        suite.expect(os.path.getsize(path) > 0, run)
        os.unlink(path)


# --- colour, marks, width ---


def colour(suite):
    words = ["check", "--root", suite.machine(ERROR)]
    plain = Run(*words).out
    suite.expect("\x1b" not in plain, "no colour in a pipe")
    bright = Run(*words, "--color=always").out
    suite.expect(bright.startswith("\x1b[1;31m✗"), "--color=always")
    suite.equal(re.sub(r"\x1b\[[0-9;]*m", "", bright), plain, "colour changes nothing else")
    suite.equal(Run(*words, "--color=never").out, plain, "--color=never")
    suite.equal(Run(*words, "--color=auto").out, plain, "--color=auto")
    asked = Run(*words, "--color=always", env=environment(NO_COLOR="1")).out
    suite.equal(asked, bright, "--color=always asks more loudly than NO_COLOR")
    document = Run(*words, "--format=json", "--color=always").out
    suite.expect("\x1b" not in document and document.isascii(), "JSON has no colour and is ASCII")


def on_terminal(words, **more):
    """Output of a run on a pseudo-terminal."""
    master, slave = os.openpty()
    run = Run(*words, env=environment(**more), stdout=slave)
    os.close(slave)
    data = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        data += part
    os.close(master)
    return run, data.decode().replace("\r\n", "\n")


def colour_on_a_terminal(suite):
    words = ["rules", "show", "nvml-hung"]  # short enough for the terminal's buffer
    plain = Run(*words).out
    for env, words_more, bright in (
        ({"TERM": "xterm"}, [], True), ({"TERM": "xterm", "NO_COLOR": "1"}, [], False),
        ({"TERM": "xterm", "NO_COLOR": ""}, [], True), ({"TERM": "dumb"}, [], False),
        ({"TERM": "xterm"}, ["--color=never"], False),
    ):
        run, out = on_terminal(words + words_more, **env)
        suite.equal("\x1b" in out, bright, f"{env} {words_more}: {run}")
        suite.equal(re.sub(r"\x1b\[[0-9;]*m", "", out), plain, f"{env}: the same words")


def marks_by_locale(suite):
    words = ["check", "--root", suite.machine(ERROR)]
    for has_marks, variables in (
        (False, {"LC_ALL": "C"}), (False, {"LC_ALL": "POSIX"}), (False, {"LC_ALL": ""}),
        (False, {"LC_ALL": "de_DE.ISO-8859-1", "LANG": "C.UTF-8"}),
        (False, {"LC_ALL": "", "LC_CTYPE": "C", "LANG": "C.UTF-8"}), (True, {"LC_ALL": "C.UTF-8"}),
        (True, {"LC_ALL": "", "LANG": "en_US.UTF-8"}), (True, {"LC_ALL": "nl_NL.utf8@euro"}),
    ):
        out = Run(*words, env=environment(**variables)).out
        suite.equal((out.isascii(), out.startswith("✗ 1 error: " if has_marks else "ERROR 1 error: ")),
                    (not has_marks, True), f"{variables}: {out[:80]!r}")


def width(suite):
    words = ["check", "--root", suite.machine(ERROR)]
    for columns in (40, 72, 200):
        lines = Run(*words, env=environment(COLUMNS=str(columns))).out.splitlines()[1:]
        wide = [line for line in lines if len(line) > columns and not line.lstrip().startswith("$ ")
                and len(line.split()) > 2 and "  [" not in line]
        suite.equal(wide, [], f"COLUMNS={columns}")
    default = Run(*words).out
    for columns in ("0", "-5", "abc", "7", "99999999999999999999999"):
        out = Run(*words, env=environment(COLUMNS=columns)).out
        suite.expect(out == default or len(columns) > 9, f"COLUMNS={columns} is not believed")
    commands = [line for line in default.splitlines() if line.lstrip().startswith("$ ")]
    narrow = Run(*words, env=environment(COLUMNS="30")).out
    suite.expect(len(commands) == 3 and all(c in narrow for c in commands), "commands stay whole")


# --- facts, query, rules ---


def facts_of_each_table(suite):
    root = suite.machine(HEALTHY)
    tables = Run("facts", "--root", root, "--format", "json").json()["tables"]
    listed = Run("facts", "--tables", "--root", root).out
    for table, rows in tables.items():
        text, data = Run("facts", table, "--root", root), Run("facts", table, "--root", root,
                                                              "--format", "json")
        suite.equal((text.status, text.err, data.status), (0, "", 0), text)
        suite.equal(text.out.count("\n"), len(rows) + 1, text)
        suite.equal(data.json(), rows, data)
        suite.expect(re.search(rf"^{table} +{len(rows)} +[A-Z]", listed, re.MULTILINE), f"{table} is listed")
        columns = Run("facts", table, "--schema").out
        suite.expect(columns.startswith(table + ": "), f"{table} --schema")


def tables_as_json(suite):
    rows = Run("facts", "--tables", "--format", "json", "--root", suite.machine(HEALTHY)).json()
    suite.expect(("host", 1) in {(r["table"], r["rows"]) for r in rows}, rows)
    run = Run("facts", "gpu", "-o", "-", "--root", suite.machine(HEALTHY))
    suite.equal(run.out, Run("facts", "gpu", "--root", suite.machine(HEALTHY)).out, run)


def the_overview_fits_one_screen(suite):
    for machine in (ERROR, HEALTHY, UNKNOWN):
        run = Run("facts", "--root", suite.machine(machine))
        suite.equal((run.status, run.err), (0, ""), run)
        suite.expect(5 <= run.out.count("\n") <= 40, run)
        suite.expect(all(len(line) <= 100 for line in run.out.splitlines()), run)
        path = suite.path("facts.json")
        Run("facts", "--root", suite.machine(machine), "-o", path)
        suite.equal(Run("facts", "--facts", path).out, run.out, "the overview of a snapshot")


def a_snapshot_is_judged_alike(suite):
    for machine in (ERROR, HEALTHY, UNKNOWN):
        path = suite.path("facts.json")
        Run("facts", "--root", suite.machine(machine), "-o", path)
        for words in ([], ["--format", "json"], ["--require", "tensorflow"], ["--strict"]):
            live = Run("check", "--root", suite.machine(machine), *words)
            again = Run("check", "--facts", path, *words)
            suite.equal((again.status, again.out, again.err), (live.status, live.out, ""), again)
        suite.equal(Run("facts", "--facts", path, "--format", "json").out, open(path).read(),
                    "a snapshot of a snapshot")


def query(suite):
    root = suite.machine(HEALTHY)
    run = Run("query", "--root", root, "SELECT name, cuda FROM framework WHERE name = 'torch'")
    suite.equal(run.out, "name   cuda\ntorch  13.0\n", run)
    run = Run("query", "--root", root, "--format=json", "SELECT 1 AS a, NULL AS b, 'x' AS c, 2 AS a")
    suite.equal(run.json(), [{"a": 1, "b": None, "c": "x", "a_2": 2}], run)


def rules_list_and_show(suite):
    text, data = Run("rules", "list"), Run("rules", "list", "--format", "json").json()
    suite.equal([line.split()[0] for line in text.out.splitlines()], [r["id"] for r in data], text)
    for one in data:
        run = Run("rules", "show", one["id"])
        suite.expect(run.status == 0 and run.out.startswith(one["id"] + "\n"), run)
        shown = Run("rules", "show", one["id"], "--format", "json").json()
        suite.equal((shown["id"], shown["severity"]), (one["id"], one["severity"]), run)


def rules_of_a_site(suite):
    run = Run("rules", "check", SITE)
    suite.equal((run.status, run.out, run.err), (0, f"{SITE}: in order, 4 examples hold\n", ""), run)
    suite.expect("driver-at-least" in Run("rules", "list", "--rules", SITE).out, "it is listed")
    for machine, want in ((HEALTHY, 0), (ERROR, 0), ("rootless-podman-video-group", 1)):
        run = Run("check", "--root", suite.machine(machine), "--rules", SITE, "--only",
                  "driver-at-least", "--format", "json")
        suite.equal(run.status, want, run)
        suite.equal(run.json()["summary"]["error"], want, run)
    suite.equal(Run("check", "--root", suite.machine(HEALTHY), "--only", "driver-at-least").status, 2,
                "without --rules there is no such rule")


def a_built_in_rule_is_replaced_by_id(suite):
    name = "driver-too-old-for-cuda"
    softer = json.loads(Run("rules", "show", name, "--format", "json").out)
    softer["severity"] = "warning"
    softer["title"] = "Softer here"
    suite.write(f"override/{name}.json", json.dumps(softer))
    words = ["check", "--root", suite.machine(ERROR), "--rules", suite.path("override")]
    run = Run(*words)
    suite.equal(run.status, 0, run)
    suite.expect(run.out.startswith("! 1 warning: ") and "Softer here" in run.out, run.out[:200])
    suite.equal(Run(*words, "--fail-on=warning").status, 1, "and so it is counted")
    rules = Run("rules", "list", "--rules", suite.path("override"), "--format", "json").json()
    suite.equal(len([r for r in rules if r["id"] == name]), 1, "there is one of that id")


def rules_that_are_wrong(suite):
    query = "SELECT 'machine' AS subject, 'fail' AS verdict, nope AS x"
    for name, data, place in (
        ("cut", '{"id": "cut",\n "title": ', r"cut\.json:2:"),
        ("column", rule("column", "error", "fail", query=query), r"column\.json:1:\d+: query: .*nope"),
        ("key", rule("key", "error", "fail", colour=1), r"key\.json:1:\d+: colour"),
        ("other-name", rule("name", "error", "fail"), r"other-name\.json:1:"),
        ("slot", rule("slot", "error", "fail", message="{nope}"), r"slot\.json:1:\d+: message: .*nope"),
    ):
        suite.write(f"wrong-{name}/{name}.json", data)
        for words in (["check", "--root", suite.machine(HEALTHY), "--rules"], ["rules", "check"]):
            run = Run(*words, suite.path("wrong-" + name))
            suite.equal((run.status, run.out, run.err.count("\n")), (2, "", 1), run)
            suite.expect(re.search(place, run.err), f"{place}: {run}")
    example = {"given": {}, "expect": {"machine": "ok"}}
    suite.write("wrong-ex/ex.json", rule("ex", "error", "fail", examples=[example]))
    run = Run("rules", "check", suite.path("wrong-ex"))
    suite.expect(run.status == 2 and "ex.json:1:" in run.err, run)


def environments_inside_the_root(suite):
    root = suite.machine(HEALTHY)
    run = Run("check", "--root", root, "--env", "/opt/torch/.venv", "--format", "json")
    prefixes = [e["prefix"] for e in run.json()["machine"]["environments"]]
    suite.equal((run.status, prefixes), (0, ["/opt/torch/.venv"]), run)
    outside = suite.path("venv")
    os.mkdir(outside)
    suite.write("venv/pyvenv.cfg", "home = /usr/bin\n")
    run = Run("check", "--root", root, "--env", outside)
    suite.equal((run.status, run.out, run.err.count("\n")), (2, "", 1), run)


def the_example_of_the_readme(suite):
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        page = file.read()
    shown = re.search(r"^    \$ gpudoctor check\n(.*?)^    \.\.\.$", page, re.DOTALL | re.MULTILINE)
    suite.expect(shown, "README.md shows what check says, up to a line of three dots")
    words, real = shown[1].split(), Run("check", "--root", suite.machine(ERROR)).out.split()
    for have, want in zip(words, real):
        if have != want:
            suite.expect(False, f"README.md shows {have!r} where check says {want!r}")
            break


def help_and_version(suite):
    suite.expect(re.fullmatch(r"gpudoctor \d+\.\d+\.\d+, rules [0-9.]+\n", Run("--version").out), "--version")
    usage = Run("--help")
    suite.expect(usage.status == 0 and usage.err == "" and "exit status:" in usage.out, usage)
    suite.equal(Run("-h").out, usage.out, "-h")
    suite.equal(Run("help").out, usage.out, "help")
    for command in ("check", "facts", "query", "rules"):
        run = Run(command, "--help")
        suite.expect(run.status == 0 and run.err == "" and "examples:" in run.out, run)
        suite.equal(Run("help", command).out, run.out, command)
        suite.equal(Run(command, "--format=nonsense", "-h").out, run.out, "help wins")
    bare = Run()
    suite.equal((bare.status, bare.out, bare.err), (2, "", usage.out), "no command at all")


if __name__ == "__main__":
    Suite().run([
        severity_and_fail_on, strict, only_and_ignore, ignoring_a_cause_releases_its_followers, require,
        files_are_whole_or_absent, a_link_is_replaced_not_followed, a_folder_that_is_not_writable,
        standard_output_that_cannot_be_written, each_command_writes_to_a_file, colour,
        colour_on_a_terminal, marks_by_locale, width, facts_of_each_table,
        tables_as_json, the_overview_fits_one_screen, a_snapshot_is_judged_alike,
        query, rules_list_and_show, rules_of_a_site, a_built_in_rule_is_replaced_by_id,
        rules_that_are_wrong, environments_inside_the_root, the_example_of_the_readme, help_and_version,
    ])
