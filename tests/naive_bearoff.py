"""Bearing off, written slowly and literally; shares no code with the engine."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

Home = tuple[int, ...]


@cache
def naive_rolls(home: Home) -> Fraction:
    """The mean number of rolls for the points of the checkers left, sorted."""
    if not home:
        return Fraction(0)
    total = Fraction(0)
    for one in range(1, 7):
        for two in range(1, 7):
            dice = (one,) * 4 if one == two else (one, two)
            total += min(map(naive_rolls, ends(home, dice) | ends(home, dice[::-1])))
    return 1 + total / 36


def ends(home: Home, dice: tuple[int, ...]) -> set[Home]:
    """Every board after the dice in this order."""
    if not home or not dice:
        return {home}
    found = set()
    for at, point in enumerate(home):
        if point >= dice[0] or point == home[-1]:
            rest = home[:at] + home[at + 1 :]
            left = [point - dice[0]] if point > dice[0] else []
            found |= ends(tuple(sorted([*rest, *left])), dice[1:])
    return found
