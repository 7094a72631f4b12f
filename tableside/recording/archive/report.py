"""The report of an archive: `index.html` and `summary.csv` in its folder.

All doubts of all matches are one list, the one that is most likely wrong first.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.formats.csv_text import spreadsheet_safe
from tableside.printable import printable
from tableside.record.files import replace_file
from tableside.recording.archive.entries import Entry
from tableside.review.report import FOLDER, LIST, PAGE
from webui.i18n.locale import system_language, use_language
from webui.views import phrases
from webui.views.standalone import render_standalone

TEMPLATES: Final = Path(__file__).parent / "templates"
REPORT: Final = "index.html"
SUMMARY: Final = "summary.csv"
ROLLS: Final = "rolls.csv"
_COLUMNS: Final = (
    *("video", "light", "dark", "points_light", "points_dark", "plays", "to_review"),
    *("seconds", "fault", "folder", "date", "event", "round", "table"),
)
_CHANCE_WRONG: Final = {"illegal": 0.5, "set_up_error": 0.5, "unfinished": 0.9, "unseen": 0.9}
"""How likely a kind of item without a confidence is to change when a person looks."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A review item of one of the matches."""

    entry: Entry
    item: dict[str, Any]
    """As in its match's `review.json`."""

    @property
    def chance_wrong(self) -> float:
        """The probability that the record changes when a person looks."""
        confidence = self.item["confidence"]
        if confidence is None:
            return _CHANCE_WRONG.get(self.item["kind"], 0.5)
        return 1 - float(confidence)

    @property
    def page(self) -> str:
        """The page of the match's items, relative to the archive."""
        return f"{self.entry.folder}/{FOLDER}/{PAGE}"

    @property
    def still(self) -> str:
        """A picture of it, relative to the archive; empty if there is none."""
        stills = self.item["stills"]
        return f"{self.entry.folder}/{stills[0]}" if stills else ""


def write_report(folder: Path, entries: Sequence[Entry]) -> None:
    """Write the page and the table of an archive; raises `StoreError`."""
    replace_file(folder / SUMMARY, _summary(entries))
    matches = [entry for entry in entries if entry.is_match]
    doubts = sorted(_doubts(folder, matches), key=lambda one: -one.chance_wrong)
    with use_language(system_language(os.environ)):
        page = render_standalone(
            TEMPLATES,
            "archive_report.html",
            matches=sorted(matches, key=lambda one: one.video),
            set_aside=[entry for entry in entries if not entry.is_match],
            doubts=doubts,
            faces=_faces(folder, matches),
            hours=sum(entry.seconds for entry in matches) / 3600,
            words=phrases,
            name_of=lambda video: printable(Path(video).name),
        )
    replace_file(folder / REPORT, page)


def _doubts(folder: Path, matches: Sequence[Entry]) -> Iterator[Doubt]:
    for entry in matches:
        for item in json.loads((folder / entry.folder / LIST).read_text("utf-8")):
            if item["review"]:
                yield Doubt(entry, item)


def _faces(folder: Path, matches: Sequence[Entry]) -> list[int]:
    """How often 1 to 6 were rolled in all matches."""
    counts: Counter[str] = Counter()
    for entry in matches:
        with (folder / entry.folder / ROLLS).open(encoding="utf-8", newline="") as file:
            counts.update(row["value"] for row in csv.DictReader(file))
    return [counts[str(face)] for face in range(1, 7)]


def _summary(entries: Sequence[Entry]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in entries:
        writer.writerow([
            *map(spreadsheet_safe, (printable(one.video), one.light, one.dark)),
            *(*one.points, one.plays, one.to_review, f"{one.seconds:.1f}"),
            *map(spreadsheet_safe, (printable(one.fault), one.folder)),
            *(one.day, *map(spreadsheet_safe, (one.event, one.round, one.table))),
        ])  # fmt: skip
    return text.getvalue()
