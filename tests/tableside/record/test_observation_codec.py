"""Observations and commands survive on disk, and a correction after a restart judges them again."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import CubeSeen, DieSeen, Doubled, Motion, Observation, Side, Surface, fold
from engine.events.match import PlayMade
from engine.events.record import Corrected
from engine.match.amendments import effective_events
from engine.match.corrections import CorrectionUndone, PlayChosen, RollFixed
from engine.match.state import MatchState
from engine.referee import ManualEntry, Referee, ReplayableMatch
from engine.rules import SHORT
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import play_match
from engine.timestamp import Timestamp
from tableside.errors import BrokenRecord
from tableside.record.database import open_for_writing
from tableside.record.observation_codec import as_stored, decode_entry, encode_entry
from tableside.record.recorder import Recorder
from tableside.record.schema import MIGRATIONS
from tableside.record.store import Store
from tests.refereed_board import run_steps

SIX = (0.1, 0.1, 0.1, 0.1, 0.1, 0.5)
dice = st.builds(
    DieSeen,
    st.just(SIX),
    st.tuples(st.floats(0, 4000), st.floats(0, 3000)),
    st.tuples(st.floats(-0.5, 1.5), st.floats(-0.5, 1.5)),
    st.floats(0, 1),
    st.sampled_from(Surface),
    st.sampled_from([None, *Side]),
)
cubes = st.none() | st.just(CubeSeen((0.4, *(0.1,) * 6), (0.7, 0.1, 0.1, 0.1)))


@given(st.lists(dice, max_size=4).map(tuple), cubes, st.none() | st.integers(0, 10**6), st.data())
def test_an_observation_is_decoded_as_it_was_judged(dice, cube, since, data):
    seed = data.draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    counts = rng.normal(0, 20, (28, 31)).astype(np.float32)
    change = rng.uniform(-4, 4, 28).astype(np.float32)
    look = as_stored(Observation(counts, dice, 12.345, 678, 0.9, change, since, cube))
    back = decode_entry(encode_entry(look))
    assert isinstance(back, Observation)
    assert (back.counts == look.counts).all()
    assert (back.change == look.change).all()
    for name in ("dice", "seconds", "frame", "quality", "reference_frame", "cube"):
        assert getattr(back, name) == getattr(look, name)


@pytest.mark.parametrize(
    "entry",
    [
        Motion(3.5, 42),
        ManualEntry(0, PlayChosen(4, "13/7 8/7"), Timestamp(1.0, 12)),
        ManualEntry(1, RollFixed(4, (6, 1)), Timestamp(1.0, 12)),
        ManualEntry(2, CorrectionUndone(1), Timestamp(1.5, 18)),
        ManualEntry(3, Doubled(time=2.0, frame=24, player=Side.DARK, value=4), Timestamp(2.0, 24)),
    ],
)
def test_a_manual_entry_is_decoded_unchanged(entry):
    assert decode_entry(encode_entry(entry)) == entry


def test_damaged_bytes_are_an_error_in_one_line():
    with pytest.raises(BrokenRecord, match="damaged"):
        decode_entry(encode_entry(Motion(1.0, 2))[:-4])


def referee_at(state: MatchState | None) -> Referee:
    if state is None or not state.games:
        return Referee(SHORT, light_throws_right=True)
    return Referee.resume(SHORT, state, light_throws_right=True)


def test_a_correction_after_a_restart_judges_what_was_seen_before_it(tmp_path):
    table = SimulatedBoard(np.random.default_rng(5), SHORT.opening())
    play_match(table, SHORT, games=1, turns=12)
    with Store.open(tmp_path / "record.sqlite") as store:
        match = store.new_match()
        recorder = Recorder(store, match)
        hearing = ReplayableMatch(referee_at, recorder)
        for seen in table.seen:
            look = as_stored(seen) if isinstance(seen, Observation) else seen
            recorder.keep(hearing.observe(look))
        recorder.flush()
        before = hearing.state
    with Store.open(tmp_path / "record.sqlite") as store:
        again = Recorder(store, match)
        resumed = ReplayableMatch(lambda state: referee_at(state or again.state), again)
        assert [one.event.play for one in resumed.state.turns] == [
            one.event.play for one in before.turns
        ]
        when = Timestamp(table.clock, 10**6)
        play = before.turns[3].event.play
        again.keep(run_steps(resumed.correct(PlayChosen(4, play), when)))
        events = store.events(match)
    (cut,) = (one for one in events if isinstance(one, Corrected))
    assert cut.by == "hand"
    assert sum(isinstance(one, PlayMade) for one in events[: cut.keep]) == 3, "the rest stands"
    plays = [one for one in effective_events(events) if isinstance(one, PlayMade)]
    assert [one.play for one in plays] == [turn.event.play for turn in before.turns]
    assert plays[3].by == "hand"
    assert [turn.event for turn in fold(events).turns] == plays


def test_an_earlier_record_gains_its_evidence_and_keeps_its_events(tmp_path):
    path = tmp_path / "record.sqlite"
    with closing(open_for_writing(path, MIGRATIONS[:1])) as old:
        old.execute(
            "INSERT INTO matches (begun, variant, length, light, dark, source)"
            " VALUES (1.5, 'short', 7, 'Ann', 'Bob', '')"
        )
    with Store.open(path) as store:
        (entry,) = store.matches()
        assert entry.light == "Ann"
        assert store.evidence(1) == ()
        store.append(1, [], [(3, encode_entry(Motion(0.25, 3)))])
        assert [decode_entry(one) for one in store.evidence(1)] == [Motion(0.25, 3)]
        assert store.evidence(1, since=4) == ()
    assert (tmp_path / "record.sqlite.format1").exists()
