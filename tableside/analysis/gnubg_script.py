"""What GNU Backgammon runs for `program_evaluator`: it evaluates the boards that come line by line.

Only GNU Backgammon's own Python can run it; the module `gnubg` exists nowhere else.
"""

from __future__ import annotations

import json
import sys

import gnubg

gnubg.command("set threads 2")  # with one, it waits 10 ms for every evaluation (1.07)
CUBE = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
print("= ready", flush=True)
for line in sys.stdin:
    boards, plies = json.loads(line)
    depth = gnubg.evalcontext(0, plies, 1, 0, 0.0)
    found = [gnubg.evaluate(tuple(map(tuple, board)), CUBE, depth)[:5] for board in boards]
    print("= " + json.dumps(found), flush=True)
