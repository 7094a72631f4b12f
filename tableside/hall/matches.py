"""One match of a hall, and the turns with a position in all of them, read from the hall's store."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import sqlalchemy as sa

from engine import Event
from engine.match.amendments import effective_events
from engine.match.fold import apply_event
from engine.message import join, message_of, msg, ngettext
from engine.rules import VARIANTS
from tableside.analysis.catalog.files import table_file
from tableside.analysis.catalog.wanted import dice_of, known_variant, midnight, pattern_of
from tableside.errors import StoreError
from tableside.hall.messages import MOST
from tableside.hall.results import OVER, passed_over, understood
from tableside.hall.schema import EVENTS, MATCHES, TURNS
from tableside.hall.store import HallStore, facts_of, result_of
from tableside.hall.turns import matches_pattern, unpack
from tableside.record.store import MatchEntry
from tableside.review.match_cache import MAX_CACHED_MATCHES, NO_REVIEW, CachedMatch, ReviewList
from tableside.review.review_items import find_review_items
from tableside.review.shown import (
    UNKNOWN_LOOK,
    contents_mark,
    match_contents,
    match_file,
    match_summary,
)
from webui.contracts.archive import ArchiveError, DownloadFile, NotInRecord, RecordedMatch
from webui.contracts.catalog import (
    BadQuestion,
    Form,
    FoundTurn,
    FoundTurns,
    MatchQuestion,
    player_key,
)
from webui.contracts.hall import HallMatch
from webui.contracts.words import SideName
from webui.pages.replay_file import replay_file
from webui.views.replay import match_shown

MOST_ROWS: Final = 100_000
"""Turns in one file."""
NOT_KEPT: Final = join(
    [
        msg("a hall does not know openings, errors and luck"),
        msg("ask the record of the table for them"),
    ]
)
_SIDES: Final[tuple[SideName, SideName]] = ("light", "dark")
_JOINED: Final = TURNS.join(MATCHES)
Condition = sa.ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class _Read:
    """A match as it was read."""

    row: sa.Row[Any]
    match: CachedMatch
    review: ReviewList
    is_whole: bool


class StoredMatches:
    """A `webui.contracts.hall.HallMatches` of a store."""

    def __init__(self, store: HallStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held: OrderedDict[int, _Read] = OrderedDict()

    def match(self, number: int) -> HallMatch:
        """See `HallMatches`."""
        read = self._read(number)
        return HallMatch(match=_recorded(read), result=result_of(read.row), is_whole=read.is_whole)

    def file(self, number: int, name: str) -> DownloadFile:
        """See `HallMatches`."""
        read = self._read(number)
        replay = partial(_replay, read)
        return match_file(read.match, name, replay, shows_all=False)

    def turns(self, asked: MatchQuestion, *, start: int = 0, most: int = 20) -> FoundTurns:
        """See `HallMatches`."""
        hits = _hits(asked)
        with _errors(), self._store.begun() as connection:
            rows = connection.execute(_some(hits, max(0, start), most)).all()
            # Beyond the last of them no row says how many there are.
            found = rows[0].found if rows else connection.scalar(_count(hits))
        return FoundTurns(turns=[_found(row) for row in rows], found=int(found or 0))

    def table(self, form: Form, asked: MatchQuestion) -> DownloadFile:
        """See `HallMatches`."""
        found = self.turns(asked, most=MOST_ROWS + 1)["turns"]
        if len(found) > MOST_ROWS:
            raise BadQuestion(
                ngettext(
                    "more than {number} turn is wanted: name a player, a date or more of the board",
                    "more than {number} turns are wanted: name a player, a date or more of the "
                    "board",
                    MOST_ROWS,
                )
            )
        return table_file("turns", form, found)

    def _read(self, number: int) -> _Read:
        """A match, read again if it has changed; raises `NotInRecord` if there is none."""
        with _errors(), self._store.begun() as connection:
            known = sa.select(MATCHES).where(MATCHES.c.id == min(number, MOST))
            row = connection.execute(known).first()
            if row is None:
                raise NotInRecord(msg("there is no match {number} in the hall", number=number))
            with self._lock:
                held = self._held.get(number)
            if held is None or held.row != row:
                query = sa.select(EVENTS.c.payload).where(
                    EVENTS.c.match == row.id, EVENTS.c.number <= row.events
                )
                payloads = connection.scalars(query.order_by(EVENTS.c.number)).all()
                held = _followed(row, payloads)
        with self._lock:
            self._held[number] = held
            self._held.move_to_end(number)
            while len(self._held) > MAX_CACHED_MATCHES:
                self._held.popitem(last=False)
        return held


def _followed(row: sa.Row[Any], payloads: Sequence[str]) -> _Read:
    """A match with its events; those that this version does not know are passed over."""
    entry = MatchEntry(
        id=row.id,
        begun=row.begun_ms / 1000,
        variant=row.variant,
        length=row.length,
        light=row.light,
        dark=row.dark,
        source=row.source,
        is_open=row.status not in OVER,
        events=row.events,
    )
    facts, state = facts_of(row), entry.blank_state
    events: list[Event] = []
    for payload in payloads:
        try:
            event, state, _ = understood(facts, state, json.loads(payload))
        except ValueError:
            event = passed_over(state)
            state = apply_event(state, event)
        events.append(event)
    effective = effective_events(events)
    is_whole = not row.unread
    if not is_whole:  # what was passed over has done its part: the corrections are made
        effective = tuple(event for event in effective if type(event) is not Event)
        events = [*effective]
    match = CachedMatch(entry, tuple(events), effective, state)
    review = ReviewList(tuple(find_review_items(events, NO_REVIEW.stills, state)), NO_REVIEW.stills)
    return _Read(row, match, review, is_whole)


def _recorded(read: _Read) -> RecordedMatch:
    contents = match_contents(read.match, read.review, UNKNOWN_LOOK, shows_all=False)
    if contents["place"] is not None:  # its logo is at the table
        contents["place"] = {**contents["place"], "logo": ""}
    to_review = sum(item["review"] for item in contents["doubtful"])
    # Of what is withheld, not even the number of events is told.
    version = contents_mark(contents) if contents["is_withheld"] else read.match.entry.events
    return RecordedMatch(entry=match_summary(read.match, to_review, version), **contents)


def _replay(read: _Read) -> str:
    """The replay of a match as a page of its own."""
    return replay_file(match_shown(_recorded(read)), None, None)


def _conditions(asked: MatchQuestion) -> Iterator[Condition]:
    """What is asked of a turn; raises `BadQuestion`."""
    if asked.opening.strip() or asked.loss is not None or asked.luck is not None:
        raise BadQuestion(NOT_KEPT)
    yield MATCHES.c.status.in_(OVER)
    pattern, dice = pattern_of(asked.position), dice_of(asked.dice)
    if pattern is not None:
        yield from matches_pattern(pattern)
    if dice is not None:
        yield sa.and_(TURNS.c.die1 == dice[0], TURNS.c.die2 == dice[1])
    if player := player_key(asked.player):
        yield _has_side(player, ("light", "dark"))
    if opponent := player_key(asked.opponent):
        yield _has_side(opponent, ("dark", "light"))
    if event := player_key(asked.event):
        yield MATCHES.c.event_key.contains(event, autoescape=True)
    if asked.since.strip():
        yield MATCHES.c.begun_ms >= round(1000 * midnight(asked.since))
    if asked.until.strip():
        yield MATCHES.c.begun_ms < round(1000 * midnight(asked.until, days=1))
    if asked.variant.strip():
        yield MATCHES.c.variant == known_variant(asked.variant)


def _has_side(name: str, sides: tuple[SideName, SideName]) -> Condition:
    """Whether the player on turn, or with the sides exchanged the other one, is known by a name."""
    return sa.or_(
        *(
            sa.and_(TURNS.c.side == number, MATCHES.c[f"{side}_key"] == name)
            for number, side in enumerate(sides)
        )
    )


def _hits(asked: MatchQuestion) -> sa.CTE:
    """The turns wanted: the database looks for them once, however often they are used."""
    columns = TURNS.c.match, TURNS.c.number, MATCHES.c.begun_ms
    return sa.select(*columns).select_from(_JOINED).where(*_conditions(asked)).cte("hits")


def _count(hits: sa.CTE) -> sa.Select[Any]:
    return sa.select(sa.func.count()).select_from(hits)


def _some(hits: sa.CTE, start: int, most: int) -> sa.Select[Any]:
    """Some of the turns, the newest match first, and how many there are in all."""
    newest = (hits.c.begun_ms.desc(), hits.c.match.desc(), hits.c.number)
    part = sa.select(hits).order_by(*newest).limit(most).offset(min(start, MOST)).subquery()
    same = sa.and_(TURNS.c.match == part.c.match, TURNS.c.number == part.c.number)
    of_match = (MATCHES.c[name] for name in ("light", "dark", "begun_ms", "event", "variant"))
    return (
        sa.select(*TURNS.c, *of_match, _count(hits).scalar_subquery().label("found"))
        .select_from(_JOINED.join(part, same))
        .order_by(part.c.begun_ms.desc(), part.c.match.desc(), part.c.number)
    )


def _found(row: sa.Row[Any]) -> FoundTurn:
    names = row.light, row.dark
    return FoundTurn(
        match=row.match,
        begun=row.begun_ms / 1000,
        event=row.event,
        variant=row.variant,
        course=VARIANTS[row.variant].course.value,
        game=row.game,
        turn=row.number,
        side=_SIDES[row.color],
        player=names[row.side],
        opponent=names[1 - row.side],
        dice=[] if row.die1 is None else [row.die1, row.die2],
        play=row.play,
        opening="",
        own=unpack(row.own_low, row.own_high),
        other=unpack(row.other_low, row.other_high),
        loss=None,
        luck=None,
        seconds=None,
    )


@contextmanager
def _errors() -> Iterator[None]:
    """Turn errors of the store into those of the pages."""
    try:
        yield
    except StoreError as error:
        raise ArchiveError(message_of(error)) from error
