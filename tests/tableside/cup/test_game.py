"""A virtual cup in a match that is being watched: its throws are the rolls, and are proven."""

import os
import threading
import time

import pytest

from engine import NotNow, PlayMade
from engine.dice import Roll
from engine.events.cup import CupDecided, CupDisagrees, CupRevealed, CupRolled, CupSealed
from engine.events.match import DiceRolled, OpeningRolled, PlayAccepted, TurnEnded
from engine.match.phase import Phase
from engine.rules import SHORT
from engine.rules.legal import legal_plays
from engine.simulation.board import die
from engine.timestamp import Timestamp
from hardware.connection import CupConnection
from hardware.ports import PortSearch
from hardware.served_cup import ServedCup
from tableside.cup import worker as cup_errands
from tableside.cup.game import CupInMatch
from tableside.cup.verify import cup_matches, use_of, verdict_of
from tests.tableside.running_match import OPENING, Sat, after
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

        one = Sat(tmp_path, monkeypatch, cup_at)
        one.cup = cup
        yield one
        one.close()


def until(sat, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, (sat.sitting._cup.shown(), sat.recorder.state.message)
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
        if sat.cup.asked_for is not None:
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
    (match,) = cup_matches(sat.on_disk())
    assert verdict_of(match).faults == ()
    assert match.sealed.light_words == "Ann"
    assert use_of(sat.on_disk()).others == 0


def test_dice_on_the_board_that_are_not_the_cups_are_told_to_the_referee_once(sat, served):
    sat.begin()
    while sat.recorder.state.to_move is None:
        thrown(sat, served)
        until(sat, lambda: len(of(sat, OpeningRolled)) == len(of(sat, CupRolled)))
    roll = sat.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    sat.sitting._session._watch.dice = dice
    until(sat, lambda: of(sat, CupDisagrees))
    sat.board.rest(3)
    sat.show()
    (told,) = of(sat, CupDisagrees)
    assert told.seen == (other, other)
    assert set(told.dice) == set(roll)
    assert sat.table.state()["cup"]["disagrees"] == {"cup": list(told.dice), "seen": [other, other]}
    sat.sitting._session._watch.dice = ()
    play_any(sat)
    thrown(sat, served)
    until(sat, lambda: sat.recorder.state.turns)
    assert sat.table.state()["cup"]["disagrees"] is None


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
    sat.sitting._session._watch.dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    until(sat, lambda: of(sat, CupDisagrees))
    assert words[stands].value in sat.desk.status()["can"]
    sat.desk.execute(words[stands])
    counts = {"cup": roll, "board": (other, other)}[stands]
    assert sat.recorder.state.roll == counts
    assert sat.table.state()["cup"]["disagrees"] is None
    (decided,) = of(sat, CupDecided)
    assert (decided.dice, decided.stands) == (counts, stands)
    sat.sitting._session._watch.dice = ()
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
    state, told = sat.recorder.state, []

    def tell(event):
        told.append(event)
        return [event]

    def now():
        at = state
        for event in told:
            at = at.after(event)
        return at

    for _ in range(3):
        again.step(tell, now, dice, Timestamp(9.0, 99))
    assert [type(event) for event in told] == [CupDisagrees]
    assert again.shown()["disagrees"]["seen"] == [other, other]
    later = CupInMatch(sat.cup, SHORT, [*sat.recorder.events, *told], ("Ann", "Bob"))
    later.step(tell, now, dice, Timestamp(9.0, 99))
    assert len(told) == 1
    assert later.shown()["disagrees"] is not None


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
    sat.sitting._cup._yields = True
    roll = sat.recorder.state.roll
    other = 6 if 6 not in roll else (5 if 5 not in roll else 4)
    sat.sitting._session._watch.dice = (die(other, (0.7, 0.4)), die(other, (0.8, 0.6)))
    until(sat, lambda: of(sat, CupDisagrees))
    shown = sat.table.state()["cup"]
    assert shown["state"] == "aside"
    assert "real dice" in shown["why"]
    until(sat, lambda: sat.cup.asked_for is None)


def test_a_cup_that_is_pulled_shows_on_the_page_and_comes_back(sat, served):
    sat.begin()
    until(sat, lambda: sat.table.state()["cup"]["state"] == "rolling")
    served.unplug()
    until(sat, lambda: sat.table.state()["cup"]["state"] not in ("ready", "rolling"))
    until(sat, lambda: sat.table.state()["cup"]["state"] in ("ready", "rolling"))


def test_a_match_that_is_ended_by_hand_is_proven_and_no_throw_follows(sat, served):
    sat.begin()
    until(sat, lambda: sat.cup.asked_for is not None)
    telling = threading.Thread(target=sat.desk.execute, args=[DeskCommand.END_MATCH])
    telling.start()
    until(sat, lambda: of(sat, CupRevealed))
    telling.join(PATIENCE)
    until(sat, lambda: sat.cup.asked_for is None)
    (match,) = cup_matches(sat.on_disk())
    assert verdict_of(match).is_proven
    assert of(sat, OpeningRolled) == []


def test_what_waits_too_long_to_be_recorded_is_not_recorded_later(sat, monkeypatch):
    monkeypatch.setattr(cup_errands, "PATIENCE", 0.2)
    sat.begin()
    until(sat, lambda: of(sat, CupSealed))
    at_table, late = (
        sat.sitting._cup,
        CupSealed(time=0, frame=0, cup="c", match=1, host="00", light_words="", dark_words=""),
    )
    with pytest.raises(TimeoutError):
        at_table._errands.keep(late)  # nobody steps meanwhile
    sat.board.rest(2)
    sat.show()
    assert late not in of(sat, CupSealed)
