"""Publishes a table to the hall, in a thread that nothing which records waits for."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.reasoncodes import ReasonCode

from tableside.console import say
from tableside.errors import TablesideError
from tableside.hall.broker import KEEPALIVE_S, TableLink, new_client, why_refused, why_unreachable
from tableside.hall.messages import (
    QOS,
    STATES,
    InvalidMessage,
    Presence,
    Stored,
    TableState,
    decode,
    encode,
    state_payload,
    topic,
)
from tableside.hall.outbox import Outbox, Position, Sent, load_sent, save_sent, sent_file
from tableside.hall.pace import Pace
from tableside.record.store import Store
from webui.contracts.roles import Visibility
from webui.contracts.state import LiveBoard, State

WAIT_S: Final = 0.25
"""Longest wait for a change of the state."""
BUSY_S: Final = 0.01
"""The same while events wait for their turn."""
LOOK_S: Final = 0.5
"""Interval at which the record is read though the state does not change."""
IDLE_S: Final = 0.1
"""Pause while we are not connected."""
REPEAT_S: Final = 5.0
"""Seconds after which an unchanged state is sent again."""
ANNOUNCE_S: Final = 1.0
"""Seconds for the broker to say who else has the name."""
MOST_WAITING: Final = 100
"""Events that wait for the broker's acknowledgment at once."""
MOST_ON_THE_WAY: Final = 100
"""Events that the hall may not have stored yet; if it lacks more, they got lost."""
SAVE_S: Final = 1.0
"""Interval at which the position is saved: an old one only sends events again."""
RETRY_S: Final = 5.0
CLOSE_S: Final = 2.0
_LOGGER: Final = logging.getLogger(__name__)


class Publisher:
    """Publishes the events of a record and the state of its table until `close`."""

    def __init__(
        self,
        link: TableLink,
        record: Path,
        table: LiveBoard,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Raises `StoreError` if the record cannot be read."""
        self.fault = ""
        """Why nothing is published now; empty if all is well."""
        self._link, self._record, self._table, self._clock = link, record, table, clock
        self._store = Store.open_read_only(record)
        self._sent = load_sent(record, self._store)
        self._saved: Sent | None = None
        """What is on the disk; None if it is not known."""
        self._outbox = Outbox(self._store, self._sent.first, self._sent.position)
        self._pace = Pace()
        self._lock = threading.Lock()
        self._waiting: dict[int, Position] = {}
        """The events that the broker has not acknowledged, by message, in the order sent."""
        self._early: set[int] = set()
        """Messages that were acknowledged before they were in `_waiting`, and others."""
        self._is_refused = False
        """Whether the broker has refused an event."""
        self._taken = self._sent.position
        self._is_behind = False
        """Whether events wait for their turn, or for the broker's acknowledgment."""
        self._stored: Stored | None = None
        """What the hall said last, until it has been followed."""
        self._announce_at: float | None = None
        """When the name may be taken; None while disconnected."""
        self._is_announced = self._is_taken = False
        self._shown: dict[str, tuple[float, object]] = {}
        """When each state was sent, and what of it matters."""
        self._look_at = self._saved_at = time.monotonic()
        """When the record is read though the state did not change."""
        self._stopping = threading.Event()
        self._save()  # at once: the next start must not decide anew which match is the first
        self._client = new_client(link.broker, f"tableside-{self._sent.instance}")
        self._connect()
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send what was recorded last, say that the table is leaving, and stop."""
        self._stopping.set()
        self._thread.join()
        until = time.monotonic() + CLOSE_S
        while self._is_announced and self._waiting and time.monotonic() < until:
            time.sleep(BUSY_S)
        if self._is_announced:
            left = self._send("presence", self._presence(online=False), retain=True)
            left.wait_for_publish(CLOSE_S)
        self._client.disconnect()
        self._client.loop_stop()
        self._save()
        self._store.close()

    def _connect(self) -> None:
        client = self._client
        client.on_connect, client.on_disconnect = self._connected, self._disconnected
        client.on_connect_fail = self._unreachable
        client.on_message, client.on_publish = self._received, self._published
        will = encode(self._presence(online=False))
        client.will_set(topic(self._link.name, "presence"), will, QOS, retain=True)
        client.connect_async(self._link.broker.host, self._link.broker.port, KEEPALIVE_S)
        client.loop_start()

    # Called by the thread of the client

    def _connected(self, client: Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        if reason.is_failure:
            self._report(why_refused(self._link.broker, reason))
            return
        client.subscribe([(topic(self._link.name, kind), QOS) for kind in ("presence", "stored")])
        with self._lock:
            self._is_announced = self._is_taken = False
            self._announce_at = time.monotonic() + ANNOUNCE_S
            self._shown.clear()

    def _disconnected(self, _: Client, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
        with self._lock:
            was_connected, self._announce_at = self._announce_at is not None, None
            self._is_announced = False
        if was_connected and reason.is_failure:
            self._report(f"the broker {self._link.broker.name} is gone; recording goes on")

    def _unreachable(self, _: Client, __: Any) -> None:
        self._report(f"{why_unreachable(self._link.broker)}; recording goes on")

    def _published(self, _: Client, __: Any, message: int, reason: ReasonCode, ___: Any) -> None:
        if reason.is_failure:
            self._report(
                f"the broker {self._link.broker.name} refuses messages: {reason}; trying again"
            )
            self._is_refused = True
            return
        with self._lock:
            if self._waiting.pop(message, None) is None:
                self._early.add(message)

    def _received(self, _: Client, __: Any, message: MQTTMessage) -> None:
        try:
            if message.topic == topic(self._link.name, "stored"):
                self._stored = decode(Stored, message.payload)
            elif message.payload:
                self._meet(decode(Presence, message.payload))
        except InvalidMessage as error:
            _LOGGER.warning("%s: %s", message.topic, error)

    def _meet(self, other: Presence) -> None:
        """Give way to another table that has this name, or keep it."""
        with self._lock:
            if other["instance"] == self._sent.instance:
                return
            gives_way = not self._is_announced or other["instance"] < self._sent.instance
            self._is_taken = other["online"] and gives_way
            # What it said stands under our name, so say again who is here.
            self._is_announced = False
        if self._is_taken:
            self._report(
                f"another table is connected as {self._link.name!r}: give this one another --table"
            )

    # Called by our own thread

    def _run(self) -> None:
        version, is_last = -1, False
        while not is_last:
            is_last = self._stopping.is_set()
            wait = BUSY_S if self._is_behind or self._stored is not None else WAIT_S
            newer = self._table.next_state(version, wait, Visibility.EVERYTHING)
            version = version if newer is None else newer["version"]
            if not self._is_ready():
                self._stopping.wait(IDLE_S)
                continue
            try:
                self._publish_states()
                # An event is recorded before the state shows it; few change no state.
                if is_last or newer is not None or time.monotonic() >= self._look_at:
                    self._publish_events()
            except (TablesideError, OSError) as error:
                self._report(f"the hall is not told what is recorded: {error}")
                self._stopping.wait(RETRY_S)

    def _is_ready(self) -> bool:
        """Whether we are connected under our name; takes the name if it is free."""
        with self._lock:
            if self._announce_at is None or self._is_taken:
                return False
            if self._is_announced:
                return True
            if time.monotonic() < self._announce_at:
                return False
            self._is_announced = True
        self._send("presence", self._presence(online=True), retain=True)
        if self.fault:
            say(f"the hall is reached at {self._link.broker.name}")
        self.fault = ""
        return True

    def _presence(self, *, online: bool) -> Presence:
        return Presence(
            online=online, instance=self._sent.instance, page=self._link.page, sent=self._clock()
        )

    def _publish_states(self) -> None:
        for kind, visibility in STATES.items():
            state = self._table.state(visibility)
            matters, now = _what_matters(state), time.monotonic()
            at, before = self._shown.get(kind, (0.0, None))
            if matters != before or now - at >= REPEAT_S:
                self._shown[kind] = now, matters
                payload = TableState(
                    sent=self._clock(),
                    instance=self._sent.instance,
                    state=state_payload(state),
                    published=self._outbox.published,
                )
                # A later one will follow: at most once.
                self._client.publish(
                    topic(self._link.name, kind), encode(payload), qos=0, retain=True
                )

    def _publish_events(self) -> None:
        if self._is_refused:
            self._stopping.wait(RETRY_S)
            self._go_back()
        stored, self._stored = self._stored, None
        if stored is not None:
            again = self._outbox.rewind(stored["matches"])
            if again > MOST_ON_THE_WAY:
                self._pace.slow_down()
        with self._lock:
            room = min(MOST_WAITING - len(self._waiting), self._pace.room())
            self._early.clear()  # states are there too, and a number comes again after 65,535
        taken = self._outbox.take(room)
        self._pace.spend(len(taken))
        for position, event in taken:
            message = self._send("events", event).mid
            self._taken = max(self._taken, position)
            # Not held during `_send`: the client holds a lock of its own when it calls us.
            with self._lock:
                if message in self._early:
                    self._early.remove(message)
                else:
                    self._waiting[message] = position
        self._is_behind = bool(self._waiting) or len(taken) == room
        self._look_at = time.monotonic() + (BUSY_S if self._is_behind else LOOK_S)
        if time.monotonic() - self._saved_at >= SAVE_S:
            self._saved_at = time.monotonic()
            self._save()

    def _go_back(self) -> None:
        """Take again what the broker refused, and what came after it."""
        with self._lock:
            refused = [*self._waiting.values()]
            self._waiting.clear()
            self._is_refused = False
        self._outbox.go_back(refused)

    def _save(self) -> None:
        """Remember up to where everything is acknowledged."""
        with self._lock:
            oldest = min(self._waiting.values(), default=None)
        if oldest is None:
            match, number = self._taken
        else:
            match, number = oldest.match, oldest.number - 1
        sent = replace(self._sent, match=match, number=number)
        if sent == self._saved:
            return
        try:
            save_sent(self._record, sent)
        except OSError as error:
            # Then the next start sends again what the hall has.
            self._report(f"{sent_file(self._record)} cannot be written: {error.strerror}")
        else:
            self._saved = sent

    def _send(self, kind: str, payload: object, *, retain: bool = False) -> Any:
        name = topic(self._link.name, kind)
        return self._client.publish(name, encode(payload), QOS, retain=retain)

    def _report(self, fault: str) -> None:
        """Say once what is wrong."""
        if fault != self.fault:
            self.fault = fault
            _LOGGER.warning("%s", fault)
            say(fault)


def _what_matters(state: State) -> object:
    """What a state must differ in to be sent at once: a clock that runs is known anyway."""
    payload, clock = state_payload(state), state["clock"]
    if clock is not None and clock["runs"] is not None:
        payload["clock"] = clock["runs"]
    return payload
