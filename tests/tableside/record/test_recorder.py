"""Only what is on disk may be shown; a full disk delays events but loses none."""

import pytest

from engine import GameStart, PlayMade, Side
from engine.rules import SHORT
from tableside.errors import StoreError
from tableside.record.recorder import Recorder, WriterLock
from tableside.record.store import Store

START = GameStart(time=0, frame=0, position=SHORT.opening(), light="Ann", dark="Bob", length=3)


def play(frame):
    return PlayMade(
        time=frame / 10, frame=frame, player=Side.LIGHT, dice=(3, 1), play="8/5 6/5",
        position=SHORT.opening(),
    )  # fmt: skip


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        yield store


@pytest.fixture
def recorder(store):
    return Recorder(store, store.new_match(light="Ann", dark="Bob", length=3))


def limit(store, pages):
    store._connection.execute(f"PRAGMA max_page_count = {pages}")


def fill(store, recorder):
    limit(store, 1)
    recorder.keep([play(frame) for frame in range(200)])


def test_a_match_knows_its_players_before_anything_happened(recorder):
    assert (recorder.state.light, recorder.state.dark, recorder.state.length) == ("Ann", "Bob", 3)


def test_what_is_kept_is_in_the_record_and_in_the_state(store, recorder):
    recorder.keep([START])
    assert store.events(recorder.match) == (START,)
    assert recorder.state.games == 1


def test_a_full_disk_is_reported_and_unwritten_events_are_not_shown(store, recorder):
    recorder.keep([START])
    fill(store, recorder)
    assert "nothing recorded is lost" in str(recorder.fault)
    assert recorder.events == [START]
    assert recorder.state.turns == ()


def test_with_room_again_everything_is_written_in_its_order(store, recorder):
    recorder.keep([START])
    fill(store, recorder)
    recorder.keep([play(1000)])
    limit(store, 100_000)
    assert recorder.flush()
    assert recorder.fault is None
    frames = [event.frame for event in store.events(recorder.match)]
    assert frames == [0, *range(200), 1000]


def test_finishing_on_a_full_disk_is_an_error_that_counts_the_lost_events(store, recorder):
    fill(store, recorder)
    with pytest.raises(StoreError, match="the newest 200 events were not saved"):
        recorder.finish()


def test_only_one_program_records_to_a_file(tmp_path):
    record = tmp_path / "record.sqlite"
    first = WriterLock(record)
    with pytest.raises(StoreError, match="another Tableside is recording to"):
        WriterLock(record)
    first.release()
    WriterLock(record).release()


def test_a_disk_that_takes_no_mark_does_not_keep_a_match_from_being_recorded(tmp_path, caplog):
    with Store.open(tmp_path / "record.sqlite") as store:
        (tmp_path / "record.sqlite.recording").mkdir()  # cannot be written as a file
        assert Recorder(store, store.new_match()).match == 1
    assert "cannot be written" in caplog.text


def test_text_in_the_file_of_the_lock_is_kept_aside_and_locks_nothing(tmp_path):
    record = tmp_path / "record.sqlite"
    (tmp_path / "record.sqlite.lock").write_text("somebody's notes\n" * 200)
    WriterLock(record).release()
    WriterLock(record).release()
    (kept,) = tmp_path.glob("record.sqlite.lock.damaged-*")
    assert kept.read_text() == "somebody's notes\n" * 200
