"""How well labelled images are read, as `tableside read` would read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from calibration.profile import Profile
from engine import Position
from engine.arrays import Image
from tableside.setup.learn_board import learn_board
from vision.benchmark.runs import KnownBoard, learn_boards, measure
from vision.benchmark.score import ScoredStill
from vision.benchmark.truth import StillTruth, load_truths

Each = TypeVar("Each")
SEED: Final = 1
"""Of the draw of `--limit`, so that two runs compare."""


def score_stills(
    folder: Path, limit: int | None = None, *, adapts: bool = False
) -> list[ScoredStill]:
    """Read the labelled images of a folder, at most `limit` of them, and score each.

    adapts: whether each board is learnt from one of its own images first.
    """
    truths = load_truths(folder)
    chosen = sample(truths, limit)
    lessons = _learnt(truths, {truth.board for truth in chosen}) if adapts else None
    return list(_shown(measure(chosen, lessons), len(chosen), "reading"))


def sample(truths: Sequence[StillTruth], limit: int | None) -> list[StillTruth]:
    """At most `limit` of the stills, in their order; the same ones each time.

    Drawn, since a renderer goes through its sets and views by turns: every eighth would be alike.
    """
    if limit is None or limit >= len(truths):
        return list(truths)
    drawn = np.random.default_rng(SEED).choice(len(truths), limit, replace=False)
    return [truths[index] for index in sorted(drawn)]


def _learnt(truths: Sequence[StillTruth], names: set[str]) -> dict[str, KnownBoard]:
    """What is learnt of each of the named boards, from any of its stills."""
    own = [truth for truth in truths if truth.board in names]
    return dict(_shown(learn_boards(own, _teach), len(names), "learning the boards"))


def _teach(image: Image, position: Position) -> Profile:
    """As `tableside calibrate --position` would learn it, with its gates."""
    return learn_board(image, position).profile


def _shown(members: Iterable[Each], total: int, what: str) -> Iterator[Each]:
    """The members, while a bar on stderr shows how many there have been."""
    from rich.console import Console
    from rich.progress import track

    followed: Any = track(members, what, total, console=Console(stderr=True))
    yield from followed
