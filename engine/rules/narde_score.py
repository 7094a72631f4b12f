"""What a finished narde game is worth: oin, mars, koks."""

from __future__ import annotations

from typing import Final

from engine.position import BAR, CHECKERS, OFF, Position, Side

FIRST_QUARTER: Final = 19
HOME: Final = 6


def oin_mars(position: Position, loser: Side, idle: int) -> tuple[int, str]:
    """Mars, two points, where the loser has borne none off; else oin, one."""
    return (1, "oin") if position.of(loser)[OFF] > idle else (2, "mars")


def oin_mars_koks(position: Position, loser: Side, idle: int) -> tuple[int, str]:
    """Koks too, three points: none off and a checker still in its first quarter."""
    points, result = oin_mars(position, loser, idle)
    is_far = any(position.of(loser)[FIRST_QUARTER:BAR])
    return (3, "koks") if result == "mars" and is_far else (points, result)


def by_checkers(position: Position, loser: Side, idle: int) -> tuple[int, str]:
    """A point for each checker that the loser has not borne off."""
    return CHECKERS - position.of(loser)[OFF], oin_mars(position, loser, idle)[1]


def seed000_beginner(position: Position, loser: Side, idle: int) -> tuple[int, str]:
    """Upside down against every other source: koks with all home, mars with some not.

    Else the number of checkers left.
    """
    vector = position.of(loser)
    if vector[OFF] > idle:
        return CHECKERS - vector[OFF], "oin"
    return (2, "mars") if any(vector[HOME + 1 :]) else (3, "koks")


SCORINGS: Final = {
    "oin_mars": oin_mars,
    "koks3": oin_mars_koks,
    "points_by_checkers": by_checkers,
    "seed000_beginner": seed000_beginner,
}
"""Every scoring by the name of its option."""
