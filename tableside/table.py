"""`LiveTable`: what the page reads, kept up to date by whoever watches the board."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import cv2
import numpy as np

from vision.frame import Frame, Image
from vision.overlay import draw_overlay
from vision.reader import Reading
from webui import Role, State, blank_state

QUALITY: Final = 80
"""Of the JPEG; below, the thin lines of the overlay fray."""


class LiveTable:
    """A `webui.Table`; `tell` and `show` change it, from any thread.

    A picture is drawn when somebody asks for it, once for all who ask, so that a page that
    nobody looks at costs nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._drawing = threading.Lock()
        blank = blank_state(self._next_version(0), "starting")
        self._states: dict[Role, State] = dict.fromkeys(Role, blank)
        self._frame: tuple[int, Image] | None = None
        self._reading: Reading | None = None
        self._is_open = False
        self._drawn: tuple[int, bytes] | None = None

    def _next_version(self, last: int) -> int:
        return max(last + 1, int(self._clock() * 1000))

    def tell(self, *, referee: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Change parts of the state; nothing happens if they are what they were.

        referee: what the referee is told in place of some of them.
        """
        with self._changed:
            for role in Role:
                apart = referee if role is Role.REFEREE else None
                self._tell(role, {**changes, **(apart or {})})

    def _tell(self, role: Role, changes: Mapping[str, Any]) -> None:
        """A change that a role may not see is none to it: its version stays too."""
        known: dict[str, Any] = {**self._states[role]}
        if all(known[name] == value for name, value in changes.items()):
            return
        known.update(changes, version=self._next_version(known["version"]))
        self._states[role] = State(**known)  # type: ignore[typeddict-item]
        self._changed.notify_all()

    def show(self, frame: Frame) -> None:
        """The newest picture."""
        with self._changed:
            number = 1 if self._frame is None else self._frame[0] + 1
            self._frame = number, frame.image
            self._changed.notify_all()

    def mark(self, reading: Reading | None, *, is_open: bool) -> None:
        """What is drawn over the following pictures; `is_open`: no hand is over the board."""
        with self._changed:
            self._reading, self._is_open = reading, is_open

    def state(self, role: Role = Role.VIEWER) -> Mapping[str, Any]:
        """The newest state as `role` may see it."""
        with self._changed:
            return self._states[role]

    def wait(
        self, after: int, timeout: float, role: Role = Role.VIEWER
    ) -> Mapping[str, Any] | None:
        """The newest state once its version is above `after`; None after `timeout` seconds."""
        with self._changed:
            is_newer = self._changed.wait_for(
                lambda: self._states[role]["version"] > after, timeout
            )
            return self._states[role] if is_newer else None

    def picture(self) -> bytes | None:
        """The newest picture with what was seen drawn over it; None before any."""
        newest = self._picture()
        return None if newest is None else newest[1]

    def pictures(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`; None after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: (self._frame or (0,))[0] > after, timeout):
                return None
        return self._picture()

    def _picture(self) -> tuple[int, bytes] | None:
        with self._drawing:
            with self._changed:
                frame, reading, is_open = self._frame, self._reading, self._is_open
            if frame is None:
                return None
            if self._drawn is None or self._drawn[0] != frame[0]:
                self._drawn = frame[0], _jpeg(frame[1], reading, is_open)
            return self._drawn


def _jpeg(image: Image, reading: Reading | None, is_open: bool) -> bytes:
    drawn = image if reading is None else draw_overlay(image, reading, is_open=is_open)
    coded = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
    return bytes(np.asarray(coded, np.uint8))
