"""How long the board has gone without being judged, and why.

While players move, hands cover the board for seconds at a time. A stretch that could hide a whole
turn is reported, so that nothing is missed silently.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import inf
from typing import Final

from engine.events.record import UnseenReason
from engine.message import Message, msg

MAX_SECONDS: Final[dict[UnseenReason, float]] = {
    "covered": 20.0,
    "moving": 20.0,
    "lost": 3.0,
    "blank": 3.0,
    "skipped": 0.0,
}
"""Longest stretch that hides no turn, in seconds. Hands are over the board for a whole play, and
players think; what is skipped, in gaps, may hide a turn immediately."""
GAP_SECONDS: Final = 2.5
"""Seconds between two frames from which it is a gap, because a turn without hands takes 3 seconds
..."""
TWO_STEPS_SECONDS: Final = 3.0
"""... and between three: a single frame in a turn shows its dice or its play, not both."""
SPARSE_STEP_SECONDS: Final = 0.5
"""Mean time between frames from which the short glimpses between two hands are missed ..."""
MAX_SPARSE_SECONDS: Final = 8.0
"""... and the longest stretch that hides no turn in that case."""
MESSAGES: Final[dict[UnseenReason, Message]] = {
    "covered": msg("something is covering the board: nothing is recorded until it is gone"),
    "moving": msg("the picture never settles: nothing is recorded until it does"),
    "lost": msg("looking for the board: it was moved, or something is covering it"),
    "blank": msg("the picture is blank: uncover the lens or turn on a light"),
    "skipped": msg("frames are missing: what happened between them was not seen"),
}


@dataclass(frozen=True, slots=True)
class UnseenSpan:
    """A stretch in which the board could not be judged, in seconds of the source."""

    start: float
    end: float
    reason: UnseenReason


class Coverage:
    """Measures the stretches between two moments at which the board is judged."""

    def __init__(self) -> None:
        self._judged_at = self._newest = inf
        self._last_step = 0.0
        self._seconds: dict[UnseenReason, float] = defaultdict(float)
        self._frames = 0
        self.watched = self.unseen = 0.0
        """Seconds so far, and those in which the board could not be judged for too long."""

    @property
    def unseen_share(self) -> float:
        """Fraction of the time so far in which the board could not be judged for too long."""
        return self.unseen / self.watched if self.watched else 0.0

    def add(self, watched: float, unseen: float) -> None:
        """Count seconds that another watched."""
        self.watched += watched
        self.unseen += unseen

    def restart(self) -> None:
        """Forget the current stretch: the board was not to be judged."""
        self._judged_at = self._newest = inf
        self._last_step = 0.0
        self._seconds.clear()
        self._frames = 0

    def update(self, seconds: float, obstacle: UnseenReason | None) -> UnseenSpan | None:
        """Process the frame at `seconds`; `obstacle` is why the board cannot be judged in it.

        Returns the stretch that ends with this frame, if it must be reported.
        """
        if self._newest == inf:
            self._judged_at = self._newest = seconds
        step = seconds - self._newest
        if self._is_gap(step):
            self._seconds["skipped"] += step
        elif obstacle is not None:
            self._seconds[obstacle] += step
        self.watched += step
        self._newest, self._last_step = seconds, step
        self._frames += 1
        return self.end() if obstacle is None else None

    def _is_gap(self, step: float) -> bool:
        """Whether a turn may have passed in this step, or in it and the previous, non-gap one."""
        if step > GAP_SECONDS:
            return True
        return self._last_step <= GAP_SECONDS and step + self._last_step > TWO_STEPS_SECONDS

    def end(self) -> UnseenSpan | None:
        """The stretch up to the newest frame, if it must be reported; another begins there."""
        reason, start = self.reason, self._judged_at
        self._judged_at = self._newest
        self._seconds.clear()
        self._frames = 0
        if reason is None:
            return None
        self.unseen += self._newest - start
        return UnseenSpan(start, self._newest, reason)

    @property
    def reason(self) -> UnseenReason | None:
        """Why the board has not been judged for too long; None if that is not the case."""
        total = sum(self._seconds.values())
        is_sparse = total > SPARSE_STEP_SECONDS * self._frames
        too_long = [name for name, spent in self._seconds.items() if spent > MAX_SECONDS[name]]
        if not too_long and total <= (MAX_SPARSE_SECONDS if is_sparse else MAX_SECONDS["covered"]):
            return None
        return max(too_long or self._seconds, key=lambda name: self._seconds[name])

    @property
    def message(self) -> Message | None:
        """What the players should know while the stretch continues."""
        reason = self.reason
        return None if reason is None else MESSAGES[reason]
