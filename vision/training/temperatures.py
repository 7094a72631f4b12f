"""Fits the temperatures of a still's counts (`vision/checkers/temperature.py`).

    python -m vision.training.temperatures FOLDER... [--out FILE]

Reads labeled stills, drawn (`scenes/stills.py`) or rendered, as they are and each with some effects
of a bad camera, lamp or lens, and fits the temperatures by the log loss. Every fifth still is kept
back; its figures are printed before and after. Photos of real boards are for measuring only.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
from scipy.optimize import minimize
from scipy.special import log_expit, log_softmax

from engine.arrays import Floats, Ints
from engine.position import CHECKERS
from vision.benchmark.degradations import STILL_KINDS, degraded_still
from vision.benchmark.figures import point_figures
from vision.benchmark.runs import CLEAN, Effect
from vision.benchmark.score import MAX_CORNER_ERROR, PointScore, match_points, score
from vision.benchmark.truth import StillTruth, load_truths
from vision.checkers.temperature import (
    LEAST,
    TEMPERATURES_FILE,
    Temperature,
    Temperatures,
    calibrated,
    split,
)
from vision.errors import BadTruth, BoardNotFound
from vision.nets import MODELS
from vision.reading.single_image import read_still
from vision.sources.frame import read_image
from vision.training.running import checksum, write_json

NETS: Final = ("checkers.onnx", "stacks.onnx")
"""Those whose probabilities are tempered."""
EFFECTS_PER_STILL: Final = 3
KEPT_EVERY: Final = 5
MAX_LOSS: Final = 7.0
"""Upper bound on the loss of one point, so that the few hopeless ones do not decide."""
MAX_PER_DOUBT: Final = 40.0
FIGURES: Final = ("points_right_%", "confidence_%", "p99_%", "p99_wrong_%", "calibration_error_%")


class ReadPoints(NamedTuple):
    """The judged points of one still with one effect."""

    kind: str
    chances: Floats
    """(N, 31) probabilities of signed counts as seen."""
    true: Ints
    """(N,) signed counts."""
    doubt: float


def read_points(truth: StillTruth) -> list[ReadPoints]:
    """Read a still as it is and with a few effects, the same each time."""
    cv2.setNumThreads(1)
    image, name = read_image(truth.image), truth.image.name
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    kinds = rng.choice(STILL_KINDS, EFFECTS_PER_STILL, replace=False)
    effects: list[Effect] = [CLEAN, *((str(kind), int(rng.integers(1, 4))) for kind in kinds)]
    read = []
    for kind, severity in effects:
        try:
            still = read_still(degraded_still(image, kind, severity, name), None)
        except BoardNotFound:
            continue
        if (score(truth, still).corner_error or 0.0) < MAX_CORNER_ERROR:
            layout = still.grid.layout
            bases = np.array([layout.base(point) for point in range(1, 25)])
            cells = np.array(match_points(still.grid.pose.project(bases), truth.bases))
            judged = np.array([count is not None for count in truth.counts])
            true = np.array([count for count in truth.counts if count is not None])
            seen = still.counted
            read.append(ReadPoints(kind, seen.chances[cells[judged]], true, seen.doubt))
    return read


def fit_temperatures(read: Sequence[ReadPoints]) -> Temperatures:
    """The temperatures with the least log loss; that of owners on points that hold checkers."""
    chances = np.concatenate([each.chances for each in read])
    true = np.concatenate([each.true for each in read])
    doubt = np.concatenate([np.full(len(each.true), each.doubt) for each in read])
    counts, odds = split(chances)
    number = counts.argmax(axis=1)
    held = np.flatnonzero((true != 0) & (number != 0))
    right = odds[held, number[held] - 1] * np.sign(true[held])

    def count_loss(base: float, per_doubt: float) -> Floats:
        tempered = np.log(np.maximum(counts, LEAST)) / np.exp(base + per_doubt * doubt)[:, None]
        return np.asarray(-log_softmax(tempered, axis=1)[np.arange(len(true)), np.abs(true)])

    def owner_loss(base: float, per_doubt: float) -> Floats:
        return np.asarray(-log_expit(right / np.exp(base + per_doubt * doubt[held])))

    return Temperatures(_least(count_loss), _least(owner_loss))


def _least(loss: Any) -> Temperature:
    """The temperature with the least mean `loss`, which is that of each point."""
    found = minimize(
        lambda at: np.minimum(loss(*at), MAX_LOSS).mean(),
        (0.0, 1.0),
        method="Powell",
        bounds=((-1.0, 3.0), (0.0, MAX_PER_DOUBT)),
    )
    return Temperature(*(round(float(value), 3) for value in found.x))


def figures_by_kind(
    read: Iterable[ReadPoints], temperatures: Temperatures | None
) -> dict[str, dict[str, float | int | None]]:
    """The points' figures, of all and by kind of effect; None: as they were seen."""
    points = defaultdict(list)
    for each in read:
        seen = each.chances
        told = seen if temperatures is None else calibrated(seen, each.doubt, temperatures)
        for before, row, true in zip(seen, told, each.true.tolist(), strict=True):
            best = int(before.argmax())
            point = PointScore(
                true, None, best - CHECKERS, float(row[best]), float(row[true + CHECKERS])
            )
            points["all"].append(point)
            points[each.kind].append(point)
    return {kind: point_figures(own) for kind, own in points.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line, fit, write and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="labeled stills")
    parser.add_argument("--out", type=Path, default=TEMPERATURES_FILE)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args(argv)
    try:
        truths = [truth for folder in args.folders for truth in load_truths(folder)]
    except BadTruth as error:
        print(f"vision.training.temperatures: {error}", file=sys.stderr)
        return 2
    with ProcessPoolExecutor(args.workers) as pool:
        read = list(pool.map(read_points, truths))
    fitted = [each for index, own in enumerate(read) if index % KEPT_EVERY for each in own]
    kept = [each for own in read[::KEPT_EVERY] for each in own]
    temperatures = fit_temperatures(fitted)
    fields = {head: value._asdict() for head, value in temperatures._asdict().items()}
    nets = {name: checksum(MODELS / name) for name in NETS}
    write_json(args.out, fields | {"pictures": len(fitted), "fitted_to": nets})
    for name, part in (("fitted", fitted), ("kept back", kept)):
        for when, used in (("as seen", None), ("tempered", temperatures)):
            print(f"\n{name}, {len(part)} pictures, {when}")
            for kind, figures in figures_by_kind(part, used).items():
                print(f"{kind:12}", *(f"{key} {figures[key]}" for key in FIGURES), sep="  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
