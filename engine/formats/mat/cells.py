"""The cells of a `.mat` row, in the wording of every program that writes them.

A row is searched for the beginnings of cells, a roll or a word, rather than cut at columns: a long
left cell may leave no blank before the right one, and one line may contain two rows. The blanks
before a lone cell show its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.errors import InvalidNotation
from engine.formats.model.match_file import CubeAction
from engine.message import msg
from engine.play import Move
from engine.position import BAR, OFF, Side

_CELL: Final = re.compile(
    r"(?P<dice>[0-9][0-9]):(?P<snowie>\s*Illegal play\s*\((?P<board>[^)]*)\)?)?"
    r"|(?P<offer>Redoubles|Doubles|Beavers|Raccoons)(?:\s*={1,2}>\s*(?P<value>[0-9]{1,6}))?"
    r"|(?P<answer>Takes|Accepts|Drops|Passes|Rejects)\b"
    r"|(?P<end>Wins|Losses)\s+(?P<points>[0-9]{1,6})\s+points?(?:\s+and\s+the\s+match)?"
    r"|(?P<resigns>Resign(?:s|ed)?)\b(?:\s+(?:normal|gammon|backgammon|game|match)\b)?",
    re.IGNORECASE,
)
_OFFERS: Final = {
    "doubles": CubeAction.DOUBLE, "redoubles": CubeAction.DOUBLE,
    "beavers": CubeAction.BEAVER, "raccoons": CubeAction.RACCOON,
}  # fmt: skip
_ANSWERS: Final = {
    "takes": CubeAction.TAKE, "accepts": CubeAction.TAKE,
    "drops": CubeAction.DROP, "passes": CubeAction.DROP, "rejects": CubeAction.DROP,
}  # fmt: skip
_PLACE: Final = r"(?:bar|off|2[0-5]|1[0-9]|[0-9])\*?"
_MOVE: Final = re.compile(rf"({_PLACE}(?:/{_PLACE})+)(?:\(([1-4])\))?")
_PLACES: Final = {"bar": BAR, "off": OFF, **{str(place): place for place in range(BAR + 1)}}
_RIGHT_AFTER: Final = 9
"""Blanks after the row number that put a lone cell in the right column; the left has one or two."""
_NOT_ROLLED: Final = "00"
"""Backgammon Studio's dice of a player who resigned instead of rolling."""
MAX_PLAY_MOVES: Final = 24
"""Moves in one play: in crazy narde, a double of ones is played up to the sixes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a row."""

    side: Side
    dice: str = ""
    moves: str = ""
    """The text following the dice."""
    board: str | None = None
    """Snowie's brackets after an illegal play."""
    cube_action: CubeAction | None = None
    value: int = 0
    wins: int | None = None
    """Points won by `side`."""
    losses: int | None = None
    """Points lost by `side`, who resigned."""


def cells(text: str) -> Iterator[Cell | str]:
    """The cells of a row without its number; unrecognized text is returned unchanged."""
    found = list(_CELL.finditer(text))
    first = found[0].start() if found else len(text)
    if text[:first].strip():
        yield text[:first].strip()
    if not found:
        return
    ends = [match.start() for match in found[1:]] + [len(text)]
    for index, (match, end) in enumerate(zip(found, ends, strict=True)):
        is_right = index > 0 or match.start() >= _RIGHT_AFTER
        if index > 1:
            yield f"a third cell in one row: {match.group()}"
            return
        yield from _cell(match, Side.DARK if is_right else Side.LIGHT, text[match.end() : end])


def _cell(match: re.Match[str], side: Side, rest: str) -> Iterator[Cell | str]:
    rest = rest.strip()
    if match["dice"] == _NOT_ROLLED:
        rest = rest.strip("?")
    elif match["dice"]:
        yield Cell(side, dice=match["dice"], moves=rest, board=match["board"])
        return
    if match["offer"]:
        cube_action = _OFFERS[match["offer"].lower()]
        yield Cell(side, cube_action=cube_action, value=int(match["value"] or 0))
    elif match["answer"]:
        yield Cell(side, cube_action=_ANSWERS[match["answer"].lower()])
    elif match["end"]:
        points = int(match["points"])
        has_won = match["end"].lower() == "wins"
        yield Cell(side, wins=points) if has_won else Cell(side, losses=points)
    if rest:
        yield rest


def parse_moves(text: str) -> tuple[Move, ...]:
    """The moves of a play in the order written; raises `InvalidNotation`, naming what is wrong.

    Chains and repeats become single moves. A backward move is read too: what was played is
    recorded, right or wrong. `0/0`, a die for which no checker is left, is no move.
    """
    if text.lower() in {"", "cannot move", "(no play)"}:
        return ()
    moves: list[Move] = []
    at = 0
    lowered = text.lower()
    for match in _MOVE.finditer(lowered):
        if lowered[at : match.start()].strip():
            break
        at = match.end()
        stops = [_stop(part) for part in match[1].split("/")]
        for _ in range(int(match[2] or 1)):
            moves += [Move(a, b, hit) for (a, _), (b, hit) in pairwise(stops)]
    if lowered[at:].strip():
        strip = repr(text[at:].strip()[:40])
        raise InvalidNotation(msg("cannot read {strip} as moves such as 13/7 8/5", strip=strip))
    if len(moves) > MAX_PLAY_MOVES:
        raise InvalidNotation(msg("{moves} moves are too many for one play", moves=len(moves)))
    return tuple(_checked(move) for move in moves if (move.source, move.target) != (OFF, OFF))


def _stop(text: str) -> tuple[int, bool]:
    return _PLACES[text.rstrip("*")], text.endswith("*")


def _checked(move: Move) -> Move:
    if move.source == OFF or move.target in {BAR, move.source}:
        raise InvalidNotation(msg("no checker can make the move {move}", move=str(move)))
    return move
