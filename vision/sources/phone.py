"""A phone's browser as a live source: its JPEGs, with the times at which they were taken."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np

from engine.message import msg
from vision.errors import SourceError
from vision.sources.camera import LiveSource
from vision.sources.frame import MAX_PIXELS, size_of_jpeg
from vision.sources.liveness import SourceAdvice, SourceTimeouts
from vision.sources.phone_feed import NO_FEED, PhoneFeed

NAME: Final = msg("the phone")
ADVICE: Final = SourceAdvice(
    msg("look at the phone: its camera page must be open and on the network"),
    msg("close the camera page on the phone and open it again"),
)
TIMEOUTS: Final = SourceTimeouts(retry_most=0.25)
"""Reopening costs nothing here, so a phone that returns is seen at once."""


class PhoneCapture:
    """The part of `cv2.VideoCapture` that a `LiveSource` uses, over a feed."""

    def __init__(self, feed: PhoneFeed, patience: float = TIMEOUTS.stall) -> None:
        """patience: seconds to wait for a picture before it counts as missing."""
        self._feed, self._patience = feed, patience
        self._is_open = True
        self.taken_at = 0.0
        """When the last picture was taken, by the feed's clock."""

    def isOpened(self) -> bool:  # noqa: N802, D102 - OpenCV's name
        return self._is_open

    def read(self) -> tuple[bool, Any]:
        """Wait for the next picture that can be decoded; (False, None) if none comes in time."""
        newest = self._feed.take(self._patience)
        if newest is None or not self._is_open:
            return False, None
        jpeg, self.taken_at = newest
        image = decode(jpeg)
        return image is not None, image

    def grab(self) -> bool:  # noqa: D102
        return self.read()[0]

    def set(self, prop: int, value: float, /) -> bool:  # noqa: D102
        return False

    def get(self, prop: int, /) -> float:  # noqa: D102
        return 0.0

    def release(self) -> None:  # noqa: D102
        self._is_open = False


def decode(jpeg: bytes) -> Any:
    """(H, W, 3) uint8; None if the bytes are not a JPEG of acceptable size."""
    size = size_of_jpeg(jpeg)
    if size is None or not 0 < size[0] * size[1] <= MAX_PIXELS:
        return None
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)


def phone_source(feed: PhoneFeed | None) -> LiveSource:
    """The phone that fills `feed`; raises `SourceError` where there is none."""
    if feed is None:
        raise SourceError(NO_FEED)
    return LiveSource(NAME, lambda: PhoneCapture(feed), timeouts=TIMEOUTS, advice=ADVICE)
