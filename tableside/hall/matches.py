"""One match of a hall, and the turns with a position in all of them, read from the hall's store."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import sqlalchemy as sa

from engine.message import join, message_of, msg, ngettext
from engine.rules import VARIANTS
from tableside.analysis.catalog.files import table_file
from tableside.analysis.catalog.wanted import dice_of, pattern_of
from tableside.errors import StoreError
from tableside.hall.indexer import to_index
from tableside.hall.messages import MOST
from tableside.hall.players import found_matches, of_match, players
from tableside.hall.reading import followed, payloads
from tableside.hall.schema import MATCHES, TURNS
from tableside.hall.store import HallStore, result_of
from tableside.hall.turns import matches_pattern, unpack
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
    FoundMatch,
    FoundTurn,
    FoundTurns,
    MatchQuestion,
    PlayerRow,
    Subject,
    player_key,
)
from webui.contracts.hall import HallMatch, Unindexed
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


class StoredMatches:
    """A `webui.contracts.hall.HallMatches` of a store."""

    def __init__(self, store: HallStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held: OrderedDict[int, _Read] = OrderedDict()

    def match(self, number: int) -> HallMatch:
        """See `HallMatches`."""
        read = self._read(number)
        return HallMatch(
            match=_recorded(read), result=result_of(read.row), is_whole=not read.row.unread
        )

    def file(self, number: int, name: str) -> DownloadFile:
        """See `HallMatches`."""
        read = self._read(number)
        replay = partial(_replay, read)
        return match_file(read.match, name, replay, shows_all=False)

    def turns(self, asked: MatchQuestion, *, start: int = 0, most: int = 20) -> FoundTurns:
        """See `HallMatches`."""
        start = min(max(0, start), MOST)
        with _errors(), self._store.begun() as connection:
            rows = connection.execute(_some(asked, start, most)).all()
            # Beyond the last of them no row says how many there are.
            counted = rows[:1] or connection.execute(_some(asked, 0, 1)).all()
        first = start - int(rows[0].before) if rows else 0
        turns = [_found(row) for row in rows[first : first + most]]
        return FoundTurns(turns=turns, found=int(counted[0].found) if counted else 0)

    def missing(self) -> int:
        """See `Players`."""
        query = sa.select(sa.func.count()).where(to_index(self._store.now))
        with _errors(), self._store.begun() as connection:
            return int(connection.scalar(query) or 0)

    def unindexed(self) -> list[Unindexed]:
        """See `HallMatches`."""
        with _errors():
            return self._store.unindexed()

    def players(self, asked: MatchQuestion) -> list[PlayerRow]:
        """See `Players`."""
        with _errors(), self._store.begun() as connection:
            return players(connection, asked)

    def matches(self, asked: MatchQuestion) -> list[FoundMatch]:
        """See `Players`."""
        with _errors(), self._store.begun() as connection:
            return found_matches(connection, asked)

    def table(self, what: Subject, form: Form, asked: MatchQuestion) -> DownloadFile:
        """See `Players`."""
        return table_file(what, form, self, asked, partial(self._all_turns, asked))

    def _all_turns(self, asked: MatchQuestion) -> list[FoundTurn]:
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
        return found

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
                held = _read(row, payloads(connection, row))
        with self._lock:
            self._held[number] = held
            self._held.move_to_end(number)
            while len(self._held) > MAX_CACHED_MATCHES:
                self._held.popitem(last=False)
        return held


def _read(row: sa.Row[Any], events: Sequence[str]) -> _Read:
    match, stills = followed(row, events), NO_REVIEW.stills
    items = find_review_items(match.events, stills, match.state)
    return _Read(row, match, ReviewList(tuple(items), stills))


def _recorded(read: _Read) -> RecordedMatch:
    contents = match_contents(read.match, read.review, UNKNOWN_LOOK, shows_all=False)
    if contents["place"] is not None:  # its logo is at the table
        contents["place"] = {**contents["place"], "logo": ""}
    to_review = sum(item["review"] for item in contents["doubtful"])
    # Of what is withheld, not even the number of events is told.
    version = contents_mark(contents) if contents["is_withheld"] else read.match.entry.events
    entry = match_summary(read.match, to_review, version)
    entry["is_open"] |= read.row.status == "unfinished"  # it may go on, though all of it is shown
    return RecordedMatch(entry=entry, **contents)


def _replay(read: _Read) -> str:
    """The replay of a match as a page of its own."""
    return replay_file(match_shown(_recorded(read)), None, None)


def _on_turns(asked: MatchQuestion) -> Iterator[Condition]:
    """What is asked of a turn alone; raises `BadQuestion`."""
    if asked.opening.strip() or asked.loss is not None or asked.luck is not None:
        raise BadQuestion(NOT_KEPT)
    pattern, dice = pattern_of(asked.position), dice_of(asked.dice)
    if pattern is not None:
        yield from matches_pattern(pattern)
    if dice is not None:
        yield sa.and_(TURNS.c.die1 == dice[0], TURNS.c.die2 == dice[1])


def _on_matches(asked: MatchQuestion) -> Iterator[Condition]:
    """What is asked of its match and its player; raises `BadQuestion`."""
    if player := player_key(asked.player):
        yield _has_side(player, ("light", "dark"))
    if opponent := player_key(asked.opponent):
        yield _has_side(opponent, ("dark", "light"))
    yield from of_match(asked)


def _has_side(name: str, sides: tuple[SideName, SideName]) -> Condition:
    """Whether the player on turn, or with the sides exchanged the other one, is known by a name."""
    return sa.or_(
        *(
            sa.and_(TURNS.c.side == number, MATCHES.c[f"{side}_key"] == name)
            for number, side in enumerate(sides)
        )
    )


def _some(asked: MatchQuestion, start: int, most: int) -> sa.Select[Any]:
    """The turns wanted of the matches that have the wanted part, the newest match first.

    The database counts the turns of each match, once; only those of a few are read, however many
    there are. With each goes how many there are in all, and how many before its match.
    """
    of_match = [*_on_matches(asked)]
    wanted = [*_on_turns(asked), *of_match]
    source = _JOINED if of_match else TURNS
    count = sa.select(TURNS.c.match, sa.func.count().label("count")).select_from(source)
    counts = count.where(*wanted).group_by(TURNS.c.match).cte("counts")
    order = MATCHES.c.begun_ms.desc(), MATCHES.c.id.desc()
    reached = sa.func.sum(counts.c.count).over(order_by=order)
    joined = counts.join(MATCHES, MATCHES.c.id == counts.c.match)
    places = sa.select(counts, reached.label("reached")).select_from(joined).cte("places")
    before = places.c.reached - places.c.count
    found = sa.select(sa.func.sum(counts.c.count)).scalar_subquery()
    named = (MATCHES.c[name] for name in ("light", "dark", "begun_ms", "event", "variant"))
    return (
        sa.select(*TURNS.c, *named, before.label("before"), found.label("found"))
        .select_from(places.join(_JOINED, TURNS.c.match == places.c.match))
        .where(places.c.reached > start, before < start + most, *wanted)
        .order_by(*order, TURNS.c.number)
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
