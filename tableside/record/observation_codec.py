"""What was seen and said, as bytes on the disk: a correction judges it again.

A look takes about a kilobyte: its log-likelihoods are kept as half floats, and `rounded` makes of
a look just what is read back, so that the second judgement sees what the first one saw.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np

from engine import CELLS, COUNTS, CubeSeen, DieSeen, Event, Motion, Observation, Side, Surface
from engine import as_json as event_json
from engine import from_json as event_from_json
from engine.events.codec import die_make
from engine.match.corrections import CorrectionUndone, ManualCommand, PlayChosen, RollFixed
from engine.referee.replay import Entry, ManualEntry, frame_of
from engine.timestamp import Timestamp
from tableside.errors import BrokenRecord

HALF: Final = np.float16
_COUNTS_SIZE: Final = CELLS * COUNTS * 2
_ORDERS: Final[dict[str, Callable[..., ManualCommand]]] = {
    kind.__name__: kind for kind in (PlayChosen, RollFixed, CorrectionUndone)
}


def rounded(look: Observation) -> Observation:
    """The look as it is read back from the disk."""
    counts = look.counts.astype(HALF).astype(np.float32)
    return replace(look, counts=counts, change=look.change.astype(HALF).astype(np.float32))


def packed(entry: Entry) -> bytes:
    """The entry in bytes, see `unpacked`."""
    head, body = _head(entry), b""
    if isinstance(entry, Observation):
        body = entry.counts.astype(HALF).tobytes() + entry.change.astype(HALF).tobytes()
    text = json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
    return zlib.compress(len(text).to_bytes(4, "big") + text + body, 1)


def unpacked(payload: bytes) -> Entry:
    """The inverse of `packed`; `BrokenRecord` if the bytes are no entry."""
    try:
        raw = zlib.decompress(payload)
        size = 4 + int.from_bytes(raw[:4], "big")
        return _entry(json.loads(raw[4:size]), raw[size:])
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise BrokenRecord(f"what was seen is damaged in the record: {error}") from error


class PendingWrites:
    """Entries that wait for the disk, in their order."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, bytes]] = []
        """Each with the frame that it belongs to, as `Store.append` takes them."""

    def append(self, entry: Entry) -> None:
        """One more."""
        self.rows.append((frame_of(entry), packed(entry)))

    def after(self, written: Iterable[bytes], frame: int) -> Iterator[Entry]:
        """Those that are on the disk already, and then those from `frame` on that wait."""
        waiting = (payload for at, payload in tuple(self.rows) if at >= frame)
        return (unpacked(one) for one in (*written, *waiting))


def _head(entry: Entry) -> dict[str, Any]:
    match entry:
        case Motion(seconds=seconds, frame=frame):
            return {"busy": [seconds, frame]}
        case ManualEntry(number=number, value=word, when=when):
            return {"said": number, "when": list(when), **_word_json(word)}
        case Observation():
            cube = None if entry.cube is None else [entry.cube.values, entry.cube.places]
            return {
                "look": [entry.seconds, entry.frame, entry.quality, entry.reference_frame],
                "dice": [_die_json(die) for die in entry.dice],
                "cube": cube,
            }


def _word_json(word: ManualCommand) -> dict[str, Any]:
    if isinstance(word, Event):
        return {"event": event_json(word)}
    return {"order": type(word).__name__, "of": asdict(word)}


def _die_json(die: DieSeen) -> list[Any]:
    side = None if die.side is None else die.side.value
    make = (
        None
        if die.appearance is None
        else [die.appearance.body, die.appearance.pips, die.appearance.side]
    )
    return [die.faces, die.center, die.board, die.flat, die.surface.value, side, make]


def _entry(head: dict[str, Any], body: bytes) -> Entry:
    if "busy" in head:
        return Motion(*head["busy"])
    if "said" in head:
        return ManualEntry(head["said"], _word(head), Timestamp(*head["when"]))
    seconds, frame, quality, since = head["look"]
    counts = np.frombuffer(body[:_COUNTS_SIZE], HALF).reshape(CELLS, COUNTS)
    change = np.frombuffer(body[_COUNTS_SIZE:], HALF)
    return Observation(
        counts.astype(np.float32),
        tuple(_die(*die) for die in head["dice"]),
        seconds,
        frame,
        quality,
        change.astype(np.float32),
        since,
        None if head["cube"] is None else CubeSeen(*(tuple(part) for part in head["cube"])),
    )


def _word(head: dict[str, Any]) -> ManualCommand:
    if "event" in head:
        return event_from_json(head["event"])
    fields = {n: tuple(v) if isinstance(v, list) else v for n, v in head["of"].items()}
    return _ORDERS[head["order"]](**fields)


def _die(
    faces: list[float],
    center: list[float],
    board: list[float],
    flat: float,
    surface: str,
    side: str | None,
    make: list[Any] | None = None,
) -> DieSeen:
    """A die as `_die_json` has it; records before colours were told end with its side."""
    own = None if side is None else Side(side)
    x, y = center
    u, v = board
    known = None if make is None else die_make(*make)
    return DieSeen(tuple(faces), (x, y), (u, v), flat, Surface(surface), own, known)
