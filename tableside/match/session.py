"""One match at one board: frames in, recorded events out; the same object live and offline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import engine
from calibration.profile import Profile
from engine import DieSeen, Event, MatchState, PlayMade, Referee
from engine.dice_sets.owners import DiceOwners
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.match.corrections import Correction
from engine.match.prompt import prompt_of
from engine.message import Sentence
from engine.referee import InMemoryLog, ObservationLog, ReplayableMatch, ReplaySteps
from engine.timestamp import Timestamp
from tableside.match.config import MatchConfig
from tableside.record.observation_codec import as_stored
from tableside.set_colours import set_colours
from vision.reading.acquire import BoardAcquisition, BoardReacquisition
from vision.reading.coverage import Coverage, UnseenSpan
from vision.reading.reader import Reading
from vision.reading.scheduler import BoardWatcher
from vision.sources.frame import Frame
from webui.contracts.state import Colours

Keep = Callable[[Sequence[Event]], object]
"""Makes events durable; a session returns no event before this has returned."""
POSITION_CHANGES = (
    *(engine.GameStart, PlayMade, engine.PlayRejected, engine.TakenBack),
    *(engine.GameEnd, engine.GameDrawn, engine.Unfinished, engine.Resumed),
)
"""Events after which another position stands on the board than was expected before."""


BoardFinder = BoardAcquisition | BoardReacquisition


def find_board(config: MatchConfig) -> BoardFinder:
    """A finder of the configured board, or of any board in the expected position."""
    if config.profile is None:
        return BoardAcquisition(config.expected_position, config.rules.name)
    return BoardReacquisition(config.profile, engine.cell_counts(config.expected_position))


@dataclass(frozen=True, slots=True)
class BoardVision:
    """How a session sees its board; tests put simulated observations in its place."""

    find: Callable[[MatchConfig], BoardFinder] = find_board
    watch: Callable[..., BoardWatcher] = BoardWatcher
    colours: Callable[[Profile], Colours] = set_colours


class Session:
    """One match at one board.

    Without a profile it first waits for the board; then it observes, judges and records.
    """

    def __init__(
        self,
        config: MatchConfig,
        keep: Keep,
        log: ObservationLog | None = None,
        *,
        is_watched: bool = False,
        vision: BoardVision | None = None,
    ) -> None:
        """`log` keeps observations and manual entries; by default in memory.

        is_watched: whether uncertain dice and plays are wanted early, for a page.
        """
        self._config = config
        self._keep = keep
        self._is_watched = is_watched
        self._vision = BoardVision() if vision is None else vision
        self._pending: PlayMade | None = None
        self._log = InMemoryLog() if log is None else log
        self._finder = None if config.is_manual else self._vision.find(config)
        self._watcher: BoardWatcher | None = None
        self._coverage = Coverage()
        self._owners = DiceOwners()
        self._match = self._new_match(None)

    @property
    def state(self) -> MatchState:
        """The match so far."""
        return self._match.state

    @property
    def profile(self) -> Profile | None:
        """The board, once it is found."""
        return None if self._watcher is None else self._watcher.profile

    @property
    def reading(self) -> Reading | None:
        """The newest reading of the board."""
        return None if self._watcher is None else self._watcher.reading

    @property
    def dice(self) -> tuple[DieSeen, ...]:
        """The dice on the table, as early as they can be read where that is wanted."""
        return () if self._watcher is None else self._watcher.dice

    @property
    def pending(self) -> PlayMade | None:
        """The play on the board at the newest observation, in a session that is watched."""
        return self._pending

    @property
    def sees_board(self) -> bool:
        """Whether the last frame showed the board with no hand over it."""
        return self._watcher is not None and self._watcher.is_open

    @property
    def unseen_share(self) -> float:
        """Share of the time since the board was found in which it could not be judged."""
        return self._coverage.unseen_share

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves and everything on the board was read."""
        return self._watcher is not None and self._watcher.is_idle

    @property
    def message(self) -> Sentence:
        """What the players should know now."""
        if self._watcher is not None:
            return self._coverage.message or self._watcher.message or prompt_of(self.state)
        return prompt_of(self.state) if self._finder is None else self._finder.message

    def feed(self, frame: Frame) -> list[Event]:
        """Process the next frame; return what it made certain, already recorded."""
        if self._watcher is None:
            self._watcher = self._find_board(frame)
            if self._watcher is None:
                return []
        observed = self._watcher.process(frame)
        before: list[Event] = []
        if self._watcher.has_moved():
            before += self._match.enter(engine.BoardMoved(time=frame.seconds, frame=frame.index))
        span = self._coverage.update(frame.seconds, self._watcher.obstacle)
        before += self._report_unseen(span, Timestamp(frame.seconds, frame.index))
        if self._watcher.was_disturbed:
            before += self._match.observe(Motion(frame.seconds, frame.index))
        return self._recorded(before) if observed is None else self.observe(observed, before)

    def pause(self) -> None:
        """Judge nothing until the next frame is fed: what happens meanwhile is nobody's turn."""
        self._coverage.restart()

    def _report_unseen(self, span: UnseenSpan | None, when: Timestamp) -> list[Event]:
        """The event of a stretch in which the board could not be judged, if there was one."""
        if span is None:
            return []
        unseen = engine.Unseen(
            time=when.time,
            frame=when.frame,
            start=round(span.start, 3),
            end=round(span.end, 3),
            reason=span.reason,
        )
        return self._match.enter(unseen)

    def observe(self, observed: Observation | Motion, before: Iterable[Event] = ()) -> list[Event]:
        """Process what a frame showed; `before` are events that precede it, not recorded yet."""
        if isinstance(observed, Observation):
            observed = as_stored(self._owners.with_owners(observed))
        events = self._recorded([*before, *self._match.observe(observed)])
        if self._is_watched and isinstance(observed, Observation):
            self._pending = self._match.pending_play()
        return events

    def enter(self, event: Event) -> list[Event]:
        """Apply and record what is entered by hand; `EngineError` if it cannot be."""
        return self._recorded(self._match.enter(event))

    @property
    def can_undo(self) -> bool:
        """Whether there is a correction that can be undone."""
        return self._match.can_undo

    def correct(self, correction: Correction, when: Timestamp) -> ReplaySteps:
        """Correct the record and judge again all that follows; `EngineError` if it cannot be.

        Frames may be fed between the steps; they are judged at the end.
        """
        return self._recorded((yield from self._match.correct(correction, when)))

    def undo(self, when: Timestamp) -> ReplaySteps:
        """Undo the last correction in the same way; `NotNow` if there is none."""
        return self._recorded((yield from self._match.undo(when)))

    def finish(self, seconds: float, frame: int) -> list[Event]:
        """Record what is still pending at the end of the source, if all of it was observed."""
        unseen = self._report_unseen(self._coverage.end(), Timestamp(seconds, frame))
        return self._recorded([*unseen, *self._match.finish(seconds, frame)])

    def _find_board(self, frame: Frame) -> BoardWatcher | None:
        profile = None if self._finder is None else self._finder.process(frame)
        if profile is None:
            return None
        # A board that was learnt now stands in its expected position; one that is found again may
        # have been found in the middle of a throw.
        moved_at = -inf if self._config.profile is None else frame.seconds
        self._config = replace(self._config, profile=profile)
        self._match = self._new_match(profile)
        return self._vision.watch(profile, early_dice=self._is_watched, moved_at=moved_at)

    def _new_match(self, profile: Profile | None) -> ReplayableMatch:
        config, zone = self._config, None if profile is None else profile.throw_zone
        options: dict[str, Any] = {
            "light_throws_right": None if profile is None else not profile.pose.mirrored,
            "throw_zone": None if zone is None else tuple((float(x), float(y)) for x, y in zone),
            "is_manual": config.is_manual,
        }

        def referee_at(state: MatchState | None) -> Referee:
            known = config.resumed if state is None else state
            if known is not None:
                return Referee.resume(config.rules, known, **options)
            return Referee(
                config.rules,
                light=config.light,
                dark=config.dark,
                length=config.length,
                start=config.start,
                rule_set=config.rule_set,
                **options,
            )

        return ReplayableMatch(referee_at, self._log)

    def _recorded(self, events: list[Event]) -> list[Event]:
        if events:
            self._keep(events)
            self._owners.learn(events)
            self._pending = None
        if self._watcher is not None and any(isinstance(one, POSITION_CHANGES) for one in events):
            self._watcher.set_baseline()
        return events
