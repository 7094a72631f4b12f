"""Shows the tables that announce themselves on the local network: a hall without a broker.

Each table's own page tells its state; the hall asks for it as a viewer does.
"""

from __future__ import annotations

import logging
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPException
from typing import Final

from engine.message import Sentence, msg
from tableside.hall.boards import Boards
from tableside.hall.messages import (
    MOST_BYTES,
    InvalidMessage,
    Presence,
    TableState,
    decode,
    encode,
)
from tableside.hall.nearby import TABLES, Announced, Browser, Services, network
from webui.contracts.roles import Visibility

MOST_TABLES: Final = 200
"""More than any network without a broker has: others that are announced are not asked."""
ASK_S: Final = 0.5
"""Interval at which a table is asked for its state."""
TIMEOUT_S: Final = 5.0
RETRY_S: Final = 2.0
LOOK_S: Final = 1.0
_LOGGER: Final = logging.getLogger(__name__)


class NearbyTables:
    """Fills the boards from the tables of the network until `close`."""

    def __init__(
        self, boards: Boards, password: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        """`password` is that of the tables' viewers; raises `WrongUsage` without a network."""
        self._boards, self._password, self._clock = boards, password, clock
        self._services = Services(TABLES)
        self._watched: dict[str, _Watch] = {}
        self._stopping = threading.Event()
        with ExitStack() as stack:
            stack.enter_context(closing(Browser(stack.enter_context(network()), self._services)))
            self._network = stack.pop_all()
        self._thread = threading.Thread(target=self._run, name="hall-nearby", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ask no more."""
        self._stopping.set()
        self._thread.join()
        self._network.close()
        for watch in self._watched.values():
            watch.close()

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_S):
            found = dict(self._services.found)
            for name, watch in list(self._watched.items()):
                if found.get(name) != watch.table:  # it has gone, or is elsewhere
                    self._watched.pop(name).close()
            for name in [*found.keys() - self._watched.keys()][: MOST_TABLES - len(self._watched)]:
                self._watched[name] = _Watch(found[name], self._boards, self._password, self._clock)
            self._boards.look()


class _Watch:
    """Asks one table for its state until `close`."""

    def __init__(
        self, table: Announced, boards: Boards, password: str, clock: Callable[[], float]
    ) -> None:
        self.table = table
        self._boards, self._clock = boards, clock
        key = b64encode(f"hall:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {key}"} if password else {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"table-{table.name}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """The table is gone."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            host = self.table.reached_at
            try:
                with closing(HTTPConnection(host, self.table.port, timeout=TIMEOUT_S)) as page:
                    self._follow(page, f"http://{host}:{self.table.port}/")
            except (OSError, HTTPException, InvalidMessage) as error:
                _LOGGER.info("table %s: %s", self.table.name, error)
            self._meet(is_online=False)
            self._stopping.wait(RETRY_S)

    def _follow(self, page: HTTPConnection, address: str) -> None:
        known = b""
        while not self._stopping.is_set():
            body = self._asked(page)
            if body == known:
                self._boards.hear(self.table.name)
            else:
                self._show(body)
                if not known:
                    self._meet(address)
                known = body
            self._stopping.wait(ASK_S)

    def _asked(self, page: HTTPConnection) -> bytes:
        """The table's state as its page has it."""
        page.request("GET", "/api/state", headers=self._headers)
        answer = page.getresponse()
        body = answer.read(MOST_BYTES + 1)
        refused: Sentence = ""
        if answer.status in (401, 403):
            refused = msg(
                "table {name} wants a password: give the hall that of its viewers in "
                "TABLESIDE_HALL_PASSWORD",
                name=self.table.name,
            )
        self._boards.set_trouble(f"table {self.table.name}", refused)
        if answer.status != 200 or len(body) > MOST_BYTES:
            raise HTTPException(f"{answer.status} {answer.reason}, {len(body)} bytes")
        return body

    def _show(self, body: bytes) -> None:
        """Show what a viewer may see, to the referee too; raises `InvalidMessage`."""
        told = encode({"sent": self._clock(), "instance": self.table.name})
        sent = decode(TableState, told[:-1] + b',"state":' + body + b"}")
        for visibility in (Visibility.PLAYERS, Visibility.EVERYTHING):
            self._boards.show(self.table.name, visibility, sent, is_kept=False)

    def _meet(self, page: str = "", *, is_online: bool = True) -> None:
        name = self.table.name
        presence = Presence(online=is_online, instance=name, page=page, sent=self._clock())
        self._boards.meet(name, presence, is_kept=False)
