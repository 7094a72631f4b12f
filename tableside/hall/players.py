"""The players of a hall's indexed matches, and what each did in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, cast

import sqlalchemy as sa

from tableside.analysis.catalog.wanted import known_variant, midnight
from tableside.hall.schema import MATCHES, SEATS
from webui.contracts.catalog import FoundMatch, MatchQuestion, PlayerRow, player_key
from webui.contracts.words import SideName

_SUMS: Final = (
    *("games", "points", "won", "lost", "plays", "rolls", "doubles", "pips", "timed", "seconds"),
)
_NOT_ANALYZED: Final = {"analyzed": 0, "decisions": 0, "loss": 0.0, "luck": 0.0, "rating": None}
_JOINED: Final = SEATS.join(MATCHES)
Condition = sa.ColumnElement[bool]


def players(connection: sa.Connection, asked: MatchQuestion) -> list[PlayerRow]:
    """The players of the matches wanted, those with most matches first."""
    sums = (sa.func.sum(SEATS.c[name]).label(name) for name in _SUMS)
    matches = sa.func.count(sa.distinct(SEATS.c.match)).label("matches")
    wanted = [SEATS.c.key != "", *_wanted(asked)]
    if player := player_key(asked.player):
        wanted.append(SEATS.c.key == player)
    query = sa.select(SEATS.c.key, SEATS.c.name, matches, *sums).select_from(_JOINED)
    grouped = query.where(*wanted).group_by(SEATS.c.key, SEATS.c.name)
    found: dict[str, dict[str, Any]] = {}
    for row in connection.execute(grouped.order_by(sa.func.max(MATCHES.c.begun_ms))):
        # The same name may be written in several ways: the newest is shown.
        known = found.setdefault(row.key, dict.fromkeys(("matches", *_SUMS), 0))
        known["name"] = row.name
        for name in ("matches", *_SUMS):
            known[name] += getattr(row, name)
    most = sorted(found, key=lambda key: (-found[key]["matches"], key))
    return [cast(PlayerRow, {**found[key], **_NOT_ANALYZED}) for key in most]


def found_matches(connection: sa.Connection, asked: MatchQuestion) -> list[FoundMatch]:
    """The matches wanted, the newest first."""
    columns = (column for column in MATCHES.c if column.name not in SEATS.c)
    query = sa.select(*columns, *SEATS.c).select_from(_JOINED).where(*_wanted(asked))
    newest = MATCHES.c.begun_ms.desc(), MATCHES.c.id.desc(), SEATS.c.side
    rows = connection.execute(query.order_by(*newest))
    return [_found(*seats) for _, seats in groupby(rows, key=lambda row: row.match)]


def of_match(asked: MatchQuestion) -> Iterator[Condition]:
    """What is asked of a match, whoever played it; raises `BadQuestion`."""
    if event := player_key(asked.event):
        yield MATCHES.c.event_key.contains(event, autoescape=True)
    if asked.since.strip():
        yield MATCHES.c.begun_ms >= round(1000 * midnight(asked.since))
    if asked.until.strip():
        yield MATCHES.c.begun_ms < round(1000 * midnight(asked.until, days=1))
    if asked.variant.strip():
        yield MATCHES.c.variant == known_variant(asked.variant)


def _wanted(asked: MatchQuestion) -> Iterator[Condition]:
    yield from of_match(asked)
    names = [name for name in map(player_key, (asked.player, asked.opponent)) if name]
    if names:
        keys = [MATCHES.c.light_key, MATCHES.c.dark_key]
        yield sa.or_(_are(keys, names), _are(keys[::-1], names))


def _are(keys: Sequence[sa.Column[str]], names: Sequence[str]) -> Condition:
    return sa.and_(*(key == name for key, name in zip(keys, names, strict=False)))


def _found(light: sa.Row[Any], dark: sa.Row[Any]) -> FoundMatch:
    winner: SideName | None = "light" if light.won else "dark" if dark.won else None
    return FoundMatch(
        match=light.match,
        begun=light.begun_ms / 1000,
        event=light.event,
        round=light.round,
        table=light.place,
        variant=light.variant,
        length=light.length,
        games=light.games,
        is_open=light.status == "unfinished",
        winner=winner,
        light=_player(light),
        dark=_player(dark),
    )


def _player(row: sa.Row[Any]) -> PlayerRow:
    sums = {name: getattr(row, name) for name in _SUMS}
    return cast(PlayerRow, {"name": row.name, "matches": 1, **sums, **_NOT_ANALYZED})
