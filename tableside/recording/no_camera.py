"""`NoCamera`: in place of a camera where none is used: it has a clock, and never a picture."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from vision.sources.frame import Frame

NAME: Final = "no camera"
"""What a record has as the source of such a match."""


class NoCamera:
    """A `FrameSource` without pictures, until it is closed."""

    name, fps, frames, is_live = NAME, 0.0, None, True

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._closed = threading.Event()

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return self._clock() - self._began

    def __iter__(self) -> Iterator[Frame]:
        self._closed.wait()
        return iter(())

    def close(self) -> None:
        """Whoever waits for a picture waits no more."""
        self._closed.set()
