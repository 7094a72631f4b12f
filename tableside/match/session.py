"""One match at one board: frames in, recorded events out; the same object live and offline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import engine
from calibration.profile import Profile
from engine import DieSeen, Event, MatchState, PlayMade, Referee
from engine.arrays import Ints
from engine.dice_sets.owners import DiceOwners
from engine.evidence.observation import Observation
from engine.evidence.orientation import Orientation
from engine.evidence.still_period import Motion
from engine.match.corrections import Correction
from engine.match.prompt import prompt_of
from engine.message import Sentence
from engine.referee import InMemoryLog, ObservationLog, ReplayableMatch, ReplaySteps
from engine.referee.join import JoinHypothesis, JoinSearch
from engine.timestamp import Timestamp
from tableside.match.config import MatchConfig
from tableside.record.observation_codec import as_stored
from tableside.set_colours import set_colours
from vision.reading.acquire import JOINED, BoardAcquisition, BoardReacquisition
from vision.reading.coverage import MESSAGES, Coverage, UnseenSpan
from vision.reading.reader import Reading
from vision.reading.scheduler import BoardWatcher
from vision.sources.frame import Frame
from vision.steady.exposure import Exposure, is_blank
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
        may_join = config.start is None and config.resumed is None
        return BoardAcquisition(config.expected_position, config.rules.name, may_join=may_join)
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

        is_watched: whether there is a page, which wants uncertain dice and plays early.
        """
        self._config = config
        self._keep = keep
        self.is_watched = is_watched
        """Whether uncertain dice and plays are wanted early; it may change at any time."""
        self._vision = BoardVision() if vision is None else vision
        self._pending: PlayMade | None = None
        self._log = InMemoryLog() if log is None else log
        self._finder = None if config.is_manual else self._vision.find(config)
        self._watcher: BoardWatcher | None = None
        self._join: JoinSearch | None = None
        """While a game is under way of which it is not known which way its board runs."""
        self._began_at = inf
        """Seconds of the first frame."""
        self._coverage = Coverage()
        self._is_blank = False
        """Whether the last frame shows nothing at all."""
        self._exposure = Exposure(None if config.profile is None else config.profile.picture)
        self._owners = DiceOwners()
        self._match = self._new_match(None)

    @property
    def state(self) -> MatchState:
        """The match so far."""
        return self._match.state

    @property
    def profile(self) -> Profile | None:
        """The board, once it is found and numbered."""
        return None if self._watcher is None or self._join else self._watcher.profile

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
        return self._watcher is not None and self._watcher.is_open and not self._is_blank

    @property
    def unseen_share(self) -> float:
        """Share of the time since the board was found in which it could not be judged."""
        return self._coverage.unseen_share

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves and everything on the board was read."""
        return self._watcher is not None and self._watcher.is_idle

    @property
    def is_searching(self) -> bool:
        """Whether the board is looked for."""
        return self._watcher is None or self._watcher.obstacle == "lost"

    @property
    def trouble(self) -> Sentence | None:
        """What keeps the board from being judged; None while nothing lasting does."""
        if self._is_blank:
            return MESSAGES["blank"]
        if self._watcher is None:
            return None
        return self._coverage.message or self._watcher.message

    @property
    def message(self) -> Sentence:
        """What the players should know now."""
        if self.trouble is not None:
            return self.trouble
        if self._watcher is None and self._finder is not None:
            return self._finder.message
        return prompt_of(self.state) if self._join is None else JOINED

    def feed(self, frame: Frame) -> list[Event]:
        """Process the next frame; return what it made certain, already recorded."""
        self._began_at = min(self._began_at, frame.seconds)
        self._is_blank = is_blank(frame.image)
        if self._is_blank:
            if self._watcher is not None:
                self._coverage.update(frame.seconds, "blank")
            return []
        frame = replace(frame, image=self._exposure.lit(frame.image))
        if self._watcher is None:
            self._watcher = self._find_board(frame)
            if self._watcher is None:
                return []
        self._watcher.wants_early_dice = self.is_watched
        observed = self._watcher.process(frame)
        if self._join is not None:
            return self._feed_join(self._join, self._watcher, frame, observed)
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

    def _feed_join(
        self,
        join: JoinSearch,
        watcher: BoardWatcher,
        frame: Frame,
        observed: Observation | Motion | None,
    ) -> list[Event]:
        """Process a frame while it is open which way the board runs."""
        watcher.has_moved()
        span = self._coverage.update(frame.seconds, watcher.obstacle)
        if span is not None:
            join.enter(_unseen(span, Timestamp(frame.seconds, frame.index)))
        if watcher.was_disturbed:
            join.observe(Motion(frame.seconds, frame.index))
        decided = None if observed is None else join.observe(_stored(observed))
        if join.is_refuted:  # perhaps the board was only being set up
            self._watcher = self._join = None
            self._finder = self._vision.find(self._config)
        return [] if decided is None else self._begin_joined(decided, frame.seconds)

    def _begin_joined(self, decided: JoinHypothesis, seconds: float) -> list[Event]:
        """Record the game that was joined, with all that was seen of it so far."""
        assert self._watcher is not None  # noqa: S101
        way, self._join = decided.orientation, None
        profile = self._watcher.profile.renumbered(
            decided.start, is_turned=way.is_turned, is_mirrored=way.is_mirrored
        )
        self._config = replace(self._config, profile=profile)
        self._match = self._new_match(profile)
        events = self._match.enter(decided.begun)
        for entry in decided.entries:
            if isinstance(entry, Observation | Motion):
                events += self._match.observe(entry)
            else:
                events += self._match.enter(entry)
        self._watcher = self._vision.watch(profile, moved_at=seconds)
        return self._recorded(events)

    def _report_unseen(self, span: UnseenSpan | None, when: Timestamp) -> list[Event]:
        """The event of a stretch in which the board could not be judged, if there was one."""
        return [] if span is None else self._match.enter(_unseen(span, when))

    def observe(self, observed: Observation | Motion, before: Iterable[Event] = ()) -> list[Event]:
        """Process what a frame showed; `before` are events that precede it, not recorded yet."""
        if isinstance(observed, Observation):
            observed = as_stored(self._owners.with_owners(observed))
        events = self._recorded([*before, *self._match.observe(observed)])
        if isinstance(observed, Observation):
            self._pending = self._match.pending_play() if self.is_watched else None
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
        begun: list[Event] = []
        if self._join is not None and self._join.best.turn_count:
            begun = self._begin_joined(self._join.best, seconds)
        unseen = self._report_unseen(self._coverage.end(), Timestamp(seconds, frame))
        return [*begun, *self._recorded([*unseen, *self._match.finish(seconds, frame)])]

    def _find_board(self, frame: Frame) -> BoardWatcher | None:
        profile = None if self._finder is None else self._finder.process(frame)
        if profile is None:
            return None
        cells = self._finder.joined_cells if isinstance(self._finder, BoardAcquisition) else None
        # A board that was learnt now stands in its expected position; one that is found again, or
        # joined, may have been found in the middle of a throw.
        is_expected = self._config.profile is None and cells is None
        moved_at = -inf if is_expected else frame.seconds
        if cells is not None:
            self._join = self._new_join(profile, cells, Timestamp(frame.seconds, frame.index))
        else:
            self._config = replace(self._config, profile=profile)
            self._match = self._new_match(profile)
        return self._vision.watch(profile, moved_at=moved_at)

    def _new_match(self, profile: Profile | None) -> ReplayableMatch:
        config, options = self._config, self._referee_options(profile)

        def referee_at(state: MatchState | None) -> Referee:
            known = config.resumed if state is None else state
            if known is not None:
                return Referee.resume(config.rules, known, **options)
            return _new_referee(config, options)

        return ReplayableMatch(referee_at, self._log)

    def _new_join(self, profile: Profile, cells: Ints, when: Timestamp) -> JoinSearch:
        """`cells`: (28,) what stands on the board, by the profile's numbering."""

        def referee_at(way: Orientation) -> Referee:
            mirrored = profile.pose.mirrored != way.is_mirrored
            options = self._referee_options(profile) | {"light_throws_right": not mirrored}
            return _new_referee(self._config, options)

        return JoinSearch(referee_at, self._config.rules, cells, when, self._began_at)

    def _referee_options(self, profile: Profile | None) -> dict[str, Any]:
        zone = None if profile is None else profile.throw_zone
        return {
            "light_throws_right": None if profile is None else not profile.pose.mirrored,
            "throw_zone": None if zone is None else tuple((float(x), float(y)) for x, y in zone),
            "is_manual": self._config.is_manual,
        }

    def _recorded(self, events: list[Event]) -> list[Event]:
        if events:
            self._keep(events)
            self._owners.learn(events)
            self._pending = None
        if self._watcher is not None and any(isinstance(one, POSITION_CHANGES) for one in events):
            self._watcher.set_baseline()
        return events


def _new_referee(config: MatchConfig, options: dict[str, Any]) -> Referee:
    return Referee(
        config.rules,
        light=config.light,
        dark=config.dark,
        length=config.length,
        start=config.start,
        rule_set=config.rule_set,
        **options,
    )


def _unseen(span: UnseenSpan, when: Timestamp) -> engine.Unseen:
    """The event of a stretch in which the board could not be judged."""
    return engine.Unseen(
        time=when.time,
        frame=when.frame,
        start=round(span.start, 3),
        end=round(span.end, 3),
        reason=span.reason,
    )


def _stored(observed: Observation | Motion) -> Observation | Motion:
    """What was observed as it is read back from the record."""
    return as_stored(observed) if isinstance(observed, Observation) else observed
