"""Malformed files: a located error or a match with errors, in little time and memory."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

from engine.errors import EngineError
from engine.formats.csv_text import csv_text
from engine.formats.detect import read_match
from engine.formats.json_text import json_text
from engine.formats.mat.write import mat_text, xg_text
from engine.formats.model.errors import InvalidMatchFile, NotInFormat
from engine.formats.model.match_file import (
    MAX_FAULTS,
)
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.replay import replay
from tests.broken_files import BROKEN, SHORT, is_replayed, mutated
from tests.match_files import GNUBG_MATCHES, RandomMatch, mat_of, stored

MIB = 2**20
WRITERS = (mat_text, xg_text, sgf_text, json_text, csv_text)


def seeds() -> list[bytes]:
    gnubgs = [stored(f"{name}.mat.gz") for name in GNUBG_MATCHES]
    ours = [RandomMatch(seed, has_illegal=True).made() for seed in range(4)]
    texts = [w(match).encode() for match in ours for w in (mat_text, sgf_text, json_text)]
    return gnubgs + texts


def survives(content: bytes) -> bool:
    """Whether it was read; everything that is read can be written, or the error says why not."""
    try:
        match = read_match(content)
        replay(match)
    except EngineError:
        return False
    for write in WRITERS:
        try:
            text = write(match)
        except NotInFormat:
            continue
        if write is json_text:
            again = read_match(text.encode())
            assert json_text(again) == text
            assert replace(again, faults=()) == replace(match, faults=())
        elif write is not csv_text:
            read_match(text.encode())
    return True


@pytest.mark.parametrize("name", BROKEN)
def test_ten_thousand_broken_files_of_each_format_are_read_or_refused_by_name(name):
    chance = random.Random(33)
    read = sum(is_replayed(BROKEN[name](chance)) for _ in range(10_000))
    assert 100 < read < 9_990


def fuzz(rounds: int, seed: int) -> int:
    chance, texts = random.Random(seed), seeds()
    return sum(survives(mutated(chance.choice(texts), chance)) for _ in range(rounds))


@pytest.mark.slow
def test_hundreds_of_broken_files_are_read_or_refused_by_name():
    read = fuzz(200, seed=20261120)
    assert 50 < read < 195


@pytest.mark.slow
def test_thousands_of_broken_files_are_read_or_refused_by_name():
    fuzz(10_000, seed=1)


@pytest.mark.slow
def test_every_truncation_is_read_or_refused():
    sgf = sgf_text(RandomMatch(1, most_games=1).made()).encode()
    mat = stored("self_00.mat.gz")
    for text in (sgf, mat):
        for end in range(0, len(text), 7):
            survives(text[:end])


ROW = b"  1) 31: 8/5 6/5                 62: 24/18 13/11\n"
HEAD = mat_of().rstrip() + b"\n"
BIG = {
    "one line of letters": b"a" * 15 * MIB,
    "rows without end": HEAD + ROW * (15 * MIB // len(ROW)),
    "rows in one line": HEAD + ROW[:-1] * (15 * MIB // len(ROW)),
    "games without end": HEAD + b" Game 1\n" * MIB,
    "nested trees": b"(;" * 7 * MIB,
    "an open value": b"(;W[" + b"a" * 15 * MIB,
    "backslashes": b"(;W[" + b"\\" * 15 * MIB,
    "open brackets": b"(;W[" * 3 * MIB,
    "nodes without end": b"(;GM[6]" + b";W[31hefe];B[62agln]" * (15 * MIB // 20) + b")",
    "nested JSON": b'{"format": ' + b"[" * 15 * MIB,
    "nested objects": b'{"a":' * 3 * MIB,
    "more than a match has": b"x" * 17 * MIB,
}


@pytest.mark.parametrize("name", BIG)
def test_a_file_of_many_megabytes_is_done_with_in_seconds(name):
    begun = time.monotonic()
    try:
        match = read_match(BIG[name])
    except InvalidMatchFile:
        pass
    else:
        assert len(match.faults) <= MAX_FAULTS + 1
        replay(match)
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"(;GM[6]", "line 1: the file ends inside a game"),
        (b"(;FF[4]GM[1])", r"line 1: GM\[1\] is not backgammon"),
        (b"(;GM[6]\n;W[31hefe)", "line 2: a value has no closing ]"),
        (b"(;GM[6]\n}", "line 2: '}' is not SGF"),
        (b"(;GM[6]))", r"unmatched \)"),
        (b"(GM[6])", "outside any node"),
        (b"(;[6])", "without a property"),
        (b"()", "has no nodes"),
        (b'{"a": 1}', "tableside-match"),
        (b"{", "not JSON"),
        (b'{"format": "tableside-match", "version": 2}', "later version"),
        (b'{"format": "tableside-match", "version": 1}', "the match cannot be read: 'players'"),
    ],
)
def test_what_is_no_match_is_refused_with_the_place(content, says):
    with pytest.raises(InvalidMatchFile, match=says):
        read_match(content)


def test_half_a_character_is_replaced_because_no_file_can_hold_it():
    text = json_text(SHORT[0]).replace('"Ann"', '"A\\ud800"', 1)
    assert read_match(text).players[0] == "A?"
    name = b'{"matchlen": 7, "nameGreen": "A\\ud800", "nameRed": "Bob", "games": []}'
    assert read_match(b'{"format": "BGF"}\n' + name).players[0] == "A?"


def test_old_and_wide_encodings_are_read():
    text = mat_of("  1) 31: 8/5 6/5").decode().replace("Ann", "Jürgen")
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16"):
        assert read_match(text.encode(encoding)).players[0] == "Jürgen"
    assert read_match(text.encode("koi8-r", errors="replace")).games[0].actions


def test_an_sgf_with_variations_gives_its_first_line():
    match = read_match(b"(;GM[6]MI[length:3];W[31hefe](;B[62agln])(;B[62aguw];W[11])(;B[66]))")
    assert [a.side.value for a in match.games[0].actions] == ["light", "dark"]
    assert match.faults == ()


@pytest.mark.parametrize(
    ("node", "says"),
    [
        (";W[99zz]", "cannot read"),
        (";W[31zzaa]", "no checker can move"),
        (";AW[a][A]", "is not a point"),
        (";AE[a:y]AW[a][b]AB[a]", "both sides"),
        (";PL[W]DI[7]", "is not a roll"),
    ],
)
def test_a_node_that_cannot_be_understood_is_a_fault_with_its_line(node, says):
    match = read_match(f"(;GM[6]\n{node})".encode())
    assert [fault.line for fault in match.faults] == [2]
    assert says in str(match.faults[0].message)


def test_a_number_with_a_control_character_is_a_fault():
    fields = ";".join(["7", *"000", "1", "a", "b", *"00010", "\x1f2", *["0"] * 30])
    match = read_match(mat_of(f"  1) 62: Illegal play ({fields})"))
    assert "is not a number" in str(match.faults[0].message)
