"""What `live` has sight do: a match from a source, recorded from where its record stands.

A match that was not finished is gone on with: the same names, variant and length find it in the
record, and the board is known from a profile kept beside it.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.profile import Profile
from engine import MatchState
from tableside.errands import kind_of
from tableside.folders import board_profile
from tableside.kept_stills import bound_stills, keep_doubtful
from tableside.plans import Plan
from tableside.record_files import write_record_files
from tableside.recorder import Recorder
from tableside.review import write_review
from tableside.sight_messages import Post
from tableside.sitting import Sitting
from tableside.stills import Stills, stills_folder
from tableside.store import MatchEntry, Store
from tableside.terminal import say
from vision.frame import Frame, FrameSource
from vision.recorded import Paced


def record(args: Namespace, plan: Plan, source: FrameSource, post: Post) -> None:
    """A match from `source`, told and ended by `post`."""
    store = post.store
    seat = take_seat(store, plan, args.camera, goes_on=not args.new)
    recorder = Recorder(store, seat.match)
    stills = Stills(stills_folder(store.path, seat.match))
    sitting = Sitting(
        source if source.is_live else Paced(Rest(source, seat.frames)),
        seat.plan(plan, recorder.state),
        recorder,
        post.table,
        stills=stills,
        pictures=post.pictures,
        meters=post.meters,
        stopping=post.stopping,
        offset=seat.offset if source.is_live else (0.0, 0),
        learnt=lambda profile: profile.save(seat.profile),
    )
    say(f"recording match {seat.match} to {store.path}; Ctrl-C ends, the same command goes on")
    if recorder.events:
        say(f"going on after {len(recorder.state.turns)} plays; --new begins another match")
        if args.rules is not None and recorder.state.rule_set != plan.rule_set:
            say(f"the match keeps the rules that it began with: {recorder.state.rule_set.name}")
    with post.seated(sitting.desk, seat.match, plan.rules.name):
        sitting.run()
    if recorder.events:
        _leave_files(store, recorder, stills)


def _leave_files(store: Store, recorder: Recorder, stills: Stills) -> None:
    folder = store.path.parent / f"match-{recorder.match}"
    write_record_files(folder, recorder.events)
    write_review(folder, recorder.events, stills)
    if recorder.is_won:
        keep_doubtful(stills, recorder.events)
    bound_stills(store.path, recorder.match)
    if stills.fault is not None:
        say(f"{stills.fault}; the review lacks it")
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
    return None if entry is None or kind_of(entry) != wanted else entry


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
