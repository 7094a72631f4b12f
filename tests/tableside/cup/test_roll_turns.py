"""A cup's roll counts for the turn that it was made for, and for no other, whatever happens."""

import os
import time

import pytest

from engine.events.cup import CupRolled
from engine.events.match import DiceRolled, GameStart, OpeningRolled, TurnEnded
from engine.match.fold import apply_event, fold
from engine.match.phase import Phase
from engine.position import Side
from engine.rules import SHORT
from engine.timestamp import Timestamp
from hardware.connection import CupConnection
from hardware.errors import NoCup
from hardware.ports import PortSearch, open_port
from hardware.served_cup import ServedCup
from tableside.cup.history import CupHistory
from tableside.cup.throws import CupThrows, recorded_turn
from tableside.cup.verify import count_cup_rolls, verify_match
from tests.tableside.recording.test_manual_match import ManualMatch
from webui.contracts.desk import DeskCommand, PlayEntered, Resignation, RollEntered
from webui.contracts.roles import Visibility


class Plug:
    """The cup's plug: pulled, or in and silent, or in."""

    def __init__(self, served):
        self.served, self.is_out, self.is_held = served, False, False
        self.reason = "unplugged"

    def open(self, url):
        if self.is_out:
            raise NoCup(self.reason)
        return HeldPort(self, open_port(url))

    def pull(self, running):
        self.is_out = True
        self.served.unplug()
        running.until(lambda: running.table.state()["cup"]["state"] not in ("ready", "rolling"))


class HeldPort:
    """A port whose cup is not heard while the plug is held."""

    def __init__(self, plug, port):
        self.plug, self.port, self.write, self.close = plug, port, port.write, port.close

    @property
    def in_waiting(self):
        return 0 if self.plug.is_held else self.port.in_waiting

    def read(self, size=1):
        if self.plug.is_held:
            time.sleep(0.01)
            return b""
        return self.port.read(size)


@pytest.fixture
def served():
    with ServedCup(os.urandom) as one:
        yield one


@pytest.fixture
def plug(served):
    return Plug(served)


@pytest.fixture
def cup(plug):
    with CupConnection(PortSearch(plug.served.url), opener=plug.open) as one:
        yield one


@pytest.fixture
def match(cup, tmp_path):
    """Ann has opened with 3-1 by hand, Bob has played 4-2, and Ann is to roll; the cup is armed."""
    running = ManualMatch(tmp_path, cup, length=5)
    try:
        running.until(lambda: cup.requested is not None)
        running.desk.execute(RollEntered((3, 1)))
        running.desk.execute(PlayEntered("8/5 6/5"))
        running.desk.execute(RollEntered((4, 2)))
        running.desk.execute(PlayEntered("24/22 13/9"))
        armed_for(running, cup, Side.LIGHT)
        yield running
    finally:
        running.close()


def armed_for(running, cup, player):
    """Wait until the cup itself is armed for that player's roll."""

    def is_so():
        requested = cup._client.requested
        turn = None if requested is None else requested.turn
        return turn is not None and turn.player is player and cup._client._is_sent

    running.until(is_so)
    running.until(lambda: running.live._cup._cup.view.status is not None)
    time.sleep(0.1)  # the command is on the line


def by_hand(running, dice=(2, 1), play="13/11 6/5"):
    running.desk.execute(RollEntered(dice))
    running.desk.execute(PlayEntered(play))


def why(running):
    return str(running.table.state()["cup"]["why"])


def unused(running):
    """The cup's only roll, once it is recorded; it must be no roll of the match."""
    running.until(lambda: running.of(CupRolled))
    (made,) = running.of(CupRolled)
    assert [one.by for one in running.of(DiceRolled | OpeningRolled)].count("cup") == 0
    return made


def is_whole(running):
    """The record is proven so far, and the next throw is used."""
    (proof,) = CupHistory(running.recorder.events).matches
    assert verify_match(proof).faults == ()
    use = count_cup_rolls(running.recorder.events)
    assert (use.unused, use.unfit) == (1, 0)


def test_a_roll_that_arrives_after_its_turn_was_played_by_hand_is_not_the_opponents(
    match, served, plug, cup
):
    plug.pull(match)
    served.throw()
    by_hand(match)
    plug.is_out = False
    made = unused(match)
    assert (made.unused, made.game, made.turn, made.player) == ("late", 1, 3, Side.LIGHT)
    armed_for(match, cup, Side.DARK)
    assert (match.state.phase, match.state.to_move) == (Phase.TO_ROLL, Side.DARK)
    assert "double" in match.desk.status()["can"]
    assert f"{made.dice[0]}-{made.dice[1]} does not count" in why(match)
    is_whole(match)
    served.throw()
    match.until(lambda: match.state.phase is Phase.TO_PLAY)
    rolled = match.of(DiceRolled)[-1]
    assert (rolled.player, rolled.by, rolled.cup_roll) == (Side.DARK, "cup", made.number + 1)
    assert why(match) == ""


def test_a_roll_that_arrives_in_its_own_turn_counts(match, served, plug):
    plug.pull(match)
    served.throw()
    plug.is_out = False
    match.until(lambda: match.state.phase is Phase.TO_PLAY)
    rolled = match.of(DiceRolled)[-1]
    assert (rolled.player, rolled.by) == (Side.LIGHT, "cup")
    assert (match.of(CupRolled)[-1].unused, match.of(CupRolled)[-1].player) == (None, Side.LIGHT)


def test_a_cup_that_was_set_aside_has_no_roll_left_when_it_is_taken_up_again(
    match, served, plug, cup
):
    plug.pull(match)
    served.throw()
    match.desk.execute(DeskCommand.CUP_ASIDE)
    by_hand(match)
    plug.is_out = False
    made = unused(match)
    assert made.unused == "aside"
    assert "does not count: the cup was set aside" in why(match)
    match.desk.execute(DeskCommand.CUP_BACK)
    armed_for(match, cup, Side.DARK)
    assert (match.state.phase, match.state.to_move) == (Phase.TO_ROLL, Side.DARK)
    is_whole(match)


def test_a_roll_asked_for_before_the_cup_was_set_aside_is_not_used_afterwards(match, plug, cup):
    plug.is_held = True
    match.desk.execute(DeskCommand.CUP_ROLL)
    match.desk.execute(DeskCommand.CUP_ASIDE)
    by_hand(match)
    plug.is_held = False
    match.until(lambda: not cup._client.may_be_armed)
    rolls = match.of(CupRolled)
    assert [one.unused for one in rolls] in ([], ["aside"])
    match.desk.execute(DeskCommand.CUP_BACK)
    armed_for(match, cup, Side.DARK)
    assert (match.state.phase, match.state.to_move) == (Phase.TO_ROLL, Side.DARK)
    assert match.of(CupRolled) == rolls


def test_only_the_referee_learns_where_a_cup_that_is_gone_was_plugged_in(match, plug):
    plug.reason = "/dev/cup of ann cannot be opened"
    plug.pull(match)

    def told(visibility):
        return str(match.table.state(visibility)["cup"]["why"])

    match.until(lambda: "/dev/cup" in told(Visibility.EVERYTHING))
    assert told(Visibility.PLAYERS) == "the cup is not connected"
    assert told(Visibility.AUDIENCE) == "the cup is not connected"


def test_a_roll_of_the_game_before_is_not_used_in_the_next(match, served, plug, cup):
    plug.pull(match)
    served.throw()
    match.desk.execute(Resignation(Side.LIGHT))
    match.desk.execute(DeskCommand.BEGIN_GAME)
    plug.is_out = False
    assert unused(match).unused == "late"
    match.until(lambda: served.is_armed)
    served.throw()
    match.until(lambda: len(match.of(OpeningRolled)) == 2)
    assert match.of(OpeningRolled)[-1].by == "cup"


def test_a_throw_whose_turn_was_undone_waits_for_it_and_does_not_lock_the_cup(match, served, cup):
    by_hand(match)
    armed_for(match, cup, Side.DARK)
    served.throw()
    match.until(lambda: match.state.phase is Phase.TO_PLAY)
    dice = match.state.roll
    for _ in range(6):
        match.desk.execute(DeskCommand.UNDO)
    assert match.state.to_move is None
    assert "waits for the turn" in why(match)
    match.until(lambda: served.is_armed)
    match.desk.execute(DeskCommand.CUP_ROLL)
    match.until(lambda: match.state.phase is Phase.TO_PLAY or len(match.of(OpeningRolled)) > 1)
    assert match.of(OpeningRolled)[-1].by == "cup"
    while match.state.to_move is None:  # equal lots
        match.desk.execute(RollEntered((3, 1)))
    assert match.of(DiceRolled)[-1].dice == dice  # it has come back for no other turn
    assert [one.unused for one in match.of(CupRolled)][-1] is None


def test_an_undone_turn_gets_the_throw_that_was_made_for_it_again(match, served, cup):
    by_hand(match)
    armed_for(match, cup, Side.DARK)
    served.throw()
    match.until(lambda: match.state.phase is Phase.TO_PLAY)
    dice = match.state.roll
    for _ in range(2):
        match.desk.execute(DeskCommand.UNDO)
    assert (match.state.phase, match.state.to_move) == (Phase.TO_ROLL, Side.LIGHT)
    match.until(lambda: served.is_armed)
    by_hand(match, (6, 5), "24/18 13/8")
    match.until(lambda: match.state.phase is Phase.TO_PLAY)
    assert (match.state.to_move, match.state.roll) == (Side.DARK, dice)


def test_a_roll_made_while_no_program_ran_is_recorded_as_unused(match, served, plug, cup, tmp_path):
    number = match.match
    plug.pull(match)
    served.throw()
    match.close()
    with CupConnection(PortSearch(served.url)) as other:
        again = ManualMatch(tmp_path, other, number, length=5)
        made = unused(again)
        assert (made.unused, made.game) == ("unasked", 0)
        assert "while the program was not running" in why(again)
        again.until(lambda: served.is_armed)
        assert (again.state.phase, again.state.to_move) == (Phase.TO_ROLL, Side.LIGHT)
        again.close()


def test_a_program_that_ends_leaves_the_cup_unarmed(match, served, cup):
    assert served.is_armed
    match.close()
    cup.close()
    assert not served.is_armed
    match.thread.join()


def test_with_a_camera_a_late_roll_ends_no_turn(match, served, plug):
    plug.pull(match)
    served.throw()
    match.desk.execute(RollEntered((2, 1)))
    plug.is_out = False
    late = unused(match)
    state = fold(match.recorder.events)
    assert state.phase is Phase.TO_PLAY
    throws = CupThrows(is_manual=False, throws_alone=False)
    throws.follow(state)
    turn = recorded_turn(late)
    assert turn is not None
    assert throws.is_late(turn, "two")
    throws.add(late, turn)
    assert throws.next_event(state, Timestamp(50.0, 50)) is None
    assert TurnEnded not in map(type, match.recorder.events)


def test_an_opening_roll_stays_when_the_beginning_of_its_game_is_undone(match, cup, served):
    def opened():
        return [one for one in match.of(OpeningRolled) if one.by == "cup"]

    match.desk.execute(Resignation(player=Side.DARK, points=1))
    match.desk.execute(DeskCommand.BEGIN_GAME)
    armed_for(match, cup, None)
    served.throw()
    match.until(opened)
    thrown = match.of(CupRolled)[-1].dice
    match.desk.execute(DeskCommand.UNDO)
    assert (match.state.phase, match.state.score) == (Phase.OVER, (1, 0))
    match.desk.execute(DeskCommand.BEGIN_GAME)
    match.until(lambda: len(opened()) == 2)
    assert [(one.light, one.dark) for one in opened()] == [thrown, thrown]
    # Nor does a restart forget it, between the games or after.
    throws = CupThrows(is_manual=True, throws_alone=False)
    throws.follow(match.state)
    assert not throws.is_made
    assert {one.number for one in match.of(CupRolled)} == {1}


def test_an_opening_roll_waits_for_its_game_after_a_restart(match, cup, served):
    match.desk.execute(Resignation(player=Side.DARK, points=1))
    match.desk.execute(DeskCommand.BEGIN_GAME)
    armed_for(match, cup, None)
    served.throw()
    match.until(lambda: [one for one in match.of(OpeningRolled) if one.by == "cup"])
    match.desk.execute(DeskCommand.UNDO)
    restarted = CupThrows(is_manual=True, throws_alone=False)
    restarted.follow(match.state)
    assert "waits for the turn" in str(restarted.why)
    begun = GameStart(time=99.0, frame=99, position=SHORT.opening())
    state = apply_event(match.state, begun)
    later = CupThrows(is_manual=True, throws_alone=False)
    later.follow(state)
    assert later.is_made
