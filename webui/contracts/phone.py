"""What the camera page of a phone needs from the program: a `PhoneCamera` and what it reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from typing_extensions import TypedDict

from engine.message import Sentence
from webui.contracts.setup import Pixel, SetupStage
from webui.contracts.state import Text

MOST_BYTES: Final = 4 << 20
"""The size limit of a picture, and of a part of a video."""
SESSION_SECONDS: Final = 16 * 3600
"""How long a phone that has been paired may send: a tournament day."""


class PhoneGuide(TypedDict):
    """What the program sees in the phone's pictures now."""

    stage: SetupStage
    corners: list[Pixel]
    """The field's corners in pixels, in order around it; empty if no board is seen."""
    size: tuple[int, int] | None
    """Width and height of the pictures in which they are, in pixels."""
    tilt: float | None
    """The angle between straight down and the camera's line of sight, in degrees."""
    level: float | None
    """The angle between the picture's lower edge and the board's, in degrees, -45..45."""
    faults: list[Text]
    """What keeps the board from being read, each with its remedy."""
    warnings: list[Text]
    is_ready: bool
    """Whether a match can begin with this board."""


@dataclass(frozen=True, slots=True)
class PhoneFrame:
    """A picture as the phone sent it."""

    jpeg: bytes
    taken: float
    """Seconds by the phone's clock."""
    battery: int | None
    """Percent; None if the phone does not say."""
    is_charging: bool


@dataclass(frozen=True, slots=True)
class VideoFile:
    """A video on the phone, by what its browser says of it."""

    name: str
    size: int
    """Bytes."""
    modified: int
    """Milliseconds since 1970."""


class VideoRefused(Exception):
    """Raised when a part of a video cannot be taken; the message names the remedy."""

    def __init__(self, message: Sentence, received: int) -> None:
        super().__init__(message)
        self.received = received
        """How many bytes of the video are here."""


class PhoneCamera(Protocol):
    """Takes what a phone sends; thread-safe."""

    def pair(self, token: str) -> str | None:
        """Use up the token of the QR code: the session that it gives; None if it gives none."""

    def is_paired(self, session: str) -> bool:
        """Whether this is the session of the phone that may send pictures."""

    def receive(self, frame: PhoneFrame) -> PhoneGuide:
        """Take a picture; what was seen in those before."""

    def received(self, video: VideoFile) -> int:
        """How many bytes of a video are here."""

    def append(self, video: VideoFile, start: int, part: bytes) -> int:
        """Append a part that begins at byte `start`: how many bytes are here then.

        Raises `VideoRefused`.
        """
