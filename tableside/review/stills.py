"""Pictures of the moments that decided something, kept for review.

A look is encoded only when an event names it; pictures wait as JPEG in a folder of their own. Any
turn may be doubted or corrected later, so each keeps its throw and the look that decided it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import cv2
import numpy as np

from engine import Event, PlayMade, SetUpError, Unfinished
from engine.arrays import Image
from engine.events.match import THROW_EVENTS, Dice, DiceVoid
from engine.message import Message, msg
from tableside.errors import StoreError
from vision.reading.labels import PictureLabel, labels_of
from vision.sources.frame import Frame

if TYPE_CHECKING:  # the pages that show stills do without sight
    from vision.reading.reader import Reading

WIDTH: Final = 1280
"""Pixels of the widest still: a die's pips still show."""
QUALITY: Final = 82
"""Of the JPEG."""
LOOKS: Final = 8
"""The newest looks that wait uncoded; a throw is told a few looks after it came to rest."""
NEAR_SECONDS: Final = 5.0
"""A still this far from its event still helps, where the very look was not kept."""
INDEX: Final = "moments.jsonl"
_OURS: Final = re.compile(r"\d{6,}\.jpg")
SHOWN: Final = (*THROW_EVENTS, PlayMade, SetUpError, Unfinished)
"""Events that have a still."""


class PendingStill(Protocol):
    """A picture of which it is known when the board looked like that."""

    @property
    def frame(self) -> int:
        """The first frame of the source that shows it."""

    @property
    def until(self) -> int:
        """The last one known to show it."""

    @property
    def seconds(self) -> float:
        """The time of `frame`."""

    @property
    def dice(self) -> tuple[int, ...]:
        """The values that were read, 0 where none could be."""


def stills_folder(record: Path, match: int) -> Path:
    """Where the stills of a match wait, beside its record."""
    return record.with_name(f"{record.stem}.stills-{match}")


S = TypeVar("S", bound=PendingStill)


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """A look that nobody has encoded yet."""

    image: Image
    """The picture of `frame`."""
    newest: Image
    """The picture of `until`: the checkers stand as they stood, dice may have come to lie there."""
    reading: Reading
    frame: int
    until: int
    seconds: float
    marks: tuple[PictureLabel, ...] = ()

    @property
    def dice(self) -> tuple[int, ...]:
        return tuple(die.value for die in self.reading.observation.dice)

    def with_dice(self, thrown: Event) -> _Look:
        """The look with the dice of an event that it was read without."""
        if self.dice:
            return self
        frame = min(self.until, thrown.frame)
        return replace(self, image=self.newest, frame=frame, seconds=thrown.time)


@dataclass(frozen=True, slots=True)
class StoredStill:
    """A still on the disk, and what was read in it."""

    frame: int
    until: int
    seconds: float
    dice: tuple[int, ...]
    size: tuple[int, int]
    """Width and height in pixels."""
    marks: tuple[PictureLabel, ...]

    @property
    def dice_marks(self) -> tuple[PictureLabel, ...]:
        """Where its dice lie."""
        return tuple(mark for mark in self.marks if mark.kind == "die")


class StillKeeper:
    """Gets every look and every event; knows which still belongs to which event."""

    def __init__(self, folder: Path) -> None:
        """Goes on with what `folder` holds; it is made with the first still."""
        self.folder = folder
        self.fault: Message | None = None
        """Why a still could not be kept: the record goes on without it."""
        self._looks: list[_Look] = []
        self._moments = {moment.frame: moment for moment in _kept_in(folder / INDEX)}

    def see(self, frame: Frame, reading: Reading | None) -> None:
        """Take in a picture and the newest reading, which need not be of it."""
        if reading is None or reading.observation.frame != frame.index:
            return
        last = self._looks[-1] if self._looks else None
        if last is not None and last.reading.counted is reading.counted:
            newest = _small(frame.image)
            self._looks[-1] = replace(last, until=frame.index, newest=newest)  # the same once more
            return
        small = _small(frame.image)
        marks = labels_of(reading, frame.image) if small is not frame.image else ()
        look = _Look(small, small, reading, frame.index, frame.index, frame.seconds, marks)
        self._looks = [*self._looks[1 - LOOKS :], look]

    def keep(self, events: Sequence[Event]) -> None:
        """The stills of these events, on the disk."""
        for event in events:
            look = _shown_by(event, self._looks) if isinstance(event, SHOWN) else None
            if look is not None:
                shown = look.with_dice(event) if isinstance(event, THROW_EVENTS) else look
                self._keep(shown, max(look.until, event.frame))

    def of(self, event: Event) -> StoredStill | None:
        """The still that shows an event; None if none was kept."""
        near = [
            moment
            for moment in self._moments.values()
            if event.frame <= moment.until or event.time - moment.seconds <= NEAR_SECONDS
        ]
        return _shown_by(event, sorted(near, key=lambda one: one.frame))

    def jpeg(self, moment: StoredStill) -> bytes | None:
        """The picture; None if it is gone."""
        try:
            return self._path(moment.frame).read_bytes()
        except OSError:
            return None

    def has(self, moment: StoredStill) -> bool:
        """Whether the picture is still there."""
        return self._path(moment.frame).is_file()

    def keep_only(self, frames: Collection[int]) -> None:
        """The pictures of other frames are gone; that there were some is still known.

        `StoreError` if they cannot be removed.
        """
        try:
            for path in self._pictures():
                if int(path.stem) not in frames:
                    path.unlink()
        except OSError as error:
            raise StoreError(
                msg(
                    "{folder} cannot be put in order: {error}",
                    folder=str(self.folder),
                    error=error.strerror or "",
                )
            ) from error

    def _pictures(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [path for path in self.folder.iterdir() if _OURS.fullmatch(path.name)]

    def remove(self) -> None:
        """Nobody needs them any more: they are gone, and their folder if nothing else is in it."""
        self._moments.clear()
        if not self.folder.is_dir():
            return
        try:
            for path in self.folder.iterdir():
                if path.name == INDEX or _OURS.fullmatch(path.name):
                    path.unlink()
            if not any(self.folder.iterdir()):
                self.folder.rmdir()
        except OSError as error:
            raise StoreError(
                msg(
                    "{folder} cannot be removed: {error}",
                    folder=str(self.folder),
                    error=error.strerror or "",
                )
            ) from error

    def _path(self, frame: int) -> Path:
        return self.folder / f"{frame:06}.jpg"

    def _keep(self, look: _Look, until: int) -> None:
        known = self._moments.get(look.frame)
        if known is not None and known.until >= until:
            return
        try:
            if known is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._path(look.frame).write_bytes(_jpeg(look.image))
                moment = _moment(look, until)
            else:
                moment = replace(known, until=until)
            with (self.folder / INDEX).open("a", encoding="utf-8") as index:
                # Behind a line break, so that what a kill cut off spoils no other line.
                index.write("\n" + json.dumps(asdict(moment), separators=(",", ":")))
        except OSError as error:
            self.fault = msg(
                "a still cannot be kept in {folder}: {error}",
                folder=str(self.folder),
                error=error.strerror or "",
            )
            return
        self._moments[look.frame] = moment


@contextmanager
def temporary_stills(folder: Path) -> Iterator[StillKeeper]:
    """Stills that are gone at the end; those that a killed run left there go at once."""
    stills = StillKeeper(folder)
    stills.remove()
    try:
        yield stills
    finally:
        stills.remove()


def _shown_by(event: Event, looks: Sequence[S]) -> S | None:
    """The newest look up to the event; of a void throw the newest that shows its dice."""
    before = [look for look in looks if look.frame <= event.frame]
    if isinstance(event, DiceVoid):
        thrown = (look for look in reversed(before) if _shows(look.dice, event.dice))
        return next(thrown, before[-1] if before else None)
    return before[-1] if before else None


def _shows(seen: Sequence[int], dice: Dice) -> bool:
    wanted = [value for value in dice if value is not None]
    return all(seen.count(value) >= wanted.count(value) for value in wanted)


def _moment(look: _Look, until: int) -> StoredStill:
    height, width = look.image.shape[:2]
    marks = look.marks or labels_of(look.reading, look.image)
    return StoredStill(look.frame, until, round(look.seconds, 3), look.dice, (width, height), marks)


def _small(image: Image) -> Image:
    """A picture that is not wider than `WIDTH`: of larger ones a few would fill the memory."""
    height, width = image.shape[:2]
    if width <= WIDTH:
        return image
    size = WIDTH, round(height * WIDTH / width)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _jpeg(image: Image) -> bytes:
    coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
    return bytes(np.asarray(coded, np.uint8))


def _kept_in(index: Path) -> Iterator[StoredStill]:
    """The moments of an earlier run; a line that was cut off by its end is left out."""
    if not index.is_file():
        return
    for line in index.read_text("utf-8", errors="replace").splitlines():
        try:
            value = json.loads(line)
            marks = tuple(PictureLabel(*mark) for mark in value.pop("marks"))
            dice, (width, height) = tuple(value.pop("dice")), value.pop("size")
            yield StoredStill(**value, dice=dice, size=(width, height), marks=marks)
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
