"""What a die says about itself, whoever made it, and what makes of dice differ in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from engine.message import Message


class Rest(Enum):
    """How a die came to rest."""

    ROLLED = "rolled"
    """It lies flat after a roll."""
    COCKED = "cocked"
    """It does not lie flat."""
    UNROLLED = "unrolled"
    """It lies flat, but was only moved or turned over."""


@dataclass(frozen=True, slots=True)
class Rolling:
    """The die rolls."""


@dataclass(frozen=True, slots=True)
class Held:
    """The die is in a hand: if it was rolling, that is no roll."""


@dataclass(frozen=True, slots=True)
class Rested:
    """The die came to rest with `face` up, or nearly so if it is cocked."""

    face: int
    how: Rest


@dataclass(frozen=True, slots=True)
class Battery:
    """The charge of the die's battery in percent."""

    percent: int


DieReport = Rolling | Held | Rested | Battery


@dataclass(frozen=True, slots=True)
class DieMake:
    """A make of dice: how to talk to them, and what they call a die that does not lie flat."""

    title: str
    notify: str
    """The UUID of the characteristic that notifies."""
    write: str
    """The UUID of the characteristic for commands."""
    battery_command: bytes
    """The command that the die answers with a `Battery`."""
    decode: Callable[[bytes], DieReport | None]
    """A packet as a report; None if it says nothing about rolls or the battery. Raises `BadFrame`
    if the packet cannot come from such a die."""
    cocked: Callable[[str], Message]
    """That the die with this name does not lie flat, in the maker's word."""
