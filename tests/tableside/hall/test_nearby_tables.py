"""A hall without a broker shows the tables of its network; each is a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from base64 import b64encode
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_network
from urllib.request import urlopen

import pytest

pytest.importorskip("zeroconf", reason="zeroconf is not installed (extra hall)")

from tableside.errors import WrongUsage
from tableside.hall import nearby_tables
from tableside.hall.boards import Boards
from tableside.hall.nearby import (
    TABLES,
    Browser,
    Services,
    _service,
    announced_table,
    network,
)
from tableside.hall.nearby_tables import NearbyTables
from tableside.hall.store import HallStore
from tests.tableside.hall.servers import free_port, wait_for
from webui.contracts.roles import Visibility
from webui.contracts.state import blank_state

SEVEN, EIGHT, NINE = (f"Table {number} of {os.getpid()}" for number in (7, 8, 9))
"""Names that no other run of these tests on this network has."""
PASSWORDS = {
    f"TABLESIDE_{role}_PASSWORD": f"{role.lower()}-of-the-hall"
    for role in ("VIEWER", "REFEREE", "AUDIENCE", "PLAYER")
}


@pytest.fixture(scope="module")
def multicast():
    """Skips where this machine's network carries no multicast.

    No hall is announced: the tests of halls, which run at the same time, would find it.
    """
    services = Services(TABLES)
    try:
        with (
            announced_table("check", free_port()),
            network() as found,
            closing(Browser(found, services)),
        ):
            wait_for(lambda: services.found, 6)
    except (WrongUsage, AssertionError) as error:
        pytest.skip(f"needs multicast: {error}")


@contextmanager
def running(tmp_path, *words, **more):
    """A command, and its lines so far."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tableside", *words, "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TABLESIDE_HOME": str(tmp_path), **more},
    )
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
    reader.start()
    with process:
        try:
            yield lines
        finally:
            process.send_signal(signal.SIGINT)
            reader.join()


def table(tmp_path, name):
    return running(
        tmp_path / name,
        *("live", "--no-camera", "--new", "--light", "Ann", "--dark", "Ben", "--length", "5"),
        *("--host", "0.0.0.0", "--announce", "--table", name),
        **PASSWORDS,
    )


def tiles(port, shown):
    """Follow the hall's page: the newest tile of each table."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/hall/events")
    answer = connection.getresponse()
    while line := answer.readline():
        if line.startswith(b"data: {"):
            shown.update({one["name"]: one for one in json.loads(line[6:])["tiles"]})


@pytest.mark.slow
def test_a_hall_shows_the_tables_that_announce_themselves(multicast, tmp_path):
    password = PASSWORDS["TABLESIDE_VIEWER_PASSWORD"]
    with (
        running(
            tmp_path,
            *("hall", "--nearby", "--trust", "0.0.0.0/0"),
            TABLESIDE_HALL_PASSWORD=password,
        ) as lines,
        table(tmp_path, "8"),
    ):
        address = wait_for(lambda: next((one for one in lines if "http://" in one), ""))
        shown: dict = {}
        port = int(address.rstrip("/\n").rpartition(":")[2])
        threading.Thread(target=tiles, args=(port, shown), daemon=True).start()
        with urlopen(f"http://127.0.0.1:{port}/hall") as page:
            assert b"<code>tableside live --announce " in page.read()
        with table(tmp_path, "7"):
            wait_for(lambda: shown.keys() == {"7", "8"}, 60)
            wait_for(lambda: {one["kind"] for one in shown.values()} == {"play"})
            assert shown["7"]["players"] == {"light": "Ann", "dark": "Ben"}
            assert shown["7"]["page"].startswith("http://")
        wait_for(lambda: shown["7"]["kind"] == "fault")
        assert shown["8"]["kind"] == "play"


class Page(BaseHTTPRequestHandler):
    """The page of a table, which a test fills."""

    port, status, body, wants, told = 0, 200, b"", "", set[str]()

    def do_GET(self):
        assert self.path == "/api/state"
        self.told.add(self.headers["Authorization"] or "nothing")
        is_let_in = self.wants in (self.headers["Authorization"], "")
        self.send_response(self.status if is_let_in else 401)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def announced_page():
    """A table's page, announced as `SEVEN` once for all tests: to announce one takes 3 s."""
    server = HTTPServer(("0.0.0.0", 0), Page)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    Page.port = server.server_port
    with announced_table(SEVEN, server.server_port):
        yield Page
    server.shutdown()
    server.server_close()
    serving.join()


@pytest.fixture
def page(announced_page):
    """That page, which lets everybody in to a match of nine points."""
    announced_page.status, announced_page.wants, announced_page.told = 200, "", set()
    announced_page.body = json.dumps({**blank_state(), "length": 9}).encode()
    return announced_page


@pytest.fixture
def trusted():
    """Where the hall sends its password: anywhere."""
    return [ip_network("0.0.0.0/0")]


@pytest.fixture
def boards(tmp_path, trusted, monkeypatch):
    for interval in ("ASK_S", "RETRY_S", "LOOK_S"):
        monkeypatch.setattr(nearby_tables, interval, 0.1)
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"))) as store:
        found = Boards(store)
        with closing(NearbyTables(found, "secret-of-all", trusted)):
            yield found


def lengths(boards):
    """The length of the match at each of our tables that is there."""
    tables = boards.tables(Visibility.EVERYTHING)
    ours = [one for one in tables if str(os.getpid()) in one["name"] and one["online"]]
    return {one["name"]: one["state"]["length"] for one in ours}


def test_a_table_that_asks_for_another_password_is_named(multicast, page, boards):
    wait_for(lambda: lengths(boards) == {SEVEN: 9})
    page.status = 401
    (trouble,) = wait_for(boards.troubles)
    assert re.search(rf"another password: .*{SEVEN} \([0-9.]+\)", str(trouble))
    wait_for(lambda: lengths(boards) == {})
    page.status = 200
    wait_for(lambda: lengths(boards) == {SEVEN: 9} and SEVEN not in str(boards.troubles()))


LOG_IN = f"Basic {b64encode(b'hall:secret-of-all').decode()}"


def test_a_table_at_an_address_that_was_named_is_sent_the_password(multicast, page, boards):
    page.wants = LOG_IN
    wait_for(lambda: lengths(boards) == {SEVEN: 9})
    assert page.told == {LOG_IN}


@pytest.mark.parametrize("trusted", [[], [ip_network("203.0.113.0/24")]], ids=str)
def test_whoever_only_announces_a_table_is_told_no_password(multicast, page, boards):
    wait_for(lambda: lengths(boards) == {SEVEN: 9})
    page.wants = LOG_IN
    (trouble,) = wait_for(boards.troubles)
    assert re.search(rf"wants? a password: .*{SEVEN} \([0-9.]+\)", str(trouble))
    with announced_table(EIGHT, page.port):
        wait_for(lambda: any(f"{EIGHT} (" in str(one) for one in boards.troubles()))
    assert page.told == {"nothing"}


def test_a_table_that_names_another_machine_is_asked_at_its_own(multicast, page, boards):
    with _service(TABLES, EIGHT, page.port, {"host": "another.invalid"}):
        wait_for(lambda: lengths(boards) == {SEVEN: 9, EIGHT: 9})


def test_two_tables_with_one_name_are_both_shown(multicast, page, boards):
    with announced_table(SEVEN, page.port):
        wait_for(lambda: lengths(boards) == {SEVEN: 9, f"{SEVEN}-2": 9})


def test_what_no_text_is_in_an_announcement_ends_no_search(multicast, page, boards):
    with _service(TABLES, EIGHT, free_port(), {"host": b"\xff"}):  # type: ignore[dict-item]
        wait_for(lambda: lengths(boards) == {SEVEN: 9})
        with announced_table(NINE, page.port):
            wait_for(lambda: lengths(boards) == {SEVEN: 9, NINE: 9})


@pytest.mark.parametrize(
    ("address", "why"),
    [("table7.local", "neither an address"), ("192.168.1.21", "--trust needs --nearby, and the")],
)
def test_a_password_is_for_addresses_and_is_given(tmp_path, address, why):
    with running(tmp_path, "hall", "--nearby", "--trust", address) as lines:
        wait_for(lambda: any(why in one for one in lines))


NO_STATES = [
    b"",
    b"[1]",
    b"nothing",
    b'{"length": "x"}',
    b'{"score": NaN}',
    b" " * 300_000,
    b"[" * 200_000,
]


def test_what_is_no_state_is_not_shown(multicast, page, boards):
    wait_for(lambda: lengths(boards) == {SEVEN: 9})
    for length, body in enumerate(NO_STATES):
        page.body = body
        wait_for(lambda: lengths(boards) == {})
        page.body = json.dumps({**blank_state(), "length": length}).encode()
        wait_for(lambda expected=length: lengths(boards) == {SEVEN: expected})


def test_a_name_that_no_network_knows_is_refused():
    with pytest.raises(WrongUsage, match="cannot be announced"), announced_table("x" * 80, 1):
        pytest.fail("it is too long")


def test_a_hall_of_nearby_tables_has_no_broker(tmp_path):
    port = str(free_port())
    for words in (["--broker", f"mqtt://127.0.0.1:{port}"], ["--announce"]):
        with running(tmp_path, "hall", "--nearby", *words) as lines:
            wait_for(lambda: any("--nearby only shows boards" in one for one in lines))
