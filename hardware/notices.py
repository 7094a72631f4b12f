"""What the client of a cup has to tell."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.messages import Message
from hardware.proof import CupRoll


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """A command has its answer; `Refused` is one."""

    token: int
    message: Message


@dataclass(frozen=True, slots=True)
class CommandBroken:
    """A command will get no answer: the line is gone."""

    token: int
    why: str


@dataclass(frozen=True, slots=True)
class RollMade:
    """A roll of the match, told once: the one asked for, or one that nobody here asked for.

    The latter is the cup's log speaking: a program that was killed had asked, or somebody else.
    """

    roll: CupRoll
    is_asked: bool


@dataclass(frozen=True, slots=True)
class MatchBroken:
    """The cup cannot go on with the match, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class UnsolicitedMessage:
    """The cup said something by itself."""

    message: Message


@dataclass(frozen=True, slots=True)
class LineSilent:
    """The line has to be opened anew, and why."""

    why: str


Notice = CommandAnswered | CommandBroken | RollMade | MatchBroken | UnsolicitedMessage | LineSilent
