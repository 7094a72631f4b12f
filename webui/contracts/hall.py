"""What the page of a hall needs: all its tables, and their results."""

from __future__ import annotations

from typing import Literal, Protocol

from typing_extensions import TypedDict

from webui.contracts.archive import DownloadFile, RecordedMatch
from webui.contracts.catalog import FoundTurns, MatchQuestion, Players
from webui.contracts.roles import Visibility
from webui.contracts.state import State, Text

ResultStatus = Literal["waiting", "playing", "final", "stopped", "contested", "unfinished"]
"""`unfinished`: nobody has ended it, and nothing was heard of it for a day."""


class ResultRow(TypedDict):
    """One match of the hall; what is not known is empty."""

    match: str
    """Its name, which no other match at the same table has."""
    event: str
    round: str
    table: str
    light: str
    dark: str
    light_score: int
    dark_score: int
    length: int
    variant: str
    winner: str
    """The winner's name; empty if nobody has won."""
    status: ResultStatus
    begun: str
    """ISO 8601, UTC, by the table's clock."""
    ended: str


class HallResult(ResultRow):
    """The same with what names the match in the hall."""

    id: int
    """Its page is `/hall/matches/<id>`."""


class HallMatch(TypedDict):
    """One match of the hall with everything that may be shown of it now."""

    match: RecordedMatch
    result: HallResult
    is_whole: bool
    """Whether this version of the program knows all of its events; it passes over the others."""


class Unindexed(TypedDict):
    """A match that no question finds, because something in it cannot be read."""

    id: int
    """Its page is `/hall/matches/<id>`."""
    table: str
    light: str
    dark: str
    why: str
    """In the program's own words."""


class TableShown(TypedDict):
    """One table of the hall as it was last heard of."""

    name: str
    version: int
    """Increases with every change in the hall."""
    online: bool
    page: str
    """The address of the table's own page; empty if only its own machine can open it."""
    troubles: list[Text]
    """What is wrong with the connection to it."""
    age: float
    """Seconds since its state was heard; its clock has run on since."""
    state: State


class HallFigures(TypedDict):
    """How a hall does: nothing of it tells what happens on a board."""

    tables: int
    online: int
    """Tables that are connected."""
    silent: int
    """Connected tables that have not been heard for a while."""
    clocks_off: int
    """Tables whose clock differs from the hall's."""
    has_broker: bool
    has_store: bool
    """Whether the store takes what arrives."""
    stored: int
    """Events stored since the hall began, as all that follows."""
    dropped: int
    """Messages that were not what their topic says."""
    store_faults: int
    """How often the store failed."""
    waiting: int
    """Events that wait for the store now."""
    undelivered: int | None
    """Notices that an address of a webhook has not accepted yet; None if the store does not say."""
    unindexed: int | None
    """Matches that no question finds; None if the store does not say."""


class HallMatches(Players, Protocol):
    """The matches of a hall; questions are answered from those that nobody plays.

    Each method raises `NotInRecord` for what is not there.
    """

    def match(self, number: int) -> HallMatch:
        """The match of this id."""

    def file(self, number: int, name: str) -> DownloadFile:
        """A file of the match; raises `Unavailable` if the format cannot express the match."""

    def turns(self, asked: MatchQuestion, *, start: int = 0, most: int = 20) -> FoundTurns:
        """Some of the turns wanted, the newest match first."""

    def unindexed(self) -> list[Unindexed]:
        """The matches that no question finds, the newest first."""


class Hall(Protocol):
    """The tables of a hall; every method is thread-safe."""

    @property
    def join_command(self) -> str:
        """The command with which a table takes part."""

    @property
    def keeps_matches(self) -> bool:
        """Whether what is played at them is kept, or they are only shown."""

    @property
    def matches(self) -> HallMatches:
        """What was played at them."""

    def tables(self, visibility: Visibility, after: int = -1) -> list[TableShown]:
        """The tables that changed since the version `after`, as `visibility` may see them."""

    def newer(self, after: int, timeout: float) -> int:
        """The newest version, once it is above `after` or `timeout` seconds have passed."""

    def troubles(self) -> list[Text]:
        """What is wrong with the hall itself."""

    def figures(self) -> HallFigures:
        """How the hall does now."""

    def results(self) -> list[HallResult]:
        """Every match, the newest first; raises `ArchiveError` while they cannot be read."""

    def results_csv(self) -> str:
        """The same as a table with its header."""
