"""A hall's store that has a million events: how long it takes to acknowledge one, and to answer.

    python -m tests.tableside.hall.full_store --events 1000000 --runs 5

The store is in Debian's PostgreSQL with its own settings, or with `--sqlite` in a file. It has
copies of 20 simulated matches. The figures of each run are printed: on a busy machine, the best
counts. With `--again 100`, it measures instead how long the store of an earlier version takes to
be indexed.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from contextlib import ExitStack, closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import sqlalchemy as sa

from engine.events.codec import as_json, from_json
from engine.events.record import MatchClosed
from engine.match.fold import fold
from tableside.bench.catalog import PATTERN, simulated_match
from tableside.hall.boards import Boards
from tableside.hall.indexer import Indexer, index_next
from tableside.hall.messages import EventMessage, MatchNamed, match_key
from tableside.hall.schema import EVENTS, MATCHES, SEATS, TURNS
from tableside.hall.store import HallStore
from tableside.site.state_hub import StateHub
from tests.tableside.hall.postgres import Postgres
from webui.app import create_app
from webui.contracts.catalog import MatchQuestion
from webui.pages.hall import install_hall

DIFFERENT, TABLES = 20, 100
SEARCHES = {
    "a pattern": PATTERN,
    "a point": MatchQuestion(position="6:2+"),
    "a whole position": MatchQuestion(position="4HPwATDgc/ABMA"),
    "a pattern against one player": MatchQuestion(position="6:2+ | bar:1+", opponent="Player 3"),
}
BEGUN, PAUSE_S = 1_764_000_000.0, 600.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument(
        "--again",
        type=int,
        metavar="EVENTS",
        help="make it a store of version 4 with matches of so many events, and index it anew",
    )
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)  # the server's user must get to its own
        if args.sqlite:
            where = str(folder / "hall.sqlite")
        else:
            (folder / "server").mkdir()
            where = stack.enter_context(closing(Postgres(folder / "server"))).new_database()
        if args.again:
            _SIMULATED.update((n, cut(simulated(n), args.again)) for n in range(DIFFERENT))
        store = stack.enter_context(closing(HallStore.open(where)))
        matches = fill(store, args.events)
        if args.again:
            index_anew(store, where)
            return
        for run in range(args.runs):
            measure(store, matches, run)


def fill(store, least):
    """Store so many events; return how many matches they make."""
    events = matches = 0
    for _ in range(DIFFERENT):
        store.add((table_of(matches), one) for one in messages_of(matches))
        events, matches = events + len(simulated(matches)), matches + 1
    while index_next(store):
        pass
    others = [column for column in MATCHES.c if column.name not in ("id", "table_name", "begun_ms")]
    with store._engine.begin() as connection:
        while events < least:
            same = MATCHES.c.number == matches % DIFFERENT + 1
            first = connection.scalar(sa.select(MATCHES.c.id).where(same).limit(1))
            at = sa.literal(begun_of(matches) * 1000, sa.BigInteger)
            copied = sa.select(sa.literal(table_of(matches)), at, *others)
            names = ["table_name", "begun_ms", *(column.name for column in others)]
            copy = sa.insert(MATCHES).from_select(names, copied.where(MATCHES.c.id == first))
            new = connection.scalar(copy.returning(MATCHES.c.id))
            for table in (EVENTS, TURNS, SEATS):
                rest = [column for column in table.c if column.name != "match"]
                rows = sa.select(sa.literal(new), *rest).where(table.c.match == first)
                names = ["match", *(column.name for column in rest)]
                connection.execute(sa.insert(table).from_select(names, rows))
            events, matches = events + len(simulated(matches)), matches + 1
    print(f"{events:,} events of {matches:,} matches at {TABLES} tables are stored", flush=True)
    return matches


def cut(events, most):
    """The beginning of a match, which then is closed."""
    begun = events[: most - 1]
    end = begun[-1]
    return [*begun, MatchClosed(time=end.time, frame=end.frame, score=fold(begun).score)]


def index_anew(store, where):
    """Open the store as one that version 4 wrote, and index it in a process of its own."""
    with store._engine.begin() as connection:
        for name in ("seats_key", "matches_indexed", "turns_position"):
            connection.execute(sa.text(f"DROP INDEX {name}"))
        connection.execute(sa.text("DROP TABLE seats"))
        for name in ("heard", "is_indexed", "unindexed"):
            connection.execute(sa.text(f"ALTER TABLE matches DROP COLUMN {name}"))
        position = "own_low, own_high, other_low, other_high"
        connection.execute(sa.text(f"CREATE INDEX turns_position ON turns ({position})"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0004'"))
    store.close()
    process = get_context("spawn").Process(target=open_old, args=(where,))
    process.start()
    process.join()


def open_old(where):
    began = time.monotonic()
    with closing(HallStore.open(where)) as store:
        print(f"opened and migrated in {time.monotonic() - began:.1f} s, {peak_mb():.0f} MB")
        boards, began, busy = Boards(store), time.monotonic(), time.process_time()
        missing = boards.matches.missing()
        with closing(Indexer(store, boards.set_trouble)):
            while boards.matches.missing():
                time.sleep(2)
        took, used = time.monotonic() - began, time.process_time() - busy
        print(f"{missing:,} matches were indexed in {took:.0f} s, {used:.0f} s of work, "
              f"{peak_mb():.0f} MB at most; not indexed: {len(store.unindexed())}")  # fmt: skip


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def measure(store, matches, run):
    rng = np.random.default_rng(run)
    new = 10_000_000 + run
    adds = [partial(store.add, [(table_of(new), one)]) for one in messages_of(new)[:500]]
    tell("an event is acknowledged", adds)
    chosen = rng.integers(0, matches, 100)
    tell("a match is read and followed", [partial(followed, store, int(one)) for one in chosen])
    boards = Boards(store)  # with nothing in memory, but the templates that the page compiles
    app = create_app(StateHub())
    install_hall(app, boards)
    client = app.test_client()
    client.get("/hall/matches/1")
    ids = rng.integers(2, matches, 30)
    tell("the page of a match", [partial(client.get, f"/hall/matches/{one}") for one in ids])
    for what, asked in SEARCHES.items():
        found = boards.matches.turns(asked)["found"]
        search = partial(boards.matches.turns, asked, most=12)
        tell(f"{what}, {found:,} turns, are found", [search] * 20)
    tell(
        "the page that finds", [partial(client.get, f"/hall/find?position={PATTERN.position}")] * 9
    )
    tell("what a table has sent is told", [partial(store.stored, table_of(1))] * 100)
    tell("all results are read", [store.results] * 20)


def followed(store, number):
    key = match_key(number % DIFFERENT + 1, begun_of(number))
    state = fold(map(from_json, store.events(table_of(number), key)))
    assert state.games


def table_of(number):
    return str(number % TABLES + 1)


def begun_of(number):
    return BEGUN + PAUSE_S * number


_SIMULATED = {}


def simulated(number):
    """The events of a match, with its number."""
    kind = number % DIFFERENT
    if kind not in _SIMULATED:
        events = simulated_match(np.random.default_rng(kind), kind)
        last, score = events[-1], fold(events).score
        closed = MatchClosed(time=last.time, frame=last.frame, score=score)
        _SIMULATED[kind] = [*events, closed]
    return _SIMULATED[kind]


def messages_of(number):
    named = MatchNamed(
        number=number % DIFFERENT + 1,
        begun=begun_of(number),
        variant="short",
        light="",
        dark="",
        length=0,
        source="camera",
    )
    return [
        EventMessage(match=named, number=n, event=as_json(event))
        for n, event in enumerate(simulated(number), start=1)
    ]


def tell(what, calls):
    took, used = [], []
    for call in calls:
        began, busy = time.perf_counter(), time.process_time()
        call()
        took.append(1000 * (time.perf_counter() - began))
        used.append(1000 * (time.process_time() - busy))
    least, p50, p99 = np.percentile(took, [0, 50, 99])
    figures = f"{least:.1f} ms at best, {p50:.1f} ms in the median, {p99:.1f} ms at p99"
    print(f"{what}: {figures} of {len(took)}, {np.median(used):.1f} ms of work", flush=True)


if __name__ == "__main__":
    main()
