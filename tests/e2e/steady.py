#!/usr/bin/env python3
"""The same machine gives the same facts and findings, byte for byte, however its threads go."""

import os

from harness import Run, Suite

# Frameworks by the handful, findings, device code, a symbol that is missing.
MACHINES = ("vllm-cu13-torch-cu126", "jax-hpcsdk-shadows-nvjitlink", "torchvision-for-older-torch")
RUNS = 50


def on_one_processor():
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def repeated(suite):
    root = suite.machine(MACHINES[0])
    outs = {Run("check", "--format", "json", "--root", root).out for _ in range(RUNS)}
    suite.equal(len(outs), 1, f"different findings of {RUNS} runs")
    suite.expect(all('"findings"' in out for out in outs), "no findings were written")


def one_processor_or_many(suite):
    for name in MACHINES:
        root = suite.machine(name)
        for command in ("check", "facts"):
            words = (command, "--format", "json", "--root", root)
            alone, beside = Run(*words, preexec_fn=on_one_processor), Run(*words)
            suite.equal(alone.status, beside.status, f"{name}: status of {command}")
            suite.expect(alone.out == beside.out and alone.out, f"{name}: {command} differs")


Suite().run([repeated, one_processor_or_many])
