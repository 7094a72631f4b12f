"""A hall over a real broker: everything that tables play is stored once and shown."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
import sqlalchemy as sa

from engine import RefereeCalled, Side, as_json
from tableside.hall.boards import Boards
from tableside.hall.broker import find_broker, new_client
from tableside.hall.messages import InvalidMessage, encode, match_key, shown_state, topic
from tableside.hall.store import HallStore
from tableside.hall.subscriber import Subscriber
from tests.tableside.hall.servers import Mosquitto, wait_for
from tests.tableside.hall.simulated_hall import random_match
from tests.tableside.hall.tables import Table
from tests.tableside.sample_record import finished, match_events
from webui.contracts.roles import Visibility
from webui.views.hall import tile

EVENTS = match_events()


class Hall:
    """What `tableside hall` runs, without its page."""

    def __init__(self, path, broker):
        self.path, self.broker = path, broker
        self.open()

    def open(self):
        self.store = HallStore.open(str(self.path))
        self.boards = Boards(self.store)
        self.subscriber = Subscriber(find_broker(self.broker.url), self.store, self.boards)

    def close(self):
        self.subscriber.close()
        self.store.close()

    def shown(self, name="7", visibility=Visibility.PLAYERS):
        found = {one["name"]: one for one in self.boards.tables(visibility)}
        return found.get(name)

    def has(self, table, count):
        entry = table.store.match(table.match)
        return self.store.stored(table.name).get(match_key(entry.id, entry.begun)) == count

    def events(self, table):
        entry = table.store.match(table.match)
        return self.store.events(table.name, match_key(entry.id, entry.begun))


@pytest.fixture
def hall(broker, tmp_path):
    found = Hall(tmp_path / "hall.sqlite", broker)
    yield found
    found.close()


@pytest.fixture
def table(broker, tmp_path):
    found = Table(tmp_path / "table", broker)
    yield found
    found.close()


def test_what_a_table_records_is_in_the_store_and_on_the_page(hall, table):
    table.begin(light="Ann", dark="Ben", length=3)
    table.record(*EVENTS)
    wait_for(lambda: hall.has(table, len(EVENTS)))
    assert hall.events(table) == [as_json(event) for event in EVENTS]
    shown = wait_for(lambda: (one := hall.shown()) and one["state"]["position"] and one)
    assert (shown["online"], shown["state"]["players"]["light"]) == (True, "Ann & Co")
    assert shown["troubles"] == []


def test_killed_brokers_and_halls_cost_and_double_nothing(hall, table, broker):
    table.begin()
    for start in range(0, len(EVENTS), 3):
        table.record(*EVENTS[start : start + 3])
        broker.kill()
        if start % 2:
            hall.close()
            hall.open()
        broker.start()
        wait_for(lambda end=min(start + 3, len(EVENTS)): hall.has(table, end))  # noqa: B008
    assert hall.events(table) == [as_json(event) for event in EVENTS]


def test_a_hall_that_lost_its_store_is_sent_everything_again(hall, table):
    table.begin()
    table.record(*EVENTS)
    wait_for(lambda: hall.has(table, len(EVENTS)))
    hall.close()
    hall.path = hall.path.with_name("empty.sqlite")
    hall.open()
    wait_for(lambda: hall.has(table, len(EVENTS)))


def test_an_event_that_the_broker_lost_is_asked_for(hall, table):
    table.begin()
    table.record(*EVENTS[:4])
    wait_for(lambda: hall.has(table, 4))
    table.store.append(table.match, EVENTS[4:6])
    table.publisher._outbox.take(2)  # as if they had been sent and lost
    table.record(*EVENTS[6:])
    wait_for(lambda: hall.has(table, len(EVENTS)))


def test_the_last_events_that_a_full_broker_dropped_are_asked_for(tmp_path):
    folder = tmp_path / "broker"
    folder.mkdir()
    broker = Mosquitto(folder, "allow_anonymous true", "max_queued_messages 1")
    hall, table = Hall(tmp_path / "hall.sqlite", broker), Table(tmp_path / "table", broker)
    events = random_match(0, plays=100)
    table.begin()
    table.record(*events[:4])
    wait_for(lambda: hall.has(table, 4))
    with hall.subscriber._lock:  # the hall does not read, so the broker drops what it cannot hold
        table.record(*events[4:])
        wait_for(lambda: table.publisher._taken.number == len(events))
        wait_for(lambda: not table.publisher._waiting)
    wait_for(lambda: hall.has(table, len(events)))
    assert hall.events(table) == [as_json(event) for event in events]
    table.close()
    hall.close()
    broker.kill()


def test_the_end_of_a_match_that_was_lost_is_asked_for_once_another_begins(hall, table):
    table.begin()
    table.record(*EVENTS[:4])
    wait_for(lambda: hall.has(table, 4))
    first = table.match
    table.store.append(first, EVENTS[4:6])
    table.publisher._outbox.take(2)
    table.begin()
    table.record(*EVENTS[:4])
    wait_for(lambda: hall.has(table, 4))
    table.match = first
    wait_for(lambda: hall.has(table, 6))


def test_a_store_that_stays_away_costs_no_event_though_nothing_more_is_played(hall, table, capsys):
    tries = []

    def is_away(*_):
        tries.append(1)
        raise sa.exc.OperationalError("", {}, OSError("the server is away"))

    wait_for(lambda: hall.subscriber._told)
    sa.event.listen(hall.store._engine, "before_cursor_execute", is_away)
    table.begin()
    table.record(*EVENTS)
    wait_for(lambda: len(tries) >= 3)
    sa.event.remove(hall.store._engine, "before_cursor_execute", is_away)
    wait_for(lambda: hall.has(table, len(EVENTS)))
    wait_for(lambda: not hall.subscriber._store_fault)
    told = capsys.readouterr().err
    assert told.count("the server is away") == 1
    assert "the hall's store works again" in told


def test_a_call_and_a_result_become_notices(hall, table):
    table.begin(length=3)
    table.record(*finished(EVENTS))
    table.record(RefereeCalled(time=99.0, frame=99, player=Side.DARK))
    wait_for(lambda: hall.store.results() and hall.store.results()[0]["status"] == "contested")
    shown = wait_for(lambda: (one := hall.shown()) and one["state"]["call"] and one)
    assert shown["state"]["call"] == {"player": "dark", "contests": True}


def test_a_table_that_is_gone_is_shown_as_offline(hall, table):
    wait_for(lambda: (one := hall.shown()) and one["online"])
    table.disconnect()
    wait_for(lambda: not hall.shown()["online"])


def test_a_clock_that_is_an_hour_off_is_named(hall, broker, tmp_path):
    table = Table(tmp_path / "fast", broker, ahead=3600.0)
    table.begin()
    table.record(*EVENTS)
    shown = wait_for(lambda: (one := hall.shown()) and one["troubles"] and one)
    assert [str(one) for one in shown["troubles"]] == ["its clock is 60 minutes fast"]
    table.close()


def test_nonsense_from_a_table_harms_nobody(hall, table, broker):
    client = new_client(find_broker(broker.url), "foe")
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for kind in ("state", "events", "presence"):
        for payload in (b"", b"{", b"[]", b'{"state": 3}', b"x" * 300_000, b"[" * 100_000):
            client.publish(topic("7", kind), payload, 1)
    nested = {"sent": 1.0, "instance": "x", "state": {"message": {"id": "{a}", "values": {}}}}
    client.publish(topic("7", "state"), encode(nested), 1)
    client.publish(topic("7", "state"), encode({**nested, "state": {"dice": 3, "score": 4}}), 1)
    table.begin()
    table.record(*EVENTS)
    wait_for(lambda: hall.has(table, len(EVENTS)))
    client.disconnect()
    client.loop_stop()


@pytest.fixture
def foe(hall, table, broker):
    """A client that may publish as any table, once the hall listens."""
    wait_for(lambda: hall.shown(table.name))
    client = new_client(find_broker(broker.url), "foe")
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    yield client
    client.disconnect()
    client.loop_stop()


MATCH: dict[str, Any] = {
    "number": 1,
    "begun": 1000.0,
    "variant": "short",
    "length": 3,
    "light": "Ann",
    "dark": "Ben",
    "source": "",
}
ABSURD: list[dict[str, Any]] = [
    *({"match": {**MATCH, "begun": time}} for time in (1e15, -1e15, float("nan"), float("inf"))),
    *({"match": {**MATCH, name: 2**70}} for name in ("number", "length")),
    {"match": {**MATCH, "light": "\0"}},
    {"number": 10**30},
    {"event": {"type": "referee_called", "time": float("inf"), "frame": 0}},
]


def test_absurd_numbers_and_texts_end_nothing(hall, table, foe):
    event = as_json(EVENTS[0])
    for wrong in ABSURD:
        message = {"match": MATCH, "number": 1, "event": event, **wrong}
        foe.publish(topic("8", "events"), json.dumps(message), 1)
    for sent in (float("inf"), float("nan"), 1e300):
        presence = {"online": True, "instance": "x", "page": "", "sent": sent}
        foe.publish(topic("8", "presence"), json.dumps(presence), 1, retain=True)
    table.begin()
    table.record(*EVENTS)
    wait_for(lambda: hall.has(table, len(EVENTS)))
    assert hall.store.stored("8") == {}
    assert hall.shown("8") is None


def test_a_match_that_no_calendar_or_database_holds_is_stored_without_a_result(hall, table, foe):
    start = as_json(EVENTS[0])
    closed = {"type": "match_closed", "time": 1e300, "frame": 0, "score": [0, 0]}
    for number, event in enumerate([start, {**start, "length": 2**70}, closed], 1):
        message = {"match": MATCH, "number": number, "event": event}
        foe.publish(topic("8", "events"), encode(message), 1)
    ended = {"match": {**MATCH, "number": 2}, "number": 1, "event": closed}
    foe.publish(topic("8", "events"), encode(ended), 1)
    wait_for(lambda: hall.store.stored("8") == {"1-1000000": 3, "2-1000000": 1})
    wait_for(lambda: ["cannot read" in str(one) for one in hall.boards.troubles()] == [True])
    assert [one["status"] for one in hall.store.results()] == ["playing"]
    table.begin()
    table.record(*EVENTS)
    wait_for(lambda: hall.has(table, len(EVENTS)))


def test_a_message_that_the_store_cannot_take_is_dropped_and_named(hall, table, caplog):
    def fails(_connection, _cursor, _statement, parameters, *_):
        if "poison" in str(parameters):
            raise ZeroDivisionError

    sa.event.listen(hall.store._engine, "before_cursor_execute", fails)
    with caplog.at_level(logging.WARNING):
        table.begin(light="poison")
        table.record(EVENTS[0])
        wait_for(lambda: "event 1 of table 7 is dropped" in caplog.text)
        (trouble,) = hall.boards.troubles()
        assert "event 1 of table 7 cannot be stored (ZeroDivisionError" in str(trouble)
        table.begin(light="Ann")
        table.record(*EVENTS)
        wait_for(lambda: hall.has(table, len(EVENTS)))


def test_a_state_that_cannot_be_drawn_is_not_shown(hall, foe):
    wrong = {"position": {"light": [1, 2], "dark": [3]}}
    with pytest.raises(InvalidMessage):
        shown_state(wrong)
    state = {"sent": 1.0, "instance": "x", "state": wrong}
    foe.publish(topic("8", "state"), encode(state), 1, retain=True)
    foe.publish(topic("9", "state"), encode({**state, "state": {"length": 5}}), 1, retain=True)
    wait_for(lambda: hall.shown("9"))
    assert [tile(one)["name"] for one in hall.boards.tables(Visibility.PLAYERS)] == ["7", "9"]


def test_a_table_has_a_page_that_is_one(hall, foe):
    for name, page in (("8", "javascript:alert(1)"), ("9", "http://192.168.1.9:8000/")):
        presence = {"online": True, "instance": "x", "page": page, "sent": 1.0}
        foe.publish(topic(name, "presence"), encode(presence), 1)
    assert wait_for(lambda: hall.shown("9"))["page"] == "http://192.168.1.9:8000/"
    assert hall.shown("8") is None


def test_more_tables_than_a_hall_has_are_said_and_not_kept(hall, foe, monkeypatch):
    monkeypatch.setattr("tableside.hall.boards.MOST_TABLES", 3)
    for name in map(str, range(20)):
        presence = {"online": True, "instance": "x", "page": "", "sent": 1.0}
        state = {"sent": 1.0, "instance": "x", "state": {"length": 5}, "published": {"1-1": 1}}
        foe.publish(topic(name, "presence"), encode(presence), 1)
        foe.publish(topic(name, "state"), encode(state), 1)
    (trouble,) = wait_for(hall.boards.troubles)
    assert "names of tables have been heard: others are not shown" in str(trouble)
    kept = hall.subscriber
    wait_for(lambda: len(kept._lacking | kept._told.keys()) <= 3)
    assert len(hall.boards.tables(Visibility.PLAYERS)) == 3
    assert len(kept._published) <= 3
