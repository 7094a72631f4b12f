"""The client and the virtual cup, in counted time: no roll is lost, doubled or invented."""

import random
from dataclasses import replace
from typing import Any

import pytest

from engine.position import Side
from hardware import proof
from hardware.client import CupClient, CupState
from hardware.errors import CupOutOfStep
from hardware.messages import MatchBroken, Revealed, RollMade
from hardware.protocol_constants import (
    MAJOR,
    RING,
    CommandCode,
    Refusal,
    RollKind,
    RollPurpose,
)
from hardware.virtual_cup import VirtualCup, _RefusedError
from tests.hardware.lines import TWO, Line, Noise, begin


@pytest.fixture
def chance():
    return random.Random(7)


def line_to(cup, chance, noise=None):
    line = Line(CupClient(chance.randbytes), cup, noise)
    line.plug()
    line.until(lambda: line.client.state is CupState.READY)
    return line


def roll(line, what=TWO, most=60.0):
    before = len(line.rolls)
    line.client.roll(what)
    line.until(lambda: len(line.rolls) > before, most)
    return line.rolls[-1]


def armed(chance):
    """A line and its cup, which waits to be shaken and poured for a roll of two dice."""
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    line.client.roll(TWO, is_armed=True)
    line.until(lambda: cup.is_armed)
    return line, cup


def test_a_match_of_rolls_can_be_made_again_from_the_seed_alone(chance):
    line = line_to(VirtualCup(chance.randbytes), chance)
    ledger = begin(line, "Ann's word", "Bob's word")
    kinds = [
        RollPurpose(RollKind.OPENING),
        RollPurpose(RollKind.TWO, Side.LIGHT),
        RollPurpose(RollKind.ONE, Side.DARK),
    ]
    rolls = [roll(line, kinds[i % 3]) for i in range(60)]
    revealed = line.answer(CommandCode.REVEAL)
    assert isinstance(revealed, Revealed)
    assert proof.commitment_of(revealed.seed) == ledger.commitment
    key = proof.key_of(revealed.seed, ledger.nonces)
    assert [proof.rolled(key, one) for one in rolls] == rolls
    assert [one.number for one in rolls] == list(range(1, 61))


def test_no_roll_is_made_once_the_seed_is_revealed(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    roll(line)
    line.answer(CommandCode.REVEAL)
    line.client.roll(TWO)
    line.until(lambda: line.client.state is CupState.FAULT)
    assert cup.memory.number == 1
    assert "no longer in match" in str(line.client.why)


def test_an_armed_roll_comes_when_the_cup_is_shaken_and_poured(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    line.client.roll(TWO, is_armed=True)
    line.until(lambda: cup.output() is not None and line.now > 1)
    cup.pour()
    line.step()
    assert line.rolls == []
    cup.shake()
    cup.pour()
    line.until(lambda: line.rolls)
    assert line.client.ledger.number == 1
    assert line.client.state is CupState.READY


def test_what_is_armed_as_soon_as_another_roll_was_called_off_stays_armed(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    line.plug()  # as a match is taken up: who was disarmed is asked where it stands
    line.until(lambda: line.client.state is CupState.READY)
    line.client.roll(TWO, is_armed=True)
    line.until(lambda: cup.is_armed)
    line.client.cancel_roll()
    line.client.roll(RollPurpose(RollKind.ONE, Side.DARK), is_armed=True)
    soon = line.now + 0.5
    line.until(lambda: line.now > soon)
    assert cup.is_armed
    cup.shake()
    cup.pour()
    line.until(lambda: line.rolls)
    assert line.rolls[0].what == RollPurpose(RollKind.ONE, Side.DARK)


def test_a_roll_made_as_it_was_called_off_leaves_the_next_one_its_number(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    line.client.resume(begin(line), line.now)
    line.until(lambda: line.client.state is CupState.READY and not line.client.may_be_armed)
    line.client.roll(TWO, turn="first")
    answered = cup.received(line.client.output(), line.now)
    line.client.cancel_roll()
    line.client.roll(TWO, turn="second")
    line.notices += line.client.received(answered, line.now)
    line.until(lambda: len(line.rolls) == 2)
    made = [one for one in line.notices if isinstance(one, RollMade)]
    assert [(one.roll.number, one.turn) for one in made] == [(1, "first"), (2, "second")]


def test_a_cup_that_somebody_else_disarmed_is_armed_again(chance):
    line, cup = armed(chance)
    line.answer(CommandCode.DISARM)
    assert not cup.is_armed
    line.until(lambda: cup.is_armed, 3)
    assert line.rolls == []


def test_a_cup_left_armed_when_the_line_broke_is_disarmed_on_reconnection(chance):
    line, cup = armed(chance)
    line.client.cancel_roll()
    line.pull()
    line.plug()
    line.until(lambda: not cup.is_armed, 3)
    line.until(lambda: line.client.state is CupState.READY)
    assert roll(line).number == 1


def test_an_armed_roll_whose_message_was_lost_is_still_reported(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    line.client.roll(TWO, is_armed=True)
    line.until(lambda: line.now > 1)
    cup.shake()
    cup.pour()
    cup.output()  # nobody hears it
    line.until(lambda: line.rolls, 3)
    assert line.rolls[0] == cup.memory.rolls[1]


def test_a_reset_in_the_middle_of_a_roll_gives_that_roll_and_no_other(chance):
    cup: Any = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    line.client.roll(TWO)
    received = cup.received
    cup.received = lambda sent, now: received(sent, now)[:0]  # the answer is lost with the power
    line.until(lambda: cup.memory.number == 1)
    line.cup = cup = VirtualCup(chance.randbytes, cup.memory, reset_cause=8)
    line.until(lambda: line.rolls)
    assert len(line.rolls) == 1
    assert line.rolls[0] == cup.memory.rolls[1]


def test_rolls_that_nobody_recorded_are_fetched_and_reported_in_order(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    known = begin(line)
    made = [roll(line) for _ in range(5)]
    again = Line(CupClient(chance.randbytes), cup, now=line.now)
    again.client.ledger = known
    again.plug()
    again.until(lambda: again.client.state is CupState.READY)
    assert again.rolls == made
    assert not any(one.is_asked for one in again.notices if isinstance(one, RollMade))
    assert roll(again).number == 6


def test_another_cup_is_refused(chance):
    line = line_to(VirtualCup(chance.randbytes), chance)
    begin(line)
    line.pull()
    line.cup = VirtualCup(chance.randbytes)
    line.plug()
    line.until(lambda: line.client.state is CupState.FAULT)
    (astray,) = [one for one in line.notices if isinstance(one, MatchBroken)]
    assert "connect that one" in str(astray.why)


def resumed(chance, cup, ledger, now):
    """A program that takes up the match `ledger` at `cup`, until it has failed; and why."""
    line = Line(CupClient(chance.randbytes), cup, now=now)
    line.client.ledger = ledger
    line.plug()
    line.until(lambda: line.client.state is CupState.FAULT)
    (astray,) = [one for one in line.notices if isinstance(one, MatchBroken)]
    assert line.rolls == []
    return str(astray.why)


def test_rolls_other_than_those_recorded_are_found_out(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    before = begin(line)
    roll(line)
    forged = replace(line.client.ledger, chain=bytes(32))
    assert "differ from those recorded" in resumed(chance, cup, forged, line.now)
    forged = replace(before, chain=bytes(32))
    assert "do not continue those recorded" in resumed(chance, cup, forged, line.now)


def test_more_rolls_than_the_cup_remembers_cannot_be_caught_up_with(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    before = begin(line)
    for _ in range(RING + 1):
        roll(line)
    assert f"made {RING + 1} rolls that were not recorded" in resumed(chance, cup, before, line.now)


def test_a_cup_of_another_protocol_is_refused_and_named(chance):
    cup: Any = VirtualCup(chance.randbytes)
    length, _ = cup._commands[CommandCode.HELLO]

    def newer(_given):
        raise _RefusedError(Refusal.NOT_IN_RANGE, MAJOR + 1)

    cup._commands[CommandCode.HELLO] = (length, newer)
    line = Line(CupClient(chance.randbytes), cup)
    line.plug()
    line.until(lambda: line.client.state is CupState.FAULT)
    assert f"does not speak protocol {MAJOR}" in str(line.client.why)


def test_a_cup_that_answers_with_another_protocol_is_refused(chance):
    cup: Any = VirtualCup(chance.randbytes)
    usual = cup._identity
    cup._identity = lambda: replace(usual(), major=2, minor=0)
    line = Line(CupClient(chance.randbytes), cup)
    line.plug()
    line.until(lambda: line.client.state is CupState.FAULT)
    assert str(line.client.why) == f"the cup does not speak protocol {MAJOR}: 2.0"
    assert line.client.identity is None


def test_a_cup_whose_memory_is_older_than_the_record_is_said_to_have_forgotten_rolls(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    later = replace(line.client.ledger, number=3)
    assert "has forgotten recorded rolls (3)" in resumed(chance, cup, later, line.now)


def test_a_cup_that_is_well_again_makes_the_roll_that_was_armed(chance):
    line, cup = armed(chance)
    cup.set_fault(2)
    line.until(lambda: line.client.state is CupState.FAULT)
    cup.shake()
    cup.pour()
    assert cup.memory.number == 0
    line.answer(CommandCode.SELFTEST)
    line.until(lambda: cup.is_armed, 5)
    assert line.client.state is CupState.ROLLING
    cup.shake()
    cup.pour()
    line.until(lambda: line.rolls)
    assert line.rolls == [cup.memory.rolls[1]]


def test_a_fault_is_known_from_the_cups_next_heartbeat_if_its_message_was_lost(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    cup.set_fault(2)
    cup.output()  # nobody hears it
    line.until(lambda: line.client.state is CupState.FAULT, 2)
    assert str(line.client.why)


def test_a_cup_that_changes_a_face_is_found_out(chance):
    cup: Any = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    honest = cup._rolled
    cup._rolled = lambda one: honest(
        proof.CupRoll(one.number, one.what, one.salt, tuple(7 - face for face in one.faces))
    )
    line.client.roll(TWO)
    line.until(lambda: line.rolls)
    assert line.rolls[0] == cup.memory.rolls[1]  # what the chain says, not what was sent first


def test_a_silent_cup_is_lost_after_three_seconds(chance):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)

    class Mute:
        def received(self, arrived, now):
            return b""

        def tick(self, now):
            return b""

    line.cup = Mute()
    begun = line.now
    line.until(lambda: line.client.state is CupState.HANDSHAKING, 5)
    assert 2.9 < line.now - begun < 3.3


def test_two_rolls_cannot_be_wanted_at_once(chance):
    line = line_to(VirtualCup(chance.randbytes), chance)
    with pytest.raises(CupOutOfStep, match="start one first"):
        line.client.roll(TWO)
    begin(line)
    line.client.roll(TWO, is_armed=True)
    with pytest.raises(CupOutOfStep, match="already in progress"):
        line.client.roll(TWO)


def exactly_once(line, wanted):
    for _ in range(wanted):
        roll(line)
    rolls = line.rolls
    assert [one.number for one in rolls] == list(range(1, wanted + 1))
    assert line.client.ledger.chain == line.cup.memory.chain
    kept = line.cup.memory.rolls
    assert all(one == kept[one.number] for one in rolls if one.number in kept)


@pytest.mark.parametrize(
    ("noise", "rolls"),
    [
        ({"bit_errors": 0.01}, 60),
        ({"lost": 0.01}, 200),
        ({"garbage": 0.5}, 100),
        ({"bit_errors": 0.003, "lost": 0.003, "garbage": 0.1}, 60),
    ],
)
def test_every_roll_is_reported_exactly_once_over_a_bad_line(noise, rolls, chance):
    line = line_to(VirtualCup(chance.randbytes), chance)
    begin(line)
    line.noise = Noise(chance, **noise)
    exactly_once(line, rolls)


@pytest.mark.slow
def test_ten_thousand_rolls_come_exactly_once_over_a_line_with_one_bit_in_a_hundred_wrong(chance):
    line = line_to(VirtualCup(chance.randbytes), chance)
    begin(line)
    line.noise = Noise(chance, bit_errors=0.01)
    exactly_once(line, 10_000)


def pulled_at_random(chance, times):
    cup = VirtualCup(chance.randbytes)
    line = line_to(cup, chance)
    begin(line)
    pulled = 0
    wanted = 0
    while pulled < times:
        if line.client.requested is None:
            line.client.roll(TWO)
            wanted += 1
        for _ in range(chance.randrange(1, 6)):
            line.step()
        line.pull()
        if chance.random() < 0.5:
            line.cup = cup = VirtualCup(chance.randbytes, cup.memory)  # the power went as well
        pulled += 1
        line.plug()
        begun = line.now
        line.until(lambda: line.client.state in (CupState.READY, CupState.ROLLING), 5)
        assert line.now - begun < 2
    line.until(lambda: line.client.requested is None)
    assert [one.number for one in line.rolls] == list(range(1, wanted + 1))
    assert cup.memory.number == wanted


def test_pulling_the_plug_at_random_loses_no_roll_and_makes_none_twice(chance):
    pulled_at_random(chance, 500)
