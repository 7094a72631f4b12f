"""Straight lines of a picture: what a board is made of before anything is known of it."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

SHORTEST: Final = 12.0  # pixels of the 640-pixel picture; shorter ones are texture
FAMILY_ANGLE: Final = np.radians(32)  # perspective and the slope of the points stay within
COLLINEAR: Final = 2.0  # pixels that both ends of a segment may be off a line


def line_segments(image: Image) -> Floats:
    """(N, 4) segments x0, y0, x1, y1 found in lightness and in both colour channels."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD)
    found = [np.zeros((0, 4))]
    for channel in range(3):
        plane = lab[..., channel]
        if channel:  # colour differences are faint in 8 bits: stretch them
            plane = cv2.convertScaleAbs(plane.astype(np.float32), alpha=2, beta=-128)
        segments = detector.detect(plane)[0]
        if segments is not None:
            found.append(np.asarray(segments, float).reshape(-1, 4))
    every = np.concatenate(found)
    return every[_lengths(every) > SHORTEST]


def two_families(segments: Floats) -> tuple[Floats, Floats]:
    """The segments of the two crossing directions that carry the most length."""
    span = segments[:, 2:] - segments[:, :2]
    angle = np.arctan2(span[:, 1], span[:, 0])
    # Directions 90 degrees apart coincide at four times the angle.
    axis = np.angle(np.sum(_lengths(segments) * np.exp(4j * angle))) / 4
    turn = (angle - axis + np.pi / 4) % np.pi - np.pi / 4
    along = np.abs(turn) < FAMILY_ANGLE
    across = np.abs(turn - np.pi / 2) < FAMILY_ANGLE
    return segments[along], segments[across]


def longest_lines(segments: Floats, keep: int) -> Floats:
    """(<=keep, 4) lines through collinear segments, those with the most drawn length first."""
    left = segments[np.argsort(-_lengths(segments))]
    lines: list[tuple[float, Floats]] = []
    while len(left) and len(lines) < 3 * keep:
        line, members = _through(left)
        lines.append((_covered(line, left[members]), line))
        members[0] = True
        left = left[~members]
    lines.sort(key=lambda pair: -pair[0])
    return np.array([line for _, line in lines[:keep]]).reshape(-1, 4)


def _lengths(segments: Floats) -> Floats:
    return np.asarray(np.hypot(*(segments[:, 2:] - segments[:, :2]).T))


def _through(segments: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The line of the first segment, fitted twice to all that lie on it, and which those are."""
    line, members = segments[0], np.zeros(len(segments), bool)
    for _ in range(2):
        start, direction = line[:2], _unit(line)
        normal = np.array([-direction[1], direction[0]])
        off = np.abs((segments.reshape(-1, 2, 2) - start) @ normal)
        members = (off < COLLINEAR).all(axis=1)
        members[0] = True
        line = _fitted(segments[members])
    return line, members


def _fitted(segments: Floats) -> Floats:
    """(4,) the weighted total-least-squares line of segments, between their outermost ends."""
    ends = segments.reshape(-1, 2)
    weights = np.repeat(_lengths(segments), 2)
    center = np.average(ends, axis=0, weights=weights)
    direction = np.linalg.eigh(np.cov((ends - center).T, aweights=weights))[1][:, 1]
    reach = (ends - center) @ direction
    return np.concatenate([center + direction * reach.min(), center + direction * reach.max()])


def _unit(line: Floats) -> Floats:
    span = line[2:] - line[:2]
    return np.asarray(span / np.hypot(*span))


def _covered(line: Floats, segments: Floats) -> float:
    """How much of the line its segments draw, overlaps counted once."""
    reach = np.sort((segments.reshape(-1, 2, 2) - line[:2]) @ _unit(line), axis=1)
    covered, end = 0.0, -np.inf
    for low, high in reach[np.argsort(reach[:, 0])]:
        covered += max(0.0, high - max(low, end))
        end = max(end, high)
    return covered
