"""`Channel`: messages between two processes, each side with a thread that sends and one that hears.

Saying something never waits for the other side, so neither can hold the other up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Final

LAST_SECONDS: Final = 2.0
"""For what was said before `close` to be sent."""


class Channel:
    """One end of a pipe; what is said arrives in its order."""

    def __init__(
        self, pipe: Connection, hear: Callable[[object], object], lost: Callable[[], object]
    ) -> None:
        """`hear` gets each message, `lost` is called at the end, both by the thread that hears.

        The end is also what `hear` raises: nothing is heard after it.
        """
        self._pipe, self._hear, self._lost = pipe, hear, lost
        self._said: SimpleQueue[object] = SimpleQueue()
        self._sender = threading.Thread(target=self._send, name="line-out", daemon=True)
        self._hearer = threading.Thread(target=self._listen, name="line-in", daemon=True)
        self._sender.start()
        self._hearer.start()

    def say(self, message: object) -> None:
        """It is sent as soon as can be; from any thread, also from a signal."""
        self._said.put(message)

    def close(self) -> None:
        """What was said is sent, and nothing else."""
        self._said.put(None)
        self._sender.join(LAST_SECONDS)

    def _send(self) -> None:
        while (message := self._said.get()) is not None:
            try:
                self._pipe.send(message)
            except OSError:
                return  # the other side is gone, which the thread that hears tells

    def _listen(self) -> None:
        while True:
            try:
                message = self._pipe.recv()
            except (EOFError, OSError):
                self._lost()
                return
            try:
                self._hear(message)
            except Exception:
                self._lost()  # who waits for an answer would wait for ever
                raise
