"""Two cups with the real firmware on two ports: a match goes on with its own."""

import time

import pytest

from hardware.client import CupState
from hardware.connection import CupConnection
from hardware.errors import CupLost
from hardware.messages import MatchStatus, RollMade
from hardware.ports import PortInfo, PortSearch
from hardware.protocol_constants import CommandCode, CupPhase, StatusFlag
from tests.hardware.emulated import Emulated, built
from tests.hardware.lines import TWO, begin_at
from tests.hardware.test_connection import next_roll

PATIENCE = 60


def until(is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


class Desk:
    """A desk with two cups, of which some are plugged in."""

    def __init__(self, folder):
        self.cups = {}
        for seed, name in enumerate(("first", "second"), start=1):
            (folder / name).mkdir()
            self.cups[name] = Emulated(folder / name, seed=seed)
        self.plugged = list(self.cups)

    def listed(self):
        return [PortInfo(self.cups[name].url, "", name, True) for name in self.plugged]

    def replug(self, *names):
        """Pull all cables; then plug in these cups, in this order."""
        self.plugged = list(names)
        for name, cup in self.cups.items():
            cup.say("unplug")
            if name in names:
                cup.say("plug")

    def plug_in(self, name):
        self.plugged.append(name)
        self.cups[name].say("plug")

    def close(self):
        for cup in self.cups.values():
            cup.close()


@pytest.fixture
def desk(tmp_path):
    built()
    desk = Desk(tmp_path)
    yield desk
    desk.close()


@pytest.mark.parametrize("order", [("first", "second"), ("second", "first")])
@pytest.mark.parametrize("own", ["first", "second"])
def test_a_match_goes_on_with_its_own_cup_in_whichever_order_they_are_plugged_in(desk, own, order):
    desk.plugged = [own]
    search = PortSearch(list_ports=desk.listed)
    with CupConnection(search) as cup:
        ledger = begin_at(cup)
        cup.roll(TWO)
        assert next_roll(cup, PATIENCE).number == 1
        desk.replug(*order)
        cup.roll(TWO)
        assert next_roll(cup, PATIENCE).number == 2
        left = cup.ledger
        assert left is not None
    # The next program knows neither's serial number.
    search = PortSearch(list_ports=desk.listed)
    with CupConnection(search) as cup:
        cup.resume(left)
        cup.roll(TWO)
        assert next_roll(cup, PATIENCE).number == 3
        assert (cup.view.url, search.known) == (desk.cups[own].url, own)
        assert cup.view.identity.unit == ledger.unit


def test_another_cup_alone_is_named_and_left_once_the_matchs_own_is_back(desk):
    desk.plugged = ["second"]
    search = PortSearch(list_ports=desk.listed)
    with CupConnection(search) as cup:
        ledger = begin_at(cup)
        desk.replug("first")
        until(lambda: cup.view.state is CupState.FAULT and "this is cup" in str(cup.view.why))
        assert search.known == "second"
        desk.plug_in("second")
        cup.roll(TWO)
        assert next_roll(cup, PATIENCE).number == 1
        assert cup.view.identity.unit == ledger.unit


def test_a_roll_made_as_the_plug_was_pulled_counts_although_another_cup_came_between(desk):
    desk.plugged = ["first"]
    with CupConnection(PortSearch(list_ports=desk.listed)) as cup:
        begin_at(cup)
        cup.roll(TWO, is_armed=True)
        until(lambda: cup.view.status is not None and StatusFlag.ARMED in cup.view.status.flags)
        desk.replug("second")
        for word in ("lift", "shake", "pour"):
            desk.cups["first"].say(word)
        until(lambda: "this is cup" in str(cup.view.why))
        desk.plug_in("first")
        made = cup.notices.get(timeout=PATIENCE)
        while not isinstance(made, RollMade):
            made = cup.notices.get(timeout=PATIENCE)
        assert made.is_asked


def test_another_cup_is_not_told_to_end_its_own_match(desk):
    desk.plugged = ["second"]
    with CupConnection(PortSearch(list_ports=desk.listed)) as cup:
        begin_at(cup)
    desk.plugged = ["first"]
    with CupConnection(PortSearch(list_ports=desk.listed)) as cup:
        begin_at(cup)
        desk.replug("second")
        until(lambda: "this is cup" in str(cup.view.why))
        with pytest.raises(CupLost, match="this is cup"):
            cup.call(CommandCode.REVEAL, patience=1)
        cup.forget_match()
        here = cup.call(CommandCode.MATCH, patience=PATIENCE)
        assert isinstance(here, MatchStatus)
        assert here.phase is CupPhase.SEALED
