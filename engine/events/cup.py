"""Facts of a dice cup: what binds it, what it rolled, and what is made of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.events.match import Dice, Event
from engine.position import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class CupEvent(Event):
    """Something of a dice cup; all but `CupDecided` change nothing in the match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupCommitted(CupEvent):
    """A dice cup bound itself to a seed before it saw any nonce; bytes as hex."""

    type: ClassVar[str] = "cup_commitment"
    cup: str
    """The cup's own name."""
    match: int
    """The cup's count of its matches."""
    number: int
    """The cup's count of its rolls before the first of this match."""
    commitment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CupSealed(CupEvent):
    """The nonces that the cup's rolls are made with: the program's as hex, the players' as said."""

    type: ClassVar[str] = "cup_sealed"
    cup: str
    match: int
    host: str
    light_words: str = ""
    dark_words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupRolled(CupEvent):
    """The cup rolled; `chain` binds all its rolls of the match up to this one."""

    type: ClassVar[str] = "cup_roll"
    cup: str
    number: int
    kind: str
    """`one`, `two` or `opening`: one die each, light's first."""
    roller: Side | None
    dice: tuple[int, ...]
    salt: str
    chain: str
    asked: bool = True
    """False: nobody here had asked, or the program that had was ended before it heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupRevealed(CupEvent):
    """The cup told its seed: every roll of its match can be made again."""

    type: ClassVar[str] = "cup_revealed"
    cup: str
    match: int
    seed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CupDisagrees(CupEvent):
    """The dice on the board are not the cup's; the referee decides which counts."""

    type: ClassVar[str] = "cup_disagrees"
    player: Side
    dice: tuple[int, ...]
    """The cup's."""
    seen: Dice


@dataclass(frozen=True, slots=True, kw_only=True)
class CupDecided(CupEvent):
    """The referee said which dice count for the roll that `player` is to play: `dice`."""

    type: ClassVar[str] = "cup_decided"
    player: Side
    dice: tuple[int, int]
    stands: str
    """`cup` or `board`: whose dice they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupSetAside(CupEvent):
    """No cup is used until it is taken up again."""

    type: ClassVar[str] = "cup_aside"
    by: str = "hand"
    """`hand`, or `dice`: real ones lay on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupTakenUp(CupEvent):
    """The cup that was set aside is used again."""

    type: ClassVar[str] = "cup_back"
