"""What the set-up page needs of the program: a `Wizard` and the state that it reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NotRequired, Protocol

from typing_extensions import TypedDict

from webui.contracts.state import Colours, Text

SetupStage = Literal["choosing", "opening", "looking", "manual", "starting", "recording"]
BoardRotation = Literal["swap", "mirror", "auto"]
Pixel = tuple[float, float]

LONGEST_NAME: Final = 40
LONGEST_ADDRESS: Final = 1000
LONGEST_MATCH: Final = 99
"""Points; matches are played to 25 at most."""


class SetupRefused(Exception):
    """Raised by a `Wizard` when a command cannot be done; the message names the remedy."""


class CameraEntry(TypedDict):
    """A camera that is plugged in."""

    id: str
    """What `open_source` takes."""
    name: Text
    picture: int
    """Rises with each new thumbnail; 0 before the first."""
    fault: Text | None
    """Why it gives no picture."""


class OpenSource(TypedDict):
    """The source that is open."""

    name: Text
    is_film: bool
    """Whether it is a file, which is played once."""
    fault: Text | None
    """Why no picture arrives now."""


class BoardLocation(TypedDict):
    """Where the board is seen."""

    corners: list[Pixel]
    """The field's, in pixels, around it; the second lies at light's ace point."""
    by_hand: bool
    """Whether somebody pointed at them."""
    tilt: float
    """Degrees between straight down and the camera's way of looking."""
    die: float
    """Pixels of a die's side in the farthest corner."""
    point: float
    """Pixels of the narrowest point's width."""
    edges: float
    """-1..1 how well the board's edges agree with the picture's."""


class CountedBoard(TypedDict):
    """How many checkers are seen on each point; it need not be a whole set."""

    light: list[int]
    dark: list[int]
    course: Literal["opposed", "circling"]


class BoardReading(TypedDict):
    """What stands on the board."""

    position: CountedBoard
    matching: int
    """How many of the 24 points show what is awaited."""
    differences: list[Text]
    """What shows otherwise than awaited, in words."""
    advice: Text
    """What to do about the differences; empty without any."""
    differing: list[int]
    """Light's points that differ."""
    light_home: Literal["right", "left"]
    colours: Colours | None
    upside_down: bool
    """Whether light's rail is the upper one in the picture."""


class GameChoice(TypedDict):
    """What is played, and by whom."""

    light: str
    dark: str
    length: int
    variant: str
    rules: str
    """A rule set's name or a file; empty for the usual ones."""
    goes_on: bool
    """Whether an unfinished match of these players is gone on with."""


class PreviousSetup(TypedDict):
    """What was set up the last time."""

    name: Text
    """Of the camera."""
    when: float
    """Seconds since 1970."""
    game: GameChoice


class SetupState(TypedDict):
    """Everything that the set-up page shows."""

    stage: SetupStage
    error: Text | None
    """Why the last command came to nothing."""
    cameras: list[CameraEntry]
    is_listed: bool
    """Whether the cameras were looked for yet."""
    source: OpenSource | None
    picture: int
    """Number of the newest picture; 0 before any."""
    size: tuple[int, int] | None
    """Of the pictures, width and height."""
    is_looking: bool
    """Whether a picture is being looked at just now."""
    board: BoardLocation | None
    faults: list[Text]
    """What keeps the board from being read, each with what to do."""
    warnings: list[Text]
    """What will be read worse than it could."""
    read: BoardReading | None
    by_hand: bool
    """Whether no camera is used: everything is entered at the desk."""
    ready: Literal["learnt", "known", "manual"] | None
    """Whether the match can begin: the set was learnt from the opening, or known again, or nobody
    has to know it."""
    is_known: bool
    """Whether the board of the last time is expected."""
    game: GameChoice
    is_unfinished: bool
    """Whether there is an unfinished match of these players."""
    before: PreviousSetup | None
    turned: bool
    """Whether a person chose which way round the board lies."""
    shown: NotRequired[Any]
    """What the page draws of `read`, worked out as for the live page."""


class Wizard(Protocol):
    """What the page needs to set up a match; from any thread, and nothing here takes long.

    Commands raise `SetupRefused`. What takes time (opening a camera, looking for the board) happens
    afterwards, and the state shows how it went.
    """

    def state(self) -> SetupState:
        """How things stand."""

    def picture(self, *, plain: bool) -> bytes | None:
        """The newest picture as JPEG, unless `plain` with the board drawn on it; None before."""

    def thumbnail(self, camera: str) -> bytes | None:
        """A small picture of a camera in the list; None if it gave none."""

    def open_source(self, address: str) -> None:
        """Pictures come from there: a camera's number, an address, a file, or `sample`."""

    def reopen_last(self) -> None:
        """The camera, the board and the game of the last time."""

    def use_no_camera(self) -> None:
        """Use no camera: everything is entered at the desk."""

    def close_source(self) -> None:
        """Back to the choice of a camera."""

    def set_corners(self, corners: Sequence[Pixel] | None) -> None:
        """The field's four corners, in pixels; None: they are found."""

    def rotate_board(self, how: BoardRotation) -> None:
        """Which way round the board lies; `auto`: as the checkers indicate."""

    def relearn_board(self) -> None:
        """Another board, or another lamp, than the last time."""

    def set_game(self, game: GameChoice) -> None:
        """What is played, and by whom."""

    def start(self) -> None:
        """The match begins."""
