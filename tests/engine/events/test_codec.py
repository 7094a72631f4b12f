"""Events as JSON and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    EVENTS,
    RULE_SETS,
    Alternative,
    Beavered,
    BoardMoved,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    InvalidEvent,
    MatchEnd,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    PrematureRoll,
    Raccooned,
    Resigned,
    Resumed,
    SetUpError,
    Side,
    TakenBack,
    TurnEnded,
    Unfinished,
    as_json,
    find_rules,
    from_json,
)
from engine.events.clock import ClockSet, ClockTurned
from engine.events.cup import CupDecided
from tests.positions import random_turn

POSITIONS = st.builds(
    lambda seed: random_turn(seed, find_rules("short"), 12)[0], st.integers(0, 99)
)
WHEN = {"time": st.integers(0, 10**7).map(lambda ms: ms / 1000), "frame": st.integers(0, 10**6)}
SIDES = st.sampled_from(Side)
DIE = st.none() | st.integers(1, 6)
DICE = st.tuples(DIE, DIE)
SHARE = st.integers(0, 10_000).map(lambda parts: parts / 10_000)
PLAY = {
    "player": SIDES,
    "dice": st.none() | DICE,
    "play": st.sampled_from(["8/5 6/5", "(no play)", "bar/20*"]),
    "position": POSITIONS,
    "confidence": SHARE,
    "review": st.booleans(),
    "alternatives": st.lists(
        st.builds(Alternative, play=st.just("24/15"), confidence=SHARE), max_size=2
    ).map(tuple),
}
KINDS = {
    GameStart: {
        "position": POSITIONS,
        "light": st.text(),
        "length": st.integers(0, 25),
        "starter": st.none() | SIDES,
        "rule_set": st.none() | st.sampled_from(list(RULE_SETS.values())),
    },
    DiceRolled: {"player": SIDES, "dice": DICE, "confidence": SHARE},
    DiceVoid: {"player": SIDES, "dice": DICE, "reason": st.just("cocked")},
    PrematureRoll: {"player": SIDES, "dice": DICE, "stands": st.booleans()},
    PlayMade: PLAY,
    IllegalMade: {**PLAY, "rule": st.text(), "legal_plays": st.integers(0, 500)},
    TurnEnded: {"player": SIDES, "by": st.sampled_from(["clock", "hand", "cup"])},
    PlayRejected: {"player": SIDES},
    TakenBack: {"player": SIDES},
    PlayAccepted: {"player": SIDES, "by": st.sampled_from(["roll", "double", "clock", "hand"])},
    OpeningRolled: {"light": DIE, "dark": DIE, "by": st.sampled_from(["sight", "cup", "hand"])},
    CupDecided: {"player": SIDES, "dice": st.just((6, 3)), "stands": st.just("board")},
    ClockSet: {
        "light": st.floats(0, 36e3).map(lambda s: round(s, 4)),
        "dark": st.just(840.0),
        "delay": st.just(12.0),
    },
    ClockTurned: {"runs": st.none() | SIDES},
    Doubled: {"player": SIDES, "value": st.sampled_from([2, 4, 8])},
    Beavered: {"player": SIDES, "value": st.just(4)},
    Raccooned: {"player": SIDES, "value": st.just(8)},
    DoubleTaken: {"player": SIDES},
    DoubleDropped: {"player": SIDES},
    Resigned: {"player": SIDES, "points": st.integers(1, 3)},
    MatchEnd: {"winner": SIDES, "score": st.tuples(st.integers(0, 25), st.integers(0, 25))},
    BoardMoved: {},
    Unfinished: {"game": st.integers(1, 20)},
    Resumed: {"game": st.integers(1, 20), "player": SIDES},
    SetUpError: {"position": POSITIONS, "faults": st.lists(st.text(), max_size=3).map(tuple)},
    GameDrawn: {"points": st.just(1)},
    GameEnd: {"winner": SIDES, "points": st.integers(1, 3), "result": st.just("gammon")},
}
EVENT = st.one_of(st.builds(kind, **WHEN, **made) for kind, made in KINDS.items())


@given(EVENT)
def test_an_event_comes_back_from_its_json(event: Event):
    text = json.dumps(as_json(event))
    assert from_json(json.loads(text)) == event


def test_every_kind_of_event_that_there_was_is_still_read():
    assert {kind.type for kind in KINDS} <= EVENTS.keys()


@pytest.mark.parametrize("value", [{}, {"type": "nonsense"}, {"type": "rejected", "time": 1.0}])
def test_what_is_no_event_is_refused(value):
    with pytest.raises(InvalidEvent):
        from_json(value)
