"""Small boards drawn flat, seen from straight above, for tests that need no realistic picture."""

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.pose import Pose

FELT, WOOD, PALE, DEEP = (60, 90, 40), (40, 60, 90), (170, 200, 215), (30, 35, 120)
LIGHT, DARK = (235, 235, 235), (30, 30, 30)
LAYOUT = Layout(bar=0.08, point_length=0.4)


def drawn_board(size=(640, 400), layout=LAYOUT):
    """A board without checkers, in the middle of a gray table."""
    width, height = size
    image = np.full((height, width, 3), (120, 120, 120), np.uint8)
    (left, top), (right, bottom) = _corners(size)
    cv2.rectangle(image, (left - 12, top - 12), (right + 12, bottom + 12), WOOD, -1)
    cv2.rectangle(image, (left, top), (right, bottom), FELT, -1)
    for point in range(1, 25):
        x, tip = pixel(size, layout.base(point)), pixel(size, layout.tip(point))
        half = np.array([(right - left) * layout.point_width / 2, 0])
        corners = np.rint([x - half, x + half, tip]).astype(np.int32)
        cv2.fillPoly(image, [corners], PALE if point % 2 else DEEP, cv2.LINE_AA)
    bar = round((right - left) * layout.bar / 2)
    middle = (left + right) // 2
    cv2.rectangle(image, (middle - bar, top), (middle + bar, bottom), WOOD, -1)
    return image


def with_checkers(image, counts, light=LIGHT, dark=DARK, gaps=None):
    """`image` with (24,) signed counts on its points; at most five checkers are drawn on each.

    gaps: for some points, the diameters between the first checker and those after it.
    """
    size = image.shape[1::-1]
    shown = image.copy()
    radius = 0.45 * pitch(size)
    for point, count in enumerate(counts, start=1):
        step = 1 if point > 12 else -1
        for slot in range(min(5, abs(count))):
            x, rail = pixel(size, LAYOUT.base(point))
            apart = (gaps or {}).get(point, 0) if slot else 0
            y = rail + step * (2 * (slot + apart) + 1) * radius
            colour = light if count > 0 else dark
            cv2.circle(shown, (round(x), round(y)), round(radius), colour, -1, cv2.LINE_AA)
            ring = tuple(int(0.7 * part + 25) for part in colour)
            cv2.circle(shown, (round(x), round(y)), round(0.9 * radius), ring, 1, cv2.LINE_AA)
    return shown


def drawn_pose(size=(640, 400)):
    """The pose of `drawn_board`, from so far away that heights do not show."""
    (left, top), (right, bottom) = _corners(size)
    far = 1000.0
    wide = right - left
    return Pose(
        size=size,
        focal=wide * far,
        radial=0.0,
        rotation=(np.pi, 0.0, 0.0),
        translation=(-0.5, (bottom - top) / wide / 2, far),
        aspect=(bottom - top) / wide,
    )


def pitch(size):
    (left, _), (right, _) = _corners(size)
    return (right - left) * LAYOUT.point_width


def pixel(size, place):
    """(2,) pixel of a field coordinate; light's rail is at the bottom."""
    (left, top), (right, bottom) = _corners(size)
    return np.array([left + place[0] * (right - left), bottom - place[1] * (bottom - top)])


def _corners(size):
    width, height = size
    return (width // 8, height // 10), (width * 7 // 8, height * 9 // 10)
