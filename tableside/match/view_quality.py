"""What keeps the board from being judged, frame by frame; dim frames are brightened."""

from __future__ import annotations

from math import inf
from typing import Final

from calibration.profile import Profile
from engine import Unseen
from engine.arrays import Image
from engine.events.record import UnseenReason
from engine.message import Message
from engine.timestamp import Timestamp
from vision.board.faults import TOO_BRIGHT, TOO_DARK, light_fault
from vision.reading.coverage import MESSAGES, Coverage, UnseenSpan
from vision.sources.frame import Frame
from vision.steady.exposure import Exposure, is_blank

EXPLAINED_SECONDS: Final = 1.0
"""Time without a judgment from which the light may be the reason, and in the dark from which it is
named though the board is still read."""
SAMPLING: Final = 4
"""Rows and columns of which one is looked at for the light."""


class ViewQuality:
    """Judges the frames of one session, in order, before anything is read from them."""

    def __init__(self, profile: Profile | None, seen_until: float | None = None) -> None:
        """`profile`: of the board, if known before the first frame.

        seen_until: when the board was last judged in an earlier session, in seconds.
        """
        self.began_at = inf if seen_until is None else seen_until
        """Time of the first frame in seconds, or since when a resumed match has not been seen."""
        self.is_blank = False
        """Whether the last frame showed nothing at all."""
        self._judged_at = self._bright_at = inf
        self._sample: Image | None = None
        """(h, w, 3) some pixels of the last frame."""
        self._light_fault: Message | None = None
        self.coverage = Coverage()
        if seen_until is not None:
            self.coverage.update(seen_until, None)
        self._exposure = Exposure(None if profile is None else profile.picture)

    @property
    def fault(self) -> Message | None:
        """What is wrong with the light: it keeps the board from being judged, or soon will."""
        if self.is_blank:
            return TOO_BRIGHT if self._light() == TOO_BRIGHT else MESSAGES["blank"]
        return self._light_fault

    def _light(self) -> Message | None:
        return None if self._sample is None else light_fault(self._sample)

    @property
    def message(self) -> Message | None:
        """What the players should know about the view; None unless a problem persists."""
        return self.fault or self.coverage.message

    def lit(self, frame: Frame) -> Image | None:
        """The frame's picture, (H, W, 3), bright enough to be read; None for a blank one."""
        self.began_at = min(self.began_at, frame.seconds)
        self.is_blank = is_blank(frame.image)
        self._sample = frame.image[::SAMPLING, ::SAMPLING]
        return None if self.is_blank else self._exposure.lit(frame.image)

    def update(self, when: Timestamp, obstacle: UnseenReason | None) -> Unseen | None:
        """The unseen stretch that ends with this frame; `obstacle`: what blocks this frame."""
        if obstacle is None:
            self._judged_at = when.time
        light = self._light()
        if light != TOO_DARK:
            self._bright_at = when.time
        self._judged_at = min(self._judged_at, when.time)
        self._bright_at = min(self._bright_at, when.time)
        since = self._bright_at if light == TOO_DARK else self._judged_at
        self._light_fault = light if when.time - since > EXPLAINED_SECONDS else None
        return _event(self.coverage.update(when.time, obstacle), when)

    def pause(self, when: Timestamp) -> Unseen | None:
        """Stop judging until the next frame; return the unseen stretch, if any."""
        unseen = self.end(when)
        self.coverage.restart()
        return unseen

    def end(self, when: Timestamp) -> Unseen | None:
        """The unseen stretch that ends with the newest frame, if any."""
        return _event(self.coverage.end(), when)

    def nothing_seen(self, when: Timestamp, reason: UnseenReason) -> Unseen | None:
        """The whole source as an unseen stretch, if no game was seen in it; reported once."""
        start, self.began_at = self.began_at, when.time
        if when.time <= start:
            return None
        return _event(UnseenSpan(start, when.time, "blank" if self.is_blank else reason), when)


def _event(span: UnseenSpan | None, when: Timestamp) -> Unseen | None:
    if span is None:
        return None
    start, end = round(span.start, 3), round(span.end, 3)
    return Unseen(**when._asdict(), start=start, end=end, reason=span.reason)
