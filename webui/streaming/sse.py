"""Streaming responses: the events of a table, and its pictures.

Each occupies a thread, so they are counted; twice a second each checks whether its reader is still
there, so that a closed page frees its thread.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from webui.contracts.roles import Visibility
from webui.contracts.state import LiveBoard, State
from webui.http.attempts import source_of
from webui.http.metrics import Metrics
from webui.http.security import is_loopback
from webui.i18n.locale import SOURCE, use_language
from webui.i18n.messages import MessageJSON
from webui.views.board import as_shown

SLICE: Final = 0.5
HEARTBEAT: Final = 15.0
RETRY_MS: Final = 1000
BOUNDARY: Final = "picture"

KEPT: Final = 8
"""Streams that only players and the referee may open."""
PER_ADDRESS: Final = 24
"""Streams of one address; not of this machine, where a proxy speaks for everybody."""

Gone = Callable[[], bool]


class OpenStreams:
    """How many streams are open, and whether they may continue."""

    def __init__(self, limit: int, metrics: Metrics) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._open = Counter[str]()
        """The number of streams by address."""
        self._closed = threading.Event()
        self._metrics = metrics
        self.on_growth: Callable[[int], object] = lambda _: None
        """Called with the number of open streams when there is one more."""

    def enter(self, address: str, *, speaks: bool) -> bool:
        """Whether there was room for one more; if so, `leave` must follow.

        speaks: whether it is a player or the referee, for whom the last places are kept. Of all
        others, one address may have only so many.
        """
        source = source_of(address)
        with self._lock:
            limit = self._limit if speaks else self._limit - min(KEPT, self._limit // 2)
            has_room = not self._closed.is_set() and self._open.total() < limit
            if has_room and not speaks and not is_loopback(address):
                has_room = self._open[source] < PER_ADDRESS
            if has_room:
                self._open[source] += 1
                self.on_growth(self._open.total())
        (self._metrics.streams if has_room else self._metrics.refused).inc()
        return has_room

    def leave(self, address: str) -> None:
        """Note that one stream of an address has ended."""
        with self._lock:
            self._open[source_of(address)] -= 1
            self._open += Counter()  # forgets addresses without streams
        self._metrics.streams.dec()

    def close(self) -> None:
        """End every stream within a slice, and refuse new ones."""
        self._closed.set()

    def gone(self, reader_left: Gone) -> Gone:
        """A test for whether a stream is over: all are closed, or its reader has left."""
        return lambda: self._closed.is_set() or reader_left()


class StateEncoder:
    """The newest states as sent over the network.

    Each is encoded once for all its readers of a visibility and language.
    """

    def __init__(self) -> None:
        self._coding = threading.Lock()
        self._newest: dict[tuple[Visibility, str], tuple[int, bytes]] = {}

    def event(self, state: State, visibility: Visibility, language: str = SOURCE) -> bytes:
        """The state as a server-sent event named `state`; its id is the version."""
        body = self.body(state, visibility, language)
        return b"id: %d\nevent: state\ndata: %b\n\n" % (state["version"], body)

    def body(self, state: State, visibility: Visibility, language: str = SOURCE) -> bytes:
        """The state as JSON in one line, with what the page shows of it."""
        with self._coding:
            version, coded = self._newest.get((visibility, language), (None, b""))
            if version != state["version"]:
                coded = _state_json(state, language)
                self._newest[visibility, language] = state["version"], coded
            return coded


def _state_json(state: State, language: str) -> bytes:
    with use_language(language):
        return json.dumps(
            as_shown(state), ensure_ascii=False, separators=(",", ":"), default=MessageJSON.default
        ).encode()


def state_events(
    table: LiveBoard,
    seen: int | None,
    gone: Gone,
    heartbeat: float = HEARTBEAT,
    *,
    visibility: Visibility = Visibility.PLAYERS,
    coder: StateEncoder | None = None,
    language: str = SOURCE,
) -> Iterator[bytes]:
    """Yield the newest state unless it was `seen`, then each newer one, worded in `language`.

    The heartbeat is a comment for proxies and an event for the page, which cannot see comments.
    """
    coder = coder or StateEncoder()
    yield f"retry: {RETRY_MS}\n\n".encode()
    state = table.state(visibility)
    if state["version"] != seen:
        yield coder.event(state, visibility, language)
    newest, quiet = state["version"], 0.0
    while not gone():
        changed = table.next_state(newest, min(SLICE, heartbeat), visibility)
        quiet += SLICE
        if changed is not None:
            newest, quiet = changed["version"], 0.0
            yield coder.event(changed, visibility, language)
        elif quiet >= heartbeat:
            quiet = 0.0
            yield b": heartbeat\nevent: beat\ndata: 1\n\n"


def picture_parts(table: LiveBoard, gone: Gone) -> Iterator[bytes]:
    """Yield the parts of a multipart/x-mixed-replace response, one for each new picture."""
    number = 0
    while not gone():
        newer = table.next_picture(number, SLICE)
        if newer is not None:
            number, jpeg = newer
            head = (
                f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            )
            yield head.encode() + jpeg + b"\r\n"
