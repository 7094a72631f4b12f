"""Each event finds the picture of its moment, and few pictures are encoded for it."""

import cv2
import numpy as np
import pytest

from engine.events.match import DiceVoid, TurnEnded
from engine.position import Side
from tableside.review.stills import LOOKS, WIDTH, StillKeeper, temporary_stills
from tests.tableside.record.looked_at import BOARD, DOUBTED, ROLL, at, look


@pytest.fixture
def stills(tmp_path):
    return StillKeeper(tmp_path / "stills")


def see(stills, frame, *values, **more):
    stills.see(*look(frame, *values, **more))


def test_an_event_has_the_look_that_decided_it_and_what_was_read_there(stills):
    see(stills, 24, 3, 1)
    stills.keep([ROLL])
    see(stills, 48)
    stills.keep([DOUBTED])
    throw, board = stills.of(ROLL), stills.of(DOUBTED)
    assert (throw.frame, board.frame) == (24, 48)
    assert throw.dice == (3, 1)
    assert [mark.text for mark in throw.dice_marks] == ["3", "1"]
    (count,) = [mark for mark in throw.marks if mark.kind == "light"]
    assert (count.text, count.sure) == ("5", 1.0)
    picture = cv2.imdecode(np.frombuffer(stills.jpeg(throw), np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == BOARD.shape


def test_nothing_is_encoded_for_looks_that_decide_nothing(stills):
    for frame in range(40):
        see(stills, frame)
    stills.keep([at(TurnEnded, 39, player=Side.LIGHT)])
    assert not stills.folder.exists()


def test_the_same_picture_told_again_is_one_still(stills):
    frame, reading = look(24, 3, 1)
    stills.see(frame, reading)
    stills.keep([ROLL])
    later, again = look(40)
    stills.see(later, type(reading)(again.observation, reading.counted, reading.grid))
    stills.keep([at(DiceVoid, 40, player=Side.LIGHT, reason="cocked", dice=(3, 1))])
    assert len(list(stills.folder.glob("*.jpg"))) == 1
    assert stills.of(at(DiceVoid, 40, player=Side.LIGHT, reason="split", dice=(3, 1))).until == 40


def test_a_throw_is_shown_with_its_dice_where_nothing_but_them_came_to_the_board(stills):
    frame, before = look(12)
    stills.see(frame, before)
    thrown, after = look(26, image=np.full_like(BOARD, 200))
    stills.see(thrown, type(before)(after.observation, before.counted, before.grid))
    stills.keep([ROLL])
    moment = stills.of(ROLL)
    assert moment.frame == ROLL.frame
    picture = cv2.imdecode(np.frombuffer(stills.jpeg(moment), np.uint8), cv2.IMREAD_COLOR)
    assert picture.min() > 190


def test_a_void_throw_is_shown_as_it_lay_and_not_the_throw_that_followed(stills):
    see(stills, 24, 4, 4)
    see(stills, 30)
    see(stills, 36, 6, 2)
    void = at(DiceVoid, 36, player=Side.DARK, reason="cocked", dice=(4, None))
    stills.keep([void])
    assert stills.of(void).frame == 24


def test_an_event_of_a_moment_nobody_kept_has_a_near_still_or_none(stills):
    see(stills, 48)
    stills.keep([DOUBTED])
    assert stills.of(at(DiceVoid, 60, player=Side.DARK, reason="split", dice=(1, 1))).frame == 48
    assert stills.of(at(DiceVoid, 600, player=Side.DARK, reason="split", dice=(1, 1))) is None
    assert stills.of(ROLL) is None


def test_few_looks_wait_in_memory_and_large_ones_are_made_small(stills):
    large = np.zeros((1080, 1920, 3), np.uint8)
    for frame in range(24, 24 + 3 * LOOKS):
        see(stills, frame, image=large)
    assert len(stills._looks) == LOOKS
    stills.keep([at(type(DOUBTED), 60, player=Side.DARK, dice=None, play="", position=None)])
    moment = stills.of(at(DiceVoid, 60, player=Side.DARK, reason="split", dice=(1, 1)))
    assert moment.size == (WIDTH, 720)


def test_a_later_run_goes_on_with_the_stills_of_one_that_was_killed(stills):
    see(stills, 24, 3, 1)
    stills.keep([ROLL])
    with (stills.folder / "moments.jsonl").open("a") as index:
        index.write('\n{"frame": 48, "unt')
    again = StillKeeper(stills.folder)
    assert again.of(ROLL) == stills.of(ROLL)
    see(again, 48)
    again.keep([DOUBTED])
    assert StillKeeper(stills.folder).of(DOUBTED).frame == 48


def test_a_disk_that_takes_no_still_is_told_and_stops_nothing(tmp_path):
    (tmp_path / "stills").write_text("in the way")
    stills = StillKeeper(tmp_path / "stills")
    see(stills, 24, 3, 1)
    stills.keep([ROLL])
    assert "cannot be kept" in str(stills.fault)
    assert stills.of(ROLL) is None


def test_stills_that_nobody_needs_go_and_what_is_not_ours_stays(stills):
    see(stills, 24, 3, 1)
    stills.keep([ROLL])
    (stills.folder / "mine.jpg").write_bytes(b"mine")
    stills.remove()
    assert [path.name for path in stills.folder.iterdir()] == ["mine.jpg"]
    (stills.folder / "mine.jpg").unlink()
    stills.remove()
    assert not stills.folder.exists()


def test_stills_of_one_run_are_gone_with_it_and_so_are_those_of_a_killed_one(stills):
    see(stills, 24, 3, 1)
    stills.keep([ROLL])
    (stills.folder / "000048.jpg").write_bytes(b"half a pic")
    with temporary_stills(stills.folder) as fresh:
        assert fresh.of(ROLL) is None
        assert not stills.folder.exists()
        see(fresh, 24, 3, 1)
        fresh.keep([ROLL])
        assert fresh.of(ROLL) is not None
    assert not stills.folder.exists()


def test_a_void_throw_whose_dice_were_read_otherwise_is_shown_by_the_newest_look(stills):
    see(stills, 24, 4, 4)
    stills.keep([ROLL])
    for frame in range(600, 600 + LOOKS):
        see(stills, frame, 6, 2)
    void = at(DiceVoid, 610, player=Side.DARK, reason="cocked", dice=(4, 4))
    stills.keep([void])
    assert stills.of(void).frame == 600 + LOOKS - 1
