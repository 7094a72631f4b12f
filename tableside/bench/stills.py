"""How well labeled images are read, as `tableside read` would read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from calibration.profile import Profile
from engine import Position
from engine.arrays import Image
from tableside.setup.learn_board import learn_board
from vision.benchmark.degradations import STILL_KINDS
from vision.benchmark.runs import CLEAN, Effect, LearntBoard, learn_boards, measure
from vision.benchmark.score import ScoredStill
from vision.benchmark.truth import StillTruth, load_truths

Each = TypeVar("Each")
SEED: Final = 1
"""Seed of the sample that `--limit` draws, so that runs can be compared."""


def score_stills(
    folder: Path, limit: int | None = None, *, adapts: bool = False
) -> list[ScoredStill]:
    """Read the labeled images of a folder, at most `limit` of them, and score each.

    adapts: whether each board is first learned from one of its own images.
    """
    ((_, scored),) = score_degraded(folder, [CLEAN], limit, adapts=adapts)
    return scored


def score_degraded(
    folder: Path, effects: Iterable[Effect], limit: int | None = None, *, adapts: bool = False
) -> Iterator[tuple[Effect, list[ScoredStill]]]:
    """The same with each of these effects; boards are learned from images as they are."""
    truths = load_truths(folder)
    chosen = sample(truths, limit)
    known = _learn_boards(truths, {truth.board for truth in chosen}) if adapts else None
    for effect in effects:
        scored = measure(chosen, known, effect)
        yield effect, list(_with_progress(scored, len(chosen), f"reading, {effect[0]}"))


def effects_at(severities: Iterable[int]) -> list[Effect]:
    """Every effect on a still at each of these severities; 0 stands for none of them."""
    return [
        effect
        for severity in sorted(set(severities))
        for effect in ([(kind, severity) for kind in STILL_KINDS] if severity else [CLEAN])
    ]


def sample(truths: Sequence[StillTruth], limit: int | None) -> list[StillTruth]:
    """A random sample of at most `limit` stills, in their order and the same each time.

    Not every n-th: a renderer goes through its sets and views in order.
    """
    if limit is None or limit >= len(truths):
        return list(truths)
    drawn = np.random.default_rng(SEED).choice(len(truths), limit, replace=False)
    return [truths[index] for index in sorted(drawn)]


def _learn_boards(truths: Sequence[StillTruth], names: set[str]) -> dict[str, LearntBoard]:
    """Learn each of the named boards from one of its stills."""
    own = [truth for truth in truths if truth.board in names]
    return dict(_with_progress(learn_boards(own, _learn), len(names), "learning the boards"))


def _learn(image: Image, position: Position) -> Profile:
    """Learn a board as `tableside calibrate --position` does, with its checks."""
    return learn_board(image, position, is_given=True).profile


def _with_progress(members: Iterable[Each], total: int, what: str) -> Iterator[Each]:
    """The members, with a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import track

    tracked: Any = track(members, what, total, console=Console(stderr=True))
    yield from tracked
