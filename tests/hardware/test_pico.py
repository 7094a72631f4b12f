"""The firmware for the Pico, in an emulated RP2040, reached over USB as a real one would be.

Skipped where its compiler or its emulator is absent.
"""

import io
import random
import struct
import time
from contextlib import contextmanager

import pytest

from hardware import proof
from hardware.client import CupState
from hardware.connection import CupConnection
from hardware.frames import CupFrame, FrameDecoder
from hardware.messages import CupLifted, CupPoured, CupShaken, Revealed, Status
from hardware.ports import CHIPS, PortSearch, open_port
from hardware.protocol_constants import (
    ANSWER,
    MAJOR,
    MINOR,
    CommandCode,
    NoiseSource,
    RollKind,
    RollPurpose,
    StatusFlag,
)
from hardware.raw_noise import NoiseFile, capture_noise, start_noise
from tests.hardware.emulated_pico import EmulatedPico, built_pico
from tests.hardware.lines import TWO, begin_at
from tests.hardware.test_connection import next_roll, no_more_rolls
from tests.hardware.test_firmware import PATIENCE, next_message

HELLO_ANSWER = CommandCode.HELLO | ANSWER


@pytest.fixture(scope="module", autouse=True)
def _is_built():
    built_pico()


@contextmanager
def playing(folder):
    """The emulator, and a program that plays a match with it."""
    with EmulatedPico(folder) as chip, CupConnection(PortSearch(chip.url)) as cup:
        cup.wait_ready(PATIENCE)
        yield chip, cup, begin_at(cup)


def test_it_rolls_a_match_that_the_verifier_proves(tmp_path):
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


def test_it_is_a_serial_line_to_a_computer(tmp_path):
    chip = EmulatedPico(tmp_path)
    chip.close()
    device, configuration, text = chip.described.split(" ", 2)
    vendor = struct.unpack_from("<H", bytes.fromhex(device), 8)[0]
    assert CHIPS[vendor] == "Raspberry Pi Pico"
    parts = bytes.fromhex(configuration)
    assert len(parts) == struct.unpack_from("<H", parts, 2)[0]
    assert text.startswith("Tableside|Dice cup")


def test_hands_lift_shake_and_pour_and_that_is_the_roll(tmp_path):
    with playing(tmp_path) as (chip, cup, _):
        cup.roll(TWO, is_armed=True)
        assert StatusFlag.ARMED in status_of(cup).flags
        chip.say("lift")
        while not next_message(cup, CupLifted).is_up:
            pass
        chip.say("shake")
        next_message(cup, CupShaken)
        chip.say("pour")
        next_message(cup, CupPoured)
        assert next_roll(cup).number == 1


def test_power_cuts_pulled_cables_and_resets_lose_no_roll_and_double_none(tmp_path):
    chance = random.Random(4)
    with playing(tmp_path) as (chip, cup, _):
        rolls = []
        for i in range(9):
            cup.roll(TWO)
            time.sleep(chance.random() * 0.03)
            if i % 3 == 0:
                chip.cut_power()
            else:
                chip.say("unplug" if i % 3 == 1 else "reset")
            rolls.append(next_roll(cup))
        assert [one.number for one in rolls] == list(range(1, 10))
        no_more_rolls(cup)


def test_a_match_goes_on_through_several_sectors_of_its_flash(tmp_path):
    with playing(tmp_path) as (chip, cup, _):
        for number in range(1, 121):  # some 11 bytes each, of 352 in a sector
            cup.roll(TWO)
            assert next_roll(cup).number == number
        chip.cut_power()
        cup.roll(TWO)
        assert next_roll(cup).number == 121


def reset_cause(port, number):
    """What the cup says was the cause of its last start, asked under that id until it answers."""
    decoder, end = FrameDecoder(), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        port.write(b"\0" + CupFrame(number, CommandCode.HELLO, bytes([MAJOR, MINOR])).encode())
        for frame in decoder.feed(port.read(200)):
            if isinstance(frame, CupFrame) and (frame.type, frame.id) == (HELLO_ANSWER, number):
                return frame.payload[18]
    raise AssertionError("the cup did not answer")


def test_a_program_that_hangs_is_reset_by_the_watchdog_and_reports_it(tmp_path):
    with EmulatedPico(tmp_path, program="pico-hanging.bin") as chip:
        port = open_port(chip.url)
        assert reset_cause(port, 1) == 1
        port.write(b"\xa7")
        assert reset_cause(port, 2) == 8
        port.close()


def test_a_ring_oscillator_that_stands_still_stops_the_rolls(tmp_path):
    with playing(tmp_path) as (chip, cup, _):
        chip.say("clock stuck")
        end = time.monotonic() + PATIENCE
        while cup.view.state is not CupState.FAULT and time.monotonic() < end:
            cup.notices.get(timeout=PATIENCE)
        assert "clock noise" in str(cup.view.why)


def test_its_raw_noise_is_that_of_the_oscillator_and_the_pin(tmp_path):
    with EmulatedPico(tmp_path) as chip, CupConnection(PortSearch(chip.url)) as cup:
        for source in NoiseSource:
            out = io.BytesIO()
            file = NoiseFile(out, 2000)
            start_noise(cup, source)
            capture_noise(cup, source, file)
            assert (file.written, file.sets) == (2000, 1)
            assert len(set(out.getvalue())) > 200


def status_of(cup):
    status = cup.call(CommandCode.STATUS)
    assert isinstance(status, Status)
    return status


def test_a_weak_battery_is_told(tmp_path):
    with EmulatedPico(tmp_path) as chip, CupConnection(PortSearch(chip.url)) as cup:
        cup.wait_ready(PATIENCE)
        chip.say("supply 2900")
        end = time.monotonic() + PATIENCE
        while StatusFlag.WEAK not in status_of(cup).flags:
            assert time.monotonic() < end
        assert abs(status_of(cup).battery_mv - 2900) < 10
