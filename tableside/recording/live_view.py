"""What the page is shown of a running match: its state, part by part, and its figures."""

from __future__ import annotations

from typing import Final

from engine import Phase, pending_as_known
from engine.match.amendments import effective_events
from engine.message import Sentence, join, msg
from tableside.desk.command_executor import CLOSED, NEXT_AT_DESK, CommandExecutor
from tableside.record.recorder import Recorder
from tableside.recording.job import MatchOutputs
from tableside.recording.timeline import Timeline
from tableside.site.page_state import (
    clock_part,
    dice_part,
    match_part,
    pending_part,
    phase_of,
    whole_match_part,
)
from vision.sources.liveness import SourceStatus
from webui.contracts.metrics import FrameTally
from webui.contracts.state import RecordLocation, Source

PAUSED: Final = msg("nothing is judged until the referee goes on")
NEXT_GAME: Final = join([msg("the game is over"), NEXT_AT_DESK])


class LiveView:
    """Sends the state of a match to the page whenever it may have changed."""

    def __init__(
        self,
        executor: CommandExecutor,
        recorder: Recorder,
        timeline: Timeline,
        outputs: MatchOutputs,
        *,
        is_manual: bool,
    ) -> None:
        self._executor, self._session, self._cup = executor, executor.session, executor.cup
        self._recorder, self._timeline, self._outputs = recorder, timeline, outputs
        self._is_manual = is_manual
        self.can_undo = self._session.can_undo
        """Whether there is a correction that can be undone, as of the newest event."""
        self._source_fault: Sentence | None = None
        self._published = -1
        """Events whose effect on the match was sent."""
        self._counted, self._lost = len(recorder.events), 0
        self._durations: list[float] = []
        self._skipped = 0

    def source_changed(self, status: SourceStatus) -> None:
        """Show a fault of the source; called by the thread that reads it."""
        self._source_fault = status.fault
        self.publish()

    def frame_processed(self, seconds: float) -> None:
        """Count a frame that took so long."""
        self._durations.append(seconds)

    def frame_skipped(self) -> None:
        """Count a frame that was not judged."""
        self._skipped += 1

    def publish_figures(self, lost: int) -> None:
        """Send what was counted since the last time; `lost`: frames lost so far."""
        tally = FrameTally(
            fps=self._timeline.source.fps,
            processed=len(self._durations),
            skipped=lost - self._lost + self._skipped,
            durations=tuple(self._durations),
            events=tuple(event.type for event in self._recorder.events[self._counted :]),
        )
        self._durations, self._skipped, self._lost = [], 0, lost
        self._counted = len(self._recorder.events)
        self._outputs.meters.add(tally)

    def publish(self) -> None:
        """Send the state."""
        state, session, page = self._recorder.state, self._session, self._outputs.page
        if self._published != len(self._recorder.events):
            self._published = len(self._recorder.events)
            if session.can_undo != self.can_undo:
                self.can_undo = session.can_undo
                self._outputs.undo_changed(self.can_undo)
            events = effective_events(self._recorder.events)
            page.publish(**match_part(state, events), referee=whole_match_part(state, events))
        fault = self._source_fault or self._recorder.fault
        is_paused = self._executor.is_paused or state.was_closed
        pending = None if is_paused else session.pending
        page.publish(
            phase="fault" if fault else phase_of(state),
            paused=self._executor.is_paused,
            message=fault or self._message,
            cup=None if self._cup is None else self._cup.shown(state),
            clock=clock_part(state, self._timeline.now(len(self._recorder.events)).time),
            dice=[] if is_paused else dice_part(session.dice),
            pending=pending_part(pending_as_known(state.rule_set, pending)),
            source=None if self._is_manual else self._source,
            by_hand=self._is_manual,
            # A viewer over the network is shown no folders of this machine.
            record=RecordLocation(path=self._recorder.path.name),
            referee={
                "pending": pending_part(pending),
                "record": RecordLocation(path=str(self._recorder.path)),
            },
        )

    @property
    def _source(self) -> Source:
        source, seconds = self._timeline.source, float(int(self._timeline.newest.time))
        return Source(name=source.name, fps=source.fps, seconds=seconds)

    @property
    def _message(self) -> Sentence:
        if self._recorder.state.was_closed:
            return CLOSED
        if self._executor.is_paused:
            return PAUSED
        state = self._session.state
        if self._is_manual and state.phase is Phase.OVER and state.winner is None:
            return NEXT_GAME
        return self._session.message
