"""What the set-up page needs from the program: a `Wizard` and the state that it reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NotRequired, Protocol

from typing_extensions import TypedDict

from webui.contracts.archive import UnfinishedMatch
from webui.contracts.state import Colours, PhoneStatus, PlaceShown, Text

SetupStage = Literal["choosing", "opening", "looking", "manual", "starting", "recording"]
BoardRotation = Literal["swap", "mirror", "auto"]
Pixel = tuple[float, float]

LONGEST_ADDRESS: Final = 1000


class SetupRefused(Exception):
    """Raised by a `Wizard` when a command cannot be executed; the message names the remedy."""


class CameraEntry(TypedDict):
    """A camera that is plugged in."""

    id: str
    """The address to pass to `open_source`."""
    name: Text
    picture: int
    """Increases with each new thumbnail; 0 before the first."""
    fault: Text | None
    """Why it delivers no picture."""


class OpenSource(TypedDict):
    """The source that is open."""

    name: Text
    is_film: bool
    """Whether it is a file, which is played once."""
    fault: Text | None
    """Why no picture is arriving now."""


class BoardLocation(TypedDict):
    """Where the board is in the picture."""

    corners: list[Pixel]
    """The field's corners in pixels, in order around it; the second is at light's ace point."""
    by_hand: bool
    """Whether a person marked them."""
    tilt: float
    """The angle between straight down and the camera's line of sight, in degrees."""
    die: float
    """The side of a die in the farthest corner, in pixels."""
    point: float
    """The width of the narrowest point, in pixels."""
    edges: float
    """-1..1, how well the board's edges match the picture's."""


class CountedBoard(TypedDict):
    """How many checkers are seen on each point; they need not add up to a full set."""

    light: list[int]
    dark: list[int]
    course: Literal["opposed", "circling"]


class BoardReading(TypedDict):
    """The position read from the board."""

    position: CountedBoard
    matching: int
    """How many of the 24 points show the expected checkers."""
    differences: list[Text]
    """The differences from the expected position, in words."""
    advice: Text
    """What to do about the differences; empty if there are none."""
    differing: list[int]
    """The points that differ, by light's numbers."""
    light_home: Literal["right", "left"]
    colours: Colours | None
    upside_down: bool
    """Whether light's rail is at the top of the picture."""


class ChosenOptions(TypedDict, total=False):
    """The options that were chosen, as in the `[game]` and `[cube]` tables of a rule set."""

    preset: str
    scoring: str
    last_roll_draw: bool
    next_starter: str
    swap_colors: bool
    jacoby: bool
    beavers: bool
    raccoons: bool
    automatic_doubles: int
    crawford: bool
    holland: bool


class GameChoice(TypedDict):
    """What is played, by whom, and where."""

    light: str
    dark: str
    length: int
    variant: str
    rules: str
    """The name of a rule set, or a file; empty for the default."""
    options: ChosenOptions
    """They come before those of the rule set."""
    goes_on: bool
    """Whether to continue an unfinished match between these players."""
    place: PlaceShown


class PreviousSetup(TypedDict):
    """The previous set-up."""

    name: Text
    """The camera's name."""
    when: float
    """Seconds since 1970."""
    game: GameChoice


class PhoneInvitation(TypedDict):
    """How a phone becomes the camera."""

    url: str
    """The address with its token, which is used up by the first phone that opens it."""
    code: str
    """The same as a QR code: a `data:` address of an SVG."""
    fingerprint: str
    """SHA-256 of the certificate, which the phone's browser shows as well."""
    is_used: bool
    """Whether a phone has opened it."""
    is_valid: bool
    """Whether a phone can still open it."""


class PhoneVideo(TypedDict):
    """A video that a phone has sent, or is sending."""

    name: str
    address: str
    """What opens it; empty until it is complete."""
    received: int
    """Bytes."""
    size: int


class PhoneSetup(TypedDict):
    """The phone as a camera."""

    invitation: PhoneInvitation | None
    """None before it was asked for."""
    has_phone: bool
    """Whether there is a phone that may send."""
    status: PhoneStatus | None
    """None before any picture."""
    videos: list[PhoneVideo]


class SetupState(TypedDict):
    """Everything that the set-up page shows."""

    stage: SetupStage
    error: Text | None
    """Why the last command failed."""
    cameras: list[CameraEntry]
    is_listed: bool
    """Whether the search for cameras has been completed once."""
    source: OpenSource | None
    picture: int
    """The number of the newest picture; 0 before any."""
    size: tuple[int, int] | None
    """Width and height of the pictures, in pixels."""
    is_looking: bool
    """Whether a picture is being examined right now."""
    board: BoardLocation | None
    faults: list[Text]
    """What keeps the board from being read, each with its remedy."""
    warnings: list[Text]
    """What will be read less well than it could be."""
    read: BoardReading | None
    by_hand: bool
    """Whether no camera is used: everything is entered at the desk."""
    ready: Literal["learnt", "known", "manual"] | None
    """Why the match can begin: the set was learned from the starting position, or recognized, or
    nothing needs to know it; null if it cannot begin."""
    is_known: bool
    """Whether the board of the previous set-up is expected."""
    game: GameChoice
    is_unfinished: bool
    """Whether these players have an unfinished match."""
    resumed: UnfinishedMatch | None
    """The unfinished match that goes on, whatever `game` says; None if none was chosen."""
    before: PreviousSetup | None
    phone: PhoneSetup | None
    """None where no phone can be the camera."""
    turned: bool
    """Whether a person chose the board's orientation."""
    shown: NotRequired[Any]
    """What the page draws of `read`, computed as for the live page."""


class Wizard(Protocol):
    """What the page needs to set up a match; thread-safe, and no call takes long.

    Commands raise `SetupRefused`. Slow work (opening a camera, finding the board) happens
    afterwards, and the state shows how it went.
    """

    def state(self) -> SetupState:
        """The current state."""

    def picture(self, *, plain: bool) -> bytes | None:
        """The newest picture as JPEG, the board drawn on it unless `plain`; None before any."""

    def thumbnail(self, camera: str) -> bytes | None:
        """A small picture from a camera in the list; None if it delivered none."""

    def open_source(self, address: str) -> None:
        """Take pictures from `address`: a camera's number, a URL, a file, `phone:` or `sample`."""

    def reopen_last(self) -> None:
        """Use the camera, board and game of the previous set-up."""

    def resume(self, match: int | None) -> None:
        """Go on with an unfinished match, at its board if its camera is known; None for another."""

    def use_no_camera(self) -> None:
        """Use no camera: everything is entered at the desk."""

    def close_source(self) -> None:
        """Return to the choice of a camera."""

    def invite_phone(self) -> None:
        """Make a new invitation for a phone; that of before is void."""

    def send_phone_away(self) -> None:
        """End the session of the phone, which may send nothing from then on."""

    def set_corners(self, corners: Sequence[Pixel] | None) -> None:
        """Set the field's four corners, in pixels; None to have them found."""

    def rotate_board(self, how: BoardRotation) -> None:
        """Set the board's orientation; `auto` follows the checkers."""

    def relearn_board(self) -> None:
        """Learn the board again, because it or the light has changed since the previous set-up."""

    def set_game(self, game: GameChoice) -> None:
        """Set what is played, and who plays."""

    def start(self) -> None:
        """Begin the match."""
