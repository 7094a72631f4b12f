"""Dice drawn with perspective, blur and noise on a plain board."""

import math
from typing import Any

import cv2
import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from vision.dice.candidates import find_candidates
from vision.dice.selection import SEARCH_MARGIN, select_dice

FINER = 4  # drawn at four times the size, then reduced: soft edges
DOTS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    6: [(-1, -1), (-1, 1), (1, -1), (1, 1), (-1, 0), (1, 0)],
}
WHITE, BLACK = ((235, 240, 240), (25, 25, 25)), ((35, 35, 150), (235, 235, 235))
COAL = (22, 22, 22), (235, 235, 235)


def camera(tilt=20.0):
    """A 720p camera over the middle of the field, whose width is 700 pixels."""
    angle, aspect = math.radians(180 - tilt), 0.84
    turn = cv2.Rodrigues(np.array([angle, 0, 0]))[0]
    shift: Any = -turn @ np.array([0.5, aspect / 2, 0]) + np.array([0, 0, 2.2])
    return Pose((1280, 720), 1540.0, 0.0, (angle, 0, 0), tuple(shift), aspect)


def polygon(picture, pose, points, colour):
    """Fill a polygon of world points, (x, y, z) in field widths."""
    points = np.asarray(points, float)
    pixels = pose.project(points[:, :2] / (1, pose.aspect), points[:, 2])
    fixed = np.round((pixels + 0.5) * FINER * 16).astype(np.int32)
    cv2.fillPoly(picture, [fixed], colour, cv2.LINE_AA, 4)


def draw_face(picture, pose, side, center, across, up, value, colours):
    """A face's square and its pips; `across`, `up`: world directions along its sides."""
    body, pips = colours
    corners = [
        center + side / 2 * (x * across + y * up) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    polygon(picture, pose, corners, body)
    circle = np.linspace(0, 2 * math.pi, 17)[:-1, None]
    for x, y in DOTS[value]:
        ring = 0.1 * side * (np.cos(circle) * across + np.sin(circle) * up)
        polygon(picture, pose, center + 0.25 * side * (x * across + y * up) + ring, pips)


def draw_die(picture, pose, side, field, value, turn, colours):
    place = np.array([*field, side / 2]) * (1, pose.aspect, 1)
    shaded = [tuple(0.6 * c for c in body) for body in colours]
    up = np.array([0.0, 0.0, 1.0])
    one, other = (n for n in (1, 2, 3) if n not in {value, 7 - value})
    for quarter, beside in enumerate((one, other, 7 - one, 7 - other)):
        angle = turn + quarter * math.pi / 2
        outward = np.array([math.cos(angle), math.sin(angle), 0])
        center = place + side / 2 * outward
        if (pose.eye - center) @ outward > 0:
            draw_face(picture, pose, side, center, np.cross(up, outward), up, beside, shaded)
    across, along = np.array(
        [[math.cos(turn), math.sin(turn), 0], [-math.sin(turn), math.cos(turn), 0]]
    )
    draw_face(picture, pose, side, place + side / 2 * up, across, along, value, colours)


def scene(pose, dice=(), checkers=(), side=USUAL_DIE_SIDE):
    """A green board with a bar on a brown table; `dice`: (field, value, turn, colors)."""
    picture = np.full((720 * FINER, 1280 * FINER, 3), (60, 80, 110), np.uint8)
    h = pose.aspect
    polygon(picture, pose, [(0, 0, 0), (1, 0, 0), (1, h, 0), (0, h, 0)], (70, 110, 40))
    polygon(picture, pose, [(0.46, 0, 0), (0.54, 0, 0), (0.54, h, 0), (0.46, h, 0)], (50, 60, 90))
    for x, y, radius in checkers:
        ring = np.linspace(0, 2 * math.pi, 49)[:-1]
        edge = np.array([x, y * h]) + radius * np.column_stack([np.cos(ring), np.sin(ring)])
        polygon(picture, pose, np.column_stack([edge, np.full(48, 0.018)]), (190, 210, 220))
    for die in dice:
        draw_die(picture, pose, side, *die)
    small = cv2.GaussianBlur(
        cv2.resize(picture, (1280, 720), interpolation=cv2.INTER_AREA), (0, 0), 0.8
    )
    noise = np.random.default_rng(7).normal(0, 3, small.shape)
    return np.clip(small + noise, 0, 255).astype(np.uint8)


def find_dice(image, pose, layout, checkers=None):
    """The dice that a picture shows on and right beside the board."""
    return select_dice(find_candidates(image, pose, SEARCH_MARGIN), pose, layout, checkers)
