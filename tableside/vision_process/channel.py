"""Requests and notices between two processes; each side has a sending and a receiving thread.

Sending never waits for the other side, so neither can block the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pickle import PicklingError
from queue import SimpleQueue
from typing import Any, Final

FLUSH_SECONDS: Final = 2.0
"""Time for messages queued before `close` to be sent."""


class ChannelLost(Exception):
    """Raised by a request that the other side has ended without answering."""


@dataclass(frozen=True, slots=True)
class _Request:
    ticket: int
    body: object


@dataclass(frozen=True, slots=True)
class _Cancellation:
    ticket: int


@dataclass(frozen=True, slots=True)
class _Response:
    ticket: int
    value: object = None
    error: BaseException | None = None


class PendingResponse(Future[Any]):
    """What the other side returns or raises in response to a request."""

    def __init__(self, ticket: int) -> None:
        super().__init__()
        self.ticket = ticket


class Channel:
    """One end of a pipe; messages arrive in the order in which they are sent."""

    def __init__(
        self,
        pipe: Connection,
        receive: Callable[[object], object],
        lost: Callable[[], object],
        serve: Callable[[Any, Future[Any]], object] = lambda _body, response: response.cancel(),
    ) -> None:
        """`receive` is called with each notice and `lost` at the end, both in one thread.

        The same thread calls `serve` with each request and the future for its response. An
        exception from `receive` or `serve` also ends the channel: no message is received after it.
        """
        self._pipe, self._receive, self._lost, self._serve = pipe, receive, lost, serve
        self._unsent: SimpleQueue[bytes | memoryview | None] = SimpleQueue()
        self._tickets = count()
        self._lock = threading.Lock()
        self._pending: dict[int, PendingResponse] = {}
        self._served: dict[int, Future[Any]] = {}
        self.is_lost = False
        """Whether the other side has ended."""
        self._sender = threading.Thread(target=self._send_all, name="channel-out", daemon=True)
        self._receiver = threading.Thread(target=self._receive_all, name="channel-in", daemon=True)
        self._sender.start()
        self._receiver.start()

    def send(self, notice: object) -> None:
        """Queue a notice; may be called from any thread or a signal handler.

        What cannot be pickled raises here what pickle raises, and nothing is queued.
        """
        self._unsent.put(ForkingPickler.dumps(notice))

    def request(self, body: object) -> PendingResponse:
        """Queue a request, from any thread; raises `ChannelLost` if it gets no response."""
        response = PendingResponse(next(self._tickets))
        message = ForkingPickler.dumps(_Request(response.ticket, body))
        with self._lock:
            if not self.is_lost:
                self._pending[response.ticket] = response
        if self.is_lost:
            _fail(response)
        else:
            self._unsent.put(message)
        return response

    def cancel(self, response: PendingResponse) -> None:
        """Cancel a request that has not begun; its response then raises `CancelledError`."""
        self.send(_Cancellation(response.ticket))

    def close(self) -> None:
        """Send what is queued, and nothing after that."""
        self._unsent.put(None)
        self._sender.join(FLUSH_SECONDS)

    def _send_all(self) -> None:
        while (message := self._unsent.get()) is not None:
            try:
                self._pipe.send_bytes(message)
            except OSError:
                return  # the other side has ended, which the receiving thread notices

    def _receive_all(self) -> None:
        try:
            while True:
                try:
                    message = self._pipe.recv()
                except (EOFError, OSError):
                    return
                self._dispatch(message)
        finally:
            with self._lock:
                self.is_lost, pending = True, list(self._pending.values())
            for response in pending:
                _fail(response)
            self._lost()

    def _dispatch(self, message: object) -> None:
        match message:
            case _Response(ticket, value, error):
                with self._lock:
                    response = self._pending.pop(ticket)
                if error is None:
                    response.set_result(value)
                else:
                    response.set_exception(error)
            case _Request(ticket, body):
                served = self._served[ticket] = Future[Any]()
                served.add_done_callback(partial(self._respond, ticket))
                self._serve(body, served)
            case _Cancellation(ticket):
                if ticket in self._served:
                    self._served[ticket].cancel()
            case _:
                self._receive(message)

    def _respond(self, ticket: int, served: Future[Any]) -> None:
        self._served.pop(ticket, None)
        error = CancelledError() if served.cancelled() else served.exception()
        try:
            self.send(_Response(ticket, None if error else served.result(), error))
        except (PicklingError, TypeError, AttributeError) as unsendable:
            message = f"the response cannot be sent to the other process: {unsendable}"
            self.send(_Response(ticket, error=TypeError(message)))


def _fail(response: PendingResponse) -> None:
    response.set_exception(ChannelLost("the other process has ended"))
