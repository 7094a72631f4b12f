"""`Reason`: the rules that a result can break, by name."""

from __future__ import annotations

from enum import Flag, auto


class Reason(Flag):
    """A broken rule; several may be combined. `Reason(0)` is a legal result."""

    WRONG_COUNTS = auto()
    """A side does not have 26 whole counts, or has a negative one."""
    TOO_MANY_CHECKERS = auto()
    CHECKERS_MISSING = auto()
    FORGOTTEN_HIT = auto()
    """A checker was put on a blot that was not sent to the bar."""
    BOTH_COLOURS = auto()
    """A point holds checkers of both sides."""
    OPPONENT_MOVED = auto()
    """An opposing checker went where no hit sends it."""
    NOT_MOVED = auto()
    """Nothing was played, but a play was possible."""
    MOVED_BACKWARDS = auto()
    BAR_NOT_ENTERED = auto()
    BEAR_OFF_TOO_EARLY = auto()
    BEAR_OFF_NOT_EXACT = auto()
    """A checker was borne off with a die that does not fit its point."""
    BLOCKED_POINT = auto()
    HEAD_RULE = auto()
    """Too many checkers left the head."""
    ONE_RUNNER = auto()
    """A second checker left the head before the first had passed the opponent's head (Fevga)."""
    BLOCK_RULE = auto()
    """A row of six that is not allowed."""
    MOVED_IN_HOME = auto()
    """A checker moved inside home where only bearing off is allowed."""
    LARGER_DIE = auto()
    """Only one die can be played, and it was the smaller one."""
    DIE_NOT_USED = auto()
    """More of the roll can be played."""
    WRONG_DISTANCE = auto()
    """The checkers moved a distance that the dice do not give."""
