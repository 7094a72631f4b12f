"""Passwords in a header, for programs that cannot fill in a form: a scraper, OBS's browser source.

`Authorization: Basic` with any name, or `Bearer`, gives read access as a viewer, whichever password
is used; it cannot be used for commands. Addresses that only programs request respond with a
challenge, so that a browser source can log in with `name:password@` before its host; pages do not,
so browsers never show a dialog.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
from typing import Final

from flask import request
from flask_limiter.util import get_remote_address
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from webui.http.attempts import PER_ADDRESS, LoginAttempts
from webui.http.passwords import Passwords
from webui.i18n.locale import gettext

CHALLENGED: Final = ("overlay.show", "api.metrics")
"""Not the page itself: browsers would open a dialog of their own when a log-in has expired."""
REMEMBERED: Final = 16
"""Correct passwords to remember: checking one takes a moment, and a scraper comes every 15 s."""


_LOGGER: Final = logging.getLogger(__name__)


class HeaderKeys:
    """Which requests carry a correct password."""

    def __init__(self, passwords: Passwords) -> None:
        self._passwords = passwords
        self._attempts = LoginAttempts(PER_ADDRESS)
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._salt = secrets.token_bytes(16)
        self._right: set[bytes] = set()

    def opens(self) -> bool:
        """Whether this request carries one; 429 for an address with too many attempts."""
        given = _given()
        if given is None:
            return False
        mark = hashlib.blake2b(given.encode(), key=self._salt).digest()
        if self._is_known(mark):
            return True
        with self._turn:  # so that a log-in with the form waits for at most one of them
            # Of several requests with the same correct password, the first may have had it checked.
            return self._is_known(mark) or self._is_right(given, mark)

    def _is_known(self, mark: bytes) -> bool:
        with self._lock:
            return mark in self._right

    def _is_right(self, given: str, mark: bytes) -> bool:
        address = get_remote_address()
        self._attempts.count(address)
        if self._passwords.role_of(given) is None:
            _LOGGER.warning("wrong password in a header from %s", address)
            return False
        self._attempts.give_back(address)
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
    """The 401 response, with a challenge where the client is a program."""
    if request.endpoint in CHALLENGED:
        challenge = WWWAuthenticate("basic", {"realm": "Tableside"})
        return Unauthorized(
            gettext("log in first: at /login, or with any name and a password"),
            www_authenticate=challenge,
        )
    return Unauthorized(gettext("log in first at /login"))
