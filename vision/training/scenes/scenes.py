"""Endless scenes of a board in play: what stands where, who looks, and the truth of it.

World units are field widths (`calibration/pose.py`). The position is random and need not have
come about in a game: every count on every point is about as likely as training wants it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats, Rng
from vision.training.render import raycast as rc
from vision.training.scenes import looks, painting
from vision.training.scenes.boards import Box, make_case, make_sheet
from vision.training.scenes.borne_off import Off, fill_trays, place_borne_off, trays_of
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.checkers import (
    CheckerPlacer,
    CheckerSet,
    put_on_bar,
    put_on_points,
    random_position,
)
from vision.training.scenes.clutter import put_clutter, put_hand
from vision.training.scenes.dice import CubeTruth, DieSupport, DieTruth, put_cube, throw_dice
from vision.training.scenes.die_faces import die_look

SHEETS: Final = 0.2
"""Share of boards that are printed on something flat: no frame, no tray, a bar that is a stripe."""
THIN: Final = 0.4
"""Share of those that are played on with tokens of card or paper."""
PART: Final = 0.36
"""Share of the field's width and height within which dice lie close."""
SEEN_AT: Final = 0.28
"""Sides from the middle of a face at which it is looked whether that shows, along both axes."""
SIZES: Final = [(1280, 720), (960, 540), (960, 540), (960, 720), (720, 960)]


TIPPED: Final = (0.4, 0.4, 0.05, 0.03, 0.12)
"""Shares of the dice as in `DieSupport.rests`."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A world, who looks at it, and what is true of it."""

    world: rc.RenderWorld
    pose: Pose
    layout: Layout
    points: list[int]
    """24 signed counts, point 1 first; dark ones negative."""
    bar: tuple[int, int]
    """Light's and dark's checkers on the bar."""
    dice: list[DieTruth]
    """Those that the camera sees; so too the cube."""
    cube: CubeTruth | None
    has_hand: bool
    off: list[Off]
    """The checkers in the trays."""
    trays: tuple[bool, bool]
    """Whether there is one on the left of the field, and on its right."""
    paints: tuple[int, int]
    """The materials of light's and dark's checkers."""


def make_scene(
    rng: Rng,
    *,
    pairs: int = 0,
    close: bool = False,
    bears_off: bool = False,
    heads: bool = False,
    crowded: bool = False,
    full_trays: bool = False,
    tipped: bool = False,
) -> Scene:
    """A scene at random; `pairs` of dice if more than players throw, all of them `close`.

    bears_off, heads, crowded: as for `random_position`; full_trays: most trays hold something,
    whatever the position; tipped: half of the dice lean or lie flat against something.
    """
    is_sheet = rng.random() < SHEETS
    wide = rng.uniform(0.004, 0.08) if is_sheet else rng.uniform(0.04, 0.11)
    layout = Layout(wide, rng.uniform(0.33, 0.48), rng.uniform(0.82, 1.0))
    aspect = float(np.clip(rng.normal(0.83, 0.1), 0.6, 1.1))
    noise, look = looks.noises(rng), looks.set_look(rng)
    build = SceneBuilder(rng)
    make = make_sheet if is_sheet else make_case
    frame_high, bar_high, box = make(build, layout, aspect, look)
    checkers = CheckerSet(rng, layout, aspect, thin=is_sheet and rng.random() < THIN)
    points, bar = random_position(rng, bears_off=bears_off, heads=heads, crowded=crowded)
    tops = [painting.checker_top(rng, colour, noise) for colour in (look.light, look.dark)]
    placer = CheckerPlacer(build, checkers, look)
    put_on_points(placer, points)
    put_on_bar(placer, bar, bar_high)
    off = fill_trays(placer, box) if full_trays else place_borne_off(placer, points, bar, box)
    depth = rng.uniform(0.01, 0.05)
    ground = DieSupport(points, checkers, bar_high, frame_high, box, aspect, depth)
    if tipped:
        ground.rests = TIPPED
    if close:
        ground.within = _some_part(rng, aspect)
    dice_looks = [die_look(rng, own, look.board, noise) for own in (look.light, look.dark)]
    materials = [one.material for one in dice_looks]
    dice = throw_dice(build, materials, ground, pairs or int(rng.choice([0, 1, 1, 1, 2])))
    cube = put_cube(build, ground)
    put_clutter(build, ground)
    has_hand = rng.random() < 0.22
    if has_hand:
        put_hand(build, aspect)
    faces = [painting.cube_faces(rng), painting.cube_faces(rng), painting.plate_faces(rng),
             *(one.faces for one in dice_looks)]  # fmt: skip
    texture = painting.board_texture(rng, layout, aspect, box, look, noise, is_sheet=is_sheet)
    table = _table(rng)
    lamps, room = _light(rng, aspect)
    world = rc.RenderWorld(
        objects=np.array(build.objects), materials=np.array(build.materials), noise=noise,
        textures=np.concatenate([np.stack(tops), *faces]).astype(np.float32), field=texture,
        field_box=box, table=table, table_z=-ground.table_depth, lamps=lamps, room=room,
    )  # fmt: skip
    pose = _camera(rng, aspect, box)
    shown = [die for die in dice if _is_shown(world, pose, die)]
    cube = cube if cube and _is_shown(world, pose, cube) else None
    return Scene(world, pose, layout, points, bar, shown, cube, has_hand, off, _tray_sides(box),
                 (placer.paints[0], placer.paints[1]))  # fmt: skip


def _table(rng: Rng) -> Floats:
    """The material of the table that the board stands on."""
    table = looks.textured(rng)
    table[rc.FELT_GLOSS] = rng.choice([0, 0, 0.02, 0.1]) * rng.random()
    return table


def _tray_sides(box: Box) -> tuple[bool, bool]:
    """Whether there are trays at the left and at the right of the field."""
    trays = trays_of(box)
    return any(x < 0 for x in trays), any(x > 1 for x in trays)


def random_scene(rng: Rng, kinds: Mapping[str, float]) -> Scene:
    """A scene at random of one of these kinds, which are words of `make_scene`.

    kinds: their shares; what is left of one comes as it comes.
    """
    kind = np.searchsorted(np.cumsum([*kinds.values()]), rng.random(), side="right")
    return make_scene(rng, **dict.fromkeys([*kinds][kind : kind + 1], True))


def _is_shown(world: rc.RenderWorld, pose: Pose, thing: DieTruth | CubeTruth) -> bool:
    """Whether most of its upper face shows: it may lie behind a rail, or under a hand."""
    reach = thing.side * SEEN_AT
    aside = np.array([(0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]) * reach
    places = np.array(thing.top) + np.column_stack([aside, np.zeros(len(aside))])
    return bool(rc.are_shown(world, pose, places, thing.side * 0.75).mean() > 0.5)


def _some_part(rng: Rng, aspect: float) -> tuple[float, float, float, float]:
    """Bounds of a part of the field: what is drawn slowly is drawn there alone."""
    x, y = rng.uniform(-0.02, 1.02 - PART), aspect * rng.uniform(0.0, 1 - PART)
    return float(x), float(y), float(x + PART), float(y + aspect * PART)


def _light(rng: Rng, aspect: float) -> tuple[Floats, Floats]:
    """One to three lamps of some warmth and size, and the room's own light."""
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


def _camera(rng: Rng, aspect: float, box: tuple[float, float, float, float]) -> Pose:
    """A camera from straight above to 45 degrees, from any side, the field in the picture."""
    size = SIZES[rng.integers(len(SIZES))]
    tilt = np.radians(rng.uniform(0, 50) if rng.random() < 0.7 else abs(rng.normal(0, 8)))
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
    nearest, furthest = 0.5, 8.0
    pose = None
    for _ in range(18):
        away = (nearest + furthest) / 2
        pose = _posed(turn, target + toward * away, size, focal, radial, aspect)
        corners = pose.corners() - pose.center
        if np.abs(corners / (np.array(size) / 2)).max() < wanted:
            furthest = away
        else:
            nearest = away
    assert pose is not None  # noqa: S101
    return pose


def _posed(turn: Floats, eye: Floats, size: tuple[int, int], focal: float, radial: float,
           aspect: float) -> Pose:  # fmt: skip
    vector = np.asarray(cv2.Rodrigues(turn)[0], float).ravel()
    shift = -turn @ eye
    return Pose(size, focal, radial, (float(vector[0]), float(vector[1]), float(vector[2])),
                (float(shift[0]), float(shift[1]), float(shift[2])), aspect)  # fmt: skip
