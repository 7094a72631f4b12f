"""`Phase`: where a match is."""

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
    """An illegal play stands until the opponent rolls or asks for another."""
    UNFINISHED = "unfinished"
    """A game was broken off; who won it is asked. The next may begin all the same."""
    OVER = "over"
    """A game has ended; the next begins when the start position stands."""


BETWEEN_GAMES: Final = (Phase.WAITING, Phase.OVER, Phase.UNFINISHED)
"""Phases in which a start position is awaited."""
