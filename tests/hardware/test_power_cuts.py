"""The firmware's C code when the power fails at any byte of any write: what the cup then knows."""

import itertools
import random

import pytest

from hardware import proof
from hardware.client import CupClient, CupState
from hardware.frames import CupFrame, FrameDecoder
from hardware.proof import CupRoll
from hardware.protocol import command, parse_message, roll_payload
from hardware.protocol_constants import ANSWER, CommandCode, RollKind, RollPurpose
from tests.hardware.desk import DeskCup
from tests.hardware.lines import Line, begin

IDS = itertools.count(1)


@pytest.fixture
def chance():
    return random.Random(17)


def answer(cup, code, payload=b""):
    """The cup's response to one command; None if it has lost its power."""
    sent = command(next(IDS) & 0xFFFF, code, payload)
    cup.output()
    frames = FrameDecoder().feed(cup.received(sent.encode(), 0))
    wanted = (sent.id, code | ANSWER)
    found = [one for one in frames if isinstance(one, CupFrame) and (one.id, one.type) == wanted]
    return parse_message(found[0]) if found else None


def ways(chance):
    """How the interrupted byte is left: as it was, partly erased, partly written."""
    return (0, False), (chance.randrange(256), False), (chance.randrange(256), True)


def after_every_cut(cup, payload, chance):
    """The newest roll after a cut at each of the writes that this ROLL causes, in each way."""
    before = bytes(cup.eeprom)
    for writes in itertools.count():
        for stray, is_half_written in ways(chance):
            cup.eeprom[:] = before
            cup.switch_on()
            cup.cut_power_after(writes, stray, is_half_written=is_half_written)
            answer(cup, CommandCode.ROLL, payload)
            cup.work(60)
            was_cut = cup.is_dark
            cup.switch_on()
            yield answer(cup, CommandCode.LAST)
        if not was_cut:
            return


def cut_at_every_byte(rolls, chance):
    """Interrupt every byte that so many rolls write; return how many times that was."""
    line = Line(CupClient(chance.randbytes), DeskCup(chance))
    line.plug()
    line.until(lambda: line.client.state is CupState.READY)
    ledger, cup = begin(line), line.cup
    cup.work(200)
    made, cuts = [], 0
    for number in range(rolls):
        what, salt = RollPurpose(chance.choice(list(RollKind))), chance.randbytes(4)
        last = answer(cup, CommandCode.LAST)
        payload = roll_payload(what, salt, number)
        for seen in after_every_cut(cup, payload, chance):
            cuts += 1
            assert seen == last or (seen.number, seen.what, seen.salt) == (number + 1, what, salt)
            if seen != last:
                made.append(seen)
    revealed = answer(cup, CommandCode.REVEAL)
    assert_from_the_seed(made, ledger, revealed.seed)
    assert revealed.number == rolls
    return cuts


def assert_from_the_seed(made, ledger, seed):
    """Every roll, seen once or more often, has the seed's faces, and the chain's tag after it."""
    key, chain = proof.key_of(seed, ledger.nonces), ledger.chain
    for number, several in itertools.groupby(made, key=lambda one: one.number):
        first, *others = several
        wanted = proof.rolled(key, CupRoll(number, first.what, first.salt, ()))
        chain = proof.chain_after(chain, wanted)
        assert (first.roll, first.tag) == (wanted, chain[:4])
        assert all(one == first for one in others)


def told(cup):
    """What the cup says of its match, after it was switched on again."""
    cup.switch_on()
    here = answer(cup, CommandCode.MATCH)
    return here.phase, here.match, here.commitment


def cut_at_every_write_of(cup, code, payload, chance):
    """Interrupt every byte that the command writes; then carry it out, and return how often.

    The cup must then be in the match, and as far in it, as before the command or after it.
    """
    before = bytes(cup.eeprom)
    was, seen = told(cup), []
    for writes in itertools.count():
        for stray, is_half_written in ways(chance):
            cup.eeprom[:] = before
            cup.switch_on()
            cup.cut_power_after(writes, stray, is_half_written=is_half_written)
            answer(cup, code, payload)
            cup.work(200)
            was_cut = cup.is_dark
            seen.append(told(cup))
        if not was_cut:
            break
    assert set(seen) <= {was, seen[-1]}
    assert was != seen[-1]
    return len(seen)


def test_no_power_cut_loses_a_match_or_uses_its_number_again(chance):
    cup, cuts = DeskCup(chance), 0
    for _ in range(4):
        cuts += cut_at_every_write_of(cup, CommandCode.COMMIT, b"", chance)
        cuts += cut_at_every_write_of(cup, CommandCode.SEAL, bytes(32), chance)
        committed = told(cup)[2]
        cuts += cut_at_every_write_of(cup, CommandCode.REVEAL, b"", chance)
        revealed = answer(cup, CommandCode.REVEAL)
        assert proof.commitment_of(revealed.seed) == committed
        cup.feed_noise()
        cup.work(400)
    assert cuts > 600


def test_no_power_cut_makes_a_roll_that_the_seed_did_not_make(chance):
    assert cut_at_every_byte(100, chance) > 3000


@pytest.mark.slow
def test_no_power_cut_in_ten_thousand_rolls_makes_another_roll(chance):
    assert cut_at_every_byte(10_000, chance) > 300_000
