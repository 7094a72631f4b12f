"""Passwords: kept as argon2 hashes, checked one at a time."""

from __future__ import annotations

import hmac
import secrets
import threading
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError

from webui.contracts.roles import Role

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""OWASP's minimum memory for argon2id: a board is refereed on the same machine."""
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without characters that look alike: people type the password from a screen into a phone."""


class Passwords:
    """The role that a password gives."""

    def __init__(self, hashes: Mapping[Role, str]) -> None:
        """`hashes`: as made by `hashed`; a role without one cannot log in."""
        self._one_at_a_time = threading.Lock()
        self._by_salt: defaultdict[str, list[tuple[Role, str]]] = defaultdict(list)
        for role, kept in hashes.items():
            self._by_salt[_head(kept)].append((role, kept))

    def role_of(self, password: str) -> Role | None:
        """The role that `password` gives, the most powerful first; None if it is wrong.

        Takes the time of one hash for each salt, so the roles' passwords should share theirs.
        """
        with self._one_at_a_time:  # each check takes 20 MB for a moment
            opened = {
                role for kept in self._by_salt.values() for role in self._opened(kept, password)
            }
        return next((role for role in reversed(Role) if role in opened), None)

    def _opened(self, kept: list[tuple[Role, str]], password: str) -> list[Role]:
        """The roles that `password` opens; all the hashes have the same salt and parameters."""
        _, like = kept[0]
        hasher = PasswordHasher.from_parameters(extract_parameters(like))
        given = hasher.hash(password, salt=_salt(like))
        return [role for role, one in kept if hmac.compare_digest(one, given)]


def _head(kept: str) -> str:
    """A hash's parameters and salt."""
    return kept.rpartition("$")[0]


def _salt(kept: str) -> bytes:
    text = _head(kept).rpartition("$")[2]
    return b64decode(text + "=" * (-len(text) % 4))


def salt_of(hashes: Iterable[str]) -> bytes:
    """The salt of one of these hashes, for others beside them; a new one if there is none."""
    return next(map(_salt, hashes), None) or secrets.token_bytes(16)


def hashed(password: str, salt: bytes | None = None) -> str:
    """The argon2 hash of a password, which may be stored; by default with a salt of its own."""
    return _HASHER.hash(password, salt=salt)


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
