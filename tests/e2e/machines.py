#!/usr/bin/env python3
"""Every recorded machine: facts field by field, verdicts, exit status, and the same from a snapshot.

fixtures/machines/NAME.tree is laid out, judged, and held against NAME.expect.json. A rule that the
expectation names and that does not exist yet is left out; where none of the wanted ones exists, only
facts and forbidden rules are checked. Prints a line per fault; exit status 1 when there is one.
"""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE_DIR"]
GPUDOCTOR = os.environ["GPUDOCTOR"]
LAY_OUT = os.environ["LAY_OUT"]
MACHINES = os.path.join(SOURCE, "fixtures", "machines")
faults = []


def run(*words, status=(0,)):
    done = subprocess.run([GPUDOCTOR, *words], capture_output=True, text=True, timeout=60)
    if done.returncode not in status:
        raise AssertionError(f"{' '.join(words)}: status {done.returncode}: {done.stderr.strip()}")
    return done


def check_report(name, report, status, expect, rules):
    failed = {f["rule"]: f["severity"] for f in report["findings"]}
    errors = sorted(r for r, s in failed.items() if s == "error")
    if not expect["any"]:
        if errors or status != 0:
            yield f"healthy, but {errors}, status {status}"
    elif rules & set(expect["any"]):
        if not set(expect["any"]) & set(failed):
            yield f"want one of {expect['any']}, got {sorted(failed)}"
        elif expect["severity"] != "any" and status != expect["status"]:
            yield f"status {status}, want {expect['status']}: {failed}"
    for rule in set(expect["none"]) & set(failed):
        yield f"{rule} must not fail here"
    commands = "\n".join(s.get("command") or "" for f in report["findings"] for s in f["steps"])
    for words in expect.get("commands", []):
        if words not in commands:
            yield f"no command holds {words!r}: {commands}"
    for words in expect.get("no_commands", []):
        if words in commands:
            yield f"a command holds {words!r}: {commands}"
    for finding in report["findings"]:
        if not finding["steps"] or not finding["message"].strip():
            yield f"{finding['rule']} has no step or no message"
        if "{" in finding["message"] or any("{" in (s.get("command") or "") for s in finding["steps"]):
            yield f"{finding['rule']} shows a slot: {finding['message']}"


def check_facts(facts, summary, query):
    machine = summary["machine"]
    for key in ("driver", "cuda"):
        if key in facts and machine[key] != facts[key]:
            yield f"{key} {machine[key]}, want {facts[key]}"
    if "gpus" in facts:
        have = machine["gpus"]
        if len(have) != len(facts["gpus"]):
            yield f"{len(have)} GPUs, want {len(facts['gpus'])}"
        for seen, want in zip(have, facts["gpus"]):
            for key in ("name", "cc"):
                if want.get(key) and seen[key] != want[key]:
                    yield f"GPU {key} {seen[key]}, want {want[key]}"
    environments = {e["prefix"] for e in query("SELECT prefix FROM environment")}
    packages = query("SELECT environment_id AS e, name, version FROM package")
    frameworks = query("SELECT * FROM framework")
    for want in facts.get("environments", []):
        prefix = want["prefix"]
        if prefix not in environments:
            yield f"environment {prefix} is not found"
        for package, version in want.get("packages", {}).items():
            if not any(p["e"] == prefix and p["name"] == package and p["version"] == version
                       for p in packages):
                yield f"{prefix}: {package} {version} is not found"
        for framework, fields in want.get("frameworks", {}).items():
            rows = [f for f in frameworks
                    if f["environment_id"] == prefix and f["name"] == framework]
            if len(rows) != 1:
                yield f"{prefix}: {len(rows)} rows of {framework}"
                continue
            for key, value in fields.items():
                if rows[0][key] != value:
                    yield f"{prefix}: {framework}.{key} is {rows[0][key]}, want {value}"


def check_machine(name, folder, rules):
    with open(os.path.join(MACHINES, name + ".expect.json"), encoding="utf-8") as file:
        expect = json.load(file)
    root = os.path.join(folder, name)
    subprocess.run([LAY_OUT, os.path.join(MACHINES, name + ".tree"), root], check=True)
    live = run("check", "--root", root, "--format", "json", status=(0, 1))
    report = json.loads(live.stdout)
    yield from check_report(name, report, live.returncode, expect, rules)
    snapshot = os.path.join(folder, name + ".json")
    run("facts", "--root", root, "-o", snapshot)

    def query(sql):
        return json.loads(run("query", "--facts", snapshot, "--format", "json", sql).stdout)

    yield from check_facts(expect["facts"], report, query)
    again = run("check", "--facts", snapshot, "--format", "json", status=(0, 1))
    if again.stdout != live.stdout or again.returncode != live.returncode:
        yield "the snapshot is judged differently"
    text = run("check", "--root", root, status=(0, 1))
    if text.returncode != live.returncode or "\x1b" in text.stdout:
        yield "the text report has another status, or colour in a pipe"


def main():
    names = sorted(n[:-5] for n in os.listdir(MACHINES) if n.endswith(".tree"))
    if sys.argv[1:]:
        names = sys.argv[1:]
    rules = {r["id"] for r in json.loads(run("rules", "list", "--format", "json").stdout)}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            try:
                found = list(check_machine(name, folder, rules))
            except (AssertionError, subprocess.SubprocessError, ValueError, KeyError) as error:
                found = [f"{type(error).__name__} {error}"]
            faults.extend(f"{name}: {f}" for f in found)
    for fault in faults:
        print(fault)
    print(f"{len(names)} machines, {len(faults)} faults")
    return 1 if faults or not names else 0


if __name__ == "__main__":
    sys.exit(main())
