"""What `live` has sight do: a match from a source, recorded from where its record stands.

A match that was not finished is gone on with: the same names, variant and length find it in the
record, and the board is known from a profile kept beside it.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from calibration.profile import Profile
from engine import RULE_SETS, InvalidRuleSet, MatchState, PlayersNamed
from tableside.console import say
from tableside.cup.game import CupInMatch
from tableside.cup.protocol_match import opened_cup
from tableside.match.config import MatchConfig, plan_of
from tableside.paths import board_profile, virtual_cup_memory
from tableside.record.recorder import Recorder
from tableside.record.store import MatchEntry, Store
from tableside.recording.frame_queue import FrameQueue
from tableside.recording.job import JobContext
from tableside.recording.live_match import LiveMatch
from tableside.recording.no_camera import NAME
from tableside.review.output_files import write_record_files
from tableside.review.report import write_review
from tableside.review.retention import bound_stills, keep_doubtful
from tableside.review.stills import StillKeeper, stills_folder
from vision.sources.files import PacedSource
from vision.sources.frame import Frame, FrameSource
from webui.contracts.desk import NextMatch


def record(args: Namespace, plan: MatchConfig, source: FrameSource, post: JobContext) -> None:
    """A match from `source`, and those that follow it at the same board; `post` ends it."""
    seat = take_seat(post.store, plan, args.camera or NAME, goes_on=not args.new)
    played = source if source.is_live else PacedSource(RemainingFrames(source, seat.frames))
    evening = MatchSequence(args, played, post)
    feed = FrameQueue(played, post.pictures.show)
    try:
        sitting = evening.first(plan, seat, feed)
        while sitting.following is not None:
            sitting = evening.following(sitting.following, sitting, feed)
    finally:
        feed.close()


class MatchSequence:
    """Matches at one board, one after the other."""

    def __init__(self, args: Namespace, source: FrameSource, post: JobContext) -> None:
        self._args, self._source, self._post = args, source, post
        self._store = post.store

    def first(self, plan: MatchConfig, seat: ResumePoint, feed: FrameQueue) -> LiveMatch:
        """The match that the options name is watched, see `_watch`."""
        recorder = Recorder(self._store, seat.match)
        offset = seat.offset if self._source.is_live else (0.0, 0)
        say(
            f"recording match {seat.match} to {self._store.path}; "
            "Ctrl-C ends, the same command goes on"
        )
        if recorder.events:
            say(f"going on after {len(recorder.state.turns)} plays; --new begins another match")
            if self._args.rules is not None and recorder.state.rule_set != plan.rule_set:
                kept = recorder.state.rule_set.name
                say(f"the match keeps the rules that it began with: {kept}")
        return self._watch(seat.plan(plan, recorder.state), seat, recorder, offset, feed)

    def following(self, plan: MatchConfig, before: LiveMatch, feed: FrameQueue) -> LiveMatch:
        """Another match at the same board; what `before` left unanswered is answered."""
        match = _new_match(self._store, plan, self._args.camera or NAME)
        seat = ResumePoint(match, board_profile(self._store.path, match))
        say(f"recording match {match}: {plan.light} and {plan.dark}, begun at the desk")
        seconds, frame = before.last
        # A film is gone on with by its frames; of a camera each match begins at 0.
        offset = (-seconds, -frame) if self._source.is_live else (0.0, 0)
        return self._watch(
            plan, seat, Recorder(self._store, match), offset, feed, lambda: before.desk.go_on(0.0)
        )

    def _watch(
        self,
        plan: MatchConfig,
        seat: ResumePoint,
        recorder: Recorder,
        offset: tuple[float, int],
        feed: FrameQueue,
        seated: Callable[[], object] = lambda: None,
    ) -> LiveMatch:
        """One match, until it ends or another follows; `seated` is called once it can be told."""
        post, stills = self._post, StillKeeper(stills_folder(self._store.path, seat.match))
        leave = partial(_leave_files, self._store, recorder, stills)
        cups = ExitStack()
        sitting = LiveMatch(
            self._source,
            plan,
            recorder,
            post.table,
            stills=stills,
            pictures=post.pictures,
            meters=post.meters,
            stopping=post.stopping,
            offset=offset,
            learnt=lambda profile: profile.save(seat.profile),
            closed=leave,
            next_plan=self._next_plan,
            cup=_cup_of(self._args, plan, recorder, cups),
        )
        with cups, post.seated(sitting.desk, seat.match, plan.rules.name):
            seated()
            sitting.watch(feed)
            if sitting.following is None:
                feed.close()
                sitting.finish(feed)
        if sitting.following is None and not recorder.state.was_closed:
            leave()
        return sitting

    def _next_plan(self, given: NextMatch) -> MatchConfig:
        known = ("", *RULE_SETS, str(self._args.rules))
        if given.rules not in known:
            raise InvalidRuleSet(f"there is no rule set {given.rules!r} here")
        said = {
            **vars(self._args),
            **asdict(given),
            "rules": Path(given.rules) if given.rules else None,
            "profile": None,
        }
        return replace(plan_of(Namespace(**said)), start=None)


def _cup_of(
    args: Namespace, plan: MatchConfig, recorder: Recorder, stack: ExitStack
) -> CupInMatch | None:
    """The cup that was asked for, until `stack` is left; None if none was."""
    if args.cup is None:
        return None
    is_virtual = args.cup == "virtual"
    # Where a play is told by hand, a throw of its own accord would leave no time to double.
    cup = opened_cup(
        stack,
        args.cup or None,
        is_virtual=is_virtual,
        memory=virtual_cup_memory(recorder.path),
        is_shaken_at_once=not plan.is_told,
    )
    words = None if args.words is None else (args.words[0], args.words[1])
    return CupInMatch(
        cup,
        plan.rules,
        recorder.events,
        words,
        yields=is_virtual and not plan.is_told,
        is_told=plan.is_told,
    )


def _leave_files(store: Store, recorder: Recorder, stills: StillKeeper) -> None:
    """What the match leaves behind, unless nothing was seen of it."""
    if not recorder.state.games:
        return
    folder = store.path.parent / f"match-{recorder.match}"
    write_record_files(folder, recorder.events)
    write_review(folder, recorder.events, stills)
    if recorder.is_over:
        keep_doubtful(stills, recorder.events)
    bound_stills(store.path, recorder.match)
    if stills.fault is not None:
        say(f"{stills.fault}; the review lacks it")
    print(f"{len(recorder.state.turns)} plays; wrote {folder / 'match.mat'}", flush=True)


@dataclass(frozen=True, slots=True)
class ResumePoint:
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

    def plan(self, plan: MatchConfig, state: MatchState) -> MatchConfig:
        """The plan with what the record and the last run know."""
        if not state.games:
            return plan
        kept = plan.profile
        if kept is None and self.profile.exists():
            kept = Profile.load(self.profile)
        return replace(plan, resumed=state, profile=kept)


def take_seat(store: Store, plan: MatchConfig, source: str, *, goes_on: bool) -> ResumePoint:
    """The seat at the match to go on with, or at a new one."""
    entry = _open_match(store, plan) if goes_on else None
    if entry is None:
        match = _new_match(store, plan, source)
        return ResumePoint(match, board_profile(store.path, match))
    last = store.events(entry.id)[-1:]
    frames = max((event.frame + 1 for event in last), default=0)
    seconds = max((event.time for event in last), default=0.0)
    begun = max(0.0, time.time() - entry.begun)
    return ResumePoint(entry.id, board_profile(store.path, entry.id), frames, max(seconds, begun))


def _new_match(store: Store, plan: MatchConfig, source: str) -> int:
    return store.new_match(
        variant=plan.rules.name,
        length=plan.length,
        light=plan.light,
        dark=plan.dark,
        source=source,
    )


def _open_match(store: Store, plan: MatchConfig) -> MatchEntry | None:
    """The newest open match, if it is between the same players at the same game."""
    entry = store.last_open_match()
    if entry is None:
        return None
    named = [one for one in store.events(entry.id) if isinstance(one, PlayersNamed)]
    known = entry if not named else replace(entry, light=named[-1].light, dark=named[-1].dark)
    wanted = plan.rules.name, plan.length, plan.light, plan.dark
    return entry if wanted in (entry.kind, known.kind) else None


class RemainingFrames:
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
