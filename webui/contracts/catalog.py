"""What the pages about many matches need: the `Catalog` that they ask, and its values."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, Protocol

from typing_extensions import TypedDict

from webui.contracts.archive import ArchiveError, DownloadFile
from webui.contracts.words import SideName

Order = Literal["newest", "loss", "lucky", "unlucky"]
Subject = Literal["turns", "matches", "players"]
Form = Literal["csv", "parquet"]


class BadQuestion(ArchiveError):
    """Raised when a question cannot be understood; the message says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchQuestion:
    """Which matches or turns are wanted, as somebody wrote it; empty: any."""

    words: str = ""
    """Each must be in a name, the place, the note or the source of the match."""
    state: Literal["", "review", "unfinished", "stopped"] = ""
    """`review`: somebody should look at a turn.

    Of matches that nobody has won, `unfinished`: it can go on; `stopped`: it cannot.
    """
    player: str = ""
    """A player's name; of turns, who made them."""
    opponent: str = ""
    event: str = ""
    """A part of the tournament's name."""
    since: str = ""
    """A date such as 2026-11-30, in local time."""
    until: str = ""
    """The last date."""
    variant: str = ""
    opening: str = ""
    """A game's first roll, such as 3-1, or with its play: 3-1 8/5 6/5."""
    dice: str = ""
    """The roll of a turn, such as 6-4."""
    position: str = ""
    """A pattern as `engine.pattern` reads it, a Position ID or an XGID."""
    loss: float | None = None
    """Turns that lost at least so much equity."""
    luck: float | None = None
    """Turns whose roll gained at least so much equity; if negative, lost at least so much."""
    without: frozenset[int] = frozenset()
    """The numbers of matches that are left out."""
    only_over: bool = False
    """Whether matches in play are left out."""


def player_key(name: str) -> str:
    """What a player is known by: the name, whatever its capitals and spaces."""
    return " ".join(name.casefold().split())


def searched(text: str) -> str:
    """The text as a search compares it: whatever its capitals and accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


class PlayerRow(TypedDict):
    """A player, with sums over all matches."""

    name: str
    matches: int
    won: int
    """Matches won."""
    lost: int
    points: int
    """Points scored."""
    games: int
    plays: int
    rolls: int
    doubles: int
    """How many of the rolls were doubles."""
    pips: int
    """What all rolls come to; a double counts four times."""
    timed: int
    """Turns whose time is known."""
    seconds: float
    """The time of those turns together."""
    analyzed: int
    """Matches that were analyzed."""
    decisions: int
    """Decisions in them."""
    loss: float
    """Equity that those lost."""
    luck: float
    """Equity that the dice gained in them."""
    rating: float | None
    """The performance rating (PR); null if nothing was analyzed."""


class FoundMatch(TypedDict):
    """A match, with each player's figures in it."""

    match: int
    begun: float
    """Seconds since 1970, UTC."""
    event: str
    round: str
    table: str
    variant: str
    length: int
    games: int
    is_open: bool
    winner: SideName | None
    light: PlayerRow
    dark: PlayerRow


class FoundTurn(TypedDict):
    """A turn, and the position that it began with."""

    match: int
    begun: float
    event: str
    variant: str
    course: str
    """`opposed` or `circling`: how the numbers of the two sides overlay."""
    game: int
    turn: int
    side: SideName
    """Whose turn it is, by the colors of that game."""
    player: str
    opponent: str
    dice: list[int]
    """Empty if no roll was made, or not all of it is known."""
    play: str
    opening: str
    """How the game began; empty if it was joined under way."""
    own: list[int]
    """Checkers of the player on turn before the play: borne off, on points 1 to 24, on the bar."""
    other: list[int]
    loss: float | None
    """Equity lost; null if it was not analyzed."""
    luck: float | None
    seconds: float | None


class FoundTurns(TypedDict):
    """A part of the turns found."""

    turns: list[FoundTurn]
    found: int
    """How many there are in all."""


class Players(Protocol):
    """The players of many matches; every method is thread-safe.

    Each method raises `BadQuestion` if the question cannot be
    understood, and `ArchiveError` if what was recorded is unreadable.
    """

    def missing(self) -> int:
        """How many matches still have to be read before answers are complete."""

    def players(self, asked: MatchQuestion) -> list[PlayerRow]:
        """The players of the matches wanted, those with most matches first."""

    def matches(self, asked: MatchQuestion) -> list[FoundMatch]:
        """The matches wanted, newest first."""

    def table(self, what: Subject, form: Form, asked: MatchQuestion) -> DownloadFile:
        """All rows wanted, as a file.

        Raises `Unavailable` if this machine cannot write it, `BadQuestion` if there are too many.
        """


class Catalog(Players, Protocol):
    """Answers questions to the matches of a record."""

    def numbers(self, asked: MatchQuestion, *, most: int, before: int | None = None) -> list[int]:
        """Some of their numbers, the highest first; `before`: only lower ones.

        Matches in play are among them, by all that is known of them: before they are shown, leave
        out those that the list does not mark for review, if that is what was asked.
        """

    def turns(
        self, asked: MatchQuestion, *, order: Order = "newest", start: int = 0, most: int = 20
    ) -> FoundTurns:
        """Some of the turns wanted."""
