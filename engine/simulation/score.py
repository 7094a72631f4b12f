"""A referee's record compared with the truth: aligned turn by turn, then counted.

A turn that the referee missed or invented shifts all later ones, but they are still right. So the
two lists are first aligned at the least cost (an edit distance over side and position).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, takewhile
from operator import itemgetter
from typing import Final, NamedTuple

from engine.events.match import (
    Doubled,
    DoubleDropped,
    DoubleTaken,
    GameEnd,
    IllegalMade,
    PlayMade,
)
from engine.match.state import MatchState
from engine.position import Side
from engine.simulation.match import MatchTruth, TrueCubeAction, TruePlay

UNPAIRED_COST: Final = 1.0
"""Cost of a true play that was not recorded, or of a recorded one that never happened."""
WRONG_POSITION_COST: Final = 1.5
"""Less than the cost of one missing play and one invented play."""
WRONG_SIDE_COST: Final = 1.9


class TurnPair(NamedTuple):
    """One turn as it was and as it was recorded; None if the other has no such turn."""

    true: TruePlay | None
    recorded: PlayMade | None

    @property
    def is_right(self) -> bool:
        """Whether the player, the position and the legality of the play are recorded correctly."""
        return self.is_position_right and self.is_recorded_illegal == self.is_illegal

    @property
    def is_position_right(self) -> bool:
        """Whether the player and the position after the play are recorded correctly."""
        if self.true is None or self.recorded is None:
            return False
        return _cost(self.true, self.recorded) == 0

    @property
    def are_dice_right(self) -> bool:
        """Whether the turn is recorded correctly, including its roll."""
        if not self.is_right or self.true is None or self.recorded is None:
            return False
        return self.true.dice == self.recorded.dice

    @property
    def is_illegal(self) -> bool:
        """Whether a rule was really broken."""
        return self.true is not None and self.true.breach is not None

    @property
    def is_recorded_illegal(self) -> bool:
        """Whether the record says that a rule was broken."""
        return self.recorded is not None and not self.recorded.legal

    @property
    def is_accused(self) -> bool:
        """Whether the record accuses the player: the rule is named, and the opponent is asked.

        A play that is only likelier to break one than to be legal is marked for review.
        """
        return isinstance(self.recorded, IllegalMade)

    @property
    def is_for_review(self) -> bool:
        """Whether the recorded play needs review, an accusation apart."""
        made = self.recorded
        return made is not None and (made.review or not (made.legal or self.is_accused))


def _cost(true: TruePlay, recorded: PlayMade) -> float:
    if true.side is not recorded.player:
        return WRONG_SIDE_COST
    return 0.0 if true.after == recorded.position else WRONG_POSITION_COST


def align(true: Sequence[TruePlay], recorded: Sequence[PlayMade]) -> list[TurnPair]:
    """Every turn of both lists once, in order, paired at the least cost."""
    start = _count_equal(zip(true, recorded, strict=False))
    rest = min(len(true), len(recorded)) - start
    end = min(rest, _count_equal(zip(reversed(true), reversed(recorded), strict=False)))
    true_stop, recorded_stop = len(true) - end, len(recorded) - end
    return [
        *map(TurnPair, true[:start], recorded[:start]),
        *_align_differing(true[start:true_stop], recorded[start:recorded_stop]),
        *map(TurnPair, true[true_stop:], recorded[recorded_stop:]),
    ]


def _count_equal(pairs: Iterable[tuple[TruePlay, PlayMade]]) -> int:
    return len(list(takewhile(lambda pair: not _cost(*pair), pairs)))


def _align_differing(true: Sequence[TruePlay], recorded: Sequence[PlayMade]) -> list[TurnPair]:
    """Dynamic programming over how many of each list are paired, traced back from the end."""
    best = {(0, 0): (0.0, (0, 0))}
    for i, j in product(range(len(true) + 1), range(len(recorded) + 1)):
        options = []
        if i and j:
            cost = best[i - 1, j - 1][0] + _cost(true[i - 1], recorded[j - 1])
            options.append((cost, (i - 1, j - 1)))
        if i:
            options.append((best[i - 1, j][0] + UNPAIRED_COST, (i - 1, j)))
        if j:
            options.append((best[i, j - 1][0] + UNPAIRED_COST, (i, j - 1)))
        if options:
            best[i, j] = min(options, key=itemgetter(0))
    pairs, (i, j) = [], (len(true), len(recorded))
    while i or j:
        _, (a, b) = best[i, j]
        pairs.append(TurnPair(true[a] if a < i else None, recorded[b] if b < j else None))
        i, j = a, b
    return pairs[::-1]


@dataclass(frozen=True, slots=True)
class RefereeScore:
    """Counts for one match or several; `+` adds them."""

    games: int = 0
    turns: int = 0
    """True turns."""
    right: int = 0
    dice_right: int = 0
    """Turns that are right, including their dice."""
    for_review: int = 0
    """Recorded plays that need review."""
    silent_errors: int = 0
    """Turns that are wrong, missing or invented, with no review nearby."""
    illegal: int = 0
    """Plays that broke a rule."""
    illegal_found: int = 0
    """Those whose player is accused of it."""
    illegal_for_review: int = 0
    """The others that are marked for review."""
    false_accusations: int = 0
    """Players accused, or plays taken back, without a reason."""
    seconds: float = 0.0
    """CPU time of the referee alone."""
    cube_actions: int = 0
    """Doubles, takes and drops."""
    cube_right: int = 0
    """Those recorded in their own turn."""
    cube_late: int = 0
    """Those recorded before or after another turn."""
    cube_invented: int = 0
    """Recorded cube actions that never happened."""
    ends: int = 0
    """Games that ended."""
    ends_right: int = 0
    """Those whose winner and points are recorded correctly."""
    right_without_rules: int = 0
    """Turns whose last observation, read cell by cell without rules, shows the position."""

    def __add__(self, other: RefereeScore) -> RefereeScore:
        return RefereeScore(*(getattr(self, n) + getattr(other, n) for n in self.__slots__))


def score_match(
    truth: MatchTruth, state: MatchState, seconds: float = 0.0, right_without_rules: int = 0
) -> tuple[RefereeScore, list[TurnPair]]:
    """The counts of one match, and how its turns were paired."""
    pairs = align(truth.plays, [turn.event for turn in state.effective_turns])
    true = [pair for pair in pairs if pair.true is not None]
    illegal = [pair for pair in true if pair.is_illegal]
    missed = [pair for pair in illegal if not pair.is_accused]
    accused = sum(pair.is_accused and not pair.is_illegal for pair in pairs)
    # Simulated players take nothing back: any rejection is invented by the referee.
    rejected = sum(turn.rejected for turn in state.turns)
    cube = count_cube(truth.cube, list(_recorded_cube_actions(state)))
    ends = _recorded_ends(state)
    score = RefereeScore(
        games=len(truth.ends),
        turns=len(true),
        right=sum(pair.is_right for pair in true),
        dice_right=sum(pair.are_dice_right for pair in true),
        for_review=sum(pair.is_for_review for pair in pairs),
        silent_errors=len(silent_errors(pairs)),
        illegal=len(illegal),
        illegal_found=len(illegal) - len(missed),
        illegal_for_review=sum(pair.is_for_review for pair in missed),
        false_accusations=accused + rejected,
        seconds=seconds,
        cube_actions=len(truth.cube),
        cube_right=cube.right,
        cube_late=cube.late,
        cube_invented=cube.invented,
        ends=len(truth.ends),
        ends_right=sum(ends.get(game) == end for game, end in enumerate(truth.ends, start=1)),
        right_without_rules=right_without_rules,
    )
    return score, pairs


def silent_errors(pairs: Sequence[TurnPair]) -> list[int]:
    """The indices of pairs that are wrong and not marked for review.

    A turn that was not recorded cannot itself be marked; the one before or after it may be.
    """
    return [
        index
        for index, pair in enumerate(pairs)
        if not pair.is_right
        and not any(
            near.is_for_review
            for near in ([pair] if pair.recorded else pairs[max(index - 1, 0) : index + 2])
        )
    ]


class CubeCount(NamedTuple):
    """How many cube actions were recorded, and how."""

    right: int
    late: int
    """Recorded before or after another turn."""
    invented: int


def count_cube(true: Sequence[TrueCubeAction], recorded: Sequence[TrueCubeAction]) -> CubeCount:
    """Pair each action once: with an equal one, else with one in another turn of its game."""
    true_left, recorded_left = Counter(true), Counter(recorded)
    right = true_left & recorded_left
    recorded_left -= right
    late = _without_turn(true_left - right) & _without_turn(recorded_left)
    return CubeCount(right.total(), late.total(), recorded_left.total() - late.total())


def _without_turn(actions: Counter[TrueCubeAction]) -> Counter[TrueCubeAction]:
    return Counter(action._replace(plays=0) for action in actions.elements())


def _states(state: MatchState) -> list[MatchState]:
    states = [state]
    while (previous := states[-1].previous) is not None:
        states.append(previous)
    return states[::-1]


def _recorded_cube_actions(state: MatchState) -> Iterator[TrueCubeAction]:
    for after in _states(state):
        before, event = after.previous, after.last_event
        if before is None or not isinstance(event, Doubled | DoubleTaken | DoubleDropped):
            continue
        offer = before.cube.offer
        value = event.value if isinstance(event, Doubled) else offer.value if offer else 0
        plays = len(before.current_game_turns)
        yield TrueCubeAction(before.games, plays, event.type, event.player, value)


def _recorded_ends(state: MatchState) -> dict[int, tuple[Side, int]]:
    return {
        end.game or after.games: (end.winner, end.points)
        for after in _states(state)
        if isinstance(end := after.last_event, GameEnd)
    }
