"""The decisions of a match, found in its events, each with what is needed to judge it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal

from engine.dice import Roll
from engine.errors import InvalidScore
from engine.events.match import (
    Beavered,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    OpeningRolled,
    PlayMade,
    PlayRejected,
    TakenBack,
)
from engine.match.fold import apply_event
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import Position, Side, SideVector
from engine.study.cubeful import CubeHolder, Stake
from engine.study.match_equity import AwayScore, CrawfordPhase

VARIANTS: Final = ("short", "nackgammon", "longgammon")
"""The games of fifteen checkers that GNU Backgammon's networks play."""
Answer = Literal["take", "drop"]
Sides = tuple[SideVector, SideVector]
"""The side vector of the player who decides, then the opponent's."""


@dataclass(frozen=True, slots=True)
class PlayQuestion:
    """A roll that was played."""

    variant: str
    before: Sides
    after: Sides
    dice: tuple[int, int]
    stake: Stake
    """When the roll was played, as its player sees it."""
    could_double: bool
    """Whether the player could have doubled instead of rolling."""
    is_opening: bool
    """Whether the dice are those of the opening roll."""
    play: str
    """In notation, as it was recorded."""


@dataclass(frozen=True, slots=True)
class CubeQuestion:
    """A double, or the answer to one."""

    variant: str
    before: Sides
    """As the player who doubles sees it."""
    stake: Stake
    """Before the double, as the player who doubles sees it."""
    answer: Answer | None
    """None for the double itself."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to judge about an event."""

    event: int
    """Its number among the events in effect, from 1."""
    game: int
    turn: int | None
    player: Side
    about: PlayQuestion | CubeQuestion

    @property
    def key(self) -> str:
        """The same for the same decision, whatever was corrected around it."""
        return blake2b(repr((self.player, self.about)).encode(), digest_size=12).hexdigest()


def questions(effective: Sequence[Event], blank: MatchState) -> list[Question]:
    """What can be judged, in order; nothing for games that the networks do not play.

    effective: as `effective_events` gives them. blank: the match before its first event.
    """
    found = list(_questions(effective, blank))
    replaced = _replaced(effective)
    return [question for question in found if question.event not in replaced]


def _replaced(effective: Iterable[Event]) -> set[int]:
    """The numbers of the plays that were rejected or taken back."""
    replaced: set[int] = set()
    newest = 0
    for number, event in enumerate(effective, start=1):
        if isinstance(event, PlayMade):
            newest = number
        elif isinstance(event, PlayRejected | TakenBack):
            replaced.add(newest)
    return replaced


def _questions(effective: Iterable[Event], state: MatchState) -> Iterator[Question]:
    turns, waiting, is_opening, has_doubled = 0, None, False, False
    at_play: tuple[MatchState | None, bool, bool] = None, False, False
    for number, event in enumerate(effective, start=1):
        before, state = state, apply_event(state, event)
        if before.phase is Phase.TO_ROLL:
            waiting = before  # as it was when the player could still double
        if isinstance(event, OpeningRolled):
            is_opening = True
        elif isinstance(event, PlayRejected | TakenBack):
            waiting, is_opening, has_doubled = at_play  # the same roll is played again
        about: PlayQuestion | CubeQuestion | None = None
        turn = None
        if isinstance(event, PlayMade):
            turns += 1
            turn = turns
            at_play = waiting, is_opening, has_doubled
            start = waiting if waiting is not None else before
            about = _play(event, before, start, is_opening=is_opening, has_doubled=has_doubled)
        elif isinstance(event, Doubled):
            about, has_doubled = _double(event.player, before, None), True
        elif isinstance(event, DoubleTaken | Beavered | DoubleDropped):
            answer: Answer = "drop" if isinstance(event, DoubleDropped) else "take"
            about = _answer(event.player, before, answer)
        if about is not None and state.variant in VARIANTS:
            player = event.player  # type: ignore[attr-defined]
            yield Question(number, before.games, turn, player, about)
        if state.phase is not Phase.TO_PLAY and isinstance(event, PlayMade):
            is_opening, has_doubled = False, False


def _play(
    made: PlayMade, before: MatchState, start: MatchState, *, is_opening: bool, has_doubled: bool
) -> PlayQuestion | None:
    """`start`: the match when the player could still double."""
    if before.position is None or made.dice is None or None in made.dice:
        return None
    high, low = made.dice
    assert high is not None, "both dice are known"  # noqa: S101
    assert low is not None, "both dice are known"  # noqa: S101
    forbidden = start.cube.why_not_double(made.player, start.doubling_context, start.cube_rules)
    has_cube = before.rules.has_cube and not (is_opening or has_doubled)
    stake = stake_of(before, made.player)
    return PlayQuestion(
        variant=before.variant,
        before=_sides(before.position, made.player),
        after=_sides(made.position, made.player),
        dice=(high, low),
        stake=stake,
        could_double=has_cube and forbidden is None and stake.may_double,
        is_opening=is_opening,
        play=made.play,
    )


def _double(player: Side, before: MatchState, answer: Answer | None) -> CubeQuestion | None:
    """None for a double against the rules, of which the engine knows nothing."""
    if before.position is None:
        return None
    stake = stake_of(before, player)
    if not stake.has_access:
        return None
    return CubeQuestion(before.variant, _sides(before.position, player), stake, answer)


def _answer(player: Side, offered: MatchState, answer: Answer) -> CubeQuestion | None:
    """The answer to a first double; a raccoon and its answer are not judged."""
    offer, earlier = offered.cube.offer, offered.previous
    if offer is None or offer.by is player or earlier is None or earlier.cube.offer is not None:
        return None
    return _double(player.other, earlier, answer)


def stake_of(state: MatchState, side: Side) -> Stake:
    """What is played for in the game in play, as `side` sees it."""
    holder = CubeHolder.BOTH
    if not state.rules.has_cube or state.is_crawford:
        holder = CubeHolder.NOBODY
    elif state.cube.owner is not None:
        holder = CubeHolder.OWN if state.cube.owner is side else CubeHolder.OTHER
    return Stake(state.cube.value, holder, away_score(state, side), state.cube_rules.jacoby)


def away_score(state: MatchState, side: Side) -> AwayScore | None:
    """The score; None for money, and for a match longer than the table of match equities."""
    light, dark = (state.length - points for points in state.score)
    own, other = (light, dark) if side is Side.LIGHT else (dark, light)
    phase = CrawfordPhase.AFTER_CRAWFORD if 1 in (own, other) else CrawfordPhase.BEFORE_CRAWFORD
    try:
        return AwayScore(own, other, CrawfordPhase.CRAWFORD if state.is_crawford else phase)
    except InvalidScore:
        return None


def _sides(position: Position, player: Side) -> Sides:
    return position.of(player), position.of(player.other)


def roll_index(dice: tuple[int, int]) -> int:
    """The index of the roll in `engine.dice.ALL_ROLLS`."""
    roll = Roll(*dice)
    return roll.high * (roll.high - 1) // 2 + roll.low - 1
