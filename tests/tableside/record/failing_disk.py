"""Records a short match once for every call that may fail.

Its arguments are FOLDER ERROR STEP, and `trace_writes.c` is preloaded. The calls of number n and
the next two fail, for every n that is a multiple of STEP. Whatever is refused is tried again, as
the program does. Prints the number of matches, or what is wrong with one.
"""

from __future__ import annotations

import ctypes
import logging
import shutil
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeVar

from engine.events.record import BoardMoved
from tableside.errors import StoreError
from tableside.record.check import findings
from tableside.record.store import Store

T = TypeVar("T")
FAILING = 3
"""How many calls fail in a row."""
SHIM = ctypes.CDLL(None)


def insist(action: Callable[[], T]) -> T:
    """Try again until it succeeds; only a `StoreError` may say that it did not."""
    for _ in range(2 * FAILING):
        try:
            return action()
        except StoreError:
            continue
    return action()


def record(path: Path) -> None:
    """A match of nine events with observations."""
    with insist(lambda: Store.open(path)) as store:
        match = insist(store.new_match)
        for frame in range(0, 9, 3):
            batch = [BoardMoved(time=float(n), frame=n) for n in range(frame, frame + 3)]
            insist(partial(store.append, match, batch, [(frame, bytes(900))]))
        insist(lambda: store.close_match(match))


def check(path: Path) -> None:
    """Everything must be there once."""
    with Store.open(path) as store:
        (entry,) = store.matches()
        frames = [event.frame for event in store.events(entry.id)]
        if frames != list(range(9)) or len(store.evidence(entry.id)) != 3 or entry.is_open:
            raise SystemExit(f"lost or doubled: {frames}")
    if found := findings(path):
        raise SystemExit(f"damaged: {found}")


folder, error, step = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
logging.disable(logging.ERROR)
for number in count(0, step):
    shutil.rmtree(folder / "record", ignore_errors=True)
    SHIM.fail_at(number, FAILING, error)
    record(folder / "record" / "record.sqlite")
    made = SHIM.calls_made()
    SHIM.fail_at(-1, 0, 0)
    check(folder / "record" / "record.sqlite")
    if made <= number:
        print(number // step)
        break
