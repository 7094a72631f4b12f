"""`MatchState`: the state of a match after the events of its record, and nothing else.

The page shows this state, and a `Referee` resumes from it; `engine/match/fold.py` defines what each
event changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from engine.cube import CENTRED, STANDARD, Cube, CubeRules, DoublingContext
from engine.dice import Roll
from engine.events.clock import Clock
from engine.events.match import AsideEvent, Dice, Event, PlayMade, Uncertainty
from engine.events.record import Confirmed, MatchPaused, MatchPlaced, RefereeCalled
from engine.match.phase import Phase
from engine.message import Sentence
from engine.position import SIDE_TITLES, Position, Side
from engine.rules import Rules, find_rules
from engine.rules.first_roll import depends_on_first_roll, knowing_first_roll
from engine.ruleset import USUAL, RuleSet

PLAY_UNCERTAIN: Final = "play"
"""The uncertainty in `PlayMade.uncertainties` that ends once nothing else fits what followed."""
DICE_UNCERTAIN: Final = "dice"
RECORD_UNCERTAIN: Final = "record"
"""The uncertainty of a play that was not made from the recorded position."""
POSITION_UNCERTAIN: Final = "position"
"""The uncertainty that ends when the places in doubt before the play are seen as recorded."""
INFERRED: Final = "inferred"
"""The uncertainty that needs no review: only the dice were not all read."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as recorded."""

    game: int
    """1 for the first game of the match."""
    before: Position
    event: PlayMade
    rejected: bool = False
    is_settled: bool = False
    """Whether somebody has accepted an illegal play, or confirmed the play."""
    leftover: tuple[int, ...] = ()
    """The numbers from the opponent's double that were moved; empty for a turn with a roll."""

    @property
    def needs_review(self) -> bool:
        """Whether the turn should be reviewed; an illegal play that was seen, until it is settled.

        The opponent's next roll accepts an illegal play, but does not show that it was read right.
        """
        is_open = self.event.by == "sight" and not (self.event.legal or self.is_settled)
        return (self.event.review or is_open) and not self.rejected


@dataclass(frozen=True, slots=True)
class MatchState:
    """The match after some events."""

    phase: Phase = Phase.WAITING
    variant: str = "short"
    light: str = "Light"
    dark: str = "Dark"
    length: int = 0
    score: tuple[int, int] = (0, 0)
    """Light's and dark's points."""
    games: int = 0
    """Games begun."""
    swaps: tuple[int, ...] = ()
    """The games before which the players changed seats, and so colors."""
    position: Position | None = None
    to_move: Side | None = None
    """None if no game is in play or its starter is not known yet."""
    places_in_doubt: tuple[int, ...] = ()
    """The cells whose counts rest on a reading that no later one has confirmed; see `CELLS`."""
    roll: Dice | None = None
    """The dice to play."""
    leftover: tuple[int, ...] = ()
    """The numbers from the opponent's double that the player on turn moves before rolling."""
    turns: tuple[Turn, ...] = ()
    """Every turn of the match, rejected ones included, oldest first."""
    last_event: Event | None = None
    rule_set: RuleSet = USUAL
    cube_rules: CubeRules = STANDARD
    cube: Cube = CENTRED
    is_crawford: bool = False
    crawford_was_played: bool = False
    """Whether the Crawford game is over or being played."""
    starter: Side | None = None
    """Who begins, according to the opening roll or the last game; None if not decided yet."""
    roll_counts: tuple[int, int] = (0, 0)
    """How often light and dark have rolled in this game."""
    turn_end_declared: bool = False
    """Whether the turn in progress has been declared over."""
    previous_turn_end_declared: bool = False
    """Whether the previous turn was declared over."""
    owes_clock_press: Side | None = None
    """The player whose clock was still running when the opponent threw."""
    clock: Clock | None = None
    """None if no clock is used."""
    winner: Side | None = None
    """Who has won the match."""
    was_closed: bool = False
    """Whether the match was ended by hand."""
    unresolved_games: tuple[int, ...] = ()
    """The unfinished games whose result is not known yet."""
    place: MatchPlaced | None = None
    """Where in a tournament the match is played; None if nobody said."""
    note: str = ""
    """What somebody noted on the match."""
    call: RefereeCalled | None = None
    """The call for the referee that nobody has answered yet."""
    call_contests: bool = False
    """Whether the match was over when the referee was called."""
    pause: MatchPaused | None = None
    """The pause that the referee has not ended yet; None while the match goes on."""
    recent_positions: tuple[tuple[int, Position], ...] = ()
    """The latest positions, each with its first frame."""
    event_count: int = field(default=0, compare=False)
    previous: MatchState | None = field(default=None, compare=False, repr=False)
    """The state before the last event."""

    @property
    def rules(self) -> Rules:
        """The rules of the game in play, with the options that the match was begun with."""
        return self.in_turn(find_rules(self.variant, self.rule_set.game))

    def in_turn(self, rules: Rules, number: int | None = None) -> Rules:
        """A game's rules; in the reply to its first turn, they know the roll of that turn.

        number: a turn that has been played, 1 for the first of the match; by default the one in
        progress.
        """
        if not depends_on_first_roll(rules):
            return rules
        if number is None:
            before, game = self.turns, self.games
        else:
            before, game = self.turns[: number - 1], self.turns[number - 1].game
        turns = [turn for turn in before if turn.game == game and not turn.rejected]
        if len(turns) != 1 or turns[0].event.review:
            return rules
        high, low = turns[0].event.dice or (None, None)
        return rules if not high or not low else knowing_first_roll(rules, Roll(high, low))

    @property
    def last_game_event(self) -> Event | None:
        """The newest event that belongs to the game: not a press of the clock, nor a name."""
        state: MatchState | None = self
        while state is not None and isinstance(state.last_event, AsideEvent):
            state = state.previous
        return None if state is None else state.last_event

    @property
    def is_over(self) -> bool:
        """Whether the match has been won, or ended by hand."""
        return self.was_closed or 0 < self.length <= max(self.score)

    @property
    def is_paused(self) -> bool:
        """Whether the referee has paused the match."""
        return self.pause is not None

    def side_now(self, side: Side, game: int = 1) -> Side:
        """The color now of the player who had `side` in a game."""
        changes = sum(game < number <= self.games for number in self.swaps)
        return side.other if changes % 2 else side

    def at(self, event_count: int) -> MatchState:
        """The state after the first `event_count` events; raises `ValueError` if it had fewer."""
        state = self
        while state.event_count > event_count:
            if state.previous is None:
                raise ValueError(f"the record does not go back to event {event_count}")
            state = state.previous
        return state

    def position_at(self, frame: int) -> Position | None:
        """The position at a recent frame; None before the first of `recent_positions`."""
        known = (position for since, position in reversed(self.recent_positions) if since <= frame)
        return next(known, None)

    @property
    def doubling_context(self) -> DoublingContext:
        """What determines whether doubling is allowed."""
        after = self.crawford_was_played and not self.is_crawford
        return DoublingContext(self.length, self.is_crawford, after, self.roll_counts)

    @property
    def current_game_turns(self) -> tuple[Turn, ...]:
        """The turns of the game in play that were not rejected."""
        return tuple(turn for turn in self.effective_turns if turn.game == self.games)

    @property
    def first_player(self) -> Side | None:
        """Who began the game in play, by the opening roll, the last game or the first play."""
        if self.starter is not None:
            return self.starter
        return next((turn.event.player for turn in self.current_game_turns), None)

    @property
    def effective_turns(self) -> tuple[Turn, ...]:
        """All turns except rejected ones."""
        return tuple(turn for turn in self.turns if not turn.rejected)

    @property
    def pips(self) -> tuple[int, int] | None:
        """Light's and dark's pip counts."""
        if self.position is None:
            return None
        return self.position.pips(Side.LIGHT), self.position.pips(Side.DARK)

    def name(self, side: Side) -> Sentence:
        """The name of `side`'s player in a sentence; a player without one is called by the side."""
        name, title = self.light if side is Side.LIGHT else self.dark, SIDE_TITLES[side]
        return title if name == str(title) else name


def confirm(made: PlayMade, event: Confirmed) -> PlayMade:
    """The play once confirmed: completely if by hand.

    By sight, only which play it was, or, if that was clear, the position before it.
    """
    known = made.uncertainties
    settled = PLAY_UNCERTAIN if PLAY_UNCERTAIN in known else POSITION_UNCERTAIN
    left = () if event.by == "hand" else tuple(one for one in known if one != settled)
    return replace(made, confidence=event.confidence, uncertainties=left, review=needs_review(left))


def needs_review(uncertainties: Iterable[Uncertainty]) -> bool:
    """Whether a play with these uncertainties should be reviewed."""
    return any(one != INFERRED for one in uncertainties)
