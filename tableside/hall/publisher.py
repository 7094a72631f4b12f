"""Publishes a table to the hall, in a thread that nothing which records waits for."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.message import Sentence, message_of, msg
from tableside.console import say
from tableside.errors import TablesideError
from tableside.hall.broker import TableLink
from tableside.hall.connection import CLOSE_S, Connection
from tableside.hall.faults import Faults
from tableside.hall.messages import STATES, Stored, TableState, state_payload
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
MOST_WAITING: Final = 100
"""Events that wait for the broker's acknowledgment at once."""
MOST_ON_THE_WAY: Final = 100
"""Events that the hall may not have stored yet; if it lacks more, they got lost."""
SAVE_S: Final = 1.0
"""Interval at which the position is saved: an old one only sends events again."""
RETRY_S: Final = 5.0
ANSWER_S: Final = 15.0
"""Seconds after which a hall that says nothing is missed: one that is there takes about one."""


class Publisher:
    """Publishes the events of a record and the state of its table until `close`.

    Whatever is wrong with the hall is shown, and tried again.
    """

    def __init__(
        self,
        link: TableLink,
        record: Path,
        table: LiveBoard,
        clock: Callable[[], float] = time.time,
        show: Callable[[Sequence[Sentence]], object] = lambda _: None,
    ) -> None:
        """`show` is called with what is wrong when that changes.

        Raises `StoreError` if the record cannot be read.
        """
        self._record, self._table, self._clock = record, table, clock
        self._faults = Faults(show)
        self._store = Store.open_read_only(record)
        self._sent = load_sent(record, self._store)
        self._saved: Sent | None = None
        """What is on the disk; None if it is not known."""
        sent = self._sent
        self._outbox = Outbox(self._store, sent.first, sent.position, sent.edition)
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
        self._missed_at = math.inf
        """When the hall is missed, by the monotonic clock, unless it answers before."""
        self._shown: dict[str, tuple[float, object]] = {}
        """When each state was sent, and what of it matters."""
        self._look_at = self._saved_at = time.monotonic()
        """When the record is read though the state did not change."""
        self._stopping = threading.Event()
        self._save()  # at once: the next start must not decide anew which match is the first
        self._connection = Connection(link, self, self._faults, clock)
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)
        self._thread.start()

    @property
    def fault(self) -> str:
        """What is wrong now; empty if all is well."""
        return str(self._faults)

    @property
    def is_publishing(self) -> bool:
        """Whether the broker is there, and the name this table's."""
        return self._connection.is_held

    def close(self) -> None:
        """Send what was recorded last, say that the table is leaving, and stop."""
        self._stopping.set()
        self._thread.join()
        until = time.monotonic() + CLOSE_S
        while self._connection.is_held and self._waiting and time.monotonic() < until:
            time.sleep(BUSY_S)
        self._connection.close()
        self._save()
        self._store.close()

    # Called by the thread of the client

    def hall_has(self, stored: Stored) -> None:
        """Have this followed."""
        self._stored, self._missed_at = stored, math.inf
        if self._faults.clear("hall"):
            say("the hall has answered")

    def acknowledged(self, message: int) -> None:
        """Note that the broker has a message."""
        with self._lock:
            if self._waiting.pop(message, None) is None:
                self._early.add(message)

    def refused(self) -> None:
        """Have what waits sent again."""
        self._is_refused = True

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
                    self._faults.clear("record")
            except TablesideError as error:
                self._faults.set(
                    "record",
                    msg("the hall is not told what is recorded: {fault}", fault=message_of(error)),
                )
                self._stopping.wait(RETRY_S)

    def _is_ready(self) -> bool:
        """Whether we are connected under our name; takes the name if it is free."""
        if not self._stopping.is_set() and self._connection.look(self._stopping):
            self._go_back()
        if self._connection.takes_name():
            self._shown.clear()
            self._missed_at = time.monotonic() + ANSWER_S
        if not self._connection.is_held:
            self._faults.clear("hall")
            return False
        if time.monotonic() >= self._missed_at:
            self._miss_hall()
        return True

    def _miss_hall(self) -> None:
        """Say that nobody has answered, which may also be because the broker is another's."""
        self._missed_at = math.inf
        self._faults.set(
            "hall",
            msg(
                "no hall answers at the broker {broker}: start the hall, or check --hall; "
                "everything is recorded, and sent once it is there",
                broker=self._connection.broker_name,
            ),
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
                    instance=self._connection.instance,
                    state=state_payload(state),
                    published=self._outbox.published,
                )
                # A later one will follow: at most once.
                self._connection.send(kind, payload, qos=0, retain=True)

    def _publish_events(self) -> None:
        if self._is_refused:
            self._stopping.wait(RETRY_S)
            self._go_back()
            if self._connection.is_held:
                self._connection.announce()  # which may have been refused too
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
            message = self._connection.send("events", event).mid
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
        outbox, file = self._outbox, self._store.file
        sent = replace(self._sent, match=match, number=number, edition=outbox.edition, file=file)
        if sent == self._saved:
            return
        try:
            save_sent(self._record, sent)
        except OSError as error:
            # Then the next start sends again what the hall has.
            fault = error.strerror or ""
            path = str(sent_file(self._record))
            self._faults.set(
                "memory", msg("{path} cannot be written: {error}", path=path, error=fault)
            )
        else:
            self._saved = sent
            self._faults.clear("memory")


def _what_matters(state: State) -> object:
    """What a state must differ in to be sent at once: a clock that runs is known anyway."""
    payload, clock = state_payload(state), state["clock"]
    if clock is not None and clock["runs"] is not None:
        payload["clock"] = clock["runs"]
    return payload
