"""What the page shows of a running match: its state, part by part, and its metrics."""

from __future__ import annotations

from typing import Final

from engine import MatchState, Phase, as_known, pending_as_known
from engine.address import is_address
from engine.match.amendments import effective_events
from engine.match.prompt import prompt_of
from engine.message import Sentence, join, msg
from engine.ruleset import StreamAudience
from tableside.desk.command_executor import CLOSED, CommandExecutor
from tableside.record.recorder import Recorder
from tableside.recording.job import MatchOutputs
from tableside.recording.load_meter import LoadMeter, Look, Shed
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
from webui.contracts.state import CupShown, LeftOut, MachineLoad, RecordLocation, Source

PAUSED: Final = msg("nothing is judged until the referee continues")
NEXT_GAME: Final = join([msg("the game is over"), msg("start the next game at the desk")])
VIDEO_OVER: Final = join(
    [
        msg("the video has ended"),
        msg("to watch your own board, run {command}", command="tableside live"),
    ]
)
NETWORK_CAMERA: Final = msg("network camera")
"""The name of a stream for all but the referee: its address is nobody else's business."""
NO_STREAM: Final = msg("the network camera sends no picture")
CUBE_UNSEEN: Final = msg("no doubling cube is seen: enter doubles by hand")
NOT_SAVED: Final = msg("the newest events are not saved yet")
NOT_SAVED_TWICE: Final = msg("the journal is not being written")
"""What others than the referee are told of the disk: its folders are nobody else's business."""
LEFT_OUT: Final[dict[Shed, LeftOut]] = {
    Shed.NOTHING: "nothing",
    Shed.EARLY_LOOKS: "early_looks",
    Shed.LARGE_PICTURES: "large_pictures",
    Shed.OVERLAY: "overlay",
}


class LiveView:
    """Sends the state of a match to the page whenever it may have changed."""

    def __init__(
        self,
        executor: CommandExecutor,
        recorder: Recorder,
        timeline: Timeline,
        outputs: MatchOutputs,
        meter: LoadMeter,
        *,
        is_manual: bool,
    ) -> None:
        self._session, self._cup = executor.session, executor.cup
        self._recorder, self._timeline, self._outputs = recorder, timeline, outputs
        self._meter, self._is_manual = meter, is_manual
        self.can_undo = self._session.can_undo
        """Whether a correction can be undone, as of the newest event."""
        self._source_fault: Sentence | None = None
        self._left_at: tuple[object, ...] | None = None
        """How far the match had come when the video ended; None while pictures come."""
        self._published = -1
        """Number of events whose effect on the match has been sent."""
        self._counted = len(recorder.events)
        self._looks: list[Look] = []
        self._durations: list[float] = []
        self._skipped = 0

    def source_changed(self, status: SourceStatus) -> None:
        """Show a fault of the source; called by the thread that reads it."""
        self._source_fault = status.fault
        self.publish()

    def video_ended(self) -> None:
        """From now on, show that no pictures will come: more of the match is entered by hand."""
        self._left_at = _progress(self._recorder.state)
        self.publish()

    @property
    def _is_left(self) -> bool:
        """Whether the match stands where the video left it, whatever has been corrected."""
        state = self._recorder.state
        return self._left_at == _progress(state) and state.phase is not Phase.OVER

    def frame_processed(self, look: Look, now: float) -> None:
        """Count a frame that was judged at `now`."""
        self._looks.append(look)
        self._durations.append(now - look.began)

    def frames_skipped(self, count: int) -> None:
        """Count frames that nobody wants to be judged."""
        self._skipped += count

    def publish_figures(self) -> None:
        """Send what has been counted since the last call."""
        tally = FrameTally(
            fps=self._timeline.source.fps,
            processed=len(self._looks),
            skipped=self._skipped + sum(look.skipped for look in self._looks),
            durations=tuple(self._durations),
            lateness=tuple(look.late for look in self._looks),
            intervals=tuple(look.interval for look in self._looks if look.interval),
            is_behind=self._meter.shown is not None,
            events=tuple(event.type for event in self._recorder.events[self._counted :]),
        )
        self._looks, self._durations, self._skipped = [], [], 0
        self._counted = len(self._recorder.events)
        self._outputs.metrics.add(tally)

    def publish(self) -> None:
        """Send the state."""
        state, session, page = self._recorder.state, self._session, self._outputs.page
        shows_all = state.rule_set.audience is StreamAudience.EVERYTHING
        if self._published != len(self._recorder.events):
            self._published = len(self._recorder.events)
            if session.can_undo != self.can_undo:
                self.can_undo = session.can_undo
                self._outputs.undo_changed(self.can_undo)
            events = effective_events(self._recorder.events)
            whole = whole_match_part(state, events)
            page.publish(
                **match_part(state, events), audience=whole if shows_all else None, referee=whole
            )
        unsaved = self._recorder.fault if self._recorder.has_unsaved else None
        fault = self._source_fault or unsaved
        known_fault = self._source_fault or (NOT_SAVED if unsaved else None)
        if self._source_fault and self._is_stream:
            known_fault = NO_STREAM
        is_unseen = state.is_paused or state.was_closed or self._left_at is not None
        pending = None if is_unseen else session.pending
        page.publish(
            phase="fault" if fault else "ended" if self._is_left else phase_of(state),
            paused=state.is_paused,
            message=known_fault or self._message,
            cup=self._cup_shown(names_port=False),
            clock=clock_part(state, self._timeline.now(len(self._recorder.events)).time),
            dice=[] if is_unseen else dice_part(session.dice),
            pending=pending_part(pending_as_known(state.rule_set, pending)),
            source=self._source(NETWORK_CAMERA if self._is_stream else self._timeline.source.name),
            load=self._load,
            troubles=[] if is_unseen else self._troubles(NOT_SAVED_TWICE),
            numberings=session.open_numberings,
            by_hand=self._is_by_hand,
            # A viewer on the network must not see this machine's folders.
            record=self.recorded_in(self._recorder.path.name),
            audience={"pending": pending_part(pending)} if shows_all else None,
            referee={
                "pending": pending_part(pending),
                "cup": self._cup_shown(names_port=True),
                "message": fault or self._message,
                "troubles": self._referee_troubles(is_unseen=is_unseen),
                "source": self._source(self._timeline.source.name),
                "record": self.recorded_in(str(self._recorder.path)),
            },
        )

    def _cup_shown(self, *, names_port: bool) -> CupShown | None:
        state = self._recorder.state
        return None if self._cup is None else self._cup.shown(state, names_port=names_port)

    def recorded_in(self, path: str) -> RecordLocation:
        """The match's place in the record, which is shown as this path."""
        return RecordLocation(path=path, match=self._recorder.match)

    @property
    def _is_by_hand(self) -> bool:
        return self._is_manual or self._left_at is not None

    @property
    def _is_stream(self) -> bool:
        return is_address(str(self._timeline.source.name))

    def _source(self, name: Sentence) -> Source | None:
        if self._is_manual:
            return None
        seconds = float(int(self._timeline.newest.time))
        return Source(name=name, fps=self._timeline.source.fps, seconds=seconds)

    @property
    def _load(self) -> MachineLoad | None:
        load = self._meter.shown
        if load is None:
            return None
        return MachineLoad(
            skipped=round(load.skipped, 2),
            looks_per_second=round(load.looks_per_second, 1),
            late=round(load.late, 1),
            left_out=LEFT_OUT[self._meter.shed],
            note=load.message,
        )

    @property
    def _message(self) -> Sentence:
        if self._is_left:
            return VIDEO_OVER
        if self._recorder.state.was_closed:
            return CLOSED
        state = self._session.state
        if state.is_paused:
            return PAUSED
        if self._is_by_hand:
            is_between = state.phase is Phase.OVER and state.winner is None
            return NEXT_GAME if is_between else prompt_of(state)
        load = self._meter.shown
        return join([self._session.message, *([] if load is None else [load.message])])

    def _referee_troubles(self, *, is_unseen: bool) -> list[Sentence]:
        """The same for the referee, who is told what became of the record whatever is shown."""
        notice = self._recorder.notice
        found = [] if is_unseen else self._troubles(self._recorder.fault)
        if self._session.lacks_cube and not self._is_by_hand:
            found.append(CUBE_UNSEEN)
        return found if notice is None else [notice, *found]

    def _troubles(self, of_record: Sentence | None) -> list[Sentence]:
        """All that is wrong but stops nothing; `of_record`: how a fault of the record is put."""
        load, recorder = self._meter.shown, self._recorder
        is_at_fault = recorder.fault is not None and not recorder.has_unsaved
        found = (
            self._session.trouble,
            None if load is None else load.message,
            of_record if is_at_fault else None,
        )
        return [trouble for trouble in found if trouble]


def _progress(state: MatchState) -> tuple[object, ...]:
    """How far a match has come, as far as players may know; corrections seldom change it."""
    known = as_known(state)
    return known.games, len(known.turns), known.phase, known.to_move, known.cube
