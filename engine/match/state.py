"""`MatchState`: what the record says at this moment. A fold over the events, nothing else.

The page shows exactly this, and a `Referee` is resumed from exactly this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from engine.cube import CENTRED, STANDARD, Cube, CubeRules, DoublingContext, is_crawford
from engine.events.clock import Clock, clock_after
from engine.events.cup import CupDecided
from engine.events.match import (
    Beavered,
    Dice,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchEnd,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    PrematureRoll,
    Raccooned,
    TakenBack,
    TurnEnded,
    Uncertainty,
)
from engine.events.record import (
    Confirmed,
    Corrected,
    MatchClosed,
    PlayersNamed,
    PositionFound,
    PositionSet,
    Resumed,
    Unfinished,
)
from engine.match.leftover import outcome_of_play
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.prompt import prompt_of
from engine.position import Position, Side
from engine.rules import VARIANTS
from engine.ruleset import USUAL, RuleSet, TurnEndRule

PLACED: Final = 6
"""Positions that `MatchState.recent_positions` holds, at most."""

PLAY_UNCERTAIN: Final = "play"
"""The doubt of `PlayMade.uncertainties` that later sight can clear."""
DICE_UNCERTAIN: Final = "dice"
INFERRED: Final = "inferred"
"""The one that nobody need look at: it only says that the dice were not all read."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it is recorded."""

    game: int
    """1 for the first game of the match."""
    before: Position
    event: PlayMade
    rejected: bool = False

    @property
    def needs_review(self) -> bool:
        """Whether somebody should look at it."""
        return self.event.review and not self.rejected


@dataclass(frozen=True, slots=True)
class MatchState:
    """The match after some events; `after` gives the next state and changes nothing."""

    phase: Phase = Phase.WAITING
    variant: str = "short"
    light: str = "Light"
    dark: str = "Dark"
    length: int = 0
    score: tuple[int, int] = (0, 0)
    """Light's and dark's points."""
    games: int = 0
    """Games begun."""
    position: Position | None = None
    to_move: Side | None = None
    """None: nobody yet (no game, or the starter is not known)."""
    roll: Dice | None = None
    """The dice that lie on the board and count."""
    leftover: tuple[int, ...] = ()
    """What the opponent's double left to whoever is on turn: he moves it before he rolls."""
    turns: tuple[Turn, ...] = ()
    """Every turn of the match, rejected ones too, oldest first."""
    last_event: Event | None = None
    rule_set: RuleSet = USUAL
    cube_rules: CubeRules = STANDARD
    cube: Cube = CENTRED
    is_crawford: bool = False
    crawford_was_played: bool = False
    """Whether the Crawford game is over or being played."""
    starter: Side | None = None
    """Who begins by the opening roll or by the last game; None if neither told."""
    roll_counts: tuple[int, int] = (0, 0)
    """How often light and dark have rolled in this game."""
    turn_end_declared: bool = False
    """Whether somebody has said that the turn in progress is over."""
    previous_turn_end_declared: bool = False
    """Whether somebody has said so of the turn before it."""
    owes_clock_press: Side | None = None
    """Whose clock still ran when his opponent threw."""
    clock: Clock | None = None
    """None where none is used."""
    winner: Side | None = None
    """Who has won the match."""
    was_closed: bool = False
    """Whether somebody ended it by hand."""
    unresolved_games: tuple[int, ...] = ()
    """The games that were broken off and whose result nobody has told yet."""
    recent_positions: tuple[tuple[int, Position], ...] = ()
    """The last positions, each with the frame from which on it stood."""
    event_count: int = field(default=0, compare=False)
    """How many events led here."""
    previous: MatchState | None = field(default=None, compare=False, repr=False)
    """The state before the last of them."""

    def after(self, event: Event) -> MatchState:
        """The state when `event` has happened too; unknown events only become `last`."""
        match event:
            case Corrected():
                return self.at(event.keep)
            case Confirmed():
                changed = self._confirmed(event)
            case Doubled() | Beavered() | Raccooned() | DoubleTaken() | DoubleDropped():
                changed = self._cube_turned(event)
            case _:
                changed = self._changed(event)
        is_between = changed.phase in BETWEEN_GAMES
        clock = clock_after(changed.clock, event, is_between=is_between)
        placed = self.recent_positions
        if changed.position is not None and changed.position is not self.position:
            placed = (*placed[1 - PLACED :], (event.frame, changed.position))
        told = self.event_count + 1
        return replace(
            changed,
            clock=clock,
            last_event=event,
            recent_positions=placed,
            event_count=told,
            previous=self,
        )

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to come: it was won, or ended by hand."""
        return self.was_closed or 0 < self.length <= max(self.score)

    def at(self, told: int) -> MatchState:
        """The state that the first `told` events led to; `ValueError` where there were fewer."""
        state = self
        while state.event_count > told:
            if state.previous is None:
                raise ValueError(f"the record does not go back to event {told}")
            state = state.previous
        return state

    def _confirmed(self, event: Confirmed) -> MatchState:
        """The turn without its doubt about the play; what was not doubted for that stays so."""
        index = event.turn - 1
        if not 0 <= index < len(self.turns):
            return self
        turn = self.turns[index]
        made = confirm(turn.event, event)
        turns = (*self.turns[:index], replace(turn, event=made), *self.turns[index + 1 :])
        return replace(self, turns=turns)

    def _changed(self, event: Event) -> MatchState:
        match event:
            case GameStart():
                return self._started(event)
            case OpeningRolled() | DiceRolled() | DiceVoid() | CupDecided():
                return self._thrown(event)
            case PlayMade():
                return self._played(event)
            case PlayRejected() | TakenBack() | PlayAccepted() | PositionSet() | PositionFound():
                return self._answered(event)
            case Unfinished() | Resumed() | GameEnd() | GameDrawn() | MatchEnd():
                return self._closed(event)
            case _:
                return self._managed(event)

    def _managed(self, event: Event) -> MatchState:
        """What is said of the match itself."""
        match event:
            case PlayersNamed():
                return replace(self, light=event.light, dark=event.dark)
            case MatchClosed():
                return replace(self, phase=Phase.OVER, to_move=None, roll=None, was_closed=True)
            case TurnEnded():
                is_late = self.to_move is event.player.other
                return replace(
                    self,
                    owes_clock_press=None,
                    turn_end_declared=self.turn_end_declared or not is_late,
                )
            case PrematureRoll() if self.rule_set.turn_end is TurnEndRule.CLOCK:
                return replace(self, owes_clock_press=event.player.other)
            case _:
                return self

    def _started(self, event: GameStart) -> MatchState:
        rule_set = event.rule_set or self.rule_set
        cube_rules = self.cube_rules if event.rule_set is None else event.rule_set.cube
        begun = replace(
            self,
            rule_set=rule_set,
            cube_rules=cube_rules,
            cube=CENTRED,
            is_crawford=False,
            starter=event.starter,
            roll_counts=(0, 0),
            winner=None,
            phase=Phase.TO_ROLL,
            variant=event.variant,
            light=event.light,
            dark=event.dark,
            length=event.length,
            score=event.score,
            games=self.games + 1,
            position=event.position,
            to_move=event.starter,
            roll=None,
            leftover=(),
        )
        return begun.with_crawford()

    def with_crawford(self) -> MatchState:
        """The state once the score has told whether the game in play is the Crawford game."""
        was_played = self.crawford_was_played and not self.is_crawford
        crawford = self.cube_rules.crawford and is_crawford(
            self.length, self.score, was_played=was_played
        )
        return replace(self, is_crawford=crawford, crawford_was_played=was_played or crawford)

    def _thrown(self, event: OpeningRolled | DiceRolled | DiceVoid | CupDecided) -> MatchState:
        match event:
            case OpeningRolled(light=int(), dark=int()):
                return self._opened(event)
            case DiceRolled():
                return self.after_roll(event.player, event.dice)
            case DiceVoid():
                # A void roll answers no illegal play: that still waits.
                disputed = self.phase is Phase.DISPUTED
                phase = Phase.DISPUTED if disputed else Phase.TO_ROLL
                return replace(self, phase=phase, to_move=event.player, roll=None)
            case CupDecided() if self.phase is Phase.TO_PLAY:
                return replace(self, roll=event.dice)
            case _:
                return self

    def _opened(self, event: OpeningRolled) -> MatchState:
        """The opening dice: the higher begins, with both where the variant plays them."""
        assert event.light is not None  # noqa: S101 (the caller has looked)
        assert event.dark is not None  # noqa: S101
        if event.light == event.dark:
            return replace(
                self, cube=self.cube.doubled_by_dice(self.doubling_context, self.cube_rules)
            )
        starter = Side.LIGHT if event.light > event.dark else Side.DARK
        opened = replace(self, to_move=starter, starter=starter, phase=Phase.TO_ROLL)
        rules = VARIANTS.get(self.variant)
        if rules is not None and rules.starter_rolls_again:
            return opened
        high, low = max(event.light, event.dark), min(event.light, event.dark)
        return opened.after_roll(starter, (high, low))

    def after_roll(self, side: Side, dice: Dice) -> MatchState:
        """The state when `side` has thrown `dice` that count."""
        light, dark = self.roll_counts
        rolls = (light + 1, dark) if side is Side.LIGHT else (light, dark + 1)
        return replace(self, phase=Phase.TO_PLAY, to_move=side, roll=dice, roll_counts=rolls)

    def _cube_turned(
        self, event: Doubled | Beavered | Raccooned | DoubleTaken | DoubleDropped
    ) -> MatchState:
        """The cube as the record tells it, also where it was turned against the rules."""
        match event:
            case Doubled():
                cube, side, phase = (
                    self.cube.turned(event.player),
                    event.player.other,
                    Phase.DOUBLED,
                )
            case Beavered() | Raccooned():
                cube, side = self.cube.turned_back(event.player), event.player.other
                phase = Phase.DOUBLED
            case DoubleTaken() if self.cube.offer is not None:
                # Who doubled first rolls, whatever was turned since: the other keeps the cube.
                cube, side = self.cube.taken(), self.cube.offer.keeper.other
                phase = Phase.TO_ROLL
            case DoubleTaken():
                return self
            case DoubleDropped():
                return replace(self, phase=Phase.OVER, to_move=None, roll=None)
        return replace(self, cube=cube, to_move=side, phase=phase)

    def _played(self, event: PlayMade) -> MatchState:
        before = event.position if self.position is None else self.position
        turns = (*self.turns, Turn(self.games, before, event))
        if self.leftover and event.dice is None and event.player is self.to_move:
            # What was left to him; his own roll is still to come, or to be played.
            return replace(self, position=event.position, leftover=(), turns=turns)
        rules = VARIANTS[self.variant]
        left = outcome_of_play(before, event.player, event.dice, event.position, rules)
        return replace(
            self,
            phase=Phase.DISPUTED if isinstance(event, IllegalMade) else Phase.TO_ROLL,
            position=event.position,
            to_move=event.player if left.rolls_again else event.player.other,
            roll=None,
            leftover=left.leftover,
            turns=turns,
            previous_turn_end_declared=self.turn_end_declared,
            turn_end_declared=False,
            owes_clock_press=self.owes_clock_press
            if self.owes_clock_press is event.player
            else None,
        )

    def _answered(
        self, event: PlayRejected | TakenBack | PlayAccepted | PositionSet | PositionFound
    ) -> MatchState:
        """What becomes of a play, or of the position, by somebody's word."""
        match event:
            case PlayAccepted():
                return replace(self, phase=Phase.TO_ROLL)
            case PositionSet():
                return self._set_up(event)
            case PositionFound():
                return replace(self, position=event.position)
            case _:
                return self._rejected()

    def _set_up(self, event: PositionSet) -> MatchState:
        return replace(
            self,
            phase=Phase.TO_ROLL,
            position=event.position,
            leftover=(),
            to_move=event.to_move,
            starter=self.starter if self.starter is not None else event.to_move,
            roll=None,
        )

    def _rejected(self) -> MatchState:
        if not self.turns:
            return self
        *earlier, turn = self.turns
        return replace(
            self,
            phase=Phase.TO_PLAY,
            position=turn.before,
            to_move=turn.event.player,
            roll=turn.event.dice,
            leftover=(),
            turns=(*earlier, replace(turn, rejected=True)),
        )

    def _closed(self, event: Unfinished | Resumed | GameEnd | GameDrawn | MatchEnd) -> MatchState:
        over = replace(self, phase=Phase.OVER, to_move=None, roll=None)
        match event:
            case Unfinished():
                return replace(
                    over,
                    phase=Phase.UNFINISHED,
                    unresolved_games=(*self.unresolved_games, event.game),
                )
            case Resumed():
                asked = tuple(game for game in self.unresolved_games if game != event.game)
                return replace(
                    over, phase=Phase.TO_ROLL, to_move=event.player, unresolved_games=asked
                )
            case GameEnd():
                return self._ended(event, over)
            case GameDrawn():
                light, dark = self.score
                return replace(over, score=(light + event.points, dark + event.points))
            case MatchEnd():
                return replace(over, winner=event.winner, score=event.score)

    def _ended(self, event: GameEnd, over: MatchState) -> MatchState:
        """The points are given; a game told of later leaves the one in play as it is."""
        light, dark = self.score
        score = (light + event.points, dark)
        if event.winner is Side.DARK:
            score = (light, dark + event.points)
        game = self.games if event.game is None else event.game
        asked = tuple(one for one in self.unresolved_games if one != game)
        if game == self.games:
            return replace(over, score=score, unresolved_games=asked)
        return replace(self, score=score, unresolved_games=asked).with_crawford()

    def position_at(self, frame: int) -> Position | None:
        """What stood at a frame not long ago; None before the first of the last `PLACED`."""
        stood = (position for since, position in reversed(self.recent_positions) if since <= frame)
        return next(stood, None)

    @property
    def doubling_context(self) -> DoublingContext:
        """What decides about doubling."""
        after = self.crawford_was_played and not self.is_crawford
        return DoublingContext(self.length, self.is_crawford, after, self.roll_counts)

    @property
    def current_game_turns(self) -> tuple[Turn, ...]:
        """The turns of the game in play that stand."""
        return tuple(turn for turn in self.effective_turns if turn.game == self.games)

    @property
    def first_player(self) -> Side | None:
        """Who began the game in play, by lots, by the last game or by playing first."""
        if self.starter is not None:
            return self.starter
        return next((turn.event.player for turn in self.current_game_turns), None)

    @property
    def effective_turns(self) -> tuple[Turn, ...]:
        """The turns that stand: all but the rejected ones."""
        return tuple(turn for turn in self.turns if not turn.rejected)

    @property
    def turns_to_review(self) -> tuple[Turn, ...]:
        """The turns that somebody should look at."""
        return tuple(turn for turn in self.turns if turn.needs_review)

    @property
    def pips(self) -> tuple[int, int] | None:
        """Light's and dark's pip counts."""
        if self.position is None:
            return None
        return self.position.pips(Side.LIGHT), self.position.pips(Side.DARK)

    @property
    def message(self) -> str:
        """What happens next, in words for the players."""
        return prompt_of(self)

    def name(self, side: Side) -> str:
        """The name of the player of `side`."""
        return self.light if side is Side.LIGHT else self.dark


def confirm(made: PlayMade, event: Confirmed) -> PlayMade:
    """The play once it is confirmed: by hand of everything, by sight of which play it was."""
    left = () if event.by == "hand" else made.uncertainties
    left = tuple(one for one in left if one != PLAY_UNCERTAIN)
    return replace(made, confidence=event.confidence, uncertainties=left, review=needs_review(left))


def needs_review(uncertainties: Iterable[Uncertainty]) -> bool:
    """Whether somebody should look at a play with these uncertainties."""
    return any(one != INFERRED for one in uncertainties)


def fold(events: Iterable[Event], start: MatchState | None = None) -> MatchState:
    """The state after all `events`, in their order."""
    state = MatchState() if start is None else start
    for event in events:
        state = state.after(event)
    return state
