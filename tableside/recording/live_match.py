"""One match in play: frames and commands in, a record and the page's state out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from calibration.profile import Profile
from engine import EngineError, Event, GameStart, MatchClosed, MatchPlaced, NotNow, Phase
from engine.message import join, msg
from engine.timestamp import Timestamp
from tableside.cup.roller import MatchRoller
from tableside.desk.availability import NOT_OVER, ONE_MATCH
from tableside.desk.command_executor import CommandExecutor
from tableside.desk.command_queue import CommandQueue
from tableside.match.config import MatchConfig, MatchPlace
from tableside.match.session import BoardVision, Session
from tableside.record.recorder import Recorder
from tableside.record.store import MatchEntry
from tableside.recording.frame_queue import FrameQueue
from tableside.recording.job import AttachedMatch, JobContext, KeptEvents, MatchOutputs
from tableside.recording.live_view import LiveView
from tableside.recording.load_meter import LoadMeter, Look, Shed
from tableside.recording.timeline import Timeline
from tableside.review.stills import StillKeeper
from vision.sources.camera import LiveSource
from vision.sources.frame import Frame
from webui.contracts.desk import Command, DeskUnavailable, NextMatch, ResumeMatch
from webui.contracts.state import place_of

FRAME_SECONDS: Final = 0.25
"""Longest wait for a frame."""
LOOK_SECONDS: Final = 1.0
"""Pause between two looks at the record, or attempts to write what the disk refused."""
COMMAND_SECONDS: Final = 0.05
"""Longest wait for a command if there is no camera; then the cup is served."""
ALIVE_SECONDS: Final = 1.0
"""Interval at which it is noted that a clock runs: what a crash may take from a player's time."""
REPLAY_SECONDS: Final = 0.03
"""Time for which a correction is replayed before the next frame: less than a frame lasts."""


class FollowingMatch(NamedTuple):
    """A match that follows at the same board."""

    config: MatchConfig
    resumed: MatchEntry | None = None
    """The unfinished match that goes on; None for a new one."""


@dataclass(frozen=True, slots=True)
class MatchHooks:
    """What the owner of a running match does at its turning points."""

    board_found: Callable[[Profile], object] = lambda _: None
    closed: Callable[[], object] = lambda: None
    """Called when the match is ended at the desk."""
    following: Callable[[NextMatch | ResumeMatch], FollowingMatch] | None = None
    """Returns the match that was requested or raises `EngineError` if it cannot be played; None if
    no other match follows."""


class LiveMatch:
    """Records a match until its source ends or `stop` is called, and keeps the page up to date."""

    def __init__(
        self,
        timeline: Timeline,
        config: MatchConfig,
        recorder: Recorder,
        stills: StillKeeper,
        outputs: MatchOutputs,
        hooks: MatchHooks | None = None,
        *,
        cup: MatchRoller | None = None,
        vision: BoardVision | None = None,
        stopping: threading.Event | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`cup` makes the rolls, if there is one; `stopping` ends the match when it is set."""
        self.commands = CommandQueue()
        """The commands to execute between two frames."""
        self.next_match: FollowingMatch | None = None
        """The match that is to follow, once requested."""
        self.timeline = timeline
        self._config, self._recorder = config, recorder
        self._stills, self._outputs, self._hooks = stills, outputs, hooks or MatchHooks()
        self._cup, self._vision = cup, vision or BoardVision()
        self._session = Session(
            config,
            self._keep,
            recorder,
            is_watched=True,
            vision=self._vision,
            seen_until=None if config.resumed is None else recorder.events[-1].time,
        )
        self._board_is_shown = False
        self._stopping = stopping or threading.Event()
        self._clock, self._look_at, self._alive_at = clock, 0.0, 0.0
        self._meter = LoadMeter()
        self._executor = CommandExecutor(
            self._session, config.rules, cup, self._now, self._begin_next
        )
        self.view = LiveView(
            self._executor, recorder, timeline, outputs, self._meter, is_manual=config.is_manual
        )
        if isinstance(timeline.source, LiveSource):
            timeline.source.on_status = self.view.source_changed
            self.view.source_changed(timeline.source.status)  # a stream may not be there yet
        now = self._now()
        # The clock waits to be pressed: it stood still from when the program was last alive.
        self._executor.stop_clock(Timestamp(recorder.alive_until, now.frame))
        if config.is_manual and self._session.state.phase is Phase.WAITING:
            # No camera sees the starting position.
            start = config.start or config.rules.opening()
            self._session.enter(GameStart(**now._asdict(), position=start))
        self._enter_place(now)
        self.view.publish()

    def _enter_place(self, now: Timestamp) -> None:
        """Record where the match is played, unless the record says so already."""
        if self._config.place is None or self._session.state.was_closed:
            return
        known = self._session.state.place
        if known is None or place_of(known) != self._config.place._asdict():
            self._session.enter(MatchPlaced(**now._asdict(), **self._config.place._asdict()))

    def stop(self) -> None:
        """End after the current frame; may be called from a signal handler or another thread."""
        self._stopping.set()

    def run(self) -> None:
        """Record the whole source; once everything is recorded, raise what ended it early."""
        frames = FrameQueue(self.timeline.source, self._outputs.pictures.show)
        try:
            self.process(frames)
        finally:
            frames.close()
        self.finish(frames)

    def process(self, frames: FrameQueue) -> None:
        """Process frames until they end, the match is stopped, or another one follows."""
        while not (self._stopping.is_set() or frames.is_over or self.next_match is not None):
            is_waited_for = not (self.commands.is_busy or self._config.is_manual)
            self._step(frames.take(FRAME_SECONDS if is_waited_for else 0.0))
            self.view.publish_figures()

    def finish(self, frames: FrameQueue) -> None:
        """Record what is pending; raise what ended the frames early."""
        self._complete_command()
        self._executor.stop_clock(self._now())
        self._record_pending()
        if frames.error is not None:
            raise frames.error

    @property
    def profile(self) -> Profile | None:
        """The board, once it is known."""
        return self._session.profile or self._config.profile

    def attached_to(self, context: JobContext) -> AbstractContextManager[None]:
        """Within the block, the desk shows this match and sends it its commands."""
        attached = AttachedMatch(
            self._recorder.match,
            self._recorder.blank,
            self._recorder.all_events,
            can_undo=self.view.can_undo,
            begins_matches=self._hooks.following is not None,
        )
        return context.attached(attached, self.commands)

    def take_corrections(self, until: threading.Event, changed: Callable[[], object]) -> None:
        """After the last frame, keep executing commands, and call `changed` after each."""
        while not until.is_set():
            if self.commands.process(self._execute, FRAME_SECONDS):
                self._complete_command()
                self._record_pending()  # a correction was judged without the last play
                changed()

    def _complete_command(self) -> None:
        while self.commands.is_busy:
            self.commands.proceed(FRAME_SECONDS)

    def _record_pending(self) -> None:
        newest = self.timeline.newest
        self._stills.keep(self._session.finish(newest.time, newest.frame))
        self.view.publish()
        self._recorder.finish()

    @property
    def _judges_nothing(self) -> bool:
        state = self._recorder.state
        return state.is_paused or state.was_closed

    def _now(self) -> Timestamp:
        return self.timeline.now(len(self._recorder.all_events))

    def _keep(self, events: Sequence[Event]) -> None:
        """Record the events, and tell the desk."""
        recorder = self._recorder
        kept = KeptEvents(recorder.match, len(recorder.all_events), tuple(events))
        recorder.keep(events)
        self._outputs.kept(kept)

    def _step(self, frame: Frame | None) -> None:
        if frame is not None:
            frame = self.timeline.shifted(frame)
            if self._judges_nothing:
                self._pause(Timestamp(frame.seconds, frame.index))
                self.view.frames_skipped(self._meter.leave(frame))
            else:
                self._judge(frame)
            self.timeline.advance(frame)
        if self.commands.is_busy:
            self.commands.proceed(REPLAY_SECONDS)
        else:
            timeout = COMMAND_SECONDS if self._config.is_manual else 0.0
            self.commands.process(self._execute_in_play, timeout)
            self._step_cup()
        if self._clock() >= self._look_at:
            self._look_at = self._clock() + LOOK_SECONDS
            self._look_at_record()
        self._note_alive()
        self.view.publish()

    def _look_at_record(self) -> None:
        """See that the record is in its place, and write what the disk refused."""
        before = self._recorder.notice
        if self._recorder.fault is None:
            self._recorder.look()
        else:
            self._recorder.flush()
        if self._recorder.notice is not before and self.profile is not None:
            self._hooks.board_found(self.profile)  # its file was removed, too, perhaps

    def _note_alive(self) -> None:
        players_clock = self._recorder.state.clock
        is_running = players_clock is not None and players_clock.runs is not None
        if is_running and self._clock() >= self._alive_at:
            self._alive_at = self._clock() + ALIVE_SECONDS
            self._recorder.note_alive(self._now().time)

    def _pause(self, when: Timestamp) -> None:
        self._stills.keep(self._session.pause(when))

    def _judge(self, frame: Frame) -> None:
        session = self._session
        was_searching = session.is_searching
        look = self._begin_look(frame)
        events = session.feed(frame)
        self.view.frame_processed(look, self._clock())
        if was_searching or session.is_searching:
            self._meter.restart()  # it takes long, and no picture is missed meanwhile
        self._stills.add_frame(frame, session.reading)
        self._stills.keep(events)
        self._outputs.pictures.mark(session.reading, is_open=session.sees_board)
        profile = session.profile
        if not self._board_is_shown and profile is not None:
            self._board_is_shown = True
            light_home: Literal["left", "right"] = "left" if profile.pose.mirrored else "right"
            self._outputs.page.publish(colours=self._vision.colours(profile), light_home=light_home)
            self._hooks.board_found(profile)

    def _begin_look(self, frame: Frame) -> Look:
        """Note when processing begins, report if it is late, and leave out what must be."""
        shown_before = self._meter.shown
        look, shed = self._meter.begin(frame, self._clock()), self._meter.shed
        if self._meter.shown is not shown_before:
            self.view.publish()  # processing may take long
        self._session.is_watched = shed < Shed.EARLY_LOOKS
        self._outputs.pictures.simplify(
            is_small=shed >= Shed.LARGE_PICTURES, is_bare=shed >= Shed.OVERLAY
        )
        return look

    def _step_cup(self) -> None:
        """Record what the cup rolled; in a pause that does not count."""
        if self._cup is None:
            return
        session, now = self._session, self._now()
        while events := self._cup.step(session.state, session.dice, now):
            for event in events:
                try:
                    self._stills.keep(session.enter(event))
                except EngineError as error:
                    self._cup.refuse(event, error)

    def _execute_in_play(self, command: Command) -> Iterator[None]:
        """Execute a command after what was thrown before it."""
        self._step_cup()
        return self._execute(command)

    def _execute(self, command: Command) -> Iterator[None]:
        """Execute a command; raises as `webui.contracts.desk.Desk.execute` does."""
        events = yield from self._executor.execute(command)
        self._stills.keep(events)
        self.view.publish()
        if self._judges_nothing:
            self._outputs.pictures.mark(None, is_open=False)
        if any(isinstance(event, MatchClosed) for event in events):
            self._pause(self._now())
            self._recorder.finish()
            self._hooks.closed()
        if self.next_match is not None:
            yield  # answered once the next match takes commands
        elif self._recorder.has_unsaved and self._recorder.fault is not None:
            raise DeskUnavailable(
                join([self._recorder.fault, msg("it counts, and will be saved once there is room")])
            )

    def _begin_next(self, command: NextMatch | ResumeMatch) -> None:
        """End this match; another follows."""
        if self._hooks.following is None:
            raise NotNow(ONE_MATCH)
        if not self._recorder.is_over:
            raise NotNow(NOT_OVER)
        # A match that goes on is where it was.
        place = self._next_place(command) if isinstance(command, NextMatch) else None
        following = self._hooks.following(command)
        config = replace(following.config, profile=self.profile, place=place)
        if not self._recorder.state.was_closed:
            self._record_pending()
            self._hooks.closed()
        self.next_match = following._replace(config=config)

    def _next_place(self, command: NextMatch) -> MatchPlace | None:
        """Where the next match is played; None if that is not known."""
        known = self._recorder.state.place
        if command.place is not None:
            place = MatchPlace(**command.place)
        elif known is not None:
            place = MatchPlace(known.event, table=known.table, logo=known.logo)
        else:
            return None
        return place if any(place) else None
