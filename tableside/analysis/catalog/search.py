"""Answers questions to the matches of a record: the one layer under page and command line."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.errors import EngineError
from engine.message import message_of
from tableside.analysis.catalog.facts import Turns
from tableside.analysis.catalog.files import table_file
from tableside.analysis.catalog.index import CatalogIndex, Found, catalog_file
from tableside.analysis.catalog.refresh import Refresher
from tableside.analysis.catalog.wanted import Wanted
from tableside.analysis.engines import engine_name
from tableside.analysis.summary import RATING_FACTOR
from tableside.errors import TablesideError
from tableside.record.store import Store
from webui.contracts.archive import ArchiveError, DownloadFile
from webui.contracts.catalog import (
    Form,
    FoundMatch,
    FoundTurn,
    FoundTurns,
    MatchQuestion,
    Order,
    PlayerRow,
    Subject,
)
from webui.contracts.words import SideName

_SIDES: Final[tuple[SideName, SideName]] = ("light", "dark")
_SUMS: Final = (
    *("points", "plays", "rolls", "doubles", "pips", "timed", "seconds", "won", "lost"),
    *("analyzed", "decisions", "loss", "luck"),
)
_HIGHEST: Final = 2**63 - 1
Indices = NDArray[np.intp]


class _Opened(NamedTuple):
    """The files of a catalog."""

    store: Store
    file: CatalogIndex
    refresher: Refresher


class RecordCatalog:
    """The `Catalog` of a process; thread-safe."""

    def __init__(
        self,
        record: Path,
        *,
        shows_all: Callable[[], bool] = lambda: True,
        find: Callable[[], str | None] = engine_name,
    ) -> None:
        """The files are opened with the first question.

        shows_all: whether players, turns and tables are also those of matches in play, because
        none of their players could look. find: finds the name of the engine whose analysis counts.
        """
        self._record, self._shows_all, self._find = record, shows_all, find
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.refresher.close()
            opened.file.close()
            opened.store.close()

    def _open(self) -> _Opened:
        """The open files; raises `StoreError` if they cannot be opened."""
        with self._lock:
            if self._opened is None:
                store = Store.open_read_only(self._record)
                try:
                    index = CatalogIndex(catalog_file(self._record))
                except BaseException:
                    store.close()
                    raise
                self._opened = _Opened(store, index, Refresher(store, index, self._find))
            return self._opened

    def refresh(self, on_match: Callable[[int, int], object] = lambda *_: None) -> None:
        """Read all that is new in the record; see `Refresher.refresh`."""
        self._open().refresher.refresh(on_match)

    def missing(self) -> int:
        """See `Catalog`."""
        with _archive_errors():
            return self._open().refresher.keep_up()

    def players(self, asked: MatchQuestion) -> list[PlayerRow]:
        """See `Catalog`."""
        wanted = self._wanted(asked)
        sql, values = wanted.matches
        if wanted.player:
            sql, values = f"({sql}) AND key = ?", (*values, wanted.player)
        sums = ", ".join(f"sum({name})" for name in _SUMS)
        rows = self._rows(
            f"SELECT name, count(DISTINCT match), sum(games), {sums}, max(begun) FROM seats "
            f"JOIN matches ON id = match WHERE key != '' AND {sql} "
            "GROUP BY key ORDER BY count(DISTINCT match) DESC, key",
            values,
        )
        return [_player_row(name, *rest[:-1]) for name, *rest in rows]

    def matches(self, asked: MatchQuestion) -> list[FoundMatch]:
        """See `Catalog`."""
        sql, values = self._wanted(asked).matches
        rows = self._rows(
            "SELECT id, begun, event, round, place, variant, length, games, is_over "
            f"FROM matches WHERE {sql} ORDER BY begun DESC, id DESC",
            values,
        )
        sums = ", ".join(_SUMS)
        seats = self._rows(
            f"SELECT match, name, 1, games, {sums} FROM seats JOIN matches ON id = match "
            f"WHERE {sql} ORDER BY match, side",
            values,
        )
        players: dict[int, list[PlayerRow]] = {}
        for match, *seat in seats:
            players.setdefault(match, []).append(_player_row(*seat))
        return [_found_match(row, players[row[0]]) for row in rows]

    def numbers(self, asked: MatchQuestion, *, most: int, before: int | None = None) -> list[int]:
        """See `Catalog`."""
        sql, values = self._wanted(asked, with_open=True).matches
        below = _HIGHEST if before is None else max(0, min(before, _HIGHEST))
        rows = self._rows(
            f"SELECT id FROM matches WHERE id < ? AND {sql} ORDER BY id DESC LIMIT ?",
            (below, *values, most),
        )
        return [number for (number,) in rows]

    def turns(
        self,
        asked: MatchQuestion,
        *,
        order: Order = "newest",
        start: int = 0,
        most: int = 20,
    ) -> FoundTurns:
        """See `Catalog`."""
        found, chosen = self._chosen(asked, order)
        part = chosen[max(0, start) : max(0, start) + most]
        return FoundTurns(turns=list(self._told(found, part)), found=len(chosen))

    def table(self, what: Subject, form: Form, asked: MatchQuestion) -> DownloadFile:
        """See `Catalog`."""

        def turns() -> Iterator[FoundTurn]:
            return self._told(*self._chosen(asked, "newest"))

        return table_file(what, form, self, asked, turns)

    def _wanted(self, asked: MatchQuestion, *, with_open: bool = False) -> Wanted:
        with _archive_errors():  # the catalog may not have heard of a deletion yet
            without = asked.without.union(self._open().store.deleted())
        asked = replace(asked, without=without)
        with_open = (with_open or self._shows_all()) and not asked.only_over
        return Wanted.of(asked, with_open=with_open)

    def _rows(self, sql: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        with _archive_errors():
            return self._open().file.rows(sql, values)

    def _chosen(self, asked: MatchQuestion, order: Order) -> tuple[Found, Indices]:
        """The turns of the matches wanted, and the indices of those that are wanted."""
        wanted = self._wanted(asked)
        with _archive_errors():
            found = self._open().file.turns(*wanted.matches)
        chosen = _matching(found.turns, self._basic(found, wanted), wanted)
        if order == "newest":
            return found, chosen
        by = found.turns["loss" if order == "loss" else "luck"][chosen]
        chosen, by = chosen[~np.isnan(by)], by[~np.isnan(by)]
        return found, chosen[np.argsort(by if order == "unlucky" else -by, kind="stable")]

    def _basic(self, found: Found, wanted: Wanted) -> Mask:
        """Whose turn it is, and how the game began."""
        chosen = np.ones(len(found.turns), bool)
        name = wanted.player or wanted.opponent
        if name:
            seats = self._rows("SELECT match, side FROM seats WHERE key = ?", (name,))
            sides: dict[int, int] = dict(seats)
            of_match = np.array([sides.get(match, 0) for match in found.matches], "u1")
            mine: Mask = found.turns["side"] == of_match[found.of]
            chosen &= mine if wanted.player else ~mine
        if wanted.opening:
            rows = self._rows(
                "SELECT id FROM openings WHERE text = :text OR substr(text, 1, 4) = :text || ' '",
                {"text": wanted.opening},
            )
            chosen &= np.isin(found.turns["opening"], [number for (number,) in rows])
        return chosen

    def _told(self, found: Found, chosen: Indices) -> Iterator[FoundTurn]:
        """These turns with all that the catalog says of them."""
        if not len(chosen):
            return
        some = json.dumps(sorted({found.matches[index] for index in found.of[chosen]}))
        matches = {
            row[0]: (*row[1:-1], row[-1].split("\n"))
            for row in self._rows(
                "SELECT id, begun, event, variant, course, notation FROM matches "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (some,),
            )
        }
        seats = self._rows(
            "SELECT match, side, name FROM seats WHERE match IN (SELECT value FROM json_each(?))",
            (some,),
        )
        names = {(match, side): name for match, side, name in seats}
        openings = dict(self._rows("SELECT id, text FROM openings"))
        starts = np.searchsorted(found.of, np.arange(len(found.matches)))
        for index in chosen:
            at = found.of[index]
            match, row = found.matches[at], found.turns[index]
            begun, event, variant, course, plays = matches[match]
            side = int(row["side"])
            yield FoundTurn(
                match=match,
                begun=begun,
                event=event,
                variant=variant,
                course=course,
                game=int(row["game"]),
                turn=int(row["turn"]),
                side=_SIDES[row["color"]],
                player=names[match, side],
                opponent=names[match, 1 - side],
                dice=[int(die) for die in row["dice"] if die],
                play=plays[index - starts[at]],
                opening=openings.get(int(row["opening"]), ""),
                own=row["own"].tolist(),
                other=row["other"].tolist(),
                loss=_known(row["loss"]),
                luck=_known(row["luck"]),
                seconds=_known(row["seconds"]),
            )


def _matching(turns: Turns, basic: Mask, wanted: Wanted) -> Indices:
    """The turns that match; each condition looks only at what the ones before have left."""
    if wanted.dice is not None:
        dice = np.sort(turns["dice"], axis=1)
        basic &= (dice[:, 1] == wanted.dice[0]) & (dice[:, 0] == wanted.dice[1])
    if wanted.loss is not None:
        basic &= turns["loss"] >= wanted.loss
    if wanted.luck is not None:
        luck = turns["luck"]
        basic &= luck >= wanted.luck if wanted.luck >= 0 else luck <= wanted.luck
    chosen = np.flatnonzero(basic)
    if wanted.pattern is None:
        return chosen
    for name, counts in (("own", wanted.pattern.own), ("other", wanted.pattern.other)):
        for one in counts:
            held = turns[name][chosen, one.place]
            chosen = chosen[(held >= one.least) & (held <= one.most)]
    return chosen


def _known(value: Any) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)


def _player_row(name: str, matches: int, games: int, *sums: Any) -> PlayerRow:
    known = dict(zip(_SUMS, sums, strict=True))
    decisions = known["decisions"]
    rating = RATING_FACTOR * known["loss"] / decisions if decisions else None
    row = {"name": name, "matches": matches, "games": games, "rating": rating, **known}
    return cast(PlayerRow, row)


def _found_match(row: Sequence[Any], players: Sequence[PlayerRow]) -> FoundMatch:
    number, begun, event, turn, place, variant, length, games, is_over = row
    light, dark = players
    winner: SideName | None = "light" if light["won"] else "dark" if dark["won"] else None
    return FoundMatch(
        match=number,
        begun=begun,
        event=event,
        round=turn,
        table=place,
        variant=variant,
        length=length,
        games=games,
        is_open=not is_over,
        winner=winner,
        light=light,
        dark=dark,
    )


@contextmanager
def _archive_errors() -> Iterator[None]:
    """Turn errors of the record and of the catalog into those of the archive."""
    try:
        yield
    except (TablesideError, EngineError) as error:
        raise ArchiveError(message_of(error)) from error
