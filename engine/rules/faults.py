"""What is wrong with an unchecked set-up, as named reasons: no position can be made of it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.message import Message, join, msg
from engine.position import BAR, CHECKERS, PLACES, Course, Position, Setup, Side, place_name
from engine.rules.reasons import Reason

Broken = tuple[Reason, Message]


def broken_counts(before: Position, mover: Side, seen: Setup) -> Iterator[Broken]:
    """Every fault of `seen`, the board after a turn of `mover`; none if it is sound."""
    if any(_is_no_vector(vector) for vector in (seen.light, seen.dark)):
        yield Reason.WRONG_COUNTS, join(seen.faults())
        return
    for side in Side:
        count = sum(seen.light if side is Side.LIGHT else seen.dark)
        sentence = msg(
            "{side} has {count} checkers, not {checkers}",
            side=msg(side.value),
            count=count,
            checkers=CHECKERS,
        )
        if count > CHECKERS:
            yield Reason.TOO_MANY_CHECKERS, sentence
        elif count < CHECKERS:
            yield Reason.CHECKERS_MISSING, sentence
    own, other = _views(seen, mover)
    for point in range(1, BAR):
        if own[point] and other[seen.course.across(point)]:
            yield _shared(before, mover, seen, point)


def _is_no_vector(vector: object) -> bool:
    if not isinstance(vector, list | tuple) or len(vector) != PLACES:
        return True
    return any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in vector)


def _views(seen: Setup, mover: Side) -> tuple[tuple[int, ...], tuple[int, ...]]:
    light, dark = tuple(seen.light), tuple(seen.dark)
    return (light, dark) if mover is Side.LIGHT else (dark, light)


def _shared(before: Position, mover: Side, seen: Setup, point: int) -> Broken:
    """Why both colours stand on the mover's `point`."""
    across = seen.course.across(point)
    stood = before.of(mover.other)[across]
    arrived = not before.of(mover)[point]
    if arrived and stood == 1 and seen.course is Course.OPPOSED:
        sentence = msg(
            "the blot on {point} was hit but not put on the bar", point=place_name(point)
        )
        return Reason.FORGOTTEN_HIT, sentence
    if arrived and stood:
        sentence = msg(
            "a checker was put on {point}, which the opponent holds", point=place_name(point)
        )
        return Reason.BLOCKED_POINT | Reason.BOTH_COLOURS, sentence
    return Reason.BOTH_COLOURS, msg("{point} holds checkers of both sides", point=place_name(point))
