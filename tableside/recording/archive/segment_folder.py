"""Where the segments of a long video are kept until they are joined.

    SEGMENTS/plan.json       where the video is cut
    SEGMENTS/cut-N.json      the profile of the board at the cut before segment N, from 2 on
    SEGMENTS/N/              what was seen in segment N: a record, stills, board.json, end.json

Segment 1 is read when they are joined. A segment is complete or not there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tableside.record.files import replace_file

SEGMENT_S: Final = 1200.0
"""Seconds of a segment: where it begins takes five seconds of reading."""
PLAN: Final = "plan.json"


class SegmentFolder:
    """The folder of one video's segments."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def number(self) -> int:
        """Into how many segments the video is cut; 0 if it is not."""
        return len(self.plan()) + 1 if (self.path / PLAN).exists() else 0

    def plan(self) -> list[dict[str, Any]]:
        """The cuts, as they were kept."""
        plan: list[dict[str, Any]] = json.loads((self.path / PLAN).read_text("utf-8"))
        return plan

    def keep_plan(self, cuts: list[dict[str, Any]]) -> None:
        """Keep where the video is cut; raises `StoreError`."""
        replace_file(self.path / PLAN, json.dumps(cuts))

    def board(self, number: int) -> Path:
        """The profile of the board at the cut before a segment."""
        return self.path / f"cut-{number}.json"

    def segment(self, number: int) -> Path:
        """The folder of a segment."""
        return self.path / f"{number}"

    def keep(self, written: Path, number: int) -> None:
        """Make what was `written` a segment, unless another attempt was faster."""
        try:
            written.rename(self.segment(number))
        except OSError:
            if not self.segment(number).exists():
                raise
