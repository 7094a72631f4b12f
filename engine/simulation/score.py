"""What a referee told, held against the truth: aligned turn by turn, then counted.

A turn that the referee missed or made up shifts all later ones; they are still right. So the lists
are aligned at the least cost (an edit distance over side and position) before anything counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.events.match import Doubled, DoubleDropped, DoubleTaken, GameEnd, PlayMade
from engine.match.state import MatchState
from engine.position import Side
from engine.simulation.match import MatchTruth, TrueCubeAction, TruePlay

ABSENT: Final = 1.0
"""Cost of a true play that was not told, and of a told one that never was."""
WRONG: Final = 1.5
"""Cost of a play told with a wrong result: less than that of one missing and one made up."""
WRONG_SIDE: Final = 1.9
"""... and by the wrong player."""


class TurnPair(NamedTuple):
    """One turn as it was and as it was told; None where the other has no such turn."""

    true: TruePlay | None
    told: PlayMade | None

    @property
    def is_right(self) -> bool:
        """Who moved and the position after it are told as they were, and so is a broken rule."""
        return self.shows_the_position and self.is_accused == self.is_illegal

    @property
    def shows_the_position(self) -> bool:
        """Whether the right player is told to have left the right position."""
        if self.true is None or self.told is None:
            return False
        return _cost(self.true, self.told) == 0

    @property
    def are_dice_right(self) -> bool:
        """Whether the roll is told as it was."""
        return (
            self.is_right
            and self.true is not None
            and self.told is not None
            and (self.true.dice == self.told.dice)
        )

    @property
    def is_illegal(self) -> bool:
        """Whether a rule was truly broken."""
        return self.true is not None and self.true.slip is not None

    @property
    def is_accused(self) -> bool:
        """Whether the referee says that a rule was broken."""
        return self.told is not None and not self.told.legal

    @property
    def is_asked(self) -> bool:
        """Whether a rule was broken, nobody is told so, but the turn is put up for review."""
        is_missed = self.is_illegal and not self.is_accused
        return is_missed and self.told is not None and self.told.review


def _cost(true: TruePlay, told: PlayMade) -> float:
    if true.side is not told.player:
        return WRONG_SIDE
    return 0.0 if true.after == told.position else WRONG


def align(true: Sequence[TruePlay], told: Sequence[PlayMade]) -> list[TurnPair]:
    """Every turn of both once, in order, paired at the least cost."""
    ahead = _agreeing(zip(true, told, strict=False))
    left = min(len(true), len(told)) - ahead
    behind = min(left, _agreeing(zip(reversed(true), reversed(told), strict=False)))
    middle = slice(ahead, len(true) - behind), slice(ahead, len(told) - behind)
    pairs = [TurnPair(*both) for both in zip(true[:ahead], told[:ahead], strict=True)]
    pairs += _aligned(true[middle[0]], told[middle[1]])
    rest = zip(true[len(true) - behind :], told[len(told) - behind :], strict=True)
    return pairs + [TurnPair(*both) for both in rest]


def _agreeing(pairs: Iterable[tuple[TruePlay, PlayMade]]) -> int:
    count = 0
    for true, told in pairs:
        if _cost(true, told):
            break
        count += 1
    return count


def _aligned(true: Sequence[TruePlay], told: Sequence[PlayMade]) -> list[TurnPair]:
    """Dynamic programming over how many of each are paired; the way back gives the pairs."""
    best = [[ABSENT * (i + j) for j in range(len(told) + 1)] for i in range(len(true) + 1)]
    for i, one in enumerate(true, start=1):
        for j, other in enumerate(told, start=1):
            best[i][j] = min(
                best[i - 1][j - 1] + _cost(one, other),
                best[i - 1][j] + ABSENT,
                best[i][j - 1] + ABSENT,
            )
    pairs, i, j = [], len(true), len(told)
    while i or j:
        if i and j and best[i][j] == best[i - 1][j - 1] + _cost(true[i - 1], told[j - 1]):
            i, j = i - 1, j - 1
            pairs.append(TurnPair(true[i], told[j]))
        elif i and best[i][j] == best[i - 1][j] + ABSENT:
            i -= 1
            pairs.append(TurnPair(true[i], None))
        else:
            j -= 1
            pairs.append(TurnPair(None, told[j]))
    return pairs[::-1]


@dataclass(frozen=True, slots=True)
class RefereeScore:
    """Counts of one match or of many; `+` adds them."""

    games: int = 0
    turns: int = 0
    """True turns."""
    right: int = 0
    dice_right: int = 0
    """Turns that are right with their dice."""
    review: int = 0
    """Told plays that somebody is asked to look at."""
    silent: int = 0
    """Turns that are wrong, missing or made up, and nothing near them asks for a look."""
    illegal: int = 0
    """Plays that broke a rule."""
    caught: int = 0
    """Those that were told as breaking one."""
    asked: int = 0
    """Those that were not, but somebody is asked to look at them."""
    accused: int = 0
    """Plays told as breaking a rule that broke none."""
    seconds: float = 0.0
    """CPU time of the referee alone."""
    cubes: int = 0
    """Doubles, takes and drops."""
    cubes_right: int = 0
    """Those told as they were, when they were."""
    cubes_late: int = 0
    """Those told as they were, before or after another turn."""
    cubes_invented: int = 0
    """Told ones that never were."""
    ends: int = 0
    """Games that ended."""
    ends_right: int = 0
    """Those whose winner and points are told."""
    unaided: int = 0
    """Turns whose last look, read cell by cell without the rules, shows the position."""

    def __add__(self, other: RefereeScore) -> RefereeScore:
        return RefereeScore(*(getattr(self, n) + getattr(other, n) for n in self.__slots__))


def score_match(
    truth: MatchTruth, state: MatchState, seconds: float = 0.0, unaided: int = 0
) -> tuple[RefereeScore, list[TurnPair]]:
    """The counts of one match, and how its turns were paired."""
    pairs = align(truth.plays, [turn.event for turn in state.effective_turns])
    true = [pair for pair in pairs if pair.true is not None]
    cube = count_cube(truth.cube, tuple(told_cube(state)))
    ends = told_ends(state)
    rejected = [turn for turn in state.turns if turn.rejected]
    score = RefereeScore(
        games=len(truth.ends),
        turns=len(true),
        right=sum(pair.is_right for pair in true),
        dice_right=sum(pair.are_dice_right for pair in true),
        review=sum(pair.told is not None and pair.told.review for pair in pairs),
        silent=len(silent_faults(pairs)),
        illegal=sum(pair.is_illegal for pair in true),
        caught=sum(pair.is_illegal and pair.is_accused for pair in true),
        asked=sum(pair.is_asked for pair in true),
        # Simulated players take nothing back: a rejection is the referee's invention.
        accused=sum(pair.is_accused and not pair.is_illegal for pair in pairs) + len(rejected),
        cubes=len(truth.cube),
        cubes_right=cube.right,
        cubes_late=cube.late,
        cubes_invented=cube.invented,
        ends=len(truth.ends),
        ends_right=sum(ends.get(game) == end for game, end in enumerate(truth.ends, start=1)),
        seconds=seconds,
        unaided=unaided,
    )
    return score, pairs


def silent_faults(pairs: Sequence[TurnPair]) -> list[int]:
    """The indices of pairs that are not right and not flagged.

    A turn that was not told can carry no flag itself: the told one before or after it may.
    """
    return [
        index
        for index, pair in enumerate(pairs)
        if not pair.is_right
        and not any(
            near.told is not None and near.told.review
            for near in ([pair] if pair.told is not None else pairs[max(index - 1, 0) : index + 2])
        )
    ]


class CubeCount(NamedTuple):
    """How many moves of the cube were told, and how."""

    right: int
    """As they were, and when."""
    late: int
    """As they were, but before or after another turn."""
    missed: int
    invented: int


def states_of(state: MatchState) -> list[MatchState]:
    """Every state of the history that is told, oldest first."""
    states = [state]
    while states[-1].previous is not None:
        states.append(states[-1].previous)
    return states[::-1]


def told_cube(state: MatchState) -> Iterator[TrueCubeAction]:
    """What was told of the cube in the history that stands."""
    for after in states_of(state):
        before, event = after.previous, after.last_event
        if before is None or not isinstance(event, Doubled | DoubleTaken | DoubleDropped):
            continue
        offer = before.cube.offer
        value = event.value if isinstance(event, Doubled) else offer.value if offer else 0
        yield TrueCubeAction(
            before.games, len(before.current_game_turns), event.type, event.player, value
        )


def told_ends(state: MatchState) -> dict[int, tuple[Side, int]]:
    """Who won each game of those that ended, and how many points."""
    ends = ((one.games, one.last_event) for one in states_of(state))
    return {
        event.game or game: (event.winner, event.points)
        for game, event in ends
        if isinstance(event, GameEnd)
    }


def count_cube(true: Sequence[TrueCubeAction], told: Sequence[TrueCubeAction]) -> CubeCount:
    """Each move is paired once: with the same one, else with one at another turn of its game."""
    left_true, left_told = Counter(true), Counter(told)
    right = left_true & left_told
    left_true, left_told = left_true - right, left_told - right
    late = _untimed(left_true) & _untimed(left_told)
    return CubeCount(
        right.total(),
        late.total(),
        left_true.total() - late.total(),
        left_told.total() - late.total(),
    )


def _untimed(moves: Counter[TrueCubeAction]) -> Counter[TrueCubeAction]:
    return Counter(move._replace(plays=0) for move in moves.elements())
