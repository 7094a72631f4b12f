"""A board that is bumped is tracked; one that is shoved or turned is searched for."""

from dataclasses import replace
from itertools import islice

import cv2
import numpy as np
import pytest

from engine import Motion, Observation
from tests.vision.conftest import clip_frames
from vision.board.tracking import BoardTracker
from vision.reading.scheduler import BOARD_LOST, BoardWatcher
from vision.sources.frame import Frame


def nudge(right=0.0, down=0.0, degrees=0.0):
    move = cv2.getRotationMatrix2D((640, 360), degrees, 1.0)
    move[:, 2] += right, down
    return move


def nudged(image, move):
    return cv2.warpAffine(image, move, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)


@pytest.fixture
def tracker(adapted, opening_image):
    tracker = BoardTracker(adapted.profile.pose, adapted.profile.layout)
    assert tracker.track(opening_image) is adapted.profile.pose
    return tracker


def test_a_board_that_lies_still_keeps_its_pose_through_plays_and_hands(tracker, adapted):
    poses = {id(tracker.track(frame.image)) for frame in islice(clip_frames(), 0, 130, 5)}
    assert poses == {id(adapted.profile.pose)}


@pytest.mark.parametrize("move", [nudge(5), nudge(-12, 16, 1), nudge(30, -25, 3)])
def test_a_bump_is_followed_to_the_pixel(tracker, adapted, opening_image, move):
    pose = tracker.track(nudged(opening_image, move))
    true = cv2.transform(adapted.profile.pose.corners()[None], move)[0]
    assert np.linalg.norm(pose.corners() - true, axis=1).max() < 1.0
    assert tracker.track(nudged(opening_image, move)) is pose


@pytest.mark.parametrize("move", [nudge(0, 0, 180), nudge(150, 20, -30)])
def test_a_shove_is_not_followed(tracker, opening_image, move):
    assert tracker.track(nudged(opening_image, move)) is None


def test_one_half_of_a_board_that_is_bumped_does_not_pass_for_the_whole(tracker, opening_image):
    image = opening_image.copy()
    image[:, 640:] = nudged(opening_image, nudge(6, 6))[:, 640:]
    assert tracker.track(image) is None


def looks(watch, move, frames):
    for frame in frames:
        image = frame.image if move is None else nudged(frame.image, move)
        yield frame, watch.process(replace(frame, image=image))


@pytest.mark.parametrize("move", [nudge(9, -6, 1), nudge(110, 15, -7), nudge(-7, 8, 180)])
def test_after_any_move_the_same_position_is_read(adapted, move):
    """Frames 10 to 22 show the starting position before the first throw, no hand near; it stays."""
    frames = list(islice(clip_frames(), 23))
    frames += [replace(frames[n], index=n + 10, seconds=(n + 10) / 12) for n in range(13, 23)]
    watch = BoardWatcher(adapted.profile)
    before = [look for _, look in looks(watch, None, frames[:10])]
    after = list(looks(watch, move, frames[10:]))
    known = next(look for look in reversed(before) if isinstance(look, Observation))
    again = next((f, look) for f, look in after if isinstance(look, Observation))
    assert (again[1].counts.argmax(1)[:24] == known.counts.argmax(1)[:24]).all()
    assert again[0].seconds - frames[10].seconds < 2
    assert watch.message is None


@pytest.mark.parametrize("size", [(640, 360), (1920, 1080), (854, 480)])
def test_a_picture_of_another_size_is_looked_through_for_the_board(adapted, size):
    frames = list(islice(clip_frames(), 23))
    watch = BoardWatcher(adapted.profile)
    for frame in frames[:10]:
        watch.process(frame)
    before = watch.reading.counted.most_likely
    resized = [replace(frame, image=cv2.resize(frame.image, size)) for frame in frames[10:]]
    assert isinstance(watch.process(resized[0]), Motion)
    assert f"the camera now sends {size[0]}x{size[1]} pixels" in str(watch.message)
    assert not watch.is_open
    looks = [watch.process(frame) for frame in resized[1:]]
    assert any(isinstance(look, Observation) for look in looks)
    assert watch.message is None
    assert watch.profile.pose.size == size
    assert (watch.reading.counted.most_likely == before).all()
    assert not watch.has_moved()


def test_while_the_board_is_gone_nothing_is_read_and_the_reason_is_shown(adapted):
    watch = BoardWatcher(adapted.profile)
    frames = list(islice(clip_frames(), 23))
    list(looks(watch, None, frames[:10]))
    table = np.full_like(frames[0].image, 90)
    seen = [watch.process(replace(frame, image=table)) for frame in frames[10:]]
    assert all(isinstance(look, Motion) for look in seen)
    assert watch.message == BOARD_LOST


def test_a_board_that_lies_still_is_looked_at_twice_at_once_and_twice_later(adapted, opening_image):
    watch = BoardWatcher(adapted.profile)
    seen = [watch.process(Frame(opening_image, n, n / 12)) for n in range(12 * 9)]
    times = [one.seconds for one in seen if isinstance(one, Observation)]

    assert len(times) == 4
    assert times[1] - times[0] < 0.5
    assert times[3] - times[0] > 4


def test_a_board_that_was_read_without_doubt_is_not_read_again_while_it_looks_the_same(
    adapted, opening_image
):
    watch = BoardWatcher(adapted.profile)
    shown = [opening_image] * 24 + [nudged(opening_image, nudge(60, 20, 4))] * 24
    readings = []
    for n, image in enumerate(shown):
        if isinstance(watch.process(Frame(image, n, n / 12)), Observation):
            readings.append((watch.is_idle, watch.reading.counted))
    (_, first), (is_idle, second), *_, (_, last) = readings
    assert second is first
    assert is_idle
    assert last is not first
