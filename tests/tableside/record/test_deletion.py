"""A deleted match is in no list, can be restored, and is gone for good after a month."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest

from engine.events.record import MatchDeletion, MatchNoted
from tableside.analysis.store import AnswerStore
from tableside.hall.outbox import Outbox, Position
from tableside.paths import board_profile
from tableside.record.check import findings
from tableside.record.journal import Journal
from tableside.record.repair import rebuild
from tableside.record.schema import MIGRATIONS
from tableside.record.store import KEPT_S, Store
from tableside.recording.purge import purge_deleted, purge_unless_recorded
from tableside.review.stills import stills_folder
from tests.tableside.sample_record import finished, keep_stills, match_events, record_match

DAY_S = 86400.0
DELETED_AT = 4_000_000_000.0
"""Later than the matches, which begin now."""


def delete(store, match, at=DELETED_AT, is_deleted=True):
    store.append(match, [MatchDeletion(time=0.0, frame=0, is_deleted=is_deleted, at=at)])


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        record_match(store, finished(match_events(light="Zebedee")), is_closed=True)
        record_match(store, match_events())
        yield store


def start_every(step, store, since, seconds):
    """Start the program again and again, so long after it was last known to be off."""
    for start in range(1, round(seconds / step) + 1):
        purge_deleted(store, partial(float, since + start * step))


def numbers(entries):
    return [entry.id for entry in entries]


def test_a_deleted_match_is_in_no_list_and_not_resumed(store):
    delete(store, 2)
    assert numbers(store.matches()) == [1]
    assert numbers(store.newest_matches(9)) == [1]
    assert numbers(store.heads()) == [1]
    assert store.open_matches() == ()
    assert store.match(2).deleted_at == DELETED_AT
    assert numbers(store.all_matches()) == [1, 2]


def test_a_restored_match_is_as_it_was(store):
    before = store.match(2)
    delete(store, 2)
    delete(store, 2, is_deleted=False)
    assert numbers(store.matches()) == [1, 2]
    assert numbers(store.open_matches()) == [2]
    assert store.events(2)[:-2] == tuple(match_events())
    assert (store.match(2).is_open, store.match(2).deleted_at) == (before.is_open, None)


def test_after_a_month_nothing_of_the_match_is_left_but_its_number(store):
    keep_stills(stills_folder(store.path, 1), [24], b"a picture")
    board_profile(store.path, 1).write_text("{}")
    with AnswerStore(store.path, "engine") as answers:
        answers.begin(1, (1, "play"))
    delete(store, 1)
    start_every(7 * DAY_S, store, DELETED_AT, 35 * DAY_S)
    assert len(store.events(1)) > 1
    purge_deleted(store, lambda: DELETED_AT + 42 * DAY_S)
    assert store.events(1) == ()
    assert numbers(store.matches()) == [2]
    assert not stills_folder(store.path, 1).exists()
    assert not board_profile(store.path, 1).exists()
    with AnswerStore(store.path, "engine") as answers:
        assert answers.answers(1) == {}
    assert store.new_match() == 3
    assert findings(store.path) == []
    store.close()
    folder = store.path.parent
    left = [path for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in left if b"Zebedee" in path.read_bytes()]


def test_a_record_of_which_a_match_was_removed_is_opened_and_rebuilt(store):
    delete(store, 1)
    start_every(DAY_S, store, DELETED_AT, KEPT_S + DAY_S)
    store.close()
    with Store.open(store.path) as again:
        assert numbers(again.matches()) == [2]
    content = bytearray(store.path.read_bytes())
    content[4096 : len(content) // 2] = bytes(len(content) // 2 - 4096)
    store.path.write_bytes(content)
    assert rebuild(store.path).losses == ()
    with Store.open(store.path) as again:
        assert numbers(again.matches()) == [2]
        assert again.events(2) == tuple(match_events())


@pytest.mark.parametrize("step", ["journal", "commit"])
def test_a_kill_while_a_match_is_removed_leaves_all_of_it_or_nothing(store, monkeypatch, step):
    delete(store, 1)
    start_every(DAY_S, store, DELETED_AT, KEPT_S)
    due = partial(float, DELETED_AT + KEPT_S + DAY_S)

    class Killed(BaseException):
        """Stands for the end of the process."""

    def kill(*_):
        raise Killed

    if step == "journal":
        drop = Journal.drop
        monkeypatch.setattr(Journal, "drop", lambda *args: (drop(*args), kill()))
    else:
        monkeypatch.setattr(Store, "_copy_match", kill)
        monkeypatch.setattr(Store, "close_match", lambda *_: None)
    with pytest.raises(Killed):
        purge_deleted(store, due)
    monkeypatch.undo()
    store.close()
    with Store.open(store.path) as again:
        assert findings(again.path) == []
        assert len(again.events(1)) == (
            0 if step == "commit" else len(finished(match_events())) + 1
        )
        purge_deleted(again, due)
        assert again.events(1) == ()
        assert findings(again.path) == []


def test_an_earlier_record_has_nothing_deleted(tmp_path):
    with Store.open(tmp_path / "record.sqlite", MIGRATIONS[:5]) as store:
        record_match(store, match_events())
    with Store.open_read_only(tmp_path / "record.sqlite") as store:
        assert numbers(store.matches()) == [1]
    with Store.open(tmp_path / "record.sqlite") as store:
        delete(store, 1)
        assert store.matches() == ()


def test_deletions_are_found_by_their_index(store):
    with closing(sqlite3.connect(store.path)) as connection:
        sql = 'SELECT match FROM events WHERE instr(payload, \'"type":"deletion"\') > 0'
        (plan,) = connection.execute(f"EXPLAIN QUERY PLAN {sql} ORDER BY match, seq").fetchall()
    assert "deletions" in plan[3]


def test_what_the_hall_gets_is_what_was_played_at_the_table(store):
    events = finished(match_events())
    store.append(2, [MatchNoted(time=99.0, frame=99, text="private")])
    store.add_finished_match(events, 0.0, "club.mat")
    with Store.open_read_only(store.path) as reader:
        outbox = Outbox(reader, 1, Position(1, 0))
        assert {one["match"]["number"] for _, one in outbox.take(1000)} == {1, 2}
        store.append(2, [replace(match_events()[-1], time=120.0)])
        (new,) = outbox.take(1000)
    assert (new[0], new[1]["event"]["time"]) == (Position(2, len(match_events()) + 2), 120.0)
    delete(store, 1)
    again = [one for _, one in Outbox(store, 1, Position(1, 0)).take(1000)]
    assert {one["match"]["number"] for one in again} == {2}
    assert "private" not in str(again)


def test_a_match_that_was_ended_before_its_first_event_is_not_taken_for_removed(store):
    number = store.new_match(light="Ann", dark="Ben")
    store.close_match(number)
    assert number in numbers(store.matches())
    assert number in numbers(store.heads())


def test_a_page_without_a_camera_removes_what_is_due(store):
    delete(store, 1)
    for day in range(1, 32):
        assert not store.match(1).is_purged
        purge_unless_recorded(store.path, partial(float, DELETED_AT + day * DAY_S))
    assert store.match(1).is_purged


NOW = 1_795_000_000.0
"""A moment in November 2026."""
AHEAD = 2.0**32 + 30
"""2106."""


@pytest.mark.parametrize(
    ("deleted", "starts"),
    [
        pytest.param(NOW, [AHEAD], id="ahead"),
        pytest.param(NOW, [AHEAD + day * DAY_S for day in range(30)], id="ahead for a month"),
        pytest.param(NOW, [NOW + DAY_S, AHEAD, NOW + 2 * DAY_S, AHEAD] * 20, id="ahead each time"),
        pytest.param(AHEAD, [NOW + day * DAY_S for day in range(30)], id="deleted ahead"),
        pytest.param(AHEAD, [AHEAD + DAY_S, NOW], id="deleted ahead, put right"),
        pytest.param(30.0, [NOW + day * DAY_S for day in range(30)], id="deleted in 1970"),
        pytest.param(NOW, [30.0, NOW + DAY_S, 30.0, AHEAD], id="behind, then ahead"),
    ],
)
def test_nothing_is_removed_because_a_clock_was_wrong(store, deleted, starts):
    match = store.new_match(light="Ann", clock=lambda: NOW - DAY_S)
    store.append(match, match_events())
    delete(store, match, at=deleted)
    for at in starts:
        purge_deleted(store, partial(float, at))
    assert len(store.events(match)) > 1
    start_every(DAY_S, store, max(starts), KEPT_S + 2 * DAY_S)
    assert store.events(match) == ()


def test_a_match_that_is_deleted_again_is_kept_for_another_month(store):
    delete(store, 1)
    start_every(DAY_S, store, DELETED_AT, KEPT_S)
    delete(store, 1, is_deleted=False)
    delete(store, 1, at=DELETED_AT + KEPT_S)
    start_every(DAY_S, store, DELETED_AT + KEPT_S, KEPT_S)
    assert len(store.events(1)) > 1


@pytest.mark.parametrize("left", ["{", "[1]", '{"1": 5}', '{"1": [4000000000.0, ["x"]]}'])
def test_damaged_notes_only_prolong_the_time(store, left):
    delete(store, 1)
    start_every(DAY_S, store, DELETED_AT, KEPT_S)
    store.path.with_name("record.sqlite.deleted").write_text(left)
    purge_deleted(store, lambda: DELETED_AT + KEPT_S + DAY_S)
    assert len(store.events(1)) > 1
