"""`tableside live`: a camera over a board, recorded as it is played, on show as it is recorded.

The board is watched by another process (`tableside/recording/match_sequence.py` says what it does
there); this one serves the page, hears signals, and leads through the set-up.
"""

from __future__ import annotations

import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from calibration.errors import CalibrationError
from engine import EngineError
from hardware.errors import HardwareError
from tableside.console import say
from tableside.errors import WrongUsage
from tableside.match.config import MatchConfig, plan_of
from tableside.paths import default_record
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.setup.last_setup import LastSetupStore
from tableside.site.network import network_of
from tableside.site.serve import Site, ended_by_signals, page_of
from tableside.vision_process.client import VisionClient, sight_of
from tableside.vision_process.jobs import RecordJob
from tableside.vision_process.spawn import VisionProcess
from vision.errors import VisionError
from webui.contracts.setup import GameChoice

if TYPE_CHECKING:
    from tableside.setup.wizard import SetupChoice, SetupWizard

SET_UP: Final = "choose a camera under Set up"
SET_UP_NEXT: Final = "nothing is recorded now; begin another match under Set up"


def run_live(args: Namespace, process: VisionProcess) -> int:
    """Record until the source ends or somebody stops it; 0, or an error in one line."""
    plan, network = plan_of(args), network_of(args)
    path = args.record or default_record()
    with sight_of(process) as sight:
        sight.claim(path)
        with closing(RecordArchive(path)) as archive:
            site = Site(sight.table, network, sight.desk, sight.meters, archive, dice=archive.dice)
            if args.camera is None and not args.no_camera:
                _set_up_and_record(args, plan, path, sight, site)
            else:
                _record(args, sight, site)
    return 0


def _record(args: Namespace, sight: VisionClient, site: Site) -> None:
    sight.open(RecordJob(args))
    with (
        ended_by_signals(sight.stop),
        page_of(site, args.port, opens_browser=not args.no_browser),
    ):
        sight.run()


def _set_up_and_record(
    args: Namespace, plan: MatchConfig, path: Path, sight: VisionClient, site: Site
) -> None:
    """The page asks for what was not said; then all goes on as if it had been, match by match."""
    stopped = threading.Event()
    sight.table.tell(message=SET_UP)
    with (
        _workshop(args, plan, path) as workshop,
        ended_by_signals(lambda: _end(stopped, workshop, sight)),
        page_of(replace(site, workshop=workshop), args.port, opens_browser=not args.no_browser),
    ):
        sight.on_lost = workshop.close
        while (choice := workshop.wait()) is not None and not stopped.is_set():
            error = None
            try:
                sight.open(RecordJob(as_said(args, choice), is_handed_over=True))
                workshop.begun()
                if stopped.is_set():  # by a signal that came while the source was opened
                    sight.stop()
                sight.run()
            except (VisionError, CalibrationError, HardwareError, EngineError, WrongUsage) as fault:
                error = str(fault)
                say(error)
            sight.table.tell(phase="waiting", message=SET_UP_NEXT)
            workshop.ended(error)
        sight.check()


@contextmanager
def _workshop(args: Namespace, plan: MatchConfig, path: Path) -> Iterator[SetupWizard]:
    from tableside.setup.wizard import SetupWizard

    with (
        Store.open_reading(path) as store,
        SetupWizard(
            LastSetupStore(path),
            _game(args),
            known=plan.profile,
            is_unfinished=partial(_is_unfinished, store, args),
        ) as workshop,
    ):
        yield workshop


def _end(stopped: threading.Event, workshop: SetupWizard, sight: VisionClient) -> None:
    """The program was asked to end, whatever it is doing."""
    stopped.set()
    workshop.close()
    sight.stop()


def as_said(args: Namespace, choice: SetupChoice) -> Namespace:
    """The options as they would be, had all that was chosen been said on the command line."""
    game = choice.game
    chosen = {
        "camera": choice.camera,
        "no_camera": choice.camera is None,
        "profile": choice.profile,
        "light": game["light"],
        "dark": game["dark"],
        "length": game["length"],
        "variant": game["variant"],
        "rules": Path(game["rules"]) if game["rules"] else None,
        "new": choice.is_new,
    }
    return Namespace(**{**vars(args), **chosen})


def _game(args: Namespace) -> GameChoice:
    """What was said, as the page begins with it."""
    return GameChoice(
        light=args.light,
        dark=args.dark,
        length=args.length,
        variant=args.variant,
        rules="" if args.rules is None else str(args.rules),
        goes_on=not args.new,
    )


def _is_unfinished(store: Store, args: Namespace, game: GameChoice) -> bool:
    """Whether the newest match is one of these players and not over."""
    wanted = game["variant"], game["length"], game["light"], game["dark"]
    entry = None if args.new else store.last_open_match()
    return entry is not None and entry.kind == wanted
