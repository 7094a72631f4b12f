"""A table tells a real broker what it records, without loss, whatever happens to the broker."""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter

import pytest

from engine import as_json
from engine.events.record import BoardMoved
from tableside.errors import WrongUsage
from tableside.hall import publisher
from tableside.hall.broker import Broker, find_broker, new_client
from tableside.hall.messages import encode, match_key, topic
from tableside.hall.pace import FASTEST, Pace
from tests.tableside.hall.servers import Mosquitto, wait_for
from tests.tableside.hall.tables import Table
from tests.tableside.sample_record import match_events

EVENTS = match_events()


class Listener:
    """Another client of the broker: everything that tables say, and an answer as the hall's."""

    def __init__(self, broker, **options):
        self.messages = []
        self._lock = threading.Lock()
        self.client = new_client(find_broker(broker.url), "listener")
        self.client.on_connect = lambda client, *_: client.subscribe(topic("+", "#"), 1)
        self.client.on_message = self._take
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()

    def _take(self, _client, _data, message):
        with self._lock:
            kind = message.topic.rpartition("/")[2]
            self.messages.append((kind, json.loads(message.payload), message.retain))

    def of(self, kind):
        with self._lock:
            return [payload for one, payload, _ in self.messages if one == kind]

    def numbers(self):
        return [one["number"] for one in self.of("events")]

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def listener(broker):
    found = Listener(broker)
    yield found
    found.close()


@pytest.fixture
def table(broker, tmp_path):
    found = Table(tmp_path / "table", broker)
    yield found
    found.close()


def test_every_event_is_sent_as_the_record_has_it(table, listener):
    table.begin(light="Ann", dark="Ben", length=3)
    table.record(*EVENTS)
    wait_for(lambda: len(listener.of("events")) >= len(EVENTS))
    assert listener.numbers() == [*range(1, len(EVENTS) + 1)]
    assert [one["event"] for one in listener.of("events")] == [as_json(one) for one in EVENTS]
    assert {one["match"]["light"] for one in listener.of("events")} == {"Ann"}
    state = wait_for(lambda: [one for one in listener.of("state") if one["state"]["length"] == 3])
    assert state[-1]["state"]["players"]["dark"] == "Ben"


def test_a_broker_that_is_killed_again_and_again_costs_no_event(table, broker):
    table.begin()
    seen = Counter()
    for start in range(0, len(EVENTS), 4):
        listener = Listener(broker)
        table.record(*EVENTS[start : start + 4])
        end = min(start + 4, len(EVENTS))
        wait_for(lambda end=end, one=listener: end in one.numbers())
        seen.update(listener.numbers())
        listener.close()
        broker.kill()
        broker.start()
    assert sorted(seen) == [*range(1, len(EVENTS) + 1)]


def test_what_is_recorded_without_a_broker_is_sent_once_it_is_there(table, broker):
    wait_for(lambda: table.publisher.is_publishing)
    broker.kill()
    table.begin()
    table.record(*EVENTS)
    wait_for(lambda: "recording goes on" in table.publisher.fault)
    broker.start()
    listener = Listener(broker)
    wait_for(lambda: len(listener.numbers()) == len(EVENTS))
    listener.close()


def test_a_table_that_is_started_again_goes_on_where_the_broker_had_acknowledged(table, listener):
    table.begin()
    table.record(*EVENTS[:6])
    wait_for(lambda: len(listener.numbers()) == 6)
    wait_for(lambda: not table.publisher._waiting)
    table.disconnect()
    assert listener.of("presence")[-1]["online"] is False
    table.record(*EVENTS[6:])
    table.connect()
    wait_for(lambda: len(EVENTS) in listener.numbers())
    assert listener.numbers() == [*range(1, len(EVENTS) + 1)]


def test_a_table_whose_first_broker_never_came_sends_its_matches_on_the_next_day(
    broker, tmp_path, listener
):
    table = Table(tmp_path / "table", Broker("127.0.0.1", 9))
    table.begin()
    table.record(*EVENTS)
    table.store.close_match(table.match)
    table.close()
    again = Table(tmp_path / "table", broker)
    wait_for(lambda: len(listener.numbers()) == len(EVENTS))
    again.close()


def test_an_event_with_the_number_of_an_old_state_still_waits_for_the_broker(
    table, broker, listener
):
    client = wait_for(lambda: table.publisher._connection._client)
    for length in range(3, 9):
        table.page.publish(length=length)
        wait_for(
            lambda length=length: length in [s["state"]["length"] for s in listener.of("state")]
        )
    assert client._last_mid >= 12
    table.begin()
    broker.pause()
    client._last_mid = 0  # as after 65,535 messages
    table.record(*EVENTS[:6])
    wait_for(lambda: client._last_mid >= 8)
    wait_for(lambda: len(table.publisher._waiting) == 6, 5)
    broker.resume()
    wait_for(lambda: not table.publisher._waiting)


def test_it_goes_on_from_what_the_hall_says_it_has(table, listener):
    table.begin()
    table.record(*EVENTS[:6])
    wait_for(lambda: len(listener.numbers()) == 6)
    entry = table.store.match(table.match)
    stored = {"matches": {match_key(entry.id, entry.begun): 4}}
    listener.client.publish(topic("7", "stored"), encode(stored), 1)
    wait_for(lambda: listener.numbers()[6:] == [5, 6])


def test_a_hall_that_loses_many_events_is_sent_them_more_slowly(table, listener):
    """It lacks at first what may be on its way, and then more than that."""
    table.begin()
    table.record(*(BoardMoved(time=float(n), frame=n) for n in range(150)))
    wait_for(lambda: len(listener.numbers()) == 150)
    entry = table.store.match(table.match)
    table.publisher._pace = pace = Pace(lambda: 0.0)  # no time passes in which it recovers
    for number, rate in ((145, FASTEST), (20, FASTEST / 2)):
        sent = len(listener.numbers())
        stored = {"matches": {match_key(entry.id, entry.begun): number}}
        listener.client.publish(topic("7", "stored"), encode(stored), 1)
        wait_for(lambda sent=sent: len(listener.numbers()) > sent + 4)
        assert pace._rate == rate


def test_a_table_that_dies_is_shown_as_gone_by_its_last_will(table, listener):
    wait_for(lambda: [one for one in listener.of("presence") if one["online"]])
    table.publisher._connection._client._sock_close()  # no farewell, as when the power fails
    wait_for(lambda: not listener.of("presence")[-1]["online"])
    wait_for(lambda: listener.of("presence")[-1]["online"])  # it is back by itself


def test_of_two_tables_with_one_name_the_second_waits_and_says_so(
    table, broker, tmp_path, listener
):
    wait_for(lambda: table.publisher.is_publishing)
    other = Table(tmp_path / "other", broker)
    other.begin()
    other.record(*EVENTS[:2])
    wait_for(lambda: "another table is connected as '7'" in other.publisher.fault)
    assert listener.numbers() == []
    table.disconnect()
    wait_for(lambda: listener.numbers() == [1, 2])
    other.close()


def test_tables_with_copies_of_one_folder_are_two_tables(broker, tmp_path, listener):
    first = Table(tmp_path / "first", broker)
    first.begin()
    first.record(*EVENTS[:2])
    first.close()
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    shutil.copytree(tmp_path / "first", tmp_path / "same")
    tables = [Table(tmp_path / "first", broker), Table(tmp_path / "copy", broker, "8")]
    wait_for(lambda: all(one.publisher.is_publishing for one in tables))
    tables.append(Table(tmp_path / "same", broker))
    wait_for(lambda: "another table is connected as '7'" in tables[2].publisher.fault)
    assert [one.publisher.fault for one in tables[:2]] == ["", ""]
    for one in tables:
        one.close()


class MovingHall:
    """A hall of the network whose broker is found only while there is one, and may move."""

    def __init__(self):
        self.broker = None

    def find(self, _stopping):
        if self.broker is None:
            raise WrongUsage("no hall announces itself")
        return find_broker(self.broker.url)


def test_a_table_records_before_its_hall_is_found_and_finds_it_where_it_has_moved(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("tableside.hall.connection.RETRY_S", 0.1)
    hall = MovingHall()
    table = Table(tmp_path / "table", hall)
    table.begin()
    wait_for(lambda: table.publisher.fault == "no hall announces itself; recording goes on")
    assert [str(one) for one in table.page.state()["troubles"]] == [table.publisher.fault]
    for start, end in ((0, 6), (6, len(EVENTS))):
        table.record(*EVENTS[start:end])
        folder = tmp_path / f"broker-{end}"
        folder.mkdir()
        broker = hall.broker = Mosquitto(folder)
        listener = Listener(broker)
        wait_for(lambda one=listener, end=end: end in one.numbers())
        assert listener.numbers() == [*range(start + 1, end + 1)]
        wait_for(lambda: table.page.state()["troubles"] == [])
        listener.close()
        broker.kill()
        wait_for(lambda: "127.0.0.1" in table.publisher.fault)
    table.close()


def test_a_running_clock_does_not_send_a_state_each_second(table, listener):
    table.begin()
    table.record(*EVENTS[:2])
    table.page.publish(clock={"light": 100, "dark": 100, "delay": 0, "runs": "light"})
    wait_for(lambda: [s for s in listener.of("state") if s["state"]["clock"]])
    before = len(listener.of("state"))
    for left in range(99, 79, -1):
        table.page.publish(clock={"light": left, "dark": 100, "delay": 0, "runs": "light"})
    table.page.publish(clock={"light": 79, "dark": 100, "delay": 0, "runs": "dark"})
    wait_for(lambda: listener.of("state")[-1]["state"]["clock"]["runs"] == "dark")
    assert len(listener.of("state")) - before <= 2


def test_a_broker_that_wants_a_password_is_answered_in_one_line(tmp_path):
    folder = tmp_path / "broker"
    folder.mkdir()
    mosquitto = Mosquitto(folder, "allow_anonymous false")
    table = Table(tmp_path / "table", mosquitto)
    table.begin()
    table.record(*EVENTS)
    fault = wait_for(lambda: table.publisher.fault)
    assert "refuses a client without a name: check the user in --hall" in fault
    assert len(table.store.events(table.match)) == len(EVENTS)
    table.close()
    mosquitto.kill()


def test_a_broker_at_which_no_hall_answers_is_named_until_one_does(
    broker, listener, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(publisher, "ANSWER_S", 0.2)
    table = Table(tmp_path / "table", broker)
    where = f"127.0.0.1:{broker.port}"
    wait_for(lambda: f"no hall answers at the broker {where}" in table.publisher.fault)
    assert len(table.page.state()["troubles"]) == 1
    listener.client.publish(topic("7", "stored"), encode({"matches": {}}), 1)
    wait_for(lambda: table.page.state()["troubles"] == [])
    table.close()
    assert "the hall has answered" in capsys.readouterr().err
