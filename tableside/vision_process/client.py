"""`VisionClient`: the process that watches the board, as the one that serves the page knows it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from tableside.errors import VisionProcessLost
from tableside.logs import ALREADY_SHOWN
from tableside.recording.job import Job
from tableside.site.state_hub import StateHub
from tableside.vision_process import messages as words
from tableside.vision_process.channel import Channel
from tableside.vision_process.remote_desk import RemoteDesk, RemotePreview
from tableside.vision_process.spawn import VisionProcess
from webui.contracts.state import Role
from webui.http.metrics import Metrics

TURN_SECONDS: Final = 0.2
"""Between two looks whether a signal has come: not every system interrupts a wait."""
LAST_WORDS_SECONDS: Final = 1.0
"""For the page to show that nobody watches any more."""
LOST: Final = (
    "the part of the program that watches the board has ended unexpectedly; what was recorded is "
    "safe: start the program again, and the match goes on"
)


_LOGGER: Final = logging.getLogger(__name__)


class VisionClient:
    """Watches for the page; its table, desk and meters are the page's."""

    record: Path
    """Set by `claim`."""

    def __init__(self, process: VisionProcess) -> None:
        self.on_lost: Callable[[], object] = lambda: None
        """Called, by another thread, when the process has ended unexpectedly."""
        self._answers: SimpleQueue[object] = SimpleQueue()
        self._is_left = self._is_lost = False
        pipe = process.pipe
        self._line = Channel(pipe, self._hear, self._lost)
        self._pictures = RemotePreview(self._line.say)
        self.table = StateHub(self._pictures)
        self.desk = RemoteDesk(self._line.say, lambda: self.table.state(Role.REFEREE))
        self.meters = Metrics()

    def claim(self, record: Path) -> None:
        """The record is open for writing, and nobody else writes to it; `StoreError` if not."""
        self._line.say(words.ClaimRecord(record))
        self._await()
        self.record = record
        self.desk.read_from(record)

    def open(self, errand: Job) -> None:
        """The errand's source gives pictures; raises why it does not."""
        self._line.say(words.OpenJob(errand))
        self._await()

    def run(self) -> None:
        """The errand that was opened is done; raises what ended it early."""
        self._line.say(words.RunJob())
        self._await()

    def stop(self) -> None:
        """The errand is to end, and whoever waits for it goes on then; also from a signal."""
        self._line.say(words.StopJob())

    def check(self) -> None:
        """Nothing, while the process lives; else `VisionProcessLost`."""
        if self._is_lost:
            time.sleep(LAST_WORDS_SECONDS)
            raise VisionProcessLost(LOST)

    def close(self) -> None:
        """The process is asked to leave."""
        self._is_left = True
        self._line.say(words.Shutdown())
        self._line.close()
        self.desk.close()

    def _await(self) -> None:
        while True:
            try:
                answer = self._answers.get(timeout=TURN_SECONDS)
            except Empty:
                self.check()
                continue
            if isinstance(answer, words.JobEnded) and answer.error is not None:
                raise answer.error
            return

    def _hear(self, message: object) -> None:
        match message:
            case words.StateChanged():
                self.table.tell_each({Role.VIEWER: message.viewer, Role.REFEREE: message.referee})
            case words.NewestPicture():
                self._pictures.take(message)
            case words.CommandResult():
                self.desk.answered(message)
            case words.UndoChanged():
                self.desk.undoable(message)
            case words.FiguresCounted():
                self.meters.add(message.tally)
            case words.MatchAttached():
                self.desk.seat(message)
            case _:
                self._answers.put(message)

    def _lost(self) -> None:
        if self._is_left:
            return
        self._is_lost = True
        _LOGGER.critical("the vision process has ended unexpectedly", extra=ALREADY_SHOWN)
        self.table.tell(phase="fault", message=LOST)
        self.desk.lost()
        self.on_lost()


@contextmanager
def vision_client(process: VisionProcess) -> Iterator[VisionClient]:
    """Sight in that process until the end."""
    sight = VisionClient(process)
    try:
        yield sight
    finally:
        sight.close()
