"""Positions for tests: from text, and at random as random play reaches them."""

from __future__ import annotations

import random

from engine import Position, Roll, Side, legal_plays
from engine.rules import Rules

pos = Position.parse


def random_turn(seed: int, rules: Rules, most_plies: int = 120) -> tuple[Position, Side, Roll]:
    """A position, the side on roll and its roll, somewhere in a game of random play."""
    chance = random.Random(seed)
    position, side = rules.opening(), Side.LIGHT
    for _ in range(chance.randrange(most_plies)):
        legal = legal_plays(position, side, random_roll(chance), rules)
        # The play with the fewest pips left of four, or nobody would ever bear off.
        tried = [legal[chance.randrange(len(legal))].position for _ in range(4)]
        after = min(tried, key=lambda one: one.pips(side))
        if rules.outcome(after):
            break
        position, side = after, side.other
    return position, side, random_roll(chance)


def random_roll(chance: random.Random) -> Roll:
    """Two certain dice."""
    return Roll(chance.randint(1, 6), chance.randint(1, 6))
