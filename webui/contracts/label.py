"""What the page for labeling photos needs from the program: a `Labeler`, and what it shows."""

from __future__ import annotations

from typing import Literal, Protocol

from typing_extensions import TypedDict

from webui.contracts.setup import Pixel
from webui.contracts.state import Text

DieState = Literal["flat", "cocked", "on_checker", "off_board"]


class LabelRefused(Exception):
    """Raised by a `Labeler` when it cannot do something; the message says what would help."""


class DieLabel(TypedDict):
    """A die in a photo."""

    value: int | None
    """None if its upper face cannot be seen."""
    state: DieState
    center: Pixel


class CubeLabel(TypedDict):
    """The doubling cube in a photo."""

    value: int
    """1 for a cube that nobody has turned yet, which shows 64."""
    center: Pixel


class SideCounts(TypedDict):
    """Checkers of both sides."""

    light: int
    dark: int


class SeenCounts(TypedDict):
    """Checkers of both sides; null if they cannot be seen."""

    light: int | None
    dark: int | None


class BoardLabel(TypedDict):
    """What a photo shows."""

    points: list[int | None]
    """24 signed counts, negative for dark and null where hidden: the far row, then the near one,
    each from left to right."""
    bar: SideCounts
    off: SeenCounts
    dice: list[DieLabel]
    cube: CubeLabel | None


class Places(TypedDict):
    """Where the parts of a board are in a photo, in pixels."""

    points: list[tuple[Pixel, Pixel]]
    """Beside the wide end of each point, and its tip, in the order of the label."""
    bar: dict[Literal["light", "dark"], Pixel]
    off: dict[Literal["light", "dark"], Pixel]


class PhotoShown(TypedDict):
    """A photo as the page shows it."""

    size: tuple[int, int]
    """Width and height in pixels."""
    corners: list[Pixel] | None
    """The field's corners in order around it; null if no board was found."""
    places: Places | None
    """Null if no board was found."""
    label: BoardLabel
    doubtful: list[int]
    """Indices of the points whose count is uncertain."""
    fault: Text | None
    """Why the board was not read."""


class Labeler(Protocol):
    """Reads photos and keeps their labels; thread-safe. Photos are numbered from 0."""

    def names(self) -> list[str]:
        """The photos' names."""

    def labeled(self) -> list[int]:
        """The numbers of the photos that have a label."""

    def picture(self, number: int) -> bytes:
        """The photo as JPEG."""

    def show(self, number: int) -> PhotoShown:
        """The photo with its label or, without one, as read; reading takes seconds."""

    def set_corners(self, number: int, corners: list[Pixel]) -> PhotoShown:
        """Read the photo again, with the board between these corners, in pixels."""

    def save(self, number: int, label: BoardLabel) -> None:
        """Keep the label of a photo whose board was found."""
