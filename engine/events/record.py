"""Facts about the record: what was broken off, found out, put right or closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.events.match import Event
from engine.position import Position, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished(Event):
    """The checkers were swept or set up anew in mid-game: who won, and how high, is asked."""

    type: ClassVar[str] = "unfinished"
    game: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Event):
    """The game that was broken off goes on: its position stands again, and `player` rolls."""

    type: ClassVar[str] = "resumed"
    game: int
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed(Event):
    """What followed leaves no doubt about the play of turn `turn`, or somebody looked at it."""

    type: ClassVar[str] = "confirmed"
    turn: int
    """1 for the first turn of the match, rejected ones counted."""
    confidence: float = 1.0
    by: str = "sight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """Another history holds: of the events before this one only the first `keep` stand.

    What stands is counted, so what an earlier correction took back does not count.
    """

    type: ClassVar[str] = "corrected"
    keep: int
    by: str = "sight"
    what: str = ""
    """What was told by hand, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSet(Event):
    """The position was set by hand; `to_move` rolls next, None: whoever begins."""

    type: ClassVar[str] = "position_set"
    position: Position
    to_move: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionFound(Event):
    """The board has not stood as the record has it for some turns: `position` stood there.

    Turns were lost, or a play was told wrong; whose turn it is and what he rolled is not touched.
    """

    type: ClassVar[str] = "position_found"
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpError(Event):
    """`position` stood for a while where a start position, or the one of the game, should."""

    type: ClassVar[str] = "set_up_error"
    position: Position
    faults: tuple[str, ...]
    """What is wrong, place by place in words, each side by its own numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMoved(Event):
    """The camera or the board was moved; what was seen in between is void."""

    type: ClassVar[str] = "board_moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersNamed(Event):
    """The players' names were told by hand."""

    type: ClassVar[str] = "named"
    light: str
    dark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchClosed(Event):
    """The match was ended by hand before anybody had won it, at `score`."""

    type: ClassVar[str] = "match_closed"
    score: tuple[int, int]
