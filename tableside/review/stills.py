"""Pictures of decisive moments, and clips of doubtful ones, kept for review.

A picture is encoded only when an event needs it, as a JPEG in the match's folder. Any turn may be
questioned or corrected later, so each keeps a still of its throw and one of its play.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import cv2
import numpy as np

from calibration.files import write_whole
from engine import Event, PlayMade, SetUpError, Unfinished
from engine.arrays import Image
from engine.events.match import THROW_EVENTS, Dice, DiceVoid
from engine.message import Message, msg
from tableside.errors import StoreError
from tableside.paths import own_folder, private_file
from tableside.record.disk import refuse_if_low
from tableside.review.clips import ClipRecorder, clip_path
from vision.reading.labels import PictureLabel, labels_of
from vision.sources.frame import Frame

if TYPE_CHECKING:  # the pages that show stills need no vision
    from vision.reading.reader import Reading

MAX_WIDTH: Final = 1280
"""Pixels; a die's pips are still visible, and a few pictures do not fill the memory."""
JPEG_QUALITY: Final = 82
JPEG_END: Final = b"\xff\xd9"
"""The marker that ends every JPEG (ITU-T T.81, table B.1)."""
MAX_UNCODED: Final = 8
"""Pictures that wait unencoded; a throw is recorded a few readings after it comes to rest."""
NEAR_SECONDS: Final = 5.0
"""How far from its event a still may be in time, if the exact picture was not kept; seconds."""
INDEX: Final = "moments.jsonl"
CHECKSUM: Final = "crc32"
_PICTURE_NAME: Final = re.compile(r"\d{6,}\.(jpg|mp4|part)")
SHOWN: Final = (*THROW_EVENTS, PlayMade, SetUpError, Unfinished)
"""Events that have a still."""


def stills_folder(record: Path, match: int) -> Path:
    """The folder of a match's stills, beside its record."""
    return record.with_name(f"{record.stem}.stills-{match}")


@dataclass(frozen=True, slots=True)
class Still:
    """A picture of the board."""

    frame: int
    """The first frame of the source that shows it."""
    until: int
    """The last one known to show it."""
    seconds: float
    """The time of `frame`, in seconds."""
    dice: tuple[int, ...]
    """The values read; 0 for an unreadable die."""


@dataclass(frozen=True, slots=True)
class StoredStill(Still):
    """A still on the disk."""

    size: tuple[int, int]
    """Width and height in pixels."""
    marks: tuple[PictureLabel, ...]
    """Labels of what was read in it."""

    @property
    def dice_marks(self) -> tuple[PictureLabel, ...]:
        """The labels of its dice."""
        return tuple(mark for mark in self.marks if mark.kind == "die")


@dataclass(frozen=True, slots=True, eq=False)
class _UncodedStill(Still):
    image: Image
    """The picture of `frame`."""
    newest: Image
    """The picture of `until`: the checkers are unmoved, but dice may have been thrown."""
    reading: Reading
    marks: tuple[PictureLabel, ...] = ()

    def with_dice(self, thrown: Event) -> _UncodedStill:
        """The still with the dice of an event, if it was read without them."""
        if self.dice:
            return self
        frame = min(self.until, thrown.frame)
        return replace(self, image=self.newest, frame=frame, seconds=thrown.time)

    def stored(self, until: int) -> StoredStill:
        """The still's entry in the index."""
        height, width = self.image.shape[:2]
        marks = self.marks or labels_of(self.reading, self.image)
        seconds = round(self.seconds, 3)
        return StoredStill(self.frame, until, seconds, self.dice, (width, height), marks)


S = TypeVar("S", bound=Still)


class StillKeeper:
    """The stills of a match: receives every frame and event, and finds the still of an event."""

    def __init__(self, folder: Path, clips: ClipRecorder | None = None) -> None:
        """Continue with the contents of `folder`, which is created with the first still.

        clips: makes clips of doubtful moments in the same folder; closed with the stills.
        """
        self.folder = folder
        self._clips = clips
        self.fault: Message | None = None
        """Why a still could not be kept; the recording continues without it."""
        self._uncoded: list[_UncodedStill] = []
        self._stored = {still.frame: still for still in _read_index(folder / INDEX)}

    def add_frame(self, frame: Frame, reading: Reading | None) -> None:
        """Note a picture and the newest reading, which may be from an earlier picture."""
        if self._clips is not None:
            self._clips.add(frame)
        if reading is None or reading.observation.frame != frame.index:
            return
        last = self._uncoded[-1] if self._uncoded else None
        if last is not None and last.reading.counted is reading.counted:
            newest = limit_width(frame.image, MAX_WIDTH)  # the same reading as before
            self._uncoded[-1] = replace(last, until=frame.index, newest=newest)
            return
        image = limit_width(frame.image, MAX_WIDTH)
        marks = labels_of(reading, frame.image) if image is not frame.image else ()
        dice = tuple(die.value for die in reading.observation.dice)
        still = _UncodedStill(
            frame.index, frame.index, frame.seconds, dice, image, image, reading, marks
        )
        self._uncoded = [*self._uncoded[1 - MAX_UNCODED :], still]

    def keep(self, events: Sequence[Event]) -> None:
        """Write the stills of these events, and have their clips made."""
        if self._clips is not None:
            self._clips.keep(events)
        for event in events:
            still = _still_of(event, self._uncoded) if isinstance(event, SHOWN) else None
            if still is not None:
                shown = still.with_dice(event) if isinstance(event, THROW_EVENTS) else still
                self._write(shown, max(still.until, event.frame))

    def adopt(self, folder: Path) -> None:
        """Keep the stills that another keeper wrote to `folder` too; of one frame, those."""
        self._uncoded = []  # they are of long before what comes next
        other = StillKeeper(folder)
        for still in other._stored.values():
            self._put(still, other.jpeg(still))

    def still_of(self, event: Event) -> StoredStill | None:
        """The still that shows an event; None if none was kept."""
        near = [
            still
            for still in self._stored.values()
            if event.frame <= still.until or event.time - still.seconds <= NEAR_SECONDS
        ]
        return _still_of(event, sorted(near, key=lambda still: still.frame))

    def jpeg(self, still: StoredStill) -> bytes | None:
        """The picture; None if it no longer exists."""
        try:
            return self._path(still.frame).read_bytes()
        except OSError:
            return None

    def has(self, still: StoredStill) -> bool:
        """Whether the picture still exists."""
        return self._path(still.frame).is_file()

    def has_clip(self, event: Event) -> bool:
        """Whether there is a clip of the event."""
        return clip_path(self.folder, event.frame).is_file()

    def clip(self, frame: int) -> bytes | None:
        """The clip of an event at this frame, as MP4; None if there is none."""
        try:
            return clip_path(self.folder, frame).read_bytes()
        except OSError:
            return None

    def close(self) -> None:
        """Wait until the last clips are made; from then on there are no others."""
        clips, self._clips = self._clips, None
        if clips is not None:
            clips.close()

    def keep_only(self, frames: Collection[int], moments: Collection[int] = ()) -> None:
        """Remove the stills of other frames, but not their entries in the index.

        moments: the frames of events whose clips are kept.

        Raises `StoreError` if they cannot be removed.
        """
        try:
            for path in self._pictures():
                if int(path.stem) not in (frames if path.suffix == ".jpg" else moments):
                    path.unlink()
        except OSError as error:
            folder, reason = str(self.folder), error.strerror or ""
            raise StoreError(
                msg("{folder} cannot be cleaned up: {error}", folder=folder, error=reason)
            ) from error

    def remove(self) -> None:
        """Remove everything, and the folder if nothing else is in it; may raise `StoreError`."""
        self._stored.clear()
        if not self.folder.is_dir():
            return
        try:
            for path in (*self._pictures(), self.folder / INDEX):
                path.unlink(missing_ok=True)
            if not any(self.folder.iterdir()):
                self.folder.rmdir()
        except OSError as error:
            folder, reason = str(self.folder), error.strerror or ""
            raise StoreError(
                msg("{folder} cannot be removed: {error}", folder=folder, error=reason)
            ) from error

    def _pictures(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [path for path in self.folder.iterdir() if _PICTURE_NAME.fullmatch(path.name)]

    def _path(self, frame: int) -> Path:
        return self.folder / f"{frame:06}.jpg"

    def _write(self, still: _UncodedStill, until: int) -> None:
        known = self._stored.get(still.frame)
        if known is not None and known.until >= until:
            return
        if known is None:
            self._put(still.stored(until), _jpeg(still.image))
        else:
            self._put(replace(known, until=until))

    def _put(self, still: StoredStill, picture: bytes | None = None) -> None:
        """Write a still's entry, and its picture unless that is there."""
        try:
            if picture is not None:
                refuse_if_low(self.folder)
                own_folder(self.folder)
                write_whole(self._path(still.frame), picture, mode=0o600, flush=False)
            private_file(self.folder / INDEX)
            with (self.folder / INDEX).open("a", encoding="utf-8") as index:
                # After a line break, so that a line cut off by a kill spoils no other.
                index.write("\n" + index_lines(still))
        except OSError as error:
            self.fault = msg(
                "a picture cannot be saved in {folder}: {error}",
                folder=str(self.folder),
                error=error.strerror or "",
            )
            return
        self._stored[still.frame] = still


@contextmanager
def temporary_stills(folder: Path) -> Iterator[StillKeeper]:
    """Stills that are removed at the end; any left there by a killed run are removed first."""
    stills = StillKeeper(folder)
    stills.remove()
    try:
        yield stills
    finally:
        stills.remove()


def _still_of(event: Event, stills: Sequence[S]) -> S | None:
    """The newest still up to the event; for a void throw, the newest that shows its dice."""
    before = [still for still in stills if still.frame <= event.frame]
    newest = before[-1] if before else None
    if isinstance(event, DiceVoid):
        thrown = (still for still in reversed(before) if _shows(still.dice, event.dice))
        return next(thrown, newest)
    return newest


def _shows(seen: Sequence[int], dice: Dice) -> bool:
    wanted = [value for value in dice if value is not None]
    return all(seen.count(value) >= wanted.count(value) for value in wanted)


def limit_width(image: Image, most: int) -> Image:
    """The (H, W, 3) picture, scaled down if it is wider than `most` pixels."""
    height, width = image.shape[:2]
    if width <= most:
        return image
    size = most, round(height * most / width)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _jpeg(image: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])


def index_lines(still: StoredStill) -> str:
    """The still's line in the index, and the line with its checksum; `stills_in` is the inverse.

    The checksum has a line of its own, which older versions skip.
    """
    line = json.dumps(asdict(still), separators=(",", ":"))
    return f"{line}\n{_checksum_line(line)}"


def _checksum_line(line: str) -> str:
    return json.dumps({CHECKSUM: zlib.crc32(line.encode())})


def _read_index(index: Path) -> Iterator[StoredStill]:
    """The stills of an earlier run."""
    if index.is_file():
        yield from stills_in(index.read_text("utf-8", errors="replace"))


def stills_in(text: str) -> Iterator[StoredStill]:
    """The stills of an index; a line that is damaged, or was cut off by a kill, is skipped.

    Older versions wrote no checksums.
    """
    for line, following in pairwise([*text.splitlines(), ""]):
        if CHECKSUM in following and following != _checksum_line(line):
            continue
        try:
            value = json.loads(line)
            marks = tuple(PictureLabel(*mark) for mark in value.pop("marks"))
            dice, (width, height) = tuple(value.pop("dice")), value.pop("size")
            yield StoredStill(**value, dice=dice, size=(width, height), marks=marks)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue


def damaged_stills(folder: Path) -> int:
    """How many entries of a match's index, and pictures beside it, are damaged.

    A picture is whole if it decodes up to its end; it has no checksum.
    """
    index = folder / INDEX
    lines = index.read_text("utf-8", errors="replace").splitlines() if index.is_file() else []
    whole = sum(1 for _ in stills_in("\n".join(lines)))
    entries = sum(1 for line in lines if line and not line.startswith(f'{{"{CHECKSUM}"'))
    return entries - whole + sum(not _is_whole(path) for path in folder.glob("*.jpg"))


def _is_whole(picture: Path) -> bool:
    content = picture.read_bytes()
    if not content.endswith(JPEG_END):
        return False
    return cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_REDUCED_COLOR_8) is not None
