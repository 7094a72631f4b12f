"""A match of any variant, played by calls: `Game`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.arrays import Rng
from engine.dice import Roll, as_dice, random_dice
from engine.errors import IllegalPlay, InvalidPosition, NotNow
from engine.events.match import (
    Beavered,
    DiceRolled,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    OpeningRolled,
    PlayMade,
    Raccooned,
    Resigned,
)
from engine.events.record import PositionSet
from engine.match.board_text import board_text
from engine.match.phase import Phase
from engine.match.prompt import prompt_of
from engine.match.state import MatchState, Turn
from engine.play import Play
from engine.position import CHECKERS, Position, Setup, Side
from engine.referee import Referee
from engine.referee.manual import check_to_play, roll_to_play
from engine.rules import Rules, check_new_match, find_rules
from engine.rules.kush_turn import KushTurn, begin_leftover, begin_roll
from engine.rules.legal import LegalPlay, LegalPlays, apply_play, leftover_plays, legal_plays
from engine.ruleset import USUAL, RuleSet
from engine.turns.opening import awaits_opening_roll


class Game:
    """A match, game by game.

    What the rules do not allow raises an `EngineError` and changes nothing. A roll that allows no
    move is passed at once, so that after `roll` the opponent may be on turn.
    """

    def __init__(
        self,
        variant: str = "short",
        *,
        length: int = 0,
        light: str = "Light",
        dark: str = "Dark",
        rule_set: RuleSet = USUAL,
        position: Position | None = None,
        to_move: Side | None = None,
    ) -> None:
        """Begin the first game, from `position` with `to_move` on roll, or from the start.

        length: the match length in points, 0 for single games; to_move: needed with a `position`
        other than the start, where the opening roll cannot decide who begins.

        Raises `UnknownVariant`, `InvalidScore` for an impossible length, and `InvalidPosition`.
        """
        self.rules = find_rules(variant, rule_set.game)
        check_new_match(self.rules, length)
        _check_start(self.rules, position, to_move)
        self._referee = Referee(
            self.rules, light=light, dark=dark, length=length, rule_set=rule_set, is_manual=True
        )
        self._events: tuple[Event, ...] = ()
        self._begun: KushTurn | None = None
        self._earlier: list[tuple[Referee, tuple[Event, ...], KushTurn | None]] = []
        self._enter(GameStart(**self._now, position=position or self.rules.opening()))
        if to_move is not None:
            start = self.position
            self._enter(PositionSet(**self._now, position=start, to_move=to_move))
        self._earlier.clear()

    @property
    def state(self) -> MatchState:
        """The whole state of the match."""
        return self._referee.state

    @property
    def events(self) -> tuple[Event, ...]:
        """The record so far; `engine.formats.from_events.match_from_events` makes a file of it."""
        return self._events

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn of the match, oldest first."""
        return self.state.effective_turns

    @property
    def position(self) -> Position:
        """The board, with the kushes of an unfinished turn; `state` has it only once it is over."""
        if self._begun is not None:
            return self._begun.position
        assert self.state.position is not None, "a game begins with its position"  # noqa: S101
        return self.state.position

    @property
    def to_move(self) -> Side | None:
        """Who acts next; None if the opening roll decides, or the game is over."""
        return self.state.to_move

    @property
    def dice(self) -> Roll | None:
        """The roll that is to be played."""
        return roll_to_play(self.state)

    @property
    def leftover(self) -> tuple[int, ...]:
        """The numbers of the opponent's double that are to be moved before rolling."""
        return self.state.leftover

    @property
    def rolls_again(self) -> bool:
        """Whether the player on turn has just played a double and rolls once more."""
        last = self.state.turns[-1].event if self.state.turns else None
        is_to_roll = self.state.phase is Phase.TO_ROLL and not self.leftover
        return is_to_roll and last is not None and last.player is self.to_move and bool(last.dice)

    @property
    def score(self) -> tuple[int, int]:
        """Light's and dark's points."""
        return self.state.score

    @property
    def result(self) -> GameEnd | GameDrawn | None:
        """How the newest game ended; None while it is played."""
        if self.state.phase is not Phase.OVER:
            return None
        ends = (event for event in reversed(self._events) if isinstance(event, GameEnd | GameDrawn))
        return next(ends, None)

    @property
    def is_over(self) -> bool:
        """Whether the match has been won; a match of length 0 never is."""
        return self.state.is_over

    @property
    def awaits_opening_roll(self) -> bool:
        """Whether each player rolls one die, to decide who begins."""
        return self.state.phase is Phase.TO_ROLL and awaits_opening_roll(self.state, self.rules)

    def roll(
        self, dice: Roll | str | tuple[int, int] | None = None, rng: Rng | None = None
    ) -> Roll | None:
        """Roll, and return the roll that is now to be played; None if it allows no move.

        dice: the roll, as a `Roll`, a text such as "31" or a pair; by default it is random, from
        `rng`. In the opening roll the first number of a text or pair is light's; a random one is
        repeated while it is a tie, and None also means that the one who begins rolls again, as in
        narde.
        """
        if self.awaits_opening_roll:
            self._roll_opening(dice, rng)
        else:
            roll = Roll.random(rng) if dice is None else Roll(*as_dice(dice))
            player = self._on_turn()
            self._enter(
                DiceRolled(**self._now, player=player, dice=(roll.high, roll.low), by="hand")
            )
        return self.dice

    def _roll_opening(self, dice: Roll | str | tuple[int, int] | None, rng: Rng | None) -> None:
        if isinstance(dice, Roll):
            raise NotNow("in the opening roll light's die comes first: give a text, as '31'")
        while True:
            light, dark = random_dice(rng) if dice is None else as_dice(dice)
            self._enter(OpeningRolled(**self._now, light=light, dark=dark, by="hand"))
            if dice is not None or light != dark:
                return

    def legal_plays(self) -> LegalPlays:
        """Every distinct result of what is to be played, never empty.

        The moves that the opponent's double left over come before the player's own roll. Raises
        `NotNow` before the roll, and `TooManyPlays` for a double of crazy narde, crazy gulbar or
        giul with more than 100,000 results: `legal_kushes` lists a part of it at a time, and `push`
        judges those too.
        """
        player = self._on_turn()
        self._check_none_begun()
        if self.leftover:
            return leftover_plays(self.position, player, self.leftover, self.rules)
        return legal_plays(
            self.position, player, check_to_play(self.state, player), self.state.rules
        )

    def push(self, play: LegalPlay | Play | str) -> PlayMade:
        """Make a play, such as "8/5 6/5"; raises `IllegalPlay`, which names the broken rule."""
        self._check_none_begun()
        return self._enter_play(play.play if isinstance(play, LegalPlay) else play)

    def legal_kushes(self) -> LegalPlays:
        """Every distinct result of the part of the turn that is to be played now, never empty.

        Of a double that rises and of moves left over, that is the next kush, equal moves of which
        one is possible; of any other roll it is the whole, as in `legal_plays`. The list is always
        short. Raises `NotNow` before the roll.
        """
        return self._kush_turn().plays

    def push_kush(self, kush: LegalPlay | Play | str) -> PlayMade | None:
        """Play one kush; raises `IllegalPlay` if it is not among `legal_kushes`.

        Returns the whole turn once no more of it can be moved, None before. `pop` takes back one
        kush, also of a turn that is over.
        """
        turn = self._kush_turn()
        moves = kush.play if isinstance(kush, LegalPlay) else _as_play(kush)
        index = turn.plays.index_of(apply_play(turn.position, turn.side, moves, self.rules))
        if index is None and len(turn.kushes) == 1:
            return self.push(moves)  # which says what is wrong
        if index is None:
            numbers = ", ".join(map(str, turn.numbers))
            raise IllegalPlay(f"{moves} is not this kush: play as many of {numbers} as possible")
        following = turn.after(index).past_forced_passes()
        if following.is_over:
            return self._enter_play(Play(following.moves))
        self._earlier.append((self._referee, self._events, self._begun))
        self._begun = following
        return None

    def _kush_turn(self) -> KushTurn:
        """The turn at the kush that is to be played."""
        if self._begun is not None:
            return self._begun
        player = self._on_turn()
        if self.leftover:
            left = begin_leftover(self.position, player, self.leftover, self.rules)
            return left.past_forced_passes()
        roll = check_to_play(self.state, player)
        return begin_roll(self.position, player, roll, self.state.rules)

    def _check_none_begun(self) -> None:
        if self._begun is not None:
            raise NotNow("a part of this turn is played: go on with push_kush, or pop it")

    def _enter_play(self, moves: Play | str) -> PlayMade:
        made = PlayMade(
            **self._now, player=self._on_turn(), dice=None, play=str(moves), position=self.position
        )
        referee, events = self._entered(made)
        for event in events:
            if isinstance(event, IllegalMade):
                raise IllegalPlay(event.broken_rule)
        self._keep(referee, events)
        return next(event for event in events if isinstance(event, PlayMade))

    def double(self) -> None:
        """Turn the cube; raises `NotNow` or `IllegalCube` if the player on turn may not."""
        value = 2 * self.state.cube.value
        self._enter(Doubled(**self._now, player=self._on_turn(), value=value))

    def beaver(self) -> None:
        """Redouble at once and keep the cube; as the answer to a beaver, a raccoon."""
        offer = self.state.cube.offer
        if offer is None:
            raise NotNow("there is no double to answer")
        kind = Beavered if isinstance(self.state.last_game_event, Doubled) else Raccooned
        self._enter(kind(**self._now, player=self._on_turn(), value=2 * offer.value))

    def take(self) -> None:
        """Take the cube that is offered."""
        self._enter(DoubleTaken(**self._now, player=self._on_turn()))

    def drop(self) -> None:
        """Drop the cube that is offered, and lose the game."""
        self._enter(DoubleDropped(**self._now, player=self._on_turn()))

    def resign(self, player: Side, points: int) -> None:
        """Resign the game for `player`, who loses `points`, the cube included.

        Raises `NotNow` for more than a game can cost: three times the cube, or as many points as
        there are checkers where the scoring counts them.
        """
        _check_side(player, "player")
        most = self._most_points
        if type(points) is not int or not 1 <= points <= most:
            raise NotNow(f"a game costs 1 to {most} points now, not {points!r}")
        self._enter(Resigned(**self._now, player=player, points=points))

    def next_game(self) -> None:
        """Begin the next game of the match, from the start; raises `NotNow` while one is played."""
        self._enter(GameStart(**self._now, position=self.rules.opening()))

    def pop(self) -> None:
        """Take back the last call that changed something; raises `NotNow` if there is none."""
        if not self._earlier:
            raise NotNow("there is nothing to take back")
        self._referee, self._events, self._begun = self._earlier.pop()

    def __iter__(self) -> Iterator[Turn]:
        """Every turn of the match, oldest first."""
        return iter(self.turns)

    def __str__(self) -> str:
        return f"{board_text(self.position)}\n{prompt_of(self.state)}"

    @property
    def _most_points(self) -> int:
        return 3 * self.state.cube.value if self.rules.has_cube else CHECKERS

    @property
    def _now(self) -> dict[str, Any]:
        """The time of a call: there is no clock, so it only numbers the events."""
        return {"time": float(len(self._events)), "frame": len(self._events)}

    def _on_turn(self) -> Side:
        if self.to_move is None:
            raise NotNow(prompt_of(self.state))
        return self.to_move

    def _enter(self, event: Event) -> None:
        self._keep(*self._entered(event))

    def _entered(self, event: Event) -> tuple[Referee, list[Event]]:
        referee = self._referee.fork()
        return referee, referee.enter(event)

    def _keep(self, referee: Referee, events: list[Event]) -> None:
        self._earlier.append((self._referee, self._events, self._begun))
        self._referee, self._events = referee, (*self._events, *events)
        self._begun = None


def _as_play(moves: Play | str) -> Play:
    return moves if isinstance(moves, Play) else Play.parse(moves)


def _check_start(rules: Rules, position: Position | None, to_move: Side | None) -> None:
    """Raise `InvalidPosition` if no game of the variant can go on from there."""
    if to_move is not None:
        _check_side(to_move, "to_move")
    if position is None:
        return
    if not isinstance(position, Position):
        raise InvalidPosition(f"a position is made by Position.parse(text), not {position!r:.60}")
    Setup(position.light, position.dark, position.course).checked()
    rules.check_playable(position)
    if (outcome := rules.outcome(position)) is not None:
        raise InvalidPosition(
            f"the game is over: {outcome.winner.value} has borne off all checkers"
        )
    if to_move is None and position != rules.opening():
        raise InvalidPosition("who is on roll in this position? give to_move, such as Side.LIGHT")


def _check_side(side: object, name: str) -> None:
    if not isinstance(side, Side):
        raise NotNow(f"{name} must be Side.LIGHT or Side.DARK, not {side!r}")
