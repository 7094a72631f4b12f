"""The vision process: it runs jobs and sends the page what it shows.

It ends when the page's process does, however that ends: what was recorded is on the disk.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Unpack, cast

from engine import NotNow
from engine.message import join, msg
from tableside.desk.command_queue import CommandQueue
from tableside.errors import EXPECTED, TablesideError
from tableside.logs import ALREADY_SHOWN
from tableside.record.recorder import WriterLock
from tableside.record.store import Store
from tableside.recording.job import MatchOutputs
from tableside.recording.preview import PreviewEncoder
from tableside.vision_process import messages
from tableside.vision_process.channel import Channel
from webui.contracts.desk import Command, DeskCommand, DeskUnavailable
from webui.contracts.metrics import FrameTally
from webui.contracts.state import StatePart

PICTURE_SECONDS: Final = 0.3
"""How long to wait for a newer picture when one is requested."""
COUNT_SECONDS: Final = 1.0
"""Between two tallies."""
NOT_STARTED: Final = join([msg("the table does not answer"), msg("nothing was changed, try again")])
SLOW_SECONDS: Final = 0.5
"""From which on a frame is logged as slow; a usual one takes a tenth of that."""
SLOW_LOG_SECONDS: Final = 10.0
"""Between two records of slow frames."""
_LOGGER: Final = logging.getLogger(__name__)


class VisionWorker:
    """Runs jobs, and is the `JobContext` that they find."""

    store: Store

    def __init__(self, pipe: Connection) -> None:
        self.stopping = threading.Event()
        self._requests: SimpleQueue[object] = SimpleQueue()
        self._picture_requests: SimpleQueue[messages.RequestPicture] = SimpleQueue()
        self._commands: CommandQueue | None = None
        self._responses: dict[int, Future[None]] = {}
        self._is_leaving = False
        self._channel = Channel(pipe, self._receive, self._orphaned)
        self._state, self._metrics = RemoteState(self._channel), RemoteMetrics(self._channel)
        self.outputs = MatchOutputs(
            self._state,
            PreviewEncoder(),
            self._metrics,
            lambda can_undo: self._channel.send(messages.UndoChanged(can_undo)),
        )
        threading.Thread(target=self._send_pictures, name="pictures", daemon=True).start()

    def run(self) -> None:
        """Serve requests until `Shutdown`."""
        request = self._requests.get()
        if isinstance(request, messages.ClaimRecord):
            try:
                with claimed(request.record) as self.store:
                    self._channel.send(messages.RecordClaimed())
                    self._run_jobs()
            except TablesideError as error:
                self._channel.send(messages.JobEnded(error))
                self._requests.get()
        self._channel.close()

    def _run_jobs(self) -> None:
        while isinstance(request := self._requests.get(), messages.OpenJob):
            error: Exception | None = None
            try:
                with closing(request.job.open()) as source:
                    self._channel.send(messages.JobOpened())
                    if isinstance(self._requests.get(), messages.RunJob):
                        self._state.reset()
                        request.job.run(source, self)
            except (*EXPECTED, OSError) as fault:
                error = fault
                _LOGGER.error("a job failed: %s", fault, extra=ALREADY_SHOWN)
            self._channel.send(messages.JobEnded(error))

    @contextmanager
    def attached(
        self,
        commands: CommandQueue,
        match: int,
        variant: str,
        *,
        can_undo: bool = False,
        begins_matches: bool = False,
    ) -> Iterator[None]:
        """See `tableside.recording.job.JobContext`."""
        self._commands = commands
        self._channel.send(messages.MatchAttached(match, variant, can_undo, begins_matches))
        try:
            yield
        finally:
            self._commands = None
            self._metrics.flush()
            self._channel.send(messages.MatchAttached(None))

    def _receive(self, message: object) -> None:
        match message:
            case messages.SendCommand():
                self._submit(message)
            case messages.CancelCommand():
                if (response := self._responses.get(message.ticket)) is not None:
                    response.cancel()
            case messages.RequestPicture():
                self._picture_requests.put(message)
            case messages.StopJob():
                self.stopping.set()
            case messages.OpenJob():
                self.stopping.clear()
                self._requests.put(message)
            case _:
                self._is_leaving = isinstance(message, messages.Shutdown)
                self._requests.put(message)

    def _orphaned(self) -> None:
        if not self._is_leaving:
            os._exit(1)

    def _submit(self, sent: messages.SendCommand) -> None:
        """Queue a command; its result is sent by the thread that executes it."""
        commands = self._commands
        if commands is None:
            self._respond(sent, NotNow(messages.NO_MATCH))
            return
        response = self._responses[sent.ticket] = commands.submit(sent.command)
        response.add_done_callback(partial(self._executed, sent))

    def _executed(self, sent: messages.SendCommand, response: Future[None]) -> None:
        self._responses.pop(sent.ticket, None)
        is_cancelled = response.cancelled()
        self._respond(sent, DeskUnavailable(NOT_STARTED) if is_cancelled else response.exception())

    def _respond(self, sent: messages.SendCommand, error: BaseException | None) -> None:
        _log_outcome(sent.command, error)
        self._channel.send(messages.CommandResult(sent.ticket, error))

    def _send_pictures(self) -> None:
        while True:
            request = self._picture_requests.get()
            found = self.outputs.pictures.next_picture(request.after, PICTURE_SECONDS)
            self._channel.send(messages.NewestPicture(*(found or (0, None))))


def _log_outcome(command: Command, error: BaseException | None) -> None:
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
    """Sends the page's process what has changed of the state."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Send every part again when it comes next."""
        self._sent: tuple[StatePart, StatePart] = {}, {}

    def publish(self, *, referee: StatePart | None = None, **changes: Unpack[StatePart]) -> None:
        """See `tableside.recording.job.StateReceiver`."""
        parts: tuple[StatePart, StatePart] = changes, {**changes, **(referee or {})}
        with self._lock:
            new = [_changed(*pair) for pair in zip(self._sent, parts, strict=True)]
            if any(new):
                self._channel.send(messages.StateChanged(*new))


def _changed(sent: StatePart, parts: StatePart) -> StatePart:
    """The parts that differ from those sent last, which they replace."""
    new = {n: value for n, value in parts.items() if n not in sent or sent.get(n) != value}
    sent.update(cast(StatePart, new))
    return cast(StatePart, new)


class RemoteMetrics:
    """Sends the page's process what was counted, once a second."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._due = self._slow_due = 0.0
        self._tally: FrameTally | None = None

    def add(self, tally: FrameTally) -> None:
        """See `webui.contracts.metrics.MetricsSink`."""
        self._tally = tally if self._tally is None else self._tally + tally
        if time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Send what was counted."""
        if self._tally is not None:
            self._log_slow(self._tally)
            self._channel.send(messages.FiguresCounted(self._tally))
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
