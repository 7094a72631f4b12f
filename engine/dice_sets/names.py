"""Names of dice, as text and as messages.

Records keep a name as text; `name_message` turns the names that Tableside makes into messages.
"""

from __future__ import annotations

import re
from typing import Final

from engine.message import Sentence, msg
from engine.position import SIDE_NAMES, SIDE_TITLES

COLOUR_NAMES: Final = {
    "black": (msg("black pair"), msg("black die")),
    "dark grey": (msg("dark grey pair"), msg("dark grey die")),
    "grey": (msg("grey pair"), msg("grey die")),
    "white": (msg("white pair"), msg("white die")),
    "ivory": (msg("ivory pair"), msg("ivory die")),
    "red": (msg("red pair"), msg("red die")),
    "pink": (msg("pink pair"), msg("pink die")),
    "orange": (msg("orange pair"), msg("orange die")),
    "brown": (msg("brown pair"), msg("brown die")),
    "yellow": (msg("yellow pair"), msg("yellow die")),
    "green": (msg("green pair"), msg("green die")),
    "turquoise": (msg("turquoise pair"), msg("turquoise die")),
    "blue": (msg("blue pair"), msg("blue die")),
    "purple": (msg("purple pair"), msg("purple die")),
}
"""By color: a pair of like dice thrown together, and a single die thrown with another."""
OF_CUP: Final = "cup "
"""The prefix of the names of a cup's dice."""
THROWN_BY: Final = " thrown by "
"""What precedes the player in the name of a pair that both players throw."""
_OWN_PAIR: Final = "'s pair"
_PLAIN: Final = {str(name): name for pair in COLOUR_NAMES.values() for name in pair}
_SIDES: Final = {str(side): side for side in (*SIDE_NAMES.values(), *SIDE_TITLES.values())}
_NUMBERED: Final = re.compile(r"(?P<name>.+) no\. (?P<number>\d+)")
_SHADE: Final = re.compile(r"(?P<name>.+), the (?P<shade>lighter|darker)")


def cup_dice(cup: str) -> str:
    """The name of a cup's dice, which cannot be changed."""
    return f"{OF_CUP}{cup}"


def dice_of(names: str, player: str) -> str:
    """The name of a pair's dice when kept apart by thrower."""
    return f"{names}{THROWN_BY}{player}"


def pair_of(player: str) -> str:
    """The name of a player's dice when nothing distinguishes one die from another."""
    return f"{player}{_OWN_PAIR}"


def name_message(name: str) -> Sentence:
    """The name as a message; one that a person gave is left as it is."""
    if name in _PLAIN:
        return _PLAIN[name]
    pair, mark, player = name.partition(THROWN_BY)
    if mark:
        thrower = _SIDES.get(player, player)
        return msg("{names} thrown by {player}", names=name_message(pair), player=thrower)
    if name.startswith(OF_CUP):
        return msg("cup {cup}", cup=name.removeprefix(OF_CUP))
    if name.endswith(_OWN_PAIR):
        player = name.removesuffix(_OWN_PAIR)
        return msg("{name}'s pair", name=_SIDES.get(player, player))
    return _distinguished(name)


def _distinguished(name: str) -> Sentence:
    """The name of one of several dice with the same color name."""
    if found := _NUMBERED.fullmatch(name):
        return msg("{name} no. {number}", name=name_message(found["name"]), number=found["number"])
    if found := _SHADE.fullmatch(name):
        like = name_message(found["name"])
        if found["shade"] == "lighter":
            return msg("{name}, the lighter", name=like)
        return msg("{name}, the darker", name=like)
    return name
