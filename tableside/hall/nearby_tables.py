"""Shows the tables that announce themselves on the local network: a hall without a broker.

Each table's own page tells its state; the hall asks for it as a viewer does. Anybody on the network
can announce a table, so the viewers' password goes only to addresses that somebody has named.
"""

from __future__ import annotations

import logging
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final

from engine.message import Sentence, ngettext
from tableside.hall.boards import Boards
from tableside.hall.loop import Loop
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
Network = IPv4Network | IPv6Network
_LOGGER: Final = logging.getLogger(__name__)


class NearbyTables:
    """Fills the boards from the tables of the network until `close`."""

    def __init__(
        self,
        boards: Boards,
        password: str = "",
        trusted: Sequence[Network] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Listen; raises `WrongUsage` without a network.

        password: that of the tables' viewers. trusted: where the tables are that may be told it.
        """
        self._boards, self._clock = boards, clock
        self._password, self._trusted = password, trusted
        self._services = Services(TABLES)
        self._watched: dict[str, _Watch] = {}
        with ExitStack() as stack:
            stack.enter_context(closing(Browser(stack.enter_context(network()), self._services)))
            self._network = stack.pop_all()
        self._loop = Loop("hall-nearby", self._look, boards.set_trouble)
        self._loop.start()

    def close(self) -> None:
        """Ask no more."""
        self._loop.close()
        self._network.close()
        for watch in self._watched.values():
            watch.stop()
        for watch in self._watched.values():
            watch.close()

    def _look(self) -> float:
        # A table is where its machine is, whatever it says: no name leads to somebody else's.
        found = {
            name: one._replace(host="")
            for name, one in list(self._services.found.items())
            if one.addresses
        }
        for name, watch in list(self._watched.items()):
            if found.get(name) != watch.table:  # it has gone, or is elsewhere
                self._watched.pop(name).close()
        for name in [*found.keys() - self._watched.keys()][: MOST_TABLES - len(self._watched)]:
            self._watched[name] = _Watch(
                found[name], self._boards, self._password, self._trusted, self._clock
            )
        self._name_refused()
        self._boards.look()
        return LOOK_S

    def _name_refused(self) -> None:
        """Say in one sentence each which tables want a password, and which another one."""
        refused = [one for one in self._watched.values() if one.refused_at]
        by_trust: dict[bool, list[str]] = {True: [], False: []}
        for one in sorted(refused, key=lambda one: (len(one.table.name), one.table.name)):
            is_trusted = _is_in(one.refused_at, self._trusted)
            by_trust[is_trusted].append(f"{one.table.name} ({one.refused_at})")
        for is_trusted, tables in by_trust.items():
            why = _why_refused(tables, is_trusted=is_trusted) if tables else ""
            self._boards.set_trouble("another password" if is_trusted else "password", why)


def _is_in(address: str, networks: Sequence[Network]) -> bool:
    return any(ip_address(address) in one for one in networks)


def _why_refused(tables: Sequence[str], *, is_trusted: bool) -> Sentence:
    """What to do about tables that want a password, or another one."""
    named = ", ".join(tables)
    if is_trusted:
        return ngettext(
            "{number} table wants another password: {tables}. Give the hall that of its viewers in "
            "TABLESIDE_HALL_PASSWORD",
            "{number} tables want another password: {tables}. Give the hall that of their viewers "
            "in TABLESIDE_HALL_PASSWORD",
            len(tables),
            tables=named,
        )
    return ngettext(
        "{number} table wants a password: {tables}. If this is the address on its own screen, "
        "start the hall with --trust ADDRESS, and with the password of its viewers in "
        "TABLESIDE_HALL_PASSWORD",
        "{number} tables want a password: {tables}. If these are the addresses on their own "
        "screens, start the hall with --trust ADDRESS for each, and with the password of their "
        "viewers in TABLESIDE_HALL_PASSWORD",
        len(tables),
        tables=named,
    )


class _Watch:
    """Asks one table for its state until `close`."""

    def __init__(
        self,
        table: Announced,
        boards: Boards,
        password: str,
        trusted: Sequence[Network],
        clock: Callable[[], float],
    ) -> None:
        self.table = table
        self._boards, self._clock = boards, clock
        self._password, self._trusted = password, trusted
        self.refused_at = ""
        """The address at which the table wants a password, or another one; empty: it does not."""
        self._loop = Loop(f"table-{table.name}", self._ask, boards.set_trouble)
        self._loop.start()

    def stop(self) -> None:
        """Ask no more than what is being asked."""
        self._loop.stopping.set()

    def close(self) -> None:
        """The table is gone."""
        self._loop.close()

    def _ask(self) -> float:
        """Follow the table while it answers."""
        host = self.table.reached_at
        try:
            with closing(HTTPConnection(host, self.table.port, timeout=TIMEOUT_S)) as page:
                self._follow(page, f"http://{host}:{self.table.port}/")
        except (OSError, HTTPException, InvalidMessage) as error:
            _LOGGER.info("table %s: %s", self.table.name, error)
        self._meet(is_online=False)
        return RETRY_S

    def _follow(self, page: HTTPConnection, address: str) -> None:
        known = b""
        while not self._loop.stopping.is_set():
            body = self._asked(page)
            if body == known:
                self._boards.hear(self.table.name)
            else:
                self._show(body)
                if not known:
                    self._meet(address)
                known = body
            self._loop.stopping.wait(ASK_S)

    def _asked(self, page: HTTPConnection) -> bytes:
        """The table's state as its page has it."""
        is_trusted = _is_in(page.host, self._trusted)
        page.request("GET", "/api/state", headers=self._log_in() if is_trusted else {})
        answer = page.getresponse()
        body = answer.read(MOST_BYTES + 1)
        self.refused_at = page.host if answer.status in (401, 403) else ""
        if answer.status != 200 or len(body) > MOST_BYTES:
            raise HTTPException(f"{answer.status} {answer.reason}, {len(body)} bytes")
        return body

    def _log_in(self) -> dict[str, str]:
        key = b64encode(f"hall:{self._password}".encode()).decode()
        return {"Authorization": f"Basic {key}"}

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
