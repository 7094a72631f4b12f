"""Facts of a dice cup: its commitment, its rolls, and how they were used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from engine.events.match import Count, Dice, Die, Event
from engine.position import Side
from engine.typed_json import Pattern

RollName = Literal["one", "two", "opening"]
"""`opening`: one die each, light's first."""
SetAsideBy = Literal["hand", "dice"]
"""`dice`: real ones lay on the board."""
Hex = Annotated[str, Pattern(re.compile("(?:[0-9a-fA-F]{2})*"), "bytes in hexadecimal")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CupEvent(Event):
    """A fact of a dice cup; only `CupDecided` changes anything in the match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupCommitted(CupEvent):
    """A dice cup committed itself to a seed before it saw any nonce."""

    type: ClassVar[str] = "cup_commitment"
    cup: str
    """The cup's own name."""
    match: Count
    """The cup's count of its matches."""
    number: Count
    """The cup's count of its rolls before the first of this match."""
    commitment: Hex


@dataclass(frozen=True, slots=True, kw_only=True)
class CupSealed(CupEvent):
    """The nonces of the cup's rolls: the program's, and the words that the players chose."""

    type: ClassVar[str] = "cup_sealed"
    cup: str
    match: Count
    host: Hex
    light_words: str = ""
    dark_words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupRolled(CupEvent):
    """The cup rolled; `chain` binds all its rolls of the match up to this one."""

    type: ClassVar[str] = "cup_roll"
    cup: str
    number: Count
    kind: RollName
    roller: Side | None
    dice: tuple[Die, ...]
    salt: Hex
    chain: Hex
    was_requested: bool = field(default=True, metadata={"json": "asked"})
    """False: nobody had requested it here, or the program that had ended before the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupRevealed(CupEvent):
    """The cup revealed its seed: every roll of its match can be verified."""

    type: ClassVar[str] = "cup_revealed"
    cup: str
    match: Count
    seed: Hex


@dataclass(frozen=True, slots=True, kw_only=True)
class CupDisagrees(CupEvent):
    """The dice on the board are not the cup's; the referee decides which counts."""

    type: ClassVar[str] = "cup_disagrees"
    player: Side
    dice: tuple[Die, ...]
    """The cup's."""
    seen: Dice


@dataclass(frozen=True, slots=True, kw_only=True)
class CupDecided(CupEvent):
    """The referee decided which dice count for the roll that `player` is to play: `dice`."""

    type: ClassVar[str] = "cup_decided"
    player: Side
    dice: tuple[Die, Die]
    source: Literal["cup", "board"] = field(metadata={"json": "stands"})
    """Where these dice are from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CupSetAside(CupEvent):
    """No cup is used until it is taken up again."""

    type: ClassVar[str] = "cup_aside"
    by: SetAsideBy = "hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class CupTakenUp(CupEvent):
    """The cup that was set aside is used again."""

    type: ClassVar[str] = "cup_back"
