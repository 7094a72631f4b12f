"""One match at one board: frames in, recorded events out; the same object live and offline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

import engine
from calibration.pose import Pose
from calibration.profile import Profile
from engine import DieSeen, Event, MatchState, Phase, PlayMade, Position, Unseen
from engine.arrays import Image
from engine.dice_sets.owners import DiceOwners
from engine.events.record import UnseenReason
from engine.evidence.observation import Observation
from engine.evidence.orientation import Orientation
from engine.evidence.still_period import Motion, StillPeriod
from engine.match.corrections import Correction
from engine.match.prompt import prompt_of
from engine.message import Sentence, msg
from engine.referee import InMemoryLog, ObservationLog, ReplayableMatch, ReplaySteps
from engine.referee.join import JoinHypothesis
from engine.timestamp import Timestamp
from engine.turns.evidence import OPEN_QUALITY
from engine.turns.position_check import shows_position
from tableside.match.config import MatchConfig
from tableside.match.joining import IS_KNOWN, JoinedGame, Seen
from tableside.match.set_colours import set_colours
from tableside.match.view_quality import ViewQuality
from tableside.record.observation_codec import as_stored
from vision.board.locate import is_another_beside
from vision.reading.acquire import BoardAcquisition, BoardReacquisition
from vision.reading.coverage import Coverage
from vision.reading.reader import Reading
from vision.reading.scheduler import BoardWatcher
from vision.sources.frame import Frame
from webui.contracts.state import Colours, Numbering

Keep = Callable[[Sequence[Event]], object]
"""Makes events durable; a session returns no event before this has returned."""
POSITION_CHANGES = (
    *(engine.GameStart, PlayMade, engine.PlayRejected, engine.TakenBack),
    *(engine.GameEnd, engine.GameDrawn, engine.Unfinished, engine.Resumed),
)
"""Events after which the position on the board is not the one expected before."""
TWO_BOARDS: Final = msg("two boards are in view: point the camera at the one that is played on")
TURNED: Final = Orientation(is_turned=True)
MAX_SETTING_UP_SECONDS: Final = 180.0
"""Before the first game, in which nobody plays; whole games take longer."""
BoardFinder = BoardAcquisition | BoardReacquisition


def find_board(config: MatchConfig) -> BoardFinder:
    """A finder of the configured board, or of any board in the expected position."""
    if config.profile is None:
        has_begun = config.resumed is not None and config.resumed.games > 0
        may_join = config.start is None and not has_begun
        return BoardAcquisition(config.expected_position, config.rules.name, may_join=may_join)
    return BoardReacquisition(config.profile, engine.cell_counts(config.expected_position))


@dataclass(frozen=True, slots=True)
class BoardVision:
    """How a session sees its board; tests replace it with simulated observations."""

    find: Callable[[MatchConfig], BoardFinder] = find_board
    watch: Callable[..., BoardWatcher] = BoardWatcher
    colours: Callable[[Profile], Colours] = set_colours
    is_another_beside: Callable[[Image, Pose], bool] = is_another_beside


class Session:
    """One match at one board.

    Without a profile, it first waits for the board; then it observes, judges and records.
    """

    def __init__(
        self,
        config: MatchConfig,
        keep: Keep,
        log: ObservationLog | None = None,
        *,
        is_watched: bool = False,
        vision: BoardVision | None = None,
        seen_until: float | None = None,
    ) -> None:
        """`log` keeps observations and manual entries; by default in memory.

        is_watched: whether there is a page, which wants uncertain dice and plays early.

        seen_until: for a resumed match, the time of its newest event in seconds.
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
        self._joined: JoinedGame | None = None
        """The game joined midway, until the orientation of its board is known."""
        self._learnt_at: Timestamp | None = None
        """When the board was learned in its expected position, until it is first observed."""
        self._has_dropped_plays = False
        """Whether plays were seen of a game that ended before it was known which way it ran."""
        self._has_rival = False
        """Whether another board was beside this one when it was found."""
        self._view = ViewQuality(config.profile, seen_until)
        self._owners = DiceOwners()
        self._match = ReplayableMatch(config.referee, self._log)

    @property
    def state(self) -> MatchState:
        """The match so far."""
        return self._match.state

    @property
    def profile(self) -> Profile | None:
        """The board, once found and numbered."""
        return None if self._watcher is None or self._joined else self._watcher.profile

    @property
    def reading(self) -> Reading | None:
        """The newest reading of the board."""
        return None if self._watcher is None else self._watcher.reading

    @property
    def dice(self) -> tuple[DieSeen, ...]:
        """The dice on the table, as early as they can be read if that is wanted."""
        return () if self._watcher is None else self._watcher.dice

    @property
    def pending(self) -> PlayMade | None:
        """The play on the board at the newest observation, if the session is watched."""
        return self._pending

    @property
    def sees_board(self) -> bool:
        """Whether the last frame showed the board without a hand over it."""
        return self._watcher is not None and self._watcher.is_open and not self._view.is_blank

    @property
    def coverage(self) -> Coverage:
        """For how much of the time since the board was found it could be judged."""
        return self._view.coverage

    @property
    def is_idle(self) -> bool:
        """Whether nothing is moving and everything on the board has been read."""
        return self._watcher is not None and self._watcher.is_idle

    @property
    def is_searching(self) -> bool:
        """Whether the board is being searched for."""
        return self._watcher is None or self._watcher.obstacle == "lost"

    @property
    def trouble(self) -> Sentence | None:
        """What keeps the board from being judged, or soon will; None unless it persists.

        Also that it may be the wrong board, until the first play shows that it is not.
        """
        found = self._view.fault
        if found is None and self._watcher is not None:
            found = self._watcher.message
        is_in_doubt = self._watcher is not None and self._has_rival and not self.state.turns
        return found or self._view.message or (TWO_BOARDS if is_in_doubt else None)

    @property
    def lacks_cube(self) -> bool:
        """Whether the cube may be turned, but has not been seen, so that no double would be."""
        return self._match.lacks_cube

    @property
    def message(self) -> Sentence:
        """What the players should know now."""
        if self.trouble is not None:
            return self.trouble
        if self._watcher is None and self._finder is not None:
            return self._finder.message
        return prompt_of(self.state) if self._joined is None else self._joined.message

    @property
    def expected_position(self) -> Position:
        """The position that an undisturbed board shows now."""
        return replace(self._config, resumed=self.state).expected_position

    def watch(self, profile: Profile) -> None:
        """Watch the board of a profile from the next frame on, where it lies in open view."""
        self._config = replace(self._config, profile=profile)
        self._watcher = self._vision.watch(profile)

    def feed(self, frame: Frame) -> list[Event]:
        """Process the next frame; return the events that it made certain, already recorded."""
        when = Timestamp(frame.seconds, frame.index)
        image = self._view.lit(frame)
        if image is None:
            if self._watcher is not None:
                self._view.update(when, "blank")
            return []
        frame = replace(frame, image=image)
        shown: list[Seen] = []
        if self._watcher is None:
            self._watcher = self._find_board(frame)
            if self._watcher is None:
                return []
            shown += self._missed_games(when)
        watcher = self._watcher
        watcher.wants_early_dice = self.is_watched
        observed = watcher.process(frame)
        if isinstance(observed, Observation) and self._is_turned(observed):
            watcher, observed = self._turn_around(observed)
            shown.append(engine.BoardMoved(**when._asdict()))
        shown += self._missed_start(observed)
        if watcher.has_moved():
            shown.append(engine.BoardMoved(**when._asdict()))
        unseen = self._view.update(when, watcher.obstacle)
        if unseen is not None:
            shown.append(unseen)
        if watcher.was_disturbed:
            shown.append(Motion(*when))
        if self._joined is not None:
            shown += [] if observed is None else [observed]
            return self._follow(self._joined, shown, frame.seconds)
        events = self._taken_in(shown)
        return self._recorded(events) if observed is None else self.observe(observed, events)

    def _is_turned(self, observed: Observation) -> bool:
        """Whether the next game was set up from the table's other side.

        So it is if players who swap colors keep their seats, or if the board was turned around.
        """
        if self.state.phase is not Phase.OVER or observed.quality < OPEN_QUALITY:
            return False
        turned, rules = StillPeriod.of(TURNED.observation(observed)), self._config.rules
        return shows_position(turned, rules.opening(), rules)

    def _turn_around(self, observed: Observation) -> tuple[BoardWatcher, Observation]:
        """Number the points from the other side from now on; the new watcher, and what was seen."""
        assert self._watcher is not None  # noqa: S101
        profile = self._watcher.profile.renumbered(TURNED)
        self._config = replace(self._config, profile=profile)
        self._watcher = self._vision.watch(profile, moved_at=observed.seconds)
        return self._watcher, TURNED.observation(observed)

    def pause(self, when: Timestamp) -> list[Event]:
        """Judge nothing until the next frame is fed: what happens meanwhile is outside any turn.

        Returns the event for what was not seen before, already recorded.
        """
        unseen = self._view.pause(when)
        if unseen is None:
            return []
        if self._joined is not None:
            return self._follow(self._joined, [unseen], when.time)
        return self._recorded(self._taken_in([unseen]))

    def _follow(self, joined: JoinedGame, shown: Iterable[Seen], seconds: float) -> list[Event]:
        """Process what a frame showed while the board's orientation is open."""
        decided = joined.take_in(shown)
        if joined.is_refuted:
            self._has_dropped_plays |= joined.likeliest is not None
            self._watcher = self._joined = None
            self._finder = self._vision.find(self._config)
        return [] if decided is None else self._begin_joined(decided, seconds)

    @property
    def open_numberings(self) -> list[Numbering]:
        """The possible numberings of the points, while that is open and nobody has chosen one."""
        return [] if self._joined is None else self._joined.open_numberings

    def choose_orientation(self, way: Orientation) -> None:
        """Number the board as chosen once a play confirms it; raises `NotNow` if not open."""
        if self._joined is None:
            raise engine.NotNow(IS_KNOWN)
        self._joined.choose(way)

    def _begin_joined(self, decided: JoinHypothesis, seconds: float) -> list[Event]:
        """Record the game joined midway, with everything seen of it so far."""
        assert self._watcher is not None  # noqa: S101
        self._joined = None
        profile = self._watcher.profile.renumbered(decided.orientation)
        self._set_board(profile)
        self._watcher = self._vision.watch(profile, moved_at=seconds)
        return self._recorded(self._taken_in([decided.begun, *decided.entries]))

    def _missed_games(self, when: Timestamp) -> Iterator[Unseen]:
        """What passed before a board was learned in its expected position, if a game may have."""
        if self._learnt_at is None:
            return
        is_long = when.time - self._view.began_at > MAX_SETTING_UP_SECONDS
        if self._has_dropped_plays or is_long:
            reason: UnseenReason = "joined" if self._has_dropped_plays else "lost"
            missed = self._view.nothing_seen(when, reason)
            yield from () if missed is None else (missed,)

    def _missed_start(self, observed: Observation | Motion | None) -> Iterator[Event]:
        """The start of the game, if the board left its position before the first observation."""
        if self._learnt_at is None or not isinstance(observed, Observation):
            return
        if observed.quality < OPEN_QUALITY:
            return
        start = self._config.expected_position
        if self.state.position is None and not shows_position(
            StillPeriod.of(observed), start, self._config.rules
        ):
            yield engine.GameStart(**self._learnt_at._asdict(), position=start)
        self._learnt_at = None

    def _taken_in(self, entries: Iterable[Seen]) -> list[Event]:
        """The events that become certain through observations and events outside any turn."""
        events: list[Event] = []
        for entry in entries:
            if isinstance(entry, Event):
                events += self._match.enter(entry)
            else:
                events += self._match.observe(entry)
        return events

    def observe(self, observed: Observation | Motion, before: Iterable[Event] = ()) -> list[Event]:
        """Process what a frame showed; `before`: earlier events that are not recorded yet."""
        if isinstance(observed, Observation):
            observed = as_stored(self._owners.with_owners(observed))
        events = self._recorded([*before, *self._match.observe(observed)])
        if isinstance(observed, Observation):
            self._pending = self._match.pending_play() if self.is_watched else None
        return events

    def enter(self, event: Event) -> list[Event]:
        """Apply and record a manual entry; raises `EngineError` if it is impossible."""
        return self._recorded(self._match.enter(event))

    @property
    def can_undo(self) -> bool:
        """Whether there is a correction that can be undone."""
        return self._match.can_undo

    def correct(self, correction: Correction, when: Timestamp) -> ReplaySteps:
        """Correct the record and judge all that follows again; raises `EngineError` if impossible.

        Frames may be fed between the steps; they are judged at the end.
        """
        return self._recorded((yield from self._match.correct(correction, when)))

    def undo(self, when: Timestamp) -> ReplaySteps:
        """Undo the last correction in the same way; raises `NotNow` if there is none."""
        return self._recorded((yield from self._match.undo(when)))

    def finish(self, seconds: float, frame: int) -> list[Event]:
        """Record what is still pending at the end of the source, if it was observed completely."""
        begun: list[Event] = []
        if self._joined is not None and self._joined.likeliest is not None:
            begun = self._begin_joined(self._joined.likeliest, seconds)
        when = Timestamp(seconds, frame)
        unseen: Unseen | None = None
        if self._config.is_manual:
            pass  # nothing was to be seen
        elif self._watcher is None:
            unseen = self._view.nothing_seen(when, "lost")
        elif self.state.position is None:  # the board was seen, but no game began
            unseen = self._view.nothing_seen(when, "unread" if self._joined is None else "joined")
        else:
            unseen = self._view.end(when)
        events = [] if unseen is None else self._match.enter(unseen)
        return [*begun, *self._recorded([*events, *self._match.finish(seconds, frame)])]

    def _find_board(self, frame: Frame) -> BoardWatcher | None:
        profile = None if self._finder is None else self._finder.process(frame)
        if profile is None:
            return None
        self._has_rival = self._vision.is_another_beside(frame.image, profile.pose)
        cells = self._finder.joined_cells if isinstance(self._finder, BoardAcquisition) else None
        # A board that has just been learned is in its expected position; one that was found again,
        # or joined midway, may have been found in the middle of a throw.
        is_expected = self._config.profile is None and cells is None
        moved_at = -inf if is_expected else frame.seconds
        when = Timestamp(frame.seconds, frame.index)
        if cells is None:
            self._set_board(profile)
            self._learnt_at = when if is_expected else None
        else:
            began_at = self._view.began_at
            self._joined = JoinedGame(self._config, profile, cells, when, began_at)
        return self._vision.watch(profile, moved_at=moved_at)

    def _set_board(self, profile: Profile) -> None:
        """Judge by this board from now on; what was entered before it was found stays."""
        known = self.state if self.state.event_count else self._config.resumed
        self._config = replace(self._config, profile=profile, resumed=known)
        self._match = ReplayableMatch(self._config.referee, self._log)

    def _recorded(self, events: list[Event]) -> list[Event]:
        if events:
            self._keep(events)
            self._owners.learn(events)
            self._pending = None
        if self._watcher is not None and any(isinstance(one, POSITION_CHANGES) for one in events):
            self._watcher.set_baseline()
        return events
