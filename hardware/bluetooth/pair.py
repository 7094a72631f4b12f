"""Two dice thrown together, sans-I/O: the reports of each and the time in, throws out.

A die counts once it has said that it rolls and then where it came to rest. What happened while it
was out of reach is not known, so it counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.message import Sentence, msg
from hardware.bluetooth.reports import Held, Rest, Rested, Rolling

TOGETHER_S: Final = 5.0
"""Longest time between the first die's coming to rest and the other's beginning to roll in a throw
of both."""


@dataclass(frozen=True, slots=True)
class DiceThrow:
    """Both dice have rolled and lie still."""

    names: tuple[str, str]
    faces: tuple[int, int]
    cocked: str = ""
    """The die that does not lie flat; empty if both do."""
    is_together: bool = True
    """False if one lay still for long before the other rolled, as in an opening roll."""


@dataclass(slots=True)
class _Die:
    is_rolling: bool = False
    began: float = 0.0
    rested: Rested | None = None
    """Where it came to rest after a roll that is part of no throw yet."""
    rested_at: float = 0.0


class DicePair:
    """Makes throws from what the dice `names` report."""

    def __init__(self, names: tuple[str, str]) -> None:
        self.names = names
        self.why: Sentence = ""
        """Why the newest movement is no throw yet; empty if it is one."""
        self._dice = {name: _Die() for name in names}

    @property
    def is_rolling(self) -> bool:
        """Whether a die rolls."""
        return any(die.is_rolling for die in self._dice.values())

    def report(self, name: str, report: Rolling | Held | Rested, now: float) -> DiceThrow | None:
        """Process the report of one die; return the throw that it completes."""
        die = self._dice[name]
        match report:
            case Rolling():
                if not die.is_rolling:
                    die.is_rolling, die.began = True, now
                die.rested, self.why = None, ""
            case Held():
                die.is_rolling = False
            case Rested() if die.is_rolling:
                die.is_rolling = False
                return self._rest(name, report, now)
        return None

    def lost(self, name: str) -> None:
        """Forget what a die that is out of reach was doing."""
        if self._dice[name].is_rolling:
            self._spoil(msg("{die} was out of reach while it rolled: throw both again", die=name))
        self._dice[name] = _Die()

    def _spoil(self, why: Sentence) -> None:
        """Forget the throw in progress."""
        self.why = why
        for die in self._dice.values():
            die.is_rolling, die.rested = False, None

    def _rest(self, name: str, rested: Rested, now: float) -> DiceThrow | None:
        die = self._dice[name]
        if rested.how is Rest.UNROLLED:
            self._spoil(msg("{die} was turned, not rolled: throw both again", die=name))
            return None
        die.rested, die.rested_at = rested, now
        first, second = self._dice.values()
        if first.rested is None or second.rested is None:
            (other,) = (one for one in self.names if one != name)
            self.why = "" if self.is_rolling else msg("{die} has not rolled yet", die=other)
            return None
        throw = DiceThrow(
            self.names,
            (first.rested.face, second.rested.face),
            next((n for n, one in self._dice.items() if _is_cocked(one)), ""),
            _gap(first, second) <= TOGETHER_S,
        )
        first.rested = second.rested = None
        self.why = ""
        return throw


def _is_cocked(die: _Die) -> bool:
    return die.rested is not None and die.rested.how is Rest.COCKED


def _gap(first: _Die, second: _Die) -> float:
    """Seconds from one die's coming to rest to the other's beginning to roll; 0 if they overlap."""
    return max(0.0, second.began - first.rested_at, first.began - second.rested_at)
