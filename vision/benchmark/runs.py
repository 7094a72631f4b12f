"""Labelled stills read and scored: sets never seen, or each board learnt from one of its stills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import Position
from engine.arrays import Image
from vision.benchmark.score import ScoredStill, score, unread
from vision.benchmark.truth import StillTruth
from vision.errors import VisionError
from vision.reading.single_image import read_still
from vision.sources.frame import read_image

Teach = Callable[[Image, Position], Profile]
"""What a (H, W, 3) BGR picture of a position teaches; `VisionError` or `CalibrationError` if it
cannot be trusted."""

LESSONS: Final = 6
"""Stills of a board that are tried as its lesson: who calibrates tries another picture, not all."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownBoard:
    """What is known of a board."""

    profile: Profile | None
    """None where no still taught it."""
    image: Path | None = None
    """The still that did."""
    fault: str = ""
    """Why the last one that was tried did not."""


def learn_boards(truths: Sequence[StillTruth], teach: Teach) -> Iterator[tuple[str, KnownBoard]]:
    """Each board learnt from the first of its stills that can be trusted, open views first."""
    for name in dict.fromkeys(truth.board for truth in truths):
        own = [truth for truth in truths if truth.board == name]
        yield name, _lesson(sorted(own, key=_unsuited)[:LESSONS], teach)


def _unsuited(truth: StillTruth) -> tuple[bool, bool]:
    return truth.is_occluded, truth.kind != "opening"


def _lesson(truths: Sequence[StillTruth], teach: Teach) -> KnownBoard:
    fault = "no still of this board shows a whole position"
    for truth in truths:
        if truth.position is None:
            continue
        try:
            return KnownBoard(teach(read_image(truth.image), truth.position), truth.image)
        except (VisionError, CalibrationError) as error:
            fault = f"the board was not learnt; {truth.image.name}: {error}"
    return KnownBoard(None, fault=fault)


def measure(
    truths: Sequence[StillTruth], lessons: Mapping[str, KnownBoard] | None = None
) -> Iterator[ScoredStill]:
    """Every still read and scored in turn; `lessons` tell what is known of each board.

    The still that taught its board is left out: it would only repeat its labels. So is the only
    one of a board: what it teaches could be measured on nothing else.
    """
    stills = Counter(truth.board for truth in truths)
    for truth in truths:
        if lessons is not None and stills[truth.board] == 1:
            continue
        lesson = None if lessons is None else lessons[truth.board]
        if lesson is None:
            yield _measured(truth, None)
        elif lesson.profile is None:
            yield unread(truth, lesson.fault)
        elif lesson.image != truth.image:
            yield _measured(truth, lesson.profile)


def _measured(truth: StillTruth, profile: Profile | None) -> ScoredStill:
    try:
        return score(truth, read_still(read_image(truth.image), profile))
    except VisionError as error:
        return unread(truth, str(error))
