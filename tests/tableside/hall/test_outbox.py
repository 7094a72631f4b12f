"""What of a record is sent next."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from engine import as_json
from engine.events.record import MatchDeletion, MatchNoted, PlayersNamed
from tableside.errors import BrokenRecord
from tableside.hall.messages import MOST_KNOWN, match_key
from tableside.hall.outbox import Outbox, Position, Sent, load_sent, save_sent, sent_file
from tableside.hall.store import HallStore
from tableside.record.backup import back_up, restore
from tableside.record.store import Store
from tests.tableside.sample_record import finished, match_events

EVENTS = match_events()


@pytest.fixture
def store(tmp_path):
    """A record with three matches of two events each."""
    with Store.open(tmp_path / "record.sqlite", keeps_journal=False) as opened:
        for _ in range(3):
            opened.append(opened.new_match(), EVENTS[:2])
        yield opened


def test_what_comes_after_a_gap_in_a_damaged_record_is_sent(tmp_path):
    path = tmp_path / "record.sqlite"
    with Store.open(path, keeps_journal=False) as store:
        for _ in range(3):
            store.append(store.new_match(), EVENTS[:2])
    with closing(sqlite3.connect(path)) as connection:
        guards = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in guards.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM events WHERE match = 2")
        connection.execute("DELETE FROM matches WHERE id = 2")
        connection.commit()
    with Store.open_read_only(path) as store:
        taken = [at for at, _ in Outbox(store, 1, Position(1, 0)).take(10)]
    assert taken == [(1, 1), (1, 2), (3, 1), (3, 2)]


def test_a_match_that_is_deleted_while_it_is_sent_is_sent_no_further(store, reader):
    outbox = Outbox(reader, 1, Position(1, 0))
    assert [at for at, _ in outbox.take(3)] == [(1, 1), (1, 2), (2, 1)]
    store.append(2, [MatchDeletion(time=0.0, frame=0, is_deleted=True, at=time.time())])
    assert [at for at, _ in outbox.take(3)] == [(3, 1), (3, 2)]


def test_a_hall_that_names_as_many_matches_as_it_may_has_all_older_ones(store):
    keys = {one.id: match_key(one.id, one.begun) for one in store.newest_matches(3)}
    others = {f"1-{begun}": 9 for begun in range(MOST_KNOWN - 2)}
    outbox = Outbox(store, 1, Position(3, 2))
    assert outbox.rewind({keys[2]: 2, keys[3]: 1, **others}) == 1
    assert [at for at, _ in outbox.take(9)] == [(3, 2)]
    del others["1-0"]
    assert outbox.rewind({keys[2]: 2, keys[3]: 1, **others}) == 3


def positions(outbox):
    return [at for at, _ in outbox.take(20)]


def delete(store, match, *, is_deleted=True):
    store.append(match, [MatchDeletion(time=0.0, frame=0, is_deleted=is_deleted, at=time.time())])


@pytest.fixture
def reader(store):
    """The record as the process of the page has it open."""
    with Store.open_read_only(store.path) as opened:
        yield opened


def test_an_earlier_match_that_is_corrected_is_sent_again_from_there(store, reader):
    outbox = Outbox(reader, 1, Position(3, 2))
    assert positions(outbox) == []
    store.append(1, EVENTS[2:4])
    store.append(3, EVENTS[2:3])
    assert positions(outbox) == [(1, 3), (1, 4), (3, 3)]
    assert sorted(outbox.published.values()) == [3, 4]
    assert positions(outbox) == []


def test_a_match_is_not_read_again_whenever_the_record_grows(store, reader):
    statements = []
    outbox, taken = Outbox(reader, 1, Position(1, 0)), []
    reader._connection.set_trace_callback(statements.append)
    while some := [at for at, _ in outbox.take(1)]:
        taken += some
        if len(taken) < 6:
            store.append(3, EVENTS[2:3])
    assert taken[:4] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert taken[4:] == [(3, number) for number in range(1, 8)]
    assert sum("seq > " in one for one in statements) == 4


def test_a_match_that_is_restored_is_sent_though_later_ones_were(store, reader):
    delete(store, 2)
    outbox = Outbox(reader, 1, Position(1, 0))
    assert positions(outbox) == [(1, 1), (1, 2), (3, 1), (3, 2)]
    delete(store, 2, is_deleted=False)
    assert positions(outbox) == [(2, 1), (2, 2), (2, 3), (2, 4)]


def test_what_has_grown_beyond_the_matches_that_a_hall_names_is_sent_until_it_has_spoken_of_it(
    store, reader
):
    keys = {one.id: match_key(one.id, one.begun) for one in store.newest_matches(3)}
    full = {keys[3]: 2, **{f"1-{begun}": 9 for begun in range(MOST_KNOWN - 1)}}
    delete(store, 2)
    outbox = Outbox(reader, 1, Position(3, 2))
    store.append(1, EVENTS[2:3])
    delete(store, 2, is_deleted=False)
    again = [(1, 3), (2, 1), (2, 2), (2, 3), (2, 4)]
    assert positions(outbox) == again
    outbox.rewind(full)  # the hall may not have been there
    assert positions(outbox) == again
    outbox.rewind({keys[1]: 3, keys[2]: 4, keys[3]: 2})
    outbox.rewind(full)
    assert positions(outbox) == []


def test_a_match_that_the_hall_lacks_is_not_asked_for_again_once_it_is_deleted(store, reader):
    outbox = Outbox(reader, 1, Position(1, 0))
    assert len(positions(outbox)) == 6
    delete(store, 3)
    keys = {one.id: match_key(one.id, one.begun) for one in store.newest_matches(3)}
    assert outbox.rewind({keys[1]: 2, keys[2]: 2}) == 0
    assert outbox.published == {keys[1]: 2, keys[2]: 2}


def test_a_damaged_match_holds_up_no_other(store, reader):
    with closing(sqlite3.connect(store.path)) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE events SET payload = '{}' WHERE match = 2")
        connection.commit()
    outbox = Outbox(reader, 1, Position(1, 0))
    assert [at for at, _ in outbox.take(3)] == [(1, 1), (1, 2), (3, 1)]
    assert positions(outbox) == [(3, 2)]
    for _ in range(2):
        with pytest.raises(BrokenRecord):
            outbox.take(20)


def test_a_note_keeps_its_place_and_loses_its_text(store):
    at: dict[str, Any] = {"time": 0.0, "frame": 0}
    store.append(3, [MatchNoted(**at, text="private"), PlayersNamed(**at, light="Ann", dark="Ben")])
    taken = Outbox(store, 1, Position(3, 2)).take(9)
    assert [message["number"] for _, message in taken] == [3, 4]
    assert [message["event"]["type"] for _, message in taken] == ["noted", "named"]
    assert "private" not in str(taken)


FLIPPED = '{"first":1,"match":3,"number":0,"edition":0,"file":0,"checksum":2}'


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"first": [], "match": -1}', FLIPPED])
def test_a_damaged_memory_is_kept_aside_and_every_match_is_sent_again(store, content, capsys):
    path = sent_file(store.path)
    path.write_text(content)
    assert load_sent(store.path, store).position == Position(1, 0)
    (aside,) = path.parent.glob(f"{path.name}.damaged-*")
    assert aside.read_text() == content
    assert not path.exists()
    assert "every match is sent to the hall again" in capsys.readouterr().err


def test_what_was_sent_is_remembered(store):
    save_sent(store.path, Sent(2, 3, 1))
    assert load_sent(store.path, store) == Sent(2, 3, 1)
    save_sent(store.path, Sent(4, 4, 0))
    assert load_sent(store.path, store) == Sent(4, 4, 0)


def test_what_an_earlier_version_remembered_is_read(store):
    sent_file(store.path).write_text('{"first": 2, "match": 3, "number": 1}')
    assert load_sent(store.path, store) == Sent(2, 3, 1)


def send_to(hall, outbox):
    """Send all that is to be sent, and again what the hall lacks."""
    for _ in range(3):
        while taken := outbox.take(100):
            hall.add(("7", message) for _, message in taken)
        outbox.rewind(hall.stored("7"))
    assert not outbox.take(1)
    assert hall.has("7", outbox.published)


def results(hall):
    return {one["match"][0]: (one["status"], one["dark"]) for one in hall.results()}


@pytest.mark.parametrize("is_running", [False, True])
def test_the_hall_agrees_with_a_record_that_is_restored(tmp_path, is_running):
    """Match 1 stays as it was, 2 is shorter in the backup, 3 goes on in another way."""
    path, events = tmp_path / "record.sqlite", finished(match_events())
    with Store.open(path) as store:
        for end in (len(events), 4, 4):
            store.append(store.new_match(), events[:end])
        back_up(path, tmp_path / "backup.sqlite")
        for match in (2, 3):
            store.append(match, events[4:])
    hooks = ["http://127.0.0.1:9/results"]
    with (
        closing(HallStore.open(str(tmp_path / "hall.sqlite"), hooks)) as hall,
        closing(Store.open_read_only(path)) as reader,
    ):
        sent = load_sent(path, reader)
        running = Outbox(reader, 1, Position(1, 0), sent.edition)
        running.take(0)
        send_to(hall, running)
        save_sent(path, replace(sent, first=1, match=3, number=len(events)))
        assert {status for status, _ in results(hall).values()} == {"final"}
        told = hall.undelivered()

        restore(tmp_path / "backup.sqlite", path)
        with Store.open(path) as store:
            named = PlayersNamed(time=9.0, frame=9, light="Ann", dark="Zoe")
            store.append(3, [named] * (len(events) - 4))
        sent = load_sent(path, reader)
        assert sent.position == (1, 0)
        send_to(hall, running if is_running else Outbox(reader, 1, sent.position, sent.edition))
        assert results(hall) == {
            "1": ("final", "Ben"),
            "2": ("playing", "Ben"),
            "3": ("playing", "Zoe"),
        }
        for head in reader.heads():
            held = hall.events("7", match_key(head.id, head.begun))
            assert held == [as_json(event) for event in reader.events(head.id)]
        assert hall.undelivered() == told, "nothing is told twice"

        forgetful = Outbox(reader, 1, Position(1, 0))
        send_to(hall, forgetful)
        assert forgetful.edition > sent.edition


def test_a_record_with_fewer_matches_than_were_sent_is_another_one_and_sent_whole(store):
    save_sent(store.path, Sent(5, 9, 7))
    found = load_sent(store.path, store)
    assert (found.first, found.position) == (1, (1, 0))
    assert found.edition > 0, "the hall compares it with what it has"
