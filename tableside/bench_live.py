"""How soon the page knows: the sample served at its own pace, against when it happened."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, Final

import samples
from engine import DiceRolled, Event, PlayMade
from engine.rules import SHORT
from tableside.bench import Measure, Row
from tableside.recorder import Recorder
from tableside.session import Plan
from tableside.sitting import Sitting
from tableside.stills import Stills
from tableside.store import Store
from tableside.table import LiveTable
from vision.frame import Frame
from vision.recorded import Paced, VideoFile

MILLI: Final = 1000
MOST_DICE_SHOWN, MOST_ROLL, MOST_PLAY = 300.0, 600.0, 700.0
"""Milliseconds asked for: dice on the page, the roll recorded, the play recorded."""
Seen = list[tuple[float, Any]]
"""What was told, each with the second of the clip in which it was."""


class _Timed(Paced):
    """The clip at its own pace, which also knows what second of it is now."""

    began = 0.0

    def __iter__(self) -> Iterator[Frame]:
        for frame in super().__iter__():
            self.began = self.began or time.monotonic() - frame.seconds
            yield frame

    @property
    def now(self) -> float:
        """Seconds into the clip."""
        return time.monotonic() - self.began


class _Page(LiveTable):
    def __init__(self, source: _Timed) -> None:
        super().__init__()
        self.dice: Seen = []
        self._source = source

    def tell(self, **changes: Any) -> None:
        super().tell(**changes)
        values = [die["value"] for die in changes.get("dice", [])]
        self.dice.append((self._source.now, sorted(values)))


class _Notes(Recorder):
    def __init__(self, store: Store, match: int, source: _Timed) -> None:
        super().__init__(store, match)
        self.kept: Seen = []
        self._source = source

    def keep(self, events: Sequence[Event]) -> None:
        super().keep(events)
        self.kept.extend((self._source.now, event) for event in events)


@cache
def _served() -> tuple[Seen, Seen]:
    """What the page and the record were told of the sample; it takes as long as the sample."""
    source = _Timed(VideoFile(samples.CLIP))
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "r.sqlite") as store:
        page, notes = _Page(source), _Notes(store, store.new_match(), source)
        Sitting(source, Plan(SHORT), notes, page, stills=Stills(Path(folder) / "stills")).run()
    return page.dice, notes.kept


def _truth(kind: str) -> list[dict[str, Any]]:
    lines = samples.TRUTH.read_text("utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def _late(times: Sequence[float], found: Sequence[float | None], most: float, what: str) -> Row:
    """The median delay; the slowest is told in words."""
    late = [(one - when) * MILLI for when, one in zip(times, found, strict=True) if one is not None]
    name = f"asked for, {what}; slowest {max(late):.0f}, missed {len(times) - len(late)}"
    return Row(median(late), "ms", name, most, is_more_better=False)


def _first(seen: Seen, after: float, wanted: Any) -> float | None:
    return next((now for now, one in seen if now >= after and wanted(one)), None)


def _measure_shown() -> Row:
    """From the rest of a throw until the page shows its dice."""
    throws = [one for one in _truth("dice_rest") if one["valid"]]
    dice = [sorted(die["value"] for die in one["dice"]) for one in throws]
    found = [
        _first(_served()[0], one["t"], pair.__eq__) for one, pair in zip(throws, dice, strict=True)
    ]
    return _late([one["t"] for one in throws], found, MOST_DICE_SHOWN, "dice on the page")


def _measure_roll() -> Row:
    """From the rest of a throw until its roll is on the disk."""
    throws = [one["t"] for one in _truth("dice_rest") if one["valid"]]
    found = [_first(_served()[1], t, lambda one: isinstance(one, DiceRolled)) for t in throws]
    return _late(throws, found, MOST_ROLL, "rolls recorded")


def _measure_play() -> Row:
    """From when the hand has left the checkers until the play is on the disk.

    A play ends with the lift of its dice, which comes a second later in the sample.
    """
    outs = [one["t"] for one in _truth("hand_out")]
    found = [_first(_served()[1], t, lambda one: isinstance(one, PlayMade)) for t in outs]
    return _late(outs, found, MOST_PLAY, "plays recorded")


ROWS: Final[dict[str, Measure]] = {
    "live_dice": _measure_shown,
    "live_roll": _measure_roll,
    "live_play": _measure_play,
}
