"""How a cup makes its rolls from a seed, so that anybody can make them again.

The cup commits to a seed; then the players and the program give nonces; each roll is an HMAC of
its number, what it is and a salt, and a chain of hashes binds all of them in their order.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from hardware.protocol_constants import RollKind, RollPurpose, faces_byte

FAIR: Final = 252
"""42 * 6: of the bytes below it each face has 42, so that no face is favoured."""


@dataclass(frozen=True, slots=True)
class CupRoll:
    """One roll of a match with all that it was made of but the key."""

    number: int
    """Of the cup's whole life, 1 for the first."""
    what: RollPurpose
    salt: bytes
    faces: tuple[int, ...]

    @property
    def material(self) -> bytes:
        """What the roll is computed from, the key apart."""
        return self.number.to_bytes(4, "little") + bytes([int(self.what)]) + self.salt


def commitment_of(seed: bytes) -> bytes:
    """What the cup tells before it sees any nonce; 32 bytes."""
    return sha256(b"tableside cup seed 1" + seed).digest()


def nonces_of(host: bytes, light: str, dark: str) -> bytes:
    """The nonces of all three, bound into 32 bytes."""
    parts = (host, light.encode(), dark.encode())
    told = b"".join(len(part).to_bytes(2, "little") + part for part in parts)
    return sha256(b"tableside cup nonces 1" + told).digest()


def key_of(seed: bytes, nonces: bytes) -> bytes:
    """The key of a match's rolls; 32 bytes."""
    return hmac.digest(seed, b"tableside cup key 1" + nonces, "sha256")


def chain_start(commitment: bytes, nonces: bytes) -> bytes:
    """The chain before the first roll; 32 bytes."""
    return sha256(b"tableside cup chain 1" + commitment + nonces).digest()


def chain_after(chain: bytes, roll: CupRoll) -> bytes:
    """The chain once `roll` is part of it."""
    return sha256(chain + roll.material + bytes([faces_byte(roll.faces)])).digest()


def rolled(key: bytes, roll: CupRoll) -> CupRoll:
    """`roll` with the faces that the key gives it."""
    wanted = 1 if roll.what.kind is RollKind.ONE else 2
    thrown = _thrown(key, roll.material)
    return replace(roll, faces=tuple(next(thrown) for _ in range(wanted)))


def _thrown(key: bytes, material: bytes) -> Iterator[int]:
    for turn in range(256):
        for byte in hmac.digest(key, material + bytes([turn]), "sha256"):
            if byte < FAIR:
                yield byte % 6 + 1
