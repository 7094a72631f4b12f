"""What is wrong between a table and its hall, for its own page and terminal."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Literal

from engine.message import Sentence
from tableside.console import say
from tableside.logs import ALREADY_SHOWN

Kind = Literal["broker", "name", "hall", "messages", "record", "memory"]
_LOGGER = logging.getLogger(__name__)


class Faults:
    """The faults that last, one of each kind; each is said once. Any thread may set them."""

    def __init__(self, show: Callable[[Sequence[Sentence]], object] = lambda _: None) -> None:
        """`show` is called with all of them when they change."""
        self._show, self._lock = show, threading.Lock()
        self._found: dict[Kind, Sentence] = {}

    def set(self, kind: Kind, fault: Sentence) -> None:
        """From now on, this is wrong."""
        with self._lock:
            if self._found.get(kind) == fault:
                return
            self._found[kind] = fault
            self._show([*self._found.values()])
        _LOGGER.warning("%s", fault, extra=ALREADY_SHOWN)
        say(str(fault))

    def clear(self, *kinds: Kind) -> bool:
        """Nothing of these kinds is wrong; return whether anything was."""
        with self._lock:
            had = [kind for kind in kinds if self._found.pop(kind, None) is not None]
            if had:
                self._show([*self._found.values()])
        return bool(had)

    def __str__(self) -> str:
        with self._lock:
            return "; ".join(map(str, self._found.values()))
