"""The options of a game as headers of a match file."""

from __future__ import annotations

from typing import Final

from engine.errors import InvalidRuleSet, UnknownVariant
from engine.formats.model.match_file import FaultList, Headers, MatchFile
from engine.message import message_of
from engine.rules import Rules, find_rules
from engine.ruleset import NO_OPTIONS, GameOptions
from engine.ruleset_file import game_options, game_options_json

_NAMES: Final = {
    "preset": "Preset",
    "scoring": "Scoring",
    "last_roll_draw": "LastRollDraw",
    "next_starter": "NextStarter",
    "swap_colors": "SwapColors",
}
"""The header of each option that the rest of a file does not say."""
OPTION_HEADERS: Final = tuple(_NAMES.values())
_ON_OFF: Final = {"On": True, "Off": False}


def option_headers(options: GameOptions) -> Headers:
    """A header for each option that was chosen."""
    plain = game_options_json(options)
    return tuple(
        (header, {True: "On", False: "Off"}.get(plain[name], plain[name]))
        for name, header in _NAMES.items()
        if name in plain
    )


def rules_of(match: MatchFile, faults: FaultList) -> tuple[Rules, GameOptions]:
    """The rules of the match, and its options; those that cannot be used are faults."""
    given = {name: match.header(header) for name, header in _NAMES.items() if match.header(header)}
    try:
        read = game_options({name: _ON_OFF.get(text, text) for name, text in given.items()})
        return find_rules(match.variant, read), read
    except (InvalidRuleSet, UnknownVariant) as error:
        faults.add(1, message_of(error))
        return find_rules(match.variant), NO_OPTIONS
