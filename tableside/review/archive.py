"""The archive behind the review pages, for a record that may be written at the same time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, Protocol

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import Event, MatchState, PlayMade, as_known
from engine.errors import EngineError
from engine.events.record import MatchPlaced
from engine.formats.from_events import match_from_events
from engine.message import Sentence, join, message_of, msg
from tableside.dice.book import RecordDice, archive_errors
from tableside.errors import StoreError
from tableside.match.set_colours import set_colours
from tableside.paths import board_profile
from tableside.record.export import WRITERS, chronological
from tableside.record.files import events_text
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
from tableside.review.output_files import rolls_text
from tableside.review.review_items import ReviewItem
from tableside.review.steps import item_shown, match_steps, visible_items
from tableside.review.unfinished import unfinished_match
from webui.contracts import archive as pages
from webui.contracts.events import EventList
from webui.contracts.state import Colours, Names, Numbers, SideName, place_of
from webui.pages.replay_file import replay_file
from webui.views.replay import match_shown

MARK_BYTES: Final = 6
"""A number that every browser can hold."""
EVENTS_PER_PAGE: Final = 500
"""Events in one response of a feed."""
NO_COLOURS: Final = Colours(light=None, dark=None, field=None, points=None, frame=None)
WITHHELD: Final = join(
    [msg("the match is still in progress"), msg("this will be shown when it is over")]
)
NO_ANALYST: Final = msg("this page does not analyze matches")
NO_GAME: Final = msg("no game has started in this match")
PAGE: Final = "replay.html"
FILES: Final[dict[str, tuple[str, str, Sentence]]] = {
    "match.mat": ("mat", "text/plain", msg("GNU Backgammon, XG and most others")),
    "match.sgf": ("sgf", "application/x-sgf", "GNU Backgammon"),
    "match.txt": ("xg", "text/plain", msg("eXtreme Gammon's match text")),
    "events.jsonl": ("", "application/jsonl", msg("Every event, one per line")),
    PAGE: ("", "text/html", msg("The replay as a page that needs no network")),
    "rolls.csv": ("", "text/csv", msg("Every die, for statistics")),
    "match.json": ("json", "application/json", msg("Everything, for programs")),
}
"""The format of `tableside export`, the MIME type and the purpose of each file, by name."""


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
        self._appearances: dict[int, tuple[Colours, pages.Home]] = {}
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
        if not self._visible(read)[1]:
            return len(read.events)
        with self._lock:
            known = self._versions.get(number)
        if known is None or known[0] != now:
            mark = _mark(self._contents(read))
            with self._lock:
                known = self._versions[number] = now, mark
        return known[1]

    def match(self, number: int) -> pages.RecordedMatch:
        """The match of this number; raises `NotInRecord` if there is none."""
        read = self._read(number)
        contents = self._contents(read)
        to_review = sum(item["review"] for item in contents["doubtful"])
        return pages.RecordedMatch(entry=_summary(read, to_review, self._version(read)), **contents)

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
        return pages.RecordedMatch(entry=_summary(held, 0, _mark(contents)), **contents)

    def _contents(self, read: CachedMatch, *, is_whole: bool = True) -> pages.MatchContents:
        """What is shown of a match, besides its entry in the list.

        is_whole: whether what was photographed of it may be shown, and its files.
        """
        visible, is_withheld = self._visible(read)
        aids = not is_withheld or read.state.rule_set.aids
        tells = not is_withheld or read.state.rule_set.announces_to_players
        steps = match_steps(
            read.effective, read.entry.blank_state, visible.turns, aids=aids, tells=tells
        )
        review = self._cache.review_list(read) if is_whole else NO_REVIEW
        items = [
            item_shown(item, steps, review.stills, aids=aids, tells=tells)
            for item in self._visible_items(read, review)
        ]
        files = FILES if is_whole else {}
        colours, home = self._appearance(read.entry.id)
        return pages.MatchContents(
            steps=steps.steps,
            doubtful=items,
            files=[
                pages.DownloadLink(name=name, title=title) for name, (_, _, title) in files.items()
            ],
            colours=colours,
            light_home=home,
            place=place_of(read.state.place),
            is_withheld=is_withheld,
        )

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
        shown = (one.still for item in self._visible_items(read, review) for one in item.stills)
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
        items = self._visible_items(read, review)
        is_shown = any(item.event.frame == frame for item in items)
        mp4 = review.stills.clip(frame) if is_shown else None
        if mp4 is None:
            raise pages.NotInRecord(
                msg("match {number} has no clip {frame}", number=number, frame=frame)
            )
        return mp4

    def file(self, number: int, name: str) -> pages.DownloadFile:
        """The match in a format; raises `Unavailable` if that cannot express what was played."""
        if name not in FILES:
            missing = msg("there is no {name}", name=name)
            known = msg("available: {files}", files=", ".join(FILES))
            raise pages.NotInRecord(join([missing, known]))
        read = self._read(number)
        if self._visible(read)[1]:
            raise pages.Unavailable(WITHHELD)
        if not read.state.games:
            raise pages.Unavailable(NO_GAME)
        form, mimetype, _ = FILES[name]
        if name == PAGE:
            return pages.DownloadFile(name, mimetype, self.replay_page(number).encode())
        events = chronological(read.events)
        try:
            text = _text(name, form, events)
        except EngineError as error:
            raise pages.Unavailable(message_of(error)) from error
        return pages.DownloadFile(name, mimetype, text.encode())

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
            steps = match_steps(
                read.effective, read.entry.blank_state, turns, aids=True, tells=True
            )
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

    def _visible(self, read: CachedMatch) -> tuple[MatchState, bool]:
        """The match as it may be shown, and whether something of it is withheld."""
        rules = read.state.rule_set
        if read.is_over or self._shows_all() or (rules.announces_to_players and rules.aids):
            return read.state, False
        return as_known(read.state), True

    def _visible_items(self, read: CachedMatch, review: ReviewList) -> list[ReviewItem]:
        """The review items that may be shown."""
        visible, is_withheld = self._visible(read)
        if is_withheld and not read.state.rule_set.announces_to_players:
            return visible_items(review.items, visible)
        return list(review.items)

    def _list_entry(self, entry: MatchEntry) -> pages.MatchSummary:
        """A match in the list, cached while nothing in it changes."""
        now = entry.file, entry.events, entry.is_open, self._shows_all()
        with self._lock:
            known = self._entries.get(entry.id)
        if known is not None and known[0] == now:
            return known[1]
        read, review = self._cache.read_once(entry)
        items = self._visible_items(read, review)
        summary = _summary(read, sum(item.is_open for item in items), self._version(read))
        with self._lock:
            self._entries[entry.id] = now, summary
        return summary

    def _appearance(self, number: int) -> tuple[Colours, pages.Home]:
        """The set's colors and which side light's home is on, if the board's profile is known."""
        with self._lock:
            if number not in self._appearances:
                found = _appearance_in(board_profile(self._store.path, number))
                if found is None:
                    return NO_COLOURS, "right"
                self._appearances[number] = found
            return self._appearances[number]


def _doubts(read: CachedMatch, items: Sequence[ReviewItem]) -> Iterator[pages.Doubt]:
    """The turns of a match that is over that can be answered by naming a play."""
    for item in items:
        made = item.event
        if read.is_over and item.is_open and isinstance(made, PlayMade) and item.turn:
            yield pages.Doubt(match=read.entry.id, turn=item.turn, chance_wrong=1 - made.confidence)


def _mark(contents: pages.MatchContents) -> int:
    """A number that changes with what is shown, and tells nothing else."""
    shown = json.dumps(contents, default=str).encode()
    return int.from_bytes(blake2b(shown, digest_size=MARK_BYTES).digest())


def _summary(read: CachedMatch, to_review: int, version: int) -> pages.MatchSummary:
    entry, state = read.entry, read.state
    place = state.place or MatchPlaced(time=0.0, frame=0)
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
        event=place.event,
        round=place.round,
        table=place.table,
        note=state.note,
        source=entry.source,
        version=version,
    )


def _appearance_in(path: Path) -> tuple[Colours, pages.Home] | None:
    if not path.exists():
        return None
    try:
        profile = Profile.load(path)
        return set_colours(profile), "left" if profile.pose.mirrored else "right"
    except (CalibrationError, OSError):
        return None  # an unknown board is drawn in the default colors


def _text(name: str, form: str, events: list[Event]) -> str:
    if form:
        return WRITERS[form](match_from_events(events))
    return events_text(events) if name == "events.jsonl" else rolls_text(events)


def _no_analysis(state: pages.AnalysisState, why: Sentence) -> pages.Analysis:
    return pages.Analysis(state=state, note=why, figures=None, done=0, total=0)
