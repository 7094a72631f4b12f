"""Delivers notices to the addresses of other programs, signed, until they are accepted.

Headers and signature are those of Standard Webhooks (https://www.standardwebhooks.com), for which
receivers exist in most languages.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import http.client
import logging
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from tableside.errors import StoreError, WrongUsage
from tableside.hall.store import Delivery, HallStore

SECRET: Final = "TABLESIDE_WEBHOOK_SECRET"  # noqa: S105 (the name of a variable)
PREFIX: Final = "whsec_"
"""Before a secret in base64; any other secret is taken as it is."""
LEAST_SECRET: Final = 16
"""Bytes; a shorter secret can be guessed."""
TIMEOUT_S: Final = 10.0
PAUSE_S: Final = 1.0
MOST_AT_ONCE: Final = 20
_LOGGER: Final = logging.getLogger(__name__)


def read_secret(text: str) -> bytes:
    """The secret in `text`; raises `WrongUsage` if it cannot be one."""
    try:
        encoded = text.removeprefix(PREFIX)
        secret = base64.b64decode(encoded, validate=True) if encoded != text else text.encode()
    except binascii.Error as error:
        raise WrongUsage(f"{SECRET} is not base64 after {PREFIX}") from error
    if len(secret) < LEAST_SECRET:
        raise WrongUsage(f"{SECRET} needs at least {LEAST_SECRET} bytes")
    return secret


def check_address(url: str) -> str:
    """The address of a receiver; raises `WrongUsage` unless it is one of HTTP."""
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise WrongUsage(f"{url!r} is not an address such as https://example.org/results")
    return url


def signature(secret: bytes, name: str, timestamp: int, body: bytes) -> str:
    """The signature of a notice that is sent at a time."""
    signed = f"{name}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


class Deliverer:
    """Delivers what is due in a store until `close`."""

    def __init__(
        self, store: HallStore, secret: bytes, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._secret, self._clock = store, secret, clock
        self._woken, self._is_stopping = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Look at once for what is due."""
        self._woken.set()

    def close(self) -> None:
        """Stop; what is not delivered stays in the store."""
        self._is_stopping = True
        self._woken.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping:
            self._woken.clear()
            try:
                for one in self._store.due(MOST_AT_ONCE):
                    if not self._is_stopping:
                        self._deliver(one)
            except StoreError as error:
                _LOGGER.warning("webhooks wait: %s", error)
            self._woken.wait(PAUSE_S)

    def _deliver(self, one: Delivery) -> None:
        answer, is_done = self._send(one)
        if not is_done:
            _LOGGER.warning("the webhook %s was not accepted: %s", one.url, answer)
        self._store.delivered(one, answer, is_done=is_done)

    def _send(self, one: Delivery) -> tuple[str, bool]:
        """The answer in a line, and whether it accepts the notice."""
        body, now = one.body.encode(), int(self._clock())
        headers = {
            "Content-Type": "application/json",
            "webhook-id": one.id,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(self._secret, one.id, now, body),
        }
        asked = urllib.request.Request(one.url, body, headers, method="POST")  # noqa: S310 (checked)
        try:
            with _OPENER.open(asked, timeout=TIMEOUT_S) as response:
                return str(response.status), 200 <= response.status < 300
        except urllib.error.HTTPError as error:
            error.close()
            return str(error.code), False
        except (OSError, http.client.HTTPException) as error:
            return str(error) or type(error).__name__, False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A signed notice goes only to the address that was named."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


_OPENER: Final = urllib.request.build_opener(_NoRedirects)
