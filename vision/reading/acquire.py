"""Waits for a board: a new one in a known position, or a known one wherever it is."""

from __future__ import annotations

from math import inf
from typing import Final

import cv2
import numpy as np

from calibration.profile import Profile
from engine import Position
from engine.arrays import Floats32, Image, Ints
from engine.message import Sentence, join, message_of, msg
from vision.board.locate import Located, locate_board
from vision.errors import BoardNotFound
from vision.reading.blind_look import LOOK_SECONDS, MIN_LOOKS, learn_joined, read_blindly
from vision.reading.learn_set import LearntSet, learn_set
from vision.reading.relocate import find_again
from vision.sources.frame import Frame
from vision.steady.light import LightField
from vision.steady.still_mean import StillMean

THUMBNAIL_SIZE: Final = (160, 90)
BLUR: Final = 3
"""Side in pixels of the square over which the noise of a thumbnail is averaged."""
MAX_MEAN_DIFFERENCE: Final = 3.0
"""Mean gray-level difference of two pictures between which nothing moved."""
PAUSE_SECONDS: Final = 0.5
"""Seconds between two attempts on a picture that does not fit yet."""
WAITING: Final = msg("waiting for a picture")
NOT_THE_PROFILES_BOARD: Final = msg(
    "this is not the board in the profile, or the light has changed: calibrate again, or omit "
    "--profile"
)
JOINED: Final = msg(
    "a game is under way: play on, and the direction of play will become clear within a few plays"
)
SPARSE_SECONDS: Final = 1.5
"""Seconds between two pictures from which they show no motion, and each is read as it is. It must
show the expected position exactly, or show the same position again in the next one."""
MAX_PAUSE_SECONDS: Final = 4.0
"""Longest pause in seconds, if no board is found at all."""
MAX_FOUND_PAUSE_SECONDS: Final = 2.0
"""Longest pause while there is a board that comes no closer to what is expected."""
MAX_SEARCH_PAUSE_SECONDS: Final = 1.0
"""Longest pause while a known board is searched for: a match is waiting."""
RETRY_UNCHANGED_SECONDS: Final = 10.0
"""Seconds until an unchanged picture is tried again: the light may have changed."""
MIN_PIXEL_CHANGE: Final = 20
"""Gray levels that noise and compression do not reach in a small picture."""
CHANGED_PIXELS: Final = 5
"""Number of pixels; moving a checker changes about ten."""


class StillDetector:
    """Selects the frames worth reading: nothing moves, and the picture is a new one.

    Reading takes seconds, and the same picture gives the same result.
    """

    def __init__(self) -> None:
        self._size: tuple[int, ...] = ()
        self._last: Floats32 | None = None
        self._last_at = inf
        self._tried: Floats32 | None = None
        self._next_at = self._retry_at = 0.0
        self._pause = PAUSE_SECONDS
        self._stills = StillMean()

    @property
    def picture(self) -> Image:
        """The newest frame or, if it is noisy, the mean of the frames in which nothing moved."""
        return self._stills.picture()

    def is_worth_reading(self, frame: Frame) -> bool:
        """Whether this frame is still and new."""
        if frame.image.shape[:2] != self._size:  # similar when scaled down, and yet another picture
            self._size, self._last, self._tried = frame.image.shape[:2], None, None
        thumbnail = cv2.resize(frame.image, THUMBNAIL_SIZE, interpolation=cv2.INTER_AREA)
        grey = cv2.blur(cv2.cvtColor(thumbnail, cv2.COLOR_BGR2GRAY), (BLUR, BLUR))
        small = np.asarray(grey, np.float32)
        last, self._last = self._last, small
        is_still = last is not None and float(_change(last, small).mean()) < MAX_MEAN_DIFFERENCE
        step, self._last_at = frame.seconds - self._last_at, frame.seconds
        is_alone = step >= SPARSE_SECONDS
        if is_alone or not is_still:
            self._stills.clear()
        self._stills.add(frame.image)
        if not (is_still or is_alone) or frame.seconds < self._next_at:
            return False
        if not self._is_new(small, frame):
            return False
        self._tried = small
        self._next_at, self._retry_at = (
            frame.seconds + self._pause,
            frame.seconds + RETRY_UNCHANGED_SECONDS,
        )
        return True

    def look_again(self, seconds: float) -> None:
        """Read the same picture once more, from `seconds` on."""
        self._retry_at = min(self._retry_at, seconds)

    def look_often(self) -> None:
        """Make attempts as often as at first: the last one came closer."""
        self._pause = PAUSE_SECONDS

    def look_rarely(self, max_pause: float) -> None:
        """Double the pause between two attempts, up to `max_pause` seconds: the last one failed."""
        self._pause = min(2 * self._pause, max_pause)

    def _is_new(self, small: Floats32, frame: Frame) -> bool:
        if self._tried is None or frame.seconds >= self._retry_at:
            return True
        return int((_change(self._tried, small) > MIN_PIXEL_CHANGE).sum()) >= CHANGED_PIXELS


def _change(before: Floats32, after: Floats32) -> Floats32:
    """(h, w) absolute differences of two gray pictures, without those of the light."""
    light = LightField(before, np.ones(before.shape, np.bool_)).gain(after)
    return np.asarray(np.abs(after / light - before), np.float32)


class BoardAcquisition:
    """Looks for the board until it is in the expected position; `message` says what is missing."""

    def __init__(
        self, position: Position, variant: str = "short", *, may_join: bool = False
    ) -> None:
        """`may_join`: whether a game already under way is accepted; see `joined_cells`."""
        self._position = position
        self._variant = variant
        self._may_join = may_join
        self._detector = StillDetector()
        self._located: Located | None = None
        self._most_matching = -1
        """Number of points that matched in the best attempt."""
        self._looks: tuple[Ints, ...] = ()
        """(28,) cells of the blind readings that agree so far."""
        self.joined_cells: Ints | None = None
        """(28,) the counts on the board that was found, if its position is not the expected one;
        numbered by its grid's orientation."""
        self.message: Sentence = WAITING

    def process(self, frame: Frame) -> Profile | None:
        """The profile, once the frame shows the whole board in the expected position."""
        if self.message == WAITING:
            self.message = msg("looking for the board")
        if not self._detector.is_worth_reading(frame):
            return None
        picture = self._detector.picture
        try:
            adapted = self._adapted(picture)
        except BoardNotFound as error:
            self._located = None
            self._detector.look_rarely(MAX_PAUSE_SECONDS)
            self.message = message_of(error)
            return None
        if not adapted.differences:
            self.message = msg("the board is set up correctly")
            return adapted.profile
        joined = self._joined(frame.seconds, picture) if self._may_join else None
        if joined is None:
            self._report_differences(adapted)
            if adapted.matching > self._most_matching:
                self._most_matching = adapted.matching
                self._detector.look_often()
            elif not self._looks:
                self._detector.look_rarely(MAX_FOUND_PAUSE_SECONDS)
        return joined

    def _joined(self, seconds: float, picture: Image) -> Profile | None:
        """The profile of a board that shows the same position in several readings."""
        found = self._located
        cells = None if found is None else read_blindly(picture, found)
        if found is None or cells is None:
            self._looks = ()
            return None
        is_seen_again = all((cells == earlier).all() for earlier in self._looks)
        self._looks = (*self._looks, cells) if is_seen_again else (cells,)
        self._detector.look_again(seconds + LOOK_SECONDS)
        if len(self._looks) < MIN_LOOKS:
            return None
        self._looks = ()
        learnt = learn_joined(picture, found, cells, self._variant)
        if learnt is None or learnt.differences:
            return None
        self.joined_cells = cells
        self.message = JOINED
        return learnt.profile

    def _adapted(self, image: Image) -> LearntSet:
        if self._located is None or not self._located.pose.fits(image):
            self._located = locate_board(image)
        found = self._located
        return learn_set(image, found.pose, found.layout, self._position, self._variant)

    def _report_differences(self, adapted: LearntSet) -> None:
        matching = msg(
            "{matching} of 24 points match the expected position", matching=adapted.matching
        )
        hands_off = msg("take the dice and your hands off the board")
        self.message = join((msg("board found"), matching, *adapted.differences[:3], hands_off))
        if adapted.matching < 20 and not self._looks:
            self._located = None  # it may not have been a board, or it was moved: look again


class BoardReacquisition:
    """Looks for a board known from a profile, wherever it is now."""

    def __init__(
        self,
        profile: Profile,
        expected: Ints | None = None,
    ) -> None:
        """`expected`: (28,) signed counts of each cell, if known."""
        self._profile, self._expected = profile, expected
        self._detector = StillDetector()
        self.message: Sentence = msg("looking for your board")

    def process(self, frame: Frame) -> Profile | None:
        """The profile adapted to the board's place in the frame, once it is visible there."""
        if not self._detector.is_worth_reading(frame):
            return None
        try:
            found = find_again(self._profile, self._detector.picture, self._expected)
        except BoardNotFound as error:
            self.message = message_of(error)
        else:
            if found.matches_profile:
                return found.profile
            self.message = NOT_THE_PROFILES_BOARD
        self._detector.look_rarely(MAX_SEARCH_PAUSE_SECONDS)
        return None
