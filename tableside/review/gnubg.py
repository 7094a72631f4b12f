"""GNU Backgammon's verdict on a match: run in the background, kept beside the record.

gnubg reads our SGF without the names, analyses it and saves it again; the equities of each
play's candidates stand in that file, the figures of the players in what it prints. It runs in a
folder of its own, so that neither its settings nor the user's are touched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from engine.errors import EngineError
from engine.formats.sgf.syntax import Node, read_trees
from engine.play import Move, Play
from engine.position import BAR, OFF, Side
from tableside.errors import NoAnalysis
from webui.contracts.archive import AnalysisResult, PlayerStatistics, TurnStatistics

SECONDS: Final = 900.0
"""Within which a match is analysed, or else it is given up; a long one takes about a minute."""
GET_IT: Final = (
    "GNU Backgammon is not on this machine: `sudo apt install gnubg` on Debian and Ubuntu, "
    "gnu.org/software/gnubg for other systems; then reload this page."
)
MARKS: Final = ((0.16, "very bad"), (0.08, "bad"), (0.04, "doubtful"))
"""gnubg's own thresholds of equity lost."""
_NAMES: Final = ("gnubg", "gnubg-cli")
_FOLDERS: Final = ("/usr/games", r"C:\Program Files (x86)\gnubg", r"C:\Program Files\gnubg")
_COMMANDS: Final = """\
set confirm new off
load match given.sgf
analyse match
show statistics match
save match saved.sgf
quit
y
"""
_CANDIDATE: Final = re.compile(r"([a-z]*) E(?: \S+){2}(?: -?[0-9.]+){5} (-?[0-9.]+) ")
_ROLLED: Final = re.compile(r"[1-6]{2}")
_COLOURS: Final = (("W", Side.LIGHT), ("B", Side.DARK))
_GAP: Final = r"\s+([+-]?\d+\.\d+)(?:\s*\([^)]*\))?"


def find_engine() -> str | None:
    """The program on this machine; None if it is not there."""
    path = os.pathsep.join((os.environ.get("PATH", ""), *_FOLDERS))
    return next((found for name in _NAMES if (found := shutil.which(name, path=path))), None)


class GnubgRun:
    """One run of gnubg over a match, which can be stopped from another thread."""

    def __init__(self, program: str, seconds: float = SECONDS) -> None:
        self._program, self._seconds = program, seconds
        self._process: subprocess.Popen[str] | None = None
        self._is_stopped = False

    def figures(self, sgf: str, turns: Sequence[Sequence[int]]) -> AnalysisResult:
        """What gnubg says of the match; `NoAnalysis` tells in one line why it says nothing.

        turns: for each game of `sgf`, the numbers of its turns in their order.
        """
        with tempfile.TemporaryDirectory(prefix="tableside-") as name:
            folder = Path(name)
            (folder / "given.sgf").write_text(sgf, "utf-8")
            said = self._said(folder)
            saved = folder / "saved.sgf"
            if not saved.exists():
                raise NoAnalysis("gnubg could not read the match")
            return _figures(said, saved.read_text("utf-8", errors="replace"), sgf, turns)

    def stop(self) -> None:
        """Nobody waits for it any more."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    def _said(self, folder: Path) -> str:
        environment = {**os.environ, "HOME": str(folder), "LC_ALL": "C", "LANGUAGE": "C"}
        try:
            self._process = subprocess.Popen(
                [self._program, "-t", "-q", "-r"],
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                creationflags=_calm_flags(),
            )
            with self._process as process:
                return self._answer(process)
        except OSError as error:
            raise NoAnalysis(f"gnubg cannot be run: {error.strerror}") from error

    def _answer(self, process: subprocess.Popen[str]) -> str:
        _make_calm(process.pid)
        try:
            if self._is_stopped:
                process.kill()
            return process.communicate(_COMMANDS, timeout=self._seconds)[0]
        except subprocess.TimeoutExpired as error:
            process.kill()
            minutes = f"{self._seconds / 60:.0f} minutes"
            raise NoAnalysis(f"gnubg was not done after {minutes}") from error


def _calm_flags() -> int:
    return int(getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0))


def _make_calm(process: int) -> None:
    """A board may be watched on the same machine: that goes first."""
    if sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, process, 10)


def _figures(said: str, saved: str, sgf: str, turns: Sequence[Sequence[int]]) -> AnalysisResult:
    totals = list(_players(said))
    if len(totals) != 2:
        raise NoAnalysis("gnubg's answer could not be understood")
    try:
        analysed, given = read_trees(saved), read_trees(sgf)
    except EngineError as error:
        raise NoAnalysis("gnubg's file could not be understood") from error
    told: list[TurnStatistics] = []
    for numbers, answer, asked in zip(turns, analysed, given, strict=False):
        told.extend(_game(numbers, answer, asked))
    version = re.search(r"GNU Backgammon [0-9.]+", said)
    engine = version[0] if version else "GNU Backgammon"
    return AnalysisResult(engine=engine, light=totals[0], dark=totals[1], turns=told)


def _players(said: str) -> Iterator[PlayerStatistics]:
    """Light's and dark's figures of the whole match, from what `show statistics` prints."""
    overall = said[said.rfind("Overall statistics") :]
    luck = said[said.rfind("Luck statistics") :]
    rates = re.search(r"Error rate \S+ \([^)]*\)" + 2 * _GAP, overall)
    errors = re.search(r"Error total \S+ \([^)]*\)" + 2 * _GAP, overall)
    lucks = re.search(r"Luck total \S+ \([^)]*\)" + 2 * _GAP, luck)
    words = re.search(r"Overall rating\s{2,}(\S.*?)\s{2,}(\S.*?)\s*$", overall, re.MULTILINE)
    if rates is None or errors is None:
        return
    for column in (1, 2):
        yield PlayerStatistics(
            error_rate=abs(float(rates[column])),
            error_total=abs(float(errors[column])),
            luck=float(lucks[column]) if lucks else 0.0,
            rating=words[column] if words else "",
        )


def _game(
    numbers: Sequence[int], analysed: list[Node], given: list[Node]
) -> Iterator[TurnStatistics]:
    """The plays of a game; it ends where gnubg's file no longer tells the plays that it got."""
    answers = (node for node in analysed if _played(node) is not None)
    asked = (node for node in given if _played(node) is not None or node.values("DI"))
    for number, node in zip(numbers, asked, strict=False):
        played = _played(node)
        if played is None:
            continue  # a play that SGF has no word for: its board was set
        answer = next(answers, None)
        told = None if answer is None else _played(answer)
        if answer is None or told is None or told[:2] != played[:2]:
            return
        figures = _turn(number, answer, played[0])
        if figures is not None:
            yield figures


def _played(node: Node) -> tuple[Side, str, str] | None:
    """Who rolled what in a node, and the letters of the play; None if nobody did."""
    for colour, side in _COLOURS:
        value = node.value(colour)
        if _ROLLED.match(value):
            return side, "".join(sorted(value[:2])), value[2:]
    return None


def _turn(number: int, node: Node, side: Side) -> TurnStatistics | None:
    choice, *candidates = node.values("A") or ("",)
    read = [found for text in candidates if (found := _CANDIDATE.match(text))]
    if not choice.isdecimal() or not int(choice) < len(read) == len(candidates):
        return None
    loss = max(0.0, float(read[0][2]) - float(read[int(choice)][2]))
    luck = node.value("LU")
    return TurnStatistics(
        turn=number,
        loss=round(loss, 4),
        best=_notation(read[0][1], side),
        luck=float(luck) if re.fullmatch(r"-?\d+\.\d+", luck) else None,
        mark=_mark(loss),
    )


def _mark(loss: float) -> Any:
    return next((word for least, word in MARKS if loss >= least), "")


def _notation(letters: str, side: Side) -> str:
    """`fdhd` as `8/4 6/4`, each side by its own numbers."""
    places = [_place(letter, side) for letter in letters]
    ends = list(pairwise(places))[::2]
    return str(Play(tuple(Move(source, target) for source, target in ends)))


def _place(letter: str, side: Side) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    point = ord(letter) - ord("a") + 1
    return point if side is Side.LIGHT else BAR - point
