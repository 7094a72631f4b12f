"""How many threads the program uses, before anyone can count them."""

import os
import subprocess
import sys


def test_small_matrices_are_multiplied_by_one_thread_unless_somebody_wants_more():
    program = "import sys, os, tableside; print('numpy' in sys.modules, os.environ[sys.argv[1]])"
    name = "OPENBLAS_NUM_THREADS"
    without = {key: value for key, value in os.environ.items() if key != name}

    def said(environment: dict[str, str]) -> str:
        command = [sys.executable, "-c", program, name]
        done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
        return done.stdout.strip()

    assert said(without) == "False 1"
    assert said({**without, name: "4"}) == "False 4"
