"""The firmware's C code, compiled for this machine: hashes, dice, noise, journal, switches."""

import ctypes
import hashlib
import hmac
import random
from dataclasses import replace

import numpy as np
import pytest

from engine.fairness.evalues import LOOK_CLOSER_E_VALUE
from engine.fairness.findings import FALSE_DISCOVERY_RATE, analyse_log
from engine.fairness.rolls import Labels, simple_log
from hardware import proof
from hardware.client import CupClient, CupState
from hardware.messages import Revealed
from hardware.proof import CupRoll
from hardware.protocol_constants import (
    UNREADABLE_MATCH,
    CommandCode,
    CupPhase,
    RollKind,
    RollPurpose,
    StatusFlag,
    faces_byte,
)
from tests.hardware.desk import CLOCK, NOISE, DeskCup, core
from tests.hardware.lines import TWO, Line, Noise, begin

RATTLE, LIFTED, TILTED = 2, 1, 4


class Roll(ctypes.Structure):
    _fields_ = (
        ("number", ctypes.c_uint32),
        ("what", ctypes.c_uint8),
        ("salt", ctypes.c_uint8 * 4),
        ("faces", ctypes.c_uint8),
    )


class Health(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint8) for name in ("last", "run", "first", "tripped")),
        *((name, ctypes.c_uint16) for name in ("seen", "same", "taken")),
    )


class Limits(ctypes.Structure):
    _fields_ = (("repeats", ctypes.c_uint8), ("same", ctypes.c_uint16))


@pytest.fixture
def chance():
    return random.Random(11)


def digest(function, *arguments):
    out = (ctypes.c_uint8 * 32)()
    function(*arguments, out)
    return bytes(out)


def sha256(lib, message):
    state = (ctypes.c_uint8 * 256)()
    lib.sha256_begin(state)
    for at in range(0, len(message), 200):
        lib.sha256_add(state, message[at : at + 200], len(message[at : at + 200]))
    return digest(lib.sha256_end, state)


def test_the_hash_passes_the_vectors_of_fips_180_4():
    vectors = {
        b"": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        b"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    }
    lib = core()
    assert {one: sha256(lib, one).hex() for one in vectors} == vectors
    assert lib.sha256_works() == 1


def test_the_hash_agrees_with_pythons_for_every_length_up_to_three_blocks(chance):
    lib = core()
    for length in range(193):
        message = chance.randbytes(length)
        assert sha256(lib, message) == hashlib.sha256(message).digest()


def test_the_authentication_code_agrees_with_pythons(chance):
    lib = core()
    for _ in range(50):
        key, message = chance.randbytes(32), chance.randbytes(chance.randrange(120))
        code = digest(lib.desk_hmac, key, message, len(message))
        assert code == hmac.digest(key, message, "sha256")


def test_the_firmware_and_the_verifier_make_the_same_rolls_of_one_seed(chance):
    lib = core()
    seed, nonces = chance.randbytes(32), chance.randbytes(32)
    commitment = digest(lib.dice_commitment, seed)
    assert commitment == proof.commitment_of(seed)
    key = proof.key_of(seed, nonces)
    chain = (ctypes.c_uint8 * 32)()
    lib.dice_chain_start(commitment, nonces, chain)
    known = proof.chain_start(commitment, nonces)
    for number in range(1, 500):
        what = RollPurpose(chance.choice(list(RollKind)))
        wanted = CupRoll(number * 70_001, what, chance.randbytes(4), ())
        theirs = Roll(wanted.number, int(what), (ctypes.c_uint8 * 4)(*wanted.salt), 0)
        lib.desk_match_roll(seed, nonces, ctypes.byref(theirs))
        ours = proof.rolled(key, wanted)
        assert theirs.faces == faces_byte(ours.faces)
        lib.dice_chain(chain, ctypes.byref(theirs))
        known = proof.chain_after(known, ours)
        assert bytes(chain) == known


def firmware_log(dice):
    """The log of so many dice that the firmware's C rolled, two to a throw."""
    faces = np.zeros(dice, np.uint8)
    key = hashlib.sha256(b"a key").digest()
    core().desk_dice(key, dice, faces.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8)))
    named = Labels(("first", "second"), np.tile(np.arange(2, dtype=np.int32), dice // 2))
    return replace(simple_log(faces, throw=np.arange(dice) // 2), die=named)


def assert_nothing_odd(dice):
    """No test of a whole report finds anything: faces, axes, order, one die against the other."""
    found = analyse_log(firmware_log(dice))
    assert found.rows == dice
    assert len(found.family) > 15
    assert [test for test in found.family if test.q <= FALSE_DISCOVERY_RATE] == []
    assert all(unit.evidence.largest < LOOK_CLOSER_E_VALUE for unit in found.groups["dice"])
    assert all(test.p > 0.001 for test in found.family)


def test_a_hundred_thousand_firmware_dice_are_uniform_and_independent():
    assert_nothing_odd(100_000)


@pytest.mark.slow
def test_a_million_firmware_dice_are_uniform_and_independent():
    assert_nothing_odd(1_000_000)


@pytest.mark.parametrize(("source", "bits"), [(CLOCK, 1.0), (NOISE, 0.5)])
def test_the_cutoffs_are_those_of_sp_800_90b_for_what_is_claimed(source, bits):
    from scipy.stats import binom

    limits = (Limits * 2).in_dll(core(), "LIMITS")[source]
    assert limits.repeats == 1 + 20 / bits
    assert limits.same == 1 + int(binom.ppf(1 - 2**-20, 512, 2**-bits))


def health_after(samples, source=CLOCK):
    lib = core()
    limits = (Limits * 2).in_dll(lib, "LIMITS")[source]
    health = Health()
    for taken, sample in enumerate(samples, start=1):
        lib.health_take(ctypes.byref(health), ctypes.byref(limits), sample)
        if health.tripped:
            return health.tripped, taken
    return 0, 0


def test_a_source_that_sticks_trips_at_the_cutoff():
    assert health_after([7] * 50) == (1, 21)
    assert health_after([7] * 50, NOISE) == (1, 41)


def test_a_source_that_sticks_later_trips_as_well(chance):
    samples = [chance.randrange(256) for _ in range(3000)] + [9] * 40
    tripped, taken = health_after(samples)
    assert tripped == 1
    assert 3015 < taken <= 3022


def test_a_source_that_favours_a_value_trips_within_two_windows(chance):
    samples = [0 if chance.random() < 0.7 else chance.randrange(256) for _ in range(1024)]
    samples = [one if i % 15 else 1 for i, one in enumerate(samples)]  # no long repetition
    tripped, taken = health_after(samples)
    assert tripped == 2
    assert taken <= 1024


def test_a_good_source_trips_nothing_in_a_hundred_thousand_samples(chance):
    assert health_after(chance.randbytes(100_000)) == (0, 0)
    claimed = (chance.getrandbits(1) for _ in range(100_000))
    assert health_after(claimed) == (0, 0)  # no better than the entropy that is claimed


def joined(cup, chance, noise=None):
    line = Line(CupClient(chance.randbytes), cup, noise)
    line.plug()
    line.until(lambda: line.client.state is CupState.READY)
    return line


def roll(line, what=TWO):
    before = len(line.rolls)
    line.client.roll(what)
    line.until(lambda: len(line.rolls) > before)
    return line.rolls[-1]


def test_no_match_is_begun_before_the_noise_was_tested(chance):
    line = joined(DeskCup(chance, is_prepared=False), chance)
    assert "not ready for that yet" in str(line.answer(CommandCode.COMMIT))
    for _ in range(1000):
        line.cup.core.cup_noise(CLOCK, chance.randrange(256))
        line.cup.core.cup_noise(NOISE, chance.randrange(256))
    line.cup.work(200)
    assert "not ready for that yet" in str(line.answer(CommandCode.COMMIT))
    line.cup.feed_noise()
    begin(line)


def test_a_sick_source_stops_all_rolls_until_a_self_test_and_new_noise(chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    roll(line)
    for _ in range(21):
        line.cup.core.cup_noise(CLOCK, 3)
    line.until(lambda: line.client.state is CupState.FAULT, 1)
    assert "clock noise repeats itself" in str(line.client.why)
    assert "repeats itself" in str(line.answer(CommandCode.ROLL, b"\x02abcd\x01\x00"))
    line.answer(CommandCode.SELFTEST)
    line.until(lambda: line.client.state is CupState.READY, 5)
    assert roll(line).number == 2


def test_an_open_pin_without_noise_is_told_and_stops_neither_rolls_nor_seeds(chance):
    line = joined(DeskCup(chance, is_prepared=False), chance)
    for _ in range(1700):
        line.cup.core.cup_noise(CLOCK, chance.randrange(256))
        line.cup.core.cup_noise(NOISE, 3)
        line.cup.core.cup_work()
    line.cup.work(200)
    begin(line)
    assert roll(line).number == 1
    status = line.answer(CommandCode.STATUS)
    assert StatusFlag.POOR_NOISE in status.flags
    assert status.fault == 0


def test_a_match_that_cannot_be_read_back_stays_a_fault_until_another_begins(chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    roll(line)
    line.client.ledger = None
    at_seal = 128
    line.cup.eeprom[at_seal + 10] ^= 1
    line.cup.switch_on()
    line.until(lambda: line.client.state is CupState.FAULT, 5)
    assert "start another match" in str(line.client.why)
    line.answer(CommandCode.SELFTEST)
    assert line.answer(CommandCode.STATUS).fault == UNREADABLE_MATCH
    line.cup.feed_noise()
    begin(line)
    line.until(lambda: line.client.state is CupState.READY, 5)
    assert roll(line).number == 2


def test_a_clock_that_fails_while_a_match_cannot_be_read_back_stops_the_next_one(chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    line.client.ledger = None
    line.cup.eeprom[128 + 10] ^= 1
    line.cup.switch_on()
    line.until(lambda: line.client.state is CupState.FAULT, 5)
    line.cup.feed_noise()
    for _ in range(21):
        line.cup.core.cup_noise(CLOCK, 3)
    assert "clock noise repeats itself" in str(line.answer(CommandCode.COMMIT))


def test_a_roll_that_is_armed_again_between_shake_and_pour_is_still_made(chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    line.client.roll(TWO, is_armed=True)
    line.until(lambda: StatusFlag.ARMED in line.answer(CommandCode.STATUS).flags)
    for _ in range(8):
        line.cup.pins(RATTLE | LIFTED, 5)
        line.cup.pins(LIFTED, 5)
    line.pull()
    line.plug()
    line.until(lambda: line.client.state is CupState.ROLLING)
    line.answer(CommandCode.STATUS)  # after it was armed again
    line.cup.pins(LIFTED | TILTED, 200)
    line.until(lambda: line.rolls, 5)
    assert line.rolls[-1].number == 1


def test_a_weak_battery_is_told_before_the_brown_out(chance):
    cup = DeskCup(chance)
    line = joined(cup, chance)
    for millivolts, is_weak in ((4650, False), (4550, True), (4650, True), (4750, False)):
        ctypes.c_uint16.in_dll(cup.core, "desk_battery_mv").value = millivolts
        line.now += 1.1
        line.step()
        line.now += 1.1
        assert (StatusFlag.WEAK in line.answer(CommandCode.STATUS).flags) is is_weak


def test_the_firmwares_match_is_proven_by_the_verifier(chance):
    line = joined(DeskCup(chance), chance)
    ledger = begin(line, "Ann", "Bob")
    kinds = [RollPurpose(RollKind.OPENING), TWO, RollPurpose(RollKind.ONE)]
    rolls = [roll(line, kinds[i % 3]) for i in range(100)]
    revealed = line.answer(CommandCode.REVEAL)
    assert isinstance(revealed, Revealed)
    assert proof.commitment_of(revealed.seed) == ledger.commitment
    key = proof.key_of(revealed.seed, ledger.nonces)
    assert [proof.rolled(key, one) for one in rolls] == rolls


def test_two_matches_have_two_seeds(chance):
    line = joined(DeskCup(chance), chance)
    first = begin(line)
    roll(line)
    line.answer(CommandCode.REVEAL)
    line.client.ledger = None
    line.cup.feed_noise(600)
    second = begin(line)
    assert second.match == first.match + 1
    assert second.commitment != first.commitment
    assert roll(line).number == 2


@pytest.mark.parametrize("noise", [{"bit_errors": 0.01}, {"lost": 0.01}, {"garbage": 0.5}])
def test_the_firmware_gives_every_roll_exactly_once_over_a_bad_line(noise, chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    line.noise = Noise(chance, **noise)
    for _ in range(60):
        roll(line)
    assert [one.number for one in line.rolls] == list(range(1, 61))


@pytest.mark.slow
def test_ten_thousand_firmware_rolls_come_exactly_once_with_one_bit_in_a_hundred_wrong(chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    line.noise = Noise(chance, bit_errors=0.01)
    for _ in range(10_000):
        roll(line)
    assert [one.number for one in line.rolls] == list(range(1, 10_001))


def test_a_power_cut_after_any_write_loses_no_roll_and_makes_none_twice(chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    wanted = 0
    for cut in range(300):
        if line.client.requested is None:
            line.client.roll(TWO)
            wanted += 1
        line.cup.cut_power_after(cut % 50)
        for _ in range(3 if cut % 3 else 40):
            line.step()
        line.cup.switch_on()
        line.until(lambda: line.client.state in (CupState.READY, CupState.ROLLING), 10)
    line.until(lambda: line.client.requested is None)
    assert [one.number for one in line.rolls] == list(range(1, wanted + 1))
    assert wanted > 100


@pytest.mark.parametrize("writes", range(0, 90, 3))
def test_a_power_cut_while_a_match_is_sealed_leaves_it_sealed_or_to_be_sealed(writes, chance):
    line = joined(DeskCup(chance), chance)
    committed = line.answer(CommandCode.COMMIT)
    line.cup.cut_power_after(writes)
    line.client.send(CommandCode.SEAL, bytes(32))
    for _ in range(200):
        line.step()
    line.cup.switch_on()
    line.until(lambda: line.client.state is CupState.READY)
    status = line.answer(CommandCode.MATCH)
    assert status.phase in (CupPhase.COMMITTED, CupPhase.SEALED)
    assert status.commitment == committed.commitment
    if status.phase is CupPhase.COMMITTED:
        line.answer(CommandCode.SEAL, bytes(32))


def fuzzed(chance, frames):
    cup = DeskCup(chance)
    line = joined(cup, chance)
    begin(line)
    for _ in range(5):
        roll(line)
    before = bytes(cup.eeprom)
    from hardware.frames import CupFrame

    # Anything but well-made commands: those have a second check that chance does not pass.
    for number in range(frames):
        kind = chance.randrange(3)
        if kind == 0:
            piece = chance.randbytes(chance.randrange(1, 80)) + b"\0"
        elif kind == 1:
            payload = chance.randbytes(chance.randrange(60))
            piece = CupFrame(number & 0xFFFF, chance.randrange(256), payload).encode()
        else:
            whole = bytearray(
                CupFrame(number & 0xFFFF, CommandCode.ROLL, b"\x02saltX\0ck").encode()
            )
            whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            piece = bytes(whole)
        cup.received(piece, line.now + number * 1e-4)
    line.now += frames * 1e-4
    for _ in range(3):
        cup.received(b"\0", line.now)
    return line, before, bytes(cup.eeprom)


def check_fuzzed(chance, frames):
    line, before, after = fuzzed(chance, frames)
    assert after[512:] == before[512:]  # no roll was made
    line.client.connected(line.now)
    line.until(lambda: line.client.state is CupState.READY)
    assert roll(line).number == 6


def test_twenty_thousand_fuzzed_frames_make_no_roll_and_harm_nothing(chance):
    check_fuzzed(chance, 20_000)


@pytest.mark.slow
def test_a_million_fuzzed_frames_make_no_roll_and_harm_nothing(chance):
    check_fuzzed(chance, 1_000_000)


def rattled(cup, edges, milliseconds=10):
    for i in range(edges):
        cup.pins(LIFTED | (RATTLE if i % 2 else 0), milliseconds)


def events(cup):
    from hardware.frames import FrameDecoder

    return [one.type for one in FrameDecoder().feed(cup.output()) if not isinstance(one, Exception)]


def test_the_switches_are_debounced_and_a_throw_needs_a_shake(chance):
    cup = DeskCup(chance)
    cup.output()
    for _ in range(10):
        cup.pins(LIFTED, 5)  # bounces
        cup.pins(0, 5)
    assert events(cup) == []
    cup.pins(LIFTED, 60)
    assert events(cup) == [0x42]
    cup.pins(LIFTED | TILTED, 200)
    assert events(cup) == []  # turned over without a shake
    cup.pins(LIFTED, 200)
    rattled(cup, 40, 2)  # too fast for a ball: a bounce
    assert events(cup) == []
    rattled(cup, 10)
    assert events(cup) == [0x43]
    cup.pins(LIFTED | TILTED, 40)  # a knock
    cup.pins(LIFTED, 40)
    assert events(cup) == []
    cup.pins(LIFTED | TILTED, 100)
    assert events(cup) == [0x44]


def test_an_armed_roll_is_made_by_shaking_and_pouring(chance):
    line = joined(DeskCup(chance), chance)
    begin(line)
    line.client.roll(TWO, is_armed=True)
    line.until(lambda: line.now > 1)
    line.cup.pins(LIFTED, 60)
    rattled(line.cup, 12)
    line.cup.pins(LIFTED | TILTED, 100)
    line.until(lambda: line.rolls, 1)
    assert line.client.ledger.number == 1
