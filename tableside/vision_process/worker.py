"""The vision process: runs jobs and sends the page what they show.

It ends when the page's process does, however that ends: everything recorded is on the disk.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, Unpack, cast

from engine import NotNow
from tableside.desk.command_queue import CommandQueue
from tableside.errors import EXPECTED, BrokenRecord, TablesideError
from tableside.logs import ALREADY_SHOWN
from tableside.record.backup import DailyBackup
from tableside.record.disk import Reserve
from tableside.record.recorder import WriterLock
from tableside.record.repair import rebuild
from tableside.record.store import Store
from tableside.recording.job import AttachedMatch, MatchOutputs
from tableside.recording.preview import PreviewEncoder
from tableside.recording.purge import purge_deleted
from tableside.site.state_hub import parts_by_visibility
from tableside.vision_process import messages
from tableside.vision_process.channel import Channel
from vision.sources.phone_feed import PhoneFeed, PhonePicture
from webui.contracts.desk import Command, DeskCommand, DeskUnavailable
from webui.contracts.metrics import FrameTally
from webui.contracts.roles import Visibility
from webui.contracts.state import StatePart

PICTURE_SECONDS: Final = 0.3
"""How long to wait for a newer picture when one is requested."""
COUNT_SECONDS: Final = 1.0
"""Interval between two tallies."""
SLOW_SECONDS: Final = 0.5
"""Processing time from which a frame is logged as slow; a typical one takes a tenth of that."""
SLOW_LOG_SECONDS: Final = 10.0
"""Minimum interval between two log records of slow frames."""
_LOGGER: Final = logging.getLogger(__name__)


class VisionWorker:
    """Runs jobs, and is their `JobContext`."""

    store: Store

    def __init__(self, pipe: Connection) -> None:
        self.stopping = threading.Event()
        self._orders: SimpleQueue[tuple[object, Future[None]]] = SimpleQueue()
        self._pictures_wanted: SimpleQueue[tuple[int, Future[object]]] = SimpleQueue()
        self._commands: CommandQueue | None = None
        self._is_leaving = False
        self._phone = PhoneFeed()
        self._channel = Channel(pipe, self._receive, self._orphaned, self._serve)
        self._state, self._metrics = RemoteState(self._channel), RemoteMetrics(self._channel)
        self.outputs = MatchOutputs(
            self._state,
            PreviewEncoder(),
            self._metrics,
            self._channel.send,
            lambda can_undo: self._channel.send(messages.UndoChanged(can_undo)),
        )
        threading.Thread(target=self._send_pictures, name="pictures", daemon=True).start()

    def run(self) -> None:
        """Serve requests until `Signal.SHUTDOWN`."""
        order, response = self._orders.get()
        if isinstance(order, messages.ClaimRecord):
            with ExitStack() as claim:
                try:
                    self.store = claim.enter_context(claimed(order.record))
                except TablesideError as error:
                    response.set_exception(error)
                    self._orders.get()
                else:
                    response.set_result(None)
                    self._run_jobs()
        self._channel.close()

    def _run_jobs(self) -> None:
        order, response = self._orders.get()
        while isinstance(order, messages.OpenJob):
            try:
                with closing(order.job.open(self._phone)) as source:
                    response.set_result(None)
                    run, response = self._orders.get()
                    if not isinstance(run, messages.RunJob):
                        return
                    self._state.reset()
                    try:
                        order.job.run(source, self)
                    finally:
                        self._channel.send(messages.MatchAttached(None))
            except (*EXPECTED, OSError) as error:
                _LOGGER.error("a job failed: %s", error, extra=ALREADY_SHOWN)
                response.set_exception(error)
            else:
                response.set_result(None)
            order, response = self._orders.get()

    @contextmanager
    def attached(self, match: AttachedMatch, commands: CommandQueue) -> Iterator[None]:
        """See `tableside.recording.job.JobContext`.

        After the block the desk still shows the match, until the next one or the end of the job:
        the page reads on while one match follows another.
        """
        self._commands = commands
        self._channel.send(messages.MatchAttached(match))
        try:
            yield
        finally:
            self._commands = None
            self._metrics.flush()

    def _receive(self, notice: object) -> None:
        if notice is messages.Signal.STOP_JOB:
            self.stopping.set()
        else:
            self._is_leaving = True
            self._orders.put((notice, Future()))

    def _serve(self, request: Any, response: Future[Any]) -> None:
        match request:
            case PhonePicture():
                self._phone.put(request)
                response.set_result(None)
            case messages.NewerPicture(after):
                self._pictures_wanted.put((after, response))
            case messages.ClaimRecord() | messages.OpenJob() | messages.RunJob():
                if isinstance(request, messages.OpenJob):
                    self.stopping.clear()
                self._orders.put((request, response))
            case _:
                self._submit(request, response)

    def _orphaned(self) -> None:
        if not self._is_leaving:
            os._exit(1)

    def _submit(self, command: Command, response: Future[None]) -> None:
        """Queue a command; the thread that executes it sends the response."""
        response.add_done_callback(partial(_log_outcome, command))
        commands = self._commands
        if commands is None:
            response.set_exception(NotNow(messages.NO_MATCH))
        else:
            commands.submit(command, response)

    def _send_pictures(self) -> None:
        while True:
            after, response = self._pictures_wanted.get()
            response.set_result(self.outputs.pictures.next_picture(after, PICTURE_SECONDS))


def _log_outcome(command: Command, response: Future[None]) -> None:
    """Log the outcome of a command; the text of an error may contain names of players."""
    name = command.value if isinstance(command, DeskCommand) else type(command).__name__
    error = CancelledError() if response.cancelled() else response.exception()
    if error is None:
        _LOGGER.info("command %s was carried out", name)
    elif isinstance(error, (*EXPECTED, DeskUnavailable, CancelledError)):
        _LOGGER.info("command %s was refused: %s", name, type(error).__name__)
        _LOGGER.debug("command %s: %s", name, error)
    else:
        _LOGGER.error("command %s failed", name, exc_info=error)


@contextmanager
def claimed(record: Path) -> Iterator[Store]:
    """The record, opened for writing by this process alone; raises `StoreError` if it cannot be.

    A damaged record is rebuilt from its journal; if that loses anything, `BrokenRecord` says what.
    """
    claim = WriterLock(record)
    try:
        with _opened(record, claim) as store, DailyBackup(record):
            _LOGGER.info("opened the record %s", record)
            purge_deleted(store)
            yield store
            _LOGGER.info("closed the record %s", record)
        Reserve(
            record
        ).release()  # nobody writes any more; whoever opens it next sets it aside anew
    finally:
        claim.release()


def _opened(record: Path, claim: WriterLock) -> Store:
    try:
        return Store.open(record, claim=claim)
    except BrokenRecord:
        rebuilt = rebuild(record)
    if rebuilt.losses:
        raise BrokenRecord(f"{rebuilt.sentence}; start again to go on with what there is")
    return Store.open(record, claim=claim)


class RemoteState:
    """Sends the changed parts of the state to the page's process."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Send every part again the next time it comes."""
        self._sent: dict[Visibility, StatePart] = {visibility: {} for visibility in Visibility}

    def publish(
        self,
        *,
        audience: StatePart | None = None,
        referee: StatePart | None = None,
        **changes: Unpack[StatePart],
    ) -> None:
        """See `tableside.recording.job.StateReceiver`."""
        parts = parts_by_visibility(changes, audience, referee)
        with self._lock:
            new = {one: _changed(self._sent[one], parts[one]) for one in Visibility}
            if any(new.values()):
                self._channel.send(messages.StateChanged(new))


def _changed(sent: StatePart, parts: StatePart) -> StatePart:
    """The parts that differ from those last sent, which they replace."""
    new = {n: value for n, value in parts.items() if n not in sent or sent.get(n) != value}
    sent.update(cast(StatePart, new))
    return cast(StatePart, new)


class RemoteMetrics:
    """Sends the tallies to the page's process once a second."""

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
            self._channel.send(self._tally)
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
