"""Listens to the tables of a hall: stores what they played, and shows what they show."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, Full, Queue
from typing import Any, Final
from uuid import uuid4

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.reasoncodes import ReasonCode

from engine.events.names import clean_name
from engine.message import Sentence, join, msg
from tableside.console import say
from tableside.errors import StoreError
from tableside.hall.boards import Boards
from tableside.hall.broker import (
    KEEPALIVE_S,
    RECORD_ON,
    Broker,
    new_client,
    why_hall_silenced,
    why_refused,
    why_unreachable,
)
from tableside.hall.loop import Loop
from tableside.hall.messages import (
    NOTICES,
    QOS,
    STATES,
    UNREADABLE,
    EventMessage,
    InvalidMessage,
    Presence,
    Stored,
    TableState,
    decode,
    encode,
    table_and_kind,
    topic,
)
from tableside.hall.store import Added, HallStore

MOST_WAITING: Final = 5000
"""Events that wait for the store; more are dropped, since their tables have them."""
MOST_AT_ONCE: Final = 500
"""Events in one transaction."""
WAIT_S: Final = 0.2
GATHER_S: Final = 0.05
"""Seconds in which events gather for one transaction: the page, which shows states, comes first."""
ASK_S: Final = 1.0
"""Least time between two answers to one table."""
LOOK_S: Final = 1.0
QUIET_S: Final = 2.0
"""After this, no more of what a table has published is expected on its own."""
RETRY_S: Final = 2.0
UPDATE_HALL: Final = msg(
    "a table sends events that the hall's version of Tableside cannot read: they are stored, but "
    "results lack them until the hall is updated"
)
MOST_WORDS: Final = 200
"""Characters of a reason."""
_LOGGER: Final = logging.getLogger(__name__)


class Subscriber:
    """Fills a store and the boards from a broker until `close`."""

    def __init__(self, broker: Broker, store: HallStore, boards: Boards) -> None:
        self.on_notices: Callable[[], object] = lambda: None
        """Called when notices have been queued in the store."""
        self._broker, self._store, self._boards = broker, store, boards
        self._queue: Queue[tuple[str, EventMessage]] = Queue(MOST_WAITING)
        boards.count_waiting = self._queue.qsize
        self._lacking: set[str] = set()
        """Tables that must be told how far the store is."""
        self._told: dict[str, float] = {}
        """When; forgotten after `ASK_S`."""
        self._published: dict[str, dict[str, int]] = {}
        """What each table says that it has published, until it is compared with the store."""
        self._compared: dict[str, dict[str, int]] = {}
        """What was compared and found stored."""
        self._heard: dict[str, float] = {}
        """When an event of each of these tables arrived last."""
        self._is_connected = False
        self._broker_fault = self._store_fault = ""
        """What was said last; empty if that is over."""
        self._lock = threading.Lock()
        self._look_at = 0.0
        self._loop = Loop("hall-store", self._step, boards.set_trouble)
        self._client = client = new_client(broker, f"tableside-hall-{uuid4().hex}")
        client.on_connect, client.on_disconnect = self._connected, self._disconnected
        client.on_connect_fail, client.on_message = self._unreachable, self._received
        client.on_publish, client.on_subscribe = self._published_one, self._subscribed
        client.connect_async(broker.host, broker.port, KEEPALIVE_S)
        client.loop_start()
        self._loop.start()

    def close(self) -> None:
        """Store what has arrived, and stop."""
        self._client.disconnect()
        self._client.loop_stop()
        self._loop.close()
        while not self._queue.empty():
            self._step()

    # Called by the thread of the client

    def _connected(self, client: Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        if reason.is_failure:
            self._report(why_refused(self._broker, reason, is_hall=True))
            return
        client.subscribe([(topic("+", kind), QOS) for kind in ("presence", "events", *STATES)])
        self._is_connected, self._broker_fault = True, ""
        self._boards.set_trouble("broker", "")

    def _disconnected(self, _: Client, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
        was_connected, self._is_connected = self._is_connected, False
        if was_connected and reason.is_failure:
            gone = msg("the broker {broker} is gone", broker=self._broker.name)
            self._report(join([gone, RECORD_ON]))

    def _subscribed(
        self, _: Client, __: Any, ___: int, reasons: Sequence[ReasonCode], ____: Any
    ) -> None:
        refused = next((one for one in reasons if one.is_failure), None)
        if refused is not None:
            self._report(why_refused(self._broker, refused, is_hall=True))

    def _published_one(self, _: Client, __: Any, ___: int, reason: ReasonCode, ____: Any) -> None:
        refused = why_hall_silenced(self._broker, reason) if reason.is_failure else ""
        self._boards.set_trouble("messages", refused)

    def _unreachable(self, *_: object) -> None:
        self._report(join([why_unreachable(self._broker), RECORD_ON]))

    def _report(self, fault: Sentence) -> None:
        self._boards.set_trouble("broker", fault)
        if str(fault) != self._broker_fault:
            self._broker_fault = str(fault)
            _LOGGER.warning("%s", fault)

    def _received(self, _: Client, __: Any, message: MQTTMessage) -> None:
        try:
            self._take(message)
        except InvalidMessage as error:
            self._boards.count("dropped")
            _LOGGER.warning("%s: %s", message.topic, error)

    def _take(self, message: MQTTMessage) -> None:
        table, kind = table_and_kind(message.topic)
        if table != clean_name(table):
            raise InvalidMessage("a table must have a visible name")
        if not message.payload:
            return  # what was kept has been cleared
        if kind == "presence":
            presence = decode(Presence, message.payload)
            self._boards.meet(table, presence, is_kept=message.retain)
            if presence["online"]:
                self._ask(table)
        elif kind in STATES:
            sent = decode(TableState, message.payload)
            if self._boards.show(table, STATES[kind], sent, is_kept=message.retain):
                with self._lock:
                    self._published[table] = sent.get("published", {})
        elif kind == "events":
            with self._lock:
                if table in self._published:
                    self._heard[table] = time.monotonic()
            try:
                self._queue.put_nowait((table, decode(EventMessage, message.payload)))
            except Full:
                self._ask(table)

    def _ask(self, table: str) -> None:
        """Have a table told how far the store is."""
        with self._lock:
            self._lacking.add(table)

    # Called by our own thread

    def _step(self) -> float:
        is_due = time.monotonic() >= self._look_at
        if is_due:
            self._look_at = time.monotonic() + LOOK_S
            self._boards.look()
            if self._store.has_unread:
                self._boards.set_trouble("unread", UPDATE_HALL)
        try:
            self._store_next()
            if is_due:
                self._store.check()  # also if there is nothing to store
                self._compare()
            self._answer()
            if is_due:
                self._recovered()
        except StoreError as error:
            return self._refused(error)
        return 0.0

    def _store_next(self) -> None:
        try:
            batch = [self._queue.get(timeout=WAIT_S)]
        except Empty:
            return
        self._loop.stopping.wait(GATHER_S)
        while len(batch) < MOST_AT_ONCE and not self._queue.empty():
            batch.append(self._queue.get_nowait())
        self._keep(batch)

    def _keep(self, batch: Sequence[tuple[str, EventMessage]]) -> None:
        try:
            self._tell(self._store.add(batch))
        except StoreError:
            for table, _ in batch:
                self._ask(table)
            raise
        except UNREADABLE as error:
            if len(batch) > 1:
                for one in batch:
                    self._keep([one])
                return
            ((table, event),) = batch
            self._boards.count("dropped")
            _LOGGER.warning(
                "event %d of table %s is dropped", event["number"], table, exc_info=True
            )
            dropped = msg(
                "event {number} of table {table} cannot be stored ({why}); what follows it in its "
                "match waits for it",
                number=event["number"],
                table=table,
                why=f"{type(error).__name__}: {error}"[:MOST_WORDS],
            )
            self._boards.set_trouble("dropped", dropped)

    def _tell(self, added: Added) -> None:
        self._boards.count("stored", added.stored)
        for table in added.lacking:
            self._ask(table)
        for notice in added.notices:
            self._client.publish(NOTICES, encode(notice), QOS)
        if added.notices:
            self.on_notices()

    def _compare(self) -> None:
        """Ask for the last events of the tables that have fallen quiet, if they were lost."""
        since = time.monotonic() - QUIET_S
        with self._lock:
            quiet = [
                (table, published)
                for table, published in self._published.items()
                if published != self._compared.get(table) and self._heard.get(table, 0.0) < since
            ]
        for table, published in quiet:
            if self._store.has(table, published):
                self._compared[table] = published
            else:
                self._ask(table)

    def _answer(self) -> None:
        now = time.monotonic()
        self._told = {table: at for table, at in self._told.items() if now - at < ASK_S}
        with self._lock:
            due = [one for one in self._lacking if one not in self._told]
        for table in due:
            with self._lock:
                self._lacking.remove(table)  # first: it may ask again meanwhile
            try:
                stored = Stored(matches=self._store.stored(table))
            except StoreError:
                self._ask(table)
                raise
            self._client.publish(topic(table, "stored"), encode(stored), QOS)
            self._told[table] = now

    def _refused(self, error: StoreError) -> float:
        """How long to wait for the store; the tables keep what it cannot take."""
        safe = msg("the tables keep everything, and send it again")
        self._boards.count("store_faults")
        self._boards.set_trouble("store", join([str(error), safe]))
        if str(error) != self._store_fault:
            self._store_fault = str(error)
            say(f"{error}; the tables keep everything, and send it again")
        return RETRY_S

    def _recovered(self) -> None:
        self._boards.set_trouble("store", "")
        if self._store_fault:
            say("the hall's store works again")
            self._store_fault = ""
