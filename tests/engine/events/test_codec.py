"""Events as JSON and back."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    NAMED_RULE_SETS,
    DiceRolled,
    Event,
    IllegalMade,
    PlayMade,
    Position,
    RuleSet,
    SetUpError,
    as_json,
    find_rules,
    from_json,
)
from engine.events.codec import InvalidEvent
from engine.events.match import EVENTS
from engine.events.record import Corrected
from engine.message import Message, msg, ngettext
from engine.typed_json import Length, Pattern, Range
from tests.positions import random_turn

PLACES = 4
"""Decimals of a number in JSON; `time` has one fewer."""
NUMBERS = st.integers(-(10**6), 10**6)
MESSAGES = st.builds(
    lambda count, side: msg("{side} has {count} checkers", count=count, side=side),
    NUMBERS | st.floats(0, 1) | st.text(),
    st.sampled_from(["light", msg("dark")]),
)
WHOLE: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: NUMBERS,
    float: NUMBERS.map(lambda number: number / 1000),
    str: st.text(),
    Position: st.builds(lambda seed: random_turn(seed, find_rules("short"), 12)[0], NUMBERS),
    RuleSet: st.sampled_from(list(NAMED_RULE_SETS.values())),
    Message: MESSAGES,
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Every value that a field of this type can have, as exact as JSON keeps it."""
    if hint in WHOLE:
        return WHOLE[hint]
    if get_origin(hint) is Annotated:
        return constrained(*get_args(hint))
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if get_origin(hint) is tuple:
        item, *others = get_args(hint)
        if others == [Ellipsis]:
            return st.lists(values(item), max_size=3).map(tuple)
        return st.tuples(*map(values, get_args(hint)))
    if NoneType in get_args(hint):
        return st.none() | values(next(one for one in get_args(hint) if one is not NoneType))
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    assert isinstance(hint, type), hint
    assert is_dataclass(hint)
    return st.builds(hint, **{name: values(one) for name, one in hints_of(hint).items()})


def constrained(inner: Any, constraint: Range | Length | Pattern) -> st.SearchStrategy[Any]:
    match constraint:
        case Range(low=low, high=high) if inner is int:
            return st.integers(int(low), int(min(high, 10**6)))
        case Range(low=low, high=high):
            scale = 10**PLACES
            steps = st.integers(int(low) * scale, int(min(high, 10**6)) * scale)
            return steps.map(lambda step: step / scale)
        case Length(count=count):
            item = values(get_args(inner)[0])
            return st.lists(item, min_size=count, max_size=count).map(tuple)
        case Pattern(regex=regex):
            return st.from_regex(regex, fullmatch=True)


def hints_of(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in fields(kind)}


EVENT = st.one_of(*map(values, EVENTS.values()))
KINDS = pytest.mark.parametrize("kind", EVENTS.values(), ids=EVENTS)


@KINDS
@settings(max_examples=25)
@given(data=st.data())
def test_every_type_of_event_comes_back_from_its_json(kind, data):
    event = data.draw(values(kind))
    text = json.dumps(as_json(event))
    again = from_json(json.loads(text))
    assert again == event
    assert as_json(again) == as_json(event), "also what is not compared"


def example(kind: type[Event]) -> dict[str, Any]:
    """One event of this type as JSON, each field in it."""
    found: dict[str, Any] = {}

    @settings(max_examples=1, database=None)
    @given(values(kind))
    def draw(event: Event) -> None:
        found.update(as_json(event))

    draw()
    return found


@KINDS
def test_each_field_refuses_other_types_by_name(kind):
    event = example(kind)
    for field in fields(kind):
        key = field.metadata.get("json", field.name)
        with pytest.raises(InvalidEvent, match=rf"^an? {kind.type} event: {key} is "):
            from_json({**event, key: {"neither": "text nor number"}})


@KINDS
def test_each_field_without_a_default_is_required(kind):
    event = example(kind)
    for field in fields(kind):
        if field.default is MISSING and field.default_factory is MISSING:
            key = field.metadata.get("json", field.name)
            with pytest.raises(InvalidEvent, match=rf"^an? {kind.type} event: {key} is missing$"):
                from_json({name: value for name, value in event.items() if name != key})


ROLL = {"type": "roll", "time": 1.5, "frame": 18, "player": "light", "dice": [3, 1]}
DIE = {"chances": [1, 0, 0, 0, 0, 0], "place": [0.5, 0.5]}
COMMITMENT = {
    "type": "cup_commitment",
    "time": 0,
    "frame": 0,
    "cup": "00ff",
    "match": 1,
    "number": 0,
    "commitment": "00ff",
}
AFTER_PLAY = {"light": [0] * 25 + [15], "dark": [0] * 25 + [15]}
PLAY = {
    "type": "play",
    "time": 0,
    "frame": 0,
    "player": "dark",
    "dice": None,
    "play": "8/5",
    "position": AFTER_PLAY,
}


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({**ROLL, "dice": [9, 1]}, "a roll event: dice[0] is 9, not 1..6"),
        ({**ROLL, "dice": [3, 1.0]}, "a roll event: dice[1] is 1.0, not 1..6"),
        ({**ROLL, "dice": [3]}, "a roll event: dice is [3], not a list of 2"),
        ({**ROLL, "dice": None}, "a roll event: dice is None, not a list of 2"),
        ({**ROLL, "time": "x"}, "a roll event: time is 'x', not a number"),
        ({**ROLL, "time": float("nan")}, "a roll event: time is nan, not a number"),
        ({**ROLL, "time": float("inf")}, "a roll event: time is inf, not a number"),
        ({**ROLL, "frame": 1.5}, "a roll event: frame is 1.5, not a whole number"),
        ({**ROLL, "frame": True}, "a roll event: frame is True, not a whole number"),
        ({**ROLL, "player": "red"}, "a roll event: player is 'red', not one of light, dark"),
        (
            {**ROLL, "player": ["light"]},
            "a roll event: player is ['light'], not one of light, dark",
        ),
        (
            {**ROLL, "by": "ear"},
            "a roll event: by is 'ear', not one of sight, cup, bluetooth, hand, file",
        ),
        ({**ROLL, "confidence": 1.01}, "a roll event: confidence is 1.01, not 0..1"),
        (
            {**ROLL, "lay": [DIE, {**DIE, "chances": [1, 0]}]},
            "a roll event: lay[1].chances is [1, 0], not a list of 6",
        ),
        ({**ROLL, "lay": [{"place": [0, 0]}]}, "a roll event: lay[0].chances is missing"),
        (
            {**ROLL, "lay": [{**DIE, "make": {"body": [1, 2, "x"]}}]},
            "a roll event: lay[0].make.body[2] is 'x', not a number",
        ),
        (
            {**COMMITMENT, "commitment": "0"},
            "a cup_commitment event: commitment is '0', not bytes in hexadecimal",
        ),
        (
            {**COMMITMENT, "number": -1},
            "a cup_commitment event: number is -1, not a number of at least 0",
        ),
        (
            {**PLAY, "position": {"light": [0] * 26, "dark": [0] * 25 + [15]}},
            "a play event: position is not a valid position: light has 0 checkers, not 15",
        ),
        (
            {**PLAY, "position": {**AFTER_PLAY, "course": "round"}},
            "a play event: position is not a valid position: there is no course 'round'",
        ),
        (
            {
                **PLAY,
                "type": "illegal",
                "rule_message": {"id": "{x:>99999}", "values": {"x": 1}},
            },
            "an illegal event: rule_message is not a valid message: '{x:>99999}' has an unknown "
            "placeholder",
        ),
        (
            {
                **PLAY,
                "type": "illegal",
                "rule_message": {"id": "x", "plural": "y", "values": {"number": "1"}},
            },
            "an illegal event: rule_message is not a valid message: a message with a `plural` "
            "needs a whole `number`",
        ),
        (
            {**PLAY, "type": "illegal", "rule_message": {"id": "{x}", "values": {}}},
            "an illegal event: rule_message is not a valid message: the values do not match '{x}'",
        ),
        ({"type": "nonsense"}, "there is no event of type 'nonsense'"),
        ({}, "there is no event of type None"),
        ([], "an event must be a JSON object, not []"),
    ],
)
def test_what_does_not_fit_is_named_in_one_line(event, message):
    with pytest.raises(InvalidEvent) as error:
        from_json(event)
    assert str(error.value) == message


@given(EVENT)
@settings(max_examples=20)
def test_unknown_keys_are_ignored(event):
    assert from_json(json.loads(json.dumps({**as_json(event), "shown_to": ["them"]}))) == event


def test_older_records_without_a_field_are_still_read():
    event = from_json(ROLL)
    assert isinstance(event, DiceRolled)
    assert (event.confidence, event.dice_at_rest, event.by) == (1.0, (), "sight")
    old = from_json({**PLAY, "type": "illegal", "legal": False, "rule": "nobody moves so"})
    assert isinstance(old, IllegalMade)
    assert (old.rule_message, old.broken_rule) == (None, "nobody moves so")


def test_a_sentence_is_written_in_english_and_as_a_value_beside_it():
    rule = msg("the {die} was not played", die=6)
    play = from_json(PLAY)
    assert isinstance(play, PlayMade)
    written = as_json(IllegalMade.of(play, rule, 3))
    assert written["rule"] == "the 6 was not played"
    assert written["rule_message"] == {"id": "the {die} was not played", "values": {"die": 6}}
    again = from_json(json.loads(json.dumps(written)))
    assert isinstance(again, IllegalMade)
    assert again.broken_rule == rule


def test_a_sentence_with_a_plural_keeps_both_texts():
    rule = ngettext("{number} checker is missing", "{number} checkers are missing", 2)
    play = from_json(PLAY)
    assert isinstance(play, PlayMade)
    written = as_json(IllegalMade.of(play, rule, 3))
    assert written["rule"] == "2 checkers are missing"
    again = from_json(json.loads(json.dumps(written)))
    assert isinstance(again, IllegalMade)
    assert again.broken_rule == rule


def test_a_sentence_that_has_no_value_adds_no_key():
    assert "what_message" not in as_json(Corrected(time=0, frame=0, keep=1, what="undone"))
    play = from_json(PLAY)
    assert isinstance(play, PlayMade)
    assert "fault_messages" not in as_json(
        SetUpError(time=0, frame=0, position=play.position, faults=())
    )
