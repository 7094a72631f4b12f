"""The delay: nothing newer than it ever leaves the server."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from webui.app import create_app
from webui.context import install_serving, serving_of
from webui.streaming.delay import LONGEST, DelayedTable, StateHistory
from webui.streaming.sse import state_events


class Clock:
    """A clock that advances only when a test, or a waiting thread, makes it."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        assert seconds > 0
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def history(table, clock):
    return StateHistory(table, clock, clock.sleep)


def publish(table, history, **changes):
    table.publish(**changes)
    history.note()


def message(state):
    return state["message"]


def test_before_anything_is_old_enough_a_blank_state_is_sent(table, history, clock):
    publish(table, history, message="secret")
    late = DelayedTable(history, 30)
    assert late.state()["position"] is None
    assert str(message(late.state())) == "shown with a delay of 30 s"
    clock.sleep(29.9)
    assert message(late.state()) != "secret"
    clock.sleep(0.1)
    assert message(late.state()) == "secret"


def test_each_state_comes_when_it_is_old_enough_and_never_before(table, history, clock):
    came = {}
    for number in range(40):
        publish(table, history, message=str(number))
        came[str(number)] = clock.now
        clock.sleep(0.7)
    late, seen, version = DelayedTable(history, 12.5), [], -1
    clock.now = 1000.0
    while clock.now < 1050:
        state = late.next_state(version, 0.5)
        if state is None:
            continue
        version = state["version"]
        if message(state) in came:
            assert clock.now - came[message(state)] >= 12.5
            assert clock.now - came[message(state)] < 12.6
            seen.append(message(state))
    assert seen == list(came)


def test_of_a_flood_the_newest_is_kept_and_none_comes_early(table, history, clock):
    for number in range(1000):
        publish(table, history, message=str(number))
        first = clock.now
        clock.sleep(0.001)
    assert len(history._times) <= 12
    late = DelayedTable(history, 5)
    clock.now = first + 5 - 0.0005
    assert message(late.state()) != "999"
    clock.now = first + 5.0005
    assert message(late.state()) == "999"


def test_the_history_is_no_longer_than_the_longest_delay(table, history, clock):
    for number in range(3000):
        publish(table, history, message=str(number))
        clock.sleep(0.5)
    assert len(history._times) <= 2 * LONGEST + 2
    expected = str(3000 - 2 * LONGEST)
    assert message(DelayedTable(history, LONGEST).state()) == expected


def test_waiting_ends_when_its_time_is_over(table, history, clock):
    publish(table, history)
    late = DelayedTable(history, 60)
    began = clock.now
    assert late.next_state(0, 0.5) is None
    assert clock.now == pytest.approx(began + 0.5)


def test_a_delayed_table_waits_for_a_picture_that_is_old_enough(table, history, clock):
    table.show_picture()
    late = DelayedTable(history, 5)
    assert late.picture() is None
    assert late.next_picture(0, 0.5) is None


def test_one_thread_follows_the_table_until_it_is_over(table, clock):
    over, noted = threading.Event(), threading.Event()

    class Noting(StateHistory):
        def note(self):
            super().note()
            if message(self._states[-1]) == "published while followed":
                noted.set()

    history = Noting(table, clock, clock.sleep)
    before = threading.active_count()
    history.follow(over.is_set)
    history.follow(over.is_set)
    assert threading.active_count() == before + 1
    table.publish(message="published while followed")
    assert noted.wait(10)
    over.set()


@pytest.fixture
def app(table, history):
    app = create_app(table)
    serving = replace(serving_of(app), history=history, broadcast=history)
    install_serving(app, serving)
    yield app
    serving.streams.close()


ADDRESSES = ("/overlay?delay=30", "/api/state?delay=30", "/api/events?delay=30")


def first_answer(client, address):
    """The answer; of a stream, the part up to its first event."""
    answer = client.get(address)
    if answer.mimetype != "text/event-stream":
        return answer.text
    parts = iter(answer.response)
    beginning = b"".join(next(parts) for _ in range(2)).decode()
    answer.close()
    return beginning


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_newer_than_the_delay_leaves(app, table, history, clock, script, address):
    client = app.test_client()
    script.start_game(table)
    publish(table, history)
    clock.sleep(31)
    script.make_five_point(table)
    publish(table, history, players={"light": "Secret", "dark": "Boris"})
    clock.sleep(29)
    answer = first_answer(client, address)
    assert "Anna" in answer
    for secret in ("Secret", "8/5 6/5", "163"):
        assert secret not in answer
    clock.sleep(1)
    assert "Secret" in first_answer(client, address)
    assert "8/5 6/5" in first_answer(client, address)


def test_a_reader_who_resumes_from_the_future_is_still_late(app, table, history, clock):
    publish(table, history, message="old")
    clock.sleep(31)
    publish(table, history, message="new")
    newest = table.now["version"]
    headers = {"Last-Event-ID": str(newest)}
    answer = app.test_client().get("/api/events?delay=30", headers=headers)
    parts = iter(answer.response)
    next(parts)
    event = next(parts)
    answer.close()
    assert json.loads(event.split(b"data: ")[1])["message"] == "old"


def test_a_stream_that_is_late_goes_on_with_each_change(table, history, clock):
    for number in range(5):
        publish(table, history, message=str(number))
        clock.sleep(1)
    parts = state_events(DelayedTable(history, 5), None, lambda: False)
    next(parts)
    messages = [json.loads(next(parts).split(b"data: ")[1])["message"] for _ in range(5)]
    assert messages == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("address", "status"), [("/overlay", 400), ("/api/state", 422), ("/api/events", 422)]
)
@pytest.mark.parametrize("delay", ["601", "-1", "nan", "inf", "", "x", "1e9", "5;6"])
def test_a_delay_that_is_not_possible_is_refused(client, address, status, delay):
    answer = client.get(address, query_string={"delay": delay})
    assert answer.status_code == status
    assert "delay" in answer.text
    assert answer.text.count("\n") == 1
