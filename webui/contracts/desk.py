"""Manual entries of a match: the `Desk` that takes them, and the commands.

The match executes a command between two frames, and the response waits for that: a command that the
desk has accepted is in the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal, Protocol, get_args

from typing_extensions import TypedDict

from engine.evidence.orientation import Orientation
from engine.match.corrections import PlayChosen, RollFixed
from engine.position import Side, SideVector
from webui.contracts.archive import StillShown
from webui.contracts.setup import ChosenOptions
from webui.contracts.state import Board, CubeState, Names, PlaceShown, SideName, Text


class DeskUnavailable(Exception):
    """Raised if there is no answer in time; the message says whether the command was executed."""


class DeskCommand(Enum):
    """The commands without values; the match determines which player each applies to."""

    UNDO = "undo"
    """Undo the last entry: a roll, a play, a correction, the start of a game or another command."""
    ACCEPT = "accept"
    """Let the illegal play stand."""
    REJECT = "reject"
    """Require a legal play."""
    END_TURN = "end_turn"
    """End the turn of the player on roll."""
    DOUBLE = "double"
    BEAVER = "beaver"
    RACCOON = "raccoon"
    TAKE = "take"
    DROP = "drop"
    BOARD_MOVED = "board_moved"
    """The camera or the board was moved; what was seen in between is discarded."""
    PAUSE = "pause"
    """Show the camera, but judge nothing."""
    GO_ON = "go_on"
    """Judge again, starting with what is seen from now on."""
    BEGIN_GAME = "begin_game"
    """Begin the next game; the checkers are set up."""
    END_MATCH = "end_match"
    """End the match as it stands; nothing more of it is judged."""
    CLOCK = "clock"
    """Press the clock: the opponent's time runs, the mover's stops."""
    CLOCK_STOP = "clock_stop"
    """Stop the clock for both players."""
    CALL_REFEREE = "call_referee"
    """Ask the referee to come to the table."""
    REFEREE_CAME = "referee_came"
    """The referee who was called is at the table."""
    CUP_ROLL = "cup_roll"
    """Roll with the cup without shaking it."""
    CUP_ASIDE = "cup_aside"
    """Set the cup aside until it is taken up again."""
    CUP_BACK = "cup_back"
    CUP_IDENTIFY = "cup_identify"
    """Make the cup blink to show which one it is."""
    CUP_REVEAL = "cup_reveal"
    """Reveal the cup's seed: its rolls so far can be verified, and it takes a new seed."""
    CUP_STANDS = "cup_stands"
    """Of two conflicting rolls in a turn, count the cup's."""
    DICE_STAND = "dice_stand"
    """Of two conflicting rolls in a turn, count the one on the board."""


CommandName = Literal[
    "undo", "accept", "reject", "end_turn", "double", "beaver", "raccoon", "take", "drop",
    "board_moved", "pause", "go_on", "begin_game", "end_match", "cup_roll", "cup_aside", "cup_back",
    "cup_stands", "dice_stand", "cup_identify", "cup_reveal", "clock", "clock_stop",
    "call_referee", "referee_came",
]  # fmt: skip
"""The values of `DeskCommand`, for the API's document."""

SeatWord = Literal[
    "accept", "reject", "double", "beaver", "raccoon", "take", "drop", "cup_roll", "call_referee"
]  # fmt: skip
"""The commands that players may enter, each for the own side."""
SEAT_COMMANDS: Final = tuple(DeskCommand(word) for word in get_args(SeatWord))

CUP_COMMANDS: Final = (
    DeskCommand.CUP_ROLL, DeskCommand.CUP_ASIDE, DeskCommand.CUP_BACK, DeskCommand.CUP_STANDS,
    DeskCommand.DICE_STAND, DeskCommand.CUP_IDENTIFY, DeskCommand.CUP_REVEAL,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SeatCommand:
    """What `player` says at the table, one of `SEAT_COMMANDS`.

    Only a call for the referee is taken in the other's turn.
    """

    player: Side
    word: DeskCommand


@dataclass(frozen=True, slots=True)
class RollEntered:
    """The roll of the turn in progress; in an opening roll, light's die comes first."""

    dice: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlayEntered:
    """The play made with the roll that awaits one, in notation."""

    play: str


@dataclass(frozen=True, slots=True)
class OrientationChosen:
    """The orientation of a board whose game was joined midway, out of those still possible."""

    way: Orientation


@dataclass(frozen=True, slots=True)
class CupWords:
    """The players' words, once the cup is committed; empty for a player without one."""

    light: str
    dark: str


@dataclass(frozen=True, slots=True)
class PositionEntered:
    """The position on the board, each side by its own numbers; `to_move` rolls next."""

    light: SideVector
    dark: SideVector
    to_move: Side | None = None


@dataclass(frozen=True, slots=True)
class Resignation:
    """`player` gives up a game, losing `times` the cube or a given number of points."""

    player: Side
    times: int = 1
    """1 single or oin, 2 gammon or mars, 3 backgammon or koks."""
    points: int | None = None
    """The points lost, cube included, instead of `times`: for a game whose cube is no longer
    known."""
    game: int | None = None
    """None for the first unfinished game, or else the one in play."""


@dataclass(frozen=True, slots=True)
class NamesEntered:
    """The players' names."""

    light: str
    dark: str


@dataclass(frozen=True, slots=True)
class PlaceEntered:
    """Where in a tournament the match is played, whom the players represent, and the logo."""

    place: PlaceShown


@dataclass(frozen=True, slots=True)
class ClockEntered:
    """The clock reads these seconds for each player; with neither set, none is used."""

    light: float
    dark: float
    delay: float
    """Seconds of each turn that are not counted."""


@dataclass(frozen=True, slots=True)
class NextMatch:
    """Begin another match at the same board, once the previous one is over."""

    light: str
    dark: str
    length: int
    """Points; 0 for a money game."""
    variant: str
    rules: str
    """The name of a rule set, or the file that the program was started with; empty for the
    default."""
    options: ChosenOptions = field(default_factory=ChosenOptions)
    """They come before those of the rule set."""
    place: PlaceShown | None = None
    """None for the tournament, the table and the logo of the match before it."""


@dataclass(frozen=True, slots=True)
class ResumeMatch:
    """Go on with an unfinished match at the same board, once the previous one is over."""

    match: int


Command = (
    DeskCommand
    | SeatCommand
    | RollEntered
    | PlayEntered
    | OrientationChosen
    | CupWords
    | PlayChosen
    | RollFixed
    | PositionEntered
    | Resignation
    | NamesEntered
    | PlaceEntered
    | ClockEntered
    | NextMatch
    | ResumeMatch
)


class ManualEntryStatus(TypedDict):
    """What can be entered for the turn in progress; each reason is empty if it can be entered."""

    lots: bool
    """Whether this is the opening roll: one die from each player, light's first."""
    dice: list[int] | None
    """The roll that awaits its play."""
    roll: Text
    """Why no roll can be entered."""
    play: Text
    """Why no play can be entered."""


class DeskStatus(TypedDict):
    """What can be entered now."""

    paused: bool
    phase: str
    message: Text
    game: int
    """The game in play; 0 before the first."""
    asked: list[int]
    """Unfinished games whose result is not known."""
    turns: int
    to_move: SideName | None
    cube: CubeState | None
    """Null if the game has no cube, and before the first game."""
    players: Names
    variant: str
    length: int
    rule_set: str
    options: ChosenOptions
    """The options of the game in this match."""
    by_hand: bool
    """Whether no camera is used: everything is entered here or comes from a cup."""
    telling: ManualEntryStatus
    can: list[CommandName]
    """The commands that would be accepted now."""
    cannot: dict[str, Text]
    """Why each of the other commands would be refused."""
    begin: Text
    """Why no other match can begin at this board now; empty if one can."""


class SeatStatus(TypedDict):
    """What a player can say now."""

    player: SideName
    can: list[SeatWord]
    cannot: dict[SeatWord, Text]
    """Why each of the others would be refused."""


class TurnSummary(TypedDict):
    """One turn as it stands in the record."""

    number: int
    game: int
    player: SideName
    dice: list[int | None] | None
    play: str
    legal: bool
    rule: Text
    """The rule that an illegal play breaks; empty for a legal one."""
    confidence: float
    review: bool
    doubts: list[str]
    rejected: bool
    by: str
    """`sight`, `hand`, or `rules` for a turn in which no move was possible."""
    time: float
    frame: int


class AlternativePlay(TypedDict):
    """Another play that fits the pictures."""

    play: str
    confidence: float
    position: Board | None
    """Null if the play cannot be made."""


class RollCheck(TypedDict):
    """A roll, and whether the play is legal with it."""

    dice: list[int]
    explains: bool


class TurnDetail(TurnSummary):
    """One turn with all that is known of it."""

    before: Board
    after: Board
    alternatives: list[AlternativePlay]
    rolls: list[RollCheck]


class PlayableMove(TypedDict):
    """A legal play and where it leads."""

    play: str
    position: Board
    played: bool
    """Whether this is the play seen on the board."""


class TurnToPlay(TypedDict):
    """The turn in progress: its roll, and the plays it allows."""

    player: SideName
    dice: list[int]
    before: Board
    plays: list[PlayableMove]


class Desk(Protocol):
    """A match that can be corrected by hand; every method is thread-safe."""

    def execute(self, command: Command) -> None:
        """Execute the command and return once it is in the record.

        Raises `EngineError` with the reason if it is not allowed; then nothing has changed. Raises
        `DeskUnavailable` if there is no answer in time.
        """

    def status(self) -> DeskStatus:
        """What can be entered now."""

    def seat(self, player: Side) -> SeatStatus:
        """What `player` can say now."""

    def turn_to_play(self) -> TurnToPlay:
        """The turn in progress and its legal plays; raises `NotNow` if no roll awaits a play."""

    def turns(self) -> list[TurnSummary]:
        """Every turn of the match, including rejected ones."""

    def turn(self, number: int) -> TurnDetail | None:
        """One turn with all that is known of it; None if there is no such turn."""

    def stills(self, number: int) -> Sequence[StillShown]:
        """The camera's pictures of a turn, the throw first; empty if none were kept."""

    def still(self, number: int, frame: int) -> bytes | None:
        """One of these pictures as JPEG; None if it does not exist."""

    def has_clip(self, number: int) -> bool:
        """Whether there is a clip of the end of a turn."""

    def clip(self, number: int) -> bytes | None:
        """The clip as MP4; None if there is none."""

    def legal_plays(self, number: int, dice: tuple[int, int] | None) -> list[PlayableMove] | None:
        """The legal plays of a turn with its roll or with `dice`; None if there is no such turn.

        Raises `EngineError` if the turn has no known roll and `dice` is None.
        """
