"""What happened in a match, event by event, for programs: each of these is in the feed of a match.

The feed is append-only: an event that was corrected stays, and `corrected` says that it no longer
holds. A feed for players says nothing that their rule set hides, and never makes up for it, but for
illegal plays that are announced after the game.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from webui.contracts.state import Board, DiceFaces, Names, Numbers, SideName, Text


class FeedEvent(TypedDict):
    """What every event of a feed has."""

    seq: int
    """Its number in this feed, from 1 on without a gap."""
    time: float
    """Seconds of the source."""
    game: int
    """The number of the game in the match; 0 before the first."""


class GameStartEvent(FeedEvent):
    """A game began."""

    event: Literal["game_start"]
    players: Names
    variant: str
    length: int
    """Match length in points; 0 for a money game."""
    score: Numbers
    position: Board


class OpeningEvent(FeedEvent):
    """Each player rolled one die to decide who begins."""

    event: Literal["opening"]
    light: int | None
    dark: int | None


class RollEvent(FeedEvent):
    """A throw that counts."""

    event: Literal["roll"]
    player: SideName
    dice: DiceFaces


class VoidEvent(FeedEvent):
    """A throw that does not count."""

    event: Literal["void"]
    player: SideName
    dice: DiceFaces
    reason: str
    """`cocked`, `on_checker`, `off_board`, `split`, `wrong_half`, `premature`, `apart` or
    `paused`."""


class PlayEvent(FeedEvent):
    """A turn was played; as far as the reader may know, legally."""

    event: Literal["play"]
    player: SideName
    turn: int
    """Its number in the match; turns that were rejected are counted too."""
    dice: DiceFaces | None
    play: str
    position: Board


class IllegalEvent(FeedEvent):
    """A play that breaks a rule.

    If its `turn` came before as a play, it is announced now that the game is over.
    """

    event: Literal["illegal"]
    player: SideName
    turn: int
    dice: DiceFaces | None
    play: str
    position: Board
    rule: Text
    """The rule that it breaks, in words."""


class RulingEvent(FeedEvent):
    """The opponent, `player`, accepted or rejected an illegal play, or the mover took one back."""

    event: Literal["accepted", "rejected", "take_back"]
    player: SideName


class CubeTurnEvent(FeedEvent):
    """A player turned the cube to `value`."""

    event: Literal["double", "beaver", "raccoon"]
    player: SideName
    value: int


class CubeAnswerEvent(FeedEvent):
    """A player took the cube that was offered, or dropped it and lost the game."""

    event: Literal["take", "drop"]
    player: SideName


class ResignEvent(FeedEvent):
    """A player resigned a game and lost `points`."""

    event: Literal["resign"]
    player: SideName
    points: int


class PositionEvent(FeedEvent):
    """The position was set by hand, or taken over from the board."""

    event: Literal["position"]
    position: Board


class GameEndEvent(FeedEvent):
    """A game ended."""

    event: Literal["game_end"]
    winner: SideName | None
    """Null if it was drawn."""
    points: int
    """What the winner got; each player, if it was drawn."""
    result: str


class MatchEndEvent(FeedEvent):
    """The match ended, won by a player or by hand."""

    event: Literal["match_end"]
    winner: SideName | None
    score: Numbers


class NamesEvent(FeedEvent):
    """The players' names were entered."""

    event: Literal["names"]
    players: Names


class InterruptionEvent(FeedEvent):
    """A game was broken off, or continued."""

    event: Literal["unfinished", "resumed"]


class PauseEvent(FeedEvent):
    """The referee paused the match, or let it continue."""

    event: Literal["paused", "continued"]


class CorrectedEvent(FeedEvent):
    """A correction: the events after number `after`, up to this one, no longer hold."""

    event: Literal["corrected"]
    after: int


MatchEvent: TypeAlias = (
    GameStartEvent
    | OpeningEvent
    | RollEvent
    | VoidEvent
    | PlayEvent
    | IllegalEvent
    | RulingEvent
    | CubeTurnEvent
    | CubeAnswerEvent
    | ResignEvent
    | PositionEvent
    | GameEndEvent
    | MatchEndEvent
    | NamesEvent
    | InterruptionEvent
    | PauseEvent
    | CorrectedEvent
)


class EventList(TypedDict):
    """A part of a feed."""

    events: list[MatchEvent]
    more: bool
    """Whether there are newer ones already."""
    is_open: bool
    """Whether the match can be continued."""
