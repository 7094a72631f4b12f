"""What was read in a picture, as labels at places in it, for a page that draws them itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import DieSeen
from engine.arrays import Image

if TYPE_CHECKING:  # pages that only need to know what a label is need no vision
    from vision.reading.reader import Reading

MIN_FACE_CONFIDENCE: Final = 0.5
"""Probability from which a die's value is shown; below it, a question mark."""


class PictureLabel(NamedTuple):
    """A label at a place of a picture."""

    x: float
    """As a fraction of the picture's width, from its left edge."""
    y: float
    """As a fraction of its height, from its upper edge."""
    kind: str
    """`light` or `dark` for a checker count of that side, `die` for a die."""
    text: str
    sure: float
    """The probability that it is right."""


def labels_of(reading: Reading, image: Image) -> tuple[PictureLabel, ...]:
    """The counts beside the points and the values of the dice, for the `image` that was read."""
    height, width = image.shape[:2]
    return tuple(
        PictureLabel(
            round(float(x) / width, 4), round(float(y) / height, 4), kind, text, round(sure, 3)
        )
        for x, y, kind, text, sure in (*_counts(reading), *map(_die, reading.observation.dice))
    )


def _counts(reading: Reading) -> Iterator[PictureLabel]:
    from vision.reading.overlay import count_position

    sure = reading.counted.chances.max(axis=1)
    for cell, count in enumerate(reading.counted.most_likely[:26]):
        if count:
            x, y = count_position(reading.grid, cell)
            kind = "light" if count > 0 else "dark"
            yield PictureLabel(x, y, kind, str(abs(int(count))), float(sure[cell]))


def _die(die: DieSeen) -> PictureLabel:
    text = str(die.value) if die.confidence >= MIN_FACE_CONFIDENCE else "?"
    return PictureLabel(*die.center, "die", text, float(die.confidence))
