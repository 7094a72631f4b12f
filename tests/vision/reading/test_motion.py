"""A hand over the rail, or anything that moves, keeps the board from being read."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.layout import Layout
from tests.vision.conftest import clip_frames
from tests.vision.drawn_dice import camera, scene
from vision.reading.motion import MIN_HAND_DISCS, MotionGate, MotionState
from vision.steady.steadier import Steadier, small_size


class SteadyGate:
    """A motion gate given whole frames, steadied as the watcher does."""

    def __init__(self, profile, **options):
        self.gate = MotionGate(profile.pose, profile.layout, **options)
        self.steadier = Steadier(profile.pose)
        self.matches = self.gate.matches

    def small(self, image):
        return self.steadier.process(image).picture

    def update(self, image, seconds):
        steady = self.steadier.process(image)
        if steady is None:  # most of the board is covered
            return MotionState(is_moving=True, has_hand=False)
        return self.gate.update(steady.picture, seconds)


def views(adapted):
    gate = SteadyGate(adapted.profile)
    return [gate.update(frame.image, frame.seconds) for frame in clip_frames()]


def test_every_play_is_seen_busy_and_then_open(adapted, clip_truth):
    seen = views(adapted)
    ins = [e["frame"] for e in clip_truth if e["event"] == "hand_in"]
    outs = [e["frame"] for e in clip_truth if e["event"] == "hand_out"]

    assert len(ins) == len(outs) == 10
    for start, end in zip(ins, outs, strict=True):
        assert not any(view.is_open for view in seen[start:end])
        assert any(view.is_open for view in seen[end : end + 8])


def test_a_still_hand_that_passed_for_an_open_view_is_no_hand_where_it_is_gone(adapted):
    # A dark sleeve on a dark rail looks the same, so the hand seems to end at the rail.
    gate = SteadyGate(adapted.profile)
    board = next(clip_frames()).image
    ghost = board.copy()
    height, width = ghost.shape[:2]
    ghost[height // 4 :, width // 2 : width // 2 + 120] = (120, 150, 200)
    seen = [gate.update(board, step / 12) for step in range(6)]
    assert seen[-1].is_open
    gate.gate._open = gate.small(ghost)
    gate.gate._previous_open = gate.small(board)
    seen = [gate.update(board, 1 + step / 12) for step in range(6)]
    assert seen[-1].is_open
    seen = [gate.update(ghost, 2 + step / 12) for step in range(6)]
    assert not seen[-1].is_open


def with_hand(board, right):
    height, width = board.shape[:2]
    image = board.copy()
    image[height // 4 :, width // 2 + right : width // 2 + right + 120] = (120, 150, 200)
    return image


def shown(gate, pictures, began):
    """The views of these pictures, each shown for half a second."""
    steps = [(image, began + (6 * n + step) / 12) for n, image in enumerate(pictures)
             for step in range(7)]  # fmt: skip
    return [gate.update(*one) for one in steps][6::7]


def test_a_hand_in_the_first_view_after_a_search_does_not_close_the_board_for_long(adapted):
    board = next(clip_frames()).image
    gate = SteadyGate(adapted.profile, moved_at=0.0)
    gate.update(with_hand(board, 0), 0.0)
    opened = [gate.update(board, step / 12).is_open for step in range(1, 13)]
    assert opened[-1]
    views = shown(gate, [with_hand(board, 60), board, with_hand(board, -80)], 1.2)
    assert [view.is_open for view in views][1:] == [True, False]


def test_fingers_where_the_picture_ends_are_a_hand(adapted):
    image, pose = next(clip_frames()).image, adapted.profile.pose
    height, width = image.shape[:2]
    down = np.array([0.0, height - 24 - pose.corners()[:, 1].max()])
    low = pose.moved_to(np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float), pose.corners() + down)
    move = np.array([[1, 0, 0], [0, 1, down[1]]], np.float32)
    board = cv2.warpAffine(image, move, (width, height))
    fingers = board.copy()
    fingers[-60:, width // 2 - 160 : width // 2 - 100] = (120, 150, 200)
    gate = SteadyGate(replace(adapted.profile, pose=low))
    assert [view.is_open for view in shown(gate, [board, fingers, board], 0.0)] == [
        True,
        False,
        True,
    ]


RADIUS = 0.46 * Layout().point_width
FAR = 1 - RADIUS / camera(40.0).aspect
BORNE_OFF = 1 + 0.9 * RADIUS


@pytest.mark.parametrize(
    "places",
    [
        [(Layout().point_x(point), FAR) for point in range(20, 24)],
        [(BORNE_OFF - 2 * RADIUS, 0.3), (BORNE_OFF, 0.3), (BORNE_OFF, 0.4)],
    ],
    ids=["at the far rail", "from the last point to a tray"],
)
def test_checkers_moved_beside_each_other_are_no_hand(places):
    """From a low camera some appear beyond the felt, and their places touch each other."""
    pose, layout = camera(40.0), Layout()
    row = [(x, y, RADIUS) for x, y in places]
    gate, steadier = MotionGate(pose, layout), Steadier(pose)
    for image, began in ((scene(pose), 0.0), (scene(pose, checkers=row), 1.0)):
        for step in range(6):
            picture = steadier.process(image).picture
            view = gate.update(picture, began + step / 12)
    assert view.is_open


def test_what_lies_where_it_lay_is_no_hand_though_hands_play_beside_it(adapted):
    board = next(clip_frames()).image
    gate = SteadyGate(adapted.profile)
    resting = with_hand(board, 250)
    shown(gate, [board], 0.0)
    pictures = [resting, with_hand(resting, -200)] * 7
    views = shown(gate, pictures, 1.0)
    assert not any(view.is_open for view in views[:4])
    assert views[12].is_open
    assert not views[13].is_open


def test_a_picture_shows_the_same_but_for_noise(adapted):
    gate = SteadyGate(adapted.profile)
    board = next(clip_frames()).image
    gate.update(board, 0)
    before = gate.gate.picture
    assert before is not None
    noise = np.random.default_rng(3).normal(0, 4, board.shape)
    gate.update(np.clip(board + noise, 0, 255).astype(np.uint8), 1)
    assert gate.matches(before)
    x, y = adapted.profile.pose.project(np.array([[0.3, 0.5]]))[0].astype(int)
    with_die = board.copy()
    with_die[y - 10 : y + 10, x - 10 : x + 10] = (255, 255, 255)
    gate.update(with_die, 2)
    assert not gate.matches(before)


def test_a_hand_that_hardly_counts_as_one_does_not_come_and_go_with_the_light(adapted):
    gate, board = SteadyGate(adapted.profile), next(clip_frames()).image
    width, _ = small_size(adapted.profile.pose)
    near = int(adapted.profile.pose.corners()[:, 1].max())
    least = MIN_HAND_DISCS * gate.gate._disc_area * (board.shape[1] / width) ** 2

    def fingers(share):
        """Over the near rail, of `share` times a hand's smallest size."""
        image = board.copy()
        image[near + 30 - int(share * least / 80) : near + 30, 600:680] = 255
        return image

    fading = [fingers(share) for share in (1.1, 1.05, 1.0, 0.95, 0.9, 0.85)]
    views = shown(gate, [board, *fading, board], 0.0)
    assert [view.is_open for view in views] == [True, *[False] * 6, True]
    views = shown(SteadyGate(adapted.profile), [board, fingers(0.75)], 0.0)
    assert [view.is_open for view in views] == [True, True]


def test_a_sleeve_that_does_not_show_on_the_rail_is_a_hand_by_its_size(adapted):
    board = next(clip_frames()).image
    x, y = np.rint(adapted.profile.pose.corners().mean(axis=0)).astype(int)
    arm, checkers = board.copy(), board.copy()
    arm[y - 120 : y + 120, x - 200 : x + 200] = (120, 150, 200)
    checkers[y - 20 : y + 20, x - 120 : x + 120] = (120, 150, 200)
    for picture, is_open in ((arm, False), (checkers, True)):
        views = shown(SteadyGate(adapted.profile), [board, picture, board], 0.0)
        assert [view.is_open for view in views] == [True, is_open, True]
