"""`VisionWorker`: the process that sees. It does errands, and tells the page what it is to know.

It ends when the page's process does, in whatever way that ends: what was recorded is on the disk,
and nobody is there to be told of more.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Unpack, cast

from engine import NotNow
from tableside.desk.command_queue import CommandQueue
from tableside.errors import EXPECTED, TablesideError
from tableside.logs import ALREADY_SHOWN
from tableside.record.recorder import WriterLock
from tableside.record.store import Store
from tableside.recording.preview import PreviewEncoder
from tableside.vision_process import messages as words
from tableside.vision_process.channel import Channel
from webui.contracts.desk import Command, DeskCommand, DeskUnavailable
from webui.contracts.metrics import FrameTally
from webui.contracts.state import StatePart

LOOK_SECONDS: Final = 0.3
"""How long somebody who wants a picture waits for the next one."""
COUNT_SECONDS: Final = 1.0
"""Between two tallies."""
SLOW_SECONDS: Final = 0.5
"""From which on a frame is logged as slow; a usual one takes a tenth of that."""
SLOW_LOG_SECONDS: Final = 10.0
"""Between two records of slow frames."""
_LOGGER: Final = logging.getLogger(__name__)


class VisionWorker:
    """What an errand finds: where to tell, where to write, and when to end."""

    store: Store

    def __init__(self, pipe: Connection) -> None:
        self.pictures = PreviewEncoder()
        self.stopping = threading.Event()
        self._orders: SimpleQueue[object] = SimpleQueue()
        self._looks: SimpleQueue[words.RequestPicture] = SimpleQueue()
        self._desk: CommandQueue | None = None
        self._is_leaving = False
        self._line = Channel(pipe, self._hear, self._orphaned)
        self.table = RemoteState(self._line)
        self.meters = RemoteFigures(self._line)
        threading.Thread(target=self._show, name="pictures", daemon=True).start()

    def run(self) -> None:
        """Do what is asked for until `Leave`."""
        order = self._orders.get()
        if isinstance(order, words.ClaimRecord):
            try:
                with claimed(order.record) as self.store:
                    self._line.say(words.RecordClaimed())
                    self._work()
            except TablesideError as error:
                self._line.say(words.JobEnded(error))
                self._orders.get()
        self._line.close()

    def _work(self) -> None:
        while isinstance(order := self._orders.get(), words.OpenJob):
            error: Exception | None = None
            try:
                with closing(order.errand.open()) as source:
                    self._line.say(words.JobOpened())
                    if isinstance(self._orders.get(), words.RunJob):
                        self.table.forget()
                        order.errand.run(source, self)
            except (*EXPECTED, OSError) as fault:
                error = fault
                _LOGGER.error("a job failed: %s", fault, extra=ALREADY_SHOWN)
            self._line.say(words.JobEnded(error))

    @contextmanager
    def seated(self, desk: CommandQueue, match: int, variant: str) -> Iterator[None]:
        """What is said by hand goes to `desk` meanwhile."""
        self._desk = desk
        desk.on_undo = lambda can_undo: self._line.say(words.UndoChanged(can_undo))
        self._line.say(words.MatchAttached(match, variant, desk.can_undo, desk.begins_matches))
        try:
            yield
        finally:
            self._desk = None
            self.meters.flush()
            self._line.say(words.MatchAttached(None))

    def _hear(self, message: object) -> None:
        match message:
            case words.SendCommand():
                threading.Thread(target=self._say, args=[message], daemon=True).start()
            case words.RequestPicture():
                self._looks.put(message)
            case words.StopJob():
                self.stopping.set()
            case words.OpenJob():
                self.stopping.clear()
                self._orders.put(message)
            case _:
                self._is_leaving = isinstance(message, words.Shutdown)
                self._orders.put(message)

    def _orphaned(self) -> None:
        if not self._is_leaving:
            os._exit(1)

    def _say(self, said: words.SendCommand) -> None:
        desk, error = self._desk, None
        try:
            if desk is None:
                raise NotNow(words.NOBODY)
            desk.execute(said.command)
        except Exception as fault:  # noqa: BLE001 (the request that waits tells it)
            error = fault
        _log_outcome(said.command, error)
        desk = self._desk or desk  # another match may have begun
        paused, can_undo = (False, False) if desk is None else (desk.is_paused, desk.can_undo)
        self._line.say(words.CommandResult(said.ticket, error, paused, can_undo))

    def _show(self) -> None:
        while True:
            asked = self._looks.get()
            found = self.pictures.next_picture(asked.after, LOOK_SECONDS)
            self._line.say(words.NewestPicture(*(found or (0, None))))


def _log_outcome(command: Command, error: Exception | None) -> None:
    """Log what became of a command; the text of an error may name players."""
    name = command.value if isinstance(command, DeskCommand) else type(command).__name__
    if error is None:
        _LOGGER.info("command %s was carried out", name)
    elif isinstance(error, (*EXPECTED, DeskUnavailable)):
        _LOGGER.info("command %s was refused: %s", name, type(error).__name__)
        _LOGGER.debug("command %s: %s", name, error)
    else:
        _LOGGER.error("command %s failed", name, exc_info=error)


@contextmanager
def claimed(record: Path) -> Iterator[Store]:
    """The record open for writing, by nobody else; `StoreError` says why it cannot be."""
    claim = WriterLock(record)
    try:
        with Store.open(record) as store:
            _LOGGER.info("the record %s is opened", record)
            yield store
            _LOGGER.info("the record %s is closed", record)
    finally:
        claim.release()


class RemoteState:
    """Tells the page's table what has changed."""

    def __init__(self, line: Channel) -> None:
        self._line = line
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """What the page knows is not known: all is told again."""
        self._known: tuple[StatePart, StatePart] = {}, {}

    def tell(self, *, referee: StatePart | None = None, **changes: Unpack[StatePart]) -> None:
        """See `LiveTable.tell`."""
        parts: tuple[StatePart, StatePart] = changes, {**changes, **(referee or {})}
        with self._lock:
            new = [_news(*pair) for pair in zip(self._known, parts, strict=True)]
            if any(new):
                self._line.say(words.StateChanged(*new))


def _news(known: StatePart, told: StatePart) -> StatePart:
    """What of it is not known yet, and from now on is."""
    new = {n: value for n, value in told.items() if n not in known or known.get(n) != value}
    known.update(cast(StatePart, new))
    return cast(StatePart, new)


class RemoteFigures:
    """Tells the page's meters what was counted, now and then."""

    def __init__(self, line: Channel) -> None:
        self._line = line
        self._due = self._slow_due = 0.0
        self._tally: FrameTally | None = None

    def add(self, tally: FrameTally) -> None:
        """See `webui.metrics.Counting`."""
        self._tally = tally if self._tally is None else self._tally + tally
        if time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """What was counted is told."""
        if self._tally is not None:
            self._log_slow(self._tally)
            self._line.say(words.FiguresCounted(self._tally))
        self._tally, self._due = None, time.monotonic() + COUNT_SECONDS

    def _log_slow(self, tally: FrameTally) -> None:
        slow = [seconds for seconds in tally.durations if seconds >= SLOW_SECONDS]
        now = time.monotonic()
        if slow and now >= self._slow_due:
            self._slow_due = now + SLOW_LOG_SECONDS
            _LOGGER.info(
                "%s of %s frames were slow, the slowest took %.1f s; %s were skipped",
                len(slow), tally.processed, max(slow), tally.skipped,
            )  # fmt: skip
