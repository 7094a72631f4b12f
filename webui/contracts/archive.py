"""What the review pages need: the `Archive` that they read, and its values.

An archive holds the matches of a record, those that are being played too. What the players of
such a match may not know yet is left out; `is_withheld` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from typing_extensions import TypedDict

from webui.contracts.state import (
    Board,
    Colours,
    DiceFaces,
    Die,
    Names,
    Numbers,
    PlayOption,
    SideName,
    Text,
)

StepKind = Literal[
    "start", "opening", "roll", "void", "play", "illegal", "rejected", "taken_back",
    "double", "beaver", "raccoon", "take", "drop", "resign",
    "set", "broken_off", "resumed", "end", "match_end", "cup_decided",
]  # fmt: skip
"""What happened in a step; `rejected`: the opponent asked for a legal play instead."""
ReviewKind = Literal[
    "doubt", "inferred", "illegal", "reroll", "unfinished", "set_up_error", "cup_disagrees",
    "unseen",
]  # fmt: skip
AnalysisState = Literal["missing", "withheld", "none", "running", "done", "failed"]
"""`missing`: there is no engine on this machine; `withheld`: the match is still being played;
`none`: nobody has asked for it."""


Home = Literal["right", "left"]
"""Where light's ace point lies as light's player sees it."""


class ArchiveError(Exception):
    """Base of what an archive refuses; the message is one line for the reader."""


class NotInRecord(ArchiveError):
    """Raised when the record has no such match, still or file."""


class Unavailable(ArchiveError):
    """Raised when it is there and cannot be given.

    The match is being played, a format cannot express it, or the engine is missing.
    """


class MatchSummary(TypedDict):
    """One match of the record."""

    id: int
    begun: float
    """Seconds since 1970, UTC."""
    players: Names
    variant: str
    length: int
    """Points of the match; 0 = money."""
    score: Numbers
    winner: SideName | None
    """Who has won the match; null while nobody has, and for money."""
    is_open: bool
    """Whether it can be gone on with."""
    games: int
    plays: int
    """Turns that stand."""
    to_review: int
    """Things that somebody should look at."""
    source: str
    """Where its pictures came from."""
    version: int
    """Rises with every event of the match."""


class MatchList(TypedDict):
    """A part of the list, newest first."""

    matches: list[MatchSummary]
    older: int | None
    """What to give as `before` for those that follow; null where none do."""


class CubeShown(TypedDict):
    """The doubling cube after a step."""

    value: int
    owner: SideName | None
    """None: it lies in the middle."""
    offered: int | None
    """What it was turned to, while that waits for an answer."""


class MatchStep(TypedDict):
    """One thing that happened, and the table after it."""

    id: str
    """`turn-12` for the turn of that number, `step-30` for everything else."""
    kind: StepKind
    game: int
    turn: int | None
    """Its number in the match, rejected turns counted; null for what is no turn."""
    player: SideName | None
    dice: list[Die]
    play: str
    """In notation; empty for what is no play."""
    note: Text
    """Why a throw is void, which rule was broken, how a game ended."""
    points: int
    """What the cube was turned to, or what the game was won by; 0 for all else."""
    time: float
    """Seconds of the source."""
    confidence: float | None
    """None where there is none, or it may not be seen."""
    review: bool
    is_rejected: bool
    """Whether another play stands in place of this one."""
    is_crawford: bool
    position: Board | None
    cube: CubeShown
    score: Numbers
    pips: Numbers | None


class StillLabel(TypedDict):
    """What was read at a place of a still: a word there."""

    x: float
    """As a share of its width, from the left."""
    y: float
    """As a share of its height, from the top."""
    kind: str
    """`light` or `dark` for a count of that side, `die`."""
    text: str
    sure: float


class StillShown(TypedDict):
    """A picture of a doubtful moment."""

    frame: int
    """Names the picture: `/api/matches/<id>/stills/<frame>.jpg`."""
    shows: Text
    """What is to be seen, in words."""
    time: float
    width: int
    height: int
    is_kept: bool
    """Whether the picture is still there."""
    marks: list[StillLabel]


class ReviewItemShown(TypedDict):
    """One thing to look at."""

    step: str
    """The id of the step that it belongs to."""
    kind: ReviewKind
    review: bool
    """Whether somebody should look; a throw that is surely void is listed only."""
    game: int
    turn: int | None
    player: SideName | None
    dice: DiceFaces | None
    play: str
    confidence: float | None
    time: float
    why: list[Text]
    rule: Text
    """Which rule was broken, in words; empty where none was."""
    alternatives: list[PlayOption]
    stills: list[StillShown]


class DownloadLink(TypedDict):
    """A file that can be downloaded."""

    name: str
    """Names it: `/api/matches/<id>/files/<name>`."""
    title: Text
    """For which program, in words."""


class RecordedMatch(TypedDict):
    """One match with everything that may be shown of it."""

    entry: MatchSummary
    steps: list[MatchStep]
    doubtful: list[ReviewItemShown]
    files: list[DownloadLink]
    colours: Colours
    light_home: Home
    is_withheld: bool
    """Whether something is withheld until the match is over."""


class PlayerStatistics(TypedDict):
    """How somebody played, by the engine."""

    error_rate: float
    """Thousandths of a point of normalised equity given up for each decision."""
    error_total: float
    """Points of normalised equity given up in all."""
    luck: float
    """Points of normalised equity that the dice gave."""
    rating: Text
    """The engine's word for it."""


class TurnStatistics(TypedDict):
    """What a play gave up."""

    turn: int
    loss: float
    """Points of normalised equity; 0 for the best play."""
    best: str
    """The play that the engine prefers, in notation."""
    luck: float | None
    mark: Literal["", "doubtful", "bad", "very bad"]


class AnalysisResult(TypedDict):
    """The analysis of a match."""

    engine: str
    light: PlayerStatistics
    dark: PlayerStatistics
    turns: list[TurnStatistics]


class Analysis(TypedDict):
    """Where the analysis of a match is."""

    state: AnalysisState
    note: Text
    """What to do, or what went wrong, in one line; else empty."""
    figures: AnalysisResult | None


@dataclass(frozen=True, slots=True)
class DownloadFile:
    """A file to download."""

    name: str
    mimetype: str
    content: bytes


class Archive(Protocol):
    """The matches of a record; every method is thread-safe and answers at once.

    Each raises `NotInRecord` where there is no such match, and `ArchiveError` where the record is
    unreadable.
    """

    def matches(self, before: int | None = None) -> MatchList:
        """The newest matches, or the newest of those numbered below `before`."""

    def version(self, number: int) -> int:
        """The newest `version` of the match, at little cost."""

    def match(self, number: int) -> RecordedMatch:
        """The match of this number."""

    def still(self, number: int, frame: int) -> bytes:
        """A still of its doubtful moments as JPEG; `NotInRecord` if it is gone."""

    def file(self, number: int, name: str) -> DownloadFile:
        """A file of it; `Unavailable` if that format cannot express it."""

    def analysis(self, number: int) -> Analysis:
        """Where the analysis of the match is; starts nothing."""

    def analyse(self, number: int) -> Analysis:
        """The same, once it was begun; `Unavailable` if it cannot be."""
