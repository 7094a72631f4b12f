"""Random scenes of a board in play: objects, materials, lamps, the camera, and the labels.

World units are field widths (`calibration/pose.py`). The position is random and need not be
possible in a game: every count on every point is about as frequent as training requires.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats, Rng
from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.boards import make_case, make_sheet
from vision.training.scenes.borne_off import BorneOff, fill_trays, place_borne_off, trays_of
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.checkers import (
    CheckerPlacer,
    CheckerSet,
    put_on_bar,
    put_on_points,
    random_position,
)
from vision.training.scenes.clutter import put_clutter
from vision.training.scenes.coverage import covered_shares
from vision.training.scenes.cube_faces import cube_faces
from vision.training.scenes.cubes import CubeTruth, put_cubes
from vision.training.scenes.dice import DieSupport, DieTruth, throw_dice
from vision.training.scenes.die_faces import random_dice
from vision.training.scenes.hands import put_hands
from vision.training.scenes.lures import lure_faces, put_lures
from vision.training.scenes.materials import make_noises, random_set_colours, random_table
from vision.training.scenes.patterns import ornament_face

SHEET_SHARE: Final = 0.2
"""Fraction of boards printed on something flat, without frame and trays, the bar a mere stripe."""
THIN_SHARE: Final = 0.4
"""Fraction of those played with tokens of card or paper."""
MAGNET_SHARE: Final = 0.06
"""Fraction of cases, such as magnetic travel sets, with thin checkers."""
NARROW_BAR_SHARE: Final = 0.06
"""Fraction of cases whose bar is as narrow as a sheet's."""
CLOSE_PART: Final = 0.36
"""Fraction of the field's width and height within which dice are close."""
FACE_SAMPLE: Final = 0.28
"""Distance in sides, along both axes, from the center of a face to the places that must be
visible."""
PICTURE_SIZES: Final = [(1280, 720), (960, 540), (960, 540), (960, 720), (720, 960)]
LOW_CAMERA_SHARE: Final = 0.12
"""Fraction of cameras that look at the board from far aside."""
TIPPED_RESTS: Final = (0.4, 0.4, 0.05, 0.03, 0.12)
"""As `DieSupport.rests`."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A world, the camera over it, and the labels."""

    world: rc.RenderWorld
    pose: Pose
    layout: Layout
    points: list[int]
    """24 signed counts, point 1 first; dark ones negative."""
    bar: tuple[int, int]
    """Light's and dark's checkers on the bar."""
    dice: list[DieTruth]
    """The visible dice; the cubes likewise."""
    cubes: list[CubeTruth]
    lures: list[tuple[float, float, float]]
    """The middles of the upper faces of what resembles dice."""
    covered: Floats
    """(26,) fraction that a hand hides of each point and of the bar's near and far half."""
    off: list[BorneOff]
    """The checkers in the trays."""
    trays: tuple[bool, bool]
    """Whether there are trays to the left of the field, and to its right."""
    paints: tuple[int, int]
    """The materials of light's and dark's checkers."""


def make_scene(
    rng: Rng,
    *,
    pairs: int = 0,
    cubes: int = 1,
    close: bool = False,
    bears_off: bool = False,
    heads: bool = False,
    crowded: bool = False,
    full_trays: bool = False,
    tipped: bool = False,
    numbered: bool = False,
) -> Scene:
    """A random scene; `pairs` of dice if more than players throw, all of them `close`.

    `cubes`: how many doubling cubes it has at most; `bears_off`, `heads`, `crowded`: as for
    `random_position`; `full_trays`: most trays hold something, whatever the position; `tipped`:
    half of the dice lean or lie flat against something; `numbered`: its points have numbers.
    """
    is_sheet = rng.random() < SHEET_SHARE
    is_narrow = is_sheet or rng.random() < NARROW_BAR_SHARE
    wide = rng.uniform(0.004, 0.08) if is_narrow else rng.uniform(0.04, 0.11)
    layout = Layout(wide, rng.uniform(0.33, 0.48), rng.uniform(0.82, 1.0))
    aspect = float(np.clip(rng.normal(0.83, 0.1), 0.6, 1.1))
    noise, colours = make_noises(rng), random_set_colours(rng)
    build = SceneBuilder(rng)
    make = make_sheet if is_sheet else make_case
    frame_high, bar_high, bounds = make(build, layout, aspect, colours)
    checkers = CheckerSet(
        rng, layout, aspect, thin=rng.random() < (THIN_SHARE if is_sheet else MAGNET_SHARE)
    )
    points, bar = random_position(rng, bears_off=bears_off, heads=heads, crowded=crowded)
    placer = CheckerPlacer(build, checkers, colours)
    tops, others = ([painting.checker_top(rng, colour, noise, colours.felt) for colour in both]
                    for both in ((colours.light, colours.dark), placer.other_colours))  # fmt: skip
    put_on_points(placer, points)
    put_on_bar(placer, bar, bar_high)
    off = fill_trays(placer, bounds) if full_trays else place_borne_off(placer, points, bar, bounds)
    support = _die_support(
        rng, checkers, (bar_high, frame_high), bounds, close=close, tipped=tipped
    )
    sets = [random_dice(rng, own, colours.board, noise) for own in (colours.light, colours.dark)]
    materials = [own.material for own in sets]
    dice = throw_dice(build, materials, support, pairs or int(rng.choice([0, 1, 1, 1, 2])))
    placed = put_cubes(build, support, cubes)
    lures = put_lures(build, support)
    put_clutter(build, support)
    before_hands = len(build.objects)
    put_hands(build, placer, bounds)
    faces = [cube_faces(rng), cube_faces(rng), painting.plate_faces(rng),
             *(own.faces for own in sets), np.stack([*others, ornament_face(rng)]),
             lure_faces(rng)]  # fmt: skip
    texture = painting.board_texture(
        rng, layout, aspect, bounds, colours, noise, is_sheet=is_sheet, is_numbered=numbered
    )
    table = random_table(rng)
    table[rc.FELT_GLOSS] = rng.choice([0, 0, 0.02, 0.1]) * rng.random()
    lamps, room = _light(rng, aspect)
    world = rc.RenderWorld(
        objects=np.array(build.objects), materials=np.array(build.materials), noise=noise,
        textures=np.concatenate([np.stack(tops), *faces]).astype(np.float32), field=texture,
        field_box=bounds, table=table, table_z=-support.table_depth, lamps=lamps, room=room,
    )  # fmt: skip
    pose = _camera(rng, aspect)
    hands = replace(world, objects=world.objects[before_hands:])
    visible = [die for die in dice if _is_visible(world, hands, pose, die)]
    shown = [cube for cube in placed if _is_visible(world, hands, pose, cube)]
    trays = trays_of(bounds)
    tray_sides = any(x < 0 for x in trays), any(x > 1 for x in trays)
    return Scene(world, pose, layout, points, bar, visible, shown, lures,
                 covered_shares(hands, pose, layout), off, tray_sides,
                 (placer.paints[0], placer.paints[1]))  # fmt: skip


def seen_anew(scene: Scene, rng: Rng) -> Scene:
    """The scene under other lamps, by another camera; without its dice and its cube."""
    lamps, room = _light(rng, scene.pose.aspect)
    world = replace(scene.world, lamps=lamps, room=room)
    return replace(scene, world=world, pose=_camera(rng, scene.pose.aspect), dice=[], cubes=[])


def _die_support(
    rng: Rng,
    checkers: CheckerSet,
    heights: tuple[float, float],
    bounds: rc.Bounds,
    *,
    close: bool,
    tipped: bool,
) -> DieSupport:
    """What this scene's dice may come to rest on; `heights`: of the bar and of the frame."""
    aspect = checkers.aspect
    support = DieSupport(checkers, *heights, bounds, aspect, rng.uniform(0.01, 0.05))
    if tipped:
        support.rests = TIPPED_RESTS
    if close:  # path tracing is slow: the dice are in one part of the field, and only that is drawn
        x, y = rng.uniform(-0.02, 1.02 - CLOSE_PART), aspect * rng.uniform(0.0, 1 - CLOSE_PART)
        support.within = (float(x), float(y), float(x + CLOSE_PART), float(y + aspect * CLOSE_PART))
    return support


def random_scene(rng: Rng, kinds: Mapping[str, float]) -> Scene:
    """A random scene of one of these kinds, which are arguments of `make_scene`.

    `kinds`: their fractions; the remaining scenes have none.
    """
    kind = np.searchsorted(np.cumsum([*kinds.values()]), rng.random(), side="right")
    return make_scene(rng, **dict.fromkeys([*kinds][kind : kind + 1], True))


def _is_visible(
    world: rc.RenderWorld, hands: rc.RenderWorld, pose: Pose, thing: DieTruth | CubeTruth
) -> bool:
    """Whether most of its upper face is visible: it may be behind a rail or under a hand."""
    reach = thing.side * FACE_SAMPLE
    offsets = np.array([(0, 0, 0), (1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0)]) * reach
    places = np.array(thing.top) + offsets
    visible = rc.are_visible(world, pose, places, thing.side * 0.75)
    visible &= rc.are_visible(hands, pose, places, 0.0)  # fingers may touch it
    return bool(visible.mean() > 0.5)


def _light(rng: Rng, aspect: float) -> tuple[Floats, Floats]:
    lamps = []
    warm = rng.uniform(0, 1)
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 2.2)
        high = rng.uniform(0.9, 2.5)
        tint = np.array([1 - 0.55 * warm, 1 - 0.18 * warm, 1.0]) * rng.uniform(0.9, 1.1, 3)
        power = rng.uniform(0.4, 1.0) * (far**2 + high**2)
        lamps.append(np.array([0.5 + far * np.cos(way), aspect / 2 + far * np.sin(way), high,
                               rng.choice([0.03, 0.2, 0.6]), *(power * tint)]))  # fmt: skip
    strength = rng.choice([0.15, 0.5, 1.0]) * rng.uniform(0.7, 1.4)
    room = strength * np.array([1 - 0.3 * warm, 1 - 0.1 * warm, 1.0]) * rng.uniform(0.9, 1.1, 3)
    return np.array(lamps), room


def _camera(rng: Rng, aspect: float) -> Pose:
    size = PICTURE_SIZES[rng.integers(len(PICTURE_SIZES))]
    tilt = np.radians(rng.uniform(0, 50) if rng.random() < 0.7 else abs(rng.normal(0, 8)))
    if rng.random() < LOW_CAMERA_SHARE:
        tilt = np.radians(rng.uniform(30, 60))
    way = float(rng.integers(4) * np.pi / 2 + rng.normal(0, 0.2))
    if rng.random() < 0.1:
        way = rng.uniform(0, 2 * np.pi)
    roll = rng.normal(0, 0.08)
    focal = float(np.exp(rng.normal(np.log(1.1), 0.25))) * size[0]
    radial = float(rng.normal(0, 0.02))
    toward = np.array([np.cos(way) * np.sin(tilt), np.sin(way) * np.sin(tilt), np.cos(tilt)])
    ahead = -toward
    up_hint = -np.array([np.cos(way), np.sin(way), 0.0]) * np.cos(tilt) - (0, 0, -np.sin(tilt))
    right = np.cross(ahead, up_hint)
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    c, s = np.cos(roll), np.sin(roll)
    turn = np.stack([c * right + s * down, -s * right + c * down, ahead])
    target = np.array([0.5, aspect / 2, 0.0]) + np.append(rng.normal(0, 0.05, 2), 0)
    wanted = rng.uniform(0.55, 1.02)
    rx, ry, rz = (float(angle) for angle in cv2.Rodrigues(turn)[0].ravel())
    nearest, furthest = 0.5, 8.0
    for _ in range(18):
        distance = (nearest + furthest) / 2
        x, y, z = (float(part) for part in -turn @ (target + toward * distance))
        pose = Pose(size, focal, radial, (rx, ry, rz), (x, y, z), aspect)
        corners = pose.corners() - pose.center
        if np.abs(corners / (np.array(size) / 2)).max() < wanted:
            furthest = distance
        else:
            nearest = distance
    return pose
