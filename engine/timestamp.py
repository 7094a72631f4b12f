"""Moments of a video source."""

from __future__ import annotations

from typing import NamedTuple


class Timestamp(NamedTuple):
    """A moment in the source: seconds, and the number of the frame."""

    time: float
    frame: int
