"""The pictures that a phone's browser sends, handed from the page to whoever reads them.

Imports no OpenCV, because the page's process hands on what it does not decode.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.message import join, msg

PHONE: Final = "phone:"
"""The address by which the phone is opened as a source; no file or camera has it."""
NO_FEED: Final = join(
    (
        msg("a phone cannot be opened by this command"),
        msg("start `tableside live` without --camera and choose it in the browser"),
    )
)


@dataclass(frozen=True, slots=True)
class PhonePicture:
    """One picture as it was sent."""

    jpeg: bytes
    age: float
    """Seconds since it was taken."""


class PhoneFeed:
    """Keeps the newest picture until it is taken; thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._newest: tuple[bytes, float] | None = None

    def put(self, picture: PhonePicture) -> None:
        """Set the newest picture; one that nobody has taken is dropped."""
        taken_at = self._clock() - picture.age
        with self._changed:
            self._newest = picture.jpeg, taken_at
            self._changed.notify_all()

    def take(self, timeout: float) -> tuple[bytes, float] | None:
        """The newest picture as JPEG, once, and when it was taken, by this feed's clock.

        None if none comes within `timeout` seconds.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._newest is not None, timeout)
            newest, self._newest = self._newest, None
            return newest
