#!/usr/bin/env python3
"""Much of everything: a server with eight GPUs and many environments, things said twice, and closed
standard streams."""

import json
import os
import subprocess

from harness import GPUDOCTOR, Run, Suite, environment

OLD_GPU = "gtx1050-torch-cu128"  # its torch has no code for its GPU
VENV = "/home/user/venv"
GPUS, ENVIRONMENTS = 8, 20


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
        run = Run("check", "--facts", file)
        suite.equal(run.status, 2, run)
        suite.equal(run.out, "", run)
        suite.expect(run.err.startswith(f"gpudoctor: {file}: ") and run.err.count("\n") == 1, run)


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


Suite().run([large_machine, said_twice_by_driver, said_twice_by_snapshot, said_twice_by_caller,
             closed_streams])
