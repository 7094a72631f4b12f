"""Passwords: kept as argon2 hashes, checked one at a time."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from webui.contracts.state import Role

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""OWASP's minimum memory for argon2id: a board is refereed on the same machine."""
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without characters that look alike: people type the password from a screen into a phone."""
_CHECKED_LAST: Final = (Role.REFEREE, Role.VIEWER)


class Passwords:
    """The role that a password gives."""

    def __init__(self, hashes: Mapping[Role, str]) -> None:
        """`hashes`: as made by `hashed`; a role without one cannot log in."""
        self._hashes = dict(hashes)
        self._one_at_a_time = threading.Lock()

    def role_of(self, password: str) -> Role | None:
        """The role that `password` gives, the referee's first; None if it is wrong."""
        with self._one_at_a_time:  # each check takes 20 MB for a moment
            return next((role for role in _CHECKED_LAST if self._opens(role, password)), None)

    def _opens(self, role: Role, password: str) -> bool:
        kept = self._hashes.get(role)
        if kept is None:
            return False
        try:
            return _HASHER.verify(kept, password)
        except VerificationError:
            return False


def hashed(password: str) -> str:
    """The argon2 hash of a password, which may be stored."""
    return _HASHER.hash(password)


def is_hash(text: str) -> bool:
    """Whether `text` looks like a result of `hashed`."""
    try:
        _HASHER.check_needs_rehash(text)
    except InvalidHashError:
        return False
    return True


def new_password() -> str:
    """A random password of 59 bits, in three groups that are easy to read aloud."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))
