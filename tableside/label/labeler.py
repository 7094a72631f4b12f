"""The `Labeler` of the page: reads photos, and keeps them and their labels in a folder."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final

import cv2
import numpy as np

from calibration.grid import Grid
from engine import DieSeen
from engine.arrays import Floats, Image
from engine.evidence.observation import DARK_BAR, LIGHT_BAR
from engine.message import Sentence, message_of, msg
from tableside.errors import StoreError, WrongUsage
from tableside.label.manifest import Manifest, entry_of, label_of
from tableside.label.photo_rows import PhotoRows
from vision.benchmark.score import state_of
from vision.board.locate import Located, locate_board, locate_from_corners
from vision.errors import BoardNotFound
from vision.reading.image_json import CERTAIN, borne_off
from vision.reading.overlay import count_position
from vision.reading.single_image import ImageReading, read_located
from vision.sources.frame import read_image
from webui.contracts.label import (
    BoardLabel,
    CubeLabel,
    DieLabel,
    DieState,
    LabelRefused,
    PhotoShown,
    Places,
    SeenCounts,
    SideCounts,
)
from webui.contracts.setup import Pixel

MAX_SIDE: Final = 1600
"""Pixels of a photo's longer side on the page; a checker is still 40 wide."""
JPEG_QUALITY: Final = 88
TRAYS: Final = {"light": (1.05, 0.25), "dark": (1.05, 0.75)}
"""Field coordinates beside the board where the page writes what is borne off."""
EDGE: Final = 0.02
"""Least distance of what the page writes from the picture's edges, in picture widths."""
STATES: Final[dict[str, DieState]] = {
    "valid": "flat",
    "cocked": "cocked",
    "on_checker": "on_checker",
    "off_board": "off_board",
}
"""The states of a die in a photo's label, by the scorer's names."""
NOT_FOUND: Final = msg("no board is known in this photo: mark its corners first")
EMPTY: Final = BoardLabel(
    points=[0] * 24,
    bar=SideCounts(light=0, dark=0),
    off=SeenCounts(light=None, dark=None),
    dice=[],
    cube=None,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Photo:
    """What is known of a photo."""

    size: tuple[int, int]
    grid: Grid | None
    """None if no board was found."""
    label: BoardLabel
    doubtful: tuple[int, ...] = ()
    fault: Sentence | None = None


class FolderLabeler:
    """Labels photos in a folder, to which it copies those that are not there yet."""

    def __init__(self, photos: Sequence[Path], folder: Path, board: str) -> None:
        """`board` names the board and set of all the photos; raises one line if they cannot be."""
        names = [path.name for path in photos]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise WrongUsage(f"two photos are called {twice}: rename one, or label them apart")
        for path in photos:
            read_image(path)
            copy = folder / path.name
            if copy.exists() and copy.read_bytes() != path.read_bytes():
                raise StoreError(f"{copy} is another picture: rename {path}, or choose --out")
        self._photos, self._folder, self._board = tuple(photos), folder, board
        self._manifest = Manifest(folder)
        self._known: dict[int, _Photo] = {}
        self._lock = Lock()

    def names(self) -> list[str]:
        """The photos' names."""
        return [path.name for path in self._photos]

    def labeled(self) -> list[int]:
        """The numbers of the photos that have a label."""
        return [n for n, name in enumerate(self.names()) if self._manifest.entry(name)]

    def picture(self, number: int) -> bytes:
        """The photo as JPEG, not larger than a page needs."""
        image = read_image(self._photos[number])
        scale = min(1.0, MAX_SIDE / max(image.shape[:2]))
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        coded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
        return bytes(coded)

    def show(self, number: int) -> PhotoShown:
        """The photo with its label or, without one, as read."""
        with self._lock:
            if number not in self._known:
                self._known[number] = self._first_look(number)
            return _shown(self._known[number])

    def set_corners(self, number: int, corners: list[Pixel]) -> PhotoShown:
        """Read the photo again, with the board between these corners."""
        with self._lock:
            image = read_image(self._photos[number])
            try:
                located = locate_from_corners(image, np.array(corners, float))
            except BoardNotFound as error:
                raise LabelRefused(message_of(error)) from error
            self._known[number] = _read(image, located)
            return _shown(self._known[number])

    def save(self, number: int, label: BoardLabel) -> None:
        """Copy the photo to the folder and write its label to the manifest there."""
        with self._lock:
            photo, path = self._known.get(number), self._photos[number]
            if photo is None or photo.grid is None:
                raise LabelRefused(NOT_FOUND)
            rows = PhotoRows.of(photo.grid)
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                if not (self._folder / path.name).exists():
                    shutil.copyfile(path, self._folder / path.name)
                self._manifest.put(entry_of(path.name, photo.size, self._board, rows, label))
            except (OSError, StoreError) as error:
                unsaved = msg("the label cannot be saved: {why}", why=str(error))
                raise LabelRefused(unsaved) from error
            self._known[number] = replace(photo, label=label, doubtful=())

    def _first_look(self, number: int) -> _Photo:
        image = read_image(self._photos[number])
        entry = self._manifest.entry(self.names()[number])
        try:
            if entry is None:
                return _read(image, locate_board(image))
            located = locate_from_corners(image, np.array(entry["corners"], float))
        except BoardNotFound as error:
            label = EMPTY if entry is None else label_of(entry)
            return _Photo(_size(image), None, label, fault=message_of(error))
        return _Photo(_size(image), Grid(located.pose, located.layout), label_of(entry))


def _size(image: Image) -> tuple[int, int]:
    return image.shape[1], image.shape[0]


def _read(image: Image, located: Located) -> _Photo:
    """The photo as read; without a reading if the board is found but cannot be read."""
    grid = Grid(located.pose, located.layout)
    try:
        reading = read_located(image, grid)
    except BoardNotFound as error:
        return _Photo(_size(image), grid, EMPTY, fault=message_of(error))
    rows = PhotoRows.of(grid)
    sure = reading.confidence
    doubtful = tuple(n for n, cell in enumerate(rows.cells) if sure[cell] < CERTAIN)
    return _Photo(_size(image), grid, _label(reading, rows), doubtful)


def _label(reading: ImageReading, rows: PhotoRows) -> BoardLabel:
    counts = reading.counted.most_likely
    off, cube = borne_off(reading), reading.cube
    return BoardLabel(
        points=[int(counts[cell]) for cell in rows.cells],
        bar=SideCounts(light=max(0, int(counts[LIGHT_BAR])), dark=max(0, -int(counts[DARK_BAR]))),
        off=SeenCounts(light=off["light"], dark=off["dark"]),
        dice=[_die(die) for die in reading.dice],
        cube=None if cube is None else CubeLabel(value=cube.value, center=_pixel(cube.center)),
    )


def _die(die: DieSeen) -> DieLabel:
    return DieLabel(value=die.value, state=STATES[state_of(die)], center=_pixel(die.center))


def _shown(photo: _Photo) -> PhotoShown:
    grid = photo.grid
    return PhotoShown(
        size=photo.size,
        corners=None if grid is None else [_pixel(place) for place in PhotoRows.of(grid).corners],
        places=None if grid is None else _places(grid),
        label=photo.label,
        doubtful=list(photo.doubtful),
        fault=photo.fault,
    )


def _places(grid: Grid) -> Places:
    layout, pose = grid.layout, grid.pose

    def inside(place: Floats) -> Pixel:
        margin = EDGE * pose.size[0]
        x, y = np.clip(place, margin, np.array(pose.size) - margin)
        return _pixel((x, y))

    cells = PhotoRows.of(grid).cells
    tips = pose.project(np.array([layout.tip(cell + 1) for cell in cells]))
    trays = pose.project(np.array([TRAYS["light"], TRAYS["dark"]]))
    return Places(
        points=[
            (inside(count_position(grid, cell)), _pixel(tip))
            for cell, tip in zip(cells, tips, strict=True)
        ],
        bar={
            "light": inside(count_position(grid, LIGHT_BAR)),
            "dark": inside(count_position(grid, DARK_BAR)),
        },
        off={"light": inside(trays[0]), "dark": inside(trays[1])},
    )


def _pixel(place: Sequence[float] | Floats) -> Pixel:
    x, y = place
    return round(float(x), 1), round(float(y), 1)
