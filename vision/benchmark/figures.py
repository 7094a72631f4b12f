"""Summaries of scores: accuracy of boards, points and dice, by group, and calibration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from engine.arrays import Floats
from vision.benchmark.score import PointScore, ScoredStill
from vision.reading.single_image import STAGES

Each = TypeVar("Each")
Key = TypeVar("Key", bound=Hashable)
Figures = dict[str, float | int | None]
"""Figures by name; those ending in `_%` are percentages, None if nothing was judged."""

CALIBRATION_BINS: Final = 10
"""Bins of equal width for the calibration error."""
CONFIDENT: Final = 0.99
MIN_SCORED_PROBABILITY: Final = 1e-6
"""Lower bound on the probability of a true count in the log loss, to keep it finite."""
TILT_STEP: Final = 10
"""Width of a group of tilts, in degrees."""


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Points with similar confidence."""

    confidence: float
    """Their mean confidence."""
    right: int
    number: int


def figures_of(scored: Sequence[ScoredStill]) -> dict[str, Any]:
    """All figures of a run: overall, by each kind of group, and the times in milliseconds."""
    points = [point for each in scored for point in each.points]
    return {
        "all": still_figures(scored),
        **{
            f"by {name}": {group: still_figures(own) for group, own in _grouped(scored, key)}
            for name, key in STILL_GROUPS.items()
        },
        **{
            f"by {name}": {group: point_figures(own) for group, own in _grouped(points, key)}
            for name, key in POINT_GROUPS.items()
        },
        "speed_ms": speed(scored),
    }


def still_figures(scored: Sequence[ScoredStill]) -> Figures:
    """The figures for some stills; every still counts, including those that were not read."""
    points = [point for each in scored for point in each.points]
    thrown = [each.dice for each in scored if each.dice is not None]
    dice = sum(each.true for each in thrown)
    return {
        "images": len(scored),
        "boards_found_%": _share(sum(each.is_found for each in scored), len(scored)),
        **point_figures(points),
        "boards_perfect_%": _share(sum(each.is_perfect for each in scored), len(scored)),
        "dice": dice,
        "dice_found_%": _share(sum(each.found for each in thrown), dice),
        "dice_value_right_%": _share(sum(each.value_right for each in thrown), dice),
        "dice_state_right_%": _share(sum(each.state_right for each in thrown), dice),
        "dice_confidence_%": _mean_share([one for each in thrown for one in each.confidences]),
        "dice_extra_per_image": _mean([each.extra for each in thrown], 3),
    }


def point_figures(points: Sequence[PointScore]) -> Figures:
    """The figures for some points; accuracy is over all, calibration over those that were read."""
    sure = [p for p in points if p.confidence is not None and p.confidence >= CONFIDENT]
    read = [p for p in points if p.confidence is not None]
    losses = [-np.log(max(MIN_SCORED_PROBABILITY, p.chance_of_truth or 0.0)) for p in read]
    return {
        "points": len(points),
        "points_right_%": _share(sum(point.is_right for point in points), len(points)),
        "confidence_%": _mean_share([p.confidence for p in read if p.confidence is not None]),
        "p99_%": _share(len(sure), len(read)),
        "p99_wrong_%": _share(sum(not point.is_right for point in sure), len(sure)),
        "calibration_error_%": _share(_calibration_gap(read), len(read)),
        "log_loss": _mean(losses, 4),
    }


def reliability(
    points: Iterable[PointScore], edges: Sequence[float] | Floats
) -> list[ConfidenceBin]:
    """The points that were read, by confidence, in the nonempty bins between `edges`."""
    read = [(p.confidence, p.is_right) for p in points if p.confidence is not None]
    confidences = np.array([confidence for confidence, _ in read], float)
    right = np.array([is_right for _, is_right in read], bool)
    where = np.clip(np.searchsorted(edges, confidences, side="right") - 1, 0, len(edges) - 2)
    return [
        ConfidenceBin(float(confidences[own].mean()), int(right[own].sum()), int(own.sum()))
        for number in range(len(edges) - 1)
        if (own := where == number).any()
    ]


def speed(scored: Iterable[ScoredStill]) -> dict[str, Figures]:
    """Median and 90th percentile of each stage's milliseconds, over the stills that were read."""
    times = [each.timing_ms for each in scored if each.timing_ms]
    stages = {stage: [time[stage] for time in times] for stage in STAGES}
    stages["total"] = [sum(time.values()) for time in times]
    return {
        stage: {
            "median": round(float(np.median(spent)), 1) if spent else None,
            "p90": round(float(np.percentile(spent, 90)), 1) if spent else None,
        }
        for stage, spent in stages.items()
    }


def _tilt(scored: ScoredStill) -> str:
    if scored.truth.tilt_deg is None:
        return "unknown"
    low = int(scored.truth.tilt_deg // TILT_STEP * TILT_STEP)
    return f"{low}-{low + TILT_STEP}"


STILL_GROUPS: Final[dict[str, Callable[[ScoredStill], str]]] = {
    "set": lambda each: each.truth.set_name,
    "view": lambda each: each.truth.view,
    "tilt": _tilt,
    "occlusion": lambda each: "occluded" if each.truth.is_occluded else "clear",
    "kind": lambda each: each.truth.kind,
}
"""What stills are grouped by; tilts are in degrees."""
POINT_GROUPS: Final[dict[str, Callable[[PointScore], int | str]]] = {
    "count": lambda point: abs(point.true),
    "layer": lambda point: "unknown" if point.layers is None else point.layers,
}
"""What points are grouped by: the number of checkers, and of their layers."""


def _grouped(members: Iterable[Each], key: Callable[[Each], Key]) -> list[tuple[str, list[Each]]]:
    groups: dict[Key, list[Each]] = defaultdict(list)
    for each in members:
        groups[key(each)].append(each)
    return [(str(name), groups[name]) for name in sorted(groups, key=_numbers_by_size)]


def _numbers_by_size(name: Hashable) -> tuple[bool, int, str]:
    return (False, name, "") if isinstance(name, int) else (True, 0, str(name))


def _calibration_gap(points: Iterable[PointScore]) -> float:
    """Sum over the bins of the difference between confidence and accuracy, in points."""
    bins = reliability(points, np.linspace(0, 1, CALIBRATION_BINS + 1))
    return sum(abs(each.number * each.confidence - each.right) for each in bins)


def _share(part: float, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def _mean_share(values: Sequence[float]) -> float | None:
    return _share(sum(values), len(values))


def _mean(values: Sequence[float], digits: int) -> float | None:
    return round(float(np.mean(values)), digits) if values else None
