"""`Referee`: quiet looks in, events out. Sans-I/O; live and offline run the same object.

A turn: a throw comes to rest, checkers move, the dice are lifted (or the next throw lies there)
and the play is final. Who throws follows from the turns, never from the colour of the dice.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log
from typing import Final

from engine.dice import ALL_ROLLS
from engine.events import (
    Dice,
    DiceRolled,
    DiceVoid,
    Event,
    GameEnd,
    GameStart,
    IllegalMade,
    PlayAccepted,
    PlayMade,
    PlayRejected,
)
from engine.evidence import Observation
from engine.inference import Illegal, NothingYet, Unsure
from engine.looks import Busy, Stretch
from engine.match import MatchState, Phase
from engine.play import NO_PLAY
from engine.position import Position, Side
from engine.rules import Rules
from engine.ruling import (
    Ruling,
    best_candidate,
    find_histories,
    is_settled,
    made_event,
    rule_on,
    slipped,
)
from engine.scoring import Scores
from engine.standing import shows_position, shows_replay
from engine.throw import Throw
from engine.turn import TurnSeen

SURE_ROLL: Final = 0.95
"""A throw is announced before its play when it is read this surely."""
LIKELY: Final = 0.5
"""A turn whose dice nobody saw is recorded from this probability on, for review."""
CERTAIN: Final = 1e-4
"""What a recorded roll leaves to the other rolls when its dice are not seen any more."""


class Referee:
    """Turns what was seen into what happened.

    Its public state is `state`, the fold of all events that it gave; what else it keeps is only
    evidence of the turn in progress.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        light: str = "Light",
        dark: str = "Dark",
        length: int = 0,
        start: Position | None = None,
        light_throws_right: bool | None = None,
    ) -> None:
        """Wait for `start`, the opening position by default.

        light_throws_right: whether light's right hand is the half with x > 0.5 of the field;
        None: the half of a throw is not judged, only that both dice lie in one.
        """
        self.rules = rules
        self._state = MatchState(variant=rules.name, light=light, dark=dark, length=length)
        self._start = start
        self._light_throws_right = light_throws_right
        self._past = TurnSeen()
        self._current: Stretch | None = None
        self._unowned: list[Throw] = []

    @classmethod
    def resume(
        cls, rules: Rules, state: MatchState, *, light_throws_right: bool | None = None
    ) -> Referee:
        """A referee that goes on from a folded record."""
        referee = cls(rules, light_throws_right=light_throws_right)
        referee._state = state
        return referee

    @property
    def state(self) -> MatchState:
        """Everything that the events so far say."""
        return self._state

    @property
    def position(self) -> Position | None:
        """The position on the board before the turn in progress."""
        return self._state.position

    @property
    def to_move(self) -> Side | None:
        """Who rolls or plays; None while nobody knows."""
        return self._state.to_move

    @property
    def roll(self) -> Dice | None:
        """The roll being played."""
        return self._state.roll

    @property
    def phase(self) -> Phase:
        """What happens next."""
        return self._state.phase

    @property
    def message(self) -> str:
        """The phase in words for the players."""
        return self._state.message

    def see(self, seen: Observation | Busy) -> list[Event]:
        """Take in one quiet look, or that a hand is over the board; give what became certain."""
        if isinstance(seen, Busy):
            self._close_stretch()
            return []
        look = Stretch.of(seen)
        if self._current is None or not self._current.continues_with(look):
            self._close_stretch()
            self._current = look
        else:
            self._current = self._current + look
        return list(self._decide(self._current))

    def finish(self, time: float, frame: int) -> list[Event]:
        """The video is over: record the last play if it was seen whole."""
        self._close_stretch()
        seen = self._past
        if self.phase in (Phase.WAITING, Phase.OVER, Phase.DISPUTED):
            return []
        if seen.throw is None and seen.blank is None:
            return []
        ruling = self._rule(seen)
        if isinstance(ruling.verdict, NothingYet):
            dropped = seen.throw is not None and seen.lifted is not None and not seen.is_replay
            return list(self._void(seen.throw, time, frame)) if dropped and seen.throw else []
        if isinstance(ruling.verdict, Unsure) and seen.lifted is None:
            return []
        return list(self._record(ruling, seen, time, frame))

    def _close_stretch(self) -> None:
        if self._current is not None:
            self._past, _ = self._past.with_stretch(self._current)
            self._current = None

    def _emit(self, event: Event) -> Event:
        self._state = self._state.after(event)
        return event

    def _decide(self, stretch: Stretch) -> Iterator[Event]:
        if self.phase in (Phase.WAITING, Phase.OVER):
            yield from self._await_start(stretch)
        # Twice: the look that ends a turn with an illegal play may show its acceptance too.
        for _ in range(2):
            if self.phase is Phase.DISPUTED:
                yield from self._settle_dispute(stretch)
            if self.phase in (Phase.TO_ROLL, Phase.TO_PLAY):
                yield from self._follow(stretch)
            if self.phase is not Phase.DISPUTED:
                return

    def _await_start(self, stretch: Stretch) -> Iterator[Event]:
        wanted = self._start or self.rules.opening()
        if not shows_position(stretch, wanted, self.rules):
            return
        self._start = None
        self._past = TurnSeen()
        state = self._state
        yield self._emit(
            GameStart(
                time=stretch.last_seconds,
                frame=stretch.last_frame,
                position=wanted,
                variant=self.rules.name,
                light=state.light,
                dark=state.dark,
                length=state.length,
                score=state.score,
            )
        )

    def _settle_dispute(self, stretch: Stretch) -> Iterator[Event]:
        """An illegal play stands until the opponent rolls, or the checkers go back."""
        turn = self._state.turns[-1]
        seen, _ = self._past.with_stretch(stretch)
        made, when = turn.made, (stretch.last_seconds, stretch.last_frame)
        taken_back = shows_replay(
            stretch, made.position, turn.before, made.player, made.dice, self.rules
        )
        if taken_back:
            self._past = TurnSeen(lying=self._past.lying, is_replay=True)
            yield self._emit(PlayRejected(time=when[0], frame=when[1], player=made.player.other))
        elif seen.throw is not None:
            yield self._emit(PlayAccepted(time=when[0], frame=when[1], player=made.player.other))

    def _follow(self, stretch: Stretch) -> Iterator[Event]:
        when = stretch.last_seconds, stretch.last_frame
        seen, arrived = self._past.with_stretch(stretch)
        if arrived:
            yield from self._end_turn(self._past, stretch)
            seen, _ = self._past.with_stretch(stretch)
        elif self._past.throw is None and seen.throw is not None:
            yield from self._catch_up(stretch)
            seen, _ = self._past.with_stretch(stretch)
        elif seen.lifted is not None and not seen.is_replay:
            ruling = self._rule(seen)
            if is_settled(ruling.verdict) and not self._is_pass(ruling):
                yield from self._record(ruling, seen, *when)
                return
        if self.phase is Phase.TO_ROLL and seen.throw is not None:
            yield from self._announce(seen.throw, *when)

    def _end_turn(self, seen: TurnSeen, arrival: Stretch) -> Iterator[Event]:
        """A new throw lies there: whatever is pending is decided now."""
        when = arrival.last_seconds, arrival.last_frame
        ruling = max(
            (self._rule(seen, arrival, arrival), self._rule(seen, following=arrival)),
            key=lambda one: is_settled(one.verdict),
        )
        if not isinstance(ruling.verdict, NothingYet):
            yield from self._record(ruling, seen, *when)
        elif seen.throw is not None:
            yield from self._void(seen.throw, *when)
            self._past = seen.next()

    def _catch_up(self, stretch: Stretch) -> Iterator[Event]:
        """Record the turn before the first throw, if there was one whose dice nobody saw."""
        if self._past.blank is None:
            return
        rulings = [self._rule(self._past, arrival) for arrival in (None, stretch)]
        best = [best_candidate(ruling.verdict) for ruling in rulings]
        if all(one is not None and one.p >= LIKELY for one in best):
            yield from self._record(
                rulings[1], self._past, stretch.last_seconds, stretch.last_frame
            )

    @staticmethod
    def _is_pass(ruling: Ruling) -> bool:
        """Whether nothing was moved: until the next throw lies there, that may be a void throw."""
        best = best_candidate(ruling.verdict)
        return best is not None and not best.play.moves

    def _rule(
        self,
        seen: TurnSeen,
        arrival: Stretch | None = None,
        following: Stretch | None = None,
    ) -> Ruling:
        histories = find_histories(self._state, seen, self.rules)
        rolls, hand = self._rolls(seen), self._light_throws_right
        ruling = rule_on(seen, histories, self.rules, rolls, hand, arrival, following)
        if isinstance(ruling.verdict, Unsure | Illegal) and self._state.to_move is not None:
            rivals = (*histories, slipped(histories[0]))
            ruling = rule_on(seen, rivals, self.rules, rolls, hand, arrival, following)
        return ruling

    def _rolls(self, seen: TurnSeen) -> Scores:
        """(21,) what the dice show, or what the record says of dice that are gone."""
        rolls = seen.rolls()
        known = self._state.roll
        if seen.throw is None and known is not None and None not in known:
            rolls[:] = log(CERTAIN / len(ALL_ROLLS))
            rolls[[(roll.high, roll.low) for roll in ALL_ROLLS].index(known)] = log(1 - CERTAIN)  # type: ignore[arg-type]
        return rolls

    def _announce(self, throw: Throw, time: float, frame: int) -> Iterator[Event]:
        """Tell a throw as soon as it is clear, that it counts, and whose it is."""
        side = self._state.to_move or throw.roller
        p = exp(float(throw.rolls().max()))
        if side is None or p < SURE_ROLL or len(throw.tracks) < 2:
            return
        if max(throw.faults(side, self._light_throws_right).values()) < 0.5:
            yield self._emit(
                DiceRolled(time=time, frame=frame, player=side, dice=throw.dice, confidence=p)
            )

    def _void(self, throw: Throw, time: float, frame: int) -> Iterator[Event]:
        side = self._state.to_move or throw.roller
        if side is None:
            self._unowned.append(throw)
        else:
            yield self._emit(self._void_event(throw, side, time, frame))

    def _void_event(self, throw: Throw, side: Side, time: float, frame: int) -> DiceVoid:
        faults = throw.faults(side, self._light_throws_right)
        reason = max(faults, key=lambda name: (faults[name], name == "cocked"))
        return DiceVoid(time=time, frame=frame, player=side, reason=reason, dice=throw.dice)

    def _record(self, ruling: Ruling, seen: TurnSeen, time: float, frame: int) -> Iterator[Event]:
        """The play, and all that belongs to it: earlier voids, its roll, the end of the game."""
        made = made_event(ruling, seen, self._rolls(seen), time, frame)
        for throw in self._unowned:
            yield self._emit(self._void_event(throw, made.player, throw.seconds, throw.frame))
        self._unowned.clear()
        if ruling.history.passed:
            # It was over before the throw that it makes way for.
            rolled = (time, frame) if seen.throw is None else (seen.throw.seconds, seen.throw.frame)
            yield self._emit(self._silent_pass(made, *rolled))
        roll_told = self._state.phase is Phase.TO_PLAY and self._state.to_move is made.player
        if seen.throw is not None and made.dice is not None and not roll_told:
            yield self._emit(
                DiceRolled(
                    time=seen.throw.seconds,
                    frame=seen.throw.frame,
                    player=made.player,
                    dice=made.dice,
                    confidence=made.confidence,
                )
            )
        yield self._emit(made)
        self._past = seen.next()
        outcome = self.rules.outcome(made.position)
        if outcome is not None and not isinstance(made, IllegalMade):
            yield self._emit(
                GameEnd(
                    time=time,
                    frame=frame,
                    winner=outcome.winner,
                    points=outcome.points,
                    result=outcome.result,
                )
            )

    def _silent_pass(self, made: PlayMade, time: float, frame: int) -> PlayMade:
        assert self._state.position is not None, "no game has begun"  # noqa: S101
        return PlayMade(
            time=time,
            frame=frame,
            player=made.player.other,
            dice=None,
            play=NO_PLAY,
            position=self._state.position,
            confidence=made.confidence,
            review=made.review,
        )
