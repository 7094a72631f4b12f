"""Runs GNU Backgammon over a match and parses its analysis.

gnubg reads our SGF without names, analyzes it and saves it again. That file contains the equities
of each play's candidates; the players' statistics are in its output. It runs in a temporary folder
with its own home, so that no settings are touched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from engine.errors import EngineError
from engine.formats.sgf.syntax import Node, read_trees
from engine.message import join, msg
from engine.play import Move, Play
from engine.position import BAR, OFF, Side
from tableside.errors import NoAnalysis
from webui.contracts.archive import AnalysisResult, PlayerStatistics, TurnStatistics

TIME_LIMIT_S: Final = 900.0
"""Time limit for a match; a long one takes about a minute."""
NOT_INSTALLED: Final = join(
    [
        msg(
            "GNU Backgammon is not installed on this computer: `sudo apt install gnubg` on "
            "Debian and Ubuntu, gnu.org/software/gnubg for other systems"
        ),
        msg("then reload this page."),
    ]
)
Mark = Literal["", "doubtful", "bad", "very bad"]
MARKS: Final[tuple[tuple[float, Mark], ...]] = (
    (0.16, "very bad"), (0.08, "bad"), (0.04, "doubtful"),
)  # fmt: skip
"""gnubg's own thresholds of lost equity."""
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
_VALUE: Final = r"\s+([+-]?\d+\.\d+)(?:\s*\([^)]*\))?"


def find_engine() -> str | None:
    """The path of gnubg; None if it is not installed."""
    path = os.pathsep.join((os.environ.get("PATH", ""), *_FOLDERS))
    return next((found for name in _NAMES if (found := shutil.which(name, path=path))), None)


class GnubgRun:
    """One run of gnubg over a match, which can be stopped from another thread."""

    def __init__(self, program: str, seconds: float = TIME_LIMIT_S) -> None:
        self._program, self._seconds = program, seconds
        self._process: subprocess.Popen[str] | None = None
        self._is_stopped = False

    def figures(self, sgf: str, turns: Sequence[Sequence[int]]) -> AnalysisResult:
        """The analysis of the match; raises `NoAnalysis`, which says why there is none.

        turns: for each game of `sgf`, the numbers of its turns in order.
        """
        with tempfile.TemporaryDirectory(prefix="tableside-") as name:
            folder = Path(name)
            (folder / "given.sgf").write_text(sgf, "utf-8")
            output = self._output(folder)
            saved = folder / "saved.sgf"
            if not saved.exists():
                raise NoAnalysis(msg("gnubg could not read the match"))
            return _figures(output, saved.read_text("utf-8", errors="replace"), sgf, turns)

    def stop(self) -> None:
        """Kill the process; may be called from another thread."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    def _output(self, folder: Path) -> str:
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
                creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
            )
            with self._process as process:
                return self._answer(process)
        except OSError as error:
            raise NoAnalysis(
                msg("gnubg cannot be run: {error}", error=error.strerror or "")
            ) from error

    def _answer(self, process: subprocess.Popen[str]) -> str:
        if sys.platform != "win32":  # reading a board on the same machine takes precedence
            os.setpriority(os.PRIO_PROCESS, process.pid, 10)
        try:
            if self._is_stopped:
                process.kill()
            return process.communicate(_COMMANDS, timeout=self._seconds)[0]
        except subprocess.TimeoutExpired as error:
            process.kill()
            minutes = msg("{seconds} minutes", seconds=f"{self._seconds / 60:.0f}")
            raise NoAnalysis(
                msg("gnubg did not finish within {minutes}", minutes=minutes)
            ) from error


def _figures(output: str, saved: str, sgf: str, turns: Sequence[Sequence[int]]) -> AnalysisResult:
    totals = list(_players(output))
    if len(totals) != 2:
        raise NoAnalysis(msg("gnubg's answer could not be parsed"))
    try:
        analysed, given = read_trees(saved), read_trees(sgf)
    except EngineError as error:
        raise NoAnalysis(msg("gnubg's file could not be parsed")) from error
    found: list[TurnStatistics] = []
    for numbers, answer, question in zip(turns, analysed, given, strict=False):
        found.extend(_game(numbers, answer, question))
    version = re.search(r"GNU Backgammon [0-9.]+", output)
    engine = version[0] if version else "GNU Backgammon"
    return AnalysisResult(engine=engine, light=totals[0], dark=totals[1], turns=found)


def _players(output: str) -> Iterator[PlayerStatistics]:
    """Light's and dark's statistics for the whole match, from the output of `show statistics`."""
    overall = output[output.rfind("Overall statistics") :]
    luck = output[output.rfind("Luck statistics") :]
    rates = re.search(r"Error rate \S+ \([^)]*\)" + 2 * _VALUE, overall)
    errors = re.search(r"Error total \S+ \([^)]*\)" + 2 * _VALUE, overall)
    lucks = re.search(r"Luck total \S+ \([^)]*\)" + 2 * _VALUE, luck)
    ratings = re.search(r"Overall rating\s{2,}(\S.*?)\s{2,}(\S.*?)\s*$", overall, re.MULTILINE)
    if rates is None or errors is None:
        return
    for column in (1, 2):
        yield PlayerStatistics(
            error_rate=abs(float(rates[column])),
            error_total=abs(float(errors[column])),
            luck=float(lucks[column]) if lucks else 0.0,
            rating=ratings[column] if ratings else "",
        )


def _game(
    numbers: Sequence[int], analysed: list[Node], given: list[Node]
) -> Iterator[TurnStatistics]:
    """The plays of a game, as far as gnubg's file has the plays given to it."""
    answers = (node for node in analysed if _played(node) is not None)
    questions = (node for node in given if _played(node) is not None or node.values("DI"))
    for number, node in zip(numbers, questions, strict=False):
        played = _played(node)
        if played is None:
            continue  # SGF cannot express the play: its board was set
        answer = next(answers, None)
        analysed_play = None if answer is None else _played(answer)
        if answer is None or analysed_play is None or analysed_play[:2] != played[:2]:
            return
        figures = _turn(number, answer, played[0])
        if figures is not None:
            yield figures


def _played(node: Node) -> tuple[Side, str, str] | None:
    """The side, roll and letters of the play in a node; None if nobody rolled."""
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
        mark=next((mark for threshold, mark in MARKS if loss >= threshold), ""),
    )


def _notation(letters: str, side: Side) -> str:
    """`fdhd` as `8/4 6/4`, in the side's own numbering."""
    places = [_place(letter, side) for letter in letters]
    return str(Play(tuple(map(Move, places[::2], places[1::2]))))


def _place(letter: str, side: Side) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    point = ord(letter) - ord("a") + 1
    return point if side is Side.LIGHT else BAR - point
