"""Questions to a record of a million events: one match's page, and a search by position."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from engine import Event, Side, find_rules
from engine.arrays import Rng
from engine.dice import Roll
from engine.events.codec import as_json
from engine.events.match import DiceRolled, GameEnd, GameStart, PlayMade
from engine.position import CHECKERS, OFF
from engine.rules.legal import find_play
from engine.simulation.player import choose_play
from tableside.analysis.catalog.facts import FoldedMatch, match_facts
from tableside.analysis.catalog.index import CatalogIndex, Stamp, catalog_file
from tableside.analysis.catalog.search import RecordCatalog
from tableside.bench import BenchRow, against_budget
from tableside.record.rows import Row, insert
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.site.state_hub import StateHub
from webui.app import create_app
from webui.contracts.catalog import MatchQuestion
from webui.pages.matches import install_review

EVENTS: Final = 1_000_000
DIFFERENT: Final = 20
"""Matches that are simulated; the record has copies of them."""
GAMES: Final = 4
CALLS: Final = 9
PAGE_BUDGET_MS, SEARCH_BUDGET_MS = 200.0, 300.0
PATTERN: Final = MatchQuestion(position="6:2+ 5:2+ 4:2+ 24:1+ | bar:1+")
_SECONDS_A_TURN: Final = 20.0


def measure_page() -> BenchRow:
    """The page of one match, with the record just opened."""
    return _measured()[0]


def measure_search() -> BenchRow:
    """The turns with a pattern on the board, of all matches."""
    return _measured()[1]


@cache
def _measured() -> tuple[BenchRow, BenchRow]:
    with TemporaryDirectory(prefix="tableside-catalog-") as folder:
        record = Path(folder) / "record.sqlite"
        matches = write_record(record, EVENTS)
        took = list(_page_times(record, range(1, matches, matches // CALLS)))
        note = f"; of {matches} matches with {EVENTS:,} events, not opened before"
        page = against_budget(took, "ms", note, PAGE_BUDGET_MS)
        with closing(RecordCatalog(record)) as catalog:
            found = catalog.turns(PATTERN)["found"]
            took = [_milliseconds(lambda: _asked(catalog)) for _ in range(CALLS)]
        note = f"; {found} turns found in {EVENTS:,} events, and whether anything is new"
        return page, against_budget(took, "ms", note, SEARCH_BUDGET_MS)


def _page_times(record: Path, numbers: Iterable[int]) -> Iterator[float]:
    with closing(RecordArchive(record)) as archive:
        app = create_app(StateHub())
        install_review(app, archive)
        client = app.test_client()
        client.get("/matches/2")  # a server that has just started compiles its templates first
        for number in numbers:
            yield _milliseconds(partial(client.get, f"/matches/{number}"))


def _asked(catalog: RecordCatalog) -> None:
    catalog.missing()
    catalog.turns(PATTERN)


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def write_record(record: Path, events: int) -> int:
    """Write a record of at least so many events, and its catalog; how many matches it has."""
    rng = np.random.default_rng(37)
    simulated = [simulated_match(rng, number) for number in range(DIFFERENT)]
    payloads = [[json.dumps(as_json(event)) for event in match] for match in simulated]
    copies = -(-events // sum(map(len, simulated)))
    Store.open(record, keeps_journal=False).close()
    with closing(sqlite3.connect(record)) as rows:
        for number in range(1, copies * DIFFERENT + 1):
            match = payloads[number % DIFFERENT]
            start = simulated[number % DIFFERENT][0]
            assert isinstance(start, GameStart), "a match begins with a game"  # noqa: S101
            begun = 86_400.0 * number
            insert(rows, Row("matches", (number, begun, "short", 0, start.light, start.dark, "")))
            insert(rows, Row("ends", (number, begun + 3600)))
            for seq, payload in enumerate(match, start=1):
                insert(rows, Row("events", (number, seq, payload)))
        rows.commit()
    with Store.open_read_only(record) as store:
        _write_catalog(store, simulated)
    return copies * DIFFERENT


def _write_catalog(store: Store, simulated: list[list[Event]]) -> None:
    """Fold each of the simulated matches once."""
    with closing(CatalogIndex(catalog_file(store.path))) as index:
        folded: dict[int, FoldedMatch] = {}
        for head in store.heads():
            entry, kind = store.match(head.id), head.id % DIFFERENT
            assert entry is not None, "its head was read"  # noqa: S101
            if kind not in folded:
                folded[kind] = match_facts(entry, simulated[kind], {})
            stamp = Stamp(head.begun, head.events, head.is_closed, 0)
            index.keep(entry, stamp, folded[kind])


def simulated_match(rng: Rng, number: int) -> list[Event]:
    """Some games of money play, with two events a turn."""
    events: list[Event] = []
    light, dark = f"Player {number % 7}", f"Player {7 + number % 5}"
    for _ in range(GAMES):
        events += _simulated_game(rng, light, dark, 2.0 * len(events))
    return events


def _simulated_game(rng: Rng, light: str, dark: str, start: float) -> Iterator[Event]:
    rules = find_rules("short")
    position, side = rules.opening(), Side.LIGHT
    when = {"time": start, "frame": int(start)}
    yield GameStart(position=position, light=light, dark=dark, starter=side, **when)  # type: ignore[arg-type]
    while True:
        roll = Roll(*(int(die) for die in rng.integers(1, 7, 2)))
        after = choose_play(rng, position, side, roll, rules)
        played = find_play(position, side, roll, after, rules)
        assert played is not None, "it was chosen among the legal ones"  # noqa: S101
        start += _SECONDS_A_TURN
        when, dice = {"time": start, "frame": int(start)}, (roll.high, roll.low)
        yield DiceRolled(player=side, dice=dice, **when)  # type: ignore[arg-type]
        yield PlayMade(player=side, dice=dice, play=str(played.play), position=after, **when)  # type: ignore[arg-type]
        if after.of(side)[OFF] == CHECKERS:
            yield GameEnd(winner=side, points=1, result="single", **when)  # type: ignore[arg-type]
            return
        position, side = after, side.other
