"""`FrameQueue`: takes frames off a source in its own thread.

A camera must be drained whatever the reader does, and its newest picture is shown while an older
one is being read. A live source loses frames that nobody takes in time; a file loses none.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

from vision.sources.frame import Frame, FrameSource

MAX_DECODED: Final = 8
"""Frames of a file that are decoded in advance."""


class FrameQueue:
    """The frames of `source`; `show` is called with each one as it arrives."""

    def __init__(self, source: FrameSource, show: Callable[[Frame], object]) -> None:
        self.source = source
        self.error: Exception | None = None
        """Why the source ended, if it ended unexpectedly."""
        self._show = show
        self._ready: deque[Frame] = deque()
        self._changed = threading.Condition()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="frames", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for frame in self.source:
                self._show(frame)
                self._put(frame)
        except Exception as error:  # noqa: BLE001 - whoever takes the frames raises it
            self.error = error
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()

    def _put(self, frame: Frame) -> None:
        with self._changed:
            if self.source.is_live:
                self._ready.clear()
            self._changed.wait_for(lambda: len(self._ready) < MAX_DECODED or self._is_over)
            self._ready.append(frame)
            self._changed.notify_all()

    @property
    def is_over(self) -> bool:
        """Whether every frame has been taken and no more will come."""
        with self._changed:
            return self._is_over and not self._ready

    def take(self, timeout: float) -> Frame | None:
        """The next frame; None if none came in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._ready or self._is_over, timeout)
            frame = self._ready.popleft() if self._ready else None
            self._changed.notify_all()
            return frame

    def close(self) -> None:
        """Deliver no more frames, and release the source."""
        self.source.close()
        with self._changed:
            self._ready.clear()
            self._is_over = True
            self._changed.notify_all()
        self._thread.join(timeout=2)
