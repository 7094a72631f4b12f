"""What can be said by hand of a match: the `Desk` that takes it, and the words it takes.

A word is carried out by whoever watches the board, between two frames, and the answer waits for
that: what a desk has accepted stands in the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol

from engine.match.corrections import PlayChosen, RollFixed
from engine.position import Side, SideVector
from webui.contracts.archive import StillShown


class DeskUnavailable(Exception):
    """Raised when the table does not answer in time; the message says what became of the word."""


class DeskCommand(Enum):
    """What is said in one word; whose word it is follows from the match."""

    UNDO = "undo"
    """The last correction does not hold."""
    ACCEPT = "accept"
    """The illegal play may stand."""
    REJECT = "reject"
    """A legal play is required."""
    END_TURN = "end_turn"
    """The player on roll says that his turn is over."""
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
    """The cup tells its seed: what it has rolled so far can be proven, and it takes another."""
    CUP_STANDS = "cup_stands"
    """Of two rolls of one turn the cup's counts."""
    DICE_STAND = "dice_stand"
    """Of two rolls of one turn that on the board counts."""


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
class CupWords:
    """What the players said once the cup was bound; empty where one has no word."""

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


Given = PositionEntered | Resignation | NamesEntered | ClockEntered | NextMatch
Command = DeskCommand | RollEntered | PlayEntered | CupWords | PlayChosen | RollFixed | Given


class Desk(Protocol):
    """A match that can be put right by hand; every method is thread-safe."""

    def execute(self, command: Command) -> None:
        """The command was carried out and is in the record.

        `EngineError` says why it cannot be: then nothing has changed. `DeskUnavailable` if there is
        no answer in time.
        """

    def status(self) -> Mapping[str, Any]:
        """What can be said now: `webui.api.schemas.common.DeskNow`."""

    def turn_to_play(self) -> Mapping[str, Any]:
        """The turn in progress and its legal plays: `webui.api.schemas.common.ToPlay`.

        `NotNow` where no roll waits to be played.
        """

    def turns(self) -> Sequence[Mapping[str, Any]]:
        """Every turn of the match: `webui.api.schemas.common.TurnTold`, rejected ones too."""

    def turn(self, number: int) -> Mapping[str, Any] | None:
        """One turn with all that is known of it; None if there is no such turn."""

    def stills(self, number: int) -> Sequence[StillShown]:
        """What the camera saw of a turn, first its throw; none where nothing was kept of it."""

    def still(self, number: int, frame: int) -> bytes | None:
        """One of these pictures as JPEG; None without it."""

    def legal_plays(
        self, number: int, dice: tuple[int, int] | None
    ) -> Sequence[Mapping[str, Any]] | None:
        """The legal plays of a turn with its roll, or with `dice`; None without that turn.

        `EngineError` where neither is known.
        """
