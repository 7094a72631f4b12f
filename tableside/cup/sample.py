"""A few rolls of a virtual cup behind a bad line, proven: what `demo` shows of the cup."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from random import Random
from typing import Final

from engine.events.codec import as_json
from engine.events.cup import CupRolled
from engine.events.match import Event
from engine.timestamp import Timestamp
from hardware.connection import CupConnection
from hardware.errors import CupLost
from hardware.ports import PortSearch
from hardware.protocol_constants import RollKind, RollPurpose
from hardware.served_cup import LineFaults, ServedCup
from tableside.cup.protocol_match import NO_WORDS, CupMatchEvents, next_roll
from tableside.cup.verify import cup_matches, verdict_of
from tableside.record.files import replace_file

ROLLS: Final = 5
BAD_LINE: Final = LineFaults(bit_errors=0.001, drops=0.005)
"""One frame in five or so is spoilt."""
FOUND: Final = 10.0
"""Seconds for the cup to be found."""


def show_cup(out: Path) -> str:
    """What came of it, in one line; the events of a match at the cup are written to `out`."""
    events: list[Event] = []
    begun = time.monotonic()
    telling = CupMatchEvents(events.append, lambda: Timestamp(time.monotonic() - begun, 0))
    with (
        ServedCup(os.urandom, faults=BAD_LINE, chance=Random()) as served,  # noqa: S311
        CupConnection(PortSearch(served.url)) as cup,
    ):
        cup.wait_ready(FOUND)
        ledger = telling.begin(cup, lambda _: NO_WORDS)
        for _ in range(ROLLS):
            cup.roll(RollPurpose(RollKind.TWO))
            _, ledger = telling.rolled(next_roll(cup), ledger)
        telling.reveal(cup, ledger)
    replace_file(out, "".join(json.dumps(as_json(one)) + "\n" for one in events))
    dice = " ".join("-".join(map(str, one.dice)) for one in events if isinstance(one, CupRolled))
    (verdict,) = map(verdict_of, cup_matches(events))
    if not verdict.is_proven:
        raise CupLost(f"the virtual cup's rolls are not proven: {verdict}")
    return f"a virtual cup on a bad line: {dice}, each once, proven from its seed; wrote {out}"
