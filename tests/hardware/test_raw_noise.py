"""The cup's raw noise leaves it as it is, and what leaves it goes into no seed."""

import io
import random

from hardware.connection import CupConnection
from hardware.frames import CupFrame, FrameDecoder
from hardware.messages import Acknowledged, Committed, RawNoise, Refused, SelfTest
from hardware.ports import PortSearch
from hardware.protocol import command, parse_message
from hardware.protocol_constants import MAJOR, MINOR, CommandCode, NoiseSource, Refusal
from hardware.raw_noise import MIN_SET, NoiseFile, capture_noise, start_noise
from tests.hardware.desk import CLOCK, NOISE, DeskCup
from tests.hardware.emulated import Emulated


class RawCup(DeskCup):
    """A cup on the desk that is asked command by command."""

    _id = 0

    def ask(self, code, payload=b""):
        """The answer to a command."""
        self._id += 1
        answer, *_ = _messages(self.received(command(self._id, code, payload).encode(), 0.0))
        self.work(200)  # it writes a byte of its memory at a time
        return answer

    def noise(self, source, samples):
        """Feed these samples; return what the cup says about them."""
        for sample in samples:
            self.core.cup_noise(source, sample)
            self.core.cup_work()
        return _messages(self.output())


def _messages(sent):
    frames = FrameDecoder().feed(sent)
    return [parse_message(one) for one in frames if isinstance(one, CupFrame)]


def cup_on_the_desk(seed, *, is_prepared=True):
    """A cup that has said that it is on; unless `is_prepared`, it has gathered no noise yet."""
    cup = RawCup(random.Random(seed), is_prepared=is_prepared)
    cup.output()
    return cup


def sent(messages):
    return b"".join(one.samples for one in messages if isinstance(one, RawNoise))


CLOCK_ON, PIN_ON, OFF = (bytes([one]) for one in (NoiseSource.CLOCK, NoiseSource.PIN, 0))


def test_the_samples_of_the_chosen_source_are_sent_as_they_are_and_numbered():
    cup = cup_on_the_desk(0, is_prepared=False)
    ours, others = random.Random(1).randbytes(96), random.Random(2).randbytes(96)
    assert cup.ask(CommandCode.RAW, PIN_ON) == Acknowledged()
    assert cup.noise(CLOCK, others) == []
    messages = cup.noise(NOISE, ours)
    assert sent(messages) == ours
    assert [one.first for one in messages] == [0, 32, 64]
    assert {one.source for one in messages} == {NoiseSource.PIN}
    assert cup.ask(CommandCode.RAW, OFF) == Acknowledged()
    assert cup.noise(NOISE, ours) == []


def seed_after(samples):
    """The commitment to a seed; of the noise before it, `samples` were sent."""
    cup = cup_on_the_desk(0, is_prepared=False)
    hidden = random.Random(3)
    cup.noise(CLOCK, hidden.randbytes(500))
    cup.ask(CommandCode.RAW, CLOCK_ON)
    assert sent(cup.noise(CLOCK, samples)) == samples
    cup.ask(CommandCode.RAW, OFF)
    cup.noise(CLOCK, hidden.randbytes(1600))
    cup.work(200)
    committed = cup.ask(CommandCode.COMMIT)
    assert isinstance(committed, Committed)
    return committed.commitment


def test_samples_that_left_the_cup_go_into_no_seed():
    one, other = (random.Random(seed).randbytes(640) for seed in (4, 5))
    assert seed_after(one) == seed_after(other)


def is_prepared(cup):
    found = cup.ask(CommandCode.SELFTEST)
    assert isinstance(found, SelfTest)
    return found.is_prepared


def test_a_seed_needs_all_its_noise_from_after_the_last_sample_that_left():
    cup = cup_on_the_desk(0, is_prepared=False)
    chance = random.Random(6)
    cup.noise(CLOCK, chance.randbytes(1024 + 511 - 512))  # one short of the seed: a name took 512
    cup.ask(CommandCode.RAW, CLOCK_ON)
    cup.noise(CLOCK, chance.randbytes(3200))
    cup.ask(CommandCode.RAW, OFF)
    cup.noise(CLOCK, chance.randbytes(511))
    assert not is_prepared(cup)
    cup.noise(CLOCK, chance.randbytes(1))  # its name
    cup.noise(CLOCK, chance.randbytes(511))
    assert not is_prepared(cup)
    cup.noise(CLOCK, chance.randbytes(40))
    assert is_prepared(cup)


def test_samples_that_fail_the_health_tests_are_sent_too():
    cup = cup_on_the_desk(0, is_prepared=False)
    cup.ask(CommandCode.RAW, CLOCK_ON)
    assert sent(cup.noise(CLOCK, bytes(320))) == bytes(320)
    assert cup.ask(CommandCode.SELFTEST).clock_tripped


def test_another_program_and_a_match_end_the_sending():
    for ending in ((CommandCode.HELLO, bytes([MAJOR, MINOR])), (CommandCode.SEAL, bytes(32))):
        cup = cup_on_the_desk(7)
        cup.ask(CommandCode.COMMIT)
        cup.ask(CommandCode.RAW, PIN_ON)
        cup.ask(*ending)
        assert sent(cup.noise(NOISE, bytes(range(64)))) == b""


def test_a_cup_in_a_match_and_an_unknown_source_are_refused():
    cup = cup_on_the_desk(8)
    assert cup.ask(CommandCode.RAW, b"\3") == Refused(Refusal.NOT_IN_RANGE, 3)
    cup.ask(CommandCode.COMMIT)
    cup.ask(CommandCode.SEAL, bytes(32))
    assert cup.ask(CommandCode.RAW, CLOCK_ON).why is Refusal.NOT_NOW


def messages_from(first, blocks):
    return [
        RawNoise(NoiseSource.CLOCK, first + 32 * i, bytes([(first // 32 + i) % 256]) * 32)
        for i in range(blocks)
    ]


def filled(wanted, messages):
    out = io.BytesIO()
    file = NoiseFile(out, wanted)
    for one in messages:
        if not file.is_full:
            file.add(one)
    assert len(out.getvalue()) == file.written
    return file, out.getvalue()


def test_a_file_has_exactly_the_samples_that_were_wanted():
    file, _ = filled(1000, messages_from(0, 40))
    assert (file.written, file.sets, file.left_out) == (1000, 1, 0)


def test_only_sets_of_a_thousand_consecutive_samples_are_written():
    lost = [*messages_from(0, 50), *messages_from(51 * 32, 10), *messages_from(0, 100)]
    file, samples = filled(2700, lost)
    assert (file.sets, file.left_out) == (2, 320)
    assert file.written == 2700
    assert samples[1600:1632] == bytes(32)


def test_a_second_set_is_long_enough_even_if_fewer_samples_are_wanted():
    file, _ = filled(1700, [*messages_from(0, 50), *messages_from(0, 100)])
    assert file.written == 1600 + MIN_SET


def test_samples_that_another_program_asked_for_are_not_taken(tmp_path):
    with Emulated(tmp_path, speed=0) as chip, CupConnection(PortSearch(chip.url)) as cup:
        start_noise(cup, NoiseSource.PIN)
        while not cup.notices.qsize() > 20:  # nobody takes them
            cup.call(CommandCode.STATUS)
        start_noise(cup, NoiseSource.PIN)
        out = io.BytesIO()
        file = NoiseFile(out, 1000)
        capture_noise(cup, NoiseSource.PIN, file)
        assert (file.written, file.sets, file.left_out) == (1000, 1, 0)


def test_a_capture_goes_on_after_a_reset_in_a_new_set(tmp_path):
    file = NoiseFile(io.BytesIO(), 3000)
    with Emulated(tmp_path, speed=0) as chip, CupConnection(PortSearch(chip.url)) as cup:
        start_noise(cup, NoiseSource.PIN)

        def reset_once():
            if file.written >= MIN_SET and file.sets == 1 and not is_reset:
                is_reset.append(True)
                chip.say("reset")

        is_reset = []
        capture_noise(cup, NoiseSource.PIN, file, reset_once)
    assert (file.written, file.sets) == (3000, 2)
