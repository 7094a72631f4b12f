"""A match without a camera, rolled with two virtual dice with Bluetooth."""

import random
import time

import pytest

from engine import DiceVoid, NotNow
from engine.events.cup import BluetoothRolled
from engine.events.match import DiceRolled, OpeningRolled, PlayMade
from engine.match.phase import Phase
from engine.rules import SHORT
from hardware.bluetooth.dice_connection import DiceConnection, DiceState
from hardware.bluetooth.virtual_die import DieFaults, virtual_radio
from tableside.cup.bluetooth import DiceInMatch
from tableside.dice.rows import rows_from_events
from tests.hardware.bluetooth.test_dice_connection import settled
from tests.tableside.recording.test_manual_match import ManualMatch
from webui.contracts.desk import DeskCommand, PlayEntered, RollEntered
from webui.views.cup_status import cup_line


@pytest.fixture
def radio():
    return virtual_radio(random.Random(7))


class Now:
    """A clock that can be set forward."""

    seconds = 0.0

    def __call__(self):
        return time.monotonic() + self.seconds


@pytest.fixture
def now():
    return Now()


@pytest.fixture
def dice(radio, now):
    with DiceConnection(radio, find_s=0.01, retry_s=0.01, clock=now) as one:
        yield one


@pytest.fixture
def running(tmp_path, dice, radio):
    one = ManualMatch(
        tmp_path,
        roller=lambda recorder: DiceInMatch(dice, SHORT, recorder.events, radio.throw),
        length=3,
    )
    one.until(lambda: dice.view.state is DiceState.READY)
    yield one
    one.close()


def rolled(running):
    """Throw until there is something to play."""
    while running.state.phase is Phase.TO_ROLL:
        before = len(running.of(DiceRolled | OpeningRolled))
        running.desk.execute(DeskCommand.CUP_ROLL)
        running.until(lambda n=before: len(running.of(DiceRolled | OpeningRolled)) > n)


def play(running):
    running.desk.execute(PlayEntered(running.any_play(random.Random(1))))


def shown(running):
    return running.table.state()["cup"]


def test_the_throws_of_the_dice_are_the_rolls_of_the_match(running, radio):
    for _ in range(6):
        rolled(running)
        play(running)
    made = running.of(BluetoothRolled)
    assert [one.number for one in made] == list(range(1, len(made) + 1))
    assert made[0].kind == "opening"
    opening = running.of(OpeningRolled)[0]
    assert (opening.light, opening.dark) == made[0].dice
    assert opening.by == "bluetooth"
    rolls = [one.dice for one in running.of(DiceRolled)]
    assert rolls == [tuple(sorted(one.dice, reverse=True)) for one in made if one.kind == "two"]
    assert {one.by for one in running.of(DiceRolled)} == {"bluetooth"}


def test_each_die_has_its_own_statistics(running, radio):
    for _ in range(4):
        rolled(running)
        play(running)
    rows = list(rows_from_events(running.recorder.events))
    faces = {name: [] for name in (die.name for die in radio.dice)}
    for made in running.of(BluetoothRolled):
        for name, face in zip(made.names, made.dice, strict=True):
            faces[name].append(face)
    assert {name: [row.value for row in rows if row.die == name] for name in faces} == faces


def test_a_throw_made_while_a_play_is_due_does_not_count(running, radio):
    rolled(running)
    before = running.of(BluetoothRolled)
    for _ in range(3):
        radio.throw()
        settled(radio)
    running.until(lambda: "does not count" in str(shown(running)["why"]))
    first, second = sorted((die.face for die in radio.dice), reverse=True)
    said = f"{first}-{second} does not count: roll again when it is your turn"
    running.until(lambda: str(shown(running)["why"]) == said)
    play(running)
    running.desk.execute(DeskCommand.DOUBLE)
    assert running.of(BluetoothRolled) == before
    running.desk.execute(DeskCommand.TAKE)
    rolled(running)
    faces = tuple(sorted((die.face for die in radio.dice), reverse=True))
    assert running.of(DiceRolled)[-1].dice == faces
    running.until(lambda: not shown(running)["why"])


def test_a_throw_at_the_last_moment_before_the_play_is_entered_does_not_count(running, radio):
    """Nor if the program takes note of it only together with the play."""
    rolled(running)
    before = len(running.of(BluetoothRolled))
    for _ in range(10):
        number = len(running.of(PlayMade))
        radio.throw()
        settled(radio)
        play(running)
        running.until(lambda n=number: len(running.of(PlayMade)) > n)
        running.desk.execute(DeskCommand.PAUSE)  # it goes on without what was thrown
        running.desk.execute(DeskCommand.GO_ON)
        assert len(running.of(BluetoothRolled)) == before
        rolled(running)
        before = len(running.of(BluetoothRolled))


def test_the_second_click_on_roll_is_not_the_opponents_roll(running, radio):
    rolled(running)
    play(running)
    before = len(running.of(DiceRolled))
    radio.throw()
    faces = tuple(sorted((die.face for die in radio.dice), reverse=True))
    radio.throw()  # by a second click that came before the first throw was noted
    running.until(lambda: "does not count" in str(shown(running)["why"]))
    with pytest.raises(NotNow, match="not time to roll"):
        running.desk.execute(DeskCommand.CUP_ROLL)
    play(running)
    assert [roll.dice for roll in running.of(DiceRolled)[before:]] == [faces]
    assert running.state.phase is Phase.TO_ROLL


def test_dice_that_are_thrown_one_by_one_are_a_void_throw_of_the_record(running, radio, now):
    rolled(running)
    play(running)
    player = running.state.to_move
    radio.send(radio.dice[0], radio.dice[0].throw())
    settled(radio)
    now.seconds += 60
    radio.send(radio.dice[1], radio.dice[1].throw())
    running.until(lambda: running.of(DiceVoid))
    (void,) = running.of(DiceVoid)
    assert (void.player, void.reason) == (player, "apart")
    assert void.dice == tuple(die.face for die in radio.dice)
    why = "the dice were not thrown together"
    running.until(lambda: str(shown(running)["why"]) == f"{why}; throw both again")
    assert str(running.table.state()["void"]["note"]).startswith(why)
    rolled(running)
    assert running.state.phase is Phase.TO_PLAY


def test_a_throw_while_play_is_paused_is_kept_and_does_not_count(running, radio):
    rolled(running)
    play(running)
    player, rolls = running.state.to_move, running.of(DiceRolled)
    running.desk.execute(DeskCommand.PAUSE)
    with pytest.raises(NotNow, match="play is paused"):
        running.desk.execute(DeskCommand.CUP_ROLL)
    assert str(running.desk.status()["cannot"]["cup_roll"]) == "play is paused"
    radio.throw()
    faces = tuple(die.face for die in radio.dice)
    running.until(lambda: running.of(DiceVoid))
    running.until(lambda: "since play is paused" in str(shown(running)["why"]))
    radio.throw()
    settled(radio)
    running.desk.execute(DeskCommand.GO_ON)  # takes note of it first
    voids = running.of(DiceVoid)
    assert [(one.player, one.reason) for one in voids] == [(player, "paused")] * 2
    assert voids[0].dice == faces
    assert running.of(DiceRolled) == rolls
    rows = [row for row in rows_from_events(running.recorder.events) if row.reason == "paused"]
    assert [row.value for row in rows[:2]] == list(faces)
    assert str(running.table.state()["void"]["note"]).startswith("thrown while play was paused")
    rolled(running)
    running.until(lambda: not shown(running)["why"])


def test_a_throw_in_a_pause_before_the_play_is_entered_changes_nothing(running, radio):
    rolled(running)
    roll, events = running.state.roll, len(running.of(DiceRolled | BluetoothRolled | DiceVoid))
    running.desk.execute(DeskCommand.PAUSE)
    radio.throw()
    settled(radio)
    running.until(lambda: "since play is paused" in str(shown(running)["why"]))
    running.desk.execute(DeskCommand.GO_ON)
    assert len(running.of(DiceRolled | BluetoothRolled | DiceVoid)) == events
    assert running.state.roll == roll


def test_the_page_says_whose_die_is_whose_until_the_opening_roll(running, radio):
    running.until(lambda: shown(running)["why"])
    assert str(shown(running)["why"]) == "light: GoDice_A1B2C3_K_v04, dark: Pixel"
    rolled(running)
    running.until(lambda: not shown(running)["why"])


def test_a_cocked_die_voids_the_throw_in_its_makers_word(running, radio):
    rolled(running)
    play(running)
    radio.dice[0]._faults = DieFaults(cocked=1.0)
    radio.throw()
    running.until(lambda: running.of(DiceVoid))
    (void,) = running.of(DiceVoid)
    assert void.reason == "cocked"
    assert void.dice == (None, radio.dice[1].face)
    running.until(lambda: shown(running)["why"])
    assert str(shown(running)["why"]) == "GoDice_A1B2C3_K_v04 lies tilted; throw both again"
    radio.dice[0]._faults = DieFaults()
    rolled(running)
    assert running.state.phase is Phase.TO_PLAY


def test_the_page_shows_the_battery_of_each_die(running, radio):
    radio.dice[1].percent = 9
    rolled(running)
    running.until(lambda: all(one["percent"] is not None for one in shown(running)["charges"]))
    line = cup_line(shown(running))
    assert line["text"] == "The dice are ready"
    assert "GoDice_A1B2C3_K_v04: 80 %" in line["why"]


def test_dice_that_are_set_aside_roll_no_more_and_rolls_are_entered(running, radio, dice):
    running.desk.execute(DeskCommand.CUP_ASIDE)
    with pytest.raises(NotNow):
        running.desk.execute(DeskCommand.CUP_ROLL)
    running.desk.execute(RollEntered((6, 1)))
    radio.throw()
    settled(radio)
    running.until(dice.throws.empty)
    running.until(lambda: shown(running)["state"] == "aside")
    assert running.of(BluetoothRolled) == []
    assert "cup_back" in running.desk.status()["can"]
    running.desk.execute(DeskCommand.CUP_BACK)
    play(running)
    rolled(running)
    assert running.of(DiceRolled)[-1].by == "bluetooth"


def test_what_only_a_cup_can_do_is_refused(running):
    status = running.desk.status()
    assert str(status["cannot"]["cup_reveal"]) == "these dice have no cup: throw them"
    with pytest.raises(NotNow, match="no cup"):
        running.desk.execute(DeskCommand.CUP_REVEAL)


def test_the_throw_is_kept_when_the_play_after_it_is_undone(running, radio):
    rolled(running)
    roll = running.state.roll
    play(running)
    running.desk.execute(DeskCommand.UNDO)
    running.until(lambda: running.state.phase is Phase.TO_PLAY)
    assert running.state.roll == roll
    with pytest.raises(NotNow):
        running.desk.execute(DeskCommand.UNDO)


def test_a_match_goes_on_after_a_restart(running, radio, tmp_path, dice):
    rolled(running)
    play(running)
    rolled(running)
    events = list(running.recorder.events)
    running.close()
    again = ManualMatch(
        tmp_path,
        match=running.match,
        length=3,
        roller=lambda recorder: DiceInMatch(dice, SHORT, recorder.events, radio.throw),
    )
    assert again.state.roll == running.state.roll
    play(again)
    rolled(again)
    assert (
        again.of(BluetoothRolled)[-1].number
        == len([one for one in events if isinstance(one, BluetoothRolled)]) + 1
    )
    again.close()
