"""`LiveMatch`: a source, a session, a record and a page, from the first frame to the last.

`live` and `demo` differ only in where the frames come from and in what follows the last one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Protocol, Unpack

from calibration.profile import Profile
from engine import EngineError, Event, GameStart, NotNow, Phase, pending_as_known
from engine.events.clock import ClockTurned
from engine.match.amendments import effective_events
from engine.referee.replay import ReplaySteps
from engine.timestamp import Timestamp
from tableside.cup.disagreement import NO_CUP
from tableside.cup.game import CupInMatch
from tableside.desk.availability import NOT_OVER, ONE_MATCH
from tableside.desk.clock import clock_part, go_on, hold
from tableside.desk.command_queue import CommandQueue, carry_out
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.record.recorder import Recorder
from tableside.recording.frame_queue import FrameQueue
from tableside.recording.no_camera import NoCamera
from tableside.recording.preview import PreviewEncoder
from tableside.review.stills import StillKeeper
from tableside.set_colours import set_colours
from tableside.site.page_state import (
    dice_part,
    match_part,
    pending_part,
    phase_of,
    whole_match_part,
)
from vision.sources.camera import LiveSource
from vision.sources.frame import Frame, FrameSource
from vision.sources.liveness import SourceStatus
from webui.contracts.desk import (
    CUP_COMMANDS,
    Command,
    CupWords,
    DeskCommand,
    DeskUnavailable,
    NextMatch,
)
from webui.contracts.metrics import FrameTally, MetricsSink
from webui.contracts.state import CupShown, RecordLocation, Source, StatePart
from webui.http.metrics import Metrics

TAKE_SECONDS: Final = 0.25
"""How long to wait for a frame before looking after the rest."""
RETRY_SECONDS: Final = 1.0
"""Between two tries to write what the disk refused."""
HEARING_SECONDS: Final = 0.05
"""The same where no frame ever comes: how long to wait for a word before looking after the cup."""
SLICE_SECONDS: Final = 0.03
"""Of judging again, before the next frame is looked at: less than one lasts."""
PAUSED: Final = "nothing is judged until the referee goes on"
NEXT_GAME: Final = "the game is over; the next one is begun at the desk"
CLOSED: Final = "the match is over; the next one is begun at the desk"
NextConfig = Callable[[NextMatch], MatchConfig]
"""The configuration of the match that is requested; `EngineError` if it cannot be played."""


class StateReceiver(Protocol):
    """Who is told the state: `tableside.site.state_hub.StateHub`, here or in another process."""

    def tell(self, *, referee: StatePart | None = None, **changes: Unpack[StatePart]) -> None:
        """Parts of the state have changed; `referee`: what he is told in place of some."""


class LiveMatch:
    """Watches `source` until it ends or `stop`; the page is told all along."""

    def __init__(
        self,
        source: FrameSource,
        plan: MatchConfig,
        recorder: Recorder,
        table: StateReceiver,
        *,
        stills: StillKeeper,
        pictures: PreviewEncoder | None = None,
        meters: MetricsSink | None = None,
        stopping: threading.Event | None = None,
        offset: tuple[float, int] = (0.0, 0),
        learnt: Callable[[Profile], object] = lambda _: None,
        closed: Callable[[], object] = lambda: None,
        next_config: NextConfig | None = None,
        cup: CupInMatch | None = None,
    ) -> None:
        """`stills` get what shows the turns, `pictures` every frame; `stopping` ends it.

        `offset`: seconds and frames that the record is ahead of the source, when resumed.

        `learnt` is told the board once it is known, `closed` called once the match is over by
        hand. next_config: where another match may follow; then `next_match` is set and `watch`
        ends. The rolls of `cup`, if given, are the rolls.
        """
        self.table = table
        self.desk = CommandQueue(recorder, plan.rules)
        """What is said by hand; it is carried out between two frames."""
        self.pictures = pictures or PreviewEncoder()
        self.meters: MetricsSink = meters or Metrics()
        self._rules = plan.rules
        self._source, self._recorder, self._stills = source, recorder, stills
        self._offset, self._learnt, self._closed = offset, learnt, closed
        self._plan, self._next_config = plan, next_config
        self.next_match: MatchConfig | None = None
        """The match that is to follow, once somebody has said so."""
        self._session = Session(plan, recorder.keep, recorder, is_watched=True)
        self._known: Profile | None = None
        self._cup = cup
        self._held: ClockTurned | None = None
        """What sets the clock going again after a pause."""
        self.desk.can_undo = self._session.can_undo
        self.desk.begins_matches = next_config is not None
        self.desk.is_told = plan.is_manual
        self.desk.cup = self._cup_shown
        self._stopping = stopping or threading.Event()
        self._retry_at = 0.0
        self._source_fault: str | None = None
        self._last = offset
        self._told, self._counted, self._lost = -1, len(recorder.events), 0
        self._looks: list[float] = []
        self._passed = 0
        if isinstance(source, LiveSource):
            source.on_status = self._on_status
        if plan.is_manual and self._session.state.phase is Phase.WAITING:
            self._begin_game()
        # While nobody watched, nobody's time has passed: it goes on once somebody presses.
        hold(self._session, self._now())
        self._tell()

    def stop(self) -> None:
        """End after the frame in hand; from a signal or another thread."""
        self._stopping.set()

    def run(self) -> None:
        """Everything, in order; raises what ended the source early once all is recorded."""
        feed = FrameQueue(self._source, self.pictures.show)
        try:
            self.watch(feed)
        finally:
            feed.close()
        self.finish(feed)

    def watch(self, feed: FrameQueue) -> None:
        """What `feed` gives, until it is over, somebody stops it, or another match follows."""
        while not (self._stopping.is_set() or feed.is_over or self.next_match is not None):
            self._step(feed.take(0.0 if self.desk.is_at_work or self._is_told else TAKE_SECONDS))
            self._count(feed)

    def finish(self, feed: FrameQueue) -> None:
        """All is recorded; raises what ended the source early."""
        self._finish()
        if feed.error is not None:
            raise feed.error

    @property
    def profile(self) -> Profile | None:
        """The board, once it is known."""
        return self._session.profile or self._plan.profile

    @property
    def last(self) -> tuple[float, int]:
        """Seconds and number of the source's newest frame."""
        return self._last[0] - self._offset[0], self._last[1] - self._offset[1]

    def _count(self, feed: FrameQueue) -> None:
        """What Prometheus is told besides."""
        lost, self._lost = feed.lost - self._lost, feed.lost
        tally = FrameTally(
            fps=self._source.fps,
            processed=len(self._looks),
            skipped=lost + self._passed,
            durations=tuple(self._looks),
            events=tuple(event.type for event in self._recorder.events[self._counted :]),
        )
        self._looks, self._passed = [], 0
        self._counted = len(self._recorder.events)
        self.meters.add(tally)

    def stay(self, until: threading.Event, changed: Callable[[], object]) -> None:
        """After the last frame: what is said by hand is still heard, and `changed` told of it."""
        while not until.is_set():
            if self.desk.work_off(self._obey, TAKE_SECONDS):
                self._finish()
                changed()

    def _finish(self) -> None:
        """The last play is recorded too, again after a correction has judged without it."""
        while self.desk.is_at_work:
            self.desk.go_on(TAKE_SECONDS)
        self._stills.keep(self._session.finish(*self._last))
        self._tell()
        self._recorder.finish()

    def _step(self, frame: Frame | None) -> None:
        if frame is not None:
            self._see(self._shifted(frame))
        if self.desk.is_at_work:
            self.desk.go_on(SLICE_SECONDS)
        else:
            self.desk.work_off(self._obey, HEARING_SECONDS if self._is_told else 0.0)
            self._step_cup()
        if self._recorder.fault is not None and time.monotonic() >= self._retry_at:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            self._recorder.flush()
        self._tell()

    def _step_cup(self) -> None:
        """Record what the cup rolled, unless the referee has paused."""
        if self._cup is None or self.desk.is_paused:
            return
        session, now = self._session, self._now()
        while events := self._cup.step(session.state, session.dice, now):
            for event in events:
                try:
                    self._stills.keep(session.told(event))
                except EngineError as error:
                    self._cup.refuse(event, error)

    def _now(self) -> Timestamp:
        """The newest frame; where none comes, an event's number stands for the frame's."""
        if isinstance(self._source, NoCamera):
            seconds = round(self._offset[0] + self._source.seconds, 3)  # as it is read back
            self._last = seconds, len(self._recorder.events)
        return Timestamp(*self._last)

    @property
    def _is_told(self) -> bool:
        return self._plan.is_manual

    def _begin_game(self) -> None:
        """Where nobody watches, the first game has begun when the program has."""
        now, start = self._now(), self._plan.start or self._rules.opening()
        self._session.told(GameStart(time=now.time, frame=now.frame, position=start))

    def _shifted(self, frame: Frame) -> Frame:
        seconds, frames = self._offset
        return replace(frame, seconds=frame.seconds + seconds, index=frame.index + frames)

    def _see(self, frame: Frame) -> None:
        if self.desk.is_paused or self._recorder.state.was_closed:
            self._passed += 1
        else:
            self._judge(frame)
        self._last = frame.seconds, frame.index

    def _judge(self, frame: Frame) -> None:
        session = self._session
        began = time.perf_counter()
        events = session.feed(frame)
        self._looks.append(time.perf_counter() - began)
        self._stills.see(frame, session.reading)
        self._stills.keep(events)
        self.pictures.mark(session.reading, is_open=session.sees_board)
        if self._known is None and session.profile is not None:
            self._know(session.profile)

    def _obey(self, command: Command) -> Iterator[object] | None:
        """What was said by hand; raises as `webui.contracts.desk.Desk.execute` does.

        What takes longer is given back, to be done between the frames that come meanwhile.
        """
        if (
            command in (DeskCommand.PAUSE, DeskCommand.GO_ON)
            and not self._recorder.state.was_closed
        ):
            self._pause(is_paused=command is DeskCommand.PAUSE)
            self._obeyed(())
            return None
        if isinstance(command, NextMatch):
            return self._follow(command)
        if self._recorder.state.was_closed:
            raise NotNow(CLOSED)
        if command is DeskCommand.END_MATCH:
            self._stills.keep(self._session.finish(*self._last))
        if isinstance(command, CupWords) or command in CUP_COMMANDS:
            self._obeyed(self._command_cup(command))
            return None
        done = carry_out(self._session, command, self._rules, self._now())
        if isinstance(done, list):
            self._obeyed(done)
            return None
        return self._obeying(done)

    def _command_cup(self, command: DeskCommand | CupWords) -> list[Event]:
        if self._cup is None:
            raise NotNow(NO_CUP)
        events = self._cup.execute(command, self._session.state, self._now())
        return [recorded for event in events for recorded in self._session.told(event)]

    def _cup_shown(self) -> CupShown | None:
        return None if self._cup is None else self._cup.shown(self._recorder.state)

    def _follow(self, command: NextMatch) -> Iterator[None]:
        """The match is done with; the word is obeyed once the next one is seated."""
        if self._next_config is None:
            raise NotNow(ONE_MATCH)
        if not self._recorder.is_over:
            raise NotNow(NOT_OVER)
        next_match = replace(self._next_config(command), profile=self.profile)
        if not self._recorder.state.was_closed:
            self._finish()
            self._closed()
        self.next_match = next_match
        return iter(())

    def _obeying(self, work: ReplaySteps) -> Iterator[None]:
        self._obeyed((yield from work))

    def _obeyed(self, events: Sequence[Event]) -> None:
        self._stills.keep(events)
        self._tell()
        if self._recorder.state.was_closed:
            self._recorder.finish()
            self.pictures.mark(None, is_open=False)
            self._closed()
        if self._recorder.fault is not None:
            raise DeskUnavailable(
                f"{self._recorder.fault}; it counts, and is written once there is room"
            )

    def _pause(self, *, is_paused: bool) -> None:
        """What the camera shows in between is never judged.

        The next look is compared with the last before the pause, so that a board that was changed
        in between counts as touched. Nobody's time passes meanwhile.
        """
        if is_paused and not self.desk.is_paused:
            self._held = hold(self._session, self._now())
        elif not is_paused:
            go_on(self._session, self._held, self._now())
            self._held = None
        self.desk.is_paused = is_paused
        self.pictures.mark(None, is_open=False)

    def _know(self, profile: Profile) -> None:
        self._known = profile
        self.table.tell(
            colours=set_colours(profile), light_home="left" if profile.pose.mirrored else "right"
        )
        self._learnt(profile)

    def _on_status(self, status: SourceStatus) -> None:
        """Called by the thread that drains the source: the page must know within 2 s."""
        self._source_fault = None if status.fault is None else str(status.fault)
        self._tell()

    def _tell(self) -> None:
        state, session = self._recorder.state, self._session
        if self._told != len(self._recorder.events):
            self._told = len(self._recorder.events)
            self.desk.let_undo(session.can_undo)
            standing = effective_events(self._recorder.events)
            whole = whole_match_part(state, standing)
            self.table.tell(**match_part(state, standing), referee=whole)
        fault = self._source_fault or self._recorder.fault
        is_paused = self.desk.is_paused or state.was_closed
        pending = None if is_paused else session.pending
        self.table.tell(
            phase="fault" if fault else phase_of(state),
            paused=self.desk.is_paused,
            message=fault or self._message,
            cup=self._cup_shown(),
            clock=clock_part(state, self._now().time),
            dice=[] if is_paused else dice_part(session.dice),
            pending=pending_part(pending_as_known(state.rule_set, pending)),
            source=None if self._is_told else self._source_shown,
            by_hand=self._is_told,
            # A viewer over the network is shown no folders of this machine.
            record=RecordLocation(path=self._recorder.path.name),
            referee={
                "pending": pending_part(pending),
                "record": RecordLocation(path=str(self._recorder.path)),
            },
        )

    @property
    def _source_shown(self) -> Source:
        source, seconds = self._source, float(int(self._last[0]))
        return Source(name=source.name, fps=source.fps, seconds=seconds)

    @property
    def _message(self) -> str:
        if self._recorder.state.was_closed:
            return CLOSED
        if self.desk.is_paused:
            return PAUSED
        state = self._session.state
        if self._is_told and state.phase is Phase.OVER and state.winner is None:
            return NEXT_GAME
        return self._session.message
