"""Match files of each format, broken in many ways: the input of tests that must survive them."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from dataclasses import replace

from engine.errors import EngineError
from engine.formats.detect import read_match
from engine.formats.json_text import json_text
from engine.formats.mat.write import mat_text
from engine.formats.model.match_file import CubeAction, CubeMove, MatchFile, RollAction
from engine.formats.model.unpack import unpack
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.replay import replay
from tests.binary_files import bgf_of, xg_of
from tests.match_files import RandomMatch

MIB = 2**20
WORDS = [
    *(b"Doubles => 2", b"Takes", b"Drops", b"Beavers => 4", b"Raccoons => 8", b"Wins 1 point"),
    *(b"Losses 3 points", b"62: Illegal play (", b"65: ", b"11: bar/1(4)", b" Game 2\n", b"????"),
    *(b"; Set Pos=", b"(;", b")", b"[", b"]", b"\\", b";W[double]", b";B[62]", b"AE[a:y]", b"\0"),
    *(b"AW[a][a]", b"DI[62]", b"\xff", b"99999", b"-1", b"25/0", b"3 point match\n", b"null"),
    *(b"[]", b"{}", b'"light"', b" 24) ", "٣".encode(), b"\xef\xbb\xbf", b"\r", b"\t"),
]


def mutated(text: bytes, chance: random.Random) -> bytes:
    out = bytearray(text)
    for _ in range(chance.choice([1, 1, 2, 4, 10])):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(6):
            case 0:
                out[at:at] = chance.choice(WORDS)
            case 1:
                del out[at : at + chance.choice([1, 2, 5, 30, 200])]
            case 2:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                out[at : at + 1] = chance.choice(b"0123456789/*():abyz WB[];-").to_bytes()
            case 4:
                other = chance.randrange(len(out) + 1)
                out[at:at] = out[other : other + chance.choice([5, 40, 120])]
            case _:
                del out[at:]
    return bytes(out)


def short_match(seed: int) -> MatchFile:
    """A game of a few turns, so that many files are read in little time."""
    (game,) = RandomMatch(seed, has_illegal=True, most_games=1).made().games
    return MatchFile(("Ann", "Bob"), 7, (replace(game, actions=game.actions[:8], result=None),))


def broken_xg(chance: random.Random) -> bytes:
    """Broken before it is packed, as few broken files can be unpacked; now and then after it."""
    whole = chance.choice(XG_FILES)
    if chance.random() < 0.1:
        return mutated(whole, chance)
    at = whole.rindex(ZLIB)
    records, _ = unpack(whole[at:], MIB)
    return whole[: whole.index(ZLIB)] + zlib.compress(mutated(records, chance), level=1)


def broken_bgf(chance: random.Random) -> bytes:
    return b'{"format": "BGF"}\n' + mutated(chance.choice(SMILES), chance)


ZLIB = b"x\x9c"
SHORT = [short_match(seed) for seed in range(6)]
XG_FILES = [xg_of(match) for match in SHORT]
SMILES = [
    unpack(bgf_of(match).partition(b"\n")[2], 2**20)[0]
    for match in map(short_match, range(40))
    if not any(isinstance(a, RollAction) and a.board for a in match.games[0].actions)
    and not any(
        isinstance(a, CubeMove) and a.cube_action in {CubeAction.BEAVER, CubeAction.RACCOON}
        for a in match.games[0].actions
    )
]
TEXTS = {
    name: [write(match).encode() for match in SHORT]
    for name, write in {"mat": mat_text, "sgf": sgf_text, "json": json_text}.items()
}
BROKEN: dict[str, Callable[[random.Random], bytes]] = {
    "mat": lambda chance: mutated(chance.choice(TEXTS["mat"]), chance),
    "sgf": lambda chance: mutated(chance.choice(TEXTS["sgf"]), chance),
    "json": lambda chance: mutated(chance.choice(TEXTS["json"]), chance),
    "xg": broken_xg,
    "bgf": broken_bgf,
}


def replayed(content: bytes) -> None:
    """Read a file and check its plays; raises `EngineError` if it is refused."""
    replay(read_match(content))


def is_replayed(content: bytes) -> bool:
    """Whether it is read rather than refused."""
    try:
        replayed(content)
    except EngineError:
        return False
    return True
