"""Matches from one source, one after the other, each continued from where its record stands.

An unfinished match is resumed: it is found in the record by names, variant and length, and its
board by a profile stored beside it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from calibration.profile import Profile
from engine import NAMED_RULE_SETS, InvalidRuleSet, NotNow
from engine.message import msg
from engine.rules import check_new_match
from tableside.console import number_of_plays, say
from tableside.cup.bluetooth import DiceInMatch, open_dice
from tableside.cup.game import CupInMatch
from tableside.cup.left_matches import LeftMatches
from tableside.cup.open_cup import open_cup
from tableside.cup.roller import MatchRoller
from tableside.desk.command_queue import CommandQueue
from tableside.match.config import (
    BluetoothConfig,
    MatchConfig,
    RecordingConfig,
    agreed,
    begin_match,
    find_rule_set,
)
from tableside.match.session import BoardVision
from tableside.paths import board_profile, own_folder, virtual_cup_memory
from tableside.record.open_matches import OpenMatches
from tableside.record.recorder import Recorder
from tableside.record.store import NO_CAMERA, MatchEntry, Store
from tableside.recording.frame_queue import FrameQueue
from tableside.recording.job import JobContext
from tableside.recording.live_match import FollowingMatch, LiveMatch, MatchHooks
from tableside.recording.memory import release_memory
from tableside.recording.timeline import Timeline
from tableside.review.clips import clip_recorder
from tableside.review.output_files import write_record_files
from tableside.review.report import write_review
from tableside.review.retention import limit_all_stills, prune_stills
from tableside.review.stills import StillKeeper, stills_folder
from vision.sources.files import PacedSource
from vision.sources.frame import FrameSource
from webui.contracts.desk import NextMatch, ResumeMatch

LONGEST_BREAK_S: Final = 60 * 86400.0
"""Seconds between two parts of a match; if they seem to be more, a clock was wrong."""
_LOGGER: Final = logging.getLogger(__name__)


def record(
    config: RecordingConfig,
    source: FrameSource,
    context: JobContext,
    *,
    vision: BoardVision | None = None,
    pace: Callable[[FrameSource, int], FrameSource] = PacedSource,
) -> None:
    """Record a match from `source`, and those that follow it at the same board.

    pace: makes a file deliver its frames in real time from a given number on.
    """
    point = find_resume_point(
        context.store,
        config.match,
        config.camera or NO_CAMERA,
        resumes=not config.is_new,
        chosen=config.resumed,
    )
    paced = source if source.is_live else pace(source, point.frames)
    MatchSequence(config, paced, context, vision).run(point)


class MatchSequence:
    """Matches at one board, one after the other."""

    def __init__(
        self,
        config: RecordingConfig,
        source: FrameSource,
        context: JobContext,
        vision: BoardVision | None = None,
    ) -> None:
        self._config, self._source, self._context = config, source, context
        self._store, self._vision = context.store, vision
        self._frames = FrameQueue(source, context.outputs.pictures.show)

    def run(self, point: ResumePoint) -> None:
        """Run the configured match from `point`, and each match that is begun at the desk."""
        try:
            live = self._run_first(point)
            while (following := live.next_match) is not None:
                position, commands = live.timeline.source_position, live.commands
                del live  # while the next one runs, its pictures would take 70 MB
                live = self._run_next(following, position, commands)
        finally:
            self._frames.close()

    def _run_first(self, point: ResumePoint) -> LiveMatch:
        config, recorder = self._config.match, Recorder(self._store, point.match)
        say(
            f"recording match {point.match} to {self._store.path}; "
            "press Ctrl-C to stop, and start again to resume"
        )
        if recorder.events:
            played = number_of_plays(len(recorder.state.turns))
            say(f"resuming after {played}; --new starts another match")
            if self._config.rules_source and recorder.state.rule_set != config.rule_set:
                name = recorder.state.rule_set.name
                say(f"the match keeps the rules it started with: {name}")
            if recorder.state.is_paused:
                say("the match is paused: continue it at the desk")
        if recorder.events or self._config.resumed is not None:
            config = config.resuming(recorder.state)
        if recorder.state.games:
            path, known = board_profile(self._store.path, point.match), config.profile
            if known is None and path.exists():
                known = Profile.load(path)
            config = replace(config, profile=known)
        with closing(recorder):
            return self._run(config, recorder, point)

    def _run_next(
        self, following: FollowingMatch, position: tuple[float, int], began: CommandQueue
    ) -> LiveMatch:
        config = following.config
        if following.resumed is None:
            number = begin_match(self._store, config, self._config.camera or NO_CAMERA)
            point, how = ResumePoint(number), "started"
        else:
            point, how = resume_point(self._store, following.resumed), "resumed"
        say(f"recording match {point.match}: {config.light} and {config.dark}, {how} at the desk")
        with closing(Recorder(self._store, point.match)) as recorder:
            return self._run(config, recorder, point, position, began)

    def _run(
        self,
        config: MatchConfig,
        recorder: Recorder,
        point: ResumePoint,
        position: tuple[float, int] = (0.0, 0),
        began: CommandQueue | None = None,
    ) -> LiveMatch:
        """Run one match until it ends or another follows; answer the command that began it.

        position: how far the camera has come, in seconds and frames. began: where that command
        waits.
        """
        folder = stills_folder(self._store.path, recorder.match)
        stills = StillKeeper(folder, clip_recorder(folder))
        leave = partial(_leave_files, self._store, recorder, stills)
        # A camera starts each match at 0; a file continues by its frames.
        ahead = point.seconds - position[0], point.frames - position[1]
        timeline = Timeline(self._source, *((*ahead, position) if self._source.is_live else ()))
        profile, cups = board_profile(self._store.path, recorder.match), ExitStack()
        live = LiveMatch(
            timeline,
            config,
            recorder,
            stills,
            self._context.outputs,
            MatchHooks(lambda found: found.save(profile, mode=0o600), leave, self._following),
            cup=self._open_cup(config, recorder, cups),
            vision=self._vision,
            stopping=self._context.stopping,
        )
        with closing(stills), cups, live.attached_to(self._context):
            if began is not None:
                began.proceed(0.0)
                release_memory()  # of the match before, which refers to itself
            live.process(self._frames)
            if live.next_match is None:
                self._frames.close()
                live.finish(self._frames)
        if live.next_match is None and not recorder.state.was_closed:
            leave()
        return live

    def _following(self, given: NextMatch | ResumeMatch) -> FollowingMatch:
        if isinstance(given, NextMatch):
            return FollowingMatch(self._next_config(given))
        if not self._source.is_live:
            raise NotNow(msg("a video shows no other match: end the program, and start it anew"))
        found = OpenMatches(self._store).numbered(given.match)
        config = replace(self._config.match, start=None, profile=None)
        return FollowingMatch(config.resuming(found.state), found.entry)

    def _next_config(self, given: NextMatch) -> MatchConfig:
        if given.rules not in ("", *NAMED_RULE_SETS, self._config.rules_source):
            raise InvalidRuleSet(msg("there is no rule set {rules}", rules=repr(given.rules)))
        match = replace(
            self._config.match, light=given.light, dark=given.dark, start=None, profile=None
        )
        rule_set = find_rule_set(given.rules)
        match = agreed(match, rule_set, given.variant, given.length, given.options)
        check_new_match(match.rules, match.length)
        return match

    def _open_cup(
        self, config: MatchConfig, recorder: Recorder, stack: ExitStack
    ) -> MatchRoller | None:
        """The chosen cup or dice, until `stack` is left; None if none were chosen."""
        chosen = self._config.cup
        if chosen is None:
            return None
        if isinstance(chosen, BluetoothConfig):
            dice, throw = open_dice(stack, chosen.dice, is_virtual=chosen.is_virtual)
            return DiceInMatch(dice, config.rules, recorder.events, throw)
        # If plays are entered by hand, a throw made unprompted would leave no time to double.
        cup = open_cup(
            stack,
            chosen.port,
            is_virtual=chosen.is_virtual,
            memory=virtual_cup_memory(recorder.path),
            is_shaken_at_once=not config.is_manual,
        )
        return CupInMatch(
            cup,
            recorder.events,
            chosen.words,
            LeftMatches(self._store, recorder.match, partial(_rewrite_files, self._store)),
            yields=chosen.is_virtual and not config.is_manual,
            is_manual=config.is_manual,
        )


def _leave_files(store: Store, recorder: Recorder, stills: StillKeeper) -> None:
    """Write the files of a match, unless nothing of it was seen."""
    if not recorder.state.games:
        return
    store.refuse_if_lost()
    folder = store.path.parent / f"match-{recorder.match}"
    own_folder(folder)
    first, *_ = write_record_files(folder, recorder.events, mode=0o600)
    write_review(folder, recorder.events, stills, mode=0o600)
    if recorder.is_over:
        prune_stills(stills, recorder.events)
    limit_all_stills(store.path, recorder.match)
    if stills.fault is not None:
        say(f"{stills.fault}; the review lacks the picture")
    played = number_of_plays(len(recorder.state.turns))
    print(f"{played}; wrote {first}", flush=True)


def _rewrite_files(store: Store, match: int) -> None:
    """Write the files of a match again, if it has any: something was added to it."""
    folder = store.path.parent / f"match-{match}"
    if folder.is_dir():
        store.refuse_if_lost()
        write_record_files(folder, store.events(match), mode=0o600)


class ResumePoint(NamedTuple):
    """Where in a record a run continues."""

    match: int
    frames: int = 0
    """The number of frames of its source that have been recorded."""
    seconds: float = 0.0
    """Seconds since it began, or the time of its newest event, whichever is greater."""


def find_resume_point(
    store: Store,
    config: MatchConfig,
    source: str,
    *,
    resumes: bool,
    chosen: int | None = None,
    clock: Callable[[], float] = time.time,
) -> ResumePoint:
    """The newest open match of these players and this game, or a new one.

    chosen: the match to resume, whoever plays it; raises `NotNow` if it cannot go on.
    """
    matches = OpenMatches(store)
    if chosen is not None:
        return resume_point(store, matches.numbered(chosen).entry, clock)
    key = config.rules.name, config.length, config.light, config.dark
    entry = matches.fitting(key) if resumes else None
    if entry is None:
        return ResumePoint(begin_match(store, config, source))
    return resume_point(store, entry, clock)


def resume_point(
    store: Store, entry: MatchEntry, clock: Callable[[], float] = time.time
) -> ResumePoint:
    """Where an open match goes on now."""
    last = store.events(entry.id)[-1:]
    frames = max((event.frame + 1 for event in last), default=0)
    seconds = max((event.time for event in last), default=0.0)
    begun = clock() - entry.begun
    if begun > seconds + LONGEST_BREAK_S:
        _LOGGER.warning(
            "match %s goes on without a break: the clock was wrong then or is", entry.id
        )
        return ResumePoint(entry.id, frames, seconds)
    if begun < seconds:
        behind = round(seconds - begun)
        _LOGGER.warning("the clock is %s s behind match %s: it was set back", behind, entry.id)
    else:
        _LOGGER.info("match %s goes on after %s s", entry.id, round(begun - seconds))
    return ResumePoint(entry.id, frames, max(seconds, begun))
