"""The vision process, as the page's process uses it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from engine.message import join, msg
from tableside.errors import VisionProcessLost
from tableside.logs import ALREADY_SHOWN
from tableside.recording.job import Job
from tableside.site.state_hub import StateHub
from tableside.vision_process import messages
from tableside.vision_process.channel import Channel
from tableside.vision_process.remote_desk import RemoteDesk, RemotePreview
from tableside.vision_process.spawn import VisionProcess
from webui.contracts.state import Role
from webui.http.metrics import Metrics

POLL_SECONDS: Final = 0.2
"""Between two checks for a signal: not every system interrupts a wait."""
FAULT_SECONDS: Final = 1.0
"""For the page to show that the process has ended."""
LOST: Final = join(
    [
        msg("the part of the program that watches the board has ended unexpectedly"),
        msg("what was recorded is safe: start the program again, and the match goes on"),
    ]
)
_LOGGER: Final = logging.getLogger(__name__)


class VisionClient:
    """Runs jobs in the vision process; its table, desk and meters are those of the page."""

    record: Path
    """Set by `claim`."""

    def __init__(self, process: VisionProcess) -> None:
        self.on_lost: Callable[[], object] = lambda: None
        """Called by another thread when the process has ended unexpectedly."""
        self._responses: SimpleQueue[object] = SimpleQueue()
        self._is_closed = self._is_lost = False
        pipe = process.pipe
        self._channel = Channel(pipe, self._receive, self._lost)
        self._pictures = RemotePreview(self._channel.send)
        self.table = StateHub(self._pictures)
        self.desk = RemoteDesk(self._channel.send, lambda: self.table.state(Role.REFEREE))
        self.meters = Metrics()

    def claim(self, record: Path) -> None:
        """Have the record opened for writing; `StoreError` if another process writes to it."""
        self._channel.send(messages.ClaimRecord(record))
        self._await()
        self.record = record
        self.desk.read_from(record)

    def open(self, job: Job) -> None:
        """Have the job's source opened; raises why it cannot be."""
        self._channel.send(messages.OpenJob(job))
        self._await()

    def run(self) -> None:
        """Run the opened job; raises what ended it early."""
        self._channel.send(messages.RunJob())
        self._await()

    def stop(self) -> None:
        """End the job, so that `run` returns; also from a signal handler."""
        self._channel.send(messages.StopJob())

    def check(self) -> None:
        """Raise `VisionProcessLost` if the process has ended unexpectedly."""
        if self._is_lost:
            time.sleep(FAULT_SECONDS)
            raise VisionProcessLost(LOST)

    def close(self) -> None:
        """Ask the process to end."""
        self._is_closed = True
        self._channel.send(messages.Shutdown())
        self._channel.close()
        self.desk.close()

    def _await(self) -> None:
        while True:
            try:
                response = self._responses.get(timeout=POLL_SECONDS)
            except Empty:
                self.check()
                continue
            if isinstance(response, messages.JobEnded) and response.error is not None:
                raise response.error
            return

    def _receive(self, message: object) -> None:
        match message:
            case messages.StateChanged():
                self.table.publish_each(
                    {Role.VIEWER: message.viewer, Role.REFEREE: message.referee}
                )
            case messages.NewestPicture():
                self._pictures.receive(message)
            case messages.CommandResult():
                self.desk.resolve(message)
            case messages.UndoChanged():
                self.desk.set_undo(message)
            case messages.FiguresCounted():
                self.meters.add(message.tally)
            case messages.MatchAttached():
                self.desk.attach(message)
            case _:
                self._responses.put(message)

    def _lost(self) -> None:
        if self._is_closed:
            return
        self._is_lost = True
        _LOGGER.critical("the vision process has ended unexpectedly", extra=ALREADY_SHOWN)
        self.table.publish(phase="fault", message=LOST)
        self.desk.lost()
        self.on_lost()


@contextmanager
def vision_client(process: VisionProcess) -> Iterator[VisionClient]:
    """A client of that process, closed at the end."""
    vision = VisionClient(process)
    try:
        yield vision
    finally:
        vision.close()
