"""Changes to recorded matches: names, place and note, deletion, and matches read from files.

Each is an event after the others of its match, so that nothing recorded is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine import Event, MatchState, fold
from engine.errors import EngineError
from engine.events.record import (
    Confirmed,
    MatchClosed,
    MatchDeletion,
    MatchNoted,
    MatchPlaced,
    PlayersNamed,
)
from engine.formats.detect import read_match
from engine.formats.model.match_file import MatchFile
from engine.formats.to_events import events_from_match
from engine.formats.validate.replay import Replay, replay
from engine.match.amendments import effective_events
from engine.match.corrections import PlayChosen
from engine.message import Sentence, join, message_of, msg
from engine.position import SIDE_NAMES
from engine.referee.revise import revised
from engine.timestamp import Timestamp
from tableside.record.recorder import (
    NOTHING,
    TRY_AGAIN,
    WriterLock,
    changing,
    is_claimed,
    recorded_match,
)
from tableside.record.store import MatchEntry, Store
from tableside.review.review_items import event_of_turn
from webui.contracts.archive import AddedMatch, MatchDetails, NotInRecord, Unavailable
from webui.contracts.state import Names

MATCH_FILES: Final = (".mat", ".txt", ".sgf", ".xg", ".bgf", ".json")
"""How the names of match files end."""
MOST_FAULTS: Final = 20
"""Faults of a file that are named."""
_DATE_FORMS: Final = ("%Y.%m.%d", "%Y-%m-%d", "%Y/%m/%d")


class _Match(NamedTuple):
    """A match to change."""

    store: Store
    entry: MatchEntry
    events: tuple[Event, ...]

    @property
    def now(self) -> dict[str, Any]:
        """The time and the frame of its last event, for another event."""
        last = self.events[-1]
        return Timestamp(last.time, last.frame)._asdict()


def edit_match(record: Path, number: int, details: MatchDetails) -> None:
    """Record what differs in `details`; raises `NotInRecord`, `Unavailable` or `StoreError`."""
    with _opened(record, number) as match:
        if match.entry.is_open:  # a later correction would take it back
            goes_on = msg("match {number} can still go on", number=number)
            raise Unavailable(join([goes_on, msg("enter this at the desk when it does")]))
        state = fold(effective_events(match.events), match.entry.blank_state)
        match.store.append(number, list(_changes(state, details, match.now)))


def _changes(state: MatchState, details: MatchDetails, now: dict[str, Any]) -> Iterator[Event]:
    names = PlayersNamed(**now, light=details["light"], dark=details["dark"])
    if (names.light, names.dark) != (state.light, state.dark):
        yield names
    before = state.place or MatchPlaced(**now)
    named = {"event": details["event"], "round": details["round"], "table": details["table"]}
    place = replace(before, **{**now, **named})
    if place != replace(before, **now):
        yield place
    note = MatchNoted(**now, text=details["note"])
    if note.text != state.note:
        yield note


def answer_doubt(record: Path, number: int, turn: int, play: str) -> None:
    """Record what a person saw of a turn: the play that was recorded, or another one.

    Raises `NotInRecord`, `Unavailable`, also if what was played later does not follow, or
    `StoreError`.
    """
    with _opened(record, number) as match:
        effective = effective_events(match.events)
        state = fold(effective, match.entry.blank_state)
        if match.entry.is_open and not 0 < state.length <= max(state.score):
            raise Unavailable(msg("match {number} is not over yet", number=number))
        made = event_of_turn(match.events, turn)
        if made is None:
            raise NotInRecord(msg("there is no turn {turn}", turn=turn))
        if play == made.play:
            confirmed = Confirmed(**match.now, turn=turn, by="hand")
            match.store.append(number, [confirmed])
            return
        what = PlayChosen(turn, play).message
        try:
            events = revised(match.events, match.entry.blank_state, turn, play, what)
        except EngineError as error:
            advice = msg("nothing was changed")
            raise Unavailable(join([message_of(error), advice])) from error
        match.store.append(number, events)


def delete_match(
    record: Path, number: int, *, is_deleted: bool = True, clock: Callable[[], float] = time.time
) -> None:
    """Delete a match, or restore it; raises `NotInRecord`, `Unavailable` or `StoreError`."""
    with _opened(record, number) as match:
        if match.entry.is_deleted is not is_deleted:
            event = MatchDeletion(**match.now, is_deleted=is_deleted, at=clock())
            match.store.append(number, [event])


def add_match_file(
    store: Store, name: str, content: bytes, clock: Callable[[], float] = time.time
) -> AddedMatch:
    """Add the match in a file; raises `EngineError`, `Unavailable` or `StoreError`."""
    if not name.lower().endswith(MATCH_FILES):
        known = msg("known: {names}", names=", ".join(MATCH_FILES))
        raise Unavailable(join([msg("{file} is no match file", file=name), known]))
    played = replay(read_match(content))
    events = events_from_match(played)
    if same := store.matches_with(events):
        raise Unavailable(msg("match {number} is the same, play by play", number=same[0]))
    number = store.add_finished_match(events, _date(played.match) or clock(), name)
    light, dark = played.match.players
    return AddedMatch(
        id=number, players=Names(light=light, dark=dark), faults=list(_faults(played))[:MOST_FAULTS]
    )


def _date(match: MatchFile) -> float | None:
    """The day of a match that its file names, in seconds since 1970, UTC."""
    text = match.header("EventDate") or match.header("Date")
    for form in _DATE_FORMS:
        try:
            return datetime.strptime(text[:10], form).astimezone().timestamp()
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _faults(played: Replay) -> Iterator[Sentence]:
    """What the reader could not understand, and what is illegal."""
    for fault in played.faults:
        yield join([msg("line {line}", line=fault.line), fault.message])
    for game in played.games:
        for step in game.illegal:
            action = step.roll_action
            yield msg(
                "game {game}: {player} played {play} with {roll}, which is illegal",
                game=game.game.number,
                player=SIDE_NAMES[action.side],
                play=step.play,
                roll=str(action.roll),
            )


def end_match(record: Path, number: int) -> None:
    """End an unfinished match as it stands; raises `NotInRecord`, `Unavailable` or `StoreError`."""
    with _opened(record, number) as match:
        state = fold(match.events, match.entry.blank_state)
        if not match.entry.is_open:
            raise Unavailable(msg("match {number} is over already", number=number))
        if not state.is_over:
            match.store.append(number, [MatchClosed(**match.now, score=state.score)])
        match.store.close_match(number)


@contextmanager
def edited_record(record: Path, number: int | None = None) -> Iterator[Store]:
    """The record, to change a match in it that nobody records; None: to add one.

    Raises `Unavailable` if that is not possible now, or `StoreError`.
    """
    with ExitStack() as held:
        recorded: int | None = NOTHING
        if not is_claimed(record):  # then no program can begin to record the match meanwhile
            held.callback(WriterLock(record).release)
        elif number is not None:
            held.enter_context(changing(record))
            recorded = recorded_match(record)
        if recorded is None:
            raise Unavailable(join([msg("the record is in use"), TRY_AGAIN]))
        if recorded == number:
            played = msg("match {number} is being recorded", number=number)
            advice = msg("change it at the desk, or when the program that records it has stopped")
            raise Unavailable(join([played, advice]))
        yield held.enter_context(Store.open(record))


@contextmanager
def _opened(record: Path, number: int) -> Iterator[_Match]:
    """A match of the record, which nobody is recording."""
    with edited_record(record, number) as store:
        entry = store.match(number)
        if entry is None or entry.is_purged:
            raise NotInRecord(msg("there is no match {number} in the record", number=number))
        events = store.events(number)
        if not events:
            raise Unavailable(msg("no game has started in this match"))
        yield _Match(store, entry, events)
