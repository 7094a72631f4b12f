"""The archive behind the review pages, for a record that may be written at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import PlayMade
from engine.errors import EngineError
from engine.message import Sentence, message_of, msg
from tableside.dice.book import RecordDice, archive_errors
from tableside.errors import StoreError
from tableside.match.set_colours import set_colours
from tableside.paths import board_profile
from tableside.record.open_matches import OpenMatches
from tableside.record.recorder import NOTHING, is_claimed, recorded_match
from tableside.record.store import KEPT_S, MatchEntry, Store
from tableside.review.edits import (
    add_match_file,
    answer_doubt,
    delete_match,
    edit_match,
    edited_record,
    end_match,
)
from tableside.review.feed import Feed
from tableside.review.logos import logo_folder
from tableside.review.match_cache import (
    MAX_CACHED_MATCHES,
    NO_REVIEW,
    CachedMatch,
    MatchCache,
    ReviewList,
)
from tableside.review.review_items import ReviewItem
from tableside.review.shown import (
    NO_GAME,
    UNKNOWN_LOOK,
    WITHHELD,
    Look,
    contents_mark,
    match_contents,
    match_file,
    match_summary,
    shown_items,
    visible_state,
)
from tableside.review.steps import match_steps
from tableside.review.unfinished import unfinished_match
from webui.contracts import archive as pages
from webui.contracts.events import EventList
from webui.contracts.state import Names
from webui.pages.replay_file import replay_file
from webui.views.replay import match_shown

EVENTS_PER_PAGE: Final = 500
"""Events in one response of a feed."""
NO_ANALYST: Final = msg("this page does not analyze matches")


class Analyses(Protocol):
    """What analyzes matches: `tableside.analysis.analyst.Analyst`."""

    def state(self, read: CachedMatch) -> pages.Analysis:
        """How far the analysis of a match has come."""

    def start(self, read: CachedMatch) -> pages.Analysis:
        """Have a match analyzed; raises `Unavailable` if that is impossible."""

    def close(self) -> None:
        """Stop analyzing."""


class RecordArchive:
    """The `Archive` of a process; thread-safe."""

    def __init__(
        self,
        path: Path,
        *,
        shows_all: Callable[[], bool] = lambda: False,
        analyses: Analyses | None = None,
    ) -> None:
        """Open the record in `path` read-only; raises `StoreError` if that fails.

        shows_all: whether even open matches are shown in full, because nobody is playing. analyses:
        what analyzes them; closed with the archive.
        """
        self._store = Store.open_read_only(path)
        self._shows_all = shows_all
        self._analyses = analyses
        self.dice = RecordDice(self._store)
        """The statistics of the rolls."""
        self._open_matches = OpenMatches(self._store)
        self._lock = threading.Lock()
        self._cache = MatchCache(self._store)
        self._appearances: dict[int, Look] = {}
        self._versions: dict[int, tuple[tuple[int, int], int]] = {}
        """The version of matches of which something is withheld, with their file and events."""
        self._feeds: dict[tuple[int, bool, int], Feed] = {}
        self._doubts: dict[int, tuple[MatchEntry, list[pages.Doubt]]] = {}
        self._entries: dict[int, tuple[tuple[int, int, bool, bool], pages.MatchSummary]] = {}
        self._earlier: CachedMatch | None = None
        """The match in play as it was when delayed viewers last asked."""

    def close(self) -> None:
        """Close the record and stop any running analysis."""
        if self._analyses is not None:
            self._analyses.close()
        self._store.close()

    def matches(self, before: int | None = None) -> pages.MatchList:
        """The newest matches, or the newest with numbers below `before`."""
        with archive_errors():
            found = self._store.newest_matches(pages.MATCHES_PER_PAGE + 1, before)
            listed = [self._list_entry(entry) for entry in found[: pages.MATCHES_PER_PAGE]]
        return pages.MatchList(
            matches=listed, older=listed[-1]["id"] if len(found) > pages.MATCHES_PER_PAGE else None
        )

    def newest_played(self) -> Sequence[int]:
        """See `webui.contracts.archive.Archive`."""
        before: int | None = None
        with archive_errors():
            while some := self._store.newest_matches(pages.MATCHES_PER_PAGE, before):
                if played := [one.id for one in some if not one.is_added]:
                    return played[:1]
                before = some[-1].id
        return []

    def listed(self, numbers: Sequence[int]) -> list[pages.MatchSummary]:
        """These matches as in the list, without those that are not there."""
        with archive_errors():
            found = (self._store.match(number) for number in numbers)
            return [
                self._list_entry(entry)
                for entry in found
                if entry is not None and not entry.is_deleted
            ]

    def edit(self, number: int, details: pages.MatchDetails) -> None:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            edit_match(self._store.path, number, details)

    def doubts(self, numbers: Sequence[int]) -> list[pages.Doubt]:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            found = [one for number in numbers for one in self._doubts_of(number)]
        return sorted(found, key=lambda one: (-one["chance_wrong"], one["match"], one["turn"]))

    def _doubts_of(self, number: int) -> list[pages.Doubt]:
        entry = self._store.match(number)
        if entry is None or entry.is_deleted or entry.is_purged:
            return []
        with self._lock:
            known = self._doubts.get(number)
        if known is None or (known[0], known[0].file) != (entry, entry.file):
            read, review = self._cache.read_once(entry)
            known = entry, list(_doubts(read, review.items))
            with self._lock:
                self._doubts[number] = known
        return known[1]

    def answer(self, number: int, turn: int, play: str) -> None:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            answer_doubt(self._store.path, number, turn, play)

    def unfinished(self) -> list[pages.UnfinishedMatch]:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            found, path = self._open_matches.unfinished(), self._store.path
            recorded = recorded_match(path) if is_claimed(path) else NOTHING
        return [unfinished_match(one) for one in found if one.entry.id != recorded]

    def end(self, number: int) -> None:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            end_match(self._store.path, number)

    def delete(self, number: int) -> None:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            delete_match(self._store.path, number)

    def restore(self, number: int) -> None:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            delete_match(self._store.path, number, is_deleted=False)

    def deleted(self) -> list[pages.DeletedMatch]:
        """See `webui.contracts.archive.Archive`."""
        with archive_errors():
            found = [(one.deleted_at, one) for one in self._store.all_matches()]
            deleted = sorted((at, one.id, one) for at, one in found if at is not None)
            return [self._deleted(at, entry) for at, _, entry in reversed(deleted)]

    def _deleted(self, at: float, entry: MatchEntry) -> pages.DeletedMatch:
        read, _ = self._cache.read_once(entry)
        names = Names(light=read.state.light, dark=read.state.dark)
        return pages.DeletedMatch(id=entry.id, begun=entry.begun, players=names, gone=at + KEPT_S)

    def add_file(self, name: str, content: bytes) -> pages.AddedMatch:
        """See `webui.contracts.archive.Archive`."""
        try:
            with edited_record(self._store.path) as store:
                return add_match_file(store, name, content)
        except StoreError as error:
            raise pages.ArchiveError(message_of(error)) from error
        except EngineError as error:
            raise pages.Unavailable(message_of(error)) from error

    def version(self, number: int) -> int:
        """The version of what is shown of the match; raises `NotInRecord` if there is none."""
        return self._version(self._read(number))

    def _version(self, read: CachedMatch) -> int:
        """The number of events; of a match of which something is withheld, a mark of the rest.

        The number of events tells how many of them are withheld, and when.
        """
        number, now = read.entry.id, (read.entry.file, len(read.events))
        if not visible_state(read, shows_all=self._shows_all())[1]:
            return len(read.events)
        with self._lock:
            known = self._versions.get(number)
        if known is None or known[0] != now:
            mark = contents_mark(self._contents(read))
            with self._lock:
                known = self._versions[number] = now, mark
        return known[1]

    def match(self, number: int) -> pages.RecordedMatch:
        """The match of this number; raises `NotInRecord` if there is none."""
        read = self._read(number)
        contents = self._contents(read)
        to_review = sum(item["review"] for item in contents["doubtful"])
        entry = match_summary(read, to_review, self._version(read))
        return pages.RecordedMatch(entry=entry, **contents)

    def match_as_of(self, number: int, known: int) -> pages.RecordedMatch:
        """See `webui.contracts.archive.Archive`."""
        read = self._read(number)
        with self._lock:
            held = self._earlier
        # All who are as late as `--delay` says ask for the same.
        asked = number, read.entry.file, known
        if held is None or (held.entry.id, held.entry.file, len(held.events)) != asked:
            held = read.as_of(known)
            with self._lock:
                self._earlier = held
        contents = self._contents(held, is_whole=False)
        entry = match_summary(held, 0, contents_mark(contents))
        return pages.RecordedMatch(entry=entry, **contents)

    def _contents(self, read: CachedMatch, *, is_whole: bool = True) -> pages.MatchContents:
        """What is shown of a match; is_whole: with its moments to review and its files."""
        look = self._appearance(read.entry.id)
        review = self._cache.review_list(read) if is_whole else NO_REVIEW
        return match_contents(read, review, look, shows_all=self._shows_all(), is_whole=is_whole)

    def _items(self, read: CachedMatch, review: ReviewList) -> list[ReviewItem]:
        return shown_items(read, review, shows_all=self._shows_all())

    def event_count(self, number: int) -> tuple[int, bool]:
        """How many events are in the record of the match, and whether it can be continued."""
        read = self._read(number)
        return len(read.events), not read.is_over

    def events(self, number: int, after: int, *, is_whole: bool, known: int) -> EventList:
        """A part of the feed of the match; see `webui.contracts.archive.Archive`."""
        read = self._read(number)
        with self._lock:
            key = number, is_whole, read.entry.file
            feed = self._feeds.pop(key, None)
            if feed is None:
                feed = Feed(read.entry.blank_state, is_whole=is_whole)
            feed.add(read.events[len(feed.ends) - 1 :])
            self._feeds[key] = feed
            while len(self._feeds) > MAX_CACHED_MATCHES:
                del self._feeds[next(iter(self._feeds))]
            end = feed.ends[min(known, len(feed.ends) - 1)]
            found = feed.events[after : min(end, after + EVENTS_PER_PAGE)]
        has_more = after + len(found) < end
        return EventList(events=found, more=has_more, is_open=not read.is_over)

    def still(self, number: int, frame: int) -> bytes:
        """A still of its review items; raises `NotInRecord` if it does not exist or was removed."""
        read = self._read(number)
        review = self._cache.review_list(read)
        shown = (one.still for item in self._items(read, review) for one in item.stills)
        still = next((still for still in shown if still.frame == frame), None)
        jpeg = None if still is None else review.stills.jpeg(still)
        if jpeg is None:
            raise pages.NotInRecord(
                msg("match {number} has no still {frame}", number=number, frame=frame)
            )
        return jpeg

    def clip(self, number: int, frame: int) -> bytes:
        """A clip of its review items; raises `NotInRecord` if it does not exist or was removed."""
        read = self._read(number)
        review = self._cache.review_list(read)
        items = self._items(read, review)
        is_shown = any(item.event.frame == frame for item in items)
        mp4 = review.stills.clip(frame) if is_shown else None
        if mp4 is None:
            raise pages.NotInRecord(
                msg("match {number} has no clip {frame}", number=number, frame=frame)
            )
        return mp4

    def file(self, number: int, name: str) -> pages.DownloadFile:
        """The match in a format; raises `Unavailable` if that cannot express what was played."""
        read = self._read(number)
        page = partial(self.replay_page, number)
        return match_file(read, name, page, shows_all=self._shows_all())

    def replay_page(self, number: int) -> str:
        """The replay of the match as one self-contained page in the current language."""
        match = match_shown(self.match(number))
        place, logos = match["place"], logo_folder(self._store.path)
        logo = None if place is None else logos.read(place["logo"])
        return replay_file(match, self.analysis(number)["figures"], logo)

    def analysis(self, number: int) -> pages.Analysis:
        """The state of the analysis of the match."""
        read = self._read(number)
        if self._analyses is None:
            return _no_analysis("missing", NO_ANALYST)
        if not (read.is_over or self._shows_all()):
            return _no_analysis("withheld", WITHHELD)
        found = self._analyses.state(read)
        if found["figures"] is not None:
            turns = read.state.turns
            steps = match_steps(read.effective, read.states, turns, aids=True, tells=True)
            for event in found["figures"]["events"]:
                event["step"] = steps.of(read.effective[event["event"] - 1])
        return found

    def analyse(self, number: int) -> pages.Analysis:
        """Start the analysis of the match; raises `Unavailable` if that is impossible."""
        read = self._read(number)
        if self._analyses is None:
            raise pages.Unavailable(NO_ANALYST)
        if not (read.is_over or self._shows_all()):
            raise pages.Unavailable(WITHHELD)
        if not read.state.games:
            raise pages.Unavailable(NO_GAME)
        return self._analyses.start(read)

    def _read(self, number: int) -> CachedMatch:
        with archive_errors():
            return self._cache.read(number)

    def _list_entry(self, entry: MatchEntry) -> pages.MatchSummary:
        """A match in the list, cached while nothing in it changes."""
        now = entry.file, entry.events, entry.is_open, self._shows_all()
        with self._lock:
            known = self._entries.get(entry.id)
        if known is not None and known[0] == now:
            return known[1]
        read, review = self._cache.read_once(entry)
        items = self._items(read, review)
        summary = match_summary(read, sum(item.is_open for item in items), self._version(read))
        with self._lock:
            self._entries[entry.id] = now, summary
        return summary

    def _appearance(self, number: int) -> Look:
        """The set's colors and which side light's home is on, if the board's profile is known."""
        with self._lock:
            if number not in self._appearances:
                found = _appearance_in(board_profile(self._store.path, number))
                if found is None:
                    return UNKNOWN_LOOK
                self._appearances[number] = found
            return self._appearances[number]


def _doubts(read: CachedMatch, items: Sequence[ReviewItem]) -> Iterator[pages.Doubt]:
    """The turns of a match that is over that can be answered by naming a play."""
    for item in items:
        made = item.event
        if read.is_over and item.is_open and isinstance(made, PlayMade) and item.turn:
            yield pages.Doubt(match=read.entry.id, turn=item.turn, chance_wrong=1 - made.confidence)


def _appearance_in(path: Path) -> Look | None:
    if not path.exists():
        return None
    try:
        profile = Profile.load(path)
        return set_colours(profile), "left" if profile.pose.mirrored else "right"
    except (CalibrationError, OSError):
        return None  # an unknown board is drawn in the default colors


def _no_analysis(state: pages.AnalysisState, why: Sentence) -> pages.Analysis:
    return pages.Analysis(state=state, note=why, figures=None, done=0, total=0)
