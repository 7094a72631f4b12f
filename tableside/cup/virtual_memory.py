"""What a virtual cup remembers, in a file beside the record: its match goes on after a restart.

It stands for the EEPROM of a real cup, and holds the seed of the match in play: a virtual cup is
honest only as far as this machine is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from hardware.errors import HardwareError, NoCup
from hardware.proof import CupRoll
from hardware.protocol_constants import CupPhase, RollPurpose
from hardware.virtual_cup import CupMemory
from tableside.record.files import write_whole

_BYTES: Final = ("unit", "seed", "key", "chain")
_NUMBERS: Final = ("starts", "match", "number", "first")


class StoredCupMemory:
    """The memory that `path` holds, or that of a cup which was never switched on."""

    def __init__(self, path: Path, random_bytes: Callable[[int], bytes]) -> None:
        """`NoCup` if the file cannot be read."""
        self._path = path
        self.memory = read_memory(path) if path.exists() else CupMemory(random_bytes(8))

    def keep(self, memory: CupMemory) -> None:
        """It is on the disk as a whole; `OSError` if it cannot be."""
        write_whole(self._path, memory_text(memory).encode())


def read_memory(path: Path) -> CupMemory:
    """What was kept; `NoCup` says what to do where it cannot be read."""
    try:
        return memory_from(path.read_text("utf-8"))
    except (OSError, ValueError, LookupError, TypeError, HardwareError) as error:
        raise NoCup(
            f"the virtual cup's memory {path} cannot be read: move it away, and another cup plays"
        ) from error


def memory_text(memory: CupMemory) -> str:
    """The memory as JSON, see `memory_from`."""
    rolls = [
        [roll.number, int(roll.what), roll.salt.hex(), list(roll.faces)]
        for roll in memory.rolls.values()
    ]
    told: dict[str, Any] = {name: getattr(memory, name).hex() for name in _BYTES}
    told |= {name: getattr(memory, name) for name in _NUMBERS}
    return json.dumps({**told, "phase": int(memory.phase), "rolls": rolls})


def memory_from(text: str) -> CupMemory:
    """The inverse of `memory_text`; an error of Python's own or `BadFrame` if it is none."""
    told = json.loads(text)
    rolls = (
        CupRoll(int(number), RollPurpose.of(what), bytes.fromhex(salt), tuple(map(int, faces)))
        for number, what, salt, faces in told["rolls"]
    )
    known: dict[str, Any] = {name: bytes.fromhex(told[name]) for name in _BYTES}
    known |= {name: int(told[name]) for name in _NUMBERS}
    kept = {roll.number: roll for roll in rolls}
    return CupMemory(**known, phase=CupPhase(told["phase"]), rolls=kept)
