"""Connections to PostgreSQL that give up a server that does not answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from typing import Any, Final

import psycopg
import sqlalchemy as sa

_LEAST_CONNECT_S: Final = 2
"""libpq waits no less."""


def settings(url: sa.URL, patience: float) -> dict[str, Any]:
    """What a connection is made with, so that neither side waits for ever."""
    milliseconds = round(patience * 1000)
    given = url.query.get("options", "")
    options = given if isinstance(given, str) else " ".join(given)
    return {
        "connect_timeout": max(_LEAST_CONNECT_S, math.ceil(patience)),
        "tcp_user_timeout": milliseconds,
        "options": f"{options} -c statement_timeout={milliseconds}".strip(),
    }


def patient_connect(patience: float) -> Callable[..., psycopg.Connection[Any]]:
    """A listener of SQLAlchemy's `do_connect`, whose connections wait so many seconds for a server.

    Then they are closed. A timeout of the server's own does not do that if the server hangs.
    """

    class Patient(psycopg.Connection[Any]):
        def wait(self, gen: Generator[Any, Any, Any], *args: Any, **options: Any) -> Any:
            return super().wait(self._limited(gen), *args, **options)

        def _limited(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
            heard = time.monotonic()
            try:
                wanted = next(gen)
                while True:
                    ready = yield wanted
                    if ready:
                        heard = time.monotonic()
                    elif time.monotonic() - heard > patience:
                        self.pgconn.finish()
                        raise psycopg.OperationalError(f"no answer for {patience:g} s")
                    wanted = gen.send(ready)
            except StopIteration as end:
                return end.value

    def connect(_: Any, __: Any, args: Any, options: Any) -> psycopg.Connection[Any]:
        return Patient.connect(*args, **options)

    return connect
