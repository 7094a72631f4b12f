"""The vision process, as used by the page's process."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Final

from engine.message import join, msg
from tableside.errors import VisionProcessLost
from tableside.logs import ALREADY_SHOWN
from tableside.recording.job import Job, KeptEvents
from tableside.site.state_hub import StateHub
from tableside.vision_process import messages
from tableside.vision_process.channel import Channel, ChannelLost
from tableside.vision_process.remote_desk import RemoteDesk, RemotePreview
from tableside.vision_process.spawn import VisionProcess
from vision.sources.phone_feed import PhonePicture
from webui.contracts.metrics import FrameTally
from webui.contracts.roles import Visibility
from webui.http.metrics import Metrics

POLL_SECONDS: Final = 0.2
"""Interval between checks for a signal: not every system interrupts a wait."""
FAULT_SECONDS: Final = 1.0
"""Time for the page to show that the process has ended."""
LOST: Final = join(
    [
        msg("the part of the program that watches the board has stopped unexpectedly"),
        msg("what was recorded is safe: restart the program to resume the match"),
    ]
)
_LOGGER: Final = logging.getLogger(__name__)


class VisionClient:
    """Runs jobs in the vision process; its table, desk and metrics are those of the page."""

    record: Path
    """Set by `claim`."""

    def __init__(self, process: VisionProcess) -> None:
        self.on_lost: Callable[[], object] = lambda: None
        """Called in another thread when the process has ended unexpectedly."""
        self._is_closed = False
        self._channel = Channel(process.pipe, self._receive, self._lost)
        self.table = StateHub(RemotePreview(self._channel))
        self.desk = RemoteDesk(self._channel, lambda: self.table.state(Visibility.EVERYTHING))
        self.metrics = Metrics()

    def claim(self, record: Path) -> None:
        """Have the record opened for writing; raises `StoreError` if another process has it."""
        self._request(messages.ClaimRecord(record))
        self.record = record
        self.desk.record = record

    def open(self, job: Job) -> None:
        """Have the job's source opened; raises the reason if it cannot be."""
        self._request(messages.OpenJob(job))

    def run(self) -> None:
        """Run the opened job; raises whatever ended it early."""
        self._request(messages.RunJob())

    def show(self, picture: PhonePicture) -> Future[None]:
        """Hand over a picture of the phone; the result says that it has arrived."""
        return self._channel.request(picture)

    def stop(self) -> None:
        """End the job, so that `run` returns; may be called from a signal handler."""
        self._channel.send(messages.Signal.STOP_JOB)

    def check(self) -> None:
        """Raise `VisionProcessLost` if the process has ended unexpectedly."""
        if self._channel.is_lost and not self._is_closed:
            time.sleep(FAULT_SECONDS)
            raise VisionProcessLost(LOST)

    def close(self) -> None:
        """Ask the process to end."""
        self._is_closed = True
        self._channel.send(messages.Signal.SHUTDOWN)
        self._channel.close()

    def _request(self, body: object) -> None:
        """Have the request executed; raises `VisionProcessLost` if the process ends before that."""
        response = self._channel.request(body)
        while not wait([response], POLL_SECONDS).done:
            continue
        try:
            response.result()
        except ChannelLost:
            self.check()

    def _receive(self, notice: object) -> None:
        match notice:
            case messages.StateChanged(parts):
                self.table.publish_each(parts)
            case messages.UndoChanged(can_undo):
                self.desk.set_undo(can_undo)
            case messages.MatchAttached(match):
                self.desk.attach(match)
            case KeptEvents():
                self.desk.take(notice)
            case FrameTally():
                self.metrics.add(notice)

    def _lost(self) -> None:
        if self._is_closed:
            return
        _LOGGER.critical("the vision process has ended unexpectedly", extra=ALREADY_SHOWN)
        self.table.publish(phase="fault", message=LOST)
        self.on_lost()
