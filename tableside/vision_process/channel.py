"""Messages between two processes; each side has a thread that sends and one that receives.

Sending never waits for the other side, so neither can block the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Final

FLUSH_SECONDS: Final = 2.0
"""For messages to be sent that were queued before `close`."""


class Channel:
    """One end of a pipe; messages arrive in the order in which they were sent."""

    def __init__(
        self, pipe: Connection, receive: Callable[[object], object], lost: Callable[[], object]
    ) -> None:
        """`receive` is called with each message and `lost` at the end, both by one thread.

        An exception of `receive` ends the channel too: no message is received after it.
        """
        self._pipe, self._receive, self._lost = pipe, receive, lost
        self._unsent: SimpleQueue[object] = SimpleQueue()
        self._sender = threading.Thread(target=self._send_all, name="channel-out", daemon=True)
        self._receiver = threading.Thread(target=self._receive_all, name="channel-in", daemon=True)
        self._sender.start()
        self._receiver.start()

    def send(self, message: object) -> None:
        """Queue a message; from any thread, also from a signal handler."""
        self._unsent.put(message)

    def close(self) -> None:
        """Send what is queued, and nothing after it."""
        self._unsent.put(None)
        self._sender.join(FLUSH_SECONDS)

    def _send_all(self) -> None:
        while (message := self._unsent.get()) is not None:
            try:
                self._pipe.send(message)
            except OSError:
                return  # the other side has ended, which the receiving thread notices

    def _receive_all(self) -> None:
        while True:
            try:
                message = self._pipe.recv()
            except (EOFError, OSError):
                self._lost()
                return
            try:
                self._receive(message)
            except Exception:
                self._lost()  # a caller that waits for a response would wait for ever
                raise
