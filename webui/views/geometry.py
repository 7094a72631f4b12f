"""Where everything is on the drawn board.

One table serves both the server's first drawing and the browser's updates. Units are those of the
SVG's viewBox. Everything is given with light's home on the right; `mirrored` gives the other board.
A *cell* is `1`..`24` by light's numbers, `bar-light`, `bar-dark`, `off-light` or `off-dark`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypedDict

FRAME: Final = 22
BAND: Final = 38
"""Height of the frame above and below, enough for point numbers that are legible on a phone."""
POINT: Final = 62
BAR: Final = 60
RAIL: Final = 16
TRAY: Final = 58
DISC: Final = 58
"""Diameter of a checker, slightly less than the width of a point, as on a real board."""
SHOWN: Final = 5
"""Checkers of a pile that are drawn apart; a larger pile has its number written on it."""
FIELD_HEIGHT: Final = 640
HALF: Final = 6 * POINT
LEFT: Final = FRAME
RIGHT: Final = LEFT + HALF + BAR
TRAY_X: Final = RIGHT + HALF + RAIL
WIDTH: Final = TRAY_X + TRAY + FRAME
HEIGHT: Final = FIELD_HEIGHT + 2 * BAND
SLAB: Final = 18
CUBE: Final = 48
"""Side of the doubling cube, which is drawn between the checkers on the bar."""


class Anchor(TypedDict):
    """The center of a pile's first checker, and the step to the next."""

    x: float
    y: float
    step: float


class Placed(TypedDict):
    """One checker to draw."""

    side: str
    cell: str
    x: float
    y: float


def _point_x(point: int) -> float:
    column = (point - 1) % 12
    column = 11 - column if point <= 12 else column
    return (LEFT if column < 6 else RIGHT - HALF) + POINT * (column + 0.5)


def _point(point: int) -> Anchor:
    if point <= 12:
        return Anchor(x=_point_x(point), y=HEIGHT - BAND - DISC / 2, step=-DISC)
    return Anchor(x=_point_x(point), y=BAND + DISC / 2, step=DISC)


def anchors() -> dict[str, Anchor]:
    """Every cell's anchor; checkers on the bar wait in the half where they will enter."""
    bar_x, tray_x, middle = LEFT + HALF + BAR / 2, TRAY_X + TRAY / 2, HEIGHT / 2
    return {
        **{str(point): _point(point) for point in range(1, 25)},
        "bar-light": Anchor(x=bar_x, y=middle - CUBE / 2 - DISC / 2, step=-DISC),
        "bar-dark": Anchor(x=bar_x, y=middle + CUBE / 2 + DISC / 2, step=DISC),
        "off-light": Anchor(x=tray_x, y=HEIGHT - BAND - SLAB / 2, step=-SLAB),
        "off-dark": Anchor(x=tray_x, y=BAND + SLAB / 2, step=SLAB),
    }


def cubes() -> dict[str, tuple[float, float]]:
    """The cube's center: in the middle, at its owner's rim, or before the player to respond."""
    bar_x, middle = LEFT + HALF + BAR / 2, HEIGHT / 2
    rim = BAND + CUBE / 2 + 4
    return {
        "middle": (bar_x, middle),
        "light": (bar_x, HEIGHT - rim),
        "dark": (bar_x, rim),
        "offered-light": (RIGHT + HALF / 2, middle),
        "offered-dark": (LEFT + HALF / 2, middle),
    }


def triangle(point: int) -> str:
    """The SVG path of a point."""
    anchor = _point(point)
    rim = HEIGHT - BAND if point <= 12 else BAND
    tip = rim + (268 if anchor["step"] > 0 else -268)
    left, right = anchor["x"] - POINT / 2, anchor["x"] + POINT / 2
    return f"M{left:g} {rim}H{right:g}L{anchor['x']:g} {tip}Z"


def mirrored(x: float, home: str) -> float:
    """`x` on a board with light's home on the side `home`."""
    return x if home == "right" else WIDTH - x


def checkers(piles: list[Mapping[str, Any]], home: str) -> Iterator[Placed]:
    """Every checker on the points and the bar, from piles as in `webui.views.board`."""
    table = anchors()
    for pile in piles:
        anchor = table[pile["cell"]]
        for index in range(pile["count"]):
            y = anchor["y"] + anchor["step"] * min(index, SHOWN - 1)
            x = mirrored(anchor["x"], home)
            yield Placed(side=pile["side"], cell=pile["cell"], x=x, y=y)


def drawing() -> dict[str, Any]:
    """What the browser needs to continue drawing where the server stopped.

    Players throw into the half on their own right, wherever home is: dice are not mirrored.
    """
    return {
        "width": WIDTH, "height": HEIGHT, "band": BAND,
        "shown": SHOWN, "slab": SLAB, "anchors": anchors(),
        "dice": {"light": RIGHT + HALF / 2, "dark": LEFT + HALF / 2}, "cubes": cubes(),
        "widths": {"point": POINT, "bar": BAR, "off": TRAY},
    }  # fmt: skip
