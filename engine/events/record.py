"""Facts about the record: what was broken off, found out, corrected or closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from engine.events.match import Count, Event, Probability
from engine.message import Message, Sentence
from engine.position import Position, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished(Event):
    """The checkers were swept or set up anew in mid-game; who won, and how high, is not known."""

    type: ClassVar[str] = "unfinished"
    game: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Event):
    """The game that was broken off goes on: its position stands again, and `player` rolls."""

    type: ClassVar[str] = "resumed"
    game: Count
    player: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed(Event):
    """The play of turn `turn` is certain by what followed, or somebody has reviewed it."""

    type: ClassVar[str] = "confirmed"
    turn: Count
    """1 for the first turn of the match, rejected ones counted."""
    confidence: Probability = 1.0
    by: Literal["sight", "hand"] = "sight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """Of the events in effect before this one only the first `keep` stay in effect.

    Events that an earlier correction took back do not count.
    """

    type: ClassVar[str] = "corrected"
    keep: Count
    by: Literal["sight", "hand"] = "sight"
    what: str = ""
    """What was corrected by hand, as an English sentence."""
    what_message: Message | None = field(default=None, metadata={"omit_empty": True})
    """`what` as a value that can be translated; None in older records."""

    @property
    def correction(self) -> Sentence:
        """What was corrected by hand, translatable where the record has it so."""
        return self.what_message or self.what


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSet(Event):
    """The position was set by hand; `to_move` rolls next, None: the opening roll decides."""

    type: ClassVar[str] = "position_set"
    position: Position
    to_move: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionFound(Event):
    """The board has differed from the record for some turns: it shows `position`.

    Turns were missed, or a play was misread; whose turn it is and what he rolled stay the same.
    """

    type: ClassVar[str] = "position_found"
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpError(Event):
    """`position` stood for a while where a start position, or the one of the game, should."""

    type: ClassVar[str] = "set_up_error"
    position: Position
    faults: tuple[str, ...]
    """What is wrong, an English sentence for each place, each side by its own numbers."""
    fault_messages: tuple[Message, ...] = field(default=(), metadata={"omit_empty": True})
    """`faults` as values that can be translated; empty in older records."""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """What is wrong, translatable where the record has it so."""
        return self.fault_messages or self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMoved(Event):
    """The camera or the board was moved; what was seen in between is void."""

    type: ClassVar[str] = "board_moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersNamed(Event):
    """The players' names were entered by hand."""

    type: ClassVar[str] = "named"
    light: str
    dark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchClosed(Event):
    """The match was ended by hand before anybody had won it, at `score`."""

    type: ClassVar[str] = "match_closed"
    score: tuple[Count, Count]
