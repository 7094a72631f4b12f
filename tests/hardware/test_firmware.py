"""The firmware itself, in an emulated chip, reached over its serial line as a real cup would be.

Skipped where avr-gcc or simavr is absent.
"""

import random
import time
from contextlib import contextmanager
from typing import Any

import pytest

from hardware import proof
from hardware.client import CupState
from hardware.connection import CupConnection
from hardware.errors import CupRefused
from hardware.frames import CupFrame, FrameDecoder
from hardware.messages import (
    CupLifted,
    CupPoured,
    CupShaken,
    Revealed,
    SelfTest,
    UnsolicitedMessage,
)
from hardware.ports import PortSearch, open_port
from hardware.protocol_constants import CommandCode, RollKind, RollPurpose, StatusFlag
from tests.hardware.emulated import HERTZ, Emulated, built
from tests.hardware.lines import TWO, Noise, begin_at
from tests.hardware.test_connection import next_roll, no_more_rolls

PATIENCE = 60
"""Seconds allowed to a machine that is busy with much else."""


@pytest.fixture(scope="module", autouse=True)
def _is_built():
    built()


@contextmanager
def playing(folder, **options):
    """The emulator, and a program that plays a match with it."""
    with Emulated(folder, **options) as chip, CupConnection(PortSearch(chip.url)) as cup:
        cup.wait_ready(PATIENCE)
        yield chip, cup, begin_at(cup)


def next_message(cup, kind, most=PATIENCE):
    end = time.monotonic() + most
    while time.monotonic() < end:
        notice = cup.notices.get(timeout=most)
        if isinstance(notice, UnsolicitedMessage) and isinstance(notice.message, kind):
            return notice.message
    raise AssertionError(f"nothing of the kind came: {cup.view}")


def test_the_firmware_rolls_a_match_that_the_verifier_proves(tmp_path):
    with playing(tmp_path) as (_, cup, ledger):
        kinds = [RollPurpose(RollKind.OPENING), TWO, RollPurpose(RollKind.ONE)]
        rolls = []
        for i in range(12):
            cup.roll(kinds[i % 3])
            rolls.append(next_roll(cup))
        revealed = cup.call(CommandCode.REVEAL)
        assert isinstance(revealed, Revealed)
        assert proof.commitment_of(revealed.seed) == ledger.commitment
        key = proof.key_of(revealed.seed, ledger.nonces)
        assert [proof.rolled(key, one) for one in rolls] == rolls


def answer_times(trace):
    """Seconds of the chip's own clock from the end of a command to the end of its answer."""
    times, asked = [], None
    for line in trace.read_text().splitlines():
        way, cycle = line.split()
        if way == "in":
            asked = int(cycle)
        elif asked is not None:
            times.append((int(cycle) - asked) / HERTZ)
            asked = None
    return times


def test_every_command_is_answered_within_50_ms_of_the_chips_time(tmp_path):
    with playing(tmp_path, is_traced=True) as (chip, cup, _):
        begun = len(answer_times(chip.trace))  # sealing a match may take it longer
        for _ in range(20):
            cup.roll(TWO)
            next_roll(cup)
        for word in (
            CommandCode.STATUS,
            CommandCode.FACES,
            CommandCode.MATCH,
            CommandCode.LAST,
            CommandCode.SELFTEST,
        ):
            cup.call(word)
        cup.call(CommandCode.LOG, b"\x05")
        cup.call(CommandCode.LED, b"\x02\x01")
        cup.call(CommandCode.PLAYER, b"\x01")
        cup.call(CommandCode.REVEAL)
        times = answer_times(chip.trace)[begun:]
    assert len(times) > 20
    assert max(times) <= 0.050


def test_hands_lift_shake_and_pour_and_that_is_the_roll(tmp_path):
    with playing(tmp_path) as (chip, cup, _):
        cup.roll(RollPurpose(RollKind.TWO), is_armed=True)
        assert StatusFlag.ARMED in cup.call(CommandCode.STATUS).flags  # earlier shakes do not count
        chip.say("lift")
        while not next_message(cup, CupLifted).is_up:
            pass  # it was put down earlier
        chip.say("shake")
        next_message(cup, CupShaken)
        chip.say("pour")
        next_message(cup, CupPoured)
        assert next_roll(cup).number == 1


def test_power_cuts_at_random_moments_lose_no_roll_and_double_none(tmp_path):
    chance = random.Random(2)
    with playing(tmp_path) as (chip, cup, _):
        rolls = []
        for _ in range(5):
            cup.roll(TWO)
            time.sleep(chance.random() * 0.06)
            chip.cut_power()
            rolls.append(next_roll(cup))
        assert [one.number for one in rolls] == list(range(1, 6))
        no_more_rolls(cup)


def test_the_cable_can_be_pulled_while_the_cup_runs_on(tmp_path):
    with playing(tmp_path) as (chip, cup, _):
        for number in range(1, 4):
            cup.roll(TWO)
            chip.say("unplug")
            chip.say("plug")
            assert next_roll(cup).number == number
        no_more_rolls(cup)


def test_a_reset_in_mid_match_changes_nothing(tmp_path):
    with playing(tmp_path) as (chip, cup, _):
        for number in range(1, 4):
            cup.roll(TWO)
            chip.say("reset")
            assert next_roll(cup).number == number


def test_firmware_that_hangs_is_reset_by_its_watchdog_and_reports_it(tmp_path):
    with Emulated(tmp_path, program="hanging.elf") as chip:
        port = open_port(chip.url)
        decoder = FrameDecoder()
        causes = []
        end = time.monotonic() + PATIENCE
        while 8 not in causes and time.monotonic() < end:
            port.write(b"\xa7")  # what precedes it is lost while it is not listening
            frames = [one for one in decoder.feed(port.read(200)) if isinstance(one, CupFrame)]
            causes += [one.payload[18] for one in frames if one.type == 0x41]
        port.close()
    assert causes[-1] == 8


@pytest.mark.parametrize("word", ["noise stuck", "noise biased"])
def test_an_open_pin_that_fails_its_test_is_told_and_stops_no_roll(word, tmp_path):
    with playing(tmp_path, speed=0) as (chip, cup, _):
        chip.say(word)
        end = time.monotonic() + PATIENCE
        while StatusFlag.POOR_NOISE not in cup.call(CommandCode.STATUS).flags:
            assert time.monotonic() < end
        cup.roll(TWO)
        assert next_roll(cup).number == 1
        chip.say("noise good")
        assert cup.call(CommandCode.SELFTEST).noise_tripped
        assert StatusFlag.POOR_NOISE not in cup.call(CommandCode.STATUS).flags


def test_a_clock_whose_noise_fails_stops_the_rolls(tmp_path):
    with playing(tmp_path, speed=0) as (chip, cup, _):
        chip.say("clock stuck")
        end = time.monotonic() + PATIENCE
        while cup.view.state is not CupState.FAULT and time.monotonic() < end:
            cup.notices.get(timeout=PATIENCE)
        # Which of the two tests trips first depends on what the window held before.
        assert "clock noise" in str(cup.view.why)
        with pytest.raises(CupRefused, match="noise"):
            cup.call(CommandCode.ROLL, b"\x02salt\x00\x00")
        chip.say("clock good")
        assert isinstance(cup.call(CommandCode.SELFTEST), SelfTest)
        while cup.view.state is CupState.FAULT and time.monotonic() < end:
            cup.notices.get(timeout=PATIENCE)
        cup.roll(TWO)
        assert next_roll(cup).number == 1


def noisy(chance, count):
    """Bytes that a bad line may carry: floods, broken frames, meaningless frames."""
    for _ in range(count):
        kind = chance.randrange(4)
        if kind == 0:
            yield b"\xff" * chance.randrange(64, 300)
        elif kind == 1:
            yield chance.randbytes(chance.randrange(1, 80)) + b"\0"
        elif kind == 2:
            yield CupFrame(chance.randrange(65536), chance.randrange(256), b"x").encode()
        else:
            whole = bytearray(CupFrame(1, CommandCode.ROLL, b"\x02salt\0\0\0\0").encode())
            whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            yield bytes(whole)


def fuzzed(folder, frames, speed):
    chance = random.Random(9)
    with Emulated(folder, speed=speed) as chip:
        with CupConnection(PortSearch(chip.url)) as cup:
            cup.wait_ready(PATIENCE)
            ledger = begin_at(cup)
        port: Any = open_port(chip.url)
        port.write_timeout = PATIENCE  # a busy machine may keep the emulator waiting for long
        for piece in noisy(chance, frames):
            port.write(piece)
            if chance.randrange(20) == 0:
                port.read(4096)
        port.close()
        assert chip.is_running
        with CupConnection(PortSearch(chip.url)) as cup:
            cup.resume(ledger)
            cup.wait_ready(PATIENCE)
            cup.roll(TWO)
            assert next_roll(cup).number == 1
            starts = cup.view.identity.starts
    assert starts == 1  # the watchdog never bit: nothing hung


def test_floods_and_broken_frames_make_no_roll_and_harm_nothing(tmp_path):
    fuzzed(tmp_path, 300, 0)


@pytest.mark.slow
def test_a_million_fuzzed_frames_make_no_roll_in_the_firmware_and_harm_nothing(tmp_path):
    fuzzed(tmp_path, 1_000_000, 0)


@pytest.mark.slow
def test_a_cup_that_was_never_on_has_a_seed_after_half_a_minute(tmp_path):
    with (
        Emulated(tmp_path, is_prepared=False, speed=0) as chip,
        CupConnection(PortSearch(chip.url)) as cup,
    ):
        begin_at(cup, 120)
        cup.roll(TWO)
        assert next_roll(cup).number == 1


@pytest.mark.slow
def test_five_hundred_power_cuts_and_pulled_cables_lose_and_double_nothing(tmp_path):
    chance = random.Random(3)
    longest = 0.0
    with playing(tmp_path) as (chip, cup, _):
        rolls = []
        for i in range(500):
            cup.roll(TWO)
            time.sleep(chance.random() * 0.06)
            if i % 2:
                chip.cut_power()
            else:
                chip.say("unplug")
                chip.say("plug")
            begun = time.monotonic()
            rolls.append(next_roll(cup))
            longest = max(longest, time.monotonic() - begun)
        assert [one.number for one in rolls] == list(range(1, 501))
        no_more_rolls(cup)
    assert longest < 2


class Spoilt:
    """A port whose bytes get the bit errors of `noise`, in both directions."""

    def __init__(self, port, noise):
        self._port, self._noise = port, noise
        self.close = port.close

    @property
    def in_waiting(self):
        return self._port.in_waiting

    def read(self, size=1):
        return self._noise.spoil(self._port.read(size))

    def write(self, said):
        self._port.write(self._noise.spoil(said))


def rolled_over_errors(folder, wanted):
    noise = Noise(random.Random(6))
    with Emulated(folder, speed=0) as chip:

        def opener(url):
            port: Any = open_port(url)
            port.timeout = 0.002
            return Spoilt(port, noise)

        with CupConnection(PortSearch(chip.url), opener=opener) as cup:
            begin_at(cup, PATIENCE)
            noise.bit_errors = 0.01  # long frames pass one time in fifty: rolls have none
            numbers = []
            for _ in range(wanted):
                cup.roll(TWO)
                numbers.append(next_roll(cup, 60).number)
            no_more_rolls(cup)
    assert numbers == list(range(1, wanted + 1))


def test_one_bit_in_a_hundred_wrong_changes_no_roll_of_the_firmware(tmp_path):
    rolled_over_errors(tmp_path, 5)


@pytest.mark.slow
def test_ten_thousand_rolls_of_the_firmware_with_one_bit_in_a_hundred_wrong(tmp_path):
    rolled_over_errors(tmp_path, 10_000)
