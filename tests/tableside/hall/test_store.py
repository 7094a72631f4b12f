"""The hall's store keeps every event once, and what follows from it."""

from __future__ import annotations

import csv
import signal
import subprocess
import sys
from contextlib import closing
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from engine import MatchState, RefereeCalled, RefereeCame, Side, as_json, fold
from engine.events.match import EVENTS as EVENT_CLASSES
from engine.events.record import (
    Corrected,
    MatchContinued,
    MatchPaused,
    MatchPlaced,
    PlayersNamed,
)
from tableside.errors import NewerRecord, StoreError, WrongUsage
from tableside.hall.boards import Boards
from tableside.hall.messages import EventMessage, MatchNamed
from tableside.hall.results import results_csv
from tableside.hall.schema import MATCHES, METADATA, open_engine
from tableside.hall.store import GIVE_UP_S, HallStore
from tableside.site.page_state import match_part
from tests.tableside.sample_record import finished, match_events
from webui.contracts.archive import ArchiveError

EVENTS = match_events(light="=Ann", dark="Ben")
OVER = finished(EVENTS)
AT: dict[str, Any] = {"time": 99.0, "frame": 99}
HOOK = "http://127.0.0.1:9/results"


def messages(events, table="7", number=1, begun=1000.0):
    named = MatchNamed(
        number=number, begun=begun, variant="short", length=3, light="=Ann", dark="Ben", source=""
    )
    return [
        (table, EventMessage(match=named, number=count, event=as_json(event)))
        for count, event in enumerate(events, 1)
    ]


@pytest.fixture
def store(where):
    found = HallStore.open(where, [HOOK])
    yield found
    found.close()


def test_an_event_that_comes_twice_is_there_once(store):
    sent = messages(EVENTS)
    assert store.add(sent[:5]).stored == 5
    assert store.add(sent[2:]).stored == len(EVENTS) - 5
    assert store.add(sent).stored == 0
    assert store.events("7", "1-1000000") == [as_json(event) for event in EVENTS]


def test_events_after_a_gap_are_asked_for_again(store):
    sent = messages(EVENTS)
    added = store.add(sent[:2] + sent[4:])
    assert (added.stored, added.lacking) == (2, {"7"})
    assert store.stored("7") == {"1-1000000": 2}
    assert store.stored("8") == {}


def of_edition(sent, edition):
    """The same messages from another edition of the record."""
    last = sent[-1][1]["number"]
    return [
        (table, {**one, "match": {**one["match"], "edition": edition}, "last": last})
        for table, one in sent
    ]


def test_a_later_edition_of_a_match_takes_the_place_of_what_differs(where):
    called = RefereeCalled(time=99.0, frame=99, player=Side.LIGHT)
    store = HallStore.open(where, [HOOK])
    sent = messages([*EVENTS[:5], called])
    (before,) = store.add(sent).notices
    later = of_edition(messages([*EVENTS[:4], RefereeCame(**AT), called]), 5)
    assert store.add(later[1:]) == (0, {"7"}, []), "the first event is asked for"
    assert store.add(later[:3]) == (0, frozenset(), [])
    assert store.stored("7") == {"1-1000000": 6}, "as long as nothing differs"
    store.close()

    store = HallStore.open(where, [HOOK])
    added = store.add(later)
    assert (added.stored, [one["type"] for one in added.notices]) == (2, [before["type"]])
    assert added.notices[0]["id"] != before["id"], "receivers take it for another one"
    assert store.stored("7") == {"1-1000000-5": 6}
    assert store.has("7", {"1-1000000-5": 6})
    assert not store.has("7", {"1-1000000": 6})
    assert store.add(sent) == (0, {"7"}, []), "what is on the way from before is not taken"
    assert store.add(of_edition(sent[:5], 6)).stored == 1
    assert store.events("7", "1-1000000") == [as_json(event) for event in EVENTS[:5]]
    assert store.add(of_edition(sent[:2], 7)).stored == 0
    assert store.stored("7") == {"1-1000000-7": 2}
    store.close()


def test_an_old_match_that_comes_late_is_not_among_the_newest(store, monkeypatch):
    monkeypatch.setattr("tableside.hall.store.MOST_KNOWN", 2)
    for number in (2, 3, 1):
        store.add(messages(EVENTS[:1], number=number, begun=1000.0 * number))
    assert store.stored("7") == {"3-3000000": 1, "2-2000000": 1}


def test_a_new_record_at_the_same_table_does_not_continue_an_old_one(store):
    store.add(messages(EVENTS))
    store.add(messages(EVENTS[:3], begun=2000.0))
    assert store.stored("7") == {"1-1000000": len(EVENTS), "1-2000000": 3}


def test_a_store_that_is_opened_again_goes_on(where):
    for part in (messages(OVER)[:7], messages(OVER)):
        store = HallStore.open(where)
        store.add(part)
        store.close()
    store = HallStore.open(where)
    (row,) = store.results()
    assert (row["status"], row["light_score"] + row["dark_score"]) == ("final", 3)
    store.close()


def test_a_store_with_events_of_a_newer_table_goes_on_after_a_restart(where):
    sent = messages(OVER)
    sent[2][1]["event"] = {"time": 0.0, "frame": 0, "type": "game_start_of_2030"}
    unknown = {**as_json(EVENTS[0]), "variant": "plakoto_of_2030"}
    other = messages(OVER, number=2)
    other[1][1]["event"] = unknown
    for end, status in ((5, "playing"), (len(OVER), "final")):
        store = HallStore.open(where)
        store.add([*sent[:end], *other[:end]])
        assert store.stored("7") == {"1-1000000": end, "2-1000000": end}
        assert [row["status"] for row in store.results()] == [status, status]
        store.close()


def test_an_unknown_event_is_named_once_and_passed_over(store, caplog):
    called = RefereeCalled(**AT)
    sent = messages([*OVER[:5], called, called, RefereeCame(**AT), Corrected(**AT, keep=7)])
    for _, one in sent[5:7]:
        one["event"]["type"] = "called_of_2030"
    more = messages([*OVER, PlayersNamed(**AT, light="Ann", dark="Cem")], number=2)
    more[3][1]["event"]["type"] = "called_of_2030"
    assert not store.has_unread
    store.add([*sent, *more])
    assert store.has_unread
    (said,) = [record.getMessage() for record in caplog.records if record.name.endswith("store")]
    assert "table 7, match 1-1000000: event 6 is only stored" in said
    assert "'called_of_2030'" in said
    assert store.stored("7") == {"1-1000000": 9, "2-1000000": len(OVER) + 1}
    row, first = store.results()
    assert (row["dark"], row["status"], first["status"]) == ("Cem", "final", "playing")
    # The events passed over were counted: the correction leaves both in effect.
    with store._engine.connect() as connection:
        assert connection.scalars(sa.select(MATCHES.c.unread)).all() == [2, 1]


def test_what_an_earlier_version_could_not_read_is_read_after_the_update(where, monkeypatch):
    ending = [*OVER, RefereeCalled(**AT, player=Side.DARK)]
    with monkeypatch.context() as earlier:
        earlier.delitem(EVENT_CLASSES, RefereeCalled.type)
        store = HallStore.open(where)
        store.add(messages(ending))
        assert [row["status"] for row in store.results()] == ["final"]
        store.close()
        store = HallStore.open(where)
        assert store.has_unread, "it is said after each start"
        store.close()
    store = HallStore.open(where)
    assert [row["status"] for row in store.results()] == ["contested"]
    assert not store.has_unread
    store.close()


def test_a_store_of_a_version_that_noted_nothing_unread_is_read_again_once(where):
    store = HallStore.open(where)
    store.add(messages([*OVER, RefereeCalled(**AT, player=Side.DARK)]))
    store.close()
    engine = open_engine(where)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE matches SET status = 'playing'"))
        connection.execute(sa.text("DROP INDEX matches_indexed"))
        for name in (
            "unread",
            "light_key",
            "dark_key",
            "event_key",
            "heard",
            "is_indexed",
            "unindexed",
        ):
            connection.execute(sa.text(f"ALTER TABLE matches DROP COLUMN {name}"))
        for name in ("turns", "seats"):
            connection.execute(sa.text(f"DROP TABLE {name}"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0002'"))
    engine.dispose()
    store = HallStore.open(where)
    assert [row["status"] for row in store.results()] == ["contested"]
    with store._engine.connect() as connection:
        assert connection.scalar(sa.select(MATCHES.c.unread)) == 0
    store.close()


def test_a_hall_killed_while_it_reads_old_matches_again_goes_on_with_the_next(where):
    """Ten matches are to be read; the hall is killed in the fifth."""
    with closing(HallStore.open(where)) as store:
        for number in range(1, 11):
            store.add(messages(OVER, number=number, begun=1000.0 * number))
        with store.begun() as connection:
            connection.execute(sa.text("UPDATE matches SET unread = 1, status = 'playing'"))
    killed = subprocess.run([sys.executable, "-c", KILLED, where], check=False)
    assert killed.returncode == -signal.SIGKILL
    engine = open_engine(where)
    with engine.connect() as connection:
        columns = (MATCHES.c[name] for name in ("id", "unread", "status"))
        kept = connection.execute(sa.select(*columns).order_by(MATCHES.c.id))
        assert [*kept] == [(n, 0, "final") if n < 5 else (n, 1, "playing") for n in range(1, 11)]
    engine.dispose()
    with closing(HallStore.open(where)) as store:
        assert {row["status"] for row in store.results()} == {"final"}
        assert len(store.results()) == 10
        with store.begun() as connection:
            assert connection.scalar(sa.select(sa.func.sum(MATCHES.c.unread))) == 0
        for number in range(1, 11):
            assert len(store.events("7", f"{number}-{1000000 * number}")) == len(OVER)


KILLED = """
import os, signal, sys
from tableside.hall.store import HallStore
fold, read = HallStore._fold, []

def fold_or_die(*args):
    read.append(args)
    if len(read) == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    fold(*args)

HallStore._fold = fold_or_die
HallStore.open(sys.argv[1])
"""


def test_a_pause_is_stored_and_changes_no_result(store):
    store.add(messages(OVER))
    pause = [MatchPaused(**AT, clock=Side.LIGHT), MatchContinued(**AT)]
    sent = messages([*OVER[:5], *pause, *OVER[5:]], number=2)
    assert len(store.add(sent).notices) == len(store.add(messages(OVER, number=3)).notices)
    assert store.stored("7")["2-1000000"] == len(OVER) + 2
    found = [{**row, "id": 0, "match": "", "ended": ""} for row in store.results()]
    assert found[0] == found[1] == found[2]


def test_results_say_where_they_belong_and_who_contests_them(store):
    place = MatchPlaced(**AT, event="Spring Open", round="3", table="12")
    store.add(messages([place, *OVER]))
    (row,) = store.results()
    assert (row["event"], row["round"], row["table"]) == ("Spring Open", "3", "12")
    assert (row["winner"], row["status"]) == ("=Ann", "final")
    store.add(messages([place, *OVER, RefereeCalled(**AT, player=Side.DARK)]))
    assert store.results()[0]["status"] == "contested"
    came = [RefereeCalled(**AT, player=Side.DARK), RefereeCame(**AT)]
    store.add(messages([place, *OVER, *came]))
    assert store.results()[0]["status"] == "final"
    head, line = results_csv(store.results()).splitlines()
    assert head.startswith("match,event,round,table,light,dark,light_score")
    assert ",Spring Open,3,12,'=Ann,Ben," in line


def test_a_call_during_the_match_does_not_contest_its_result(store):
    call = RefereeCalled(**AT, player=Side.DARK)
    told = store.add(messages([*OVER[:2], call, *OVER[2:]])).notices
    assert store.results()[0]["status"] == "final"
    assert "result.contested" not in {one["type"] for one in told}
    again = [RefereeCame(**AT), RefereeCalled(**AT)]
    told = store.add(messages([*OVER[:2], call, *OVER[2:], *again])).notices
    assert store.results()[0]["status"] == "contested"
    assert {one["type"] for one in told} == {"referee.came", "result.contested"}


def test_a_call_during_a_match_that_is_over_is_open_and_contests_nothing():
    state = fold([*OVER[:2], RefereeCalled(**AT), *OVER[2:]], MatchState(length=3))
    assert match_part(state, OVER)["call"] == {"player": None, "contests": False}
    assert fold([RefereeCame(**AT), RefereeCalled(**AT)], state).call_contests


def test_a_name_fakes_no_cell_of_a_table(store):
    named = PlayersNamed(**AT, light="Ann", dark="Ben")
    store.add(messages([*OVER, named], table="\t=1+1\u202e"))
    (row,) = csv.reader(results_csv(store.results()).splitlines()[1:])
    assert row[3] == "'=1+1"


def test_what_others_wait_for_becomes_a_notice_once(store):
    call = RefereeCalled(**AT)
    told = store.add(messages([*OVER[:2], call, *OVER[2:]])).notices
    assert next(one["type"] for one in told) == "referee.called"
    assert {"dispute.opened"} <= {one["type"] for one in told}
    again = HallStore(store._engine, [HOOK])
    assert again.add(messages([*OVER[:2], call, *OVER[2:]])).notices == []
    assert len(store.due(HOOK, 100)) == len(told)
    assert len({one.id for one in store.due(HOOK, 100)}) == len(told)


def test_a_delivery_that_fails_is_due_later_and_given_up_after_a_day(where):
    now = [1000.0]
    store = HallStore(open_engine(where), [HOOK], clock=lambda: now[0])
    store.add(messages([*EVENTS[:2], RefereeCalled(**AT)]))
    pauses = []
    while one := next(iter(store.due(HOOK, 10)), None):
        store.delivered(one, "500", is_done=False)
        before = now[0]
        while not store.due(HOOK, 10) and now[0] < before + 7200:
            now[0] += 1 if now[0] < before + 10 else 60
        pauses.append(now[0] - before)
    assert pauses[:3] == [2.0, 4.0, 8.0]
    assert GIVE_UP_S - 7200 < now[0] - 7200 - 1000 < GIVE_UP_S
    store.close()


def test_a_store_of_a_later_version_is_refused_in_one_line(where):
    engine = open_engine(where)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(NewerRecord, match="later version of Tableside; update the program"):
        HallStore.open(where)


def test_the_migrations_make_the_tables_that_the_program_knows(where):
    engine = open_engine(where)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_a_full_disk_stores_nothing_and_the_next_try_everything(tmp_path):
    store = HallStore.open(str(tmp_path / "hall.sqlite"))

    def full(connection, _):
        connection.execute("PRAGMA max_page_count = 18")

    store.add(messages(EVENTS[:1]))
    store._engine.dispose()
    sa.event.listen(store._engine, "connect", full)
    with pytest.raises(StoreError, match="database or disk is full"):
        store.add(messages(EVENTS * 20))
    store._engine.dispose()
    sa.event.remove(store._engine, "connect", full)
    assert store.add(messages(EVENTS)).stored == len(EVENTS) - 1
    store.close()


@pytest.mark.parametrize(
    ("address", "why"),
    [("mysql://x/y", "a store is a file or postgresql"), ("nonsense://", "not")],
)
def test_an_address_that_is_no_store_is_refused(address, why):
    with pytest.raises(WrongUsage, match=why):
        HallStore.open(address)


def test_a_server_that_hangs_is_named_and_blocks_no_page(postgres):
    store = HallStore(open_engine(postgres.new_database(), patience=0.5))
    boards = Boards(store)
    store.add(messages(EVENTS))
    assert len(boards.results()) == 1
    postgres.pause()
    try:
        with pytest.raises(ArchiveError, match=r"no answer for 0.5 s"):
            boards.results()
        assert not boards.figures()["has_store"]
        with pytest.raises(StoreError):  # a new connection
            store.check()
    finally:
        postgres.resume()
    assert len(boards.results()) == 1
    store.close()


def test_a_server_that_does_not_answer_and_a_file_of_another_kind_are_named(tmp_path):
    with pytest.raises(StoreError, match=r"postgresql\+psycopg://hall:\*\*\*@127.0.0.1:9/x"):
        HallStore.open("postgresql://hall:secret@127.0.0.1:9/x")
    other = tmp_path / "notes.txt"
    other.write_text("nothing of ours " * 100)
    with pytest.raises(StoreError, match="not a database"):
        HallStore.open(str(other))
