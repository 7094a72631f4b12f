"""`tableside live`: a camera over a board, recorded as it is played, on show as it is recorded.

A match that was not finished is gone on with: the same names, variant and length find it in the
record, and the board is known from a profile kept beside it.
"""

from __future__ import annotations

import sys
import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import EngineError, MatchState
from tableside.archive import RecordArchive
from tableside.errors import WrongUsage
from tableside.folders import board_profile, default_record
from tableside.kept_stills import bound_stills, keep_doubtful
from tableside.last_setup import SetupShelf
from tableside.network import Network, network_of
from tableside.page import Site, ended_by_signals, page_of, site_of
from tableside.plans import plan_of
from tableside.record_files import write_record_files
from tableside.recorder import Claim, Recorder
from tableside.review import write_review
from tableside.session import Plan
from tableside.sitting import Sitting
from tableside.stills import Stills, stills_folder
from tableside.store import MatchEntry, Store
from tableside.table import LiveTable
from tableside.workshop import Choice, LiveWorkshop
from vision.errors import SourceError, VisionError
from vision.frame import Frame, FrameSource
from vision.recorded import Paced
from vision.source import open_source
from webui.metrics import Meters
from webui.serving import hand_desk_to
from webui.setup import Game

SET_UP: Final = "choose a camera under Set up"
SET_UP_NEXT: Final = "nothing is recorded now; begin another match under Set up"
RELEASE_SECONDS: Final = 1.5


def run_live(args: Namespace) -> int:
    """Record until the source ends or somebody stops it; 0, or an error in one line."""
    plan, network = plan_of(args), network_of(args)
    path = args.record or default_record()
    claim = Claim(path)
    try:
        with Store.open(path) as store, closing(RecordArchive(store.path)) as archive:
            if args.camera is None:
                return set_up_and_record(args, plan, network, store, archive)
            with closing(open_source(args.camera)) as source:
                sat = sit_down(args, plan, store, source, LiveTable())
                site = site_of(sat.sitting, network, archive)
                with page_of(site, args.port, opens_browser=not args.no_browser):
                    record(args, store, sat, threading.Event())
                write_down(store, sat)
    finally:
        claim.release()
    return 0


def set_up_and_record(
    args: Namespace, plan: Plan, network: Network, store: Store, archive: RecordArchive
) -> int:
    """The page asks for what was not said; then all goes on as if it had been, match by match."""
    table, meters, stopped = LiveTable(), Meters(), threading.Event()
    table.tell(message=SET_UP)
    with (
        LiveWorkshop(
            SetupShelf(store.path),
            _game(args),
            known=plan.profile,
            is_unfinished=partial(_is_unfinished, store, args),
        ) as workshop,
        ended_by_signals(lambda: _end(stopped, workshop)),
        page_of(
            Site(table, network, None, meters, archive, workshop, name="set up"),
            args.port,
            opens_browser=not args.no_browser,
        ) as server,
    ):
        while not stopped.is_set() and (choice := workshop.wait()) is not None:
            said = as_said(args, choice)
            error = None
            try:
                with closing(_let_go_and_open(said.camera)) as source:
                    sat = sit_down(said, plan_of(said), store, source, table, meters)
                    hand_desk_to(server.app, sat.sitting.desk)
                    workshop.begun()
                    record(said, store, sat, stopped)
                write_down(store, sat)
            except (VisionError, CalibrationError, EngineError, WrongUsage) as fault:
                error = str(fault)
                _say(error)
            hand_desk_to(server.app, None)
            table.tell(phase="waiting", message=SET_UP_NEXT)
            workshop.ended(error)
    return 0


def _end(stopped: threading.Event, workshop: LiveWorkshop) -> None:
    """The program was asked to end, whatever it is doing."""
    stopped.set()
    workshop.close()


def _let_go_and_open(camera: str) -> FrameSource:
    """The source that the set-up has just closed; some drivers need a moment to let go of it."""
    try:
        return open_source(camera)
    except SourceError:
        time.sleep(RELEASE_SECONDS)
        return open_source(camera)


def as_said(args: Namespace, choice: Choice) -> Namespace:
    """The options as they would be, had all that was chosen been said on the command line."""
    game = choice.game
    chosen = {
        "camera": choice.camera,
        "profile": choice.profile,
        "light": game["light"],
        "dark": game["dark"],
        "length": game["length"],
        "variant": game["variant"],
        "rules": Path(game["rules"]) if game["rules"] else None,
        "new": choice.is_new,
    }
    return Namespace(**{**vars(args), **chosen})


def _game(args: Namespace) -> Game:
    """What was said, as the page begins with it."""
    return Game(
        light=args.light,
        dark=args.dark,
        length=args.length,
        variant=args.variant,
        rules="" if args.rules is None else str(args.rules),
        goes_on=not args.new,
    )


def _is_unfinished(store: Store, args: Namespace, game: Game) -> bool:
    """Whether the newest match is one of these players and not over."""
    wanted = game["variant"], game["length"], game["light"], game["dark"]
    entry = None if args.new else store.last_open_match()
    return entry is not None and _kind(entry) == wanted


@dataclass(frozen=True, slots=True)
class Sat:
    """A match that is about to be recorded."""

    seat: Seat
    plan: Plan
    recorder: Recorder
    stills: Stills
    sitting: Sitting


def sit_down(
    args: Namespace,
    plan: Plan,
    store: Store,
    source: FrameSource,
    table: LiveTable,
    meters: Meters | None = None,
) -> Sat:
    """The match that these options mean, on show on `table` from now on."""
    seat = take_seat(store, plan, args.camera, goes_on=not args.new)
    recorder = Recorder(store, seat.match)
    stills = Stills(stills_folder(store.path, seat.match))
    sitting = Sitting(
        source if source.is_live else Paced(Rest(source, seat.frames)),
        seat.plan(plan, recorder.state),
        recorder,
        table,
        stills=stills,
        offset=seat.offset if source.is_live else (0.0, 0),
        learnt=lambda profile: profile.save(seat.profile),
        meters=meters,
    )
    return Sat(seat, plan, recorder, stills, sitting)


def record(args: Namespace, store: Store, sat: Sat, stopped: threading.Event) -> None:
    """Until the source ends or a signal comes, which sets `stopped`."""
    recorder = sat.recorder
    _say(f"recording match {sat.seat.match} to {store.path}; Ctrl-C ends, the same command goes on")
    if recorder.events:
        _say(f"going on after {len(recorder.state.turns)} plays; --new begins another match")
        if args.rules is not None and recorder.state.rule_set != sat.plan.rule_set:
            _say(f"the match keeps the rules that it began with: {recorder.state.rule_set.name}")

    def stop() -> None:
        stopped.set()
        sat.sitting.stop()

    with ended_by_signals(stop):
        if stopped.is_set():  # by a signal that came while the source was opened
            sat.sitting.stop()
        sat.sitting.run()


def write_down(store: Store, sat: Sat) -> None:
    """What was recorded, as files beside the record."""
    recorder, stills, match = sat.recorder, sat.stills, sat.seat.match
    if not recorder.events:
        return
    folder = store.path.parent / f"match-{match}"
    write_record_files(folder, recorder.events)
    write_review(folder, recorder.events, stills)
    if recorder.is_won:
        keep_doubtful(stills, recorder.events)
    bound_stills(store.path, match)
    if stills.fault is not None:
        _say(f"{stills.fault}; the review lacks it")
    print(f"{len(recorder.state.turns)} plays; wrote {folder / 'match.mat'}", flush=True)


@dataclass(frozen=True, slots=True)
class Seat:
    """Where in a record this run goes on."""

    match: int
    profile: Path
    """Where the board is kept for the next run."""
    frames: int = 0
    """Frames of its source that the match has."""
    seconds: float = 0.0
    """How long ago it began, or as far as its events tell, whichever is later."""

    @property
    def offset(self) -> tuple[float, int]:
        """What is added to the times and frames of a camera, so that they go on rising."""
        return self.seconds, self.frames

    def plan(self, plan: Plan, state: MatchState) -> Plan:
        """The plan with what the record and the last run know."""
        if not state.games:
            return plan
        kept = plan.profile
        if kept is None and self.profile.exists():
            kept = Profile.load(self.profile)
        return replace(plan, resumed=state, profile=kept)


def take_seat(store: Store, plan: Plan, source: str, *, goes_on: bool) -> Seat:
    """The seat at the match to go on with, or at a new one."""
    entry = _open_match(store, plan) if goes_on else None
    if entry is None:
        match = store.new_match(
            variant=plan.rules.name,
            length=plan.length,
            light=plan.light,
            dark=plan.dark,
            source=source,
        )
        return Seat(match, board_profile(store.path, match))
    last = store.events(entry.id)[-1:]
    frames = max((event.frame + 1 for event in last), default=0)
    seconds = max((event.time for event in last), default=0.0)
    begun = max(0.0, time.time() - entry.begun)
    return Seat(entry.id, board_profile(store.path, entry.id), frames, max(seconds, begun))


def _open_match(store: Store, plan: Plan) -> MatchEntry | None:
    """The newest open match, if it is between the same players at the same game."""
    entry = store.last_open_match()
    wanted = plan.rules.name, plan.length, plan.light, plan.dark
    return None if entry is None or _kind(entry) != wanted else entry


def _kind(entry: MatchEntry) -> tuple[str, int, str, str]:
    return entry.variant, entry.length, entry.light, entry.dark


class Rest:
    """A file that is served as a camera, from the frame on that the record does not have yet."""

    def __init__(self, source: FrameSource, first: int) -> None:
        self._source, self._first = source, first
        self.name, self.fps = source.name, source.fps
        self.frames, self.is_live = source.frames, source.is_live

    def __iter__(self) -> Iterator[Frame]:
        return (frame for frame in self._source if frame.index >= self._first)

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()


def _say(what: str) -> None:
    print(f"tableside: {what}", file=sys.stderr, flush=True)
