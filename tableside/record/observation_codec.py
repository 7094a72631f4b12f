"""Observations and manual entries as bytes, stored so that a correction can replay them.

An observation takes about a kilobyte: its log-likelihoods are stored as half floats. `as_stored`
rounds one to exactly what will be read back, so that a replay judges the same numbers.
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
from engine.evidence.observation import DieAppearance
from engine.match.corrections import CorrectionUndone, ManualCommand, PlayChosen, RollFixed
from engine.referee import Entry, ManualEntry
from engine.timestamp import Timestamp
from engine.typed_json import reader
from tableside.errors import BrokenRecord

HALF: Final = np.float16
_COUNTS_SIZE: Final = CELLS * COUNTS * 2
_COMMANDS: Final[dict[str, Callable[..., ManualCommand]]] = {
    kind.__name__: kind for kind in (PlayChosen, RollFixed, CorrectionUndone)
}


def as_stored(observation: Observation) -> Observation:
    """The observation as it will be read back from the disk."""
    counts = observation.counts.astype(HALF).astype(np.float32)
    change = observation.change.astype(HALF).astype(np.float32)
    return replace(observation, counts=counts, change=change)


def encode_entry(entry: Entry) -> bytes:
    """The entry as bytes: compressed, a JSON head and the arrays of an observation."""
    head, body = _head(entry), b""
    if isinstance(entry, Observation):
        body = entry.counts.astype(HALF).tobytes() + entry.change.astype(HALF).tobytes()
    text = json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
    return zlib.compress(len(text).to_bytes(4, "big") + text + body, 1)


def decode_entry(payload: bytes) -> Entry:
    """The inverse of `encode_entry`; raises `BrokenRecord` if the bytes are not an entry."""
    try:
        raw = zlib.decompress(payload)
        size = 4 + int.from_bytes(raw[:4], "big")
        return _entry(json.loads(raw[4:size]), raw[size:])
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise BrokenRecord(f"the observations in the record are damaged: {error}") from error


class PendingWrites:
    """Encoded entries in order, not yet on the disk."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, bytes]] = []
        """(frame, bytes) of each entry, as `Store.append` takes them."""

    def append(self, entry: Entry) -> None:
        """Encode and add an entry."""
        self.rows.append((entry.frame, encode_entry(entry)))

    def after(self, written: Iterable[bytes], frame: int) -> Iterator[Entry]:
        """The entries in `written`, then the pending ones from `frame` on."""
        pending = (payload for at, payload in tuple(self.rows) if at >= frame)
        return (decode_entry(payload) for payload in (*written, *pending))


def _head(entry: Entry) -> dict[str, Any]:
    match entry:
        case Motion(seconds=seconds, frame=frame):
            return {"busy": [seconds, frame]}
        case ManualEntry(number=number, value=command, when=when):
            return {"said": number, "when": list(when), **_command_json(command)}
        case Observation():
            cube = None if entry.cube is None else [entry.cube.values, entry.cube.places]
            return {
                "look": [entry.seconds, entry.frame, entry.quality, entry.reference_frame],
                "dice": [_die_json(die) for die in entry.dice],
                "cube": cube,
            }


def _command_json(command: ManualCommand) -> dict[str, Any]:
    if isinstance(command, Event):
        return {"event": event_json(command)}
    return {"order": type(command).__name__, "of": asdict(command)}


def _die_json(die: DieSeen) -> list[Any]:
    side = None if die.side is None else die.side.value
    look = die.appearance
    appearance = None if look is None else [look.body, look.pips, look.size]
    return [die.faces, die.center, die.board, die.flat, die.surface.value, side, appearance]


def _entry(head: dict[str, Any], body: bytes) -> Entry:
    if "busy" in head:
        return Motion(*head["busy"])
    if "said" in head:
        return ManualEntry(head["said"], _command(head), Timestamp(*head["when"]))
    seconds, frame, quality, since = head["look"]
    counts = np.frombuffer(body[:_COUNTS_SIZE], HALF).reshape(CELLS, COUNTS)
    change = np.frombuffer(body[_COUNTS_SIZE:], HALF)
    return Observation(
        counts.astype(np.float32),
        tuple(_die(die) for die in head["dice"]),
        seconds,
        frame,
        quality,
        change.astype(np.float32),
        since,
        None if head["cube"] is None else CubeSeen(*(tuple(part) for part in head["cube"])),
    )


def _command(head: dict[str, Any]) -> ManualCommand:
    if "event" in head:
        return event_from_json(head["event"])
    fields = {n: tuple(v) if isinstance(v, list) else v for n, v in head["of"].items()}
    return _COMMANDS[head["order"]](**fields)


def _die(fields: list[Any]) -> DieSeen:
    """The inverse of `_die_json`; records of formats 1 and 2 have no appearance."""
    faces, center, board, flat, surface, side, *appearance = fields
    own = None if side is None else Side(side)
    seen = _appearance(*appearance[0]) if appearance and appearance[0] is not None else None
    return DieSeen(tuple(faces), tuple(center), tuple(board), flat, Surface(surface), own, seen)


def _appearance(body: list[float], pips: list[float], size: float) -> DieAppearance:
    found: DieAppearance = reader(DieAppearance)({"body": body, "pips": pips, "side": size})
    return found
