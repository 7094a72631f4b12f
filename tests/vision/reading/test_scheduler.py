"""Dice are read at a glance before it is certain that nothing moves; nothing else is."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import cv2
import numpy as np
import pytest

from engine import Motion, Observation
from tests.vision.conftest import clip_frames
from vision.reading.scheduler import BoardWatcher
from vision.sources.frame import Frame


@pytest.fixture(scope="module")
def throw():
    """The sample up to the first look at its first throw, which is at rest from frame 26 on."""
    return list(islice(clip_frames(), 30))


def faces(dice):
    return sorted(max(range(6), key=die.faces.__getitem__) + 1 for die in dice)


def test_dice_are_read_before_the_look_at_them(adapted, throw):
    watch = BoardWatcher(adapted.profile)
    watch.wants_early_dice = True
    seen = [(watch.process(frame), faces(watch.dice)) for frame in throw]
    first = next(n for n, (_, dice) in enumerate(seen) if dice)
    look = next(n for n, (one, _) in enumerate(seen) if n > 26 and isinstance(one, Observation))
    assert 26 < first < look
    assert all(isinstance(one, Motion) for one, _ in seen[first:look])
    assert all(dice == [2, 5] for _, dice in seen[first:])


def test_dice_that_roll_while_the_board_is_found_again_are_not_read(adapted, throw):
    rolling = throw[25:]
    watch = BoardWatcher(adapted.profile, moved_at=rolling[0].seconds)
    looks = [one for one in map(watch.process, rolling) if isinstance(one, Observation)]
    assert [faces(one.dice) for one in looks] == [[2, 5]]
    assert looks[0].frame == 29


def test_where_nobody_waits_for_them_they_are_not_glanced_at(adapted, throw):
    watch, other = BoardWatcher(adapted.profile), BoardWatcher(adapted.profile)
    other.wants_early_dice = True
    for frame in throw:
        one, two = watch.process(frame), other.process(frame)
        assert type(one) is type(two)
        if isinstance(one, Observation):
            assert faces(one.dice) == faces(two.dice)  # read at the glance if that came first
            assert (one.counts == two.counts).all()
        assert watch.dice == (() if watch.reading is None else watch.reading.observation.dice)


def test_a_glance_that_shows_one_die_is_not_used(adapted, throw, opening_image):
    watch = BoardWatcher(adapted.profile)
    watch.wants_early_dice = True
    for frame in throw[:29]:
        image = frame.image.copy()
        image[255:320, 700:770] = opening_image[255:320, 700:770]  # where the 5 lies
        watch.process(replace(frame, image=image))
    assert watch.dice == ()


def with_one_die(throw, opening_image):
    """The starting position and the 5 of the throw: it is too small to count as motion."""
    image = opening_image.copy()
    image[255:320, 700:770] = throw[29].image[255:320, 700:770]
    return image


def watched(adapted, frames):
    """What a watcher makes of (seconds, picture) pairs."""
    watch = BoardWatcher(adapted.profile)
    return [watch.process(Frame(image, n, at)) for n, (at, image) in enumerate(frames)]


def test_a_die_that_was_not_there_a_frame_ago_is_looked_at_again(adapted, throw, opening_image):
    lying = with_one_die(throw, opening_image)
    shown = [opening_image, lying, lying]
    looks = watched(adapted, [(0.5 * n, image) for n, image in enumerate(shown)])
    assert isinstance(looks[1], Motion)
    assert faces(looks[2].dice) == [5]


def test_dice_whose_throw_was_no_motion_are_seen_soon(adapted, throw, opening_image):
    lying = with_one_die(throw, opening_image)
    shown = [opening_image] * 12 + [lying] * 6
    looks = watched(adapted, [(n / 12, image) for n, image in enumerate(shown)])
    told = [look for look in looks if isinstance(look, Observation)]
    assert [faces(look.dice) for look in told] == [[], [], [5]]


def knocked(image):
    return cv2.warpAffine(image, np.array([[1.0, 0, 30], [0, 1, -25]]), image.shape[1::-1])


def with_arm(image):
    """Most of the picture is covered by something else."""
    arm = cv2.resize(np.random.default_rng(1).uniform(0, 255, (90, 110, 3)), (900, 720))
    return np.concatenate([arm.astype(np.uint8), image[:, 900:]], axis=1)


def with_palm(image):
    """Something covers the picture, without an edge."""
    corners = np.array([[60, 90], [40, 80]], np.uint8)
    return cv2.merge([cv2.resize(corners, image.shape[1::-1])] * 3)


@pytest.mark.parametrize("covered", [with_arm, with_palm])
def test_a_board_that_is_knocked_and_then_covered_is_read_again(adapted, opening_image, covered):
    """What covers the board right after the knock must not become the reference."""
    pictures = [opening_image] * 8 + [knocked(opening_image)] * 20
    watch = BoardWatcher(adapted.profile)
    times = iter(range(1000))

    def look(picture):
        now = next(times)
        return watch.process(Frame(picture, now, now / 12))

    for picture in pictures:
        look(picture)
        if np.abs(watch.profile.pose.corners() - adapted.profile.pose.corners()).max() > 20:
            break  # the knock was tracked
    else:
        pytest.fail("the knock was not followed")
    look(covered(knocked(opening_image)))
    seen = [look(knocked(opening_image)) for _ in range(72)]
    assert any(isinstance(one, Observation) for one in seen)
    assert watch.obstacle is None
