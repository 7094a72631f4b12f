"""The record alone restores the referee's state, and another referee continues from it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    RULE_SETS,
    USUAL,
    CubePlace,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    EngineError,
    MatchState,
    Observation,
    Phase,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Referee,
    Resigned,
    Side,
    as_json,
    find_rules,
    fold,
    from_json,
)
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, play_match
from engine.simulation.reader_errors import PERFECT, ReaderNoise
from tests.refereed_board import OPENING, SHORT, cube_seen

HABITS = PlayerHabits(hasty=0.2, quick=0.1, rerolls=0.2, illegal=0.15, silent_passes=0.5)
NOISES = (PERFECT, ReaderNoise(sight=0.02, dice=0.02, hidden=0.02))


def watched(seed, rules, rule_set, noise, *, turns=6, games=2):
    """A referee and all its events in some games in which the cube now and then lies anywhere."""
    rng = np.random.default_rng(seed)
    table = SimulatedBoard(np.random.default_rng(seed), rules.opening(), noise)
    play_match(table, rules, games=games, turns=turns, habits=HABITS)
    referee = Referee(rules, length=3, rule_set=rule_set)
    events, cube = [], None
    places = [place.value for place in CubePlace]
    for seen in table.seen:
        if not isinstance(seen, Observation):
            value, place = rng.choice([1, 2, 4]), CubePlace(rng.choice(places))
            cube = cube_seen(int(value), place) if rng.random() < 0.3 else cube
        else:
            events += referee.observe(replace(seen, cube=cube))
        if rng.random() < 0.04:
            with suppress(EngineError):
                events += referee.enter(by_hand(rng, referee.state, table.clock))
    return referee, events + referee.finish(table.clock + 1, 0)


def by_hand(rng, state, time):
    """Something that the player on turn is mostly allowed to say now."""
    at = {"time": time, "frame": 0, "player": state.to_move or Side.LIGHT}
    fitting = {
        Phase.TO_ROLL: [Doubled(**at, value=2 * state.cube.value)],
        Phase.DOUBLED: [DoubleTaken(**at), DoubleDropped(**at)],
        Phase.DISPUTED: [PlayAccepted(**at, by="hand"), PlayRejected(**at)],
    }
    return rng.choice(fitting.get(state.phase, [Resigned(**at, points=1), DoubleTaken(**at)]))


@settings(max_examples=4)
@given(
    seed=st.integers(0, 10_000),
    rules=st.sampled_from([find_rules("short"), find_rules("nackgammon")]),
    rule_set=st.sampled_from([USUAL, *RULE_SETS.values()]),
    noise=st.sampled_from(NOISES),
)
def test_the_fold_of_the_events_is_the_state(seed, rules, rule_set, noise):
    referee, events = watched(seed, rules, rule_set, noise)
    assert events
    assert fold(events) == referee.state


def essence(state: MatchState):
    turns = [(turn.event.player, turn.event.position, turn.rejected) for turn in state.turns]
    plain = replace(state, turns=(), last_event=None)
    return plain, turns


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_record_on_disk_gives_the_state_too(name):
    referee, events = watched(7, SHORT, RULE_SETS[name], NOISES[0])
    lines = [json.dumps(as_json(event)) for event in events]
    again = fold(from_json(json.loads(line)) for line in lines)
    assert essence(again) == essence(referee.state)
    assert again.rule_set == RULE_SETS[name]


@pytest.mark.parametrize("seed", range(3))
def test_another_referee_goes_on_after_every_play(seed):
    table = SimulatedBoard(np.random.default_rng(seed), OPENING, NOISES[0])
    truth = play_match(table, SHORT, turns=6)
    wanted = [(play.side, play.after) for play in truth.plays]
    referee, events = Referee(SHORT, rule_set=RULE_SETS["wbgf"]), []
    for seen in table.seen:
        said = referee.observe(seen)
        events += said
        if any(isinstance(event, PlayMade) for event in said):
            referee = Referee.resume(SHORT, fold(events))
    assert [(e.player, e.position) for e in events if isinstance(e, PlayMade)] == wanted
    assert fold(events) == referee.state
