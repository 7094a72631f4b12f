"""A record that is moved or replaced while it is written to loses nothing, nor gets mixed up."""

import shutil

import pytest

from engine.events.record import BoardMoved
from engine.message import message_of
from tableside.errors import StoreError
from tableside.record.backup import back_up
from tableside.record.check import findings
from tableside.record.journal import Journal
from tableside.record.repair import rebuild
from tableside.record.store import Store
from tableside.vision_process.worker import claimed


def moved(count, start=0):
    return tuple(BoardMoved(time=float(n), frame=n) for n in range(start, start + count))


def begun(path, light, events=3):
    """A record that is open, with a match of so many events."""
    store = Store.open(path)
    store.append(store.new_match(light=light), moved(events))
    assert store.fault is None
    return store


def said(store):
    return str(message_of(StoreError(store.fault)))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


def test_a_record_whose_folder_is_moved_keeps_its_events_and_no_other_gets_them(folder):
    """Another match begins where it was: the two journals have the same names."""
    path, there = folder / "record.sqlite", folder.with_name("moved")
    with begun(path, "Ann") as first:
        folder.rename(there)
        with begun(path, "Eve") as second:
            assert first.append(1, moved(2, 50)) == (4, 5)
            assert "was moved or replaced" in said(first)
            second.append(1, moved(1, 70))
            assert second.fault is None
    assert findings(path) == []
    path.unlink()
    assert rebuild(path).losses == ()
    with Store.open(path) as store:
        assert store.events(1) == moved(3) + moved(1, 70)
    with claimed(there / path.name) as store:
        assert store.matches()[0].light == "Ann"
        assert store.events(1) == moved(3) + moved(2, 50)
    assert findings(there / path.name) == []


def test_a_folder_that_is_put_back_heals_the_fault(folder):
    with begun(folder / "record.sqlite", "Ann") as store:
        away = folder.rename(folder.with_name("away"))
        store.append(1, moved(1, 50))
        assert "was moved" in said(store)
        assert not folder.exists()
        away.rename(folder)
        store.append(1, moved(1, 51))
        assert store.fault is None
    assert findings(folder / "record.sqlite") == []


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


def test_a_backup_that_is_moved_over_the_record_during_a_match_loses_nothing(folder):
    path = folder / "record.sqlite"
    with begun(path, "Ann") as store:
        back_up(path, folder / "backup.sqlite")
        store.append(1, moved(2, 50))
        (folder / "backup.sqlite").replace(path)
        store.append(1, moved(2, 60))
        assert "was moved or replaced" in said(store)
    with claimed(path) as store:
        assert store.events(1) == moved(3) + moved(2, 50) + moved(2, 60)
    assert findings(path) == []


def test_another_record_that_is_moved_over_this_one_during_a_match_stays_whole(folder):
    path, other = folder / "record.sqlite", folder / "other.sqlite"
    begun(other, "Eve", 5).close()
    with begun(path, "Ann", 30) as store:
        store.append(1, moved(2, 50))
        other.replace(path)
        store.append(1, moved(2, 60))
    with claimed(path) as store:
        assert store.matches()[0].light == "Eve"
        assert store.events(1) == moved(5)
    assert findings(path) == []
    (aside,) = folder.glob("record.sqlite.journal.other-*")
    aside.rename(Journal(folder / "again.sqlite").folder)
    assert rebuild(folder / "again.sqlite").losses == ()
    with Store.open(folder / "again.sqlite") as store:
        assert store.events(1) == moved(30) + moved(2, 50) + moved(2, 60)


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
