"""What of a record is sent next."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tableside.hall.outbox import Outbox, Position
from tableside.record.store import Store
from tests.tableside.sample_record import match_events

EVENTS = match_events()


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
