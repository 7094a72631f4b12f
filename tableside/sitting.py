"""`Sitting`: a source, a session, a record and a page, from the first frame to the last.

`live` and `demo` differ only in where the frames come from and in what follows the last one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from calibration.profile import Profile
from engine import pending_as_known
from engine.amending import standing_events
from engine.looks import When
from tableside.cup_table import CupAtTable
from tableside.desk import LiveDesk, carry_out
from tableside.feed import Feed
from tableside.recorder import Recorder
from tableside.session import Plan, Session
from tableside.set_colours import set_colours
from tableside.shown import (
    dice_part,
    match_part,
    pending_part,
    phase_of,
    recorded_in,
    whole_match_part,
)
from tableside.stills import Stills
from tableside.table import LiveTable
from vision.camera import LiveSource
from vision.frame import Frame, FrameSource
from vision.watch import SourceStatus
from webui.desk import Command, NoAnswer, Word
from webui.metrics import Meters
from webui.table import Source

TAKE_SECONDS: Final = 0.25
"""How long to wait for a frame before looking after the rest."""
RETRY_SECONDS: Final = 1.0
"""Between two tries to write what the disk refused."""
PAUSED: Final = "nothing is judged until the referee goes on"


class Sitting:
    """Watches `source` until it ends or `stop`; the page is told all along."""

    def __init__(
        self,
        source: FrameSource,
        plan: Plan,
        recorder: Recorder,
        table: LiveTable,
        *,
        stills: Stills,
        meters: Meters | None = None,
        offset: tuple[float, int] = (0.0, 0),
        learnt: Callable[[Profile], object] = lambda _: None,
        cup: CupAtTable | None = None,
    ) -> None:
        """`stills` get what shows the turns.

        `offset`: seconds and frames that the record is ahead of the source, when resumed.

        `learnt` is told the board once it is known; the rolls of `cup`, if given, are the rolls.
        """
        self.table = table
        self.desk = LiveDesk(recorder, plan.rules)
        """What is said by hand; it is carried out between two frames."""
        self.meters = meters or Meters()
        self._rules = plan.rules
        self._source, self._recorder, self._stills = source, recorder, stills
        self._offset, self._learnt = offset, learnt
        self._session = Session(plan, recorder.keep, recorder, is_watched=True)
        self._known: Profile | None = None
        self._cup = cup
        self._stopping = threading.Event()
        self._retry_at = 0.0
        self._source_fault: str | None = None
        self._last = offset
        self._told, self._counted, self._lost = -1, len(recorder.events), 0
        if isinstance(source, LiveSource):
            source.on_status = self._on_status
        self._tell()

    def stop(self) -> None:
        """End after the frame in hand; from a signal or another thread."""
        self._stopping.set()

    def run(self) -> None:
        """Everything, in order; raises what ended the source early once all is recorded."""
        feed = Feed(self._source, self.table.show)
        try:
            while not (self._stopping.is_set() or feed.is_over):
                self._step(feed.take(TAKE_SECONDS))
                self._count(feed)
        finally:
            feed.close()
        self._finish()
        if feed.error is not None:
            raise feed.error

    def _count(self, feed: Feed) -> None:
        """What Prometheus is told besides."""
        self.meters.camera_fps.set(self._source.fps)
        lost, self._lost = feed.lost - self._lost, feed.lost
        self.meters.frames.labels("skipped").inc(lost)
        for event in self._recorder.events[self._counted :]:
            self.meters.events.labels(event.type).inc()
        self._counted = len(self._recorder.events)

    def stay(self, until: threading.Event, changed: Callable[[], object]) -> None:
        """After the last frame: what is said by hand is still heard, and `changed` told of it."""
        while not until.is_set():
            if self.desk.work_off(self._obey, TAKE_SECONDS):
                self._finish()
                changed()

    def _finish(self) -> None:
        """The last play is recorded too, again after a correction has judged without it."""
        self._stills.keep(self._session.finish(*self._last))
        self._tell()
        self._recorder.finish()

    def _step(self, frame: Frame | None) -> None:
        if frame is not None:
            self._see(self._shifted(frame))
        self.desk.work_off(self._obey)
        self._hear_cup()
        if self._recorder.fault is not None and time.monotonic() >= self._retry_at:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            self._recorder.flush()
        self._tell()

    def _hear_cup(self) -> None:
        """What the cup rolled is recorded, and is the roll unless the referee has paused."""
        session = self._session
        if self._cup is not None and not self.desk.is_paused:
            events = self._cup.step(
                session.told, lambda: session.state, session.dice, When(*self._last)
            )
            self._stills.keep(events)

    @property
    def _cup_message(self) -> str:
        return "" if self._cup is None else self._cup.message

    def _shifted(self, frame: Frame) -> Frame:
        seconds, frames = self._offset
        return replace(frame, seconds=frame.seconds + seconds, index=frame.index + frames)

    def _see(self, frame: Frame) -> None:
        if self.desk.is_paused:
            self.meters.frames.labels("skipped").inc()
        else:
            self._judge(frame)
            self.meters.frames.labels("seen").inc()
        self._last = frame.seconds, frame.index

    def _judge(self, frame: Frame) -> None:
        session = self._session
        with self.meters.look_seconds.time():
            events = session.feed(frame)
        self._stills.see(frame, session.reading)
        self._stills.keep(events)
        self.table.mark(session.reading, is_open=session.sees_board)
        if self._known is None and session.profile is not None:
            self._know(session.profile)

    def _obey(self, command: Command) -> None:
        """What was said by hand; raises as `webui.desk.Desk.tell` does."""
        if command in (Word.PAUSE, Word.GO_ON):
            self._pause(is_paused=command is Word.PAUSE)
        else:
            events = carry_out(self._session, command, self._rules, When(*self._last))
            self._stills.keep(events)
            self.desk.was_obeyed()
        self._tell()
        if self._recorder.fault is not None:
            raise NoAnswer(f"{self._recorder.fault}; it counts, and is written once there is room")

    def _pause(self, *, is_paused: bool) -> None:
        """What the camera shows in between is never judged.

        The next look is compared with the last before the pause, so that a board that was changed
        in between counts as touched.
        """
        self.desk.is_paused = is_paused
        self.table.mark(None, is_open=False)

    def _know(self, profile: Profile) -> None:
        self._known = profile
        home = "left" if profile.pose.mirrored else "right"
        self.table.tell(colours=set_colours(profile), light_home=home)
        self._learnt(profile)

    def _on_status(self, status: SourceStatus) -> None:
        """Called by the thread that drains the source: the page must know within 2 s."""
        self._source_fault = status.fault
        self._tell()

    def _tell(self) -> None:
        state, session = self._recorder.state, self._session
        if self._told != len(self._recorder.events):
            self._told = len(self._recorder.events)
            standing = standing_events(self._recorder.events)
            whole = whole_match_part(state, standing)
            self.table.tell(**match_part(state, standing), referee=whole)
        fault = self._source_fault or self._recorder.fault
        source, is_paused = self._source, self.desk.is_paused
        now = PAUSED if is_paused else session.message
        pending = None if is_paused else session.pending
        self.table.tell(
            phase="fault" if fault else phase_of(state),
            paused=is_paused,
            message=fault or "; ".join(filter(None, (self._cup_message, now))),
            cup=None if self._cup is None else self._cup.shown(),
            dice=[] if is_paused else dice_part(session.dice),
            pending=pending_part(pending_as_known(state.rule_set, pending)),
            source=Source(name=source.name, fps=source.fps, seconds=float(int(self._last[0]))),
            **recorded_in(self._recorder.path.name),
            referee={"pending": pending_part(pending), **recorded_in(str(self._recorder.path))},
        )
