"""Blender draws what the ray caster draws: the same things at the same pixels."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

cycles = pytest.importorskip("vision.training.render.cycles", reason="bpy is not installed")

from vision.training.render import raycast as rc  # noqa: E402
from vision.training.scenes.scenes import make_scene  # noqa: E402


@pytest.mark.parametrize("seed", [3, 8])
def test_both_draw_the_same_scene(seed):
    scene = make_scene(np.random.default_rng(seed), pairs=6, close=True)
    pose = replace(scene.pose, radial=0.0).resized(
        (480, 480 * scene.pose.size[1] // scene.pose.size[0])
    )
    corners = pose.corners()
    board = (*corners.min(axis=0).astype(int), *corners.max(axis=0).astype(int))

    by_rays = grey(rc.render(scene.world, pose, board, 8, 1))
    by_paths = grey(cycles.render(scene.world, pose, board, 16, 1))

    alike = [np.corrcoef(by_rays.ravel(), shifted(by_paths, step).ravel())[0, 1] for step in STEPS]
    assert alike[0] == max(alike)
    assert alike[0] > 0.8


STEPS = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]


def grey(light):
    shown = np.clip(light / np.percentile(light, 95), 0, 1) ** (1 / 2.2)
    return cv2.GaussianBlur(shown.mean(axis=2), (3, 3), 0)


def shifted(picture, step):
    return np.roll(picture, step, (0, 1))
