"""`tableside live`: a camera over a board, recorded as it is played, on show as it is recorded.

A match that was not finished is gone on with: the same names, variant and length find it in the
record, and the board is known from a profile kept beside it.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.profile import Profile
from engine import MatchState
from tableside.archive import RecordArchive
from tableside.folders import board_profile, default_record
from tableside.kept_stills import bound_stills, keep_doubtful
from tableside.network import Network, network_of
from tableside.page import ended_by_signals, page_of, site_of
from tableside.plans import plan_of
from tableside.record_files import write_record_files
from tableside.recorder import Claim, Recorder
from tableside.review import write_review
from tableside.session import Plan
from tableside.sitting import Sitting
from tableside.stills import Stills, stills_folder
from tableside.store import MatchEntry, Store
from tableside.table import LiveTable
from vision.frame import Frame, FrameSource
from vision.recorded import Paced
from vision.source import open_source


def run_live(args: Namespace) -> int:
    """Record until the source ends or somebody stops it; 0, or an error in one line."""
    plan, network = plan_of(args), network_of(args)
    path = args.record or default_record()
    claim = Claim(path)
    try:
        with Store.open(path) as store, closing(open_source(args.camera)) as source:
            return _record(args, plan, network, store, source)
    finally:
        claim.release()


def _record(
    args: Namespace, plan: Plan, network: Network, store: Store, source: FrameSource
) -> int:
    seat = take_seat(store, plan, args.camera, goes_on=not args.new)
    recorder = Recorder(store, seat.match)
    table, stills = LiveTable(), Stills(stills_folder(store.path, seat.match))
    sitting = Sitting(
        source if source.is_live else Paced(Rest(source, seat.frames)),
        seat.plan(plan, recorder.state),
        recorder,
        table,
        stills=stills,
        offset=seat.offset if source.is_live else (0.0, 0),
        learnt=lambda profile: profile.save(seat.profile),
    )
    with (
        closing(RecordArchive(store.path)) as archive,
        page_of(site_of(sitting, network, archive), args.port, opens_browser=not args.no_browser),
    ):
        _say(f"recording match {seat.match} to {store.path}; Ctrl-C ends, the same command goes on")
        if recorder.events:
            _say(f"going on after {len(recorder.state.turns)} plays; --new begins another match")
            if args.rules is not None and recorder.state.rule_set != plan.rule_set:
                _say(
                    f"the match keeps the rules that it began with: {recorder.state.rule_set.name}"
                )
        with ended_by_signals(sitting.stop):
            sitting.run()
    if recorder.events:
        folder = store.path.parent / f"match-{seat.match}"
        write_record_files(folder, recorder.events)
        write_review(folder, recorder.events, stills)
        if recorder.is_won:
            keep_doubtful(stills, recorder.events)
        bound_stills(store.path, seat.match)
        if stills.fault is not None:
            _say(f"{stills.fault}; the review lacks it")
        print(f"{len(recorder.state.turns)} plays; wrote {folder / 'match.mat'}")
    return 0


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
    if entry is None or (entry.variant, entry.length, entry.light, entry.dark) != wanted:
        return None
    return entry


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
