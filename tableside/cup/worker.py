"""`CupWorker`: what takes a cup's time, done by a thread beside the session's.

The thread only waits: what it has to say is recorded by the thread that the session belongs to.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Final

from engine import Event
from hardware.errors import HardwareError

PATIENCE: Final = 10.0
"""Seconds that the thread waits for its words to be recorded."""

PAUSE: Final = 0.25
"""Seconds until one that failed can be sent again."""


class CupWorker:
    """One at a time; `why` is what went wrong with the last."""

    def __init__(self) -> None:
        self.why = ""
        self._said: SimpleQueue[tuple[Event, Future[None]]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        """Whether one is being done."""
        return self._thread is not None and self._thread.is_alive()

    def send(self, do: Callable[[], object]) -> None:
        """It is done beside; not at all where one is being done: say it again then."""
        if self.is_busy:
            return

        def run() -> None:
            try:
                do()
            except (HardwareError, TimeoutError) as error:
                self.why = str(error)
                time.sleep(PAUSE)
            else:
                self.why = ""

        self._thread = threading.Thread(target=run, name="cup's match", daemon=True)
        self._thread.start()

    def keep(self, event: Event) -> None:
        """From the thread beside: on return the event is recorded."""
        done: Future[None] = Future()
        self._said.put((event, done))
        try:
            done.result(PATIENCE)
        except TimeoutError:
            if done.cancel():  # it is told again with what follows from it, or not at all
                raise
            done.result()

    def hear(self, tell: Callable[[Event], object]) -> None:
        """From the session's thread: what is to be recorded is told."""
        while True:
            try:
                event, done = self._said.get_nowait()
            except Empty:
                return
            if done.set_running_or_notify_cancel():
                tell(event)
                done.set_result(None)
