"""Answers that do not end: the events of a table, and its pictures.

A thread serves each of them, so they are counted; and each looks twice a second whether its
reader is still there, so that a closed page gives its thread back.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from webui.table import Table
from webui.view import as_shown

SLICE: Final = 0.5
HEARTBEAT: Final = 15.0
RETRY_MS: Final = 1000
BOUNDARY: Final = "picture"

Gone = Callable[[], bool]


class Streams:
    """How many streams are open, and whether they may go on."""

    def __init__(self, limit: int) -> None:
        self._free = threading.BoundedSemaphore(limit)
        self._closed = threading.Event()

    def enter(self) -> bool:
        """Whether there was room for one more; `leave` must follow if so."""
        return not self._closed.is_set() and self._free.acquire(blocking=False)

    def leave(self) -> None:
        """One stream less."""
        self._free.release()

    def close(self) -> None:
        """Every stream ends within a slice, and none begins."""
        self._closed.set()

    def gone(self, reader_left: Gone) -> Gone:
        """A test that tells a stream when it is over."""
        return lambda: self._closed.is_set() or reader_left()


def state_event(state: Mapping[str, Any]) -> str:
    """The state as a server-sent event named `state`; its id is the version."""
    body = json.dumps(as_shown(state), separators=(",", ":"))
    return f"id: {state['version']}\nevent: state\ndata: {body}\n\n"


def state_events(
    table: Table, seen: int | None, gone: Gone, heartbeat: float = HEARTBEAT
) -> Iterator[str]:
    """The newest state unless it was `seen`, then each newer one.

    The heartbeat is a comment for proxies and an event for the page, which cannot see comments.
    """
    yield f"retry: {RETRY_MS}\n\n"
    state = table.state()
    if state["version"] != seen:
        yield state_event(state)
    newest, quiet = state["version"], 0.0
    while not gone():
        changed = table.wait(newest, min(SLICE, heartbeat))
        quiet += SLICE
        if changed is not None:
            newest, quiet = changed["version"], 0.0
            yield state_event(changed)
        elif quiet >= heartbeat:
            quiet = 0.0
            yield ": heartbeat\nevent: beat\ndata: 1\n\n"


def picture_parts(table: Table, gone: Gone) -> Iterator[bytes]:
    """The parts of a multipart/x-mixed-replace answer, one for each new picture."""
    number = -1
    while not gone():
        newer = table.pictures(number, SLICE)
        if newer is not None:
            number, jpeg = newer
            head = (
                f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            )
            yield head.encode() + jpeg + b"\r\n"
