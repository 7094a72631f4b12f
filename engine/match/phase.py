"""`Phase`: what a match is waiting for."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Phase(Enum):
    """What happens next."""

    WAITING = "waiting"
    """No game has begun: the starting position is awaited."""
    TO_ROLL = "to_roll"
    TO_PLAY = "to_play"
    DOUBLED = "doubled"
    """The cube is offered and awaits an answer."""
    DISPUTED = "disputed"
    """An illegal play stands until the opponent rolls or asks for another."""
    UNFINISHED = "unfinished"
    """A game was broken off without a known result; the next one may begin regardless."""
    OVER = "over"
    """A game has ended; the next begins when its starting position is set up."""


BETWEEN_GAMES: Final = (Phase.WAITING, Phase.OVER, Phase.UNFINISHED)
"""Phases in which a starting position is awaited."""
