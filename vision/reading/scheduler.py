"""From a stream of frames to the looks worth judging: `BoardWatcher`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.profile import Profile
from engine import DieSeen, Motion, Observation
from engine.arrays import Image
from engine.message import Message, msg
from vision.board.tracking import BoardTracker
from vision.checkers.disc_model import DiscCounts
from vision.checkers.fine_tune import adapt_to_set
from vision.dice.candidates import DICE_PER_THROW
from vision.dice.size import DieSize
from vision.reading.acquire import BoardReacquisition
from vision.reading.motion import MotionGate
from vision.reading.reader import Reader, Reading
from vision.reading.relocate import is_turned
from vision.sources.frame import Frame

READING_INTERVAL: Final = 0.3
"""Between two looks."""
READING_INTERVALS: Final = (READING_INTERVAL, 1.5, 3.0)
"""Seconds from each look of one quiet stretch to the next. Two say what there is to say (VISION.md
0.2); what has to stand for a while, a cube or a swept board, is looked at twice more."""
STABLE_FACE_PROBABILITY: Final = 0.95
"""Probability of a die's face from which it need not be read again while the picture is the same:
noise and compression change what is made of pips, hardly what is made of checkers."""
EARLY_DICE_SECONDS: Final = 0.1
"""Without motion before the dice are glanced at: half of what a look waits for."""
HAND_CHECK_SECONDS: Final = 0.5
"""A hand that lies still this long may be none."""
MOVED_SHARE: Final = 0.01
"""Of the picture's width: how far a corner of the field goes before the board counts as moved."""
BOARD_LOST: Final = msg("looking for the board: it was moved, or something covers it")


class BoardWatcher:
    """Reads the board when it can be seen; give it every frame in order.

    Before a look it makes sure that the board lies where it lay: a small bump is followed, after
    a big one the board is looked for, and until it is found nothing is read.
    """

    def __init__(
        self, profile: Profile, *, glances: bool = False, moved_at: float = -np.inf
    ) -> None:
        """`glances`: whether dice are wanted before it is sure that nothing moves any more.

        moved_at: until when something may have moved, where nobody has watched the board so far.
        """
        self._glances = glances
        self._glanced: tuple[DieSeen, ...] | None = None
        self._glanced_after = 0.0
        self._lesson, self._die_size = adapt_to_set(profile), DieSize()
        self._settle_at(profile, moved_at)
        self.reading: Reading | None = None
        """The newest look, for the overlay."""
        self._read_in: Image | None = None
        self.is_open = True
        """Whether the board could be seen in the last frame: no hand, no motion."""
        self._told_at = profile.pose.corners()
        self._asked_of = profile.pose

    @property
    def profile(self) -> Profile:
        """The board as it stands now."""
        return self._reader.profile

    @property
    def dice(self) -> tuple[DieSeen, ...]:
        """The dice that lie there, from a glance where that is newer than the last look."""
        if self._glanced is not None:
            return self._glanced
        return () if self.reading is None else self.reading.observation.dice

    @property
    def message(self) -> Message | None:
        """What keeps the board from being read; None while nothing lasting does."""
        return None if self._search is None else BOARD_LOST

    @property
    def is_idle(self) -> bool:
        """Whether all that lies there was read and nothing moves: few pictures a second will do.

        What happens next is known from the picture before and after it.
        """
        return self._search is None and self.is_open and self._taken > 1

    def see(self, frame: Frame) -> Observation | Motion | None:
        """A look, that the board cannot be read now, or None: nothing that was not said before."""
        if self._search is not None:
            return self._searched(self._search, frame)
        view = self._gate.see(frame.image, frame.seconds)
        self.is_open = view.is_open
        if view.is_moving:
            self._pause(frame.seconds)
            self._glance(frame)
        elif frame.seconds < self._next or (view.is_open and self._taken > len(READING_INTERVALS)):
            if view.is_open:
                return None
        elif view.is_open and self._shows_the_same():
            return self._repeated(frame)
        elif view.has_hand and frame.seconds < self._doubt_at:
            pass
        elif self._is_kept(frame):
            if view.has_hand:
                self._suspect(frame)
            elif (reading := self._read(frame)) is not None:
                return self._told(reading, frame.seconds)
        return Motion(frame.seconds, frame.index)

    def has_moved(self) -> bool:
        """Whether the board or the camera was moved since this was asked last, and is found again.

        What is followed without anybody noticing, a bump of a pixel or a slow drift, counts when
        it has added up.
        """
        if self.profile.pose is self._asked_of:
            return False
        self._asked_of = self.profile.pose
        corners = self._asked_of.corners()
        way = np.linalg.norm(corners - self._told_at, axis=1).max()
        if way <= MOVED_SHARE * self.profile.pose.size[0]:
            return False
        self._told_at = corners
        return True

    def settle(self) -> None:
        """A play was recorded: what was read last is what later looks are compared with."""
        self._reader.settle()

    def _settle_at(self, profile: Profile, moved_at: float) -> None:
        self._reader = Reader(profile, self._lesson, self._die_size)
        self._gate = MotionGate(profile.pose, profile.layout, moved_at)
        self._keeper = BoardTracker(profile.pose, profile.layout)
        self._search: BoardReacquisition | None = None
        self._pause(0.0)

    def _pause(self, now: float) -> None:
        """Whatever was seen is void: a new stretch of looks begins."""
        self._taken, self._next = 0, now
        self._doubt_at, self._is_suspected = now + HAND_CHECK_SECONDS, False

    def _is_kept(self, frame: Frame) -> bool:
        """Whether the board lies where the reader has it; if not, that is put right or begun."""
        pose = self._keeper.check(frame.image)
        if pose is self.profile.pose:
            return True
        if pose is None:
            self._lose()
        else:
            self._reader.follow(pose)
            self._gate.follow(pose)
            self._pause(frame.seconds)
        return False

    def _shows_the_same(self) -> bool:
        """Whether this stretch was read, where in doubt twice, and the picture is the one that was.

        The same picture gives the same answer.
        """
        if not self._taken or self._read_in is None or self.reading is None:
            return False
        dice = self.reading.observation.dice
        sure = len(dice) != 1 and all(max(die.faces) >= STABLE_FACE_PROBABILITY for die in dice)
        return (sure or self._taken > 1) and self._gate.shows(self._read_in)

    def _repeated(self, frame: Frame) -> Observation:
        assert self.reading is not None, "a stretch was read before it is told again"  # noqa: S101
        return self._told(self._reader.repeat(self.reading, frame), frame.seconds)

    def _told(self, reading: Reading, seconds: float) -> Observation:
        self._next = seconds + READING_INTERVALS[min(self._taken, len(READING_INTERVALS) - 1)]
        self._taken += 1
        self.reading, self._glanced = reading, None
        return reading.observation

    def _glance(self, frame: Frame) -> None:
        """Once after each motion: dice come to rest a little before a look can be taken."""
        moved_at = self._gate.moved_at
        is_still = frame.seconds - moved_at >= EARLY_DICE_SECONDS
        if not (self._glances and is_still and moved_at > self._glanced_after):
            return
        self._glanced_after = moved_at
        if self.reading is not None:
            dice = self._reader.glance(frame, self.reading.counted)
            self._glanced = dice if len(dice) >= DICE_PER_THROW else self._glanced

    def _suspect(self, frame: Frame) -> None:
        """Something large and new lies still: a hand, or the same board the other way round."""
        self._next = frame.seconds + READING_INTERVAL
        if not self._is_suspected:
            self._is_suspected = True
            self._is_turned(self._reader.count(frame))

    def _read(self, frame: Frame) -> Reading | None:
        """What the frame shows; None if it is the board of before seen from its other side."""
        reading = self._reader.read(frame)
        self._read_in = self._gate.picture
        return None if self._is_turned(reading.counted) else reading

    def _is_turned(self, counted: DiscCounts) -> bool:
        """Whether it is the board of before seen from its other side: then it is looked for."""
        if self._known is None or not is_turned(counted, self._known):
            return False
        self._lose()
        return True

    @property
    def _known(self) -> NDArray[np.int64] | None:
        """(28,) what stood on the board when it was read last."""
        return None if self.reading is None else self.reading.counted.most_likely

    def _lose(self) -> None:
        self._search = BoardReacquisition(self.profile, self._known)
        self.is_open = False

    def _searched(self, search: BoardReacquisition, frame: Frame) -> Motion:
        found = search.see(frame)
        if found is not None:
            self._settle_at(found, frame.seconds)
        return Motion(frame.seconds, frame.index)
