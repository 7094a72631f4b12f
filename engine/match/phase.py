"""`Phase`: what a match waits for."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Phase(Enum):
    """What happens next."""

    WAITING = "waiting"
    """No game has begun: the start position is awaited."""
    TO_ROLL = "to_roll"
    TO_PLAY = "to_play"
    DOUBLED = "doubled"
    """The cube is offered and waits for an answer."""
    DISPUTED = "disputed"
    """An illegal play holds until the opponent rolls or asks for another."""
    UNFINISHED = "unfinished"
    """A game was broken off and its result is not known; the next may begin all the same."""
    OVER = "over"
    """A game has ended; the next begins when its start position is set up."""


BETWEEN_GAMES: Final = (Phase.WAITING, Phase.OVER, Phase.UNFINISHED)
"""Phases in which a start position is awaited."""
