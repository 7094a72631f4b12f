"""A power cut loses, tears and reorders what was not flushed: no acknowledged event is among it.

A writer runs with `trace_writes.c` preloaded. From its trace, the disk is rebuilt as a cut at any
moment may have left it: every flushed write is there; of the others, any sectors may be.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from tableside.record.check import findings
from tableside.vision_process.worker import claimed
from tests.paths import ROOT

SECTOR = 512
ACKNOWLEDGED = "acknowledged"
NOT_ON_DISK = ("-shm", ".lock", ".reserve")
"""SQLite makes the first anew; the others hold nothing."""
WRITER = """
import os, sys
from pathlib import Path
from engine.events.record import BoardMoved
from tableside.record.store import Store

folder, transactions = Path(sys.argv[1]), int(sys.argv[2])
done = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
with Store.open(folder / "record.sqlite") as store:
    number, match = 0, store.new_match()
    for n in range(transactions):
        batch = [BoardMoved(time=float(number + i), frame=number + i) for i in range(1 + n % 3)]
        seen = [(number, bytes([n % 251]) * 900)] * (n % 4)
        number = store.append(match, batch, seen)[-1]
        os.write(done, b"%d\\n" % number)
"""


class Step(NamedTuple):
    """One line of the trace."""

    what: str
    name: str
    offset: int
    data: bytes


def traced(preloaded, folder, transactions):
    """What a writer did to the files of a new folder."""
    folder.mkdir()
    trace = folder.with_suffix(".trace")
    subprocess.run(
        [sys.executable, "-c", WRITER, folder, str(transactions)],
        check=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "LD_PRELOAD": str(preloaded),
            "TRACE_DIR": str(folder),
            "TRACE_FILE": str(trace),
        },
    )
    steps, raw, at = [], trace.read_bytes(), 0
    while at < len(raw):
        end = raw.index(b"\n", at)
        what, path, offset, size = raw[at:end].decode().split("\t")
        at = end + 1 + int(size)
        name = str(Path(path).relative_to(folder))
        steps.append(Step(what, name, int(offset), raw[end + 1 : at]))
    return steps


class Disk:
    """Files as they are on the disk, and what was done to them since they were last flushed."""

    def __init__(self):
        self.files: dict[str, bytearray] = {}
        self.pending: list[Step] = []
        self.acknowledged = 0

    def take(self, step):
        if step.name == ACKNOWLEDGED:
            self.acknowledged = int(step.data)
        elif step.what == "S":
            for done in [one for one in self.pending if one.name == step.name]:
                apply(done, self.files)
            self.pending = [one for one in self.pending if one.name != step.name]
        elif step.what == "U":  # SQLite flushes the folder then
            self.files.pop(step.name, None)
            self.pending = [one for one in self.pending if one.name != step.name]
        elif not step.name.endswith(NOT_ON_DISK):
            self.pending.append(step)

    def write_to(self, folder, dice):
        """Write the files as a cut may have left them."""
        files = {name: bytearray(content) for name, content in self.files.items()}
        share = dice.choice((0, 0.2, 0.5, 0.8, 1))
        for step in self.pending:
            for part in torn(step):
                if dice.random() < share:
                    apply(part, files)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def torn(step):
    """The sectors of a write, each of which may reach the disk without the others."""
    if step.what != "W":
        return [step]
    first = step.offset % SECTOR
    cuts = [0, *range(SECTOR - first, len(step.data), SECTOR), len(step.data)]
    return [
        step._replace(offset=step.offset + start, data=step.data[start:end])
        for start, end in pairwise(cuts)
    ]


def apply(step, files):
    content = files.setdefault(step.name, bytearray())
    if step.what == "T":
        del content[step.offset :]
        content.extend(bytes(step.offset - len(content)))
    elif step.what == "W":
        content.extend(bytes(max(0, step.offset - len(content))))
        content[step.offset : step.offset + len(step.data)] = step.data


def check_cuts(steps, folder, seed, each):
    """Cut the power `each` times within every transaction, and after it; return how many cuts."""
    dice, disk, cuts = random.Random(seed), Disk(), 0
    ends = [n for n, step in enumerate(steps) if step.name == ACKNOWLEDGED]
    moments = Counter(ends)
    for start, end in pairwise(ends):
        moments.update(dice.randint(start + 1, end) for _ in range(each))
    for n, step in enumerate(steps):
        disk.take(step)
        for _ in range(moments[n]):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            disk.write_to(folder, dice)
            with claimed(folder / "record.sqlite") as store:
                frames = [event.frame for event in store.events(1)]
                assert frames == list(range(len(frames)))
                assert len(frames) >= disk.acknowledged
            cuts += 1
    assert findings(folder / "record.sqlite") == []
    return cuts


def test_a_power_cut_loses_no_acknowledged_event(preloaded, tmp_path, record_property):
    steps = traced(preloaded, tmp_path / "written", transactions=50)
    cuts = check_cuts(steps, tmp_path / "cut", seed=1, each=2)
    assert cuts > 100
    record_property("seen", f"{cuts:,} cuts in 50 transactions, all open, none lost")


@pytest.mark.slow
def test_no_power_cut_in_five_hundred_transactions_loses_one(preloaded, tmp_path, record_property):
    steps = traced(preloaded, tmp_path / "written", transactions=500)
    cuts = check_cuts(steps, tmp_path / "cut", seed=2, each=200)
    assert cuts > 100_000
    record_property("seen", f"{cuts:,} cuts in 500 transactions, all open, none lost")
