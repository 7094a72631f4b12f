"""What the review pages need: the `Archive` that they read, and its values.

An archive holds the matches of a record, including those in play. What the players of such a match
may not know yet is left out; `is_withheld` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from typing_extensions import TypedDict

from webui.contracts.analysis import AnalysisResult
from webui.contracts.events import EventList
from webui.contracts.state import (
    Board,
    Colours,
    DiceFaces,
    Die,
    Names,
    Numbers,
    PlaceShown,
    PlayOption,
    PositionIds,
    SideName,
    Text,
)

StepKind = Literal[
    "start", "opening", "roll", "void", "play", "illegal", "rejected", "taken_back",
    "double", "beaver", "raccoon", "take", "drop", "resign",
    "set", "broken_off", "resumed", "end", "match_end", "cup_decided",
]  # fmt: skip
"""What happened in a step. `rejected`: the opponent asked for a legal play instead."""
ReviewKind = Literal[
    "doubt", "inferred", "illegal", "reroll", "unfinished", "set_up_error", "cup_disagrees",
    "unseen",
]  # fmt: skip
AnalysisState = Literal["missing", "withheld", "none", "running", "done", "failed"]
"""`missing`: this machine has no engine; `withheld`: the match is still in play; `none`: nobody has
asked for an analysis."""


Home = Literal["right", "left"]
"""Where light's ace point lies as light's player sees it."""


class ArchiveError(Exception):
    """Base of an archive's refusals; the message is one line for the reader."""


class NotInRecord(ArchiveError):
    """Raised when the record has no such match, still, clip or file."""


class Unavailable(ArchiveError):
    """Raised when the item exists but cannot be given.

    The match is in play, the format cannot express it, or the engine is missing.
    """


class MatchSummary(TypedDict):
    """One match of the record."""

    id: int
    begun: float
    """Seconds since 1970, UTC."""
    players: Names
    variant: str
    length: int
    """Match length in points; 0 for a money game."""
    score: Numbers
    winner: SideName | None
    """The winner of the match; null if there is none yet, and for money games."""
    is_open: bool
    """Whether the match can be continued."""
    games: int
    plays: int
    """The number of turns that stand."""
    to_review: int
    """The number of review items."""
    event: str
    """The tournament; empty if nobody said."""
    round: str
    table: str
    note: str
    """What the referee noted."""
    source: str
    """Where the match's pictures came from, or the file that it was read from; the pages and the
    API name it without its folder or network address."""
    version: int
    """Changes with everything that is shown of the match."""


MATCHES_PER_PAGE: Final = 40
"""Matches on one page of the list."""


class MatchList(TypedDict):
    """A page of the list, newest first."""

    matches: list[MatchSummary]
    older: int | None
    """The value of `before` for the next page; null if this is the last."""


class UnfinishedMatch(TypedDict):
    """An open match that nobody is recording: it can go on, or be ended as it stands."""

    id: int
    players: Names
    variant: str
    length: int
    """Match length in points; 0 for a money game."""
    score: Numbers
    games: int
    """The number of games that have begun; 0 if it was only set up."""
    plays: int
    """The number of turns that stand."""
    last: float
    """When it was last played or, without a game, set up, in seconds since 1970, UTC."""
    by_hand: bool
    """Whether it began without a camera."""


class MatchDetails(TypedDict):
    """What the referee may change of a match that is over; what is not known is empty."""

    light: str
    """Light's name at the end of the match."""
    dark: str
    event: str
    round: str
    table: str
    note: str


class Doubt(TypedDict):
    """A turn of a match that is over, of which a person should say what was played."""

    match: int
    turn: int
    """1 for the first turn of the match; rejected turns count."""
    chance_wrong: float
    """The probability that it was not what is recorded."""


class DeletedMatch(TypedDict):
    """A deleted match that can still be restored."""

    id: int
    begun: float
    """Seconds since 1970, UTC."""
    players: Names
    gone: float
    """When it can be removed for good, at the earliest; seconds since 1970, UTC."""


class AddedMatch(TypedDict):
    """A match that was read from a file."""

    id: int
    players: Names
    faults: list[Text]
    """What is wrong in the file, or illegal in the match; each is one line."""


class CubeShown(TypedDict):
    """The doubling cube after a step."""

    value: int
    owner: SideName | None
    """None if it is in the middle."""
    offered: int | None
    """The value offered, while the offer awaits an answer."""


class MatchStep(TypedDict):
    """One thing that happened, and the table afterwards."""

    id: str
    """`turn-12` for the turn with that number, `step-30` for any other step."""
    kind: StepKind
    game: int
    turn: int | None
    """The turn's number in the match, counting rejected turns; null for other steps."""
    player: SideName | None
    dice: list[Die]
    play: str
    """In notation; empty if the step is not a play."""
    note: Text
    """Why a throw is void, which rule was broken, or how a game ended."""
    points: int
    """The cube's new value, or the points that the game was won by; 0 otherwise."""
    time: float
    """Seconds since the start of the source."""
    confidence: float | None
    """None if there is none or it is withheld."""
    review: bool
    is_rejected: bool
    """Whether another play replaces this one."""
    is_crawford: bool
    position: Board | None
    cube: CubeShown | None
    """None if the game has no cube."""
    score: Numbers
    pips: Numbers | None
    ids: PositionIds | None
    """None in games that have none; after a game, those of its end, at the score before it."""


class StillLabel(TypedDict):
    """What was read at a place in a still: a label to draw there."""

    x: float
    """As a fraction of the still's width, from the left."""
    y: float
    """As a fraction of the still's height, from the top."""
    kind: str
    """`light` or `dark` for a checker count of that side, or `die`."""
    text: str
    sure: float


class StillShown(TypedDict):
    """A picture of a doubtful moment."""

    frame: int
    """Identifies the picture: `/api/matches/<id>/stills/<frame>.jpg`."""
    shows: Text
    """What the picture shows, in words."""
    time: float
    width: int
    height: int
    is_kept: bool
    """Whether the picture still exists."""
    marks: list[StillLabel]


class ReviewItemShown(TypedDict):
    """One thing for a person to look at."""

    step: str
    """The id of the step that it belongs to."""
    kind: ReviewKind
    review: bool
    """Whether a person should look; a throw that is certainly void is only listed."""
    game: int
    turn: int | None
    player: SideName | None
    dice: DiceFaces | None
    play: str
    confidence: float | None
    time: float
    why: list[Text]
    rule: Text
    """The broken rule in words; empty if none was broken."""
    alternatives: list[PlayOption]
    stills: list[StillShown]
    clip: int | None
    """Identifies its clip: `/api/matches/<id>/clips/<clip>.mp4`; null if there is none."""


class DownloadLink(TypedDict):
    """A file that can be downloaded."""

    name: str
    """Identifies the file: `/api/matches/<id>/files/<name>`."""
    title: Text
    """The program that it is for, in words."""


class MatchContents(TypedDict):
    """What may be shown of one match."""

    steps: list[MatchStep]
    doubtful: list[ReviewItemShown]
    files: list[DownloadLink]
    colours: Colours
    light_home: Home
    place: PlaceShown | None
    is_withheld: bool
    """Whether something is withheld until the match is over."""


class RecordedMatch(MatchContents):
    """One match with everything that may be shown of it."""

    entry: MatchSummary


class Analysis(TypedDict):
    """The progress of a match's analysis."""

    state: AnalysisState
    note: Text
    """What to do, or what went wrong, in one line; otherwise empty."""
    figures: AnalysisResult | None
    """What there is of it; null before it has begun."""
    done: int
    """Events judged so far."""
    total: int


@dataclass(frozen=True, slots=True)
class DownloadFile:
    """A file to download."""

    name: str
    mimetype: str
    content: bytes


class Archive(Protocol):
    """The matches of a record; every method is thread-safe and returns at once.

    Each raises `NotInRecord` if there is no such match, and `ArchiveError` if the record is
    unreadable.
    """

    def matches(self, before: int | None = None) -> MatchList:
        """The newest matches, or the newest of those numbered below `before`."""

    def newest_played(self) -> Sequence[int]:
        """The number of the newest match that was recorded here; empty if there is none."""

    def listed(self, numbers: Sequence[int]) -> list[MatchSummary]:
        """These matches as in the list, without those that are not there."""

    def version(self, number: int) -> int:
        """The newest `version` of the match, cheap to get."""

    def match(self, number: int) -> RecordedMatch:
        """The match of this number."""

    def match_as_of(self, number: int, known: int) -> RecordedMatch:
        """The match in play when it had `known` events, without moments to review and files."""

    def event_count(self, number: int) -> tuple[int, bool]:
        """How many events are in the record of the match, and whether it can be continued."""

    def events(self, number: int, after: int, *, is_whole: bool, known: int) -> EventList:
        """A part of the feed of the match, after number `after`.

        is_whole: whether it has what the rule set hides from players. known: how many events of
        the record the reader may know of.
        """

    def still(self, number: int, frame: int) -> bytes:
        """A still of the match as JPEG; raises `NotInRecord` if it is gone."""

    def clip(self, number: int, frame: int) -> bytes:
        """A clip of the match as MP4; raises `NotInRecord` if it is gone."""

    def file(self, number: int, name: str) -> DownloadFile:
        """A file of the match; raises `Unavailable` if the format cannot express the match."""

    def analysis(self, number: int) -> Analysis:
        """The progress of the match's analysis; starts nothing."""

    def analyse(self, number: int) -> Analysis:
        """Start the analysis and return its progress; raises `Unavailable` if it cannot start."""

    def edit(self, number: int, details: MatchDetails) -> None:
        """Change what is said of a match; raises `Unavailable` while it is played."""

    def doubts(self, numbers: Sequence[int]) -> list[Doubt]:
        """The doubtful turns of those of these matches that are over, the likeliest wrong first."""

    def answer(self, number: int, turn: int, play: str) -> None:
        """Record what was played in a doubtful turn.

        Raises `Unavailable` while the match is played, or if what was recorded later does not
        follow from the play.
        """

    def unfinished(self) -> list[UnfinishedMatch]:
        """The matches that can go on, last played first."""

    def end(self, number: int) -> None:
        """End an unfinished match as it stands; raises `Unavailable` while it is recorded."""

    def delete(self, number: int) -> None:
        """Delete a match; raises `Unavailable` while it is played."""

    def restore(self, number: int) -> None:
        """Take back that a match was deleted; raises `NotInRecord` if it is gone."""

    def deleted(self) -> list[DeletedMatch]:
        """The matches that can be restored, the last to be deleted first."""

    def add_file(self, name: str, content: bytes) -> AddedMatch:
        """Add the match of another program's file; raises `Unavailable` if it cannot be read."""
