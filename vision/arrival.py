"""Wait for a board: in a known position, to learn it (`Arrival`), or one known (`Return`)."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.profile import Profile
from engine import Position
from vision.adapt import Adapted, adapt
from vision.errors import BoardNotFound, OtherBoard
from vision.frame import Frame
from vision.locate import Located, locate_board
from vision.refind import find_again

Image = NDArray[np.uint8]

SMALL: Final = (160, 90)
STILL: Final = 3.0  # mean grey difference of two pictures between which nothing moved
PAUSE_SECONDS: Final = 0.5  # between two tries on a picture that does not fit yet


class Still:
    """Tells the frames worth a closer look: nothing moves, and the last look was a while ago."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self._next = 0.0

    def __call__(self, frame: Frame) -> bool:
        """Whether to look at this frame."""
        small = cv2.resize(frame.image, SMALL, interpolation=cv2.INTER_AREA)
        last, self._last = self._last, np.asarray(small, np.uint8)
        if last is None or frame.seconds < self._next:
            return False
        is_still = float(cv2.absdiff(small, last).mean()) < STILL
        if is_still:
            self._next = frame.seconds + PAUSE_SECONDS
        return is_still


class Arrival:
    """Looks for the board until it stands as it should; `message` says what is missing."""

    def __init__(self, position: Position, variant: str = "short") -> None:
        self._position = position
        self._variant = variant
        self._is_still = Still()
        self._located: Located | None = None
        self.message = "waiting for a picture"

    def see(self, frame: Frame) -> Profile | None:
        """The profile, once the frame shows the whole board in the position awaited."""
        if self._located is None:
            self.message = "looking for the board"
        if not self._is_still(frame):
            return None
        try:
            adapted = self._adapted(frame.image)
        except BoardNotFound as error:
            self._located = None
            self.message = str(error)
            return None
        if not adapted.differences:
            self.message = "the board stands as it should"
            return adapted.profile
        self._doubt(adapted)
        return None

    def _adapted(self, image: Image) -> Adapted:
        if self._located is None:
            self._located = locate_board(image)
        found = self._located
        return adapt(image, found.pose, found.layout, self._position, self._variant)

    def _doubt(self, adapted: Adapted) -> None:
        self.message = "; ".join(
            (
                f"board found; {adapted.matching} of 24 points match the position awaited",
                *adapted.differences[:3],
                "take dice and hands off the board",
            )
        )
        if adapted.matching < 20:  # perhaps it was not the board, or it was moved: look again
            self._located = None


class Return:
    """Looks for a board that is known from a profile, wherever it stands now."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._is_still = Still()
        self.message = "looking for the board of the profile"

    def see(self, frame: Frame) -> Profile | None:
        """The profile as the board stands in the frame, once it shows there."""
        if not self._is_still(frame):
            return None
        try:
            return find_again(self._profile, frame.image)
        except (BoardNotFound, OtherBoard) as error:
            self.message = str(error)
            return None
