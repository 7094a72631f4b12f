"""An installed GNU Backgammon as an `Engine`: it runs beside us and answers in 2-ply."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.arrays import Boards
from engine.message import msg
from engine.study.cubeful import (
    CubeEquities,
    CubeHolder,
    Stake,
    points_of,
    reversed_chances,
)
from engine.study.match_equity import CrawfordPhase
from tableside.analysis.ratings import CubeActions, Depth, Outlook, Rated, Rater
from tableside.errors import NoAnalysis

_NAMES: Final = ("gnubg", "gnubg-cli")
_FOLDERS: Final = ("/usr/games", r"C:\Program Files (x86)\gnubg", r"C:\Program Files\gnubg")
_SCRIPT: Final = Path(__file__).with_name("gnubg_script.py")
_SECONDS: Final = 20.0
"""To say which version it is."""
ENDED: Final = msg("gnubg has ended unexpectedly")


def find_program() -> str | None:
    """The path of GNU Backgammon; None if it is not installed."""
    path = os.pathsep.join((os.environ.get("PATH", ""), *_FOLDERS))
    return next((found for name in _NAMES if (found := shutil.which(name, path=path))), None)


@cache
def program_name(program: str) -> str:
    """Its name and version; raises `NoAnalysis` if it cannot be run."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoAnalysis(msg("gnubg cannot be run: {error}", error=str(error))) from error
    found = re.search(r"GNU Backgammon [0-9.]+", done.stdout)
    return found[0] if found else "GNU Backgammon"


class ProgramRater:
    """A `Rater` by GNU Backgammon's own cubeful search."""

    def __init__(self, ask: Callable[[dict[str, Any]], Any]) -> None:
        self._ask = ask

    def rate(self, boards: Boards, stake: Stake) -> Rated:
        """See `Rater`; 20 ms each."""
        return self._rated(boards, stake, is_deep=False)

    def rate_well(self, boards: Boards, stake: Stake) -> Rated:
        """See `Rater`."""
        return self._rated(boards, stake, is_deep=True)

    def _rated(self, boards: Boards, stake: Stake, *, is_deep: bool) -> Rated:
        points = points_of(boards)
        final = np.minimum(points, 1) if not stake.counts_gammons else points
        equities = stake.normalized(
            np.array([stake.utility(int(times) * stake.value) for times in final])
        )
        chances = np.zeros((len(boards), 5))
        for column in range(3):
            chances[points > column, column] = 1
        goes_on = points == 0
        if goes_on.any():
            # It is the other's turn; the answer is the other's too.
            others = [_board(board[::-1]) for board in boards[goes_on]]
            found = self._ask({"boards": others, "stake": _stake(stake.reversed), "deep": is_deep})
            equities[goes_on] = [-equity for equity, _ in found]
            chances[goes_on] = reversed_chances(np.array([ahead for _, ahead in found]))
        return Rated(equities, chances)

    def cube(self, board: Boards, stake: Stake, depth: Depth = Depth.CUBE) -> CubeActions:
        """See `Rater`."""
        asked = {"board": _board(board), "stake": _stake(stake), "other": _stake(stake.reversed)}
        (kept, taken, dropped), chances, by_roll = self._ask(asked)
        if not stake.has_access:
            taken = dropped = -np.inf
        won = np.array([1.0 if equity is None else equity for equity in by_roll])
        equities = CubeEquities(*(np.array([value]) for value in (kept, taken, dropped)))
        return CubeActions(equities, Outlook(won, np.array(chances)))


class ProgramEngine:
    """GNU Backgammon, with a home of its own."""

    def __init__(self, program: str) -> None:
        """Start the program; raises `NoAnalysis` if it does not come up."""
        self.name = program_name(program)
        self._home = tempfile.TemporaryDirectory(prefix="tableside-")
        environment = {**os.environ, "HOME": self._home.name, "LC_ALL": "C", "LANGUAGE": "C"}
        try:
            self._process = subprocess.Popen(
                [program, "-t", "-q", "-r", "-p", str(_SCRIPT)],
                cwd=self._home.name,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except OSError as error:
            self._home.cleanup()
            raise NoAnalysis(msg("gnubg cannot be run: {error}", error=str(error))) from error
        try:
            self._answer()
        except NoAnalysis:
            self.close()
            raise

    def rater(self, variant: str) -> Rater:
        """See `Engine`; the variants differ only in where they begin."""
        return ProgramRater(self.ask)

    def ask(self, question: dict[str, Any]) -> Any:
        """Its answer, see `gnubg_script`; raises `NoAnalysis` if it has ended."""
        assert self._process.stdin is not None, "it is a pipe"  # noqa: S101
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise NoAnalysis(ENDED) from error
        return json.loads(self._answer())

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()
        self._home.cleanup()

    def _answer(self) -> str:
        assert self._process.stdout is not None, "it is a pipe"  # noqa: S101
        for line in self._process.stdout:
            if line.startswith("= "):
                return line[2:]
        raise NoAnalysis(ENDED)


def _board(board: Boards) -> list[list[int]]:
    """The board as GNU Backgammon has it: the other player first, and no checkers borne off."""
    counts: list[list[int]] = board[::-1, 1:].tolist()
    return counts


def _stake(stake: Stake) -> list[Any]:
    """The arguments of the script's `stake_of`; the player on roll is 0."""
    owner = {CubeHolder.OWN: 0, CubeHolder.OTHER: 1}.get(stake.holder, -1)
    score = stake.score
    if score is None:
        return [stake.value, owner, 0, [0, 0], 0, int(stake.jacoby)]
    length = max(score.own, score.other)
    is_crawford = int(score.phase is CrawfordPhase.CRAWFORD)
    points = [length - score.own, length - score.other]
    return [stake.value, owner, length, points, is_crawford, 0]
