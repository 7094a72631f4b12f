"""Match files of XG and BGBlitz, built from their layouts."""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from engine import Side
from engine.formats.model.board import signed_counts
from engine.formats.model.match_file import CubeAction, CubeMove, MatchFile, RollAction
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import replay
from engine.play import Move

NUMBERS = {Side.LIGHT: 1, Side.DARK: -1}
XG_RECORD = 2560
_ANSWERS = {CubeAction.DROP: 0, CubeAction.TAKE: 1, CubeAction.BEAVER: 2, CubeAction.RACCOON: 2}


def xg_file(records: Sequence[bytes], picture: bytes = b"") -> bytes:
    """The header, a picture, the copy of two records, and the records."""
    head = struct.pack("<4siiqi", b"RGMH", 1, 8232, 0, len(picture)).ljust(8232, b"\0")
    ends = zlib.compress(records[0] + records[-1])
    return head + picture + ends + zlib.compress(b"".join(records)) + b"index"


def xg_record(kind: int, *fields: tuple[int, str, Any]) -> bytes:
    """A record with these fields: where, in which form, what."""
    raw = bytearray(XG_RECORD)
    raw[8] = kind
    for at, form, value in fields:
        values = value if isinstance(value, tuple | list) else (value,)
        struct.pack_into(f"<{form}", raw, at, *values)
    return bytes(raw)


def xg_head(players: tuple[str, str] = ("Ann", "Bob"), length: int = 7, **fields: Any) -> bytes:
    """The first record."""
    light, dark = (name.encode("utf-16-le") for name in players)
    return xg_record(
        0,
        (92, "i", length or 99999),
        (96, "i", fields.get("variation", 0)),
        (100, "2B", (fields.get("crawford", 1), fields.get("jacoby", 0))),
        (128, "d", fields.get("date", 46352.5)),
        (880, "258s", light),
        (1138, "258s", dark),
    )


def xg_of(match: MatchFile) -> bytes:
    """The match as XG writes it."""
    games = replay(match).games
    body = [record for game in games for record in _xg_game(game)]
    return xg_file([xg_head(match.players, match.length), *body, xg_record(5)])


def _xg_game(replayed: ReplayedGame) -> Iterator[bytes]:
    game = replayed.game
    assert replayed.start is not None
    yield xg_record(
        1,
        (12, "2i", game.score),
        (21, "26b", signed_counts(replayed.start, Side.LIGHT)),
        (48, "i", game.number),
        (64, "i", game.cube.bit_length() - 1),
    )
    steps = [*replayed.steps]
    for at, step in enumerate(steps):
        action = step.action
        if isinstance(action, CubeMove) and action.cube_action is CubeAction.DOUBLE:
            yield _xg_cube(action, steps[at + 1 :])
        elif isinstance(action, RollAction):
            yield _xg_move(step, action)
    if game.result is not None:
        yield xg_record(4, (24, "2i", (NUMBERS[game.result.winner], game.result.points)))


def _xg_cube(double: CubeMove, following: Sequence[ReplayedAction]) -> bytes:
    answers = [-1, -1, -1]
    for place, step in enumerate(following[:3]):
        action = step.action
        if not isinstance(action, CubeMove) or action.cube_action is CubeAction.DOUBLE:
            break
        answers[place] = _ANSWERS[action.cube_action]
        if not action.cube_action.is_offer:
            break
    return xg_record(2, (12, "5i", (NUMBERS[double.side], 1, *answers)))


def _xg_move(step: ReplayedAction, action: RollAction) -> bytes:
    assert action.roll is not None
    points = [point - 1 for move in action.moves or () for point in (move.source, move.target)]
    return xg_record(
        3,
        (9, "26b", signed_counts(step.before, Side.LIGHT)),
        (35, "26b", signed_counts(step.after, action.side)),
        (64, "i", NUMBERS[action.side]),
        (68, "8i", (*points, *[-1] * (8 - len(points)))),
        (100, "2i", (action.roll.high, action.roll.low)),
    )


def bgf_file(match: dict[str, Any], *, is_smile: bool = True, is_packed: bool = True) -> bytes:
    """The line of JSON and the match after it."""
    head = json.dumps({"format": "BGF", "version": "1.0", "compress": is_packed}).encode() + b"\n"
    body = smile(match) if is_smile else json.dumps(match).encode()
    return head + (gzip.compress(body, mtime=0) if is_packed else body)


def smile(value: Any) -> bytes:
    """The value in Smile, with shared names."""
    return b":)\n\x01" + _smile_value(value, {})


def _smile_value(value: Any, names: dict[str, int]) -> bytes:
    match value:
        case None | False | True | "":
            return {"": b"\x20", None: b"\x21", False: b"\x22", True: b"\x23"}[value]
        case int():
            return _smile_integer(value)
        case float():
            number = int.from_bytes(struct.pack(">d", value), "big")
            return b"\x29" + bytes(number >> 7 * at & 0x7F for at in reversed(range(10)))
        case str():
            text = value.encode()
            if len(text) > 64:
                return b"\xe4" + text + b"\xfc"
            start = 0x3F if value.isascii() else 0x7E
            return bytes([start + len(text)]) + text
        case list() | tuple():
            return b"\xf8" + b"".join(_smile_value(item, names) for item in value) + b"\xf9"
        case _:
            items = (_smile_name(name, names) + _smile_value(v, names) for name, v in value.items())
            return b"\xfa" + b"".join(items) + b"\xfb"


def _smile_integer(value: int) -> bytes:
    signed = value << 1 if value >= 0 else ~(value << 1)
    if signed < 32:
        return bytes([0xC0 + signed])
    digits = [0x80 | signed & 0x3F]
    signed >>= 6
    while signed:
        digits.append(signed & 0x7F)
        signed >>= 7
    return b"\x24" + bytes(reversed(digits))


def _smile_name(name: str, names: dict[str, int]) -> bytes:
    at = names.get(name)
    if at is None:
        names[name] = len(names)
        return bytes([0x7F + len(name)]) + name.encode()
    return bytes([0x40 + at]) if at < 64 else bytes([0x30 + (at >> 8), at & 0xFF])


def bgf_of(match: MatchFile) -> bytes:
    """The match as BGBlitz writes it, which knows no beavers and no set positions."""
    games = replay(match).games
    last = games[-1].game
    final = last.result.score_after(last.score) if last.result else last.score
    return bgf_file({
        "matchlen": match.length, "nameGreen": match.players[0], "nameRed": match.players[1],
        "finalGreen": final[0], "finalRed": final[1], "useCrawford": match.has_crawford,
        "useJacoby": False, "date": "2026.11.26", "site": "Zürich", "event": None, "rating": 0.25,
        "games": [_bgf_game(game) for game in games],
    })  # fmt: skip


def _bgf_game(replayed: ReplayedGame) -> dict[str, Any]:
    game = replayed.game
    assert replayed.start is not None
    counts = signed_counts(replayed.start, Side.LIGHT)
    turns = [_bgf_turn(step) for step in replayed.steps]
    end = _turn(Side.LIGHT, 4, 7)
    return {
        "scoreGreen": game.score[0], "scoreRed": game.score[1],
        "wonPoints": game.result.points if game.result else 0,
        "initial": {"cube": 1, "points": [*reversed(counts[1:25]), counts[25], -counts[0]]},
        "moves": [*turns, end],
    }  # fmt: skip


def _turn(side: Side, red: int, green: int, *moves: tuple[int, int]) -> dict[str, Any]:
    padded = (*moves, *[(-1, -1)] * 4)[:4]
    sources, targets = zip(*padded, strict=True)
    player = -NUMBERS[side]
    return {"red": red, "green": green, "player": player, "from": sources, "to": targets}


def _bgf_turn(step: ReplayedAction) -> dict[str, Any]:
    action = step.action
    if isinstance(action, CubeMove):
        code = {CubeAction.DOUBLE: 1, CubeAction.TAKE: 2, CubeAction.DROP: 3}[action.cube_action]
        return _turn(action.side, code, 7)
    assert isinstance(action, RollAction)
    assert action.roll is not None
    moves: tuple[Move, ...] = action.moves or ()
    if not moves:
        return _turn(action.side, 5, 7, (action.roll.high, action.roll.low))
    pairs = [(move.source, move.target) for move in moves]
    return _turn(action.side, action.roll.high, action.roll.low, *pairs)
