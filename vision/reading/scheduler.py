"""Chooses the frames of a stream that are worth reading, and reads them."""

from __future__ import annotations

from dataclasses import replace
from math import dist, inf
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from calibration.profile import Profile
from engine import DieSeen, Motion, Observation
from engine.arrays import Floats, Image
from engine.events.record import UnseenReason
from engine.message import Message, msg
from vision.board.tracking import BoardTracker
from vision.checkers.disc_model import DiscCounts
from vision.checkers.fine_tune import adapt_to_set
from vision.dice.candidates import DICE_PER_THROW
from vision.dice.lookalikes import Lookalikes
from vision.dice.size import DieSize
from vision.reading.acquire import BoardReacquisition
from vision.reading.cover import CoverWatch, is_partly_there
from vision.reading.coverage import MESSAGES
from vision.reading.motion import HAND_CHECK_SECONDS, MotionGate
from vision.reading.reader import Reader, Reading
from vision.reading.relocate import is_turned
from vision.sources.frame import Frame
from vision.steady.steadier import Steadier, SteadyView, board_mask
from vision.steady.still_mean import StillMean

READING_INTERVAL: Final = 0.3
"""Seconds between two readings of a changing view."""
READING_INTERVALS: Final = (READING_INTERVAL, 1.5, 3.0)
"""Seconds from each reading of a quiet view to the next. Two readings settle what can be settled;
what must last for a while, a cube or a swept board, is read twice more."""
STABLE_FACE_PROBABILITY: Final = 0.95
"""Probability of a die's face from which it need not be read again while the picture is unchanged:
noise and compression affect the reading of pips, but hardly that of checkers."""
EARLY_DICE_SECONDS: Final = 0.1
"""Seconds without motion before an early reading of the dice: half the wait for a full reading."""
MAX_SHIFT: Final = 8.0
"""Pixels of the registered picture that the field may have moved from the reference before another
reference is taken: beyond that, the camera sees the board from another angle."""
RENEWAL_SHARE: Final = 0.8
"""Fraction of the reference's edges still present below which the current picture is followed."""
UNSTEADY_SECONDS: Final = 0.6
"""Seconds without registration or tracking before a search for the board begins."""
MOVED_SHARE: Final = 0.01
"""Fraction of the picture's width that a corner of the field moves before the board counts as
moved."""
BOARD_LOST: Final = MESSAGES["lost"]


class BoardWatcher:
    """Reads the board whenever it is visible; must receive every frame in order.

    Before a reading it makes sure that the board is where it was: a small bump is followed; after a
    large one the board is searched for, and until it is found nothing is read.
    """

    def __init__(self, profile: Profile, *, moved_at: float = -np.inf) -> None:
        """`moved_at`: until when something may have moved, if nobody was watching before."""
        self.wants_early_dice = False
        """Whether dice are wanted before it is certain that nothing moves any more."""
        self._early_dice: tuple[DieSeen, ...] | None = None
        self._early_dice_after = 0.0
        self._is_other = False
        """Whether the last frame differed from the picture last read."""
        self._adaptation = adapt_to_set(profile)
        self._die_size, self._lookalikes = DieSize(), Lookalikes()
        self._start_at(profile, moved_at)
        self.reading: Reading | None = None
        """The newest reading, for the overlay."""
        self._read_picture: Image | None = None
        self._rolling: tuple[DieSeen, ...] = ()
        """Dice in a postponed reading: they had not been there a frame earlier."""
        self._why_lost = BOARD_LOST
        self.is_open = True
        """Whether the board was visible in the last frame: no hand, no motion."""
        self._has_hand = False
        self.was_disturbed = False
        """Whether something moved between the last frame and one taken long before it."""
        self._reported_corners = _in_widths(profile.pose)
        self._checked_pose = profile.pose

    @property
    def profile(self) -> Profile:
        """The board as it is now."""
        return self._reader.profile

    @property
    def dice(self) -> tuple[DieSeen, ...]:
        """The dice on the board, from an early reading if that is the newest."""
        if self._early_dice is not None:
            return self._early_dice
        return () if self.reading is None else self.reading.observation.dice

    @property
    def message(self) -> Message | None:
        """What keeps the board from being read; None unless it persists."""
        if self._search is not None:
            return self._why_lost
        return MESSAGES["covered"] if self._cover.is_covered else None

    @property
    def obstacle(self) -> UnseenReason | None:
        """Why the board could not be judged in the last frame; None if it could."""
        if self._search is not None or self._unsteady_since < inf:
            return "lost"
        if self.is_open:
            return "covered" if self._cover.is_hidden else None
        return "covered" if self._has_hand else "moving"

    @property
    def is_idle(self) -> bool:
        """Whether everything was read and nothing moves: a few pictures a second suffice.

        What happens next shows in the pictures before and after it.
        """
        return self._search is None and self.is_open and self._readings > 1

    def process(self, frame: Frame) -> Observation | Motion | None:
        """An observation, `Motion` while the board cannot be read, or None if nothing is new."""
        if self._search is None and not self.profile.pose.fits(frame.image):
            self._start_search()  # earlier pictures cannot be compared with this one
        if self._search is not None:
            return self._continue_search(self._search, frame)
        return self._process_known(frame)

    def _process_known(self, frame: Frame) -> Observation | Motion | None:
        steady = self._steadier.process(frame.image)
        if steady is None:
            return self._process_unsteady(frame)
        self._unsteady_since = inf
        view = self._gate.update(steady.picture, frame.seconds)
        self.is_open, self._has_hand = view.is_open, view.has_hand
        self.was_disturbed = view.was_disturbed
        self._cover.update(steady.picture, view, frame.seconds)
        if view.was_disturbed:
            self._restart_readings(frame.seconds)
        is_other = view.is_open and self._has_other_picture(frame.seconds)
        if self._gate.moved_at >= frame.seconds or view.was_disturbed or is_other:
            self._stills.clear()
        self._stills.add(frame.image, steady)
        is_known = steady.shift <= MAX_SHIFT  # otherwise its place is corrected at once
        if view.is_moving or is_other:
            self._restart_readings(frame.seconds)
            self._read_early_dice(frame)
        elif is_known and (
            frame.seconds < self._next_at
            or (view.is_open and self._readings > len(READING_INTERVALS))
        ):
            if view.is_open:
                return None
        elif is_known and view.is_open and self._is_unchanged():
            return self._repeat(frame)
        elif view.has_hand and frame.seconds < self._hand_check_at:
            pass
        elif (seen := self._read_steady(frame, steady, has_hand=view.has_hand)) is not None:
            return seen
        return Motion(frame.seconds, frame.index)

    def _read_steady(
        self, frame: Frame, steady: SteadyView, *, has_hand: bool
    ) -> Observation | None:
        """What a frame without motion shows; None if the board is not read in it."""
        if steady.shift > MAX_SHIFT:
            self.is_open = False
            self._track_knock(frame, is_final=True)
            return None
        frame = replace(frame, image=self._stills.picture())
        if not self._is_in_place(frame):
            return None
        if has_hand:
            self._check_hand(frame)
            return None
        if steady.motion.share < RENEWAL_SHARE:
            self._steadier.renew()
        reading = self._read(frame)
        if reading is None or self._is_rolling(reading.observation.dice):
            self._restart_readings(frame.seconds)
            return None
        return self._finish_reading(reading, frame.seconds)

    def _is_rolling(self, dice: tuple[DieSeen, ...]) -> bool:
        """Whether any of the dice may still be rolling, however little they change the picture.

        A die that was there in the previous frame is at rest, and so is one read there before.
        """
        known = (*self._rolling, *(() if self.reading is None else self.reading.observation.dice))
        self._rolling = tuple(
            die
            for die in dice
            if not any(dist(die.board, other.board) < USUAL_DIE_SIDE / 2 for other in known)
            and self._gate.has_come(die.center)
        )
        return bool(self._rolling)

    def _has_other_picture(self, seconds: float) -> bool:
        """Whether the view is not the one last read: dice came, and no motion was seen.

        Because of noise, this must hold twice.
        """
        if not self._readings or self._read_picture is None or self.reading is None:
            return False
        is_due = seconds - self.reading.observation.seconds >= READING_INTERVAL
        was_other = self._is_other
        self._is_other = is_due and not self._gate.matches(self._read_picture)
        return self._is_other and was_other

    def has_moved(self) -> bool:
        """Whether the board or camera has been moved since the last call, and was found again.

        Gradual changes, such as a bump of a pixel or a slow drift, count once they add up.
        """
        if self.profile.pose is self._checked_pose:
            return False
        self._checked_pose = self.profile.pose
        corners = _in_widths(self._checked_pose)
        way = np.linalg.norm(corners - self._reported_corners, axis=1).max()
        if way <= MOVED_SHARE:
            return False
        self._reported_corners = corners
        return True

    def set_baseline(self) -> None:
        """Compare later readings with the last one, because a play was recorded."""
        self._reader.set_baseline()

    def _start_at(self, profile: Profile, moved_at: float) -> None:
        self._reader = Reader(profile, self._adaptation, self._die_size, self._lookalikes)
        self._gate = MotionGate(profile.pose, profile.layout, moved_at)
        self._tracker = BoardTracker(profile.pose, profile.layout)
        self._steadier = Steadier(profile.pose)
        self._stills = StillMean()
        self._cover = CoverWatch(profile.pose)
        self._unsteady_since = inf
        self._next_track_at = 0.0
        self._search: BoardReacquisition | None = None
        self._restart_readings(0.0)

    def _restart_readings(self, now: float) -> None:
        """Begin a new series of readings; earlier ones are void."""
        self._readings, self._next_at = 0, now
        self._is_other = False
        self._hand_check_at: float = now + HAND_CHECK_SECONDS
        self._is_hand_checked = False
        self._untracked_since = inf

    def _is_in_place(self, frame: Frame) -> bool:
        """Whether the board is where the reader has it; if not, correct that or begin to.

        A single noisy frame may not show it: the board is searched for once that persists.
        """
        pose = self._tracker.track(frame.image)
        if pose is self.profile.pose:
            self._untracked_since = inf
            return True
        self.is_open = False
        if pose is None:
            self._untracked_since = min(self._untracked_since, frame.seconds)
            if frame.seconds - self._untracked_since > UNSTEADY_SECONDS:
                self._start_search()
        else:
            self._move_to(pose, frame)
        return False

    def _process_unsteady(self, frame: Frame) -> Motion:
        """Handle an unregistered frame: the camera was knocked, or the board is mostly covered.

        If it persists, track it as a knock, and after a while search for the board.
        """
        self.is_open = False
        self._restart_readings(frame.seconds)
        self._unsteady_since = min(self._unsteady_since, frame.seconds)
        if frame.seconds >= self._next_track_at:
            self._next_track_at = frame.seconds + READING_INTERVAL
            is_lasting = frame.seconds - self._unsteady_since > UNSTEADY_SECONDS
            self._track_knock(frame, is_final=is_lasting)
        return Motion(frame.seconds, frame.index)

    def _track_knock(self, frame: Frame, *, is_final: bool) -> None:
        """Follow the board to where it is now; if that fails and `is_final`, search for it.

        The frame in which it was tracked becomes the reference, because nothing is known of later
        ones. So it does if the board has not moved and `is_final`: then the old reference is
        useless.
        """
        pose = self._tracker.track(frame.image)
        if pose is None:
            if is_final:
                self._start_search()
        elif pose is not self.profile.pose or is_final:
            self._move_to(pose, frame)
            self._steadier = Steadier(pose, self._steadier)
            self._steadier.process(frame.image)
            self._stills.clear()

    def _move_to(self, pose: Pose, frame: Frame) -> None:
        if pose is not self.profile.pose:
            self._cover = CoverWatch(pose)  # the views so far are from another place
        self._reader.move_to(pose)
        self._gate.move_to(pose)
        self._restart_readings(frame.seconds)

    def _is_unchanged(self) -> bool:
        """Whether the picture is the one last read, and read twice if it is uncertain.

        The same picture gives the same result.
        """
        if not self._readings or self._read_picture is None or self.reading is None:
            return False
        dice = self.reading.observation.dice
        sure = len(dice) != 1 and all(max(die.faces) >= STABLE_FACE_PROBABILITY for die in dice)
        sure &= not self._stills.is_noisy  # otherwise a later picture is made of more frames
        return (sure or self._readings > 1) and self._gate.matches(self._read_picture)

    def _repeat(self, frame: Frame) -> Observation:
        assert self.reading is not None, "a reading is repeated only after one was made"  # noqa: S101
        return self._finish_reading(self._reader.repeat(self.reading, frame), frame.seconds)

    def _finish_reading(self, reading: Reading, seconds: float) -> Observation:
        self._next_at = seconds + READING_INTERVALS[min(self._readings, len(READING_INTERVALS) - 1)]
        self._readings += 1
        self.reading, self._early_dice = reading, None
        return reading.observation

    def _read_early_dice(self, frame: Frame) -> None:
        """Read dice once after each motion: they come to rest before a full reading is possible."""
        moved_at = self._gate.moved_at
        is_still = frame.seconds - moved_at >= EARLY_DICE_SECONDS
        if not (self.wants_early_dice and is_still and moved_at > self._early_dice_after):
            return
        self._early_dice_after = moved_at
        if self.reading is not None:
            frame = replace(frame, image=self._stills.picture())
            dice = self._reader.read_dice(frame, self.reading.counted)
            self._early_dice = dice if len(dice) >= DICE_PER_THROW else self._early_dice

    def _check_hand(self, frame: Frame) -> None:
        """Check what is still, large and new: a hand, or the board turned around."""
        self._next_at = frame.seconds + READING_INTERVAL
        if not self._is_hand_checked:
            self._is_hand_checked = True
            counted = self._reader.count_checkers(frame)
            if self._gate.picture is not None:
                self._cover.counted(self._gate.picture, counted, frame.seconds)
            self._check_turned(counted)

    def _read(self, frame: Frame) -> Reading | None:
        """What the frame shows; None if the known board is seen from its other side."""
        reading = self._reader.read(frame)
        self._read_picture = self._gate.picture
        if self._read_picture is not None:
            self._cover.read(self._read_picture, reading.counted, frame.seconds)
        return None if self._check_turned(reading.counted) else reading

    def _check_turned(self, counted: DiscCounts) -> bool:
        """Whether the known board is seen from its other side; if so, the search for it begins."""
        if self._known is None or not is_turned(counted, self._known):
            return False
        self._start_search()
        return True

    @property
    def _known(self) -> NDArray[np.int64] | None:
        """(28,) the counts on the board when last read."""
        return None if self.reading is None else self.reading.counted.most_likely

    def _start_search(self) -> None:
        self._search = BoardReacquisition(self.profile, self._known)
        self._why_lost = BOARD_LOST
        self.is_open = False

    def _continue_search(self, search: BoardReacquisition, frame: Frame) -> Motion:
        found = search.process(frame)
        self._why_lost = self._reason_to_search(frame.image)
        if found is not None:
            self._start_at(found, frame.seconds)
            steady = self._steadier.process(frame.image)
            if steady is not None:
                self._gate.update(steady.picture, frame.seconds)  # no point is covered in it
        return Motion(frame.seconds, frame.index)

    def _reason_to_search(self, image: Image) -> Message:
        """What the players are told while the board is searched for in this picture."""
        pose, known = self.profile.pose, self._read_picture
        if not pose.fits(image):
            width, height = image.shape[1::-1]
            return msg(
                "looking for the board: the camera now sends {width}x{height} pixels",
                width=width,
                height=height,
            )
        if known is None:
            return BOARD_LOST
        size = known.shape[1::-1]
        small = cv2.resize(image, (size[0], size[1]), interpolation=cv2.INTER_AREA)
        grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
        is_there = is_partly_there(known, grey, board_mask(pose, 0.0, (size[0], size[1])))
        return MESSAGES["covered"] if is_there else BOARD_LOST


def _in_widths(pose: Pose) -> Floats:
    """(4, 2) the field's corners relative to the picture's middle, in picture widths."""
    return np.asarray((pose.corners() - pose.center) / pose.size[0])
