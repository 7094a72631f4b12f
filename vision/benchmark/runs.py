"""Reads and scores labeled stills: of unknown sets, or with each board learned from one still."""

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
from vision.benchmark.degradations import degraded_still
from vision.benchmark.score import ScoredStill, score, unread
from vision.benchmark.truth import StillTruth
from vision.errors import VisionError
from vision.reading.single_image import read_still
from vision.sources.frame import read_image

LearnBoard = Callable[[Image, Position], Profile]
"""The profile learned from an (H, W, 3) BGR picture of a position; raises `VisionError` or
`CalibrationError` if it cannot be trusted."""

Effect = tuple[str, int]
"""One of `vision.benchmark.degradations.KINDS`, and its severity; at 0 a picture is as it was."""
CLEAN: Final[Effect] = ("clean", 0)
MAX_TRIES: Final = 6
"""Number of stills from which learning a board is attempted."""


@dataclass(frozen=True, slots=True, eq=False)
class LearntBoard:
    """What is known about a board."""

    profile: Profile | None
    """None if it could not be learned."""
    image: Path | None = None
    """The still from which it was learned."""
    fault: str = ""
    """Why it could not be learned from the last still tried."""


def learn_boards(
    truths: Sequence[StillTruth], learn: LearnBoard
) -> Iterator[tuple[str, LearntBoard]]:
    """Learn each board from the first of its stills that can be trusted, open views first."""
    for name in dict.fromkeys(truth.board for truth in truths):
        own = [truth for truth in truths if truth.board == name]
        yield name, _learn_board(sorted(own, key=_unsuitability)[:MAX_TRIES], learn)


def _unsuitability(truth: StillTruth) -> tuple[bool, bool]:
    return truth.is_occluded, truth.kind != "opening"


def _learn_board(truths: Sequence[StillTruth], learn: LearnBoard) -> LearntBoard:
    fault = "no still of this board shows a whole position"
    for truth in truths:
        if truth.position is None:
            continue
        try:
            return LearntBoard(learn(read_image(truth.image), truth.position), truth.image)
        except (VisionError, CalibrationError) as error:
            fault = f"the board was not learnt; {truth.image.name}: {error}"
    return LearntBoard(None, fault=fault)


def measure(
    truths: Sequence[StillTruth],
    boards: Mapping[str, LearntBoard] | None = None,
    effect: Effect = CLEAN,
) -> Iterator[ScoredStill]:
    """Read and score every still in turn, degraded by `effect`, each with its board as learned.

    The still from which a board was learned is left out, because it would only repeat its labels;
    so is a board's only still.
    """
    stills = Counter(truth.board for truth in truths)
    for truth in truths:
        if boards is not None and stills[truth.board] == 1:
            continue
        board = None if boards is None else boards[truth.board]
        if board is None:
            yield _measured(truth, None, effect)
        elif board.profile is None:
            yield unread(truth, board.fault)
        elif board.image != truth.image:
            yield _measured(truth, board.profile, effect)


def _measured(truth: StillTruth, profile: Profile | None, effect: Effect) -> ScoredStill:
    try:
        image = degraded_still(read_image(truth.image), *effect, truth.image.name)
        return score(truth, read_still(image, profile))
    except VisionError as error:
        return unread(truth, str(error))
