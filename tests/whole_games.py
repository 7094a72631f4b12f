"""Whole games of every variant under every option, and what their files must give back."""

from __future__ import annotations

from collections.abc import Sequence

from engine import Event, as_json, find_rules, from_json
from engine.formats.detect import read_match
from engine.formats.from_events import match_from_events
from engine.formats.json_text import json_text
from engine.formats.mat.write import mat_text, xg_text
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.replay import replay
from engine.position import Course
from engine.rules import PRESETS, VARIANTS, scorings
from engine.ruleset import GameOptions, NextStarter
from tests.match_files import match_contents

GAMES = 100
"""Games of each variant in the slow tests."""
MATCH_GAMES = 2
"""Games of a match: the second begins as the options say."""


def option_sets(variant: str) -> list[GameOptions]:
    """The usual options of a variant, and each other choice of an option once."""
    return [
        GameOptions(variant),
        *(GameOptions(variant, preset=name) for name in PRESETS.get(variant, ())),
        *(GameOptions(variant, scoring=name) for name in scorings(find_rules(variant))),
        GameOptions(variant, last_roll_draw=True),
        *(GameOptions(variant, next_starter=who) for who in NextStarter),
        GameOptions(variant, swap_colors=True),
    ]


def numbered_matches(variant: str, count: int) -> list[tuple[int, GameOptions]]:
    """Numbers to seed so many matches, each with its options, which take turns."""
    sets = option_sets(variant)
    return [(number, sets[number % len(sets)]) for number in range(count)]


SHORT_ONES = ("hypergammon", "khachapuri")
"""Games of few turns; khachapuri has moves that pass on and rolls that repeat."""
SAMPLE = [numbered_matches(variant, n + 2)[n + 1] for n, variant in enumerate(SHORT_ONES)]
ALL = [each for variant in VARIANTS for each in numbered_matches(variant, GAMES // MATCH_GAMES)]
"""Every option of every variant comes at least once."""


def name_of(match: tuple[int, GameOptions]) -> str:
    """A test's name for a match: its number, variant and option."""
    number, chosen = match
    flags = {"last_roll_draw": chosen.last_roll_draw, "swap_colors": chosen.swap_colors}
    values = (chosen.preset, chosen.scoring, chosen.next_starter)
    options = [str(getattr(value, "value", value)) for value in values if value is not None]
    options += [name for name, is_set in flags.items() if is_set]
    return "-".join([str(chosen.variant), str(number), *options])


def check_files(events: Sequence[Event]) -> None:
    """The events survive JSON, and the match survives every format that can hold it."""
    written = [as_json(event) for event in events]
    stored = [from_json(one) for one in written]
    assert [as_json(event) for event in stored] == written
    match = match_from_events(stored)
    writers = [mat_text, xg_text, json_text]
    if find_rules(match.variant).course is Course.OPPOSED:
        writers.append(sgf_text)
    for write in writers:
        back = read_match(write(match).encode())
        played = replay(back)
        assert (back.faults, played.faults) == ((), ()), write.__name__
        assert not any(game.illegal for game in played.games), write.__name__
        assert match_contents(back) == match_contents(match), write.__name__
