"""Whatever parts of a record are copied while it is open: all is there, or a line says what is not.

The record is copied with `cp`, under another name, or over a record that is there already.
"""

import random
import shutil
import sqlite3
from contextlib import closing
from itertools import pairwise

import pytest

from engine.events.record import BoardMoved
from engine.message import message_of
from tableside.cli import main
from tableside.errors import StoreError
from tableside.record.check import findings
from tableside.record.journal import Journal
from tableside.record.parts import has_foreign_log, log_of
from tableside.record.store import Store
from tableside.vision_process.worker import claimed

SECTOR = 512


def moved(count, start=0):
    return tuple(BoardMoved(time=float(n), frame=n) for n in range(start, start + count))


def record(path, light, events, start=0):
    """A record with a match, still open."""
    store = Store.open(path)
    match = store.new_match(light=light)
    for event in moved(events, start):
        store.append(match, [event])
    return store


def copy(source, target, parts):
    """Copy a record's file and what else begins with its name, as `cp -r` does."""
    for part in parts:
        one, other = (path.with_name(path.name + part) for path in (source, target))
        if one.is_dir():
            shutil.copytree(one, other, dirs_exist_ok=True)
        else:
            shutil.copyfile(one, other)


def held(path):
    with Store.open_read_only(path) as store:
        return [(one.light, store.events(one.id)) for one in store.matches()]


def opened(path):
    with claimed(path) as store:
        assert store.fault is None
    assert findings(path) == []
    return held(path)


@pytest.fixture
def ann(tmp_path):
    """A record with a match of eight events that is being recorded."""
    (tmp_path / "ann").mkdir()
    with record(tmp_path / "ann" / "record.sqlite", "Ann", 8) as store:
        yield store.path


@pytest.fixture
def target(tmp_path):
    (tmp_path / "target").mkdir()
    return tmp_path / "target" / "club.sqlite"


WITH_FILE = [("",), ("", "-wal"), ("", ".journal"), ("", "-wal", ".journal"), ("", "-wal", "-shm")]
IDS = ["file" + "".join(parts) for parts in WITH_FILE]


@pytest.mark.parametrize("parts", WITH_FILE, ids=IDS)
def test_a_copy_under_another_name_holds_all_that_was_recorded(ann, target, parts):
    copy(ann, target, parts)
    assert held(target) == [("Ann", moved(8))]
    assert opened(target) == [("Ann", moved(8))]


@pytest.mark.parametrize("parts", WITH_FILE, ids=IDS)
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_copy_over_another_record_holds_all_that_was_recorded(ann, target, parts, is_closed):
    other = record(target, "Eve", 30, 100)
    if is_closed:
        other.close()
    else:  # as a kill leaves it
        left = target.with_name("left.sqlite")
        copy(target, left, ("", "-wal", ".journal"))
        other.close()
        target = left
    copy(ann, target, parts)
    assert opened(target) == [("Ann", moved(8))]


@pytest.mark.parametrize("parts", WITH_FILE, ids=IDS)
def test_a_copy_over_a_later_one_loses_nothing_that_its_journal_has(ann, target, parts):
    copy(ann, target, ("", ".journal"))
    with Store.open(target) as store:
        store.append(1, moved(2, 8))
    copy(ann, target, parts)
    assert opened(target) == [("Ann", moved(8 if ".journal" in parts else 10))]


@pytest.mark.parametrize("is_older", [True, False])
def test_a_log_that_is_copied_to_the_wrong_record_is_kept_aside(ann, target, is_older, caplog):
    """SQLite would take it for the newest state of the record, and so destroy that."""
    if is_older:
        copy(ann, target, ("",))
        with Store.open(target) as store:
            store.append(1, moved(2, 8))
    else:
        record(target, "Eve", 30).close()
    shutil.rmtree(Journal(target).folder)  # which would bring back what is lost
    before = [("Ann", moved(10))] if is_older else [("Eve", moved(30))]
    assert held(target) == before
    copy(ann, target, ("-wal",))
    with pytest.raises(StoreError, match="is damaged"):
        held(target)
    assert opened(target) == before
    (aside,) = target.parent.glob("club.sqlite-wal.other-*")
    assert "was kept as" in caplog.text
    assert aside.name in caplog.text


def test_a_log_without_its_file_is_not_deleted_and_a_line_says_what_is_missing(ann, target):
    copy(ann, target, ("-wal",))
    content = target.with_name("club.sqlite-wal").read_bytes()
    for open_it in (Store.open, Store.open_read_only):
        with pytest.raises(StoreError) as error:
            open_it(target)
        assert str(message_of(error.value)).startswith(f"there is no {target}, only its log")
    assert target.with_name("club.sqlite-wal").read_bytes() == content
    copy(ann, target, (".journal",))
    assert opened(target) == [("Ann", moved(8))]
    (aside,) = target.parent.glob("club.sqlite-wal.other-*")
    assert aside.read_bytes() == content


def test_the_file_of_an_earlier_version_that_lacks_its_log_is_no_empty_record(ann, target):
    """It kept the tables, too, in the log."""
    with closing(sqlite3.connect(target)) as early:
        early.execute("PRAGMA journal_mode = WAL")
    for open_it in (Store.open, Store.open_read_only):
        with pytest.raises(StoreError) as error:
            open_it(target)
        assert "was copied without its log club.sqlite-wal; copy both" in str(
            message_of(error.value)
        )
    copy(ann, target, (".journal",))
    with pytest.raises(StoreError, match="is damaged"):
        held(target)
    assert opened(target) == [("Ann", moved(8))]


def test_a_file_without_anything_in_it_is_no_record(target):
    target.touch()
    with pytest.raises(StoreError, match="is not a Tableside record"):
        Store.open_read_only(target)
    assert opened(target) == []


def test_a_wrong_log_is_found_and_put_right_by_commands(ann, target, capsys):
    record(target, "Eve", 30).close()
    copy(ann, target, ("-wal",))
    given = ["--record", str(target)]
    assert main(["record", "check", *given]) == 1
    assert "is damaged" in capsys.readouterr().err
    assert main(["record", "repair", *given]) == 0
    assert main(["record", "check", *given]) == 0
    assert held(target) == [("Eve", moved(30))]


def test_a_file_that_a_power_cut_left_torn_keeps_its_log(tmp_path):
    """Any sectors of what was moved from the log to the file may be missing; the log has them."""
    path = tmp_path / "record.sqlite"
    with Store.open(path) as store:
        match = store.new_match()
        states = []
        for frame in range(12):
            store.append(match, [BoardMoved(time=float(frame), frame=frame)])
            states.append((path.read_bytes(), log_of(path).read_bytes()))
    dice, cut = random.Random(1), tmp_path / "cut" / "record.sqlite"
    cut.parent.mkdir()
    for (before, _), (after, log) in pairwise(states):
        for _ in range(20):
            sectors = range(0, len(after), SECTOR)
            parts = (dice.choice((before, after))[at : at + SECTOR] for at in sectors)
            cut.write_bytes(b"".join(parts))
            log_of(cut).write_bytes(log)
            assert not has_foreign_log(cut)
