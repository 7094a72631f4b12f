"""A set laid out before a camera: its empty board, and what its checkers and dice are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats
from engine.position import Side
from tests.tableside.match.looks import Look, usual_look
from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.boards import make_case
from vision.training.scenes.borne_off import trays_of
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.cube_faces import cube_faces
from vision.training.scenes.die_faces import ROUND, Pips, paint_face
from vision.training.scenes.materials import (
    SetColours,
    from_srgb,
    make_noises,
    material_row,
    random_table,
)
from vision.training.scenes.patterns import ornament_face

TABLE_Z = -0.03
"""How high the table is, seen from the felt, in field widths."""


@dataclass(frozen=True)
class FilmSet:
    """An empty board with trays, the materials of its checkers and dice, and the camera."""

    world: rc.RenderWorld
    pose: Pose
    layout: Layout
    inside: rc.Bounds
    lamp: Floats
    """(3,) where it hangs."""
    bar_high: float
    checkers: tuple[int, int]
    """The materials of light's and dark's."""
    die: int
    cube: int


def film_set(seed: int, look: Look | None = None) -> FilmSet:
    """A set on a board of its own; look: by default a usual one."""
    look = look or usual_look(*(seed % 3,) * 3)
    rng, layout, pose = np.random.default_rng(seed), look.layout, look.pose
    noise = make_noises(rng)
    light, dark, felt, *points = (from_srgb(np.array(one) / 255) for one in look.set)
    colours = SetColours(light, dark, (points[0], points[1]), felt)
    while True:
        build = SceneBuilder(rng)
        _, bar_high, inside = make_case(build, layout, pose.aspect, colours)
        if len(trays_of(inside)) == len(Side):
            break
    paints = [
        build.paint(
            material_row(rc.CHECKER, base, rng, TEXTURE=texture, BEVEL=0.004, GLOSS=0.2, SHINE=30)
        )
        for texture, base in enumerate((light, dark))
    ]
    body, ink = (from_srgb(np.array(one) / 255) for one in look.dice)
    plain = np.broadcast_to(body, (rc.FACE_PX, rc.FACE_PX, 3))
    pips = Pips(ink, radius=0.09, spread=0.26, shape=ROUND, shadow=0.0)
    faces_of_die = np.array([paint_face(plain, pips, face) for face in range(1, 7)])
    die = material_row(rc.DIE, body, rng, TEXTURE=painting.DIE_FACES[0], BEVEL=0.003, GLOSS=0.2,
                       SHINE=30)  # fmt: skip
    textures = np.zeros((painting.LURE_FACES, rc.FACE_PX, rc.FACE_PX, 3), np.float32)
    of_cube = np.random.default_rng(seed)
    cube = material_row(rc.CUBE, np.ones(3), of_cube, AMOUNT=0.1, SHINE=30, GLOSS=0.1,
                        TEXTURE=painting.CUBE_FACES, BEVEL=0.004)  # fmt: skip
    textures[painting.CUBE_FACES : painting.CUBE_FACES + 6] = cube_faces(of_cube)
    textures[:len(Side)] = [painting.checker_top(rng, colour, noise, felt)
                            for colour in (light, dark)]  # fmt: skip
    field = painting.board_texture(rng, layout, pose.aspect, inside, colours, noise, is_sheet=False)
    table = random_table(rng)
    for first, faces in ((painting.DIE_FACES[0], faces_of_die),
                         (painting.PLATE_FACES, painting.plate_faces(rng)),
                         (painting.ORNAMENT, ornament_face(rng)[None])):  # fmt: skip
        textures[first : first + len(faces)] = faces
    lamp = np.append(look.lamp, (0.2, 3.0, 3.2, 3.4))
    world = rc.RenderWorld(
        objects=np.array(build.objects), materials=np.array([*build.materials, die, cube]),
        noise=noise, textures=textures,
        field=field, field_box=inside, table=table, table_z=TABLE_Z, lamps=lamp[None],
        room=np.full(3, 0.5),
    )  # fmt: skip
    return FilmSet(
        world, pose, layout, inside, look.lamp, bar_high, (paints[0], paints[1]),
        len(build.materials), len(build.materials) + 1,
    )  # fmt: skip
