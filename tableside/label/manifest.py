"""The labels of a folder of photos: `manifest.json`, as `vision.benchmark.truth` reads it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

from tableside.errors import StoreError
from tableside.label.photo_rows import PhotoRows
from tableside.record.files import replace_file
from webui.contracts.label import BoardLabel, CubeLabel, DieLabel, SeenCounts, SideCounts

QUARTER_TURN: Final = 90
"""Degrees clockwise by which a photo is turned to read the rows, if they run up and down."""


class Manifest:
    """The labels in a folder."""

    def __init__(self, folder: Path) -> None:
        """Read the labels that there are; raises `StoreError` if they cannot be read."""
        self.path = folder / "manifest.json"
        self._rest: dict[str, Any] = {}
        self._entries: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            try:
                self._rest = json.loads(self.path.read_text("utf-8"))
                self._entries = {entry["image"]: entry for entry in self._rest["boards"]}
            except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
                raise StoreError(f"{self.path} cannot be read: {error!r}") from error

    def entry(self, image: str) -> dict[str, Any] | None:
        """The label of a photo, by its name in the folder."""
        return self._entries.get(image)

    def put(self, entry: dict[str, Any]) -> None:
        """Add a label, in place of an earlier one of the same photo."""
        self._entries[entry["image"]] = entry
        whole = {**self._rest, "boards": list(self._entries.values())}
        replace_file(self.path, json.dumps(whole, indent=1) + "\n")


def entry_of(
    image: str, size: tuple[int, int], board: str, rows: PhotoRows, label: BoardLabel
) -> dict[str, Any]:
    """The entry of a photo; `board` names the board and set, which photos may share."""
    columns = [_column(count) for count in label["points"]]
    off = {side: count for side, count in label["off"].items() if count is not None}
    entry = {
        "image": image,
        "size": list(size),
        "board_id": board,
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in rows.corners],
        "columns": {"far": columns[:12], "near": columns[12:]},
        "bar": label["bar"],
        "off": off or None,
        "dice": label["dice"],
        "cube": label["cube"],
        "complete": None not in label["points"],
        "labelled": True,
    }
    return {**entry, "rotate_cw_for_columns": QUARTER_TURN} if rows.is_turned else entry


def _column(count: int | None) -> list[str | int | None]:
    if count is None:
        return ["unknown", None]
    return ["light" if count > 0 else "dark" if count < 0 else None, abs(count)]


def label_of(entry: dict[str, Any]) -> BoardLabel:
    """The label in an entry that `entry_of` made, or a person in the same form."""
    columns = [*entry["columns"]["far"], *entry["columns"]["near"]]
    off = entry.get("off") or {}
    return BoardLabel(
        points=[_count(*column) for column in columns],
        bar=SideCounts(light=entry["bar"]["light"], dark=entry["bar"]["dark"]),
        off=SeenCounts(light=off.get("light"), dark=off.get("dark")),
        dice=_dice(entry.get("dice") or ()),
        cube=cast("CubeLabel | None", entry.get("cube")),
    )


def _count(colour: str | None, count: int | None) -> int | None:
    if colour == "unknown" or count is None:
        return None
    return {"light": 1, "dark": -1}.get(colour or "", 0) * count


def _dice(entries: Sequence[dict[str, Any]]) -> list[DieLabel]:
    return [
        DieLabel(value=die["value"], state=die.get("state", "flat"), center=tuple(die["center"]))
        for die in entries
    ]
