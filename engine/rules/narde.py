"""Long narde: its classic rules, scoring systems and presets.

`classic000` is the complete text of the collected rules and the default; `classic002` has further
exceptions for the second player; `site_classic` allows a row of six in passing; `home_block`
requires an opposing checker in its home.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from engine.position import BAR, CHECKERS, HOME_POINTS, OFF, Course, Position, Side
from engine.rules.base import Rules, Scoring, side_vector
from engine.rules.circling import CirclingSearch
from engine.rules.house import HEAD, HouseRules, SixPrime
from engine.ruleset import NextStarter

FIRST_QUARTER: Final = 19
"""A side's own points 19..24, where its checkers start."""
CLASSIC000: Final = HouseRules(one_head_after=frozenset({((5, 5), (4, 4))}))
_BLOCKING: Final = ((2, 1), (6, 2), (5, 5))
CLASSIC002: Final = HouseRules(
    second_head_after=frozenset((a, b) for a in _BLOCKING for b in ((5, 5), (6, 2)))
)
SITE_CLASSIC: Final = HouseRules(in_passing=False)
HOME_BLOCK: Final = HouseRules(block=SixPrime.HOME)


def oin_mars(position: Position, loser: Side, off_at_start: int) -> tuple[int, str]:
    """Mars, two points, if the loser has borne none off; otherwise oin, one."""
    return (1, "oin") if position.of(loser)[OFF] > off_at_start else (2, "mars")


def oin_mars_koks(position: Position, loser: Side, off_at_start: int) -> tuple[int, str]:
    """Also koks, three points: none off and a checker still in its first quarter."""
    points, result = oin_mars(position, loser, off_at_start)
    is_far = any(position.of(loser)[FIRST_QUARTER:BAR])
    return (3, "koks") if result == "mars" and is_far else (points, result)


def by_checkers(position: Position, loser: Side, off_at_start: int) -> tuple[int, str]:
    """A point for each checker that the loser has not borne off."""
    return CHECKERS - position.of(loser)[OFF], oin_mars(position, loser, off_at_start)[1]


def seed000_beginner(position: Position, loser: Side, off_at_start: int) -> tuple[int, str]:
    """The opposite of every other source: koks with all home, mars with some not home.

    Otherwise the number of checkers left.
    """
    vector = position.of(loser)
    if vector[OFF] > off_at_start:
        return CHECKERS - vector[OFF], "oin"
    return (2, "mars") if any(vector[HOME_POINTS + 1 :]) else (3, "koks")


SCORINGS: Final[dict[str, Scoring]] = {
    "oin_mars": oin_mars,
    "koks3": oin_mars_koks,
    "points_by_checkers": by_checkers,
    "seed000_beginner": seed000_beginner,
}
"""Every scoring system by the name of its option."""


def narde_like(name: str, title: str, house: HouseRules, **changes: Any) -> Rules:
    """Narde-family rules with these house rules; `changes` are other fields of `Rules`."""
    return Rules(
        name=name,
        title=title,
        **{
            "start": side_vector({HEAD: 15}),
            "course": Course.CIRCLING,
            "holds": 1,
            "search": CirclingSearch(house),
            "score": oin_mars,
            "doubles": house.doubles,
            "next_starter": NextStarter.WINNER,
            "starter_rolls_again": True,
            "has_cube": False,
            **changes,
        },
    )


NARDE: Final = narde_like("narde", "Long narde", CLASSIC000)
NARDE_PRESETS: Final = {
    "classic000": NARDE,
    "classic002": replace(NARDE, search=CirclingSearch(CLASSIC002)),
    "site_classic": replace(NARDE, search=CirclingSearch(SITE_CLASSIC)),
    "home_block": replace(NARDE, search=CirclingSearch(HOME_BLOCK)),
}
"""House rules of narde by name; they share all other rules."""
