"""The types of what the page for labeling photos sends."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from webui.api.schemas.common import Pips, RequestBody
from webui.api.schemas.setup import Corner, Corners
from webui.contracts.label import DieState

MOST: int = 15
"""Checkers of a side."""
Held = Annotated[int, Field(ge=0, le=MOST)]
Signed = Annotated[int, Field(ge=-MOST, le=MOST)]


class SideCountsBody(RequestBody):
    """Checkers of both sides."""

    light: Held
    dark: Held


class SeenCountsBody(RequestBody):
    """Checkers of both sides; null if they cannot be seen."""

    light: Held | None
    dark: Held | None


class DieBody(RequestBody):
    """A die in the photo."""

    value: Pips | None
    state: DieState
    center: Corner


class CubeBody(RequestBody):
    """The doubling cube in the photo."""

    value: Annotated[int, Field(ge=1, le=64)]
    center: Corner


class LabelBody(RequestBody):
    """What a photo shows; see `webui.contracts.label.BoardLabel`."""

    points: Annotated[list[Signed | None], Field(min_length=24, max_length=24)]
    bar: SideCountsBody
    off: SeenCountsBody
    dice: Annotated[list[DieBody], Field(max_length=16)]
    cube: CubeBody | None


class MarkedCornersBody(RequestBody):
    """The field's corners in order around it, each `[x, y]` in pixels."""

    corners: Corners
