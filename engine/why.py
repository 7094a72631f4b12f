"""Why a result is no legal one, in a sentence that a player understands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.dice import Roll
from engine.legal import is_legal, legal_plays
from engine.position import BAR, OFF, Course, Position, Side, SideVector
from engine.rules import Rules

HOME = 6
Board = tuple[SideVector, SideVector]
"""The mover's side vector and the opponent's."""


def why_illegal(position: Position, side: Side, roll: Roll, result: Position, rules: Rules) -> str:
    """The rule that `side` broke by leaving `result`; empty when the play is legal.

    Of several broken rules it is the one that a player would name first.
    """
    if is_legal(position, side, roll, result, rules):
        return ""
    before = position.of(side), position.of(side.other)
    after = result.of(side), result.of(side.other)
    for reason in _broken(before, after, roll, position.course):
        return reason
    return _too_few(position, side, roll, after, rules) or _wrong_distance(before, after, roll)


def _broken(before: Board, after: Board, roll: Roll, course: Course) -> Iterator[str]:
    """What can be said without looking at the dice or at other plays."""
    own, new = before[0], after[0]
    if _others_were_moved(before, after, course):
        yield "a checker of the opponent was moved without being hit"
    if own == new:
        yield f"no checker was moved, but {roll} can be played"
    if _moved_backwards(own, new):
        yield "a checker was moved backwards"
    if new[BAR] and any(new[point] < own[point] for point in range(1, BAR)):
        yield "a checker was moved while another still had to enter from the bar"
    if new[OFF] > own[OFF] and any(new[HOME + 1 :]):
        yield "a checker was borne off before all the others were home"


def _others_were_moved(before: Board, after: Board, course: Course) -> bool:
    """Whether the opponent's checkers changed in any way but blots sent to the bar."""
    other, left = before[1], after[1]
    sent = [point for point in range(1, BAR) if left[point] != other[point]]
    hits_only = all(other[point] == 1 and left[point] == 0 for point in sent)
    reached = all(_came_from_behind(before[0], after[0], course.across(point)) for point in sent)
    return not (hits_only and reached) or left[BAR] - other[BAR] != len(sent)


def _came_from_behind(own: SideVector, new: SideVector, point: int) -> bool:
    return sum(own[point + 1 :]) > sum(new[point + 1 :])


def _moved_backwards(own: SideVector, new: SideVector) -> bool:
    """Whether some place has more checkers on it and behind it than before."""
    return any(sum(new[place:]) > sum(own[place:]) for place in range(1, BAR + 1))


def _too_few(position: Position, side: Side, roll: Roll, after: Board, rules: Rules) -> str:
    """The duty to play as many dice as possible, and the larger if only one."""
    start = position.of(side), position.of(side.other)
    duty = _dice_to_play(position, side, roll, rules)
    if roll.is_double:
        for played in range(1, duty):
            if after in _reached(start, (roll.high,) * played, rules):
                return f"the {roll.high} was played {played} of the {duty} times that it can be"
        return ""
    for die, unplayed in ((roll.high, roll.low), (roll.low, roll.high)):
        if after in _reached(start, (die,), rules):
            if duty == 1:
                return f"only one die can be played, and it must be the larger one, the {unplayed}"
            return f"only the {die} was played, but both dice can be"
    return ""


def _dice_to_play(position: Position, side: Side, roll: Roll, rules: Rules) -> int:
    return len(legal_plays(position, side, roll, rules)[0].play.moves)


def _reached(board: Board, dice: Sequence[int], rules: Rules) -> set[Board]:
    """Every board after these dice are played in this order."""
    boards = {board}
    for die in dice:
        boards = {after for one in boards for after in _one_die(one, die, rules)}
    return boards


def _one_die(board: Board, die: int, rules: Rules) -> Iterator[Board]:
    own, other = board
    for source in [BAR] if own[BAR] else range(1, BAR):
        target = max(OFF, source - die)
        if own[source] and _may_land(board, source, die, rules):
            new, left = list(own), list(other)
            new[source] -= 1
            new[target] += 1
            across = rules.course.across(target) if target else OFF
            if target and left[across]:
                left[across] -= 1
                left[BAR] += 1
            yield tuple(new), tuple(left)


def _may_land(board: Board, source: int, die: int, rules: Rules) -> bool:
    own, other = board
    if source > die:
        return other[rules.course.across(source - die)] < rules.holds
    lowest_not_allowed = HOME + 1 if source == die else source + 1
    return not any(own[lowest_not_allowed:])


def _wrong_distance(before: Board, after: Board, roll: Roll) -> str:
    pips = _pips(before[0]) - _pips(after[0])
    return f"the checkers moved {pips} pips in a way that {roll} does not allow"


def _pips(vector: SideVector) -> int:
    return sum(place * count for place, count in enumerate(vector))
