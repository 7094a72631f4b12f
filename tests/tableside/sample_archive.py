"""A record with a few matches behind the review pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from tableside.analysis.analyst import Analyst
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.review.clips import ProcessEncoder, can_encode, clip_path
from tableside.review.stills import stills_folder
from tests.tableside.sample_record import finished, keep_stills, match_events, record_match

MARKUP = "<img src=x onerror=alert(1)>"
LONG = "Maximiliane-Antoinette von und zu " + "W" * 30
PICTURE = cv2.imencode(".jpg", np.full((180, 320, 3), 90, np.uint8))[1].tobytes()


@cache
def clip() -> bytes:
    """A second of a real clip; some bytes where PyAV is missing."""
    if not can_encode():
        return b"clip" * 100
    with TemporaryDirectory() as folder:
        path = Path(folder, "clip.mp4")
        ProcessEncoder().write([(n / 12, PICTURE) for n in range(13)], path)
        return path.read_bytes()


@dataclass
class Archived:
    """A store that is being written, and an archive that reads it."""

    store: Store
    archive: RecordArchive
    numbers: dict[str, int] = field(default_factory=dict)

    def close(self) -> None:
        self.archive.close()
        self.store.close()


def archived(folder: Path, engine=lambda: None) -> Archived:
    """One finished match, one in progress between odd names, one that has not begun."""
    path = folder / "record.sqlite"
    store = Store.open(path)
    numbers = {
        "over": record_match(store, finished(match_events()), is_closed=True),
        "odd": record_match(store, match_events(light=MARKUP, dark=LONG)),
        "blank": store.new_match(),
    }
    events = match_events()
    frames = [events[n].frame for n in (3, 4, 10)]
    for name in ("over", "odd"):
        folder = stills_folder(path, numbers[name])
        keep_stills(folder, frames, PICTURE, gone=frames[2:])
        clip_path(folder, frames[1]).write_bytes(clip())
    return Archived(store, RecordArchive(path, analyses=Analyst(path, find=engine)), numbers)
