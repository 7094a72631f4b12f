"""Passwords in a header, for programs that cannot fill in a form: a scraper, OBS's browser source.

`Authorization: Basic` with any name, or `Bearer`, gives read access as the audience with its
password, and as a viewer with any other; only the metrics need the referee's. It cannot be used for
commands, but what cannot be undone asks a referee who has logged in for it besides. Addresses that
only programs request respond with a challenge, so that a browser source can log in with
`name:password@` before its host; pages do not, so browsers never show a dialog.
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

from webui.contracts.roles import Role
from webui.http.attempts import LoginAttempts
from webui.http.passwords import Passwords
from webui.i18n.locale import gettext

CHALLENGED: Final = ("overlay.show", "api.metrics")
"""Not the page itself: browsers would open a dialog of their own when a log-in has expired."""
REMEMBERED: Final = 16
"""Correct passwords to remember: checking one takes a moment, and a scraper comes every 15 s."""


_LOGGER: Final = logging.getLogger(__name__)


class HeaderKeys:
    """The roles of requests that carry a correct password."""

    def __init__(self, passwords: Passwords, attempts: LoginAttempts) -> None:
        self._passwords, self._attempts = passwords, attempts
        self._lock = threading.Lock()
        self._salt = secrets.token_bytes(16)
        self._right: dict[bytes, Role] = {}

    def role(self) -> Role | None:
        """The role of this request's password; 429 for an address with too many attempts."""
        given = _given()
        if given is None:
            return None
        mark = hashlib.blake2b(given.encode(), key=self._salt).digest()
        if (role := self._known(mark)) is not None:
            return role
        address = get_remote_address()
        # Of several requests with the same correct password, the first may have had it checked.
        role = self._attempts.role(
            address, lambda: self._checked(given, mark), lambda: self._known(mark)
        )
        if role is None:
            _LOGGER.warning("wrong password in a header from %s", address)
        return role

    def _known(self, mark: bytes) -> Role | None:
        with self._lock:
            return self._right.get(mark)

    def _checked(self, given: str, mark: bytes) -> Role | None:
        role = self._passwords.role_of(given)
        with self._lock:
            if role is not None and len(self._right) < REMEMBERED:
                self._right[mark] = role
        return role


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
