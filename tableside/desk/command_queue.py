"""Commands on their way from other threads to the one that watches the board.

A session is not thread-safe, so a command waits here until the running match has a moment between
two frames. What has to be judged again is done in steps, so that frames are processed meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue

from webui.contracts.desk import Command

Execute = Callable[[Command], Iterator[object] | None]
"""Executes a command; what it returns is work that is still to be done, step by step."""


class CommandQueue:
    """Executes one command at a time; what goes wrong is raised by the command's future."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Command, Future[None]]] = SimpleQueue()
        self._work: tuple[Iterator[object], Future[None]] | None = None

    def submit(self, command: Command) -> Future[None]:
        """Queue a command, from any thread; it can be cancelled until it is executed."""
        response: Future[None] = Future()
        self._waiting.put((command, response))
        return response

    @property
    def is_busy(self) -> bool:
        """Whether a command is still being executed."""
        return self._work is not None

    def process(self, execute: Execute, timeout: float = 0.0) -> int:
        """Execute the waiting commands, waiting so long for the first; return how many there were.

        It ends early when one leaves work for `proceed`: the others wait for that.
        """
        done = 0
        while self._work is None:
            try:
                command, response = self._waiting.get(timeout > 0 and not done, timeout)
            except Empty:
                break
            done += 1
            if response.set_running_or_notify_cancel():
                self._start(execute, command, response)
        return done

    def _start(self, execute: Execute, command: Command, response: Future[None]) -> None:
        try:
            work = execute(command)
        except Exception as error:  # noqa: BLE001 (raised by the future)
            response.set_exception(error)
            return
        if work is None:
            response.set_result(None)
        else:
            self._work = work, response

    def proceed(self, seconds: float) -> None:
        """Do the work that is left for so many seconds, or a little more."""
        until = time.monotonic() + seconds
        while self._work is not None:
            self._step(*self._work)
            if time.monotonic() >= until:
                return

    def _step(self, work: Iterator[object], response: Future[None]) -> None:
        try:
            next(work)
        except StopIteration:
            self._work = None
            response.set_result(None)
        except Exception as error:  # noqa: BLE001 (raised by the future)
            self._work = None
            response.set_exception(error)
