"""Whether processing keeps up with the pictures, and what is left out until it does.

A look is the processing of one picture. Skipping pictures does no harm while enough of them are
looked at. If too few are, the players are told, and whatever the record can do without is left out,
one thing after another.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from math import inf
from typing import Final, NamedTuple

from engine.message import Message, msg
from vision.sources.frame import Frame

WINDOW_SECONDS: Final = 5.0
"""Window of looks that show whether processing falls behind ..."""
LONG_WINDOW_SECONDS: Final = 8.0
"""... and of those that show that it has caught up: a lull between two bursts of other work does
not."""
WARM_UP_SECONDS: Final = 4.0
"""Time after the first look at a newly found board that is not assessed: nets are loaded and code
is compiled in it."""
MIN_LOOKS: Final = 3
"""Number of newest looks that count however old they are."""
MIN_SPAN_SECONDS: Final = 2.0
"""Time that looks must span before they are assessed."""
SLOW_RATE: Final = 8.0
"""Looks per second below which glimpses of the board between two hands are missed ..."""
FAST_RATE: Final = 10.0
"""... and above which they no longer are."""
MANY_SKIPPED: Final = 0.25
"""Fraction of pictures skipped from which the camera is not the bottleneck ..."""
FEW_SKIPPED: Final = 0.1
"""... and below which it is."""
LATE_SECONDS: Final = 2.0
"""Age of a picture when its look begins, from which the page is late ..."""
TIMELY_SECONDS: Final = 1.0
"""... and below which it no longer is."""
RENEW_SECONDS: Final = 3.0
"""Minimum time between two changes of the figures shown."""
SHED_SECONDS: Final = 5.0
"""Time spent behind before more is left out ..."""
RESTORE_SECONDS: Final = 60.0
"""... and time spent keeping up before less is."""
WARN_SECONDS: Final = 300.0
"""Minimum time between two warnings in the log."""
ENOUGH_PIXELS: Final = 1280 * 720
FRACTIONS: Final = (
    *((3, 10), (2, 5), (5, 10), (3, 5), (2, 3)),
    *((3, 4), (4, 5), (5, 6), (9, 10), (19, 20)),
)
"""Fractions as people say them, each of a small number of pictures."""
_LOGGER: Final = logging.getLogger(__name__)


class Shed(IntEnum):
    """What is left out, each level including those before it; none affects what is recorded."""

    NOTHING = 0
    EARLY_LOOKS = 1
    """Looks at dice that may still roll and at unfinished plays, which only the page needs."""
    LARGE_PICTURES = 2
    """Large pictures: those on the page are small."""
    OVERLAY = 3
    """The overlay: nothing is drawn on the pictures."""


@dataclass(frozen=True, slots=True)
class Load:
    """How far processing is behind."""

    skipped: float
    """Fraction of the pictures that are skipped."""
    looks_per_second: float
    late: float
    """Age of the pictures when their looks begin, in seconds."""
    is_large: bool
    """Whether the pictures have more pixels than are needed."""

    @property
    def is_behind(self) -> bool:
        """Whether too little is seen, or seen too late."""
        is_slow = self.looks_per_second < SLOW_RATE and self.skipped >= MANY_SKIPPED
        return is_slow or self.late > LATE_SECONDS

    @property
    def keeps_up(self) -> bool:
        """Whether it is certainly not behind; a load may be neither."""
        is_fast = self.looks_per_second > FAST_RATE or self.skipped < FEW_SKIPPED
        return is_fast and self.late < TIMELY_SECONDS

    @property
    def message(self) -> Message:
        """What the players should know and do."""
        if self.skipped < MANY_SKIPPED:
            return msg("the page is {late:.0f} s late: close other programs", late=self.late)
        skipped, total = min(FRACTIONS, key=lambda one: abs(one[0] / one[1] - self.skipped))
        if self.is_large:
            return msg(
                "{skipped} of {total} pictures are skipped: set the camera to 720p or close other "
                "programs",
                skipped=skipped,
                total=total,
            )
        return msg(
            "{skipped} of {total} pictures are skipped: close other programs",
            skipped=skipped,
            total=total,
        )


class Look(NamedTuple):
    """The processing of one picture."""

    began: float
    """When it began, by the clock, in seconds."""
    late: float
    """Age of the picture at that time, in seconds."""
    skipped: int
    """Number of pictures skipped since the previous look."""
    interval: float
    """Seconds since the previous look began; 0 for the first."""


class LoadMeter:
    """Measures the looks at one source's pictures; must be told of each picture that arrives."""

    def __init__(self) -> None:
        self.shed = Shed.NOTHING
        """What must be left out."""
        self.shown: Load | None = None
        """What the players are told; None while processing keeps up."""
        self._looks: deque[Look] = deque()
        self._newest: int | None = None
        self._lead = inf
        """How far the clock is ahead of the source's time for the most timely picture, in
        seconds."""
        self._renewed_at = self._shed_at = self._warned_at = -inf
        self._is_warned = False
        self._is_warm = False
        self._warms_since = inf
        """When the first look of the warm-up began, in seconds."""

    def begin(self, frame: Frame, now: float) -> Look:
        """Record that the look at `frame` begins at `now` by the clock."""
        self._warms_since = min(self._warms_since, now)
        if not self._is_warm and now - self._warms_since >= WARM_UP_SECONDS:
            self._is_warm = True
            self.restart()
        self._lead = min(self._lead, now - frame.seconds)
        interval = now - self._looks[-1].began if self._looks else 0.0
        look = Look(now, now - frame.seconds - self._lead, self._skipped_before(frame), interval)
        self._newest = frame.index
        self._looks.append(look)
        while len(self._looks) > MIN_LOOKS and self._looks[1].began <= now - LONG_WINDOW_SECONDS:
            self._looks.popleft()
        if self._is_warm and now - self._looks[0].began >= MIN_SPAN_SECONDS:
            self._judge(now, is_large=frame.image.size > 3 * ENOUGH_PIXELS)
        return look

    def leave(self, frame: Frame) -> int:
        """Record a picture that is not to be judged, as in a pause; return how many that makes."""
        skipped = 1 + self._skipped_before(frame)
        self._newest = frame.index
        self.restart()
        return skipped

    def restart(self) -> None:
        """Start measuring again and leave nothing out: the work so far was of another kind."""
        if self._is_warned:
            _LOGGER.warning("measuring again whether the computer keeps up with the pictures")
        self._looks.clear()
        self._lead, self.shown, self._warms_since = inf, None, inf
        self.shed, self._is_warned = Shed.NOTHING, False

    def _judge(self, now: float, *, is_large: bool) -> None:
        load = self._measured(now, WINDOW_SECONDS, is_large=is_large)
        was_behind = self.shown is not None
        is_behind = load.is_behind
        if was_behind:
            is_behind = not self._measured(now, LONG_WINDOW_SECONDS, is_large=is_large).keeps_up
        if is_behind != was_behind:
            self.shown, self._renewed_at = load if is_behind else None, now
            self._shed_at = now
            self._log(now)
        elif is_behind and now - self._renewed_at >= RENEW_SECONDS:
            self.shown, self._renewed_at = load, now
        self._shed_more_or_less(now, is_behind=is_behind)

    def _skipped_before(self, frame: Frame) -> int:
        return 0 if self._newest is None else max(0, frame.index - self._newest - 1)

    def _log(self, now: float) -> None:
        """Warn once and not again soon; log the end of an overload that was warned of."""
        if self.shown is None and self._is_warned:
            _LOGGER.warning("the computer keeps up with the pictures again")
        self._is_warned = self.shown is not None and now - self._warned_at >= WARN_SECONDS
        if self.shown is not None and self._is_warned:
            self._warned_at = now
            _LOGGER.warning("%s", self.shown.message)

    def _measured(self, now: float, window: float, *, is_large: bool) -> Load:
        """The load of the looks in the window; the look before it shows when they began."""
        looks = list(self._looks)
        while len(looks) > MIN_LOOKS and looks[1].began <= now - window:
            del looks[0]
        first, *looks = looks
        count, skipped = len(looks), sum(look.skipped for look in looks)
        return Load(
            skipped / (count + skipped),
            count / (looks[-1].began - first.began),
            min(look.late for look in looks if look.began >= now - WINDOW_SECONDS),
            is_large,
        )

    def _shed_more_or_less(self, now: float, *, is_behind: bool) -> None:
        if now - self._shed_at < (SHED_SECONDS if is_behind else RESTORE_SECONDS):
            return
        self._shed_at = now
        step = 1 if is_behind else -1
        self.shed = Shed(min(max(self.shed + step, Shed.NOTHING), Shed.OVERLAY))
