"""What an installation compiles: everything, so that nothing waits for it later."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.paths import ROOT

KERNELS = """
import importlib, pkgutil
from numba.core.registry import CPUDispatcher
from tableside.bench.compiled import compile_all

compile_all()
kernels = set()
for package in ("engine", "calibration", "hardware", "vision", "webui", "tableside"):
    folder = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(folder, package + "."):
        # No program imports what trains the networks; what is in the last three would run.
        name = module.name
        runs = name.endswith(("__main__", ".gnubg_script", ".migrations.env"))
        if not name.startswith("vision.training") and not runs:
            found = vars(importlib.import_module(module.name)).values()
            kernels |= {one for one in found if isinstance(one, CPUDispatcher)}

def called(kernel):
    code, names = kernel.py_func.__code__, kernel.py_func.__globals__
    used = (names.get(name) for name in code.co_names)
    return {one for one in used if isinstance(one, CPUDispatcher)}

# A kernel loaded with its machine code does not load those that are compiled into it.
covered = {kernel for kernel in kernels if kernel.signatures}
while more := {one for kernel in covered for one in called(kernel)} - covered:
    covered |= more
print(len(kernels))
print(*sorted(one.py_func.__module__ + "." + one.py_func.__name__ for one in kernels - covered))
"""
USES = """
import sys
import numpy as np
import samples
from engine import Roll, Side, legal_plays
from engine.fairness.findings import analyse_log
from engine.fairness.rolls import simple_log
from engine.rules import VARIANTS
from tableside import cli

for rules in VARIANTS.values():
    for roll in (Roll(6, 5), Roll(4, 4)):
        legal_plays(rules.opening(), Side.DARK, roll, rules)
analyse_log(simple_log([1, 2, 3] * 100, throw=np.arange(300) // 2))
assert cli.main(["transcribe", str(samples.CLIP), "--out", sys.argv[1]]) == 0
"""


def run(program, *arguments, **environment):
    made = subprocess.run(
        [sys.executable, *program, *arguments],
        check=True, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment},
    )  # fmt: skip
    return made.stdout.splitlines()


def test_no_kernel_is_left_out():
    count, missing = run(["-c", KERNELS])
    assert int(count) > 40
    assert missing == ""


@pytest.mark.slow
def test_after_it_nothing_is_compiled_by_rolls_dice_and_a_whole_clip(tmp_path):
    cache = tmp_path / "cache"
    run(["-m", "tableside.bench.compiled"], NUMBA_CACHE_DIR=str(cache))
    compiled = set(cache.rglob("*.nbc"))
    run(["-c", USES], str(tmp_path / "out"), NUMBA_CACHE_DIR=str(cache))
    assert sorted(one.name for one in set(cache.rglob("*.nbc")) - compiled) == []
