"""The virtual cup and the firmware refuse the same commands for the same reasons."""

import random

import pytest

from hardware.frames import CupFrame, FrameDecoder
from hardware.messages import Acknowledged, Refused, RollMessage
from hardware.protocol import ROLL_PAYLOAD, command, parse_message
from hardware.protocol_constants import ANSWER, MAJOR, MINOR, RING, CommandCode, Refusal
from hardware.virtual_cup import VirtualCup
from tests.hardware.desk import DeskCup
from tests.hardware.lines import TWO


def roll_after(number, what=int(TWO)):
    return ROLL_PAYLOAD.pack(what, b"salt", number)


COMMIT = (CommandCode.COMMIT, b"")
SEAL = (CommandCode.SEAL, bytes(32))
ROLL = (CommandCode.ROLL, roll_after(0))
REVEAL = (CommandCode.REVEAL, b"")


@pytest.fixture(params=["virtual", "firmware"])
def ask(request):
    """`ask(frame)` is the message that answers it."""
    chance = random.Random(3)
    cup = VirtualCup(chance.randbytes) if request.param == "virtual" else DeskCup(chance)
    cup.output()

    def ask(frame):
        (answer,) = (
            found
            for found in FrameDecoder().feed(cup.received(frame.encode(), 0.0))
            if isinstance(found, CupFrame) and found.type >= ANSWER and found.id == frame.id
        )
        if isinstance(cup, DeskCup):
            cup.work(200)  # it writes a byte of its memory at a time
            cup.output()
        return parse_message(answer)

    return ask


@pytest.mark.parametrize(
    ("before", "asked", "why"),
    [
        ((), (CommandCode.HELLO, bytes([MAJOR + 1, MINOR])), Refusal.NOT_IN_RANGE),
        ((), (0x3F, b""), Refusal.NOT_KNOWN),
        ((), (CommandCode.LED, b"\1"), Refusal.NOT_THAT_LONG),
        ((), (CommandCode.LED, b"\x08\0"), Refusal.NOT_IN_RANGE),
        ((), (CommandCode.PLAYER, b"\3"), Refusal.NOT_IN_RANGE),
        ((), SEAL, Refusal.NOT_NOW),
        ((), ROLL, Refusal.NOT_NOW),
        ((), REVEAL, Refusal.NOT_NOW),
        ((COMMIT,), ROLL, Refusal.NOT_NOW),
        ((COMMIT,), REVEAL, Refusal.NOT_NOW),
        ((COMMIT, SEAL), SEAL, Refusal.NOT_NOW),
        ((COMMIT, SEAL), COMMIT, Refusal.NOT_NOW),
        ((COMMIT, SEAL), (CommandCode.ROLL, roll_after(5)), Refusal.NOT_THAT_NUMBER),
        ((COMMIT, SEAL), (CommandCode.ARM, roll_after(5)), Refusal.NOT_THAT_NUMBER),
        ((COMMIT, SEAL), (CommandCode.ROLL, roll_after(0, 0xFF)), Refusal.NOT_IN_RANGE),
        ((COMMIT, SEAL, ROLL), (CommandCode.LOG, b"\1"), Refusal.NOT_IN_RANGE),
        ((COMMIT, SEAL, ROLL), (CommandCode.LOG, bytes([RING])), Refusal.NOT_IN_RANGE),
        ((COMMIT, SEAL, REVEAL), ROLL, Refusal.NOT_NOW),
    ],
)
def test_a_command_that_does_not_fit_is_refused_with_the_reason(ask, before, asked, why):
    for number, (code, payload) in enumerate(before, 1):
        answer = ask(command(number, code, payload))
        assert not isinstance(answer, Refused), answer
    answer = ask(command(99, *asked))
    assert isinstance(answer, Refused)
    assert answer.why is why


def test_a_command_that_was_changed_on_its_way_is_refused(ask):
    frame = command(1, *COMMIT)
    answer = ask(CupFrame(2, frame.type, frame.payload))
    assert isinstance(answer, Refused)
    assert answer.why is Refusal.NOT_CHECKED


def test_a_repeated_command_is_answered_as_before_and_its_number_serves_no_other(ask):
    committed = ask(command(1, *COMMIT))
    assert ask(command(1, *COMMIT)) == committed
    sealed = ask(command(2, *SEAL))
    assert ask(command(2, *SEAL)) == sealed
    for other in (COMMIT, (CommandCode.SEAL, bytes(31) + b"1"), (CommandCode.LAST, b"")):
        answer = ask(command(2, *other))
        assert isinstance(answer, Refused)
        assert answer.why is Refusal.NOT_THE_SAME


def test_a_roll_that_is_asked_for_again_under_another_number_is_the_same_roll(ask):
    for number, one in enumerate((COMMIT, SEAL), 1):
        ask(command(number, *one))
    first = ask(command(3, *ROLL))
    assert isinstance(first, RollMessage)
    assert ask(command(4, *ROLL)) == first
    assert ask(command(5, CommandCode.ARM, ROLL[1])) == first


def test_lamp_and_player_are_taken(ask):
    assert isinstance(ask(command(1, CommandCode.LED, b"\7\1")), Acknowledged)
    assert isinstance(ask(command(2, CommandCode.PLAYER, b"\2")), Acknowledged)
