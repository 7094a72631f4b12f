"""Serves the page during a command: prints its address, opens a browser, ends on a signal."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from tableside.console import say
from tableside.errors import CannotServe
from tableside.paths import data_folder
from tableside.site.network import Network, reachable_address
from tableside.site.stream_links import kept_links
from webui.app import create_app
from webui.contracts.archive import Archive
from webui.contracts.catalog import Catalog
from webui.contracts.desk import Desk
from webui.contracts.dice import DiceBook
from webui.contracts.hall import Hall
from webui.contracts.label import Labeler
from webui.contracts.logos import Logos
from webui.contracts.setup import Wizard
from webui.contracts.state import LiveBoard
from webui.http.metrics import Metrics
from webui.pages.catalog import install_catalog
from webui.pages.dice import install_dice
from webui.pages.hall import install_hall
from webui.pages.label import install_label
from webui.pages.matches import install_review
from webui.server import CannotListen, Server, serve

SIGNALS: Final = (
    *(signal.SIGINT, signal.SIGTERM),
    *((signal.SIGHUP,) if sys.platform != "win32" else ()),  # the terminal was closed
)


@dataclass(frozen=True, slots=True)
class Site:
    """The parts of one page."""

    table: LiveBoard
    network: Network = field(default_factory=Network)
    desk: Desk | None = None
    metrics: Metrics | None = None
    archive: Archive | None = None
    """The recorded matches."""
    dice: DiceBook | None = None
    """The statistics of their rolls."""
    wizard: Wizard | None = None
    """The set-up of a match."""
    logos: Logos | None = None
    """The logos of tournaments."""
    labeler: Labeler | None = None
    """What labels photos; then the page for that is the start page."""
    catalog: Catalog | None = None
    """Answers questions to many recorded matches."""
    hall: Hall | None = None
    """The tables of a hall; then their page is the start page."""
    has_table: bool = True
    """Whether there is a board; if not, the list of matches is the start page."""
    name: str = "the board"
    """Printed before the address."""
    port: int | None = None
    """None for any free port."""
    on_served: Callable[[str], object] = lambda _: None
    """Called with the page's address once it is served."""
    opens_browser: bool = True
    """Whether to open a browser, if there is one."""


@contextmanager
def page_of(site: Site) -> Iterator[Server]:
    """Serve the page, print its address, and open a browser."""
    network = site.network
    app = create_app(
        site.table,
        desk=site.desk,
        metrics=site.metrics,
        hosts=network.names,
        passwords=network.passwords,
        any_address=network.is_open,
        wizard=site.wizard,
        least_delay=network.delay,
        logos=site.logos,
        links=kept_links(data_folder() / "overlay-links.json") if network.is_open else None,
    )
    if site.archive is not None:
        install_review(app, site.archive, has_table=site.has_table)
    if site.catalog is not None:
        install_catalog(app, site.catalog)
    if site.dice is not None:
        install_dice(app, site.dice)
    if site.labeler is not None:
        install_label(app, site.labeler)
    if site.hall is not None:
        install_hall(app, site.hall)
    try:
        server = serve(app, network.host, site.port or 0)
    except CannotListen as error:
        raise CannotServe(str(error)) from error
    try:
        url = server.url_at(reachable_address(network.host))
        app.extensions["public_address"] = url if network.is_open else None
        site.on_served(url)
        if site.wizard is None:
            print(f"{site.name}: {url}", flush=True)
        else:
            url += "setup"
            print(f"set up: {url}", flush=True)
        for line in network.announcement:
            say(line, logging.CRITICAL)  # a new password is shown only here
        if site.opens_browser and has_display():
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        yield server
    finally:
        server.close()


def has_display() -> bool:
    """Whether a graphical browser can be opened; a text browser would take over the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _is_heard(number: signal.Signals) -> bool:
    """Whether the signal ends the program: under `nohup` a closed terminal does not."""
    is_asked = number in (signal.SIGINT, signal.SIGTERM)
    return is_asked or signal.getsignal(number) != signal.SIG_IGN


@contextmanager
def ended_by_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` on the first Ctrl-C, SIGTERM or SIGHUP; a second one acts as usual."""

    def end(number: int, frame: FrameType | None) -> None:
        restore()
        stop()

    before = {number: signal.signal(number, end) for number in SIGNALS if _is_heard(number)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    try:
        yield
    finally:
        restore()
