"""Each event finds the picture of its moment, and few pictures are encoded for it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.events.match import DiceVoid, TurnEnded
from engine.position import Side
from tableside.review.stills import (
    INDEX,
    MAX_UNCODED,
    MAX_WIDTH,
    StillKeeper,
    damaged_stills,
    stills_in,
    temporary_stills,
)
from tests.tableside.record.looked_at import BOARD, DOUBTED, ROLL, at, look


@pytest.fixture
def stills(tmp_path):
    return StillKeeper(tmp_path / "stills")


def show(stills, frame, *values, **more):
    stills.add_frame(*look(frame, *values, **more))


def test_an_event_has_the_picture_that_decided_it_and_its_readings(stills):
    show(stills, 24, 3, 1)
    stills.keep([ROLL])
    show(stills, 48)
    stills.keep([DOUBTED])
    throw, board = stills.still_of(ROLL), stills.still_of(DOUBTED)
    assert (throw.frame, board.frame) == (24, 48)
    assert throw.dice == (3, 1)
    assert [mark.text for mark in throw.dice_marks] == ["3", "1"]
    (count,) = [mark for mark in throw.marks if mark.kind == "light"]
    assert (count.text, count.sure) == ("5", 1.0)
    picture = cv2.imdecode(np.frombuffer(stills.jpeg(throw), np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == BOARD.shape


def test_pictures_that_decide_nothing_are_not_encoded(stills):
    for frame in range(40):
        show(stills, frame)
    stills.keep([at(TurnEnded, 39, player=Side.LIGHT)])
    assert not stills.folder.exists()


def test_the_same_picture_needed_twice_is_one_still(stills):
    frame, reading = look(24, 3, 1)
    stills.add_frame(frame, reading)
    stills.keep([ROLL])
    later, again = look(40)
    stills.add_frame(later, type(reading)(again.observation, reading.counted, reading.grid))
    stills.keep([at(DiceVoid, 40, player=Side.LIGHT, reason="cocked", dice=(3, 1))])
    assert len(list(stills.folder.glob("*.jpg"))) == 1
    assert (
        stills.still_of(at(DiceVoid, 40, player=Side.LIGHT, reason="split", dice=(3, 1))).until
        == 40
    )


def test_a_throw_is_shown_with_its_dice_where_nothing_but_them_came_to_the_board(stills):
    frame, before = look(12)
    stills.add_frame(frame, before)
    thrown, after = look(26, image=np.full_like(BOARD, 200))
    stills.add_frame(thrown, type(before)(after.observation, before.counted, before.grid))
    stills.keep([ROLL])
    moment = stills.still_of(ROLL)
    assert moment.frame == ROLL.frame
    picture = cv2.imdecode(np.frombuffer(stills.jpeg(moment), np.uint8), cv2.IMREAD_COLOR)
    assert picture.min() > 190


def test_a_void_throw_is_shown_as_it_lay_and_not_the_throw_that_followed(stills):
    show(stills, 24, 4, 4)
    show(stills, 30)
    show(stills, 36, 6, 2)
    void = at(DiceVoid, 36, player=Side.DARK, reason="cocked", dice=(4, None))
    stills.keep([void])
    assert stills.still_of(void).frame == 24


def test_an_event_of_a_moment_nobody_kept_has_a_near_still_or_none(stills):
    show(stills, 48)
    stills.keep([DOUBTED])
    assert (
        stills.still_of(at(DiceVoid, 60, player=Side.DARK, reason="split", dice=(1, 1))).frame == 48
    )
    assert stills.still_of(at(DiceVoid, 600, player=Side.DARK, reason="split", dice=(1, 1))) is None
    assert stills.still_of(ROLL) is None


def test_few_pictures_wait_in_memory_and_large_ones_are_shrunk(stills):
    large = np.zeros((1080, 1920, 3), np.uint8)
    for frame in range(24, 24 + 3 * MAX_UNCODED):
        show(stills, frame, image=large)
    assert len(stills._uncoded) == MAX_UNCODED
    stills.keep([at(type(DOUBTED), 60, player=Side.DARK, dice=None, play="", position=None)])
    moment = stills.still_of(at(DiceVoid, 60, player=Side.DARK, reason="split", dice=(1, 1)))
    assert moment.size == (MAX_WIDTH, 720)


def test_a_later_run_goes_on_with_the_stills_of_one_that_was_killed(stills):
    show(stills, 24, 3, 1)
    stills.keep([ROLL])
    with (stills.folder / "moments.jsonl").open("a") as index:
        index.write('\n{"frame": 48, "unt')
    again = StillKeeper(stills.folder)
    assert again.still_of(ROLL) == stills.still_of(ROLL)
    show(again, 48)
    again.keep([DOUBTED])
    assert StillKeeper(stills.folder).still_of(DOUBTED).frame == 48


def test_a_still_that_cannot_be_written_is_reported_and_stops_nothing(tmp_path):
    (tmp_path / "stills").write_text("in the way")
    stills = StillKeeper(tmp_path / "stills")
    show(stills, 24, 3, 1)
    stills.keep([ROLL])
    assert "cannot be saved" in str(stills.fault)
    assert stills.still_of(ROLL) is None


def test_stills_that_nobody_needs_go_and_what_is_not_ours_stays(stills):
    show(stills, 24, 3, 1)
    stills.keep([ROLL])
    (stills.folder / "mine.jpg").write_bytes(b"mine")
    stills.remove()
    assert [path.name for path in stills.folder.iterdir()] == ["mine.jpg"]
    (stills.folder / "mine.jpg").unlink()
    stills.remove()
    assert not stills.folder.exists()


def test_stills_of_one_run_are_gone_with_it_and_so_are_those_of_a_killed_one(stills):
    show(stills, 24, 3, 1)
    stills.keep([ROLL])
    (stills.folder / "000048.jpg").write_bytes(b"half a pic")
    with temporary_stills(stills.folder) as fresh:
        assert fresh.still_of(ROLL) is None
        assert not stills.folder.exists()
        show(fresh, 24, 3, 1)
        fresh.keep([ROLL])
        assert fresh.still_of(ROLL) is not None
    assert not stills.folder.exists()


def test_a_void_throw_whose_dice_were_read_otherwise_has_the_newest_picture(stills):
    show(stills, 24, 4, 4)
    stills.keep([ROLL])
    for frame in range(600, 600 + MAX_UNCODED):
        show(stills, frame, 6, 2)
    void = at(DiceVoid, 610, player=Side.DARK, reason="cocked", dice=(4, 4))
    stills.keep([void])
    assert stills.still_of(void).frame == 600 + MAX_UNCODED - 1


def test_no_bit_that_flips_in_the_index_shows_another_still(stills):
    show(stills, 24, 3, 1)
    stills.keep([ROLL])
    whole = (stills.folder / INDEX).read_bytes()
    (kept,) = stills_in(whole.decode())
    other = []
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        found = stills_in(flipped.decode(errors="replace"))
        other += [still for still in found if still != kept]
    assert other == []


def test_stills_of_an_older_version_have_no_checksum_and_are_read(stills):
    show(stills, 24, 3, 1)
    stills.keep([ROLL])
    index = stills.folder / INDEX
    _, line, checksum = index.read_text().split("\n")
    index.write_text(f"\n{line}")
    assert "crc32" in checksum
    assert StillKeeper(stills.folder).still_of(ROLL) == stills.still_of(ROLL)


def test_damaged_entries_and_pictures_are_counted(stills):
    assert damaged_stills(stills.folder) == 0
    for place, frame in enumerate((24, 60)):
        show(stills, frame, 3, 1 + place)
        stills.keep([replace(ROLL, frame=frame, time=frame / 12, dice=(3, 1 + place))])
    assert damaged_stills(stills.folder) == 0
    index, (picture, _) = stills.folder / INDEX, sorted(stills.folder.glob("*.jpg"))
    index.write_text(index.read_text().replace('"frame":60', '"frame":61'))
    assert damaged_stills(stills.folder) == 1
    picture.write_bytes(picture.read_bytes()[:-100])
    assert damaged_stills(stills.folder) == 2
    index.write_text("")
    assert StillKeeper(stills.folder).still_of(ROLL) is None
