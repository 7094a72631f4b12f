"""Halls and tables that announce themselves on the local network by mDNS: nobody types an address.

A hall announces its broker, a table its page.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from ipaddress import ip_address
from typing import Final, NamedTuple

import ifaddr
from zeroconf import (
    BadTypeInNameException,
    ServiceBrowser,
    ServiceInfo,
    ServiceStateChange,
    Zeroconf,
)

from engine.message import msg
from tableside.errors import WrongUsage

HALLS: Final = "_tableside-hall._tcp.local."
TABLES: Final = "_tableside-table._tcp.local."
ENCRYPTED: Final = "mqtts"
FIND_S: Final = 6.0
"""How long a hall is looked for; one that is there answers within two seconds."""
SETTLE_S: Final = 1.5
"""Within which all that are there answer, once one has or somebody begins to ask."""
ANSWER_MS: Final = 2000
CONNECT_S: Final = 1.0


class Announced(NamedTuple):
    """A hall or a table as it announces itself."""

    name: str
    host: str
    """The broker's name or address as the hall knows it; empty if it runs beside the hall."""
    addresses: tuple[str, ...]
    """Of its machine."""
    port: int
    is_encrypted: bool

    @property
    def reached_at(self) -> str:
        """The host to connect to: of several addresses, the first at which something listens."""
        if self.host or not self.addresses:
            return self.host
        listening = (one for one in self.addresses if _listens(one, self.port))
        return next(listening, self.addresses[0])


@contextmanager
def announced(host: str, port: int, *, is_encrypted: bool) -> Iterator[None]:
    """Announce a hall's broker until the end of the block; raises `WrongUsage` if that fails."""
    scheme = ENCRYPTED if is_encrypted else "mqtt"
    told = {"scheme": scheme, "host": "" if _is_here(host) else host}
    with _service(HALLS, machine_name(), port, told):
        yield


@contextmanager
def announced_table(name: str, port: int) -> Iterator[None]:
    """Announce a table's page until the end of the block; raises `WrongUsage` if that fails."""
    with _service(TABLES, name or machine_name(), port, {}):
        yield


def machine_name() -> str:
    """What this machine is called on its network."""
    return socket.gethostname().partition(".")[0] or "tableside"


@contextmanager
def _service(service: str, name: str, port: int, told: dict[str, str]) -> Iterator[None]:
    try:
        info = ServiceInfo(
            service,
            f"{name}.{service}",
            port=port,
            properties=told,
            server=f"{machine_name()}.local.",
            parsed_addresses=_own_addresses(),
        )
        with network() as found:
            others = Services(service)
            with closing(Browser(found, others)):
                # Another one of this name makes it "NAME-2", if it has been heard of. Registering
                # asks only for half a second, and who has just told others is silent for a second.
                until = time.monotonic() + SETTLE_S
                while info.name not in others.found and time.monotonic() < until:
                    time.sleep(0.05)
                found.register_service(info, allow_name_change=True)
            yield
    except BadTypeInNameException as error:
        why = msg("{name} cannot be announced: {error}", name=name, error=str(error))
        raise WrongUsage(why) from error


def find_hall(stopping: threading.Event, wait: float = FIND_S) -> Announced:
    """The hall that announces itself; raises `WrongUsage` unless there is exactly one.

    Setting `stopping` ends the search.
    """
    halls = Services(HALLS)
    with network() as found_network, closing(Browser(found_network, halls)):
        until = time.monotonic() + wait
        while time.monotonic() < until and not stopping.wait(0.05):
            if halls.found:
                stopping.wait(SETTLE_S)
                break
        found = dict(halls.found)
    if not found:
        raise WrongUsage(
            msg(
                "no hall announces itself on this network: start it with --announce, or give its "
                "address"
            )
        )
    if len(found) > 1:
        names = ", ".join(sorted(one.name for one in found.values()))
        raise WrongUsage(
            msg(
                "several halls announce themselves: {names}; name the broker of one with "
                "--hall mqtt://ADDRESS",
                names=names,
            )
        )
    return next(iter(found.values()))


class Services:
    """The halls or tables heard of."""

    def __init__(self, service: str) -> None:
        self.service = service
        self.found: dict[str, Announced] = {}

    def hear(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        """Note one that has begun, changed or ended."""
        if state_change is ServiceStateChange.Removed:
            self.found.pop(name, None)
            return
        info = zeroconf.get_service_info(service_type, name, ANSWER_MS)
        if info is None or info.port is None:
            return
        told = {  # as it likes: an error here would end the browser
            key.decode(errors="replace"): (text or b"").decode(errors="replace")
            for key, text in info.properties.items()
        }
        self.found[name] = Announced(
            name.removesuffix(f".{self.service}"),
            told.get("host", ""),
            tuple(info.parsed_addresses()),
            info.port,
            told.get("scheme") == ENCRYPTED,
        )


class Browser:
    """A browser that `closing` ends."""

    def __init__(self, network: Zeroconf, services: Services) -> None:
        self._browser = ServiceBrowser(network, services.service, handlers=[services.hear])

    def close(self) -> None:
        """Hear of no more."""
        self._browser.cancel()


@contextmanager
def network() -> Iterator[Zeroconf]:
    """The local network; raises `WrongUsage` if it carries no multicast."""
    try:
        found = Zeroconf()
    except OSError as error:
        raise WrongUsage(
            msg("this machine's network has no multicast: {error}", error=error.strerror or "")
        ) from error
    with closing(found):
        yield found


def _own_addresses() -> list[str]:
    """The machine's IPv4 addresses, first those by which others reach it."""
    found = [one.ip for adapter in ifaddr.get_adapters() for one in adapter.ips if one.is_IPv4]
    return sorted(map(str, found), key=lambda one: ip_address(one).is_loopback)


def _is_here(host: str) -> bool:
    """Whether a broker's host names this machine only for itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _listens(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), CONNECT_S):
            return True
    except OSError:
        return False
