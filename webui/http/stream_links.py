"""Tokens in the address of an overlay: each opens the overlay to whoever has it, and nothing else.

Only their hashes are kept: a token is long and random, so that a fast hash is enough.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

MOST_LINKS: Final = 50


@dataclass(frozen=True, slots=True)
class StreamLink:
    """A token that was made, as it is kept."""

    id: str
    """Names it when it is withdrawn."""
    name: str
    """What it was made for."""
    hash: str
    """The SHA-256 of the token, in hex."""


class StreamLinks:
    """The tokens that open the overlay; thread-safe."""

    def __init__(
        self,
        kept: Iterable[StreamLink] = (),
        save: Callable[[list[StreamLink]], object] = lambda _: None,
    ) -> None:
        """kept: those of before. save: keeps all of them; what it raises, `make` raises."""
        self._lock = threading.Lock()
        self._links = {link.id: link for link in kept}
        self._save = save

    def listed(self) -> list[StreamLink]:
        """Those that are valid, the oldest first."""
        with self._lock:
            return list(self._links.values())

    def make(self, name: str) -> str | None:
        """A new token, which is shown only now; None if there are too many."""
        token = secrets.token_urlsafe(24)
        link = StreamLink(secrets.token_hex(4), name, _hashed(token))
        with self._lock:
            if len(self._links) >= MOST_LINKS:
                return None
            self._keep({**self._links, link.id: link})
        return token

    def withdraw(self, number: str) -> bool:
        """End a token; whether there was one."""
        with self._lock:
            if number not in self._links:
                return False
            self._keep({key: link for key, link in self._links.items() if key != number})
        return True

    def _keep(self, links: dict[str, StreamLink]) -> None:
        self._save(list(links.values()))
        self._links = links

    def is_valid(self, token: str) -> bool:
        """Whether `token` opens the overlay now."""
        given = _hashed(token)
        with self._lock:
            hashes = [link.hash for link in self._links.values()]
        return given in hashes  # hashes may be compared as they are: none tells its token


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
