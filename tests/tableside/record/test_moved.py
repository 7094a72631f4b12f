"""A record that is moved or replaced while it is written to loses nothing, nor gets mixed up."""

import shutil
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from engine import find_rules
from engine.events.match import GameStart
from engine.events.record import BoardMoved
from engine.message import message_of
from tableside.errors import StoreError
from tableside.record.backup import back_up
from tableside.record.check import findings
from tableside.record.journal import Journal
from tableside.record.recorder import Recorder, recorded_match
from tableside.record.repair import rebuild
from tableside.record.store import Store
from tableside.vision_process.worker import claimed

START = GameStart(time=0.0, frame=0, position=find_rules("short").opening())


def moved(count, start=0):
    return tuple(BoardMoved(time=float(n), frame=n) for n in range(start, start + count))


def begun(path, light, events=3):
    """A record that is open, with a match of so many events."""
    store = Store.open(path)
    store.append(store.new_match(light=light), moved(events))
    assert store.fault is None
    return store


@contextmanager
def recorded(path, light="Ann", events=3):
    """A match that is being recorded, with so many events."""
    with claimed(path) as store:
        recorder = Recorder(store, store.new_match(light=light))
        recorder.keep(moved(events))
        assert (recorder.fault, recorder.notice) == (None, None)
        yield recorder


def said(sentence):
    return str(message_of(StoreError(sentence)))


def held(path):
    """The matches of a record in which nothing is wrong."""
    with claimed(path) as store:
        found = [(one.light, store.events(one.id)) for one in store.matches()]
    assert findings(path) == []
    return found


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


def remove_all(path):
    shutil.rmtree(path.parent)


def move_all(path):
    path.parent.rename(path.parent.with_name("moved"))


def remove_file(path):
    path.unlink()


def move_file(path):
    path.rename(path.with_name("elsewhere.sqlite"))


def put_other(path, copy):
    """Put another record in the place of this one."""
    begun(path.with_name("other") / "other.sqlite", "Eve", 20).close()
    copy(path.with_name("other") / "other.sqlite", path)


def move_over(path):
    put_other(path, Path.replace)


def copy_over(path):
    put_other(path, shutil.copyfile)


def move_backup_over(path):
    back_up(path, path.with_name("backup.sqlite"))
    path.with_name("backup.sqlite").replace(path)


def empty(path):
    path.write_bytes(b"")


def write_text_over(path):
    path.write_text("notes of mine")


LOSSES = [
    remove_all, move_all, remove_file, move_file, move_over, copy_over, move_backup_over,
    empty, write_text_over,
]  # fmt: skip


@pytest.mark.parametrize("looks", [True, False], ids=["seen", "not seen"])
@pytest.mark.parametrize("lose", LOSSES)
def test_a_match_goes_on_whatever_becomes_of_its_record(folder, lose, looks, caplog):
    """Whether it is seen between two events, or only with the next one."""
    path = folder / "record.sqlite"
    begun(path, "Early", 5).close()
    with recorded(path) as recorder:
        lose(path)
        if looks:
            recorder.look()
            assert "was moved, removed or replaced" in said(recorder.notice)
            assert "was moved, removed or replaced" in caplog.text
        recorder.keep(moved(2, 50))
        assert "the match goes on" in said(recorder.notice)
        assert (recorder.fault, recorder.has_unsaved) == (None, False)
        recorder.keep(moved(2, 60))
        assert recorded_match(path) == 2
        with Store.open_read_only(path) as reader:
            assert reader.events(2) == tuple(recorder.events)
    events = moved(3) + moved(2, 50) + moved(2, 60)
    assert held(path) == [("Early", moved(5)), ("Ann", events)]


@pytest.mark.parametrize("put", [move_over, copy_over])
def test_what_was_put_in_the_place_of_a_record_is_kept_whole(folder, put):
    path = folder / "record.sqlite"
    with recorded(path) as recorder:
        put(path)
        recorder.look()
        (aside,) = folder.glob("record.sqlite.other-*[0-9]")
        assert aside.name in said(recorder.notice)
    assert held(aside) == [("Eve", moved(20))]


def test_an_older_copy_over_the_file_takes_nothing_back(folder):
    path = folder / "record.sqlite"
    with recorded(path) as recorder:
        back_up(path, folder / "backup.sqlite")
        recorder.keep(moved(2, 50))
        recorder.look()
        shutil.copyfile(folder / "backup.sqlite", path)
        recorder.look()
        assert "the match goes on" in said(recorder.notice)
    assert held(path) == [("Ann", moved(3) + moved(2, 50))]


def test_of_a_record_that_is_overwritten_with_its_journal_the_match_is_left(folder):
    path, other = folder / "record.sqlite", folder.with_name("other") / "record.sqlite"
    begun(other, "Eve", 20).close()
    begun(path, "Early", 5).close()
    with recorded(path) as recorder:
        shutil.copytree(other.parent, folder, dirs_exist_ok=True)
        recorder.look()
        recorder.keep(moved(2, 50))
        assert recorder.fault is None
    assert ("Ann", moved(3) + moved(2, 50)) in held(path)


def test_a_record_that_another_program_edits_has_not_left_its_place(folder):
    path = folder / "record.sqlite"
    with recorded(path) as recorder:
        for number in range(5):
            with Store.open(path) as editor:
                editor.add_finished_match([START], 0.0, "club.mat")
            recorder.look()
            recorder.keep(moved(1, 50 + number))
        assert (recorder.fault, recorder.notice) == (None, None)


def test_a_record_that_somebody_reads_has_not_left_its_place(folder):
    """SQLite then cannot move what is recorded from its log to the file."""
    path = folder / "record.sqlite"
    with recorded(path) as recorder, closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        for number in range(3):
            recorder.keep(moved(1, 50 + number))
            recorder.look()
        assert (recorder.fault, recorder.notice) == (None, None)


def test_a_record_on_a_full_disk_has_not_left_its_place(small_disk):
    """What is recorded stays in SQLite's log."""
    path, ballast = small_disk / "record.sqlite", small_disk / "ballast"
    with recorded(path) as recorder:
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        for number in range(150):
            recorder.keep(moved(3, number))
            recorder.look()
        assert recorder.notice is None
        ballast.unlink()
        recorder.flush()
        assert (recorder.fault, recorder.notice) == (None, None)
    assert len(held(path)[0][1]) == 453


def test_a_record_whose_place_another_program_has_taken_goes_on_beside_it(folder):
    path = folder / "record.sqlite"
    with recorded(path) as first:
        move_all(path)
        with recorded(path, "Eve") as second:
            first.look()
            first.keep(moved(2, 50))
            second.look()
            second.keep(moved(1, 70))
            assert (second.fault, second.notice) == (None, None)
            (beside,) = folder.glob("record.sqlite.kept-*[0-9]")
            assert beside.name in said(first.notice)
    assert held(path) == [("Eve", moved(3) + moved(1, 70))]
    assert held(beside) == [("Ann", moved(3) + moved(2, 50))]


def test_a_record_that_cannot_be_written_again_keeps_its_events_until_it_can(folder):
    path = folder / "record.sqlite"
    with recorded(path) as recorder:
        remove_all(path)
        folder.write_text("in the way")
        recorder.keep(moved(2, 50))
        assert "cannot be written again" in said(recorder.fault)
        assert recorder.has_unsaved
        recorder.flush()
        folder.unlink()
        assert recorder.flush()
        assert (recorder.fault, recorder.has_unsaved) == (None, False)
    assert held(path) == [("Ann", moved(3) + moved(2, 50))]


def test_nothing_is_written_to_a_record_that_left_its_place_without_a_lock(folder):
    path = folder / "record.sqlite"
    with begun(path, "Ann") as store:
        move_all(path)
        with pytest.raises(StoreError):
            store.append(1, moved(1, 50))
    assert not folder.exists()


@pytest.mark.parametrize("events", [1, 3])
def test_lines_of_another_record_are_not_merged_when_a_record_is_rebuilt(folder, events):
    """As they got into it before lines named their record."""
    path, other = folder / "record.sqlite", folder.with_name("other") / "record.sqlite"
    begun(other, "Eve", 3 + events).close()
    begun(path, "Ann").close()
    with (Journal(path).folder / "match-1.jsonl").open("ab") as ours:
        lines = (Journal(other).folder / "match-1.jsonl").read_bytes().splitlines(keepends=True)
        ours.writelines(lines[-events:])
    assert findings(path) == [
        f"{events} lines of another record in the journal record.sqlite.journal"
    ]
    path.write_bytes(b"")
    assert rebuild(path).losses == ()
    with claimed(path) as store:
        assert store.events(1) == moved(3)
    assert findings(path) == []


def test_the_journal_of_today_without_identities_is_read_and_continued(folder):
    path = folder / "record.sqlite"
    with begun(path, "Ann") as store:
        store._connection.execute("DROP TABLE identity")
    file = Journal(path).folder / "match-1.jsonl"
    lines = [line.partition(b',"record"')[0] for line in file.read_bytes().splitlines()]
    file.write_bytes(b"".join(line.rstrip(b"}") + b"}\n" for line in lines))
    shutil.copytree(folder, folder.with_name("copy"))
    with Store.open(path) as store:
        store.append(1, moved(1, 50))
    assert findings(path) == []
    path.unlink()
    assert rebuild(path).losses == ()
    with Store.open(path) as store:
        assert store.events(1) == moved(3) + moved(1, 50)
    copy = folder.with_name("copy") / path.name
    copy.write_bytes(b"")
    assert rebuild(copy).losses == ()


def test_a_record_that_an_earlier_version_has_rebuilt_takes_over_the_identity_of_its_journal(
    folder,
):
    path = folder / "record.sqlite"
    with begun(path, "Ann") as store:
        store._connection.execute("DROP TABLE identity")
    Store.open(path).close()
    assert findings(path) == []
    assert list(folder.glob("*.other-*")) == []
