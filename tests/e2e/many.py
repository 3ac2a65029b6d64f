#!/usr/bin/env python3
"""Much of everything: a server with eight GPUs and many environments, things said twice, and closed
standard streams."""

import json
import os
import resource
import subprocess

from harness import GPUDOCTOR, Run, Suite, environment

OLD_GPU = "gtx1050-torch-cu128"  # its torch has no code for its GPU
VENV = "/home/user/venv"
GPUS, ENVIRONMENTS = 8, 20
# Machines whose environments between them fill every table of libraries and of device code.
LIBRARY_MACHINES = (
    "rtx5080-ptx-newer-than-driver", "numba-ptx-newer-than-driver", "jax-hpcsdk-shadows-nvjitlink",
    "torch-nccl-downgraded", "torchvision-for-older-torch", "onnxruntime-two-wheels-one-folder",
    "two-cupy-wheels", "tensorflow215-cudnn9-of-torch", "ctranslate2-two-cudnn9",
    "older-compat-by-library-path", "vllm-cu13-torch-cu126")
LIBRARY_ENVIRONMENTS, MANY = 100, 200
BUDGET = 30  # seconds of processor time, with a sanitizer as well; one second without


def snapshot(suite, machine):
    return Run("facts", "--format", "json", "--root", suite.machine(machine)).json()


def large(facts):
    """The same environment many times, each held against each GPU."""
    tables = facts["tables"]
    gpu = tables["gpu"][0]
    tables["pci_device"] = []
    tables["gpu"] = [dict(gpu, pci_address=f"0000:{i:02x}:00.0", gpu_index=i) for i in range(GPUS)]
    for name in ("environment", "framework", "package", "requirement"):
        rows = [r for r in tables[name] if r["environment_id"] == VENV]
        tables[name] = [json.loads(json.dumps(row).replace(VENV, f"{VENV}{i}"))
                        for i in range(ENVIRONMENTS) for row in rows]
    return facts


def large_machine(suite):
    """Every pair is judged, within the limits of a rule, and has its steps."""
    file = suite.write("large.json", json.dumps(large(snapshot(suite, OLD_GPU))))
    run = Run("check", "--facts", file, "--format", "json", timeout=120)
    suite.equal(run.status, 1, run)
    findings = [f for f in run.json()["findings"] if f["rule"] == "arch-not-in-binary"]
    suite.equal(len(findings), GPUS * ENVIRONMENTS, "findings")
    prefixes = {f"{VENV}{i}" for i in range(ENVIRONMENTS)}
    for finding in findings:
        subject = finding["subject"]["label"].split(" in ")[1].split(" on ")[0]
        commands = " ".join(s.get("command") or "" for s in finding["steps"])
        suite.expect(subject in prefixes and f"{subject}/bin/python" in commands,
                     f"{subject}: {commands}")


def cluster(suite):
    """A hundred environments of everything, on a machine with eight GPUs."""
    base, parts = None, []
    for name in LIBRARY_MACHINES:
        facts = snapshot(suite, name)
        base = base or facts
        for environment_ in facts["tables"]["environment"]:
            prefix = environment_["environment_id"]
            rows = {t: [r for r in all_ if r.get("environment_id") == prefix]
                    for t, all_ in facts["tables"].items()}
            if rows["framework"]:
                parts.append((prefix, {t: r for t, r in rows.items() if r}))
    tables = base["tables"]
    gpu = tables["gpu"][0]
    tables["pci_device"] = []
    tables["gpu"] = [dict(gpu, pci_address=f"0000:{i:02x}:00.0", gpu_index=i) for i in range(GPUS)]
    for table, rows in tables.items():
        tables[table] = [r for r in rows if r.get("environment_id") is None]
    for i in range(LIBRARY_ENVIRONMENTS):
        prefix, part = parts[i % len(parts)]
        for table, rows in part.items():
            tables[table] += json.loads(json.dumps(rows).replace(prefix, f"/srv/{i}"))
    return base


def many_environments(suite):
    """Every rule is judged within its limits, and in time that grows with the environments alone."""
    facts = cluster(suite)
    for table in ("process", "library", "loaded", "resolution", "shadowed", "symbol_check",
                  "missing_symbol", "device_file", "device_code", "shared_file", "requirement"):
        suite.expect(len(facts["tables"][table]) >= (9 if table == "missing_symbol" else 25),
                     f"{table} has {len(facts['tables'][table])} rows")
    file = suite.write("cluster.json", json.dumps(facts))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = Run("check", "--facts", file, "--format", "json", timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    suite.equal(run.status, 1, run)
    suite.equal(run.err, "", "no rule fails")
    report = run.json()
    suite.equal(report["failed_rules"], [], "failed rules")
    rules = {f["rule"] for f in report["findings"]}
    suite.expect(rules >= {"ptx-needs-newer-driver", "library-shadowed", "symbol-missing",
                           "file-owned-twice", "library-missing", "cudnn-mismatch"}, str(rules))
    suite.expect(len(report["findings"]) >= MANY, f"{len(report['findings'])} findings")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    suite.expect(seconds < BUDGET, f"it took {seconds:.1f} s")


MISSING = 64000


def much_is_missing(suite):
    """One import that lacks more than any machine does is judged within a rule's limits, and so are
    the steps against it."""
    facts = snapshot(suite, OLD_GPU)
    tables = facts["tables"]
    tables["host"][0]["partial"] = 0
    framework = next(f for f in tables["framework"] if f["name"] == "torch")
    whose = {"process_id": framework["framework_id"], "framework_id": framework["framework_id"],
             "environment_id": framework["environment_id"]}
    for table in ("process", "loaded", "resolution"):
        tables[table] = [r for r in tables[table] if r["process_id"] != whose["process_id"]]
    tables["process"].append(dict(whose, outcome="fails", error="libx.so: cannot open"))
    tables["resolution"] += [
        dict(whose, position=i, needed_by=f"{VENV}/lib/a.so", name=f"libcudnn_{i}.so.9", how="need",
             required=1, family="cudnn", trail=f"/lib/libcudnn_{i}.so.9") for i in range(MISSING)]
    file = suite.write("missing.json", json.dumps(facts))
    run = Run("check", "--facts", file, "--only", "library-missing", "--format", "json", timeout=120)
    suite.equal(run.status, 1, run)
    suite.equal(run.err, "", "no rule fails")
    findings = run.json()["findings"]
    suite.equal(len(findings), 1, "findings")
    suite.expect(f"{MISSING - 1} more are missing" in findings[0]["message"], findings[0]["message"])


# Rules of somebody's own, one of which fails; the others are judged.
FAILING = {
    "two-rows": "SELECT 'machine' AS subject, 'ok' AS verdict UNION ALL SELECT 'machine', 'ok'",
    "endless": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
               "SELECT 'machine' AS subject, 'ok' AS verdict FROM n WHERE i < 0",
    "not-listed": "SELECT 'moon' AS subject, 'ok' AS verdict",
}
WORDS = {
    "two-rows": "query: two rows for the subject machine",
    "endless": "query: it was stopped: it takes too many steps",
    "not-listed": "query: moon is not among the subjects of kind machine",
}


def a_rule_that_fails(suite):
    """It is told once, its subjects are not known, and findings decide the status before it."""
    for name, query in FAILING.items():
        suite.write(f"rules-{name}/checks/{name}.json", json.dumps({
            "id": name, "title": "t", "severity": "error", "summary": "s", "subject": "machine",
            "message": "m", "query": query}))
        rules = suite.path(f"rules-{name}")
        run = Run("check", "--root", suite.machine(OLD_GPU), "--rules", rules, "--format", "json")
        suite.equal(run.status, 1, run)
        suite.equal(run.err, f"gpudoctor: rule {name} failed: {WORDS[name]}\n", run)
        report = run.json()
        suite.equal(report["failed_rules"], [{"rule": name, "error": WORDS[name]}], name)
        mine = [u for u in report["unknown"] if u["rule"] == name]
        suite.equal([u["reason"] for u in mine], [f"the rule itself failed: {WORDS[name]}"], name)
        suite.equal(report["summary"]["error"], 1, "what else is wrong")
        only = ("check", "--root", suite.machine(OLD_GPU), "--rules", rules, "--only", name)
        for more in ([], ["--fail-on", "never"]):
            run = Run(*only, *more)
            suite.equal(run.status, 3, run)
            suite.expect("the rule itself failed" in run.out, run)
        suite.equal(Run(*only, "--strict").status, 1, "what is not known fails")
        suite.equal(Run("rules", "check", rules).status, 2, "rules check")


def said_twice_by_driver(suite):
    root = suite.lay_out(OLD_GPU, "twice")
    file = os.path.join(root, ".record/nvidia-smi.xml")
    with open(file, encoding="utf-8") as source:
        text = source.read()
    gpu = text[text.index("<gpu id"):text.index("</gpu>") + len("</gpu>")]
    with open(file, "w", encoding="utf-8") as out:
        out.write(text.replace(gpu, gpu + gpu))
    run = Run("check", "--root", root, "--format", "json")
    suite.equal(run.status, 1, run)
    suite.equal(len([f for f in run.json()["findings"] if f["severity"] == "error"]), 1, "findings")


def said_twice_by_snapshot(suite):
    facts = snapshot(suite, OLD_GPU)
    for table in ("host", "framework"):
        twice = json.loads(json.dumps(facts))
        twice["tables"][table] *= 2
        file = suite.write("twice.json", json.dumps(twice))
        run = Run("check", "--facts", file, "--format", "json")
        suite.expect(run.status in (1, 3), run)
        failed = run.json()["failed_rules"]
        suite.expect(failed and run.err.count("\n") == len(failed), run)
        suite.expect(all("twice" in f["error"] or "two rows" in f["error"] for f in failed), run)


def said_twice_by_caller(suite):
    once = Run("check", "--root", suite.machine(OLD_GPU), "--require", "torch")
    twice = Run("check", "--root", suite.machine(OLD_GPU), *["--require", "torch"] * 2,
                "--require", "TORCH")
    suite.equal(twice.status, once.status, twice)
    suite.equal(twice.out, once.out, "required twice")


def closed_streams(suite):
    """No file takes the place of a closed stream, and no message goes into one."""
    def start(line):
        return subprocess.run(["sh", "-c", line, "sh", GPUDOCTOR, suite.machine(OLD_GPU), report],
                              env=environment(), capture_output=True, check=False, timeout=60)
    report = suite.path("report.json")
    suite.equal(start('"$1" check --root "$2" >&-').returncode, 3, "closed output")
    suite.equal(start('"$1" check --root "$2" --format json -o "$3" <&- >&- 2>&-').returncode, 1,
                "closed streams")
    with open(report, encoding="utf-8") as file:
        suite.equal(json.load(file)["summary"]["error"], 1, "report")


Suite().run([large_machine, many_environments, much_is_missing, a_rule_that_fails,
             said_twice_by_driver, said_twice_by_snapshot, said_twice_by_caller, closed_streams])
