"""The page beside a running command: served, announced, opened, and ended by a signal."""

from __future__ import annotations

import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from tableside.errors import NoPage
from tableside.network import Network, reachable_address, say
from tableside.sitting import Sitting
from webui import CannotListen, Server, create_app, serve

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def page_of(
    sitting: Sitting, network: Network, port: int | None, *, opens_browser: bool
) -> Iterator[Server]:
    """The page is served, its address printed, and a browser opened if there is one."""
    app = create_app(
        sitting.table,
        desk=sitting.desk,
        meters=sitting.meters,
        hosts=network.names,
        passwords=network.passwords,
        any_address=network.is_open,
    )
    try:
        server = serve(app, network.host, port or 0)
    except CannotListen as error:
        raise NoPage(str(error)) from error
    try:
        url = server.url_at(reachable_address(network.host))
        print(f"the board: {url}", flush=True)
        for line in network.told:
            say(line)
        if opens_browser and has_display():
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        yield server
    finally:
        server.close()


def has_display() -> bool:
    """Whether a browser's window could be seen; a text browser would take over the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def ended_by_signals(stop: Callable[[], object]) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM calls `stop`, a second one no longer waits for it."""

    def end(number: int, frame: FrameType | None) -> None:
        restore()
        stop()

    before = {number: signal.signal(number, end) for number in SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    try:
        yield
    finally:
        restore()
