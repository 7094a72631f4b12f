"""Opens a cup for as long as it is used; a virtual one keeps its memory in a file.

The file stands in for a real cup's EEPROM, so that a match continues after a restart. It holds the
seed of the match in play: a virtual cup is only as honest as this machine.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from calibration.files import write_whole
from hardware.connection import CupConnection
from hardware.errors import HardwareError, NoCup
from hardware.ports import PortSearch
from hardware.proof import CupRoll
from hardware.protocol_constants import CupPhase, RollPurpose
from hardware.served_cup import ServedCup
from hardware.virtual_cup import CupMemory

_BYTES: Final = ("unit", "seed", "key", "chain")
_NUMBERS: Final = ("starts", "match", "number", "first")


def open_cup(
    stack: ExitStack,
    url: str | None,
    *,
    is_virtual: bool = False,
    memory: Path | None = None,
    is_shaken_at_once: bool = True,
) -> CupConnection:
    """The cup at `url`, the first one found, or a virtual one, open until `stack` is left.

    memory: the file of a virtual cup; is_shaken_at_once: whether a virtual cup throws by itself as
    soon as it is armed.
    """
    if is_virtual:
        served = ServedCup(
            os.urandom,
            memory=None if memory is None else read_memory(memory),
            is_shaken_at_once=is_shaken_at_once,
            save=lambda now: None if memory is None else write_memory(memory, now),
        )
        url = stack.enter_context(served).url
    return stack.enter_context(CupConnection(PortSearch(url)))


def write_memory(path: Path, memory: CupMemory) -> None:
    """Replace the memory's file as a whole; raises `OSError` if that fails."""
    write_whole(path, memory_text(memory).encode(), mode=0o600)


def read_memory(path: Path) -> CupMemory:
    """The memory in the file, or that of a new cup; raises `NoCup` if it cannot be read."""
    if not path.exists():
        return CupMemory(os.urandom(8))
    try:
        return memory_from(path.read_text("utf-8"))
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        RecursionError,
        OverflowError,
        HardwareError,
    ) as error:
        raise NoCup(
            f"the virtual cup's memory {path} cannot be read: move it away to use a new one"
        ) from error


def memory_text(memory: CupMemory) -> str:
    """The memory as JSON; see `memory_from`."""
    rolls = [
        [roll.number, int(roll.what), roll.salt.hex(), list(roll.faces)]
        for roll in memory.rolls.values()
    ]
    fields: dict[str, Any] = {name: getattr(memory, name).hex() for name in _BYTES}
    fields |= {name: getattr(memory, name) for name in _NUMBERS}
    return json.dumps({**fields, "phase": int(memory.phase), "rolls": rolls})


def memory_from(text: str) -> CupMemory:
    """The inverse of `memory_text`; raises a built-in error or `BadFrame` for invalid text."""
    fields = json.loads(text)
    rolls = (
        CupRoll(int(number), RollPurpose.of(what), bytes.fromhex(salt), tuple(map(int, faces)))
        for number, what, salt, faces in fields["rolls"]
    )
    known: dict[str, Any] = {name: bytes.fromhex(fields[name]) for name in _BYTES}
    known |= {name: int(fields[name]) for name in _NUMBERS}
    kept = {roll.number: roll for roll in rolls}
    return CupMemory(**known, phase=CupPhase(fields["phase"]), rolls=kept)
