"""How an MQTT broker is reached, and what it means when it refuses."""

from __future__ import annotations

import os
import ssl
import sys
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from engine.message import Sentence, join, msg
from tableside.errors import WrongUsage

if TYPE_CHECKING:
    from paho.mqtt.client import Client
    from paho.mqtt.reasoncodes import ReasonCode

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
NEARBY: Final = "mdns"
"""The scheme of a broker that is to be found: `mdns://` or `mdns://user@`."""
PASSWORD: Final = "TABLESIDE_HALL_PASSWORD"  # noqa: S105 (the name of a variable)
KEEPALIVE_S: Final = 10
"""After one and a half times this, the broker sends the last will of a client that is silent."""
RETRY_S: Final = 4
"""Longest pause between two attempts to connect."""
MOST_IN_FLIGHT: Final = 20
"""Messages on their way at once; Mosquitto drops a client that sends more."""
_NO_RIGHTS: Final = 135
"""`Not authorized`, in MQTT 5."""
_BAD_LOGIN: Final = (134, _NO_RIGHTS)
"""The same, and `Bad user name or password`."""
NEEDS_EXTRA: Final = "a hall needs the extra `hall`: pip install 'tableside[hall]'"
RECORD_ON: Final = msg("the tables record on")
_SENT_LATER: Final = msg("everything is recorded, and sent once the broker agrees")


@dataclass(frozen=True, slots=True)
class Broker:
    """An MQTT broker, and who we are to it."""

    host: str
    port: int
    is_encrypted: bool = False
    authority: Path | None = None
    """The certificates that vouch for the broker; None for those of the system."""
    user: str | None = None
    password: str | None = None

    @property
    def name(self) -> str:
        """Its address, for messages."""
        return f"{self.host}:{self.port}"

    def find(self, _: threading.Event) -> Broker:
        """Itself, since its address is known."""
        return self


@dataclass(frozen=True, slots=True)
class NearBroker:
    """The broker of a hall that announces itself on this network."""

    authority: Path | None = None
    user: str | None = None
    password: str | None = None

    def find(self, stopping: threading.Event) -> Broker:
        """The broker as it is announced now; setting `stopping` ends the search.

        Raises `WrongUsage` if there is not exactly one.
        """
        from tableside.hall.nearby import find_hall

        found = find_hall(stopping)
        if self.user is not None and not found.is_encrypted:
            raise WrongUsage(
                msg(
                    "the hall {hall} does not encrypt: name its broker, or use no user",
                    hall=found.name,
                )
            )
        return Broker(
            found.reached_at,
            found.port,
            found.is_encrypted,
            self.authority,
            self.user,
            self.password,
        )


@dataclass(frozen=True, slots=True)
class TableLink:
    """How a table takes part in a hall."""

    broker: Broker | NearBroker
    name: str
    page: str = ""
    """The address of the table's own page."""


def find_broker(url: str, authority: Path | None = None) -> Broker:
    """As `broker_at`; a near hall is looked for, and `WrongUsage` raised if there is none."""
    return broker_at(url, authority).find(threading.Event())


def broker_at(url: str, authority: Path | None = None) -> Broker | NearBroker:
    """The broker at `mqtt://[user@]host[:port]` or `mqtts://...`; `mdns://[user@]`: of a near hall.

    Raises `WrongUsage`, also if the extra that is needed to reach one is not installed.
    """
    if find_spec("paho") is None:
        raise WrongUsage(NEEDS_EXTRA)
    text = url if "//" in url else f"mqtt://{url}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise WrongUsage(f"{url!r} is not the address of a broker: {error}") from error
    is_near = parts.scheme == NEARBY
    if not is_near and (parts.scheme not in PORTS or not parts.hostname or parts.path.strip("/")):
        raise WrongUsage(f"{url!r} is not the address of a broker such as mqtt://192.168.1.10")
    _check(authority)
    user = None if parts.username is None else unquote(parts.username)
    password = os.environ.get(PASSWORD) if parts.password is None else unquote(parts.password)
    if is_near:
        return _near_broker(authority, user, password)
    return Broker(
        parts.hostname or "",
        port or PORTS[parts.scheme],
        is_encrypted=parts.scheme == "mqtts",
        authority=authority,
        user=user,
        password=password,
    )


def _near_broker(authority: Path | None, user: str | None, password: str | None) -> NearBroker:
    if find_spec("zeroconf") is None:
        raise WrongUsage(NEEDS_EXTRA)
    if user is not None and authority is None:
        raise WrongUsage(
            "whoever announces a hall would be told the password: give the hall's certificate with "
            "--hall-ca, or name its broker"
        )
    return NearBroker(authority, user, password)


def _check(authority: Path | None) -> None:
    """Raise `WrongUsage` unless the file holds certificates."""
    if authority is None:
        return
    if not authority.is_file():
        raise WrongUsage(f"there is no file {authority} with the certificates for the broker")
    try:
        ssl.create_default_context(cafile=authority)
    except OSError as error:
        raise WrongUsage(f"{authority} holds no certificates: {error}") from error


def new_client(broker: Broker, name: str) -> Client:
    """A client of the broker that is not connected yet."""
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

    # Version 5 says why a broker refuses a message; before, it vanishes.
    client = Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTProtocolVersion.MQTTv5)
    client.max_inflight_messages_set(MOST_IN_FLIGHT)
    client.reconnect_delay_set(1, RETRY_S)
    if broker.user is not None:
        client.username_pw_set(broker.user, broker.password)
    if broker.is_encrypted:
        try:
            client.tls_set(ca_certs=None if broker.authority is None else str(broker.authority))
        except OSError as error:
            raise WrongUsage(f"{broker.authority} holds no certificates: {error}") from error
    return client


def why_refused(broker: Broker, reason: ReasonCode, *, is_hall: bool = False) -> Sentence:
    """Why the broker did not let a table or the hall in, and what to do."""
    if reason.value in _BAD_LOGIN:
        refused = msg(
            "the broker {broker} refuses {user}: check the user in {option} and {variable}",
            broker=broker.name,
            user=broker.user or msg("a client without a name"),
            option="--broker" if is_hall else "--hall",
            variable=PASSWORD,
        )
        return join([refused, RECORD_ON if is_hall else _SENT_LATER])
    return msg(
        "the broker {broker} refuses the connection: {reason}; trying again",
        broker=broker.name,
        reason=str(reason),
    )


def why_hall_silenced(broker: Broker, reason: ReasonCode) -> Sentence:
    """What follows if the broker does not take what the hall says, and what to do."""
    return msg(
        "the broker {broker} refuses what {user} says: {reason}; without it, tables do not send "
        "again what got lost. Let the hall write to tableside/#",
        broker=broker.name,
        user=broker.user or msg("a client without a name"),
        reason=str(reason),
    )


def why_silenced(broker: Broker, table: str, reason: ReasonCode) -> Sentence:
    """Why the broker did not take a message of a table, and what to do."""
    if reason.value == _NO_RIGHTS:
        silenced = msg(
            "the broker {broker} does not let {user} speak for table {table}: check --table and "
            "the broker's list of rights",
            broker=broker.name,
            user=broker.user or msg("a client without a name"),
            table=table,
        )
        return join([silenced, _SENT_LATER])
    return msg(
        "the broker {broker} refuses messages: {reason}; trying again",
        broker=broker.name,
        reason=str(reason),
    )


def why_unreachable(broker: Broker) -> Sentence:
    """Why the broker cannot be reached; to be called by the client's `on_connect_fail`."""
    # The client passes no reason, but calls while it handles the exception.
    _, error, _ = sys.exc_info()
    if isinstance(error, ssl.SSLCertVerificationError):
        return msg(
            "the certificate of the broker {broker} is not trusted ({reason}): name what vouches "
            "for it with --hall-ca",
            broker=broker.name,
            reason=error.verify_message,
        )
    if isinstance(error, ssl.SSLError):
        return msg(
            "the broker {broker} does not speak TLS as we do: {reason}",
            broker=broker.name,
            reason=error.reason or "",
        )
    if isinstance(error, OSError) and error.strerror:
        return msg(
            "the broker {broker} does not respond: {reason}",
            broker=broker.name,
            reason=error.strerror,
        )
    return msg("the broker {broker} does not respond", broker=broker.name)
