"""Passwords in a header, for programs that cannot fill a form in: a scraper, a stream's browser.

`Authorization: Basic` with any name, or `Bearer`, gives what a viewer may read, whosever password
it is: nothing is commanded that way. Addresses that only programs ask for answer with a challenge,
so that a browser source logs in with a name and a password before its host, and browsers never
show those.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
from typing import Final

from flask import request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from limits import parse_many
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import TooManyRequests, Unauthorized

from webui.http.passwords import Passwords
from webui.i18n.locale import gettext

CHALLENGED: Final = ("overlay.show", "api.metrics")
"""The page itself must not: browsers would open a window of their own when a log-in has ended."""
WRONG: Final = parse_many("5 per minute; 50 per hour")
"""Tries of one address that were wrong."""
REMEMBERED: Final = 16
"""Passwords that were right: to check one takes a moment, and a scraper comes every 15 s."""


_LOGGER: Final = logging.getLogger(__name__)


class HeaderKeys:
    """Which requests carry a password that is right."""

    def __init__(self, passwords: Passwords, limiter: Limiter) -> None:
        self._passwords, self._limiter = passwords, limiter
        self._lock = threading.Lock()
        self._salt = secrets.token_bytes(16)
        self._right: set[bytes] = set()

    def opens(self) -> bool:
        """Whether this request does; 429 for an address that has guessed too often."""
        given = _given()
        if given is None:
            return False
        mark = hashlib.blake2b(given.encode(), key=self._salt).digest()
        with self._lock:
            if mark in self._right:
                return True
        strategy, address = self._limiter.limiter, get_remote_address()
        if not all(strategy.test(limit, "header-keys", address) for limit in WRONG):
            raise TooManyRequests("5 wrong passwords per minute")
        if self._passwords.role_of(given) is None:
            _LOGGER.warning("a password in a header from %s was wrong", address)
            for limit in WRONG:
                strategy.hit(limit, "header-keys", address)
            return False
        with self._lock:
            if len(self._right) < REMEMBERED:
                self._right.add(mark)
        return True


def _given() -> str | None:
    """The password that the request carries."""
    found = request.authorization
    if found is None:
        return None
    return {"basic": found.password, "bearer": found.token}.get(found.type)


def refusal() -> Unauthorized:
    """That a log-in is needed, as whoever asks can take it."""
    if request.endpoint in CHALLENGED:
        challenge = WWWAuthenticate("basic", {"realm": "Tableside"})
        return Unauthorized(
            gettext("log in first, at /login or by any name and a password"),
            www_authenticate=challenge,
        )
    return Unauthorized(gettext("log in first, at /login"))
