"""Candidates are known where nothing has changed: only what differs is read again."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import cv2
import numpy as np
import pytest

from tests.vision.conftest import clip_frames
from vision.dice.candidate_cache import CandidateCache
from vision.dice.candidates import find_candidates
from vision.dice.selection import SEARCH_MARGIN
from vision.dice.views import Box
from vision.reading.reader import Reader

BLANK, THROWN, PLAYED = 20, 29, 57
"""Pictures of the sample: before its first throw, with its dice at rest, after its first play."""


@pytest.fixture(scope="module")
def frames():
    return list(islice(clip_frames(), PLAYED + 1))


def noisy(frame, seed=1):
    """The picture with fresh noise, as from a camera in poor light."""
    noise = np.random.default_rng(seed).normal(0, 3, frame.image.shape)
    return replace(frame, image=np.clip(frame.image + noise, 0, 255).astype(np.uint8))


def dice_of(spots):
    kinds = [(int(spot.class_probabilities.argmax()), *np.round(spot.place, 2)) for spot in spots]
    return sorted(kind for kind in kinds if kind[0])


def test_dice_are_found_as_in_a_picture_of_which_nothing_is_known(adapted, frames):
    finder, pose = CandidateCache(), adapted.profile.pose
    for number in (BLANK, THROWN, PLAYED, BLANK, PLAYED):
        image = frames[number].image
        assert dice_of(finder.find(image, pose, SEARCH_MARGIN)) == dice_of(
            find_candidates(image, pose, SEARCH_MARGIN)
        )


def test_a_picture_that_differs_by_noise_alone_is_not_looked_at_again(adapted, frames):
    finder, pose = CandidateCache(), adapted.profile.pose
    first = finder.find(noisy(frames[BLANK]).image, pose, SEARCH_MARGIN)
    assert finder.find(noisy(frames[BLANK], seed=2).image, pose, SEARCH_MARGIN) is first


def test_dice_are_read_through_a_lens_that_is_out_of_focus(adapted, frames):
    pose, image = adapted.profile.pose, frames[THROWN].image
    sharp, soft = (
        CandidateCache().find(one, pose, SEARCH_MARGIN)
        for one in (image, cv2.GaussianBlur(image, (0, 0), 2.5))
    )
    for one, true in zip(dice_of(soft), dice_of(sharp), strict=True):
        assert one == pytest.approx(true, abs=0.015)
    surest = [max(spot.class_probabilities[1:7]) for spot in soft if spot.die_probability > 0.5]
    assert all(0.9 < chance < 0.99 for chance in surest)


def test_where_only_dice_came_the_checkers_stand_as_they_stood(adapted, frames):
    reader = Reader(adapted.profile)
    blank, thrown, played = (reader.read(frames[n]) for n in (BLANK, THROWN, PLAYED))
    assert thrown.counted is blank.counted
    assert len(thrown.observation.dice) == 2
    assert played.counted is not thrown.counted
    alone = Reader(adapted.profile).read(frames[PLAYED])
    assert (played.counted.counts == alone.counted.counts).all()
    assert (played.counted.most_likely != blank.counted.most_likely).any()


def test_where_dice_went_the_checkers_are_counted_again(adapted, frames):
    reader = Reader(adapted.profile)
    thrown, blank = (reader.read(frames[n]) for n in (THROWN, BLANK))
    assert blank.counted is not thrown.counted


def test_a_box_grows_within_the_picture():
    mask = np.zeros((64, 96), bool)
    assert Box.around(mask) is None
    mask[3, 20] = mask[10, 40] = True
    box = Box.around(mask)
    assert box == (20, 3, 41, 11)
    assert box.grown(12, mask) == (8, 0, 53, 23)
    assert box.grown(12, mask, 16) == (0, 0, 64, 32)
    assert box.grown(90, mask) == (0, 0, 96, 64)
    assert box.holds(np.array([(20.0, 3.0), (40.0, 10.0), (41.0, 5.0)])).tolist() == [1, 1, 0]
