#!/usr/bin/env python3
"""Every recorded machine: facts field by field, verdicts, exit status, and the same from a snapshot.

fixtures/machines/NAME.tree is laid out, judged, and held against NAME.expect.json. A rule that the
expectation names and that does not exist yet is left out; where none of the wanted ones exists, only
facts and forbidden rules are checked. Prints a line per fault; exit status 1 when there is one.

usage: machines.py [--root DIR] [NAME ...]
  --root DIR  take the tree DIR/NAME, laid out by other means, instead of NAME.tree: facts only
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
    for rule, severity in expect.get("severities", {}).items():
        if rule in rules and failed.get(rule) != severity:
            yield f"{rule} is {failed.get(rule)}, want {severity}"
    commands = "\n".join(s.get("command") or "" for f in report["findings"] for s in f["steps"])
    for words in expect.get("commands", []):
        if words not in commands:
            yield f"no command holds {words!r}: {commands}"
    for words in expect.get("no_commands", []):
        if words in commands:
            yield f"a command holds {words!r}: {commands}"
    texts = "\n".join(s["text"] for f in report["findings"] for s in f["steps"])
    for words in expect.get("texts", []):
        if words not in texts:
            yield f"no step says {words!r}: {texts}"
    for finding in report["findings"]:
        if not finding["steps"] or not finding["message"].strip():
            yield f"{finding['rule']} has no step or no message"
        # ${...} is the shell's, everything else in braces a slot that was not filled
        if "{" in finding["message"] or any("{" in (s.get("command") or "").replace("${", "")
                                            for s in finding["steps"]):
            yield f"{finding['rule']} shows a slot: {finding['message']}"


def check_headline(facts, summary):
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


def nearest(row, rows):
    """What the row that agrees best has instead, to show in a fault."""
    best = max(rows, default=None, key=lambda r: sum(r.get(k) == v for k, v in row.items()))
    if best is None or not any(best.get(k) == v for k, v in row.items()):
        return "nothing like it"
    return "nearest has " + json.dumps({k: best.get(k) for k, v in row.items() if best.get(k) != v})


def check_rows(facts, tables, columns):
    """Rows that must be there (the given columns equal, null is 'not known'), must not, and counts."""
    def holds(table, row):
        return any(all(r.get(k) == v for k, v in row.items()) for r in tables.get(table, ()))

    known = {"driver", "cuda", "gpus", "rows", "absent_rows", "counts"}
    if set(facts) - known:
        yield f"facts: what is {sorted(set(facts) - known)}?"
    for kind in ("rows", "absent_rows"):
        for table, rows in facts.get(kind, {}).items():
            unknown = {k for row in rows for k in row} - columns.get(table, set())
            if table not in columns or unknown:
                yield f"{kind}: {table} has no column {sorted(unknown)}"
                continue
            for row in rows:
                if kind == "rows" and not holds(table, row):
                    yield f"{table} lacks {json.dumps(row)}: {nearest(row, tables.get(table, ()))}"
                if kind == "absent_rows" and holds(table, row):
                    yield f"{table} must not hold {json.dumps(row)}"
    for table, count in facts.get("counts", {}).items():
        if len(tables.get(table, ())) != count:
            yield f"{table} has {len(tables.get(table, ()))} rows, want {count}"


def check_all_facts(facts, root, folder, columns):
    """Every environment is read here, the ones that are not active too."""
    texts = []
    for name in ("all-1.json", "all-2.json"):
        snapshot = os.path.join(folder, name)
        run("facts", "--root", root, "--all-envs", "-o", snapshot)
        with open(snapshot, encoding="utf-8") as file:
            texts.append(file.read())
    if texts[0] != texts[1]:
        yield "a second run has other facts"
    yield from check_rows(facts, json.loads(texts[0])["tables"], columns)


def table_columns():
    properties = json.loads(run("facts", "--schema").stdout)["properties"]["tables"]["properties"]
    return {name: set(table["items"]["properties"]) for name, table in properties.items()}


def expectation(name):
    with open(os.path.join(MACHINES, name + ".expect.json"), encoding="utf-8") as file:
        return json.load(file)


def check_machine(name, folder, rules, columns):
    expect = expectation(name)
    root = os.path.join(folder, name)
    subprocess.run([LAY_OUT, os.path.join(MACHINES, name + ".tree"), root], check=True)
    live = run("check", "--root", root, "--format", "json", status=(0, 1))
    report = json.loads(live.stdout)
    yield from check_report(name, report, live.returncode, expect, rules)
    snapshot = os.path.join(folder, name + ".json")
    run("facts", "--root", root, "-o", snapshot)
    yield from check_headline(expect["facts"], report)
    yield from check_all_facts(expect["facts"], root, folder, columns)
    again = run("check", "--facts", snapshot, "--format", "json", status=(0, 1))
    if again.stdout != live.stdout or again.returncode != live.returncode:
        yield "the snapshot is judged differently"
    text = run("check", "--root", root, status=(0, 1))
    if text.returncode != live.returncode or "\x1b" in text.stdout:
        yield "the text report has another status, or colour in a pipe"


def check_tree(name, folder, root, columns):
    facts = expectation(name)["facts"]
    snapshot = os.path.join(folder, "tree.json")
    run("facts", "--root", root, "--all-envs", "-o", snapshot)
    report = json.loads(run("check", "--facts", snapshot, "--format", "json", status=(0, 1)).stdout)
    yield from check_headline(facts, report)
    yield from check_all_facts(facts, root, folder, columns)


def main():
    words = sys.argv[1:]
    trees = os.path.abspath(words[1]) if words[:1] == ["--root"] else None
    names = words[2 if trees else 0:] or sorted(
        os.listdir(trees) if trees else (n[:-5] for n in os.listdir(MACHINES) if n.endswith(".tree")))
    rules = {r["id"] for r in json.loads(run("rules", "list", "--format", "json").stdout)}
    columns = table_columns()
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            try:
                if trees:
                    found = list(check_tree(name, folder, os.path.join(trees, name), columns))
                else:
                    found = list(check_machine(name, folder, rules, columns))
            except (AssertionError, subprocess.SubprocessError, ValueError, KeyError) as error:
                found = [f"{type(error).__name__} {error}"]
            faults.extend(f"{name}: {f}" for f in found)
    for fault in faults:
        print(fault)
    print(f"{len(names)} machines, {len(faults)} faults")
    return 1 if faults or not names else 0


if __name__ == "__main__":
    sys.exit(main())
