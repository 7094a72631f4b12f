"""GNUBG Match ID: 12 characters, base64 of 72 bits.

Source: https://www.gnu.org/software/gnubg/manual/html_node/
A-technical-description-of-the-Match-ID.html, which leaves out bit 66: set unless money is
played with the Jacoby rule (gnubg 1.07 does so).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.formats.ids.bits import coded, decoded
from engine.formats.ids.position_id import parse_position_id, position_id
from engine.formats.ids.snapshot import GameStage, Snapshot
from engine.formats.model.errors import InvalidId
from engine.position import Position, Side

_BYTES: Final = 9
_FIELDS: Final = (
    *(("cube_log", 4), ("owner", 2), ("on_roll", 1), ("crawford", 1), ("stage", 3)),
    *(("to_act", 1), ("doubled", 1), ("resigned", 2), ("first", 3), ("second", 3)),
    *(("length", 15), ("score_0", 15), ("score_1", 15), ("no_jacoby", 1)),
)
_OWNERS: Final = {0: Side.LIGHT, 1: Side.DARK, 3: None}
_PLAYERS: Final = (Side.LIGHT, Side.DARK)


def match_id(state: Snapshot) -> str:
    """Everything in `state` except the position."""
    # The larger die first: gnubg 1.07 does so in whatever order they were rolled.
    first, second = sorted(state.dice or (0, 0), reverse=True)
    values = {
        "cube_log": state.cube_log,
        "owner": next(bits for bits, side in _OWNERS.items() if side is state.owner),
        "on_roll": _PLAYERS.index(state.on_roll),
        "crawford": state.is_crawford,
        "stage": state.stage,
        "to_act": _PLAYERS.index(state.decider),
        "doubled": state.is_doubled,
        "resigned": state.resigned,
        "first": first,
        "second": second,
        "length": state.length,
        "score_0": state.score[0],
        "score_1": state.score[1],
        "no_jacoby": state.length > 0 or not state.has_jacoby,
    }
    number, shift = 0, 0
    for name, width in _FIELDS:
        number |= int(values[name]) << shift
        shift += width
    return coded(number, _BYTES)


def gnubg_ids(state: Snapshot) -> tuple[str, str]:
    """The Position ID and the Match ID of `state`."""
    return position_id(state.position, state.on_roll), match_id(state)


def parse_gnubg_ids(position: str, match: str) -> Snapshot:
    """The state that the two IDs describe together; raises `InvalidId`, naming the wrong field."""
    state = parse_match_id(match)
    return replace(state, position=parse_position_id(position, state.on_roll))


def parse_match_id(text: str) -> Snapshot:
    """The state, with an empty board; raises `InvalidId`, which names the wrong field."""
    number = decoded(text, _BYTES, "Match ID")
    fields: dict[str, int] = {}
    for name, width in _FIELDS:
        fields[name] = number & ((1 << width) - 1)
        number >>= width
    if number:
        raise InvalidId(f"{text!r} is not a Match ID: bits after the last field are set")
    return _state(fields, text)


def _state(fields: dict[str, int], text: str) -> Snapshot:
    if fields["owner"] not in _OWNERS or fields["stage"] > GameStage.DROPPED:
        raise InvalidId(f"{text!r} is not a Match ID: impossible cube owner or stage")
    return Snapshot(
        position=_NO_CHECKERS,
        on_roll=_PLAYERS[fields["on_roll"]],
        dice=_dice(fields, text),
        cube=1 << fields["cube_log"],
        owner=_OWNERS[fields["owner"]],
        is_doubled=bool(fields["doubled"]),
        to_act=_PLAYERS[fields["to_act"]],
        resigned=fields["resigned"],
        stage=GameStage(fields["stage"]),
        length=fields["length"],
        score=(fields["score_0"], fields["score_1"]),
        is_crawford=bool(fields["crawford"]),
        has_jacoby=not fields["no_jacoby"] and fields["length"] == 0,
    )


def _dice(fields: dict[str, int], text: str) -> tuple[int, int] | None:
    dice = fields["first"], fields["second"]
    if dice == (0, 0):
        return None
    if 0 in dice or 7 in dice:
        raise InvalidId(f"{text!r} is not a Match ID: its dice show {dice[0]} and {dice[1]}")
    return dice


_NO_CHECKERS: Final = Position((15, *(0,) * 25), (15, *(0,) * 25))
