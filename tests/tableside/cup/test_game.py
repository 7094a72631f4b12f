"""A virtual cup in a match that the camera watches: its throws are the rolls, and are proven."""

import os
import threading
import time
from concurrent.futures import Future
from typing import Any

import pytest

from engine import GameStart, MatchState, NotNow, PlayMade, fold
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
from hardware.errors import NoCup
from hardware.ports import PortSearch
from hardware.served_cup import ServedCup
from tableside.cup.game import CupInMatch
from tableside.cup.history import CupHistory
from tableside.cup.verify import count_cup_rolls, verify_match
from tableside.desk.availability import DeskContext, why_not
from tests.tableside.running_match import OPENING, RunningMatch, after
from webui.contracts.desk import DeskCommand, PlayEntered

PATIENCE = 60


@pytest.fixture
def served():
    with ServedCup(os.urandom) as one:
        yield one


@pytest.fixture
def running(served, tmp_path, monkeypatch):
    with CupConnection(PortSearch(served.url)) as cup:

        def cup_at(recorder):
            return CupInMatch(cup, recorder.events, ("Ann", "Bob"))

        one: Any = RunningMatch(tmp_path, cup_at)
        one.cup = cup
        yield one
        one.close()


def until(running, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, (
            running.live._cup.shown(running.recorder.state),
            prompt_of(running.recorder.state),
        )
        running.board.rest(1)
        running.show()
        time.sleep(0.02)


def of(running, kind):
    return [event for event in running.recorder.events if isinstance(event, kind)]


def thrown(running, served):
    """Shake the cup once it is armed; its roll becomes the match's."""
    rolls = len(of(running, CupRolled))
    end = time.monotonic() + PATIENCE
    while len(of(running, CupRolled)) == rolls:
        assert time.monotonic() < end, running.cup.view
        if running.cup.requested is not None:
            served.throw()
        running.board.rest(1)
        running.show()
        time.sleep(0.05)


def play_any(running):
    state = running.recorder.state
    high, low = state.roll
    best = legal_plays(state.position, state.to_move, Roll(high, low), SHORT)[0]
    running.board.play(best.position)
    running.show()


def test_a_game_begins_and_goes_on_with_the_cup_alone(running, served):
    running.begin()
    while running.recorder.state.to_move is None:
        thrown(running, served)  # equal lots are drawn again
        until(running, lambda: len(of(running, OpeningRolled)) == len(of(running, CupRolled)))
    for turns in range(1, 5):
        play_any(running)
        thrown(running, served)
        until(running, lambda turns=turns: len(running.recorder.state.turns) == turns)
        until(running, lambda turns=turns: len(of(running, DiceRolled)) == turns)
    made = of(running, PlayMade)
    assert len(made) == 4
    assert all(one.legal for one in made)
    assert running.table.state()["cup"]["state"] in ("ready", "rolling")
    (match,) = CupHistory(running.on_disk()).matches
    assert verify_match(match).faults == ()
    assert match.sealed.light_words == "Ann"
    assert count_cup_rolls(running.on_disk()).others == 0


def test_dice_on_the_board_that_are_not_the_cups_are_shown_to_the_referee_once(running, served):
    running.begin()
    while running.recorder.state.to_move is None:
        thrown(running, served)
        until(running, lambda: len(of(running, OpeningRolled)) == len(of(running, CupRolled)))
    roll = running.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    running.live._session._watcher.dice = dice
    until(running, lambda: of(running, CupDisagrees))
    running.board.rest(3)
    running.show()
    (event,) = of(running, CupDisagrees)
    assert event.seen == (other, other)
    assert set(event.dice) == set(roll)
    assert running.table.state()["cup"]["disagrees"] == {
        "cup": list(event.dice),
        "seen": [other, other],
    }
    running.live._session._watcher.dice = ()
    play_any(running)
    thrown(running, served)
    until(running, lambda: running.recorder.state.turns)
    until(running, lambda: running.table.state()["cup"]["disagrees"] is None)


@pytest.mark.parametrize("counting", ["cup", "board"])
def test_the_referee_decides_which_of_two_rolls_counts(running, served, counting):
    running.begin()
    while running.recorder.state.to_move is None:
        thrown(running, served)
        until(running, lambda: len(of(running, OpeningRolled)) == len(of(running, CupRolled)))
    roll = running.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    commands = {"cup": DeskCommand.CUP_STANDS, "board": DeskCommand.DICE_STAND}
    with pytest.raises(NotNow, match="no other dice lie"):
        running.desk.execute(commands[counting])
    running.live._session._watcher.dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    until(running, lambda: of(running, CupDisagrees))
    assert commands[counting].value in running.desk.status()["can"]
    running.desk.execute(commands[counting])
    counts = {"cup": roll, "board": (other, other)}[counting]
    assert running.recorder.state.roll == counts
    assert running.table.state()["cup"]["disagrees"] is None
    (decided,) = of(running, CupDecided)
    assert (decided.dice, decided.source) == (counts, counting)
    running.live._session._watcher.dice = ()
    play_any(running)
    thrown(running, served)
    until(running, lambda: running.recorder.state.turns)
    (made,) = of(running, PlayMade)
    assert (made.dice, made.legal) == (counts, True)


def test_other_dice_of_the_turn_in_progress_are_recorded_after_a_restart(running, served):
    running.begin()
    while running.recorder.state.to_move is None:
        thrown(running, served)
        until(running, lambda: len(of(running, OpeningRolled)) == len(of(running, CupRolled)))
    other = next(face for face in (6, 5, 4) if face not in running.recorder.state.roll)
    again = CupInMatch(running.cup, running.recorder.events, ("Ann", "Bob"))
    dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    state, now = running.recorder.state, Timestamp(9.0, 99)
    recorded = []
    while events := again.step(state, dice, now):
        recorded += events
        for event in events:
            state = apply_event(state, event)
    assert [type(event) for event in recorded] == [CupDisagrees]
    assert again.shown(state)["disagrees"]["seen"] == [other, other]
    later = CupInMatch(running.cup, [*running.recorder.events, *recorded], ("Ann", "Bob"))
    assert later.step(state, dice, now) == []
    assert later.shown(state)["disagrees"] is not None


def test_a_throw_that_ended_a_turn_does_not_answer_for_the_players(running, served):
    running.begin()
    while running.recorder.state.to_move is None:
        thrown(running, served)
        until(running, lambda: len(of(running, OpeningRolled)) == len(of(running, CupRolled)))
    thrown(running, served)
    until(running, lambda: of(running, TurnEnded))
    running.board.play(after(OPENING, running.recorder.state.to_move, "24/23"))
    running.desk.execute(PlayEntered("24/23"))
    assert running.recorder.state.phase is Phase.DISPUTED
    running.show()
    assert running.recorder.state.phase is Phase.DISPUTED
    running.desk.execute(DeskCommand.ACCEPT)
    until(running, lambda: of(running, DiceRolled))
    assert [one.by for one in of(running, PlayAccepted)] == ["hand"]


def test_a_virtual_cup_is_set_aside_by_the_first_real_dice(running, served):
    running.begin()
    while running.recorder.state.to_move is None:
        thrown(running, served)
        until(running, lambda: len(of(running, OpeningRolled)) == len(of(running, CupRolled)))
    running.live._cup._yields = True
    roll = running.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    running.live._session._watcher.dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    until(running, lambda: running.table.state()["cup"]["state"] == "aside")
    assert of(running, CupDisagrees)
    assert "real dice" in str(running.table.state()["cup"]["why"])
    until(running, lambda: running.cup.requested is None)


def test_a_cup_that_is_pulled_shows_on_the_page_and_comes_back(running, served):
    running.begin()
    until(running, lambda: running.table.state()["cup"]["state"] == "rolling")
    served.unplug()
    until(running, lambda: running.table.state()["cup"]["state"] not in ("ready", "rolling"))
    until(running, lambda: running.table.state()["cup"]["state"] in ("ready", "rolling"))


def test_a_match_that_is_ended_by_hand_is_proven_and_no_throw_follows(running, served):
    running.begin()
    until(running, lambda: running.cup.requested is not None)
    command = threading.Thread(target=running.desk.execute, args=[DeskCommand.END_MATCH])
    command.start()
    until(running, lambda: of(running, CupRevealed))
    command.join(PATIENCE)
    until(running, lambda: running.cup.requested is None)
    (match,) = CupHistory(running.on_disk()).matches
    assert verify_match(match).is_proven
    assert of(running, OpeningRolled) == []


def test_a_commitment_waits_for_the_step_that_records_it(served):
    with CupConnection(PortSearch(served.url)) as cup:
        in_match, state = CupInMatch(cup, ()), MatchState()
        end = time.monotonic() + PATIENCE
        for _ in ("nothing was left at the cup", "commitment"):
            assert in_match.step(state, (), Timestamp(1.0, 1)) == []
            while not in_match._call[0].done():
                assert time.monotonic() < end
                time.sleep(0.01)
        assert in_match.shown(state)["stage"] == "none"
        (committed,) = in_match.step(state, (), Timestamp(7.0, 70))
        assert (type(committed), committed.time, committed.frame) == (CupCommitted, 7.0, 70)
        assert in_match.shown(state)["stage"] == "committed"


def test_the_desk_offers_a_roll_only_once_the_cup_would_make_it(served):
    with CupConnection(PortSearch(served.url)) as cup:
        in_match = CupInMatch(cup, (), ("Ann", "Bob"))
        state = fold([GameStart(time=0.0, frame=0, position=OPENING)])
        shown, end = [], time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < end, shown[-1]
            in_match.step(state, (), Timestamp(1.0, 1))
            context = DeskContext(state, SHORT, cup=in_match.shown(state))
            shown.append((context.cup["state"], context.cup["stage"]))
            if not why_not(DeskCommand.CUP_ROLL, context):
                break
            time.sleep(0.005)
        in_match.execute(DeskCommand.CUP_ROLL, state, Timestamp(2.0, 2))
        assert ("busy", "sealed") in shown
        assert shown[-1][0] in ("ready", "rolling")


def test_only_the_referee_reads_at_which_port_a_command_to_the_cup_failed(served):
    with CupConnection(PortSearch(served.url)) as cup:
        in_match, state = CupInMatch(cup, ()), MatchState()
        failed: Future[Any] = Future()
        failed.set_exception(NoCup("/dev/cup of ann: no answer"))
        end = time.monotonic() + PATIENCE
        while cup.view.why:  # it is still searched for
            assert time.monotonic() < end, cup.view
            time.sleep(0.005)
        in_match.step(state, (), Timestamp(1.0, 1))
        in_match._call = failed, lambda *_: []
        in_match.step(state, (), Timestamp(2.0, 2))
        assert in_match.shown(state, names_port=True)["why"] == "/dev/cup of ann: no answer"
        assert in_match.shown(state)["why"] == ""
