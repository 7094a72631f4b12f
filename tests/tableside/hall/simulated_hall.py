"""A hall of simulated tables over a real broker, and how late its page is.

    python -m tests.tableside.hall.simulated_hall --tables 100 --seconds 30 --kills 10

Each table records a random match, one event every two seconds or so: about four times the pace of
people. A reader of the page's stream notes when each event is in it.
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import sqlalchemy as sa

from engine import Event, Game, RefereeCalled, Side
from engine.events.clock import ClockSet, ClockTurned
from engine.events.match import IllegalMade, PlayMade
from engine.events.record import MatchPlaced
from tableside.hall.boards import Boards
from tableside.hall.broker import find_broker
from tableside.hall.schema import MATCHES
from tableside.hall.store import HallStore
from tableside.hall.subscriber import Subscriber
from tableside.record.store import Store
from tableside.site.serve import Site, page_of
from tableside.site.state_hub import StateHub
from tests.tableside.hall.servers import Mosquitto, wait_for
from tests.tableside.hall.tables import Table
from webui.contracts.hall import TableShown
from webui.contracts.roles import Visibility
from webui.views.hall import tile

NAMES = (
    "Ann",
    "Ben",
    "Chloé",
    "Dmitri",
    "Emine",
    "Fatih",
    "Georgios",
    "Hana",
    "Maximiliane-Antoinette",
)
PAUSE_S = 2.0


def random_match(seed, plays=200):
    """The events of a random match with a clock, an illegal play now and then, and calls."""
    rng = np.random.default_rng(seed)
    game = Game(length=7, light=NAMES[seed % 9], dark=NAMES[(seed * 5 + 3) % 9])
    events: list[Event] = [
        MatchPlaced(time=0.0, frame=0, event="Spring Open", round="3", table=str(seed + 1))
    ]
    events += game.events
    if seed % 2:
        events.append(ClockSet(time=1.0, frame=1, light=840.0 - 7 * seed, dark=800.0, delay=12.0))
    while game.result is None and len(game.events) < plays:
        before = len(game.events)
        if game.dice is None:
            game.roll(rng=rng)
        if game.dice is not None:
            found = game.legal_plays()
            game.push(found[int(rng.integers(len(found)))])
        events += game.events[before:]
        if seed % 2 and game.state.to_move is not None:
            events.append(ClockTurned(time=float(len(events)), frame=0, runs=game.state.to_move))
    return events


def look_of(tile):
    """What distinguishes the states of a table on the page, as JSON has it."""
    return json.loads(json.dumps([tile["piles"], tile["dice"], tile["off"]]))


class Reader:
    """Reads the stream of the page, and notes how late what was expected arrives."""

    def __init__(self, port):
        self.late = []
        self._shown, self._expected = {}, {}
        self._lock = threading.Lock()
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._connection.request("GET", "/api/hall/events")
        self._response = self._connection.getresponse()
        threading.Thread(target=self._read, daemon=True).start()

    def _compare(self, name):
        look, began = self._expected.get(name, (None, 0.0))
        shown, at = self._shown.get(name, (None, 0.0))
        if shown == look and at >= began:
            del self._expected[name]
            self.late.append(at - began)

    def expect(self, name, look, began):
        """Note when a table looks so, or as is expected of it after that."""
        with self._lock:
            self._expected[name] = look, self._expected.get(name, (None, began))[1]
            self._compare(name)

    def shows_all(self, count):
        return len(self._shown) == count and not self._expected

    def _read(self):
        while line := self._response.readline():
            if line.startswith(b"data: {"):
                now = time.monotonic()
                for one in json.loads(line[6:])["tiles"]:
                    with self._lock:
                        self._shown[one["name"]] = look_of(one), now
                        self._compare(one["name"])


class Simulation:
    """Tables that play, a hall that shows them, and a reader of its page."""

    def __init__(self, folder, tables):
        folder = Path(folder)
        for name in ("broker", "hall"):
            (folder / name).mkdir()
        self.broker = Mosquitto(folder / "broker")
        self.store = HallStore.open(str(folder / "hall" / "hall.sqlite"))
        self.boards = Boards(self.store)
        self.subscriber = Subscriber(find_broker(self.broker.url), self.store, self.boards)
        self.page = page_of(
            Site(StateHub(), hall=self.boards, has_table=False, opens_browser=False)
        )
        self.server = self.page.__enter__()
        self.tables = [Table(folder / f"table{n}", self.broker, str(n + 1)) for n in range(tables)]
        self.matches = [random_match(n) for n in range(tables)]
        self.done = [0] * tables
        for table in self.tables:
            table.begin(light="Light", dark="Dark", length=7)

    def step(self, number, count=1):
        """Record the next events of a table."""
        start = self.done[number]
        events = self.matches[number][start : start + count]
        if events:
            self.tables[number].record(*events)
            self.done[number] += len(events)
        return events

    def look(self, number):
        """How the page is to show a table."""
        shown = TableShown(
            name="",
            version=0,
            online=True,
            page="",
            troubles=[],
            age=0.0,
            state=self.tables[number].page.state(Visibility.EVERYTHING),
        )
        return look_of(tile(shown))

    def is_stored(self):
        """Whether the hall has everything."""
        return all(
            list(self.store.stored(table.name).values()) == [done]
            for table, done in zip(self.tables, self.done, strict=True)
        )

    def is_shown(self):
        """Whether the hall shows what every table shows."""
        shown = {one["name"]: one for one in self.boards.tables(Visibility.EVERYTHING)}
        return all(
            shown[table.name]["online"]
            and shown[table.name]["state"]["position"]
            == table.page.state(Visibility.EVERYTHING)["position"]
            for table in self.tables
        )

    def close(self):
        self.page.__exit__(None, None, None)
        for table in self.tables:
            table.close()
        self.subscriber.close()
        self.store.close()
        self.broker.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--kills", type=int, default=0, help="how often the broker is killed")
    parser.add_argument(
        "--backlog", type=int, default=0, help="events that the first table sends late"
    )
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(folder, args.tables)
        try:
            run(simulation, args)
        finally:
            simulation.close()


def run(simulation, args):
    rng = np.random.default_rng(1)
    for number in range(args.tables):
        simulation.step(number, int(rng.integers(8, 60)))
    wait_for(simulation.is_stored, 120)
    if args.shots:
        take_pictures(simulation, args.shots)
        return
    reader = Reader(simulation.server.port)
    wait_for(lambda: reader.shows_all(args.tables))
    if args.backlog:
        catch_up(simulation, reader, rng, args.backlog)
        return
    time.sleep(3)
    until = time.monotonic() + args.seconds
    play(simulation, reader, rng, lambda: time.monotonic() >= until)
    wait_for(simulation.is_stored, 60)
    wait_for(lambda: reader.shows_all(args.tables))
    tell(reader, args.tables)
    kills(simulation, args.kills)


def play(simulation, reader, rng, is_over, first=0):
    """Record events at random tables, `first` and those after it."""
    tables = len(simulation.tables)
    while not is_over():
        number = int(rng.integers(first, tables))
        name, before = simulation.tables[number].name, simulation.look(number)
        began = time.monotonic()
        simulation.step(number)
        look = simulation.look(number)
        if look != before:
            reader.expect(name, look, began)
        time.sleep(max(0.0, PAUSE_S / tables - (time.monotonic() - began)))


def tell(reader, tables):
    p50, p99 = 1000 * np.percentile(reader.late, [50, 99])
    print(f"{len(reader.late)} events at {tables} tables are on the page after")
    print(f"{p50:.0f} ms in the median, {p99:.0f} ms at p99")


def send_late(folder, url, match):
    """Be the first table, as a process of its own like a real one."""
    table = Table(folder, find_broker(url), "1")
    table.match = match
    table.record(RefereeCalled(time=9999.0, frame=9999, player=Side.DARK))
    threading.Event().wait()


def catch_up(simulation, reader, rng, count):
    """Let the first table send what it recorded without a broker, while the others play on."""
    late = simulation.tables[0]
    late.disconnect()
    recorded, matches = len(late.store.events(late.match)), 0
    while recorded < count:
        events = random_match(matches % 100, 400)
        late.store.close_match(late.match)
        late.begin(light="Light", dark="Dark", length=7)
        late.store.append(late.match, events)
        recorded, matches = recorded + len(events), matches + 1
    late.record(RefereeCalled(time=9999.0, frame=9999, player=Side.DARK))
    look = simulation.look(0)
    late.store.close()
    print(f"{recorded + 1} events in {matches + 1} matches wait at one table")

    def stored():
        with simulation.store._engine.connect() as connection:
            query = sa.select(sa.func.sum(MATCHES.c.events)).where(MATCHES.c.table_name == "1")
            return connection.scalar(query)

    began = time.monotonic()
    reader.expect("1", look, began)
    process = get_context("spawn").Process(
        target=send_late, args=(late.path.parent, simulation.broker.url, late.match), daemon=True
    )
    process.start()
    wait_for(lambda: "1" not in reader._expected, 60)
    print(f"its state is on the page after {time.monotonic() - began:.1f} s")
    reader.late.clear()
    play(simulation, reader, rng, lambda: stored() > recorded, first=1)
    print(f"all of it is stored after {time.monotonic() - began:.0f} s; meanwhile")
    tell(reader, len(simulation.tables) - 1)
    process.terminate()
    late.store = Store.open(late.path)
    assert [len(simulation.store.events("1", key)) for key in simulation.store.stored("1")] == list(
        simulation.store.stored("1").values()
    )


def kills(simulation, count):
    """Kill and restart the broker again and again while the tables play on."""
    slowest, tables = 0.0, len(simulation.tables)
    for _ in range(count):
        simulation.broker.kill()
        for number in range(tables):
            simulation.step(number, 2)
        began = time.monotonic()
        simulation.broker.start()
        wait_for(simulation.is_stored, 120)
        wait_for(simulation.is_shown, 120)
        slowest = max(slowest, time.monotonic() - began)
    wrong = sum(
        list(simulation.store.stored(table.name).values()) != [len(table.store.events(table.match))]
        for table in simulation.tables
    )
    print(f"{count} kills, {count * tables} disconnects: at most {slowest:.1f} s until all states")
    print(f"and events were right; tables with lost or doubled events: {wrong}")


def take_pictures(simulation, folder):
    from tests.chromium import open_chromium

    folder.mkdir(parents=True, exist_ok=True)
    simulation.tables[16].record(RefereeCalled(time=500.0, frame=500, player=Side.DARK))
    simulation.done[16] += 1
    made = [e for e in simulation.matches[22][: simulation.done[22]] if isinstance(e, PlayMade)]
    simulation.tables[22].record(
        IllegalMade.of(made[-1], "the checkers moved 4 pips in a way that 31 does not allow", 3)
    )
    simulation.tables[4].disconnect()
    browser = open_chromium(folder / "profile")
    for name, size, path in (
        ("wide", (1440, 900), "hall"),
        ("phone", (390, 844), "hall"),
        ("tv", (1920, 1080), "hall/tv"),
        ("results", (1440, 900), "hall/results"),
    ):
        browser.set_window_size(*size)
        browser.get(f"{simulation.server.url}{path}")
        time.sleep(4)
        browser.save_screenshot(str(folder / f"{name}.png"))
        measured = "[innerWidth, innerHeight, document.documentElement.scrollHeight]"
        print(name, browser.execute_script(f"return {measured}"))
    for entry in browser.get_log("browser"):
        print(entry["message"][:300])
    browser.quit()


if __name__ == "__main__":
    main()
