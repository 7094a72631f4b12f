"""`RecordArchive`: what the review pages read, over the record, while it may be written to."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import Event, MatchState, as_known, fold
from engine.amending import standing_events
from engine.errors import EngineError
from engine.formats import match_from_events, sgf_text
from tableside.analyst import Analyst
from tableside.doubtful import Doubtful, doubtful_things
from tableside.doubts_told import doubtful_told, may_be_told
from tableside.errors import StoreError
from tableside.export import WRITERS, in_order
from tableside.folders import board_profile
from tableside.record_files import events_text, rolls_text
from tableside.set_colours import set_colours
from tableside.steps import match_steps
from tableside.stills import Stills, stills_folder
from tableside.store import MatchEntry, Store
from webui import archive as pages
from webui.table import Colours, Names, Numbers, SideName

PAGE: Final = 40
"""Matches of one part of the list."""
FOLLOWED: Final = 6
"""Matches whose events are held in memory."""
NO_COLOURS: Final = Colours(light=None, dark=None, field=None, points=None, frame=None)
NO_FOLDER: Final = Path("no-stills")
"""A list needs none."""
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


@dataclass(frozen=True, slots=True)
class _Read:
    """A match as it was read."""

    entry: MatchEntry
    events: tuple[Event, ...]
    standing: tuple[Event, ...]
    blank: MatchState
    state: MatchState

    @property
    def is_over(self) -> bool:
        """Whether nobody goes on with it."""
        return not self.entry.is_open or 0 < self.state.length <= max(self.state.score)


class RecordArchive:
    """A `webui.archive.Archive`; one for a process, its threads share it."""

    def __init__(
        self,
        path: Path,
        *,
        tells_all: Callable[[], bool] = lambda: False,
        analyst: Analyst | None = None,
    ) -> None:
        """The record in `path`, which is only read; `StoreError` if it cannot be.

        tells_all: whether also of an open match everything may be told, because nobody plays.
        """
        self._store = Store.open_reading(path)
        self._tells_all = tells_all
        self._analyst = analyst or Analyst(path)
        self._lock = threading.Lock()
        self._followed: OrderedDict[int, _Read] = OrderedDict()
        self._looks: dict[int, tuple[Colours, pages.Home]] = {}
        self._entries: dict[int, tuple[tuple[int, bool, bool], pages.Entry]] = {}

    def close(self) -> None:
        """Let go of the record; an analysis that runs is given up."""
        self._analyst.close()
        self._store.close()

    def matches(self, before: int | None = None) -> pages.Matches:
        """The newest matches, or the newest of those numbered below `before`."""
        with self._lock, _told_clearly():
            found = self._store.newest_matches(PAGE + 1, before)
            listed = [self._listed(entry) for entry in found[:PAGE]]
        return pages.Matches(matches=listed, older=listed[-1]["id"] if len(found) > PAGE else None)

    def match(self, number: int) -> pages.Match:
        """The match of this number; `NoSuch` if there is none."""
        read = self._read(number)
        known, is_withheld = self._known(read)
        aids = not is_withheld or read.state.rule_set.aids
        steps = match_steps(read.standing, read.blank, known.turns, aids=aids)
        stills = Stills(stills_folder(self._store.path, number))
        tells = not is_withheld or read.state.rule_set.tells_players
        told = [
            doubtful_told(one, steps, stills, aids=aids, tells=tells)
            for one in self._things(read, stills)
        ]
        colours, home = self._look_of(number)
        return pages.Match(
            entry=self._entry(read, len(told)),
            steps=steps.steps,
            doubtful=told,
            files=[
                pages.FileOffer(name=name, title=title) for name, (_, _, title) in FILES.items()
            ],
            colours=colours,
            light_home=home,
            is_withheld=is_withheld,
        )

    def still(self, number: int, frame: int) -> bytes:
        """A still of its doubtful moments; `NoSuch` if there is none, or it is gone."""
        read = self._read(number)
        stills = Stills(stills_folder(self._store.path, number))
        for one in self._things(read, stills):
            for shot in one.shots:
                if shot.moment.frame == frame and (jpeg := stills.jpeg(shot.moment)) is not None:
                    return jpeg
        raise pages.NoSuch(f"match {number} has no still {frame}")

    def file(self, number: int, name: str) -> pages.File:
        """A file of it; `CannotTell` if that format cannot say what was played."""
        if name not in FILES:
            raise pages.NoSuch(f"there is no {name}; there are {', '.join(FILES)}")
        read = self._read(number)
        if self._known(read)[1]:
            raise pages.CannotTell(WITHHELD)
        if not read.state.games:
            raise pages.CannotTell(NOTHING_YET)
        form, mimetype, _ = FILES[name]
        events = in_order(read.events)
        try:
            text = _text(name, form, events)
        except EngineError as error:
            raise pages.CannotTell(str(error)) from error
        return pages.File(name, mimetype, text.encode())

    def analysis(self, number: int) -> pages.Analysis:
        """Where the analysis of the match is; starts nothing."""
        read = self._read(number)
        if not (read.is_over or self._tells_all()):
            return pages.Analysis(state="withheld", note=WITHHELD, figures=None)
        return self._analyst.state(number, len(read.events))

    def analyse(self, number: int) -> pages.Analysis:
        """The same, once it was begun; `CannotTell` if it cannot be."""
        read = self._read(number)
        if not (read.is_over or self._tells_all()):
            raise pages.CannotTell(WITHHELD)
        if not read.state.games:
            raise pages.CannotTell(NOTHING_YET)
        match = match_from_events(in_order(read.events))
        try:
            sgf = sgf_text(match)
        except EngineError as error:
            raise pages.CannotTell(str(error)) from error
        return self._analyst.start(number, len(read.events), sgf, _turns_by_game(read.state))

    def _read(self, number: int) -> _Read:
        """The match as it is now; only what is new of it is read."""
        with self._lock, _told_clearly():
            entry = self._store.match(number)
            if entry is None:
                raise pages.NoSuch(f"the record holds no match {number}")
            read = self._followed.pop(number, None)
            if read is None or read.entry != entry:
                read = self._follow(entry, () if read is None else read.events)
            self._followed[number] = read
            while len(self._followed) > FOLLOWED:
                self._followed.popitem(last=False)
            return read

    def _follow(self, entry: MatchEntry, known: tuple[Event, ...]) -> _Read:
        events = *known, *self._store.events(entry.id, len(known))
        standing = standing_events(events)
        blank = MatchState(
            variant=entry.variant, light=entry.light, dark=entry.dark, length=entry.length
        )
        return _Read(entry, events, standing, blank, fold(standing, blank))

    def _known(self, read: _Read) -> tuple[MatchState, bool]:
        """The match as it may be told, and whether something of it may not."""
        rules = read.state.rule_set
        if read.is_over or self._tells_all() or (rules.tells_players and rules.aids):
            return read.state, False
        return as_known(read.state), True

    def _things(self, read: _Read, stills: Stills) -> list[Doubtful]:
        """What is doubtful and may be told."""
        known, is_withheld = self._known(read)
        things = doubtful_things(read.standing, stills)
        if is_withheld and not read.state.rule_set.tells_players:
            return may_be_told(things, known)
        return things

    def _listed(self, entry: MatchEntry) -> pages.Entry:
        """The same without holding its events, remembered while nothing changes."""
        now = entry.events, entry.is_open, self._tells_all()
        known = self._entries.get(entry.id)
        if known is not None and known[0] == now:
            return known[1]
        read = self._followed.get(entry.id)
        if read is None or read.entry != entry:
            read = self._follow(entry, ())
        told = self._entry(read, len(self._things(read, Stills(NO_FOLDER))))
        self._entries[entry.id] = now, told
        return told

    def _entry(self, read: _Read, to_review: int) -> pages.Entry:
        entry, state = read.entry, read.state
        winner: SideName | None = None
        if 0 < state.length <= max(state.score):
            winner = "light" if state.score[0] > state.score[1] else "dark"
        return pages.Entry(
            id=entry.id,
            begun=entry.begun,
            players=Names(light=state.light, dark=state.dark),
            variant=state.variant,
            length=state.length,
            score=Numbers(light=state.score[0], dark=state.score[1]),
            winner=winner,
            is_open=not read.is_over,
            games=state.games,
            plays=len(state.standing),
            to_review=to_review,
            source=entry.source,
            version=len(read.events),
        )

    def _look_of(self, number: int) -> tuple[Colours, pages.Home]:
        """The set's colours and where light's home is, as far as the board's profile tells."""
        with self._lock:
            if number not in self._looks:
                found = _look_of(board_profile(self._store.path, number))
                if found is None:
                    return NO_COLOURS, "right"
                self._looks[number] = found
            return self._looks[number]


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
