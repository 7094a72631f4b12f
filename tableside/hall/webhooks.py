"""Delivers notices to the addresses of other programs, signed, until they are accepted.

Headers and signature are those of Standard Webhooks (https://www.standardwebhooks.com), for which
receivers exist in most languages.
"""

from __future__ import annotations

import base64
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

from engine.message import Sentence, msg
from tableside.errors import StoreError, WrongUsage
from tableside.hall.loop import SetTrouble
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
    except ValueError as error:  # also for a letter that is not ASCII
        raise WrongUsage(f"{SECRET} is not base64 after {PREFIX}") from error
    if len(secret) < LEAST_SECRET:
        raise WrongUsage(f"{SECRET} needs at least {LEAST_SECRET} bytes")
    return secret


def check_address(url: str) -> str:
    """The address of a receiver; raises `WrongUsage` unless it is one of HTTP, in ASCII."""
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")  # no part is empty or too long
        is_one = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or not url.isascii() or not url.isprintable() or " " in url:
        raise WrongUsage(f"{url!r} is not an address such as https://example.org/results")
    return url


def host_of(url: str) -> str:
    """The host of an address, for messages."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def signature(secret: bytes, name: str, timestamp: int, body: bytes) -> str:
    """The signature of a notice that is sent at a time."""
    signed = f"{name}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


class Deliverer:
    """Delivers what is due at the addresses of a store until `close`.

    What was queued for other addresses, which an earlier hall was given, is not sent.
    """

    def __init__(
        self,
        store: HallStore,
        secret: bytes,
        clock: Callable[[], float] = time.time,
        set_trouble: SetTrouble = lambda *_: None,
    ) -> None:
        """`set_trouble` is told which address accepts nothing."""
        urls = store.webhooks
        self._each = [_Courier(store, url, secret, clock, set_trouble) for url in urls]

    def wake(self) -> None:
        """Look at once for what is due."""
        for one in self._each:
            one.wake()

    def close(self) -> None:
        """Stop; what is not delivered stays in the store."""
        for one in self._each:
            one.stop()
        for one in self._each:
            one.join()


class _Courier:
    """Delivers to one address, in a thread of its own: one that hangs delays no other."""

    def __init__(
        self,
        store: HallStore,
        url: str,
        secret: bytes,
        clock: Callable[[], float],
        set_trouble: SetTrouble,
    ) -> None:
        self._store, self._url, self._secret, self._clock = store, url, secret, clock
        self._set_trouble = set_trouble
        self._woken, self._is_stopping = threading.Event(), False
        self._unwritten: dict[str, tuple[str, bool]] = {}
        """Answers that the store could not take yet, as when the disk is full, by their notice."""
        self._store_fault = ""
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        self._woken.set()

    def stop(self) -> None:
        self._is_stopping = True
        self._woken.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping:
            self._woken.clear()
            try:
                for one in self._store.due(self._url, MOST_AT_ONCE):
                    if not self._is_stopping:
                        self._deliver(one)
                self._store_fault = ""
            except StoreError as error:
                if str(error) != self._store_fault:
                    self._store_fault = str(error)
                    _LOGGER.warning("webhooks wait: %s", error)
            self._woken.wait(PAUSE_S)

    def _deliver(self, one: Delivery) -> None:
        if one.id not in self._unwritten:
            answer, is_done = self._unwritten[one.id] = self._send(one)
            refused: Sentence = ""
            if not is_done:
                host = host_of(one.url)  # its path is often a secret
                refused = msg(
                    "the webhook at {host} was not accepted: {answer}; it is tried for a day",
                    host=host,
                    answer=answer,
                )
                _LOGGER.warning("the webhook at %s was not accepted: %s", host, answer)
            self._set_trouble(f"webhook {self._url}", refused)
        answer, is_done = self._unwritten[one.id]
        self._store.delivered(one, answer, is_done=is_done)
        del self._unwritten[one.id]

    def _send(self, one: Delivery) -> tuple[str, bool]:
        """The answer in a line, and whether it accepts the notice."""
        body, now = one.body.encode(), int(self._clock())
        headers = {
            "Content-Type": "application/json",
            "webhook-id": one.id,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(self._secret, one.id, now, body),
        }
        try:
            asked = urllib.request.Request(one.url, body, headers, method="POST")  # noqa: S310 (checked)
            with _OPENER.open(asked, timeout=TIMEOUT_S) as response:
                return str(response.status), 200 <= response.status < 300
        except urllib.error.HTTPError as error:
            error.close()
            return str(error.code), False
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Not its text if the address is wrong: that would name it whole.
            is_told = isinstance(error, OSError) and str(error)
            return str(error) if is_told else type(error).__name__, False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A signed notice goes only to the address that was named."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


_OPENER: Final = urllib.request.build_opener(_NoRedirects)
