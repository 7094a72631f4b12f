"""Long narde, classic, and its presets.

`classic000` is the complete text of the collected rules and the default; `classic002` has further
exceptions for the second player; `site_classic` allows a row of six in passing; `home_block` asks
for an opposing checker in its home.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from engine.position import Course
from engine.rules.base import NextStarter, Rules, side_vector
from engine.rules.circling import CirclingSearch
from engine.rules.house import HouseRules, SixPrime
from engine.rules.kush import HEAD
from engine.rules.narde_score import oin_mars

CLASSIC000: Final = HouseRules(one_head_after=frozenset({((5, 5), (4, 4))}))
_BLOCKING: Final = ((2, 1), (6, 2), (5, 5))
CLASSIC002: Final = HouseRules(
    second_head_after=frozenset((a, b) for a in _BLOCKING for b in ((5, 5), (6, 2)))
)
SITE_CLASSIC: Final = HouseRules(in_passing=False)
HOME_BLOCK: Final = HouseRules(block=SixPrime.HOME)


def narde_like(name: str, title: str, house: HouseRules, **changes: Any) -> Rules:
    """Rules of the narde family with this house; `changes` are other fields of `Rules`."""
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
"""House rules of narde by name; the rest of their rules is the same."""
