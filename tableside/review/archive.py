"""`RecordArchive`: what the review pages read, over the record, while it may be written to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import Event, MatchState, as_known
from engine.errors import EngineError
from engine.formats import match_from_events, sgf_text
from tableside.dice.book import RecordDice
from tableside.errors import StoreError
from tableside.paths import board_profile
from tableside.record.export import WRITERS, chronological
from tableside.record.files import events_text
from tableside.record.store import MatchEntry, Store
from tableside.review.analysis_queue import AnalysisQueue
from tableside.review.match_cache import CachedMatch, MatchCache, ReviewList
from tableside.review.output_files import rolls_text
from tableside.review.review_items import ReviewItem
from tableside.review.review_items_json import doubtful_told, may_be_told
from tableside.review.steps import match_steps
from tableside.set_colours import set_colours
from webui.contracts import archive as pages
from webui.contracts.state import Colours, Names, Numbers, SideName

PAGE: Final = 40
"""Matches of one part of the list."""
NO_COLOURS: Final = Colours(light=None, dark=None, field=None, points=None, frame=None)
WITHHELD: Final = "the match is still being played; this is told when it is over"
NOTHING_YET: Final = "no game has begun in this match"
FILES: Final = {
    "match.mat": ("mat", "text/plain", "GNU Backgammon, XG and most others"),
    "match.sgf": ("sgf", "application/x-sgf", "GNU Backgammon"),
    "match.txt": ("xg", "text/plain", "eXtreme Gammon's match text"),
    "events.jsonl": ("", "application/jsonl", "Every event, one a line"),
    "rolls.csv": ("", "text/csv", "Every die, for statistics"),
    "match.json": ("json", "application/json", "Everything, for programs"),
}
"""By name: the format of `tableside export`, what it is to a browser, and for whom."""


class RecordArchive:
    """A `webui.contracts.archive.Archive`; one for a process, its threads share it."""

    def __init__(
        self,
        path: Path,
        *,
        tells_all: Callable[[], bool] = lambda: False,
        analyst: AnalysisQueue | None = None,
    ) -> None:
        """The record in `path`, which is only read; `StoreError` if it cannot be.

        tells_all: whether also of an open match everything may be told, because nobody plays.
        """
        self._store = Store.open_read_only(path)
        self._tells_all = tells_all
        self._analyst = analyst or AnalysisQueue(path)
        self.dice = RecordDice(self._store)
        """What the rolls of its matches tell."""
        self._lock = threading.Lock()
        self._followed = MatchCache(self._store)
        self._looks: dict[int, tuple[Colours, pages.Home]] = {}
        self._entries: dict[int, tuple[tuple[int, bool, bool], pages.MatchSummary]] = {}

    def close(self) -> None:
        """Let go of the record; an analysis that runs is given up."""
        self._analyst.close()
        self._store.close()

    def matches(self, before: int | None = None) -> pages.MatchList:
        """The newest matches, or the newest of those numbered below `before`."""
        with _told_clearly():
            found = self._store.newest_matches(PAGE + 1, before)
            listed = [self._listed(entry) for entry in found[:PAGE]]
        return pages.MatchList(
            matches=listed, older=listed[-1]["id"] if len(found) > PAGE else None
        )

    def version(self, number: int) -> int:
        """Of how many events the match is now; `NotInRecord` if there is none."""
        with _told_clearly():
            entry = self._store.match(number)
        if entry is None:
            raise pages.NotInRecord(f"the record holds no match {number}")
        return entry.events

    def match(self, number: int) -> pages.RecordedMatch:
        """The match of this number; `NotInRecord` if there is none."""
        read = self._read(number)
        known, is_withheld = self._known(read)
        aids = not is_withheld or read.state.rule_set.aids
        steps = match_steps(read.standing, read.blank, known.turns, aids=aids)
        doubts = self._followed.doubts(read)
        tells = not is_withheld or read.state.rule_set.announces_to_players
        told = [
            doubtful_told(one, steps, doubts.stills, aids=aids, tells=tells)
            for one in self._things(read, doubts)
        ]
        colours, home = self._look_of(number)
        return pages.RecordedMatch(
            entry=_entry(read, sum(one["review"] for one in told)),
            steps=steps.steps,
            doubtful=told,
            files=[
                pages.DownloadLink(name=name, title=title) for name, (_, _, title) in FILES.items()
            ],
            colours=colours,
            light_home=home,
            is_withheld=is_withheld,
        )

    def still(self, number: int, frame: int) -> bytes:
        """A still of its doubtful moments; `NotInRecord` if there is none, or it is gone."""
        read = self._read(number)
        doubts = self._followed.doubts(read)
        shots = (shot for one in self._things(read, doubts) for shot in one.shots)
        shown = next((shot.moment for shot in shots if shot.moment.frame == frame), None)
        jpeg = None if shown is None else doubts.stills.jpeg(shown)
        if jpeg is None:
            raise pages.NotInRecord(f"match {number} has no still {frame}")
        return jpeg

    def file(self, number: int, name: str) -> pages.DownloadFile:
        """A file of it; `Unavailable` if that format cannot say what was played."""
        if name not in FILES:
            raise pages.NotInRecord(f"there is no {name}; there are {', '.join(FILES)}")
        read = self._read(number)
        if self._known(read)[1]:
            raise pages.Unavailable(WITHHELD)
        if not read.state.games:
            raise pages.Unavailable(NOTHING_YET)
        form, mimetype, _ = FILES[name]
        events = chronological(read.events)
        try:
            text = _text(name, form, events)
        except EngineError as error:
            raise pages.Unavailable(str(error)) from error
        return pages.DownloadFile(name, mimetype, text.encode())

    def analysis(self, number: int) -> pages.Analysis:
        """Where the analysis of the match is; starts nothing."""
        read = self._read(number)
        if not (read.is_over or self._tells_all()):
            return pages.Analysis(state="withheld", note=WITHHELD, figures=None)
        return self._analyst.state(number, len(read.events))

    def analyse(self, number: int) -> pages.Analysis:
        """The same, once it was begun; `Unavailable` if it cannot be."""
        read = self._read(number)
        if not (read.is_over or self._tells_all()):
            raise pages.Unavailable(WITHHELD)
        if not read.state.games:
            raise pages.Unavailable(NOTHING_YET)
        match = match_from_events(chronological(read.events))
        try:
            sgf = sgf_text(match)
        except EngineError as error:
            raise pages.Unavailable(str(error)) from error
        return self._analyst.start(number, len(read.events), sgf, _turns_by_game(read.state))

    def _read(self, number: int) -> CachedMatch:
        with _told_clearly():
            return self._followed.read(number)

    def _known(self, read: CachedMatch) -> tuple[MatchState, bool]:
        """The match as it may be told, and whether something of it may not."""
        rules = read.state.rule_set
        if read.is_over or self._tells_all() or (rules.announces_to_players and rules.aids):
            return read.state, False
        return as_known(read.state), True

    def _things(self, read: CachedMatch, doubts: ReviewList) -> list[ReviewItem]:
        """What is doubtful and may be told."""
        known, is_withheld = self._known(read)
        if is_withheld and not read.state.rule_set.announces_to_players:
            return may_be_told(doubts.things, known)
        return list(doubts.things)

    def _listed(self, entry: MatchEntry) -> pages.MatchSummary:
        """A match of the list, remembered while nothing of it changes."""
        now = entry.events, entry.is_open, self._tells_all()
        with self._lock:
            known = self._entries.get(entry.id)
        if known is not None and known[0] == now:
            return known[1]
        read, doubts = self._followed.glimpse(entry)
        told = _entry(read, sum(one.is_open for one in self._things(read, doubts)))
        with self._lock:
            self._entries[entry.id] = now, told
        return told

    def _look_of(self, number: int) -> tuple[Colours, pages.Home]:
        """The set's colours and where light's home is, as far as the board's profile tells."""
        with self._lock:
            if number not in self._looks:
                found = _look_of(board_profile(self._store.path, number))
                if found is None:
                    return NO_COLOURS, "right"
                self._looks[number] = found
            return self._looks[number]


def _entry(read: CachedMatch, to_review: int) -> pages.MatchSummary:
    entry, state = read.entry, read.state
    winner: SideName | None = None
    if read.is_won:
        winner = "light" if state.score[0] > state.score[1] else "dark"
    return pages.MatchSummary(
        id=entry.id,
        begun=entry.begun,
        players=Names(light=state.light, dark=state.dark),
        variant=state.variant,
        length=state.length,
        score=Numbers(light=state.score[0], dark=state.score[1]),
        winner=winner,
        is_open=not read.is_over,
        games=state.games,
        plays=len(state.effective_turns),
        to_review=to_review,
        source=entry.source,
        version=len(read.events),
    )


def _look_of(path: Path) -> tuple[Colours, pages.Home] | None:
    if not path.exists():
        return None
    try:
        profile = Profile.load(path)
        return set_colours(profile), "left" if profile.pose.mirrored else "right"
    except (CalibrationError, OSError):
        return None  # a board that is not known is drawn in the usual colours


def _text(name: str, form: str, events: list[Event]) -> str:
    if form:
        return WRITERS[form](match_from_events(events))
    return events_text(events) if name == "events.jsonl" else rolls_text(events)


def _turns_by_game(state: MatchState) -> list[list[int]]:
    """The numbers of the turns that stand, for each game."""
    numbered = [(n, turn) for n, turn in enumerate(state.turns, start=1) if not turn.rejected]
    return [[n for n, turn in numbered if turn.game == game] for game in range(1, state.games + 1)]


@contextmanager
def _told_clearly() -> Iterator[None]:
    """A record that cannot be read is told as the pages tell it."""
    try:
        yield
    except (StoreError, EngineError) as error:
        raise pages.ArchiveError(str(error)) from error
