"""A damaged record says so, and its journal brings everything back."""

import contextlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from functools import partial

import pytest

from engine.dice_sets.edits import DiceRenamed
from engine.events.match import DiceRolled
from engine.events.record import BoardMoved
from engine.message import message_of
from engine.position import Side
from tableside.cli import main
from tableside.errors import BrokenRecord, StoreError
from tableside.record.backup import KEPT, DailyBackup, back_up, backup_folder, restore
from tableside.record.check import findings
from tableside.record.database import open_for_writing
from tableside.record.disk import RESERVE_BYTES, refuse_if_low
from tableside.record.journal import Journal
from tableside.record.repair import rebuild
from tableside.record.schema import MIGRATIONS
from tableside.record.store import Store
from tableside.review.stills import stills_folder
from tableside.vision_process.worker import claimed

ROLL = DiceRolled(time=1.5, frame=18, player=Side.LIGHT, dice=(6, 3), confidence=0.9)


def moved(count, start=0):
    return [BoardMoved(time=float(n), frame=n) for n in range(start, start + count)]


def fill(path):
    """Three matches, the last one open, and a name of a die."""
    with Store.open(path) as store:
        for match in range(1, 4):
            number = store.new_match(light="Zoë", dark=f"Bob {match}", length=match)
            for start in range(0, 60, 3):
                seen = [(start, bytes(random.Random(start).randbytes(300)))]
                store.append(number, [ROLL, *moved(2, start)], seen)
            if match < 3:
                store.close_match(number)
        store.append_dice_edit(DiceRenamed(name="red 1", to="Ruby"))


def content(store):
    return (
        store.matches(),
        [store.events(entry.id) for entry in store.matches()],
        [store.evidence(entry.id) for entry in store.matches()],
        store.dice_edits(),
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A record in a folder of its own, and what is in it."""
    folder = tmp_path_factory.mktemp("whole")
    fill(folder / "record.sqlite")
    with Store.open_read_only(folder / "record.sqlite") as store:
        return folder, content(store)


@pytest.fixture
def record(whole, tmp_path):
    """A copy of it."""
    shutil.copytree(whole[0], tmp_path / "copy")
    return tmp_path / "copy" / "record.sqlite"


def flip(path, where, bit=0):
    with path.open("r+b") as file:
        file.seek(where)
        (byte,) = file.read(1)
        file.seek(where)
        file.write(bytes([byte ^ 1 << bit]))


def test_an_intact_record_has_no_findings_and_a_journal_of_every_row(whole):
    folder, _ = whole
    assert findings(folder / "record.sqlite") == []
    rows = list(Journal(folder / "record.sqlite").rows())
    assert None not in rows
    tables = [row.table for row in rows]
    assert {name: tables.count(name) for name in set(tables)} == {
        "matches": 3,
        "events": 180,
        "evidence": 60,
        "ends": 2,
        "dice_words": 1,
    }


def check_flips(whole, folder, seed, count):
    """Flip a bit, read, repair; return how many flips were noticed."""
    source, held = whole
    path = folder / "record.sqlite"
    dice, noticed = random.Random(seed), 0
    for _ in range(count):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        flip(path, dice.randrange(path.stat().st_size), dice.randrange(8))
        try:
            with Store.open_read_only(path) as store:
                assert content(store) == held
            with Store.open(path) as store:
                assert content(store) == held
        except StoreError:
            noticed += 1
            rebuilt = rebuild(path)
            assert not rebuilt.losses
            with Store.open(path) as store:
                assert content(store) == held
            assert findings(path) == []
    return noticed


def test_no_flipped_bit_is_silently_wrong_and_each_is_repaired(whole, tmp_path, record_property):
    noticed = check_flips(whole, tmp_path / "copy", seed=1, count=40)
    assert noticed > 20
    record_property("seen", f"40 flips: {noticed} did harm, all noticed and repaired")


@pytest.mark.slow
def test_of_a_thousand_flipped_bits_none_is_silently_wrong_and_each_is_repaired(
    whole, tmp_path, record_property
):
    noticed = check_flips(whole, tmp_path / "copy", seed=2, count=1000)
    assert noticed > 400
    record_property("seen", f"1,000 flips: {noticed} did harm, all noticed and repaired")


@pytest.mark.parametrize("damage", ["page", "head", "cut", "empty", "gone"])
def test_a_damaged_record_is_rebuilt_when_it_is_claimed(whole, record, damage, caplog):
    image = record.read_bytes()
    garbage = random.Random(3).randbytes(4096)
    broken = {
        "page": image[:8192] + garbage + image[12288:],
        "head": garbage + image[4096:],
        "cut": image[: len(image) // 2],
        "empty": b"",
        "gone": None,
    }[damage]
    if broken is None:
        record.unlink()
    else:
        record.write_bytes(broken)
    with claimed(record) as store:
        assert content(store) == whole[1]
    assert "it was kept as record.sqlite.damaged-" in caplog.text
    assert re.search("nothing was lost|all that its journal holds is there", caplog.text)
    (kept,) = record.parent.glob("*.damaged-*[0-9]")
    assert not broken or kept.read_bytes() == broken
    assert findings(record) == []


def test_what_only_the_damaged_record_held_is_kept_and_losses_are_told(whole, record):
    journal = Journal(record).folder / "match-2.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:40]) + b"{}\n" + b"".join(lines[41:50]))
    assert any("1 damaged lines in the journal" in line for line in findings(record))
    rebuilt = rebuild(record)
    assert rebuilt.losses == ()
    with Store.open(record) as store:
        assert content(store) == whole[1]
    assert findings(record) == [], "the journal was renewed"

    journal.write_bytes(b"".join(lines[:40]) + b"{}\n" + b"".join(lines[41:]))
    record.unlink()
    with (
        pytest.raises(
            BrokenRecord, match=r"events of match 2 after number 39 are lost.*start again"
        ),
        claimed(record),
    ):
        pass
    with claimed(record) as store:
        assert store.events(2) == whole[1][1][1][:39]
        assert store.events(3) == whole[1][1][2]


def test_a_lost_end_of_the_journal_is_told(record):
    journal = Journal(record).folder / "match-3.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1].replace(b"frame", b"flame"))
    record.write_bytes(b"")
    assert rebuild(record).losses == (
        "match-3.jsonl is damaged at its end, so that something may be lost",
    )


def test_a_record_without_a_journal_is_rebuilt_from_what_can_be_read(whole, record):
    shutil.rmtree(Journal(record).folder)
    image = record.read_bytes()
    record.write_bytes(image[:-4096] + bytes(4096))
    rebuilt = rebuild(record)
    assert rebuilt.losses[0] == "it had no journal"
    with Store.open(record) as store:
        for match, kept in enumerate(whole[1][1], 1):
            events = store.events(match)
            assert events == kept[: len(events)]


def test_rows_that_a_kill_left_out_of_the_journal_are_added(whole, record):
    folder = Journal(record).folder
    events = folder / "match-3.jsonl"
    events.write_bytes(events.read_bytes()[:-200])  # a torn line at its end
    (folder / "match-2.evidence.jsonl").unlink()
    with Store.open(record) as store:
        store.append(3, [ROLL])
    assert findings(record) == []
    record.unlink()
    assert not rebuild(record).losses
    with Store.open(record) as store:
        assert store.events(3) == (*whole[1][1][2], ROLL)
        assert store.evidence(2) == whole[1][2][1]


def test_a_journal_that_cannot_be_written_is_told_and_made_up_for(record):
    folder = Journal(record).folder
    aside = folder.rename(folder.with_name("aside"))
    folder.write_text("in the way")
    with Store.open(record) as store:
        assert store.append(3, [ROLL]) == (61,)
        assert "cannot be written" in str(message_of(StoreError(store.fault)))
        folder.unlink()
        aside.rename(folder)
        store.append(3, [])
        assert store.fault is None
    assert findings(record) == []


def test_a_record_of_an_earlier_format_gains_checksums_and_a_journal(tmp_path):
    path = tmp_path / "record.sqlite"
    fill(path)
    with Store.open(path) as store:
        held = content(store)
    shutil.rmtree(Journal(path).folder)
    with contextlib.closing(sqlite3.connect(path)) as old:
        for table in ("matches", "ends", "evidence", "dice_words"):
            old.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        old.execute("DROP INDEX deletions")
        old.execute("PRAGMA user_version = 4")
    with Store.open_read_only(path) as store:
        assert content(store) == held
    with Store.open(path) as store:
        assert content(store) == held
    assert findings(path) == []
    path.unlink()
    assert not rebuild(path).losses


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_only_the_user_can_read_what_is_written(tmp_path):
    path = tmp_path / "new" / "record.sqlite"
    fill(path)
    DailyBackup(path).make_if_due()
    paths = [path.parent, *path.parent.rglob("*")]
    rights = {one.relative_to(tmp_path): one.stat().st_mode & 0o077 for one in paths}
    assert not any(rights.values()), rights


def test_a_backup_is_made_once_a_day_and_the_oldest_are_dropped(record):
    now = record.stat().st_mtime
    for day in range(8):
        backup = DailyBackup(record, partial(float, now + day * 86_401))
        backup.make_if_due()
        backup.make_if_due()
    made = sorted(backup_folder(record).iterdir())
    assert len(made) == KEPT


def test_a_damaged_record_does_not_replace_a_good_backup(record, tmp_path):
    target = tmp_path / "backup.sqlite"
    back_up(record, target)
    good = target.read_bytes()
    image = record.read_bytes()
    flip(record, image.index(b'"frame":18') + 9)
    with pytest.raises(BrokenRecord, match=r"not copied.*1 damaged rows in the table events"):
        back_up(record, target)
    assert target.read_bytes() == good


def test_the_commands_check_repair_back_up_and_restore(whole, record, tmp_path, capsys):
    given = ["--record", str(record)]
    backup = tmp_path / "stick.sqlite"
    assert main(["record", "check", *given]) == 0
    assert "is intact: 3 matches, 180 events" in capsys.readouterr().err
    assert main(["record", "backup", "--out", str(backup), *given]) == 0
    assert main(["record", "backup", "--out", str(backup), *given]) == 1
    assert "exists already" in capsys.readouterr().err
    flip(record, record.read_bytes().index(b'"frame":18') + 9)
    assert main(["record", "check", *given]) == 1
    assert "1 damaged rows in the table events" in capsys.readouterr().err
    assert main(["record", "repair", *given]) == 0
    assert "nothing was lost" in capsys.readouterr().err
    with Store.open(record) as store:
        store.append(3, [ROLL])
    assert main(["record", "restore", str(backup), *given]) == 0
    assert "it was kept as record.sqlite.replaced-" in capsys.readouterr().err
    assert main(["record", "check", *given]) == 0
    with Store.open(record) as store:
        assert content(store) == whole[1]
    stills = stills_folder(record, 2)
    stills.mkdir()
    (stills / "000024.jpg").write_bytes(b"\xff\xd8 half a picture")
    assert main(["record", "check", *given]) == 1
    assert "1 damaged stills of match 2" in capsys.readouterr().err


def test_a_text_file_is_no_backup_and_no_record_and_stays_as_it_is(record, tmp_path, capsys):
    notes = tmp_path / "notes.sqlite"
    notes.write_text("notes of mine\n")
    before = record.read_bytes()
    with pytest.raises(StoreError, match="not a Tableside record"):
        restore(notes, record)
    assert record.read_bytes() == before
    assert main(["record", "check", "--record", str(notes)]) == 1
    assert "not a Tableside record" in capsys.readouterr().err
    with pytest.raises(StoreError, match="not a Tableside record"), claimed(notes):
        pass
    assert notes.read_text() == "notes of mine\n"
    beside = {f"notes.sqlite{part}" for part in ("", ".lock", ".recording")}
    assert {path.name for path in tmp_path.glob("notes*")} <= beside


def other_record(folder, light):
    """A record with one match that goes on."""
    path = folder / "record.sqlite"
    with Store.open(path) as store:
        match = store.new_match(light=light)
        store.append(match, moved(6))
    return path


@pytest.mark.parametrize("events", [2, 9])
def test_the_journal_of_another_record_is_not_mixed_in(record, tmp_path, events):
    """Another record was copied over this one, whose journal stays beside it."""
    (tmp_path / "other").mkdir()
    other = other_record(tmp_path / "other", "Eve")
    with Store.open(other) as store:
        store.append(1, moved(events, 6))
        held = content(store)
    shutil.copy(other, record)
    with claimed(record) as store:
        assert content(store) == held
    assert len(list(record.parent.glob("*.journal.other-*"))) == 1
    assert findings(record) == []
    record.unlink()
    assert not rebuild(record).losses
    with Store.open(record) as store:
        assert content(store) == held


def test_a_copy_that_was_played_on_elsewhere_keeps_its_own_events(record, tmp_path):
    with Store.open(record) as store:
        store.append(3, moved(3, 500))
    back_up(record, tmp_path / "copy.sqlite")
    with Store.open(record) as store:
        store.append(3, moved(3, 600))
    with Store.open(tmp_path / "copy.sqlite") as store:
        store.append(3, moved(5, 700))
        held = content(store)
    shutil.copy(tmp_path / "copy.sqlite", record)
    with claimed(record) as store:
        assert content(store) == held
    assert findings(record) == []


def test_a_damaged_record_beside_the_journal_of_another_uses_its_own_rows(record, tmp_path):
    (tmp_path / "other").mkdir()
    other = other_record(tmp_path / "other", "Eve")
    image = bytearray(other.read_bytes())
    image[image.index(b'"frame":5') + 8] ^= 1
    record.write_bytes(image)
    rebuilt = rebuild(record)
    assert rebuilt.losses[0] == "its journal is another record's, and was not used"
    with Store.open(record) as store:
        assert store.matches()[0].light == "Eve"
        assert store.events(1) == tuple(moved(5))


def test_a_rebuild_that_fails_leaves_the_record_as_it_was(record, monkeypatch):
    image = bytearray(record.read_bytes())
    image[image.index(b'"frame":18') + 9] ^= 1
    record.write_bytes(image)

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("pathlib.Path.replace", fail)
        with pytest.raises(StoreError, match=r"could not be rebuilt.*No space left"):
            rebuild(record)
    assert record.read_bytes() == image
    assert not rebuild(record).losses


def test_a_backup_can_take_the_place_of_a_record_that_is_gone(whole, record, tmp_path):
    back_up(record, tmp_path / "backup.sqlite")
    with Store.open(record) as store:
        store.append(3, [ROLL])
    record.unlink()
    assert restore(tmp_path / "backup.sqlite", record) is None
    with claimed(record) as store:
        assert content(store) == whole[1], "nothing of what came after the backup is mixed in"


def test_a_journal_that_was_deleted_during_a_match_is_made_again(record):
    with Store.open(record) as store:
        shutil.rmtree(Journal(record).folder)
        store.append(3, [ROLL])
        store.append(3, [ROLL])
    with Store.open(record):
        assert findings(record) == []


def test_a_record_of_an_early_format_is_intact_and_can_be_copied(tmp_path):
    path = tmp_path / "old.sqlite"
    with contextlib.closing(open_for_writing(path, MIGRATIONS[:1])) as old:
        old.execute(
            "INSERT INTO matches (begun, variant, length, light, dark, source)"
            " VALUES (1.5, 'short', 7, 'Ann', 'Bob', '')"
        )
    assert findings(path) == []
    back_up(path, tmp_path / "copy.sqlite")
    with Store.open(tmp_path / "copy.sqlite") as store:
        assert store.matches()[0].light == "Ann"


def test_an_intact_record_is_not_repaired_and_no_copy_goes_over_it(record, capsys):
    before = record.read_bytes()
    assert main(["record", "repair", "--record", str(record)]) == 0
    assert "is intact" in capsys.readouterr().err
    assert main(["record", "backup", "--force", "--out", str(record), "--record", str(record)]) == 1
    assert "is the record itself" in capsys.readouterr().err
    assert record.read_bytes() == before


def test_a_record_in_use_is_not_repaired(record, capsys):
    with claimed(record):
        assert main(["record", "repair", "--record", str(record)]) == 1
    assert "another Tableside is recording" in capsys.readouterr().err


def test_a_record_that_is_closed_leaves_no_reserve(tmp_path):
    path = tmp_path / "record.sqlite"
    reserve = tmp_path / "record.sqlite.reserve"
    for _ in range(2):
        with claimed(path) as store:
            store.new_match()
            assert reserve.stat().st_size == RESERVE_BYTES
        assert not reserve.exists()


def test_a_reserve_lets_the_record_go_on_when_the_disk_is_full(small_disk):
    """The disk is filled to the last byte: events are written on, and no pictures are."""
    path, ballast = small_disk / "record.sqlite", small_disk / "ballast"
    with Store.open(path) as store:
        match = store.new_match()
        store.append(match, [ROLL])
        assert store.fault is None
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        for start in range(300):
            store.append(match, moved(3, start), [(start, bytes(1200))] * 4)
        assert "nearly full" in str(message_of(StoreError(store.fault)))
        with pytest.raises(OSError, match="No space left"):
            refuse_if_low(small_disk / "stills")
        ballast.unlink()
        store.append(match, [ROLL])
        assert store.fault is None
    assert findings(path) == []
    with Store.open(path) as store:
        assert len(store.events(match)) == 902


class Killed(BaseException):
    """In place of a kill."""


@pytest.mark.parametrize("step", range(12))
def test_a_kill_while_a_backup_is_put_back_loses_nothing(tmp_path, monkeypatch, step):
    left = tmp_path / "left"
    left.mkdir()
    with Store.open(tmp_path / "record.sqlite") as store:
        match = store.new_match()
        store.append(match, moved(1))
        back_up(store.path, left / "backup.sqlite")
        store.append(match, moved(9, 1))
        for part in ("", "-wal"):  # as a kill leaves them: the newest events are in the log
            shutil.copy(f"{store.path}{part}", left)
        shutil.copytree(Journal(store.path).folder, left / "record.sqlite.journal")
    record, steps = left / "record.sqlite", iter(range(step + 1))

    def stepping(act):
        def step(*given, **named):
            if next(steps, None) is None:
                raise Killed
            return act(*given, **named)

        return step

    with monkeypatch.context() as killed:
        killed.setattr("pathlib.Path.replace", stepping(type(record).replace))
        killed.setattr("pathlib.Path.unlink", stepping(type(record).unlink))
        killed.setattr("tableside.record.repair.sync_folder", stepping(lambda _: None))
        with contextlib.suppress(Killed):
            restore(left / "backup.sqlite", record)
    assert all(one.stat().st_nlink == 1 for one in left.iterdir() if one.is_file())
    with claimed(record) as store:
        events = store.events(match)
    assert findings(record) == []
    if events != tuple(moved(10)):
        assert events == tuple(moved(1)), "the backup, whole"
        (aside,) = left.glob("record.sqlite.replaced-*[0-9]")
        with Store.open_read_only(aside) as former:
            assert former.events(match) == tuple(moved(10))


def test_a_stray_file_in_the_journal_says_nothing_of_millions_of_matches(whole, record):
    stray = Journal(record).folder / "match-9000000.jsonl"
    stray.touch()
    assert findings(record) == []
    stray.write_text("{}\n")
    assert findings(record) == [
        "matches 4 to 9000000 are missing",
        "1 damaged lines in the journal record.sqlite.journal",
    ]
    assert rebuild(record).losses == (
        "match-9000000.jsonl is damaged at its end, so that something may be lost",
    )
    with claimed(record) as store:
        assert content(store) == whole[1]
    assert findings(record) == []


def test_a_record_is_one_by_whatever_link_it_is_given(record, tmp_path, capsys):
    link = tmp_path / "link.sqlite"
    link.symlink_to(record)
    with claimed(record):
        assert main(["record", "repair", "--record", str(link)]) == 1
    assert "another Tableside is recording" in capsys.readouterr().err
    assert main(["record", "check", "--record", str(link)]) == 0
    assert sorted(tmp_path.glob("link*")) == [link]


def remount(folder, how):
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def test_a_record_on_a_read_only_medium_can_be_read(tiny_disk, tmp_path, capsys):
    """Without SQLite's log; one that a kill left there holds events that are not in the file."""
    path, given = tiny_disk / "record.sqlite", ["--record", str(tiny_disk / "record.sqlite")]
    with Store.open(tmp_path / "record.sqlite") as store:
        store.append(store.new_match(), moved(3))
    shutil.copy(store.path, path)
    remount(tiny_disk, "ro")
    try:
        assert main(["record", "check", *given]) == 0
        assert main(["record", "backup", "--out", str(tmp_path / "copy.sqlite"), *given]) == 0
        out = ["--format", "json", "--out", str(tmp_path / "match.json")]
        assert main(["export", "last", *out, *given]) == 0
    finally:
        remount(tiny_disk, "rw")
    capsys.readouterr()
    with Store.open(store.path) as again:
        again.append(1, moved(1, 3))
        shutil.copy(f"{store.path}-wal", tiny_disk)
    remount(tiny_disk, "ro")
    try:
        assert main(["record", "check", *given]) == 1
    finally:
        remount(tiny_disk, "rw")
    assert "are in record.sqlite-wal; copy both files" in capsys.readouterr().err
