"""Rolls of a cup without a board, verified from its seed: for `tableside cup roll` and `demo`."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from queue import Empty
from random import Random
from typing import Final

from engine.events.codec import as_json
from engine.events.cup import CupCommitted, CupRolled
from engine.events.match import Event
from engine.message import join, msg
from engine.timestamp import Timestamp
from hardware.connection import CupConnection
from hardware.errors import CupLost, CupOutOfStep
from hardware.match import commit, reveal, seal
from hardware.messages import MatchBroken, RollMade
from hardware.ports import PortSearch
from hardware.protocol_constants import RollKind, RollPurpose
from hardware.roll_ledger import RollLedger
from hardware.served_cup import LineFaults, ServedCup
from tableside.cup.history import CupHistory, CupMatch
from tableside.cup.match_events import (
    NO_WORDS,
    Words,
    committed_event,
    ledger_of,
    revealed_event,
    rolled_event,
    sealed_event,
)
from tableside.cup.verify import ProofVerdict, verify_match
from tableside.record.files import replace_file

ROLL_PATIENCE: Final = 30.0
"""Seconds to wait for a roll that needs no shaking."""
DEMO_ROLLS: Final = 5
BAD_LINE: Final = LineFaults(bit_errors=0.001, drops=0.005)
"""About one frame in five is damaged."""
FIND_PATIENCE: Final = 10.0
"""Seconds to find the cup."""


class StandaloneMatch:
    """A match at a cup alone: commit, seal, roll, reveal; `events` records each step."""

    def __init__(self, cup: CupConnection) -> None:
        self.events: list[Event] = []
        self._cup = cup
        self._started = time.monotonic()
        self._ledger: RollLedger | None = None

    @property
    def _now(self) -> Timestamp:
        return Timestamp(time.monotonic() - self._started, 0)

    def commit(self) -> CupCommitted:
        """Commit the cup to a seed."""
        committed = committed_event(*commit(self._cup), self._now)
        self.events.append(committed)
        return committed

    def seal(self, committed: CupCommitted, words: Words) -> None:
        """Bind the players' words into the rolls."""
        sealed = sealed_event(committed, words, self._now)
        self.events.append(sealed)
        self._ledger = ledger_of(CupMatch(committed, sealed))
        assert self._ledger is not None, "it was sealed"  # noqa: S101
        seal(self._cup, self._ledger)

    def next_roll(self, patience: float = ROLL_PATIENCE) -> CupRolled:
        """Return the next roll; raises `CupLost` if none arrives within `patience` seconds."""
        assert self._ledger is not None, "it was sealed"  # noqa: S101
        event, self._ledger = rolled_event(_next_roll(self._cup, patience), self._ledger, self._now)
        self.events.append(event)
        return event

    def reveal(self) -> ProofVerdict:
        """End the match and verify its rolls."""
        assert self._ledger is not None, "it was sealed"  # noqa: S101
        revealed = reveal(self._cup, self._ledger.match)
        self.events.append(revealed_event(revealed, self._ledger.unit, self._now))
        (match,) = CupHistory(self.events).matches
        return verify_match(match)

    def write(self, path: Path) -> None:
        """Write the events, one per line."""
        replace_file(path, "".join(json.dumps(as_json(one)) + "\n" for one in self.events))


def _next_roll(cup: CupConnection, patience: float) -> RollMade:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            notice = cup.notices.get(timeout=1)
        except Empty:
            continue
        if isinstance(notice, RollMade):
            return notice
        if isinstance(notice, MatchBroken):
            raise CupOutOfStep(notice.why)
    none = msg("no roll arrived ({state})", state=cup.view.state.value)
    raise CupLost(join([none, msg("see `tableside cup test`")]))


def demonstrate_cup(out: Path) -> str:
    """Roll a virtual cup on a bad line, write the events to `out`; return one line of result."""
    with (
        ServedCup(os.urandom, faults=BAD_LINE, chance=Random()) as served,  # noqa: S311
        CupConnection(PortSearch(served.url)) as cup,
    ):
        cup.wait_ready(FIND_PATIENCE)
        match = StandaloneMatch(cup)
        match.seal(match.commit(), NO_WORDS)
        rolls = []
        for _ in range(DEMO_ROLLS):
            cup.roll(RollPurpose(RollKind.TWO))
            rolls.append(match.next_roll())
        verdict = match.reveal()
    match.write(out)
    if not verdict.is_proven:
        raise CupLost(f"the virtual cup's rolls are not proven: {verdict}")
    dice = " ".join("-".join(map(str, roll.dice)) for roll in rolls)
    return f"a virtual cup on a noisy line rolled {dice}; all rolls are proven; wrote {out}"
