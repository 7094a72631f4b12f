"""How a cup makes its rolls from a seed, so that anyone can reproduce them.

The cup commits to a seed, the program to a secret; then the players contribute words. Each roll is
an HMAC of its number, its purpose and a salt, which in turn is one of the roll's number with the
program's secret. A hash chain binds all rolls in order.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from typing import Final

from hardware.protocol_constants import RollPurpose, faces_byte

UNBIASED_BYTES: Final = 252
"""42 * 6: of the byte values below this, exactly 42 map to each face, so that none is favored."""


@dataclass(frozen=True, slots=True)
class CupRoll:
    """A roll of a match, and everything it is computed from except the key."""

    number: int
    """Counted over the cup's lifetime, from 1."""
    what: RollPurpose
    salt: bytes
    faces: tuple[int, ...]

    @property
    def material(self) -> bytes:
        """The bytes that the roll is computed from, with the key."""
        return self.number.to_bytes(4, "little") + bytes([int(self.what)]) + self.salt


def commitment_of(seed: bytes) -> bytes:
    """The commitment to a seed, sent before the cup sees any nonce; 32 bytes."""
    return sha256(b"tableside cup seed 1" + seed).digest()


def program_commitment_of(secret: bytes) -> bytes:
    """The program's commitment to its secret, recorded before any word is entered; 32 bytes."""
    return sha256(b"tableside cup program 1" + secret).digest()


def fingerprint_of(
    commitment: bytes, program: bytes, unit: bytes, match: int, number: int
) -> bytes:
    """What players write down: a hash of the cup's and the program's commitments; 32 bytes.

    It binds what the rolls depend on: the salts and rolls are those of the numbers after `number`.
    """
    counts = match.to_bytes(4, "little") + number.to_bytes(4, "little")
    return sha256(b"tableside cup fingerprint 1" + commitment + program + unit + counts).digest()


def salt_of(secret: bytes, nonces: bytes, number: int) -> bytes:
    """The salt of roll `number` that the program's secret determines; 4 bytes."""
    message = b"tableside cup salt 1" + nonces + number.to_bytes(4, "little")
    return hmac.digest(secret, message, "sha256")[:4]


def nonces_of(host: bytes, light: str, dark: str) -> bytes:
    """The combined nonce of the program and the players; 32 bytes."""
    parts = (host, light.encode(), dark.encode())
    joined = b"".join(len(part).to_bytes(2, "little") + part for part in parts)
    return sha256(b"tableside cup nonces 1" + joined).digest()


def key_of(seed: bytes, nonces: bytes) -> bytes:
    """The key for a match's rolls; 32 bytes."""
    return hmac.digest(seed, b"tableside cup key 1" + nonces, "sha256")


def chain_start(commitment: bytes, nonces: bytes) -> bytes:
    """The chain before the first roll; 32 bytes."""
    return sha256(b"tableside cup chain 1" + commitment + nonces).digest()


def chain_after(chain: bytes, roll: CupRoll) -> bytes:
    """The chain after `roll`; 32 bytes."""
    return sha256(chain + roll.material + bytes([faces_byte(roll.faces)])).digest()


def rolled(key: bytes, roll: CupRoll) -> CupRoll:
    """`roll` with the faces that the key determines."""
    faces = islice(_faces(key, roll.material), roll.what.kind.dice)
    return replace(roll, faces=tuple(faces))


def _faces(key: bytes, material: bytes) -> Iterator[int]:
    for turn in range(256):
        for byte in hmac.digest(key, material + bytes([turn]), "sha256"):
            if byte < UNBIASED_BYTES:
                yield byte % 6 + 1
