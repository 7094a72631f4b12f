"""Tokens in the address of an overlay: each opens the overlay to whoever has it, and nothing else.

Only their hashes are kept: a token is long and random, so that a fast hash is enough.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol

MOST_LINKS: Final = 50
_LOGGER: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamLink:
    """A token that was made, as it is kept."""

    id: str
    """Names it when it is withdrawn."""
    name: str
    """What it was made for."""
    hash: str
    """The SHA-256 of the token, in hex."""


class LinksNotKept(Exception):
    """Raised when links cannot be read or saved; the message gives the reason in one line."""


class KeptLinks(Protocol):
    """Where links are kept, which several programs may share."""

    def locked(self) -> AbstractContextManager[object]:
        """While it lasts, nobody else changes them; raises `LinksNotKept`."""

    def changed(self) -> list[StreamLink] | None:
        """All of them, if they may have changed since the last call; raises `LinksNotKept`."""

    def save(self, links: list[StreamLink]) -> None:
        """Keep these; raises `LinksNotKept`."""


class StreamLinks:
    """The tokens that open the overlay; thread-safe."""

    def __init__(self, kept: KeptLinks | None = None) -> None:
        """kept: where they are kept; None if they end with this program."""
        self._lock = threading.Lock()
        self._links: dict[str, StreamLink] = {}
        self._unsaved: set[str] = set()
        """Those withdrawn here of which that is not saved."""
        self._kept = kept
        self._told = ""
        """The newest reason that was logged."""

    def listed(self) -> list[StreamLink]:
        """Those that are valid, the oldest first."""
        with self._lock:
            self._read()
            return list(self._links.values())

    def make(self, name: str) -> str | None:
        """A new token, which is shown only now; None if there are too many.

        Raises `LinksNotKept` if it could not be saved; then it is not valid.
        """
        token = secrets.token_urlsafe(24)
        link = StreamLink(secrets.token_hex(4), name, _hashed(token))
        with self._lock, self._changing():
            if len(self._links) >= MOST_LINKS:
                return None
            links = {**self._links, link.id: link}
            self._save(links)
            self._links = links
        return token

    def withdraw(self, number: str) -> bool:
        """End a token; whether there was one.

        Raises `LinksNotKept` if that could not be saved; here it has ended all the same.
        """
        with self._lock:
            self._read()
            if number not in {*self._links, *self._unsaved}:
                return False
            self._links.pop(number, None)
            self._unsaved.add(number)
            with self._changing():
                self._save(self._links)
        return True

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """While they are changed, by no other program."""
        with nullcontext() if self._kept is None else self._kept.locked():
            self._read()
            yield

    def _read(self) -> None:
        """Learn what other programs have made and withdrawn."""
        found = None if self._kept is None else self._kept.changed()
        if found is not None:
            self._links = {link.id: link for link in found if link.id not in self._unsaved}

    def _save(self, links: dict[str, StreamLink]) -> None:
        if self._kept is not None:
            self._kept.save(list(links.values()))
        self._unsaved.clear()

    def is_valid(self, token: str) -> bool:
        """Whether `token` opens the overlay now."""
        given = _hashed(token)
        with self._lock:
            try:
                self._read()
            except LinksNotKept as error:
                if self._told != (reason := str(error)):  # not with every request
                    _LOGGER.warning("%s", reason)
                self._told = reason
                return False
            hashes = [link.hash for link in self._links.values()]
        return given in hashes  # hashes may be compared as they are: none tells its token


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
