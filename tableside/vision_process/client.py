"""`Sight`: the process that watches the board, as the one that serves the page knows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from tableside.errors import SightLost
from tableside.recording.job import Errand
from tableside.site.state_hub import LiveTable
from tableside.vision_process import messages as words
from tableside.vision_process.channel import Line
from tableside.vision_process.remote_desk import FarDesk, FarPictures
from tableside.vision_process.spawn import SightProcess
from webui.contracts.state import Role
from webui.http.metrics import Meters

TURN_SECONDS: Final = 0.2
"""Between two looks whether a signal has come: not every system interrupts a wait."""
LAST_WORDS_SECONDS: Final = 1.0
"""For the page to show that nobody watches any more."""
LOST: Final = (
    "the part of the program that watches the board has ended unexpectedly; what was recorded is "
    "safe: start the program again, and the match goes on"
)


class Sight:
    """Watches for the page; its table, desk and meters are the page's."""

    def __init__(self, process: SightProcess) -> None:
        self.on_lost: Callable[[], object] = lambda: None
        """Called, by another thread, when the process has ended unexpectedly."""
        self._answers: SimpleQueue[object] = SimpleQueue()
        self._is_left = self._is_lost = False
        pipe = process.pipe
        self._line = Line(pipe, self._hear, self._lost)
        self._pictures = FarPictures(self._line.say)
        self.table = LiveTable(self._pictures)
        self.desk = FarDesk(self._line.say, lambda: self.table.state(Role.REFEREE))
        self.meters = Meters()

    def claim(self, record: Path) -> None:
        """The record is open for writing, and nobody else writes to it; `StoreError` if not."""
        self._line.say(words.Claim(record))
        self._await()
        self.desk.read_from(record)

    def open(self, errand: Errand) -> None:
        """The errand's source gives pictures; raises why it does not."""
        self._line.say(words.Begin(errand))
        self._await()

    def run(self) -> None:
        """The errand that was opened is done; raises what ended it early."""
        self._line.say(words.Go())
        self._await()

    def stop(self) -> None:
        """The errand is to end, and whoever waits for it goes on then; also from a signal."""
        self._line.say(words.Stop())

    def check(self) -> None:
        """Nothing, while the process lives; else `SightLost`."""
        if self._is_lost:
            time.sleep(LAST_WORDS_SECONDS)
            raise SightLost(LOST)

    def close(self) -> None:
        """The process is asked to leave."""
        self._is_left = True
        self._line.say(words.Leave())
        self._line.close()
        self.desk.close()

    def _await(self) -> None:
        while True:
            try:
                answer = self._answers.get(timeout=TURN_SECONDS)
            except Empty:
                self.check()
                continue
            if isinstance(answer, words.Ended) and answer.error is not None:
                raise answer.error
            return

    def _hear(self, message: object) -> None:
        match message:
            case words.Told():
                self.table.tell_each({Role.VIEWER: message.viewer, Role.REFEREE: message.referee})
            case words.Shown():
                self._pictures.take(message)
            case words.Answered():
                self.desk.answered(message)
            case words.Undoable():
                self.desk.undoable(message)
            case words.Counted():
                self.meters.take(message.tally)
            case words.Seated():
                self.desk.seat(message)
            case _:
                self._answers.put(message)

    def _lost(self) -> None:
        if self._is_left:
            return
        self._is_lost = True
        self.table.tell(phase="fault", message=LOST)
        self.desk.lost()
        self.on_lost()


@contextmanager
def sight_of(process: SightProcess) -> Iterator[Sight]:
    """Sight in that process until the end."""
    sight = Sight(process)
    try:
        yield sight
    finally:
        sight.close()
