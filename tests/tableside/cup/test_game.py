"""A virtual cup in a match that is being watched: its throws are the rolls, and are proven."""

import os
import threading
import time

import pytest

from engine import MatchState, NotNow, PlayMade
from engine.dice import Roll
from engine.events.cup import CupCommitted, CupDecided, CupDisagrees, CupRevealed, CupRolled
from engine.events.match import DiceRolled, OpeningRolled, PlayAccepted, TurnEnded
from engine.match.fold import apply_event
from engine.match.phase import Phase
from engine.match.prompt import prompt_of
from engine.rules import SHORT
from engine.rules.legal import legal_plays
from engine.simulation.board import die
from engine.timestamp import Timestamp
from hardware.connection import CupConnection
from hardware.ports import PortSearch
from hardware.served_cup import ServedCup
from tableside.cup.game import CupInMatch
from tableside.cup.history import CupHistory
from tableside.cup.verify import count_cup_rolls, verify_match
from tests.tableside.running_match import OPENING, RunningMatch, after
from webui.contracts.desk import DeskCommand, PlayEntered

PATIENCE = 60


@pytest.fixture
def served():
    with ServedCup(os.urandom) as one:
        yield one


@pytest.fixture
def sat(served, tmp_path, monkeypatch):
    with CupConnection(PortSearch(served.url)) as cup:

        def cup_at(recorder):
            return CupInMatch(cup, SHORT, recorder.events, ("Ann", "Bob"))

        one = RunningMatch(tmp_path, cup_at)
        one.cup = cup
        yield one
        one.close()


def until(sat, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, (
            sat.live._cup.shown(sat.recorder.state),
            prompt_of(sat.recorder.state),
        )
        sat.board.rest(1)
        sat.show()
        time.sleep(0.02)


def of(sat, kind):
    return [event for event in sat.recorder.events if isinstance(event, kind)]


def thrown(sat, served):
    """The cup is shaken once it is armed; its roll is the match's."""
    rolls = len(of(sat, CupRolled))
    end = time.monotonic() + PATIENCE
    while len(of(sat, CupRolled)) == rolls:
        assert time.monotonic() < end, sat.cup.view
        if sat.cup.requested is not None:
            served.throw()
        sat.board.rest(1)
        sat.show()
        time.sleep(0.05)


def play_any(sat):
    state = sat.recorder.state
    high, low = state.roll
    best = legal_plays(state.position, state.to_move, Roll(high, low), SHORT)[0]
    sat.board.play(best.position)
    sat.show()


def test_a_game_begins_and_goes_on_with_the_cup_alone(sat, served):
    sat.begin()
    while sat.recorder.state.to_move is None:
        thrown(sat, served)  # equal lots are drawn again
        until(sat, lambda: len(of(sat, OpeningRolled)) == len(of(sat, CupRolled)))
    for turns in range(1, 5):
        play_any(sat)
        thrown(sat, served)
        until(sat, lambda turns=turns: len(sat.recorder.state.turns) == turns)
        until(sat, lambda turns=turns: len(of(sat, DiceRolled)) == turns)
    made = of(sat, PlayMade)
    assert len(made) == 4
    assert all(one.legal for one in made)
    assert sat.table.state()["cup"]["state"] in ("ready", "rolling")
    (match,) = CupHistory(sat.on_disk()).matches
    assert verify_match(match).faults == ()
    assert match.sealed.light_words == "Ann"
    assert count_cup_rolls(sat.on_disk()).others == 0


def test_dice_on_the_board_that_are_not_the_cups_are_told_to_the_referee_once(sat, served):
    sat.begin()
    while sat.recorder.state.to_move is None:
        thrown(sat, served)
        until(sat, lambda: len(of(sat, OpeningRolled)) == len(of(sat, CupRolled)))
    roll = sat.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    sat.live._session._watcher.dice = dice
    until(sat, lambda: of(sat, CupDisagrees))
    sat.board.rest(3)
    sat.show()
    (told,) = of(sat, CupDisagrees)
    assert told.seen == (other, other)
    assert set(told.dice) == set(roll)
    assert sat.table.state()["cup"]["disagrees"] == {"cup": list(told.dice), "seen": [other, other]}
    sat.live._session._watcher.dice = ()
    play_any(sat)
    thrown(sat, served)
    until(sat, lambda: sat.recorder.state.turns)
    until(sat, lambda: sat.table.state()["cup"]["disagrees"] is None)


@pytest.mark.parametrize("stands", ["cup", "board"])
def test_the_referee_says_which_of_two_rolls_counts(sat, served, stands):
    sat.begin()
    while sat.recorder.state.to_move is None:
        thrown(sat, served)
        until(sat, lambda: len(of(sat, OpeningRolled)) == len(of(sat, CupRolled)))
    roll = sat.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    words = {"cup": DeskCommand.CUP_STANDS, "board": DeskCommand.DICE_STAND}
    with pytest.raises(NotNow, match="no dice lie there"):
        sat.desk.execute(words[stands])
    sat.live._session._watcher.dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    until(sat, lambda: of(sat, CupDisagrees))
    assert words[stands].value in sat.desk.status()["can"]
    sat.desk.execute(words[stands])
    counts = {"cup": roll, "board": (other, other)}[stands]
    assert sat.recorder.state.roll == counts
    assert sat.table.state()["cup"]["disagrees"] is None
    (decided,) = of(sat, CupDecided)
    assert (decided.dice, decided.source) == (counts, stands)
    sat.live._session._watcher.dice = ()
    play_any(sat)
    thrown(sat, served)
    until(sat, lambda: sat.recorder.state.turns)
    (made,) = of(sat, PlayMade)
    assert (made.dice, made.legal) == (counts, True)


def test_other_dice_of_the_turn_in_progress_are_told_after_a_restart(sat, served):
    sat.begin()
    while sat.recorder.state.to_move is None:
        thrown(sat, served)
        until(sat, lambda: len(of(sat, OpeningRolled)) == len(of(sat, CupRolled)))
    other = next(face for face in (6, 5, 4) if face not in sat.recorder.state.roll)
    again = CupInMatch(sat.cup, SHORT, sat.recorder.events, ("Ann", "Bob"))
    dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    state, now = sat.recorder.state, Timestamp(9.0, 99)
    recorded = []
    while events := again.step(state, dice, now):
        recorded += events
        for event in events:
            state = apply_event(state, event)
    assert [type(event) for event in recorded] == [CupDisagrees]
    assert again.shown(state)["disagrees"]["seen"] == [other, other]
    later = CupInMatch(sat.cup, SHORT, [*sat.recorder.events, *recorded], ("Ann", "Bob"))
    assert later.step(state, dice, now) == []
    assert later.shown(state)["disagrees"] is not None


def test_a_throw_that_ended_a_turn_does_not_answer_for_the_players(sat, served):
    sat.begin()
    while sat.recorder.state.to_move is None:
        thrown(sat, served)
        until(sat, lambda: len(of(sat, OpeningRolled)) == len(of(sat, CupRolled)))
    thrown(sat, served)
    until(sat, lambda: of(sat, TurnEnded))
    sat.board.play(after(OPENING, sat.recorder.state.to_move, "24/23"))
    sat.desk.execute(PlayEntered("24/23"))
    assert sat.recorder.state.phase is Phase.DISPUTED
    sat.show()
    assert sat.recorder.state.phase is Phase.DISPUTED
    sat.desk.execute(DeskCommand.ACCEPT)
    until(sat, lambda: of(sat, DiceRolled))
    assert [one.by for one in of(sat, PlayAccepted)] == ["hand"]


def test_a_virtual_cup_is_set_aside_by_the_first_real_dice(sat, served):
    sat.begin()
    while sat.recorder.state.to_move is None:
        thrown(sat, served)
        until(sat, lambda: len(of(sat, OpeningRolled)) == len(of(sat, CupRolled)))
    sat.live._cup._yields = True
    roll = sat.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    sat.live._session._watcher.dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    until(sat, lambda: sat.table.state()["cup"]["state"] == "aside")
    assert of(sat, CupDisagrees)
    assert "real dice" in sat.table.state()["cup"]["why"]
    until(sat, lambda: sat.cup.requested is None)


def test_a_cup_that_is_pulled_shows_on_the_page_and_comes_back(sat, served):
    sat.begin()
    until(sat, lambda: sat.table.state()["cup"]["state"] == "rolling")
    served.unplug()
    until(sat, lambda: sat.table.state()["cup"]["state"] not in ("ready", "rolling"))
    until(sat, lambda: sat.table.state()["cup"]["state"] in ("ready", "rolling"))


def test_a_match_that_is_ended_by_hand_is_proven_and_no_throw_follows(sat, served):
    sat.begin()
    until(sat, lambda: sat.cup.requested is not None)
    telling = threading.Thread(target=sat.desk.execute, args=[DeskCommand.END_MATCH])
    telling.start()
    until(sat, lambda: of(sat, CupRevealed))
    telling.join(PATIENCE)
    until(sat, lambda: sat.cup.requested is None)
    (match,) = CupHistory(sat.on_disk()).matches
    assert verify_match(match).is_proven
    assert of(sat, OpeningRolled) == []


def test_a_commitment_waits_for_the_step_that_records_it(served):
    with CupConnection(PortSearch(served.url)) as cup:
        in_match, state = CupInMatch(cup, SHORT, ()), MatchState()
        assert in_match.step(state, (), Timestamp(1.0, 1)) == []
        end = time.monotonic() + PATIENCE
        while not in_match._call[0].done():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert in_match.shown(state)["stage"] == "none"
        (committed,) = in_match.step(state, (), Timestamp(7.0, 70))
        assert (type(committed), committed.time, committed.frame) == (CupCommitted, 7.0, 70)
        assert in_match.shown(state)["stage"] == "committed"
