"""`Session`: frames in, recorded events out; the same object live and offline.

It waits for the board where no profile is given, then looks, judges and records. Events are
durable before `feed` returns them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf

from calibration.profile import Profile
from engine import (
    BoardMoved,
    DieSeen,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    MatchState,
    PlayMade,
    PlayRejected,
    Referee,
    Resumed,
    TakenBack,
    Unfinished,
    cell_counts,
)
from engine.dice_sets.owners import DiceOwners
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.match.corrections import Correction
from engine.referee.replay import InMemoryLog, ObservationLog, ReplayableMatch, ReplaySteps, run
from engine.timestamp import Timestamp
from tableside.match.config import MatchConfig
from tableside.record.observation_codec import as_stored
from vision.reading.acquire import BoardAcquisition, BoardReacquisition
from vision.reading.reader import Reading
from vision.reading.scheduler import BoardWatcher
from vision.sources.frame import Frame

Keep = Callable[[Sequence[Event]], object]
"""Makes events durable; a session never shows an event before this has returned."""


class Session:
    """One match at one board."""

    def __init__(
        self,
        plan: MatchConfig,
        keep: Keep,
        log: ObservationLog | None = None,
        *,
        is_watched: bool = False,
    ) -> None:
        """`log`: where what is seen and said is kept; by default it goes with the session.

        is_watched: whether somebody wants to know early what is not certain yet.
        """
        self._plan = plan
        self._keep = keep
        self._is_watched = is_watched
        self._pending: PlayMade | None = None
        self._log = InMemoryLog() if log is None else log
        self._arrival = None if plan.is_manual else _arrival_of(plan)
        self._watch: BoardWatcher | None = None
        self._owners = DiceOwners()
        self._hearing = self._new_hearing(None)

    @property
    def state(self) -> MatchState:
        """The match so far."""
        return self._hearing.state

    @property
    def profile(self) -> Profile | None:
        """The board, once it is found."""
        return None if self._watch is None else self._watch.profile

    @property
    def reading(self) -> Reading | None:
        """What was seen last."""
        return None if self._watch is None else self._watch.reading

    @property
    def dice(self) -> tuple[DieSeen, ...]:
        """The dice that lie there, as early as they can be told where that is wanted."""
        return () if self._watch is None else self._watch.dice

    @property
    def pending(self) -> PlayMade | None:
        """The play that lay there at the newest look, where somebody watches."""
        return self._pending

    @property
    def sees_board(self) -> bool:
        """Whether the last frame showed the board with no hand over it."""
        return self._watch is not None and self._watch.is_open

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves and all that lies there was read."""
        return self._watch is not None and self._watch.is_idle

    @property
    def message(self) -> str:
        """What the players should know now, in words."""
        if self._watch is not None:
            return str(self._watch.message or self.state.message)
        return str(self.state.message if self._arrival is None else self._arrival.message)

    def feed(self, frame: Frame) -> list[Event]:
        """Take in the next frame; what it made certain, already recorded."""
        if self._watch is None:
            self._watch = self._arrived(frame)
            if self._watch is None:
                return []
        look = self._watch.process(frame)
        if look is None:
            return []
        moved = BoardMoved(time=frame.seconds, frame=frame.index)
        told = self._hearing.enter(moved) if self._watch.has_moved() else []
        return self.see(look, told)

    def see(self, look: Observation | Motion, told: Iterable[Event] = ()) -> list[Event]:
        """Take in what a watch has made of a frame; `told` is what it told before."""
        if isinstance(look, Observation):
            look = as_stored(self._owners.with_owners(look))
        events = self._recorded([*told, *self._hearing.observe(look)])
        if self._is_watched and isinstance(look, Observation):
            self._pending = self._hearing.pending_play()
        return events

    def told(self, event: Event) -> list[Event]:
        """What the players say by hand, recorded; `EngineError` if it cannot be."""
        return self._recorded(self._hearing.enter(event))

    @property
    def can_undo(self) -> bool:
        """Whether something was put right that can be taken back."""
        return self._hearing.can_undo

    def correct(self, order: Correction, when: Timestamp) -> list[Event]:
        """What somebody puts right, recorded with all that follows; `EngineError` if it cannot."""
        return run(self.correcting(order, when))

    def correcting(self, order: Correction, when: Timestamp) -> ReplaySteps:
        """The same bit by bit: frames may be fed in between, and are judged at the end."""
        return self._recorded((yield from self._hearing.correct(order, when)))

    def undoing(self, when: Timestamp) -> ReplaySteps:
        """The last correction taken back, bit by bit; `NotNow` if there is none."""
        return self._recorded((yield from self._hearing.undo(when)))

    def finish(self, seconds: float, frame: int) -> list[Event]:
        """The source has ended: record what is still pending, if it was seen whole."""
        return self._recorded(self._hearing.finish(seconds, frame))

    def _arrived(self, frame: Frame) -> BoardWatcher | None:
        profile = None if self._arrival is None else self._arrival.process(frame)
        if profile is None:
            return None
        self._plan = replace(self._plan, profile=profile)
        self._hearing = self._new_hearing(profile)
        # A board that is learnt stands as it should, whatever comes next; one that is found again
        # may be so in the middle of a throw.
        is_known = isinstance(self._arrival, BoardReacquisition)
        moved_at = frame.seconds if is_known else -inf
        return BoardWatcher(profile, early_dice=self._is_watched, moved_at=moved_at)

    def _new_hearing(self, profile: Profile | None) -> ReplayableMatch:
        throws_right = None if profile is None else not profile.pose.mirrored
        zone = None if profile is None else _zone(profile)
        plan = self._plan

        def referee_at(state: MatchState | None) -> Referee:
            known = plan.resumed if state is None else state
            if known is not None:
                return Referee.resume(
                    plan.rules,
                    known,
                    light_throws_right=throws_right,
                    throw_zone=zone,
                    is_manual=plan.is_manual,
                )
            return Referee(
                plan.rules,
                light=plan.light,
                dark=plan.dark,
                length=plan.length,
                start=plan.start,
                light_throws_right=throws_right,
                throw_zone=zone,
                rule_set=plan.rule_set,
                is_manual=plan.is_manual,
            )

        return ReplayableMatch(referee_at, self._log)

    def _recorded(self, events: list[Event]) -> list[Event]:
        if events:
            self._keep(events)
            self._owners.learn(events)
            self._pending = None
        if self._watch is not None and _moves_the_position(events):
            self._watch.set_baseline()
        return events


def _arrival_of(plan: MatchConfig) -> BoardAcquisition | BoardReacquisition:
    """What knows the board when it comes into view."""
    if plan.profile is None:
        return BoardAcquisition(plan.expected_position, plan.rules.name)
    return BoardReacquisition(plan.profile, cell_counts(plan.expected_position))


def _zone(profile: Profile) -> tuple[tuple[float, float], ...] | None:
    """Where dice are thrown, as the referee takes it."""
    zone = profile.throw_zone
    return None if zone is None else tuple((float(x), float(y)) for x, y in zone)


def _moves_the_position(events: Iterable[Event]) -> bool:
    kinds = (
        *(GameStart, PlayMade, PlayRejected, TakenBack),
        *(GameEnd, GameDrawn, Unfinished, Resumed),
    )
    return any(isinstance(event, kinds) for event in events)
