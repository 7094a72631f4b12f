"""Manual entries of a match: the `Desk` that takes them, and the commands.

A command is executed by the match between two frames, and the answer waits for that: what a desk
has accepted is in the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, Protocol

from typing_extensions import TypedDict

from engine.evidence.orientation import Orientation
from engine.match.corrections import PlayChosen, RollFixed
from engine.position import Side, SideVector
from webui.contracts.archive import StillShown
from webui.contracts.state import Board, CubeState, Names, SideName, Text


class DeskUnavailable(Exception):
    """Raised without an answer in time; the message says whether the command was executed."""


class DeskCommand(Enum):
    """The commands without values; whose they are follows from the match."""

    UNDO = "undo"
    """The last correction does not hold."""
    ACCEPT = "accept"
    """The illegal play may stand."""
    REJECT = "reject"
    """A legal play is required."""
    END_TURN = "end_turn"
    """The player on roll ends the turn."""
    DOUBLE = "double"
    BEAVER = "beaver"
    RACCOON = "raccoon"
    TAKE = "take"
    DROP = "drop"
    BOARD_MOVED = "board_moved"
    """The camera or the board was moved; what was seen in between is void."""
    PAUSE = "pause"
    """The camera is shown, but nothing is judged."""
    GO_ON = "go_on"
    """Judge again, from what is seen from now on."""
    BEGIN_GAME = "begin_game"
    """The checkers are set up: the next game begins."""
    END_MATCH = "end_match"
    """The match is over as it stands: nothing more of it is judged."""
    CLOCK = "clock"
    """The clock is pressed: the other's time passes; the mover's where it stood."""
    CLOCK_STOP = "clock_stop"
    """The clock stands for both."""
    CUP_ROLL = "cup_roll"
    """The cup rolls without being shaken."""
    CUP_ASIDE = "cup_aside"
    """The cup is not used until it is taken up again."""
    CUP_BACK = "cup_back"
    CUP_IDENTIFY = "cup_identify"
    """The cup blinks, so that one sees which it is."""
    CUP_REVEAL = "cup_reveal"
    """The cup reveals its seed: its rolls so far can be proven, and it takes another."""
    CUP_STANDS = "cup_stands"
    """Of two rolls of one turn the cup's counts."""
    DICE_STAND = "dice_stand"
    """Of two rolls of one turn that on the board counts."""


CommandName = Literal[
    "undo", "accept", "reject", "end_turn", "double", "beaver", "raccoon", "take", "drop",
    "board_moved", "pause", "go_on", "begin_game", "end_match", "cup_roll", "cup_aside", "cup_back",
    "cup_stands", "dice_stand", "cup_identify", "cup_reveal", "clock", "clock_stop",
]  # fmt: skip
"""The values of `DeskCommand`, for the API's document."""

CUP_COMMANDS: Final = (
    DeskCommand.CUP_ROLL, DeskCommand.CUP_ASIDE, DeskCommand.CUP_BACK, DeskCommand.CUP_STANDS,
    DeskCommand.DICE_STAND, DeskCommand.CUP_IDENTIFY, DeskCommand.CUP_REVEAL,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RollEntered:
    """What was thrown for the turn in progress; light's die first where lots are drawn."""

    dice: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlayEntered:
    """What was played of the roll that waits, in notation."""

    play: str


@dataclass(frozen=True, slots=True)
class OrientationChosen:
    """Which way the board of a game that is joined runs, of the ways that are open."""

    way: Orientation


@dataclass(frozen=True, slots=True)
class CupWords:
    """The players' words once the cup is bound; empty where one has none."""

    light: str
    dark: str


@dataclass(frozen=True, slots=True)
class PositionEntered:
    """The position that stands, each side by its own numbers; `to_move` rolls next."""

    light: SideVector
    dark: SideVector
    to_move: Side | None = None


@dataclass(frozen=True, slots=True)
class Resignation:
    """`player` gives up a game as lost by so many times the cube, or by so many points."""

    player: Side
    times: int = 1
    """1 single or oin, 2 gammon or mars, 3 backgammon or koks."""
    points: int | None = None
    """With the cube, in place of `times`: for a game whose cube is not known any more."""
    game: int | None = None
    """None: the game that was broken off first, else the one in play."""


@dataclass(frozen=True, slots=True)
class NamesEntered:
    """What the players are called."""

    light: str
    dark: str


@dataclass(frozen=True, slots=True)
class ClockEntered:
    """The clock stands at so many seconds of each; none at all: none is used."""

    light: float
    dark: float
    delay: float
    """Seconds of each turn that cost nothing."""


@dataclass(frozen=True, slots=True)
class NextMatch:
    """Another match begins at the same board, once the one before it is over."""

    light: str
    dark: str
    length: int
    """Points; 0 for money."""
    variant: str
    rules: str
    """A rule set's name, or the file that the program was started with; empty for the usual."""


Command = (
    DeskCommand
    | RollEntered
    | PlayEntered
    | OrientationChosen
    | CupWords
    | PlayChosen
    | RollFixed
    | PositionEntered
    | Resignation
    | NamesEntered
    | ClockEntered
    | NextMatch
)


class ManualEntryStatus(TypedDict):
    """What can be entered of the turn in progress; a reason is empty where it can."""

    lots: bool
    """Whether the roll is one die of each player, light's first."""
    dice: list[int] | None
    """The roll that waits to be played."""
    roll: Text
    """Why no roll can be entered."""
    play: Text
    """Why no play can."""


class DeskStatus(TypedDict):
    """What can be entered now."""

    paused: bool
    phase: str
    message: Text
    game: int
    """The game in play, 0 before the first."""
    asked: list[int]
    """Games that were broken off and whose result is not known."""
    turns: int
    to_move: SideName | None
    cube: CubeState | None
    """Null where none is played with, and before the first game."""
    players: Names
    variant: str
    length: int
    rule_set: str
    by_hand: bool
    """Whether no camera watches: all is entered here, or comes from a cup."""
    telling: ManualEntryStatus
    can: list[CommandName]
    """The commands that would be taken now."""
    cannot: dict[str, Text]
    """Why each of the others would not."""
    begin: Text
    """Why no other match can begin at this board now; empty if one can."""


class TurnSummary(TypedDict):
    """One turn as it stands in the record."""

    number: int
    game: int
    player: SideName
    dice: list[int | None] | None
    play: str
    legal: bool
    rule: Text
    """Which rule an illegal play breaks; empty for a legal one."""
    confidence: float
    review: bool
    doubts: list[str]
    rejected: bool
    by: str
    """`sight`, `hand`, or `rules` of a turn in which nothing could be moved."""
    time: float
    frame: int


class AlternativePlay(TypedDict):
    """Another play that the pictures leave open."""

    play: str
    confidence: float
    position: Board | None
    """Null where it cannot be made."""


class RollCheck(TypedDict):
    """A roll, and whether the play is a legal one with it."""

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
    """Whether the board showed this."""


class TurnToPlay(TypedDict):
    """The turn in progress: its roll, and how it can be played."""

    player: SideName
    dice: list[int]
    before: Board
    plays: list[PlayableMove]


class Desk(Protocol):
    """A match that can be corrected by hand; every method is thread-safe."""

    def execute(self, command: Command) -> None:
        """Carry the command out; afterwards it is in the record.

        `EngineError` says why it cannot be: then nothing has changed. `DeskUnavailable` if there is
        no answer in time.
        """

    def status(self) -> DeskStatus:
        """What can be entered now."""

    def turn_to_play(self) -> TurnToPlay:
        """The turn in progress and its legal plays; `NotNow` where no roll waits to be played."""

    def turns(self) -> list[TurnSummary]:
        """Every turn of the match, rejected ones too."""

    def turn(self, number: int) -> TurnDetail | None:
        """One turn with all that is known of it; None if there is no such turn."""

    def stills(self, number: int) -> Sequence[StillShown]:
        """What the camera saw of a turn, the throw first; empty where nothing was kept of it."""

    def still(self, number: int, frame: int) -> bytes | None:
        """One of these pictures as JPEG; None without it."""

    def legal_plays(self, number: int, dice: tuple[int, int] | None) -> list[PlayableMove] | None:
        """The legal plays of a turn with its roll, or with `dice`; None without that turn.

        `EngineError` where neither is known.
        """
