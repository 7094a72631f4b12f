"""Samples of rolls that were declared closed, remembered so that none can be closed twice.

A p-value is worth what it says for one look at a sample whose end was fixed in advance. Whoever
closes a sample, lets it grow and closes it again looks twice.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from engine.fairness.rolls import DiceLog
from tableside.errors import BadDice
from tableside.record.files import replace_file


@dataclass(frozen=True, slots=True)
class ClosedSample:
    """A sample that was declared closed."""

    rolls: int
    """Number of its rows."""
    digest: str
    """SHA-256 of them."""
    declared: str
    """When, in UTC, as in ISO 8601."""


def close_sample(log: DiceLog, memory: Path, now: datetime | None = None) -> ClosedSample:
    """Declare that nothing will be added to `log`, or return when that was declared before.

    `memory`: the file with all that were declared. Raises `BadDice` if a part of the log was
    declared closed before, or if the file is damaged.
    """
    known = _read(memory)
    for sample in known:
        if sample.rolls <= len(log) and sample.digest == _digest(log, sample.rolls):
            if sample.rolls == len(log):
                return sample
            raise BadDice(
                f"--final: the first {sample.rolls:,} of these rolls were declared closed on "
                f"{sample.declared[:10]}; report on the later ones alone, or leave out --final"
            )
    declared = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    new = ClosedSample(len(log), _digest(log, len(log)), declared)
    lines = [json.dumps(asdict(sample)) for sample in (*known, new)]
    replace_file(memory, "\n".join(lines) + "\n", mode=0o600)
    return new


def _read(memory: Path) -> list[ClosedSample]:
    if not memory.exists():
        return []
    try:
        return [ClosedSample(**json.loads(line)) for line in memory.read_text("utf-8").splitlines()]
    except (ValueError, TypeError, RecursionError) as error:
        raise BadDice(f"{memory} is damaged; move it away to begin a new list") from error


def _digest(log: DiceLog, rolls: int) -> str:
    """Of the first rows: faces, dice, players and which of them were thrown together."""
    part = log.at(np.arange(rolls))
    throws = np.diff(part.throw, prepend=part.throw[:1]) != 0
    words = "\n".join(map("\t".join, zip(part.die.values(), part.player.values(), strict=True)))
    return hashlib.sha256(part.value.tobytes() + throws.tobytes() + words.encode()).hexdigest()
