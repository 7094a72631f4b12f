"""Commands on their way from other threads to the one that watches the board.

A session is not thread-safe, so a command waits here until the running match is between two frames.
Judging again is done in steps, so that frames are processed in the meantime.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue

from webui.contracts.desk import Command

Execute = Callable[[Command], Iterator[object]]
"""Executes a command step by step; between two steps frames may be processed."""


class CommandQueue:
    """Executes one command at a time; errors are raised by the command's future."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Command, Future[None]]] = SimpleQueue()
        self._work: tuple[Iterator[object], Future[None]] | None = None

    def submit(self, command: Command, response: Future[None]) -> None:
        """Queue a command, from any thread; until it is executed, its future can be cancelled."""
        self._waiting.put((command, response))

    @property
    def is_busy(self) -> bool:
        """Whether a command is still being executed."""
        return self._work is not None

    def process(self, execute: Execute, timeout: float = 0.0) -> int:
        """Execute the waiting commands and return their number.

        Waits up to `timeout` seconds for the first. Returns early when one leaves steps for
        `proceed`: the others wait for that.
        """
        count = 0
        while self._work is None:
            try:
                command, response = self._waiting.get(timeout > 0 and not count, timeout)
            except Empty:
                break
            count += 1
            if response.set_running_or_notify_cancel():
                self._step(execute(command), response)
        return count

    def proceed(self, seconds: float) -> None:
        """Execute the remaining steps for this many seconds, or a little longer."""
        until = time.monotonic() + seconds
        while self._work is not None:
            self._step(*self._work)
            if time.monotonic() >= until:
                return

    def _step(self, steps: Iterator[object], response: Future[None]) -> None:
        self._work = None
        try:
            next(steps)
        except StopIteration:
            response.set_result(None)
        except Exception as error:  # noqa: BLE001 (raised by the future)
            response.set_exception(error)
        else:
            self._work = steps, response
