"""Two dice: what is a throw of both, and what is none."""

import random
from itertools import zip_longest

import pytest

from hardware.bluetooth.godice import GODICE
from hardware.bluetooth.pair import DicePair
from hardware.bluetooth.pixels import PIXELS
from hardware.bluetooth.reports import Held, Rest, Rested, Rolling
from hardware.bluetooth.virtual_die import DieFaults, VirtualDie
from hardware.errors import BadFrame


@pytest.fixture
def pair():
    return DicePair(("A", "B"))


def roll(pair, name, face, now, how=Rest.ROLLED):
    assert pair.report(name, Rolling(), now) is None
    return pair.report(name, Rested(face, how), now + 1)


def test_a_throw_is_both_dice_once_both_lie_still(pair):
    assert roll(pair, "A", 3, 0.0) is None
    assert str(pair.why) == "B has not rolled yet"
    throw = roll(pair, "B", 5, 0.5)
    assert throw.faces == (3, 5)
    assert throw.is_together
    assert not throw.cocked
    assert pair.why == ""


def test_a_die_that_was_only_turned_or_moved_is_no_roll(pair):
    assert roll(pair, "A", 3, 0.0) is None
    assert roll(pair, "B", 5, 0.2, Rest.UNROLLED) is None
    assert "B was turned, not rolled" in str(pair.why)
    assert pair.report("B", Rested(6, Rest.ROLLED), 3.0) is None


def test_a_cocked_die_makes_the_throw_cocked_and_both_are_thrown_again(pair):
    roll(pair, "A", 3, 0.0)
    throw = roll(pair, "B", 5, 0.2, Rest.COCKED)
    assert throw.cocked == "B"
    assert pair.report("B", Rested(5, Rest.ROLLED), 4.0) is None  # it was nudged flat
    assert roll(pair, "A", 1, 5.0) is None
    assert roll(pair, "B", 2, 5.0).faces == (1, 2)


def test_dice_thrown_one_by_one_are_not_thrown_together(pair):
    roll(pair, "A", 3, 0.0)
    assert not roll(pair, "B", 5, 30.0).is_together


def test_a_die_caught_while_it_rolls_is_no_roll(pair):
    pair.report("A", Rolling(), 0.0)
    pair.report("A", Held(), 0.5)
    assert pair.report("A", Rested(4, Rest.ROLLED), 1.0) is None
    assert roll(pair, "B", 5, 0.5) is None
    assert str(pair.why) == "A has not rolled yet"


def test_a_die_out_of_reach_while_it_rolls_is_no_roll(pair):
    pair.report("A", Rolling(), 0.0)
    pair.lost("A")
    assert "A was out of reach" in str(pair.why)
    assert pair.report("A", Rested(4, Rest.ROLLED), 1.0) is None


@pytest.mark.parametrize("make", [GODICE, PIXELS])
def test_of_10000_throws_with_faults_none_is_invented_doubled_or_wrong(make):
    chance = random.Random(5)
    faults = DieFaults(cocked=0.05, unrolled=0.05, breaks=0.05, repeats=0.3, junk=0.2)
    dice = [VirtualDie(make, name, chance, faults) for name in "AB"]
    pair = DicePair(("A", "B"))
    made = cocked = 0
    for number in range(10_000):
        thrown = [[(die, packet) for packet in die.throw()] for die in dice]
        packets = [one for both in zip_longest(*thrown) for one in both if one is not None]
        is_whole = all(packet is not None for _, packet in packets)
        throws = list(fed(pair, packets, 10.0 * number))
        counted = [throw for throw in throws if throw.is_together]
        assert len(counted) <= 1  # if one die lies from an earlier throw, it does not count
        for throw in counted:
            assert is_whole
            assert throw.faces == (dice[0].face, dice[1].face)
            made, cocked = made + (not throw.cocked), cocked + bool(throw.cocked)
    assert made > 0.7 * 10_000
    assert cocked > 500


def fed(pair, packets, now):
    for die, packet in packets:
        if packet is None:
            pair.lost(die.name)
            continue
        try:
            report = die.make.decode(packet)
        except BadFrame:
            continue
        if isinstance(report, Rolling | Held | Rested):
            throw = pair.report(die.name, report, now)
            if throw is not None:
                yield throw
