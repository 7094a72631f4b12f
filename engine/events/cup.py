"""Events of a dice cup, and of dice with Bluetooth: commitments, rolls, and how they were used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Literal

from engine.events.match import Count, Dice, Die, Event, event_type
from engine.position import Side
from engine.typed_json import Pattern

RollName = Literal["one", "two", "opening"]
"""`opening`: one die each, light's first."""
SetAsideBy = Literal["hand", "dice"]
"""`dice`: there were real dice on the board."""
UnusedReason = Literal["late", "unasked", "aside"]
"""`late`: its turn already had another roll, or was over; `unasked`: it was not asked for, or made
while no program was running; `aside`: the cup was set aside."""
Hex = Annotated[str, Pattern(re.compile("(?:[0-9a-fA-F]{2})*"), "bytes in hexadecimal")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CupEvent(Event):
    """An event of a device that rolls; only `CupDecided` changes anything in the match."""


@event_type("cup_commitment")
class CupCommitted(CupEvent):
    """A dice cup committed itself to a seed before it saw any nonce."""

    cup: str
    """The cup's own name."""
    match: Count
    """The cup's count of its matches."""
    number: Count
    """The cup's count of its rolls before the first of this match."""
    commitment: Hex
    program: Hex = ""
    """The program's commitment to a secret of its own; empty in records of older versions."""
    program_secret: Hex = ""
    """What the salts are made from: recorded at once, shown only after the cup has revealed its
    seed."""


@event_type("cup_sealed")
class CupSealed(CupEvent):
    """The nonces of the cup's rolls: the program's, and the words that the players chose."""

    cup: str
    match: Count
    host: Hex
    """The fingerprint of both commitments; in records of older versions, a random number."""
    light_words: str = ""
    dark_words: str = ""


@event_type("cup_roll")
class CupRolled(CupEvent):
    """The cup rolled; `chain` binds all its rolls of the match up to this one."""

    cup: str
    number: Count
    kind: RollName
    roller: Side | None
    dice: tuple[Die, ...]
    salt: Hex
    chain: Hex
    was_requested: bool = field(default=True, metadata={"json": "asked"})
    """False if this program did not ask for the roll, or ended before the response arrived."""
    game: Count = field(default=0, metadata={"omit_empty": True})
    """The game that the roll was asked for; 0 if it was not asked for, and in older records."""
    turn: Count = field(default=0, metadata={"json": "roll", "omit_empty": True})
    """Which roll of that game it was asked for, from 1."""
    player: Side | None = field(default=None, metadata={"json": "for", "omit_empty": True})
    """Whose roll that is; None in an opening roll, or if the play before it decides that."""
    unused: UnusedReason | None = field(default=None, metadata={"omit_empty": True})
    """Why it is no roll of the match; None if it was one, or could become one."""


@event_type("bluetooth_roll")
class BluetoothRolled(CupEvent):
    """Two dice with Bluetooth said how they came to rest; nothing proves it."""

    number: Count
    """Counts such throws in the match, from 1."""
    kind: Literal["two", "opening"]
    names: tuple[str, str]
    """The dice; in an opening roll, light's first."""
    dice: tuple[Die, Die]
    """Their faces, in the same order."""


@event_type("cup_revealed")
class CupRevealed(CupEvent):
    """The cup revealed its seed: every roll of its match can be verified."""

    cup: str
    match: Count
    seed: Hex


@event_type("cup_disagrees")
class CupDisagrees(CupEvent):
    """The dice on the board differ from the cup's roll; the referee decides which count."""

    player: Side
    dice: tuple[Die, ...]
    """The cup's roll."""
    seen: Dice


@event_type("cup_decided")
class CupDecided(CupEvent):
    """The referee decided that `player` has to play `dice`."""

    player: Side
    dice: tuple[Die, Die]
    source: Literal["cup", "board"] = field(metadata={"json": "stands"})
    """Whether these dice are the cup's or those on the board."""


@event_type("cup_aside")
class CupSetAside(CupEvent):
    """The cup was set aside; it is not used until it is taken up again."""

    by: SetAsideBy = "hand"


@event_type("cup_back")
class CupTakenUp(CupEvent):
    """The cup that had been set aside was taken up again."""
