"""What the statistics of dice refuse."""

from __future__ import annotations

from engine.errors import EngineError


class InvalidDice(EngineError):
    """Raised for rolls, or a model of misreadings, that no dice can have given."""
