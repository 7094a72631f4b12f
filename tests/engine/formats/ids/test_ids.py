"""Position IDs, Match IDs and XGIDs: gnubg's own, both ways, and bad ones by name."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Course, Position, Side, find_rules
from engine.formats.ids.match_id import gnubg_ids, match_id, parse_gnubg_ids, parse_match_id
from engine.formats.ids.position_id import parse_position_id, position_id
from engine.formats.ids.snapshot import GameStage, Snapshot
from engine.formats.ids.xgid import parse_xgid, xgid
from engine.formats.model.errors import InvalidId, NotInFormat
from tests.gnubg import run
from tests.match_files import stored
from tests.positions import random_turn

VECTORS = [json.loads(line) for line in stored("id_vectors_sample.jsonl.gz").splitlines()]
START = "4HPwATDgc/ABMA"
SHORT = find_rules("short")


def of_vector(vector) -> Position:
    own = [vector["off"][0], *(max(n, 0) for n in vector["points"]), vector["bar"][0]]
    other = [vector["off"][1], *(max(-n, 0) for n in vector["points"][::-1]), vector["bar"][1]]
    is_light = vector["mover"].startswith("O")
    light, dark = (own, other) if is_light else (other, own)
    return Position(tuple(light), tuple(dark))


@st.composite
def states(draw):
    position, side, roll = random_turn(draw(st.integers(0, 10**6)), SHORT)
    length = draw(st.sampled_from([0, 1, 7, 25]))
    is_doubled = draw(st.booleans())
    dice = None if is_doubled else draw(st.sampled_from([None, (roll.high, roll.low)]))
    return Snapshot(
        position=position,
        on_roll=side,
        dice=dice,
        cube=2 ** draw(st.integers(0, 10)),
        owner=draw(st.sampled_from([None, *Side])),
        is_doubled=is_doubled,
        to_act=side.other if is_doubled else side,
        length=length,
        score=(draw(st.integers(0, length)), draw(st.integers(0, length))),
        is_crawford=length > 0 and draw(st.booleans()),
        has_jacoby=length == 0 and draw(st.booleans()),
    )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_gnubgs_ids_are_read_as_what_gnubg_had(vector):
    state = parse_gnubg_ids(vector["position_id"], vector["match_id"])
    side = Side.LIGHT if vector["mover"].startswith("O") else Side.DARK
    dice = sorted(vector["dice"], reverse=True)
    assert (state.position, state.on_roll) == (of_vector(vector), side)
    assert list(state.dice or (0, 0)) == dice
    assert state.cube == vector["cube"]
    assert state.owner == {"O": Side.LIGHT, "X": Side.DARK, "centre": None}[vector["cube_owner"]]
    assert state.score == (vector["score_O"], vector["score_X"])
    assert (state.length, state.is_crawford) == (vector["match_length"], vector["crawford"])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_gnubgs_ids_are_written_as_gnubg_writes_them(vector):
    ids = vector["position_id"], vector["match_id"]
    assert gnubg_ids(parse_gnubg_ids(*ids)) == ids
    assert parse_xgid(vector["xgid"]).position == of_vector(vector)
    assert xgid(parse_xgid(vector["xgid"])) == vector["xgid"]
    if "b66" not in vector["xgid_check"]:
        assert gnubg_ids(parse_xgid(vector["xgid"])) == ids


def test_the_five_worked_examples_hold():
    first = parse_gnubg_ids(START, "cInlAAAAAAAE")
    assert (first.on_roll, first.dice, first.length) == (Side.DARK, (3, 1), 7)
    assert parse_match_id("MIHlAAAAAAAE").on_roll is Side.LIGHT
    bar = parse_gnubg_ids("jGfwATDgc/ABUA", "QQkgASAAIAAE")
    assert (bar.score, bar.cube, bar.owner, bar.dice) == ((2, 4), 2, Side.LIGHT, None)
    assert parse_match_id("sAGzAEAAEAAE").is_crawford
    doubled = parse_gnubg_ids("2+4OAADb7gEAAA", "cBEAAAAAAAAA")
    assert (doubled.on_roll, doubled.decider, doubled.has_jacoby) == (Side.DARK, Side.LIGHT, True)
    assert xgid(doubled).split(":")[4] == "D"


@given(states())
@settings(max_examples=200)
def test_every_state_survives_both_kinds_of_id(state):
    assert parse_gnubg_ids(*gnubg_ids(state)) == state
    parsed = parse_xgid(xgid(state))
    assert gnubg_ids(parsed) == gnubg_ids(state)


@given(st.text(max_size=40))
@settings(max_examples=300)
def test_any_text_is_an_id_or_a_named_error(text):
    for read in (parse_xgid, parse_match_id, lambda one: parse_position_id(one, Side.LIGHT)):
        with suppress(InvalidId):
            read(text)


@given(st.binary(min_size=10, max_size=10), st.binary(min_size=9, max_size=9))
@settings(max_examples=500)
def test_any_bits_are_an_id_or_a_named_error(position, match):
    import base64

    ids = [base64.b64encode(raw).decode().rstrip("=") for raw in (position, match)]
    try:
        state = parse_gnubg_ids(*ids)
    except InvalidId:
        return
    assert sorted(gnubg_ids(state)[0]) == sorted(ids[0])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "14 characters"),
        ("4HPwATDgc/ABM", "14 characters"),
        ("4HPwATDgc/AB!A", "letters, digits"),
        ("/////////////w", "is no"),
        ("//8BAAAAAAAAAA", "17 checkers"),
    ],
)
def test_a_bad_position_id_is_refused_with_the_fault(text, says):
    with pytest.raises(InvalidId, match=says):
        parse_position_id(text, Side.LIGHT)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("XGID=", "ten fields"),
        ("XGID=-b----E-C---eE---c-e----B:0:0:1:31:0:0:0:7:10", "26 places of"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:0:31:0:0:0:7:10", "turn"),
        ("XGID=-b----E-C---eE---c-e----B-:0:2:1:31:0:0:0:7:10", "cube position"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:71:0:0:0:7:10", "dice"),
        ("XGID=-b----E-C---eE---c-e----B-:99:0:1:31:0:0:0:7:10", "cube"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:x:0:0:7:10", "score of the bottom"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:2:7:10", "Crawford"),
        ("XGID=-b----O-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "25 checkers"),
        ("XGID=Ab----D-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "bar"),
    ],
)
def test_a_bad_xgid_names_the_field(text, says):
    with pytest.raises(InvalidId, match=says):
        parse_xgid(text)


def test_narde_has_no_such_ids():
    position = Position((0, *[0] * 23, 15, 0), (0, *[0] * 23, 15, 0), Course.CIRCLING)
    with pytest.raises(NotInFormat):
        position_id(position, Side.LIGHT)
    with pytest.raises(NotInFormat):
        xgid(Snapshot(position, Side.LIGHT))


def test_a_state_that_no_table_has_is_refused():
    with pytest.raises(InvalidId, match="power of two"):
        Snapshot(SHORT.opening(), Side.LIGHT, cube=3)
    with pytest.raises(InvalidId, match="Crawford"):
        Snapshot(SHORT.opening(), Side.LIGHT, is_crawford=True)


def test_a_position_by_itself_is_completed_by_what_is_usual():
    position = find_rules("short").opening()
    assert xgid(position) == xgid(Snapshot(position, Side.DARK))
    at_score = xgid(position, Side.LIGHT, (3, 1), cube=2, owner=Side.DARK, length=7, score=(2, 4))
    assert at_score.partition(":")[2] == "1:1:-1:31:4:2:0:7:10"


def test_a_beaver_is_on_the_doubler_to_answer():
    state = parse_xgid("XGID=-b----E-C---eE---c-e----B-:1:-1:1:B:0:0:3:0:10")
    assert (state.is_doubled, state.decider) == (True, state.on_roll)
    assert xgid(state).split(":")[4] == "B"
    assert parse_gnubg_ids(*gnubg_ids(state)).decider is state.on_roll
    assert state.stage is GameStage.PLAYING


def test_gnubg_reads_our_ids_and_writes_the_same(tmp_path):
    chance = random.Random(5)
    commands = ["new match 7"]
    wanted = []
    for _ in range(12):
        position, side, _ = random_turn(chance.randrange(10**6), SHORT)
        state = Snapshot(position, side, length=7, score=(chance.randrange(7), 3), cube=2)
        wanted.append(gnubg_ids(state))
        commands += [f"set gnubgid {':'.join(wanted[-1])}", "show board"]
    said = run("\n".join([*commands, "quit", "y", ""]), tmp_path)
    assert [ids for ids in wanted if not all(one in said for one in ids)] == []
    assert match_id(Snapshot(SHORT.opening(), Side.LIGHT))[:1] == "M"
