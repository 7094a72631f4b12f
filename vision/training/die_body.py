"""A die in perspective-free oblique view, as the rectified picture shows it.

Coordinates are die sides; the picture plane is the top of a flat die. A point d below that plane
appears d * tan(tilt) nearer to the camera (calibration/pose.py: the plane is met further on).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

# Pips of each face on a grid of -1, 0, 1, in the face's own axes.
PIPS: Final[dict[int, list[tuple[int, int]]]] = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
CIRCLE: Final = np.stack(
    [np.cos(np.linspace(0, 2 * np.pi, 12, False)), np.sin(np.linspace(0, 2 * np.pi, 12, False))],
    axis=1,
)


@dataclass(frozen=True, slots=True)
class DieLook:
    """What one model of die looks like."""

    body: Floats
    """(3,) BGR 0..255."""
    pip: Floats
    """(3,) BGR 0..255."""
    pip_radius: float
    """Die sides."""
    pip_spread: float
    """From the middle of a face to an outer row of pips, die sides."""
    rounding: float
    """How much of a side the rounded edges take, die sides."""
    gloss: float
    """Strength of the highlight, grey levels."""


def random_look(rng: np.random.Generator) -> DieLook:
    """A die that somebody might own: body and pips of any colours that can be told apart."""
    while True:
        body = _random_body(rng)
        pip = _random_pip(rng, body)
        if abs(float(body.mean() - pip.mean())) > 55:
            break
    return DieLook(
        body=body,
        pip=pip,
        pip_radius=rng.uniform(0.075, 0.125),
        pip_spread=rng.uniform(0.21, 0.29),
        rounding=rng.uniform(0.04, 0.2),
        gloss=rng.uniform(0, 70) if rng.random() < 0.5 else 0.0,
    )


def _random_body(rng: np.random.Generator) -> Floats:
    if rng.random() < 0.45:  # most dice are white or ivory
        return np.asarray(rng.uniform(185, 250) * np.array([rng.uniform(0.75, 1), 0.97, 1.0]))
    return bgr_of(rng.uniform(0, 180), rng.uniform(0, 256), rng.uniform(15, 245))


def bgr_of(hue: float, saturation: float, value: float) -> Floats:
    """(3,) BGR of OpenCV's hue 0..179, saturation and value 0..255."""
    pixel = np.array([[[hue, saturation, value]]], np.uint8)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], float)


def _random_pip(rng: np.random.Generator, body: Floats) -> Floats:
    grey = rng.uniform(5, 60) if body.mean() > 120 else rng.uniform(180, 250)
    if rng.random() < 0.15:
        return np.asarray(rng.uniform(0, 255, 3))
    return np.asarray(grey * rng.uniform(0.85, 1.0, 3))


@dataclass(frozen=True, slots=True)
class DiePose:
    """How a die lies."""

    turn: Floats
    """(3, 3) rotation from the die's axes to the board's."""
    value: int
    """The face that looks up most."""
    tilt_deg: float
    """Between that face's normal and straight up; 0 for a die that lies flat."""


def lying(rng: np.random.Generator, tilt_deg: float) -> DiePose:
    """A die rolled at random and then tipped by `tilt_deg` about a random horizontal axis."""
    up = int(rng.integers(6))
    base = _face_up(up) @ _about(2, rng.integers(4) * np.pi / 2)
    spin = _about(2, rng.uniform(0, 2 * np.pi))
    axis = rng.uniform(0, 2 * np.pi)
    tip = _about(2, axis) @ _about(0, np.radians(tilt_deg)) @ _about(2, -axis)
    turn = tip @ spin @ base
    heights = [float((turn @ normal)[2]) for normal in NORMALS]
    value = int(np.argmax(heights)) + 1
    tilted = float(np.degrees(np.arccos(min(1.0, heights[value - 1]))))
    return DiePose(turn, value, tilted)


def _about(axis: int, angle: float) -> Floats:
    vector = np.zeros(3)
    vector[axis] = angle
    return np.asarray(cv2.Rodrigues(vector)[0])


# Outward normals of the faces 1..6 of a right-handed die: opposite faces add up to seven.
NORMALS: Final = np.array(
    [(0, 0, 1), (0, -1, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, -1)], float
)


def _face_up(index: int) -> Floats:
    """A rotation that brings the face of NORMALS[index] up."""
    normal = NORMALS[index]
    axis = np.cross(normal, (0, 0, 1))
    if np.linalg.norm(axis) < 1e-9:
        return np.eye(3) if normal[2] > 0 else _about(0, np.pi)
    return np.asarray(cv2.Rodrigues(axis / np.linalg.norm(axis) * np.pi / 2)[0])


@dataclass(frozen=True, slots=True)
class View:
    """From where a scene is seen and lit."""

    camera: Floats
    """(2,) tan(tilt) times the direction to the camera in the picture."""
    light: Floats
    """(3,) unit vector to the lamp."""
    gain: float
    """Brightness of the light."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A die put into a picture: space to pixels."""

    pose: DiePose
    origin: Floats
    side: float
    camera: Floats
    lift: float

    def pixels(self, points: Floats) -> Floats:
        """(N, 2) pixels of (N, 3) points in the die's own axes, sides from its middle."""
        turned = points @ self.pose.turn.T
        below = 1.0 - (turned[:, 2] + self.lift)
        return np.asarray(self.origin + self.side * (turned[:, :2] + below[:, None] * self.camera))


def draw_die(
    picture: Image, center: Floats, side: float, pose: DiePose, look: DieLook, view: View
) -> None:
    """Draw a die of `side` pixels whose upper face is centred at `center` (x, y) pixels."""
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T / 2
    lift = -float((corners @ pose.turn.T)[:, 2].min())  # it rests on its lowest corner
    placed = _Placed(pose, center, side, view.camera, lift)
    top = placed.pixels(NORMALS[pose.value - 1][None] / 2)[0]
    placed = _Placed(pose, 2 * center - top, side, view.camera, lift)
    facing = (NORMALS @ pose.turn.T) @ np.append(view.camera, 1.0)
    for face in np.argsort(facing):
        if facing[face] > 0.02:
            _draw_face(picture, int(face), placed, look, view)


def _draw_face(picture: Image, face: int, placed: _Placed, look: DieLook, view: View) -> None:
    normal = NORMALS[face]
    across = np.roll(np.abs(normal), 1)
    plane = np.stack([across, np.cross(normal, across)])
    lit = max(0.0, float((placed.pose.turn @ normal) @ view.light))
    shade = view.gain * (0.55 + 0.45 * lit)

    def outline(flat: Floats) -> Floats:
        return placed.pixels(flat @ plane + normal / 2)

    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    _fill(picture, outline(square), look.body * shade * 0.9)
    _fill(picture, outline(_rounded(0.5 - look.rounding / 2, look.rounding)), look.body * shade)
    for pip in PIPS[face + 1]:
        ring = np.array(pip) * look.pip_spread + CIRCLE * look.pip_radius
        _fill(picture, outline(ring), look.pip * shade)
    if look.gloss and face == placed.pose.value - 1:
        _glow(picture, outline(CIRCLE * 0.16 + (0.2, -0.15)), look.gloss)


def _rounded(half: float, radius: float) -> Floats:
    angle = np.linspace(0, np.pi / 2, 4)
    arc = np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius
    core = half - radius
    arcs = []
    for k, (sx, sy) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        cosine, sine = np.cos(k * np.pi / 2), np.sin(k * np.pi / 2)
        turn = np.array([(cosine, sine), (-sine, cosine)])
        arcs.append(arc @ turn + (sx * core, sy * core))
    return np.concatenate(arcs)


def _fill(picture: Image, polygon: Floats, colour: Floats) -> None:
    points = np.rint(polygon * 16).astype(np.int32)
    cv2.fillPoly(picture, [points], tuple(float(c) for c in np.clip(colour, 0, 255)), cv2.LINE_8, 4)


def _glow(picture: Image, polygon: Floats, strength: float) -> None:
    mask = np.zeros(picture.shape[:2], np.float32)
    cv2.fillPoly(mask, [np.rint(polygon * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
    soft = cv2.GaussianBlur(mask, (0, 0), 2.0)
    picture[:] = np.clip(picture + strength * soft[..., None], 0, 255).astype(np.uint8)
