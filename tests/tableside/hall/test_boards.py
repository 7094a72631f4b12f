"""What the hall knows of its tables from what they say."""

from __future__ import annotations

from contextlib import closing

import pytest

from tableside.hall.boards import FORGET_S, SHARED_S, Boards
from tableside.hall.messages import Presence, TableState
from tableside.hall.store import HallStore
from webui.contracts.roles import Visibility
from webui.views.hall import kind_of, tile


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def boards(tmp_path, clock):
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"))) as store:
        yield Boards(store, clock, clock)


def say(boards, clock, instance, *, online=True):
    presence = Presence(online=online, instance=instance, page="", sent=clock.now)
    boards.meet("7", presence, is_kept=False)


def troubles(boards):
    boards.look()
    return [str(one) for one in boards.tables(Visibility.EVERYTHING)[0]["troubles"]]


def test_a_contested_result_stays_with_the_calls_when_its_table_is_switched_off(boards, clock):
    state = {"phase": "ended", "call": {"player": "dark", "contests": True}}
    say(boards, clock, "first")
    for visibility in (Visibility.PLAYERS, Visibility.EVERYTHING):
        sent = TableState(sent=clock.now, instance="first", state=state)
        boards.show("7", visibility, sent, is_kept=False)
    say(boards, clock, "first", online=False)
    (table,) = boards.tables(Visibility.EVERYTHING)
    assert kind_of(table) == "call"
    assert "contest" in tile(table)["notes"][0]


def test_a_clock_of_the_hall_that_is_wrong_is_not_blamed_on_its_tables(boards, clock):
    def tell(name, ahead):
        sent = Presence(online=True, instance=name, page="", sent=clock.now + ahead)
        boards.meet(name, sent, is_kept=False)
        boards.look()

    tell("1", 3600.0)
    tell("2", 3590.0)
    assert (boards.figures()["clocks_off"], boards.troubles()) == (2, [])
    tell("3", 3620.0)
    said = "the clock of the hall's computer is 60 minutes slow: all tables say so"
    assert [*map(str, boards.troubles())] == [said]
    assert boards.figures()["clocks_off"] == 0
    assert [one["troubles"] for one in boards.tables(Visibility.PLAYERS)] == [[], [], []]
    tell("3", 0.0)
    assert boards.troubles() == []
    assert [len(one["troubles"]) for one in boards.tables(Visibility.PLAYERS)] == [1, 1, 0]


def test_two_tables_with_one_name_are_shown_until_one_has_another(boards, clock):
    say(boards, clock, "first")
    for _ in range(2):
        say(boards, clock, "second", online=False)
        clock.now += SHARED_S + 1
        say(boards, clock, "first")
    assert troubles(boards) == [
        "another table is connected under this name too: give it another --table"
    ]
    clock.now += FORGET_S
    say(boards, clock, "first")
    assert troubles(boards) == []


def test_the_last_will_of_an_earlier_start_makes_no_second_table(boards, clock):
    say(boards, clock, "second")
    say(boards, clock, "first", online=False)
    clock.now += SHARED_S + 1
    say(boards, clock, "second")
    assert troubles(boards) == []


def test_a_table_that_waited_and_has_the_name_now_shares_it_with_nobody(boards, clock):
    say(boards, clock, "first")
    for _ in range(2):
        say(boards, clock, "second", online=False)
        clock.now += SHARED_S + 1
    say(boards, clock, "second")
    assert troubles(boards) == []
