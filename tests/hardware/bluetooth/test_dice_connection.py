"""The dice's thread against virtual dice: found, connected again, no throw invented."""

import random
import threading
import time
from dataclasses import replace
from queue import Empty

import pytest

from hardware.bluetooth.dice_connection import DiceConnection, DiceState
from hardware.bluetooth.godice import GODICE
from hardware.bluetooth.pixels import PIXELS
from hardware.bluetooth.virtual_die import DieFaults, VirtualDie, VirtualRadio, virtual_radio

PATIENCE = 30


def connected(radio, wanted=()):
    dice = DiceConnection(radio, wanted, find_s=0.01, retry_s=0.01)
    until(lambda: dice.view.state is DiceState.READY, dice)
    return dice


def until(is_so, dice):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, dice.view
        time.sleep(0.005)


def settled(radio):
    """Wait until the packets of the newest throw have arrived."""
    (client, *_) = radio._clients.values()
    done = threading.Event()
    client.loop.call_soon_threadsafe(done.set)
    assert done.wait(PATIENCE)


def test_both_dice_are_found_and_say_their_charge():
    radio = virtual_radio(random.Random(1))
    radio.dice[1].percent = 12
    with connected(radio) as dice:
        until(lambda: all(one.percent is not None for one in dice.view.charges), dice)
        assert [(one.percent, one.is_low) for one in dice.view.charges] == [(80, False), (12, True)]


def test_every_throw_comes_out_with_the_faces_of_the_dice():
    radio = virtual_radio(random.Random(2))
    with connected(radio) as dice:
        for _ in range(50):
            radio.throw()
            throw = dice.throws.get(timeout=PATIENCE)
            assert throw.faces == tuple(die.face for die in radio.dice)


def test_the_dice_are_reached_again_and_what_they_did_meanwhile_does_not_count():
    radio = virtual_radio(random.Random(3), DieFaults(breaks=1.0))
    with connected(radio) as dice:
        for _ in range(20):
            radio.throw()
            settled(radio)
            until(lambda: dice.view.state is DiceState.READY, dice)
        with pytest.raises(Empty):
            dice.throws.get_nowait()
        for die in radio.dice:
            die._faults = DieFaults()
        radio.throw()
        assert dice.throws.get(timeout=PATIENCE).faces == tuple(die.face for die in radio.dice)


def test_each_make_says_in_its_own_word_that_a_die_is_cocked():
    for make, word in ((GODICE, "tilted"), (PIXELS, "crooked")):
        chance = random.Random(4)
        cocked = VirtualDie(make, "A", chance, DieFaults(cocked=1.0))
        radio = VirtualRadio([cocked, VirtualDie(make, "B", chance)])
        with connected(radio) as dice:
            radio.throw()
            throw = dice.throws.get(timeout=PATIENCE)
            assert str(dice.cocked(throw)) == f"A lies {word}"


def test_dice_are_chosen_by_name_in_the_order_given():
    radio = virtual_radio(random.Random(5))
    with connected(radio, ("Pixel", "GoDice_A1B2C3_K_v04")) as dice:
        assert [one.name for one in dice.view.charges] == ["Pixel", "GoDice_A1B2C3_K_v04"]


@pytest.mark.parametrize(
    ("dice", "wanted", "why"),
    [
        ([], (), "two dice are needed, in reach: -"),
        (["A"], (), "two dice are needed, in reach: A"),
        (["A", "B"], ("A", "C"), "C is not in reach"),
        (["A", "B"], ("A", "A"), "A and A are one die: name two"),
    ],
)
def test_dice_that_are_not_there_are_named(dice, wanted, why):
    radio = VirtualRadio([VirtualDie(PIXELS, name, random.Random(1)) for name in dice])
    with DiceConnection(radio, wanted, find_s=0.01, retry_s=0.01) as one:
        until(lambda: why in str(one.view.why), one)
        assert one.view.state is DiceState.SEARCHING


class SwitchedOff(VirtualRadio):
    is_on = False

    async def find(self, seconds):
        if not self.is_on:
            raise OSError("it is switched off")
        return await super().find(seconds)


def test_a_radio_that_does_not_work_says_so_and_is_tried_again():
    radio = SwitchedOff(virtual_radio(random.Random(6)).dice, (OSError,))
    with DiceConnection(radio, find_s=0.01, retry_s=0.01) as one:
        until(lambda: "Bluetooth does not work: it is switched off" in str(one.view.why), one)
        radio.is_on = True
        until(lambda: one.view.state is DiceState.READY, one)


class Addressed(VirtualRadio):
    """Its dice have addresses besides their names, and the order of reception changes."""

    async def find(self, seconds):
        found = [replace(die, address=f"at {die.name}") for die in await super().find(seconds)]
        return found[::-1]


def test_a_die_that_is_named_twice_by_its_name_and_its_address_is_refused():
    radio = Addressed(virtual_radio(random.Random(7)).dice)
    with DiceConnection(radio, ("Pixel", "at Pixel"), find_s=0.01, retry_s=0.01) as one:
        until(lambda: str(one.view.why) == "Pixel and at Pixel are one die: name two", one)


def test_reception_does_not_decide_which_die_is_lights():
    for kind in (VirtualRadio, Addressed):
        with connected(kind(virtual_radio(random.Random(8)).dice)) as dice:
            assert [one.name for one in dice.view.charges] == ["GoDice_A1B2C3_K_v04", "Pixel"]


class Broken(VirtualRadio):
    """It fails in a way that no radio does."""

    def __init__(self, failing):
        super().__init__(virtual_radio(random.Random(9)).dice)
        self._failing = failing

    async def find(self, seconds):
        if self._failing == "find":
            raise LookupError("an error of the program")
        return await super().find(seconds)

    def client(self, found, gone):
        if self._failing == found.name:
            raise LookupError("an error of the program")
        return super().client(found, gone)


@pytest.mark.parametrize("failing", ["find", "Pixel"])
def test_an_error_of_the_program_is_shown_and_logged_and_closing_does_not_hide_it(caplog, failing):
    with DiceConnection(Broken(failing), find_s=0.01, retry_s=0.01) as one:
        until(lambda: one.view.state is DiceState.LOST and not one._thread.is_alive(), one)
        assert str(one.view.why) == (
            "the dice have failed: an error of the program; "
            "set them aside, or start the program again"
        )
    assert "Traceback" in caplog.text
