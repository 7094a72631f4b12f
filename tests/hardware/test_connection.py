"""The link with its thread, over a real socket to a virtual cup."""

import os
import random
import threading
import time
from queue import Empty

import pytest

from hardware import proof
from hardware.client import CupState
from hardware.connection import CupConnection
from hardware.errors import CupOutOfStep, CupRefused, NoCup
from hardware.match import end_left_match
from hardware.messages import Revealed, RollMade
from hardware.ports import PortInfo, PortSearch, open_port
from hardware.protocol_constants import Capability, CommandCode, RollKind, RollPurpose
from hardware.served_cup import LineFaults, ServedCup
from tests.hardware.lines import TWO, begin_at
from tests.hardware.rfc2217 import shared_port


def next_roll(cup, most=60.0):
    """The next roll that the cup reports; other notices are skipped."""
    end = time.monotonic() + most
    while time.monotonic() < end:
        notice = cup.notices.get(timeout=most)
        if isinstance(notice, RollMade):
            return notice.roll
    raise AssertionError(f"no roll came: {cup.view}")


def no_more_rolls(cup):
    try:
        while True:
            assert not isinstance(cup.notices.get_nowait(), RollMade)
    except Empty:
        pass


def test_a_match_is_rolled_and_revealed_over_a_socket():
    with ServedCup(os.urandom) as served, CupConnection(PortSearch(served.url)) as cup:
        assert cup.wait_ready(60).can & Capability.SHAKE
        ledger = begin_at(cup)
        rolls = []
        for _ in range(20):
            cup.roll(TWO)
            rolls.append(next_roll(cup))
        revealed = cup.call(CommandCode.REVEAL)
        assert isinstance(revealed, Revealed)
        key = proof.key_of(revealed.seed, ledger.nonces)
        assert [proof.rolled(key, one) for one in rolls] == rolls


@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")  # pyserial 3.5
def test_a_cup_at_another_machine_rolls_through_its_shared_port_and_is_found_again(caplog):
    caplog.set_level("INFO")
    with ServedCup(os.urandom) as served, shared_port(served.url) as (url, cut):
        with CupConnection(PortSearch(url)) as cup:
            ledger = begin_at(cup)
            rolls = []
            for _ in range(4):
                cup.roll(TWO)
                if len(rolls) == 2:
                    cut()
                rolls.append(next_roll(cup))
            revealed = cup.call(CommandCode.REVEAL)
        assert [record.levelname for record in caplog.records] == ["INFO", "WARNING", "INFO"]
        assert isinstance(revealed, Revealed)
        key = proof.key_of(revealed.seed, ledger.nonces)
        assert [proof.rolled(key, one) for one in rolls] == rolls
        assert served.memory.number == 4


def test_no_other_match_begins_before_one_that_was_left_is_revealed():
    with ServedCup(os.urandom) as served, CupConnection(PortSearch(served.url)) as cup:
        first = begin_at(cup)
        with pytest.raises(CupOutOfStep, match="in match 1, which is not over"):
            begin_at(cup)
        left = end_left_match(cup, lambda *_: None)
        assert left is not None
        assert proof.commitment_of(left.revealed.seed) == first.commitment
        assert begin_at(cup).match == 2


def test_a_roll_that_is_requested_again_before_its_answer_was_read_is_made_once():
    with ServedCup(os.urandom) as served, CupConnection(PortSearch(served.url)) as cup:
        begin_at(cup)
        cup.roll_now(TWO, turn=1, after=0)
        made = next_roll(cup)
        cup.roll_now(TWO, turn=1, after=0)  # by someone who does not know yet
        cup.keep_armed(TWO, turn=1, after=0)
        cup.call(CommandCode.STATUS)
        assert (cup.requested, served.memory.number, made.number) == (None, 1, 1)
        cup.roll_now(TWO, turn=2, after=1)
        assert next_roll(cup).number == 2


def test_what_the_cup_refuses_is_raised_with_its_reason():
    with (
        ServedCup(os.urandom) as served,
        CupConnection(PortSearch(served.url)) as cup,
        pytest.raises(CupRefused, match="at another stage"),
    ):
        cup.call(CommandCode.REVEAL)


def test_a_killed_program_gets_the_roll_that_it_had_requested():
    with ServedCup(os.urandom) as served:
        with CupConnection(PortSearch(served.url)) as cup:
            ledger = begin_at(cup)
            cup.roll(TWO)
            asked = next_roll(cup)
        with CupConnection(PortSearch(served.url)) as cup:
            cup.resume(ledger)
            assert next_roll(cup) == asked
            cup.roll(RollPurpose(RollKind.ONE))
            assert next_roll(cup).number == 2


def found_nothing(search):
    """The error after all ports were tried."""
    end = time.monotonic() + 60
    with CupConnection(search) as cup:
        while not any(part in str(cup.view.why) for part in ("no ", "cannot")):
            assert time.monotonic() < end
            time.sleep(0.01)
        with pytest.raises(NoCup) as error:
            cup.wait_ready(0.05)
    return str(error.value)


def test_without_a_cup_the_error_explains_how_to_get_one():
    assert "plug it in by USB" in found_nothing(PortSearch(list_ports=list))


def test_a_port_that_is_not_there_is_named():
    assert "no-such-port" in found_nothing(PortSearch("/dev/no-such-port"))


def test_a_port_that_goes_while_it_is_opened_is_named_and_tried_again(monkeypatch):
    termios = pytest.importorskip("termios", reason="this system has no terminals")

    def gone(*_):
        raise termios.error(5, "Input/output error")

    master, slave = os.openpty()
    try:
        url = os.ttyname(slave)
        open_port(url).close()
        monkeypatch.setattr(termios, "tcflush", gone)
        with pytest.raises(NoCup, match=r"cannot be opened.*Input/output error"):
            open_port(url)
    finally:
        os.close(master)
        os.close(slave)


def test_the_cup_is_found_among_ports_that_are_none():
    with ServedCup(os.urandom) as served:

        def listed():
            return [
                PortInfo("socket://127.0.0.1:9", "dead", "a", True),
                PortInfo("loop://", "an echo", "b", False),
                PortInfo(served.url, "the cup", "c", True),
            ]

        search = PortSearch(list_ports=listed)
        with CupConnection(search) as cup:
            cup.wait_ready(60)
            assert cup.view.url == served.url
            assert search.known == "c"


def test_a_port_that_only_echoes_is_no_cup():
    with CupConnection(PortSearch("loop://")) as cup:
        with pytest.raises(NoCup):
            cup.wait_ready(1)
        assert cup.view.state in (CupState.HANDSHAKING, CupState.LOST)


def test_two_programs_cannot_have_one_port():
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    port = open_port(os.ttyname(slave))
    with pytest.raises(NoCup, match="cannot be opened"):
        open_port(os.ttyname(slave))
    port.close()
    os.close(master)
    os.close(slave)


def test_a_line_that_takes_nothing_more_is_given_up_and_does_not_block():
    class Full:
        in_waiting = 0

        def read(self, size=1):
            return b""

        def write(self, said):
            raise OSError("write timeout")

        def close(self):
            return

    opened = threading.Semaphore(0)

    def opener(url):
        opened.release()
        return Full()

    with CupConnection(PortSearch("anything"), opener=opener) as cup:
        assert opened.acquire(timeout=60)
        assert opened.acquire(timeout=60)  # again
        with pytest.raises(NoCup, match="write timeout"):
            cup.wait_ready(0.5)


def unplugged(times, seed):
    chance = random.Random(seed)
    longest = 0.0
    with ServedCup(chance.randbytes) as served, CupConnection(PortSearch(served.url)) as cup:
        begin_at(cup)
        rolls, wanted = [], 0
        for _ in range(times):
            cup.roll(TWO)
            wanted += 1
            time.sleep(chance.random() * 0.03)
            if chance.random() < 0.3:
                served.reset(4)
            served.unplug()
            begun = time.monotonic()
            rolls.append(next_roll(cup))
            longest = max(longest, time.monotonic() - begun)
        assert [one.number for one in rolls] == list(range(1, wanted + 1))
        assert served.memory.number == wanted
        assert [served.memory.rolls[one.number] for one in rolls[-32:]] == rolls[-32:]
        no_more_rolls(cup)
    return longest


def test_unplugging_at_random_moments_loses_and_doubles_nothing():
    unplugged(7, 3)


@pytest.mark.slow
def test_five_hundred_times_unplugged_loses_and_doubles_nothing_and_is_back_in_two_seconds():
    assert unplugged(500, 4) < 2


def test_a_cup_that_stalls_drops_and_resets_gives_every_roll_once():
    faults = LineFaults(bit_errors=0.0005, drops=0.002, stalls=0.02, resets=0.02)
    with (
        ServedCup(os.urandom, faults=faults, chance=random.Random(5)) as served,
        CupConnection(PortSearch(served.url)) as cup,
    ):
        begin_at(cup)
        rolls = []
        for _ in range(40):
            cup.roll(TWO)
            rolls.append(next_roll(cup))
        assert [one.number for one in rolls] == list(range(1, 41))
        assert served.memory.number == 40
