"""From a stream of frames to the looks worth judging: `Watch`."""

from __future__ import annotations

from typing import Final

from calibration.profile import Profile
from engine import Busy, Observation
from vision.frame import Frame
from vision.motion import MotionGate
from vision.reader import Reader, Reading

EVERY_SECONDS: Final = 0.3  # between two looks of one quiet stretch
LOOKS: Final = 6  # of one quiet stretch: more of them say nothing new (VISION.md 0.2)


class Watch:
    """Reads the board when it can be seen; give it every frame in order."""

    def __init__(self, profile: Profile) -> None:
        self._gate = MotionGate(profile.pose, profile.layout)
        self._reader = Reader(profile)
        self._taken = 0
        self._next = 0.0
        self.reading: Reading | None = None
        """The newest look, for the overlay."""
        self.is_open = True
        """Whether the board could be seen in the last frame: no hand, no motion."""

    def see(self, frame: Frame) -> Observation | Busy | None:
        """A look, that the board cannot be read now, or None: nothing that was not said before."""
        view = self._gate.see(frame.image, frame.seconds)
        self.is_open = view.is_open
        if not view.is_open:
            self._taken, self._next = 0, 0.0
            return Busy(frame.seconds, frame.index)
        if self._taken >= LOOKS or frame.seconds < self._next:
            return None
        self._taken += 1
        self._next = frame.seconds + EVERY_SECONDS
        self.reading = self._reader.read(frame)
        return self.reading.observation

    def settle(self) -> None:
        """A play was recorded: what was read last is what later looks are compared with."""
        self._reader.settle()
