"""`tableside live`: a camera over a board, recorded as it is played, on show as it is recorded.

A match that was not finished is gone on with: the same names, variant and length find it in the
record, and the board is known from a profile kept beside it.
"""

from __future__ import annotations

import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import EngineError, MatchState
from tableside.archive import RecordArchive
from tableside.cup_match import opened_cup
from tableside.cup_table import CupAtTable
from tableside.desk import PassedDesk
from tableside.errors import WrongUsage
from tableside.folders import board_profile, default_record
from tableside.kept_stills import bound_stills, keep_doubtful
from tableside.last_setup import SetupShelf
from tableside.network import network_of, say
from tableside.page import Site, ended_by_signals, page_of
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
        with Store.open(path) as store, closing(RecordArchive(path)) as archive:
            stage = Stage()
            site = Site(stage.table, network, stage.desk, stage.meters, archive)
            if args.camera is None:
                _set_up_and_record(args, plan, store, stage, site)
            else:
                with (
                    closing(open_source(args.camera)) as source,
                    page_of(site, args.port, opens_browser=not args.no_browser),
                ):
                    record(args, plan, store, source, stage, threading.Event())
    finally:
        claim.release()
    return 0


@dataclass(frozen=True, slots=True)
class Stage:
    """What the page shows and hears, though sittings come and go."""

    table: LiveTable = field(default_factory=LiveTable)
    desk: PassedDesk = field(default_factory=PassedDesk)
    meters: Meters = field(default_factory=Meters)


def _set_up_and_record(args: Namespace, plan: Plan, store: Store, stage: Stage, site: Site) -> None:
    """The page asks for what was not said; then all goes on as if it had been, match by match."""
    stopped = threading.Event()
    stage.table.tell(message=SET_UP)
    with (
        LiveWorkshop(
            SetupShelf(store.path),
            _game(args),
            known=plan.profile,
            is_unfinished=partial(_is_unfinished, store, args),
        ) as workshop,
        ended_by_signals(lambda: _end(stopped, workshop)),
        page_of(replace(site, workshop=workshop), args.port, opens_browser=not args.no_browser),
    ):
        while not stopped.is_set() and (choice := workshop.wait()) is not None:
            said = as_said(args, choice)
            error = None
            try:
                with closing(_let_go_and_open(said.camera)) as source:
                    workshop.begun()
                    record(said, plan_of(said), store, source, stage, stopped)
            except (VisionError, CalibrationError, EngineError, WrongUsage) as fault:
                error = str(fault)
                say(error)
            stage.table.tell(phase="waiting", message=SET_UP_NEXT)
            workshop.ended(error)


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


def record(
    args: Namespace,
    plan: Plan,
    store: Store,
    source: FrameSource,
    stage: Stage,
    stopped: threading.Event,
) -> None:
    """A match from `source`, on show on `stage`; a signal sets `stopped`."""
    seat = take_seat(store, plan, args.camera, goes_on=not args.new)
    recorder = Recorder(store, seat.match)
    stills = Stills(stills_folder(store.path, seat.match))
    cups = ExitStack()
    sitting = Sitting(
        source if source.is_live else Paced(Rest(source, seat.frames)),
        seat.plan(plan, recorder.state),
        recorder,
        stage.table,
        meters=stage.meters,
        stills=stills,
        offset=seat.offset if source.is_live else (0.0, 0),
        learnt=lambda profile: profile.save(seat.profile),
        cup=_cup_of(args, plan, recorder, cups),
    )

    def stop() -> None:
        stopped.set()
        sitting.stop()

    with cups, stage.desk.passed_to(sitting.desk):
        say(f"recording match {seat.match} to {store.path}; Ctrl-C ends, the same command goes on")
        if recorder.events:
            say(f"going on after {len(recorder.state.turns)} plays; --new begins another match")
            if args.rules is not None and recorder.state.rule_set != plan.rule_set:
                say(f"the match keeps the rules that it began with: {recorder.state.rule_set.name}")
        with ended_by_signals(stop):
            if stopped.is_set():  # by a signal that came while the source was opened
                sitting.stop()
            sitting.run()
    if recorder.events:
        folder = store.path.parent / f"match-{seat.match}"
        write_record_files(folder, recorder.events)
        write_review(folder, recorder.events, stills)
        if recorder.is_won:
            keep_doubtful(stills, recorder.events)
        bound_stills(store.path, seat.match)
        if stills.fault is not None:
            say(f"{stills.fault}; the review lacks it")
        print(f"{len(recorder.state.turns)} plays; wrote {folder / 'match.mat'}", flush=True)


def _cup_of(args: Namespace, plan: Plan, recorder: Recorder, stack: ExitStack) -> CupAtTable | None:
    """The cup that was asked for, until `stack` is left; None if none was."""
    if args.cup is None:
        return None
    cup = opened_cup(stack, args.cup or None, is_virtual=args.cup == "virtual")
    return CupAtTable(cup, plan.rules, recorder.events, (args.words[0], args.words[1]))


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
