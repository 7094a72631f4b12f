"""A match from its commitment to its seed, at cups that are slow, faulty or cut off."""

import os
from dataclasses import replace

import pytest

from hardware.connection import CupConnection
from hardware.errors import CupLost, CupOutOfStep, CupRefused
from hardware.match import commit, reveal, seal
from hardware.ports import PortSearch
from hardware.proof import commitment_of, nonces_of
from hardware.protocol_constants import CommandCode, CupPhase, Refusal
from hardware.roll_ledger import RollLedger
from hardware.served_cup import ServedCup
from hardware.virtual_cup import _RefusedError
from tests.hardware.lines import begin_at

NONCES = nonces_of(b"host", "Ann", "Bob")


@pytest.fixture
def served():
    with ServedCup(os.urandom) as served:
        yield served


@pytest.fixture
def cup(served):
    with CupConnection(PortSearch(served.url)) as cup:
        cup.wait_ready(60)
        yield cup


def change(served, code, answer):
    """The cup answers `code` with `answer(usual, payload)`; `usual(payload)` is what it does."""

    def changed(cup):
        length, usual = cup._commands[code]
        cup._commands[code] = (length, lambda payload: answer(usual, payload))

    served.handle(changed)


def refuse(served, code, why, times):
    left = iter(range(times))

    def answer(usual, payload):
        if next(left, None) is None:
            return usual(payload)
        raise _RefusedError(why)

    change(served, code, answer)


def ledger_at(cup):
    committed, unit = commit(cup)
    return RollLedger.start(unit, committed, NONCES)


def test_a_cup_that_still_gathers_noise_is_waited_for(served, cup):
    refuse(served, CommandCode.COMMIT, Refusal.NOT_YET, 1)
    committed, unit = commit(cup)
    assert unit == served.memory.unit
    assert committed.commitment == commitment_of(served.memory.seed)


def test_a_cup_whose_noise_does_not_suffice_is_given_up(served, cup):
    refuse(served, CommandCode.COMMIT, Refusal.NOT_YET, 1000)
    with pytest.raises(CupRefused, match="not ready for that yet"):
        commit(cup, patience=0.2)


def test_a_cup_with_a_fault_begins_no_match(served, cup):
    refuse(served, CommandCode.COMMIT, Refusal.NOT_WELL, 1)
    with pytest.raises(CupRefused, match="fault"):
        commit(cup)
    assert served.memory.match == 0


def test_a_match_that_was_committed_but_not_sealed_is_taken_up(served, cup):
    first, _ = commit(cup)
    assert commit(cup)[0] == first
    assert served.memory.match == 1


def test_the_line_may_break_before_it_is_known_that_the_match_is_sealed(served, cup):
    ledger = ledger_at(cup)
    sealed = []

    def answer(usual, payload):
        sealed.append(payload)
        done = usual(payload)
        served.unplug()
        return done

    change(served, CommandCode.SEAL, answer)
    seal(cup, ledger)
    assert sealed[0] == NONCES
    assert served.memory.phase is CupPhase.SEALED
    assert served.memory.chain == ledger.chain


def test_a_match_that_another_program_sealed_with_its_own_nonces_is_refused(served, cup):
    ledger = ledger_at(cup)
    cup.call(CommandCode.SEAL, nonces_of(b"else", "Ann", "Bob"))
    with pytest.raises(CupOutOfStep, match="other words"):
        seal(cup, ledger)


def test_a_cup_that_fails_as_it_is_sealed_says_so(served, cup):
    ledger = ledger_at(cup)
    refuse(served, CommandCode.SEAL, Refusal.NOT_WELL, 1)
    with pytest.raises(CupRefused, match="fault"):
        seal(cup, ledger)


def test_sealing_a_match_again_changes_nothing(served, cup):
    ledger = begin_at(cup)
    seal(cup, ledger)
    assert served.memory.chain == ledger.chain


def test_a_cup_that_is_at_another_match_is_not_told_to_end_that(served, cup):
    ledger = begin_at(cup)
    with pytest.raises(CupOutOfStep, match="no longer in match 2"):
        reveal(cup, ledger.match + 1)
    assert served.memory.phase is CupPhase.SEALED


def test_the_seed_of_another_match_is_not_taken_for_this_ones(served, cup):
    ledger = begin_at(cup)
    change(served, CommandCode.REVEAL, lambda usual, payload: replace(usual(payload), match=7))
    with pytest.raises(CupLost, match="another match's seed"):
        reveal(cup, ledger.match)


def test_the_seed_is_given_again_to_a_program_that_has_not_resumed_its_match(served, cup):
    ledger = begin_at(cup)
    cup.forget_match()
    assert reveal(cup, ledger.match).seed == served.memory.seed
