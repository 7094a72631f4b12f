"""XGID: ten fields separated by colons, always from the view of the bottom player (ours: dark).

Source: https://www.extremegammon.com/xgformat.aspx#id
"""

from __future__ import annotations

import re
from typing import Final

from engine.dice import Roll, as_dice
from engine.formats.ids.position_id import checked_position
from engine.formats.ids.snapshot import Snapshot
from engine.formats.model.board import position_from_counts, signed_counts
from engine.formats.model.errors import InvalidId, NotInFormat
from engine.position import BAR, Course, Position, Side

_PREFIX: Final = "XGID="
_CELLS: Final = re.compile(r"[-A-Oa-o]{26}")
_NUMBER: Final = re.compile(r"-?[0-9]{1,5}")
_SIGNS: Final = {1: Side.DARK, 0: None, -1: Side.LIGHT}
_NAMES: Final = (
    *("cube", "cube position", "turn", "dice", "score of the bottom player"),
    *("score of the top player", "Crawford or Jacoby", "length", "largest cube"),
)
_MAX_XGID_CHARACTERS: Final = 120


def xgid(
    state: Snapshot | Position, on_roll: Side = Side.DARK,
    dice: Roll | str | tuple[int, int] | None = None, *,
    cube: int = 1, owner: Side | None = None, length: int = 0, score: tuple[int, int] = (0, 0),
    is_crawford: bool = False,
) -> str:  # fmt: skip
    """`state` as XG writes it; raises `NotInFormat` for narde.

    The other arguments complete a position: by default, dark is to roll in a money game.
    """
    if isinstance(state, Position):
        rolled = None if dice is None else as_dice(dice)
        state = Snapshot(
            state, on_roll, rolled, cube, owner, length=length, score=score, is_crawford=is_crawford
        )
    rule = int(state.is_crawford) if state.length else state.has_jacoby + 2 * state.has_beavers
    fields = (
        xg_cells(state.position, Side.DARK),
        *(state.cube_log, _sign(state.owner), _sign(state.on_roll), _dice_text(state)),
        *(state.score[1], state.score[0], rule, state.length, state.most_cube_log),
    )
    return _PREFIX + ":".join(str(field) for field in fields)


def parse_xgid(text: str) -> Snapshot:
    """The state that an XGID describes; raises `InvalidId`, which names the wrong field.

    The prefix may be omitted, and so may the fields after the dice, as in XG itself.
    """
    if not isinstance(text, str) or len(text) > _MAX_XGID_CHARACTERS:
        raise InvalidId(f"an XGID has ten fields between colons, not {str(text)[:40]!r}")
    cells, *rest = text.strip().removeprefix(_PREFIX).split(":")
    if not 4 <= len(rest) <= len(_NAMES):
        raise InvalidId(f"an XGID has ten fields between colons, not {len(rest) + 1}: {text!r}")
    return _state(parse_xg_cells(cells, Side.DARK), dict(zip(_NAMES, rest, strict=False)))


def _state(position: Position, fields: dict[str, str]) -> Snapshot:
    turn = _side(fields, "turn")
    if turn is None:
        raise InvalidId("the turn of an XGID must be 1 or -1")
    length, rule = _number(fields, "length", 0), _number(fields, "Crawford or Jacoby", 0)
    if not 0 <= rule <= (1 if length else 3):
        raise InvalidId(f"in an XGID, Crawford is 0 or 1, Jacoby and beavers 0 to 3, not {rule}")
    dice = fields["dice"]
    return Snapshot(
        position=position,
        on_roll=turn,
        dice=_parse_dice(dice),
        cube=1 << _small(fields, "cube"),
        owner=_side(fields, "cube position"),
        is_doubled=dice in {"D", "B", "R"},
        to_act=turn if dice == "B" else None,
        length=length,
        score=(
            _number(fields, "score of the top player", 0),
            _number(fields, "score of the bottom player", 0),
        ),
        is_crawford=length > 0 and rule == 1,
        has_jacoby=length == 0 and bool(rule & 1),
        has_beavers=length > 0 or bool(rule & 2),
        most_cube_log=_small(fields, "largest cube", 10),
    )


def xg_cells(position: Position, below: Side) -> str:
    """The 26 letters: index 0 is the upper bar, 1..24 the points of `below`, 25 its bar."""
    if position.course is not Course.OPPOSED:
        raise NotInFormat("XG does not support narde")
    return "".join(map(_cell, signed_counts(position, below)))


def _cell(count: int) -> str:
    if count == 0:
        return "-"
    return chr(ord("A") + count - 1) if count > 0 else chr(ord("a") - count - 1)


def parse_xg_cells(text: str, below: Side) -> Position:
    """The inverse of `xg_cells`; raises `InvalidId`, which says which cell is wrong."""
    if _CELLS.fullmatch(text) is None:
        raise InvalidId(f"an XGID has 26 places of -, A-O or a-o, not {text[:40]!r}")
    counts = [_count(cell) for cell in text]
    if counts[0] > 0 or counts[BAR] < 0:
        raise InvalidId(f"in {text!r} a player has checkers on the opponent's bar")
    return checked_position(lambda: position_from_counts(counts, below), text)


def _count(cell: str) -> int:
    if cell == "-":
        return 0
    return ord(cell) - ord("A") + 1 if cell.isupper() else ord("a") - ord(cell) - 1


def _sign(side: Side | None) -> int:
    return next(sign for sign, named in _SIGNS.items() if named is side)


def _dice_text(state: Snapshot) -> str:
    if state.is_doubled:
        return "B" if state.decider is state.on_roll else "D"
    return "".join(str(die) for die in state.dice or (0, 0))


def _parse_dice(text: str) -> tuple[int, int] | None:
    if text in {"00", "D", "B", "R"}:
        return None
    if re.fullmatch("[1-6][1-6]", text) is None:
        raise InvalidId(f"the dice of an XGID are two digits, D, B or R, not {text[:20]!r}")
    return int(text[0]), int(text[1])


def _number(fields: dict[str, str], name: str, default: int) -> int:
    text = fields.get(name, str(default))
    if _NUMBER.fullmatch(text) is None:
        raise InvalidId(f"the {name} of an XGID must be a number, not {text[:20]!r}")
    return int(text)


def _small(fields: dict[str, str], name: str, default: int = 0) -> int:
    number = _number(fields, name, default)
    if not 0 <= number <= 15:
        raise InvalidId(f"the {name} of an XGID must be an exponent from 0 to 15, not {number}")
    return number


def _side(fields: dict[str, str], name: str) -> Side | None:
    number = _number(fields, name, 0)
    if number not in _SIGNS:
        raise InvalidId(f"the {name} of an XGID must be 1, 0 or -1, not {number}")
    return _SIGNS[number]
