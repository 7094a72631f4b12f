"""A scene filmed frame by frame, of which only what changes is drawn again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image, Ints, Mask
from tests.tableside.match.film_set import FilmSet
from vision.training.render import raycast as rc

RAYS = 1
"""For each pixel."""
PENUMBRA_PX = 14
"""Around what is drawn again: the lamp is not a point, so that shadows have soft edges."""
CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


def exposure_of(light: Floats32) -> float:
    """The gain under which (H, W, 3) linear light makes a picture that is neither pale nor dark."""
    return float(0.75 / np.percentile(light, 97))


def developed(light: Floats32, exposure: float) -> Image:
    """The picture that a camera makes of linear light."""
    seen = np.power(np.clip(light * exposure, 0, 1), 1 / 2.2) * 255
    return np.asarray(cv2.GaussianBlur(seen, (0, 0), 0.6) + 0.5, np.uint8)


class SceneFilm:
    """Draws a scene's things, and what moves before them."""

    def __init__(self, scene: FilmSet) -> None:
        self._scene = scene
        self._things: list[Floats] = []
        self._light: Floats32 | None = None
        """(H, W, 3) linear light of the things without what moves."""
        self._exposure = 1.0
        self._newest: tuple[Floats32, Image] | None = None
        """The light last developed, and its picture."""

    def picture(
        self, things: list[Floats], moving: Sequence[Floats] = (), paints: Sequence[Floats] = ()
    ) -> Image:
        """The next frame; `paints`: the materials of what moves, beyond the scene's."""
        light = self._still(things)
        if moving:
            light = self._redrawn(light, self._world([*things, *moving], paints), moving)
        if self._newest is None or self._newest[0] is not light:
            self._newest = light, developed(light, self._exposure)
        return self._newest[1]

    def _still(self, things: list[Floats]) -> Floats32:
        world, pose = self._world(things), self._scene.pose
        if self._light is None:
            self._light = rc.render(world, pose, (0, 0, *pose.size), RAYS, 1)
            self._exposure = exposure_of(self._light)
        else:
            old, new = ({row.tobytes(): row for row in rows} for rows in (self._things, things))
            changed = [(old | new)[key] for key in old.keys() ^ new.keys()]
            self._light = self._redrawn(self._light, world, changed)
        self._things = things
        return self._light

    def _world(self, rows: Sequence[Floats], paints: Sequence[Floats] = ()) -> rc.RenderWorld:
        world = self._scene.world
        return replace(
            world,
            objects=np.array([*world.objects, *rows]),
            materials=np.array([*world.materials, *paints]),
        )

    def _redrawn(
        self, light: Floats32, world: rc.RenderWorld, changed: Sequence[Floats]
    ) -> Floats32:
        """The light with what these objects cover or shade drawn anew."""
        touched = np.zeros(self._scene.pose.size[::-1], np.uint8)
        for row in changed:
            cv2.fillConvexPoly(touched, self._outline(row), 1)
        wide = np.ones((PENUMBRA_PX, PENUMBRA_PX), np.uint8)
        wanted: Mask = cv2.dilate(touched, wide).astype(np.bool_)
        if not wanted.any():
            return light
        rows, columns = (np.flatnonzero(wanted.any(axis=axis)).tolist() for axis in (1, 0))
        top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
        part, drawn = wanted[top:bottom, left:right], light.copy()
        new = rc.render(world, self._scene.pose, (left, top, right, bottom), RAYS, 1, part)
        drawn[top:bottom, left:right][part] = new[part]
        return drawn

    def _outline(self, row: Floats) -> Ints:
        """(N, 1, 2) pixels around an object and its shadow on the felt."""
        size, lamp = self._scene.pose.size, self._scene.lamp
        half = row[rc.HALF : rc.HALF + 3].copy()
        if row[rc.TYPE] == rc.CAPSULE:
            half[2] += half[0]  # its round ends
        turn = row[rc.TURN : rc.TURN + 9].reshape(3, 3)
        corners = row[rc.CENTRE : rc.CENTRE + 3] + (CORNERS * half) @ turn
        corners[:, 2] = np.clip(corners[:, 2], 0.0, 0.9 * lamp[2])
        heights = corners[:, 2:]
        shadows = corners + (corners - lamp) * heights / (lamp[2] - heights)
        places = np.concatenate([corners, shadows])[:, :2] / (1, self._scene.pose.aspect)
        seen = self._scene.pose.project(places, np.r_[corners[:, 2], np.zeros(len(shadows))])
        within = np.clip(seen, np.negative(size), 2 * np.array(size)).astype(np.int32)
        return np.asarray(cv2.convexHull(within))
