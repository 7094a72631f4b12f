"""A table's connection to the broker of its hall: found, made and made again, under its name."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol
from uuid import uuid4

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.reasoncodes import ReasonCode

from engine.message import Sentence, join, message_of, msg
from tableside.console import say
from tableside.errors import TablesideError
from tableside.hall.broker import (
    KEEPALIVE_S,
    Broker,
    TableLink,
    new_client,
    why_refused,
    why_silenced,
    why_unreachable,
)
from tableside.hall.faults import Faults
from tableside.hall.messages import (
    QOS,
    InvalidMessage,
    Presence,
    Stored,
    decode,
    encode,
    topic,
)
from tableside.hall.name_claim import NameClaim

RETRY_S: Final = 5.0
"""Pause before a hall of this network that was not found, or is gone, is looked for again."""
CLOSE_S: Final = 2.0
GOES_ON: Final = msg("recording goes on")
_LOGGER: Final = logging.getLogger(__name__)


class Listener(Protocol):
    """What follows the connection; called by the thread of the client."""

    def hall_has(self, stored: Stored) -> None:
        """The hall said how far it has the table's matches."""

    def acknowledged(self, message: int) -> None:
        """The broker has taken this message."""

    def refused(self) -> None:
        """The broker has refused a message."""


class Connection:
    """The connection until `close`; but for the client's own thread, one thread calls it."""

    def __init__(
        self, link: TableLink, listener: Listener, faults: Faults, clock: Callable[[], float]
    ) -> None:
        self.instance = uuid4().hex
        """Not kept, because a copied folder would make two tables the same."""
        self._link, self._listener, self._faults, self._clock = link, listener, faults, clock
        self._claim, self._lock = NameClaim(self.instance), threading.Lock()
        self._broker: Broker | None = None
        self._client: Client | None = None
        self._look_at = 0.0
        """When the broker is looked for, by the monotonic clock."""
        self._is_told = False
        """Whether it was said that the broker is reached."""
        self._to_confirm: set[int] = set()
        """Messages that the broker has to acknowledge; the others only leave."""

    @property
    def is_held(self) -> bool:
        """Whether what the table sends is taken as its own."""
        with self._lock:
            return self._claim.is_held

    @property
    def broker_name(self) -> str:
        """The address of the broker, for messages."""
        return "" if self._broker is None else self._broker.name

    def look(self, stopping: threading.Event) -> bool:
        """Find the broker if that is due; return whether another client sends from now on.

        What the client before had not sent is lost. Setting `stopping` ends the search.
        """
        if time.monotonic() < self._look_at:
            return False
        self._look_at = math.inf
        try:
            found = self._link.broker.find(stopping)
            if found == self._broker:
                return False  # which the client tries again
            self._leave()
            self._begin(found)
        except TablesideError as error:
            self._look_at = time.monotonic() + RETRY_S
            if not stopping.is_set():
                self._faults.set("broker", join([message_of(error), GOES_ON]))
            return False
        return True

    def takes_name(self) -> bool:
        """Whether the name has just become this table's, or must be announced anew."""
        with self._lock:
            is_ours, asks = self._claim.take(), self._claim.asks_again()
        if asks:
            self.send("presence", self._presence(online=False))
        if not is_ours:
            return False
        self.announce()
        if self._faults.clear("broker", "name") or not self._is_told:
            say(f"the hall's broker is reached at {self.broker_name}")
            self._is_told = True
        return True

    def announce(self) -> None:
        """Say that the table is there."""
        self.send("presence", self._presence(online=True), retain=True)

    def send(self, kind: str, payload: object, *, qos: int = QOS, retain: bool = False) -> Any:
        """Publish it; raises nothing if the broker is gone."""
        assert self._client is not None, "there is a client before the name is held"  # noqa: S101
        name = topic(self._link.name, kind)
        sent = self._client.publish(name, encode(payload), qos, retain=retain)
        if qos:
            self._to_confirm.add(sent.mid)
        return sent

    def close(self) -> None:
        """Say that the table is leaving, and stop."""
        if self.is_held:
            left = self.send("presence", self._presence(online=False), retain=True)
            with suppress(RuntimeError):  # the broker has just gone, and says the last will
                left.wait_for_publish(CLOSE_S)
        self._leave()

    def _leave(self) -> None:
        if self._client is not None:
            self._client.disconnect()
            self._client.loop_stop()
            self._client = self._broker = None
        with self._lock:
            self._claim.disconnect()

    def _begin(self, broker: Broker) -> None:
        client = new_client(broker, f"tableside-{self.instance}")
        client.on_connect, client.on_disconnect = self._connected, self._disconnected
        client.on_connect_fail = self._unreachable
        client.on_message, client.on_publish = self._received, self._published
        will = encode(self._presence(online=False))
        client.will_set(topic(self._link.name, "presence"), will, QOS, retain=True)
        client.connect_async(broker.host, broker.port, KEEPALIVE_S)
        self._broker, self._client = broker, client
        client.loop_start()

    def _presence(self, *, online: bool) -> Presence:
        page = self._link.page
        return Presence(online=online, instance=self.instance, page=page, sent=self._clock())

    # Called by the thread of the client

    def _connected(self, client: Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        assert self._broker is not None, "it was connected to"  # noqa: S101
        if reason.is_failure:
            self._lost(why_refused(self._broker, reason))
            return
        client.subscribe([(topic(self._link.name, kind), QOS) for kind in ("presence", "stored")])
        self._look_at = math.inf
        with self._lock:
            self._claim.connect()

    def _disconnected(self, _: Client, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
        with self._lock:
            was_connected = self._claim.is_connected
            self._claim.disconnect()
        if was_connected and reason.is_failure and self._broker is not None:
            gone = msg("the broker {broker} is gone", broker=self._broker.name)
            self._lost(join([gone, GOES_ON]))

    def _unreachable(self, _: Client, __: Any) -> None:
        if self._broker is not None:
            self._lost(join([why_unreachable(self._broker), GOES_ON]))

    def _lost(self, fault: Sentence) -> None:
        """Say so; a hall of this network may be somewhere else when it comes back."""
        self._look_at = min(self._look_at, time.monotonic() + RETRY_S)
        self._faults.set("broker", fault)

    def _published(self, _: Client, __: Any, message: int, reason: ReasonCode, ___: Any) -> None:
        is_confirmed = message in self._to_confirm
        self._to_confirm.discard(message)
        if not reason.is_failure:
            if is_confirmed:
                self._faults.clear("messages")
            self._listener.acknowledged(message)
            return
        if self._broker is not None:
            silenced = why_silenced(self._broker, self._link.name, reason)
            self._faults.set("messages", silenced)
        self._listener.refused()

    def _received(self, _: Client, __: Any, message: MQTTMessage) -> None:
        try:
            if message.topic == topic(self._link.name, "stored"):
                self._listener.hall_has(decode(Stored, message.payload))
            elif message.payload:
                self._meet(decode(Presence, message.payload), is_kept=message.retain)
        except InvalidMessage as error:
            _LOGGER.warning("%s: %s", message.topic, error)

    def _meet(self, other: Presence, *, is_kept: bool) -> None:
        with self._lock:
            asks, is_taken = self._claim.hear(other, is_kept=is_kept), self._claim.is_taken
        if asks:  # a table that is there answers every word under its name
            self.send("presence", self._presence(online=False))
        if is_taken:
            self._faults.set(
                "name",
                msg(
                    "another table is connected as {name}: give this one another --table",
                    name=repr(self._link.name),
                ),
            )
