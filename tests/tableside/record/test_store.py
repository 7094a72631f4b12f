"""The record keeps what it acknowledged, whatever happens to the process, the disk or the file."""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.events.match import DiceRolled, GameEnd
from engine.events.record import BoardMoved, MatchPaused
from engine.position import Side
from tableside.errors import NewerRecord, StoreError
from tableside.paths import data_folder
from tableside.record.check import findings
from tableside.record.journal import Journal
from tableside.record.schema import MIGRATIONS, refuse_newer, version_of
from tableside.record.store import Store
from tests.paths import ROOT

ROLL = DiceRolled(time=1.5, frame=18, player=Side.LIGHT, dice=(6, 3), confidence=0.9)
END = GameEnd(time=9.0, frame=100, winner=Side.DARK, points=2, result="gammon")


def moved(count, start=0):
    return [BoardMoved(time=float(n), frame=n) for n in range(start, start + count)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "folder" / "record.sqlite"


@pytest.fixture
def store(path):
    with Store.open(path) as opened:
        yield opened


def test_events_come_back_in_order_and_numbered(store):
    match = store.new_match(light="Ann", dark="Bob", length=7)
    assert store.append(match, [ROLL, END]) == (1, 2)
    assert store.append(match, []) == ()
    assert store.append(match, [ROLL]) == (3,)
    assert store.events(match) == (ROLL, END, ROLL)
    assert store.events(match, after=2) == (ROLL,)
    assert store.events(match, after=99) == ()


def test_another_process_sees_the_events_at_once(store):
    match = store.new_match()
    store.append(match, [ROLL])
    with Store.open(store.path) as other:
        assert other.events(match) == (ROLL,)


def test_matches_keep_their_events_apart(store):
    first, second = store.new_match(light="Ann"), store.new_match(light="Zoë")
    store.append(first, [ROLL])
    store.append(second, [END, END])
    assert [(m.id, m.light, m.events) for m in store.matches()] == [
        (first, "Ann", 1),
        (second, "Zoë", 2),
    ]
    assert store.events(first) == (ROLL,)


def test_the_matches_that_were_not_closed_are_the_ones_to_resume(store):
    assert store.open_matches() == ()
    first, second = store.new_match(), store.new_match()
    assert [match.id for match in store.open_matches()] == [second, first]
    store.close_match(second)
    store.close_match(second)
    assert [match.id for match in store.open_matches()] == [first]


def test_an_event_of_no_match_is_refused(store):
    with pytest.raises(StoreError, match="no match 5"):
        store.append(5, [ROLL])


def test_a_batch_is_recorded_whole_or_not_at_all(store):
    match = store.new_match()
    broken = DiceRolled(time=float("nan"), frame=1, player=Side.LIGHT, dice=(1, 1))
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.append(match, [ROLL, broken])
    assert store.events(match) == ()


@pytest.mark.parametrize("sql", ["UPDATE events SET payload = ''", "DELETE FROM events"])
def test_nobody_can_change_what_was_recorded(store, sql):
    store.append(store.new_match(), [ROLL])
    other = sqlite3.connect(store.path)
    with contextlib.closing(other), pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(sql)


def test_threads_share_a_store_without_losing_or_doubling_a_number(store):
    match = store.new_match()
    numbers = []

    def write(start):
        for event in moved(20, start):
            numbers.extend(store.append(match, [event]))

    threads = [threading.Thread(target=write, args=(1000 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 81))
    assert len({event.frame for event in store.events(match)}) == 80


def test_the_record_is_flushed_to_the_disk_at_every_commit(store):
    connection = store._connection
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_record_of_a_later_version_is_refused_and_left_as_it_is(path):
    Store.open(path).close()
    with contextlib.closing(sqlite3.connect(path)) as later:
        later.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerRecord, match=r"format 99.*update the program"):
        Store.open(path)
    assert not list(path.parent.glob("*format*"))


def test_a_record_of_an_earlier_version_is_copied_and_brought_up_to_date(path, caplog):
    add_notes = ("CREATE TABLE notes (what TEXT)",)
    with Store.open(path) as old:
        old.append(old.new_match(), [ROLL])
    caplog.set_level("INFO")
    with Store.open(path, (*MIGRATIONS, add_notes)) as new:
        assert "migrating the record" in caplog.text
        assert new.events(1) == (ROLL,)
        assert new._rows("SELECT count(*) FROM notes") == [(0,)]
    with Store.open(path.with_name(f"record.sqlite.format{len(MIGRATIONS)}")) as copy:
        assert copy.events(1) == (ROLL,)


def test_a_record_that_may_have_pauses_is_refused_by_programs_that_cannot_read_them(path):
    paused = MatchPaused(time=2.0, frame=24, clock=Side.LIGHT)
    with Store.open(path, MIGRATIONS[:6]) as old:
        old.append(old.new_match(), [ROLL])
    with Store.open(path) as store:
        store.append(1, [paused])
        assert store.events(1) == (ROLL, paused)
    with pytest.raises(NewerRecord):
        Store.open(path, MIGRATIONS[:6])


def test_a_migration_that_fails_leaves_the_record_as_it_was(path):
    good, fail = ("CREATE TABLE whole (a)",), ("CREATE TABLE half (a)", "nonsense")
    with Store.open(path) as old:
        old.append(old.new_match(), [ROLL])
    with pytest.raises(StoreError):
        Store.open(path, (*MIGRATIONS, good, fail))
    with Store.open(path) as again:
        assert again.events(1) == (ROLL,)
        made = again._rows("SELECT name FROM sqlite_master WHERE name IN ('whole', 'half')")
        assert made == []


def test_a_record_that_another_program_migrates_meanwhile_is_not_copied_again(path, monkeypatch):
    with Store.open(path, MIGRATIONS[:6]) as old:
        old.append(old.new_match(), [ROLL])
    looked = []

    def look(connection, path, migrations):
        version = refuse_newer(connection, path, migrations)
        looked.append(version)
        if len(looked) == 1:
            Store.open(path).close()
        return version

    monkeypatch.setattr("tableside.record.schema.refuse_newer", look)
    with Store.open(path) as new:
        assert new.events(1) == (ROLL,)
    assert looked[0] == 6
    with contextlib.closing(sqlite3.connect(path.with_name("record.sqlite.format6"))) as copy:
        assert version_of(copy) == 6


@pytest.mark.parametrize("content", [b"\xff\xd8\xff\xe0" + b"JFIF" * 50, b"notes of mine\n"])
def test_another_file_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "holiday.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="not a Tableside record"):
        Store.open(path)
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "places.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmarks (url)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a Tableside record"):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_folder_is_no_record(tmp_path):
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(tmp_path)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody can write to")
def test_a_folder_that_takes_no_file_is_one_clear_line():
    with pytest.raises(StoreError, match="check the folder and its permissions"):
        Store.open(Path("/proc/record.sqlite"))


def test_a_file_in_the_way_of_the_folder_is_one_clear_line(tmp_path):
    (tmp_path / "a").write_text("x")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(tmp_path / "a" / "record.sqlite")


def fill_and_recover(store, fill, free):
    """Append until the disk is full, make room, append again: no acknowledged event may be lost."""
    match = store.new_match()
    kept = list(store.append(match, moved(50)))
    fill()

    def append_for_ever():
        while True:
            kept.extend(store.append(match, moved(50, len(kept))))

    with pytest.raises(StoreError, match=r"the disk (is full|takes no more).*nothing recorded"):
        append_for_ever()
    assert len(store.events(match)) == len(kept)
    free()
    kept += store.append(match, moved(50, len(kept)))
    with Store.open(store.path) as again:
        assert [event.frame for event in again.events(match)] == list(range(len(kept)))


def test_a_full_record_takes_events_again_once_there_is_room(store):
    connection = store._connection
    fill_and_recover(
        store,
        lambda: connection.execute("PRAGMA max_page_count = 40"),
        lambda: connection.execute("PRAGMA max_page_count = 1000000"),
    )


def test_a_full_disk_loses_nothing_and_recovers(tiny_disk):
    ballast = tiny_disk / "ballast"

    def fill():
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)

    def free():
        ballast.unlink()

    with Store.open(tiny_disk / "record.sqlite") as store:
        fill_and_recover(store, fill, free)


class Killed:
    """Runs the writer again and again, kills it each time, and compares acks with the record."""

    def __init__(self, path, seed):
        self.path = path
        self.random = random.Random(seed)
        self.acknowledged = 0

    def once(self, longest=0.12):
        """Kill it soon after its first acknowledgment; one time in five, right after its start."""
        with subprocess.Popen(
            [sys.executable, Path(__file__).with_name("writer.py"), self.path],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as writer:
            first = writer.stdout.readline() if self.random.random() < 0.8 else b""
            with contextlib.suppress(subprocess.TimeoutExpired):
                writer.wait(self.random.uniform(0, longest))
            writer.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            lines = (first + writer.stdout.read()).split(b"\n")[:-1]
        assert writer.returncode == -getattr(signal, "SIGKILL", -1)
        self.acknowledged = max([self.acknowledged, *map(int, lines)])

    def check(self):
        with Store.open(self.path) as store:
            assert findings(self.path) == []
            entry = next(iter(store.open_matches()), None)
            frames = [event.frame for event in store.events(entry.id)] if entry else []
            assert len(store.matches()) <= 1
        journaled = [row for row in Journal(self.path).rows() if row and row.table == "events"]
        assert len({row.key for row in journaled}) == len(frames), "opening it made up for the kill"
        assert frames == list(range(len(frames)))  # none lost, none twice, none out of order
        assert self.acknowledged <= len(frames)
        return len(frames)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
def test_a_killed_process_loses_no_acknowledged_event(path, record_property):
    killed = Killed(path, seed=1)
    for _ in range(15):
        killed.once()
        killed.check()
    assert killed.acknowledged > 0
    record_property("seen", f"15 kills, {killed.acknowledged:,} acknowledged events, none lost")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
def test_a_thousand_kills_lose_no_acknowledged_event(path, record_property):
    acknowledged = 0
    for seed in range(50):  # a new record each time, so that comparing stays fast
        killed = Killed(path.with_name(f"{seed}.sqlite"), seed)
        for _ in range(20):
            killed.once(longest=0.5)
            killed.check()
        assert killed.acknowledged > 0
        acknowledged += killed.acknowledged
    record_property("seen", f"1,000 kills, {acknowledged:,} acknowledged events, none lost")


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"TABLESIDE_HOME": "/x"}, "linux", "/x"),
        ({}, "linux", "/home/a/.local/share/tableside"),
        ({"XDG_DATA_HOME": "/data"}, "linux", "/data/tableside"),
        ({}, "darwin", "/home/a/Library/Application Support/tableside"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/tableside"),
        ({}, "win32", "/home/a/AppData/Local/tableside"),
    ],
)
def test_the_record_is_in_the_system_s_data_folder(environment, platform, expected):
    assert data_folder(environment, platform, Path("/home/a")) == Path(expected)
