"""Files of a benchmark run: a row for each still, the figures, and the reliability diagram."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from engine.arrays import Image
from vision.benchmark.figures import (
    CONFIDENT,
    ConfidenceBin,
    Figures,
    figures_of,
    point_figures,
    reliability,
)
from vision.benchmark.runs import Effect
from vision.benchmark.score import PointScore, ScoredStill
from vision.reading.single_image import STAGES

TABLE_HEADINGS: Final = {
    "images": "images",
    "points": "points",
    "boards_found_%": "found %",
    "points_right_%": "points %",
    "boards_perfect_%": "perfect %",
    "dice_found_%": "dice %",
    "dice_value_right_%": "value %",
    "dice_state_right_%": "state %",
    "dice_extra_per_image": "extra",
    "calibration_error_%": "calibr. %",
    "log_loss": "log loss",
}
"""The figures shown in a table, and their headings; the JSON has all figures."""
SEVERITY_HEADINGS: Final = {
    "images": "images",
    "boards_found_%": "found %",
    "points_right_%": "points %",
    "confidence_%": "confid. %",
    "p99_%": "p99 %",
    "p99_wrong_%": "wrong %",
    "calibration_error_%": "calibr. %",
    "dice_value_right_%": "value %",
    "dice_confidence_%": "confid. %",
}
"""The same for a table of degraded stills: how sure the reading is as it gets worse."""
GROUP_NAME_WIDTH: Final = 26
"""Characters of a group's name that are shown."""
BIN_EDGES: Final = (*np.linspace(0, 0.9, 10).tolist(), 0.95, 0.99, 1.0)
"""Tenths, with finer bins in the last: most points are there, and errors cost most there."""
PLOT_SIZE: Final = 560
"""Pixels for the range from 0 to 1."""
MARGIN_LEFT, MARGIN_TOP, MARGIN_RIGHT, MARGIN_BELOW = 90, 60, 30, 80
STRIP_HEIGHT: Final = 70
"""Height in pixels of the tallest bar in the strip that shows each bin's number of points."""
BACKGROUND, TEXT_COLOUR, GRID_COLOUR = (255, 255, 255), (40, 36, 34), (226, 222, 220)
DIAGONAL_COLOUR, DATA_COLOUR = (150, 140, 130), (190, 110, 30)
REPORT_FILES: Final = ("images.csv", "figures.json", "reliability.png")
Z_95: Final = 1.96
"""Standard deviations of a 95 % interval."""


def write_report(folder: Path, scored: Sequence[ScoredStill]) -> list[Path]:
    """Write `images.csv`, `figures.json` and `reliability.png` to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in REPORT_FILES]
    _write_csv(paths[0], scored)
    paths[1].write_text(json.dumps(figures_of(scored), indent=1) + "\n", "utf-8")
    picture = draw_reliability([point for each in scored for point in each.points])
    paths[2].write_bytes(bytes(cv2.imencode(".png", picture)[1]))
    return paths


def _write_csv(path: Path, scored: Sequence[ScoredStill]) -> None:
    rows = [image_row(each) for each in scored]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["image"])
        writer.writeheader()
        writer.writerows(rows)


def image_row(scored: ScoredStill) -> dict[str, Any]:
    """One still's row; None, an empty field, is what was not judged, labeled or read."""
    truth, dice = scored.truth, scored.dice
    errors = [point for point in scored.points if not point.is_right]
    times = {f"{stage}_ms": scored.timing_ms.get(stage) for stage in STAGES}
    return {
        "image": truth.image.name,
        "set": truth.set_name,
        "view": truth.view,
        "kind": truth.kind,
        "tilt_deg": None if truth.tilt_deg is None else round(truth.tilt_deg, 1),
        "occluded": int(truth.is_occluded),
        "found": int(scored.is_found),
        "corner_error": None if scored.corner_error is None else round(scored.corner_error, 4),
        "points_judged": len(scored.points),
        "points_right": scored.points_right,
        "points_sure_and_wrong": sum((p.confidence or 0) >= CONFIDENT for p in errors),
        "bar_right": int(scored.is_bar_right),
        "perfect": int(scored.is_perfect),
        "dice_true": dice and dice.true,
        "dice_found": dice and dice.found,
        "dice_value_right": dice and dice.value_right,
        "dice_state_right": dice and dice.state_right,
        "dice_extra": dice and dice.extra,
        **{name: None if spent is None else round(spent, 1) for name, spent in times.items()},
        "fault": scored.fault,
    }


def table(figures: Mapping[str, Any]) -> str:
    """The figures of `figures_of` as text, a table for each kind of group."""
    parts = [_rows("", {"all": figures["all"]})]
    parts += [
        _rows(name, groups) for name, groups in figures.items() if name.startswith("by ") and groups
    ]
    stages = (
        f"{stage} {each['median']:.0f} (p90 {each['p90']:.0f})"
        for stage, each in figures["speed_ms"].items()
        if each["median"] is not None
    )
    parts.append(f"milliseconds a still, median: {', '.join(stages) or 'none was read'}")
    return "\n\n".join(parts)


def severity_table(runs: Sequence[tuple[Effect, Figures]]) -> str:
    """The figures of stills with each effect as text, a row for each."""
    named = {f"{kind} {severity or ''}": figures for (kind, severity), figures in runs}
    return _rows("effect", named, SEVERITY_HEADINGS)


def _rows(
    name: str,
    groups: Mapping[str, Mapping[str, Any]],
    headings: Mapping[str, str] = TABLE_HEADINGS,
) -> str:
    shown = [key for key in headings if key in next(iter(groups.values()))]
    lines = [f"{name:<{GROUP_NAME_WIDTH}}" + "".join(f"{headings[key]:>11}" for key in shown)]
    for group, figures in groups.items():
        cells = ("-" if figures[key] is None else f"{figures[key]:g}" for key in shown)
        lines.append(
            f"{group[:GROUP_NAME_WIDTH]:<{GROUP_NAME_WIDTH}}"
            + "".join(f"{cell:>11}" for cell in cells)
        )
    return "\n".join(lines)


def draw_reliability(points: Sequence[PointScore]) -> Image:
    """An (H, W, 3) BGR picture: stated confidence on x, fraction that was right on y.

    On the diagonal, confidence is accurate; below it, it is too high. Each dot is a bin with its 95
    % interval; the strip below shows the number of points in each bin.
    """
    height = MARGIN_TOP + PLOT_SIZE + MARGIN_BELOW + STRIP_HEIGHT + 20
    picture = np.full((height, MARGIN_LEFT + PLOT_SIZE + MARGIN_RIGHT, 3), BACKGROUND, np.uint8)
    bins = reliability(points, BIN_EDGES)
    _draw_axes(picture)
    _draw_shares(picture, bins)
    for each in bins:
        _draw_bin(picture, each)
    error = point_figures(points)["calibration_error_%"]
    shown = "no" if error is None else f"{error:.1f} %"
    title = f"{sum(each.number for each in bins)} points, {shown} calibration error"
    _write(picture, title, (MARGIN_LEFT, MARGIN_TOP - 26), 0.62)
    return picture


def wilson(right: int, number: int) -> tuple[float, float]:
    """The 95 % interval for a proportion observed as `right` of `number` (Wilson 1927)."""
    z, share = Z_95, right / number
    middle = share + z * z / (2 * number)
    reach = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    whole = 1 + z * z / number
    return (middle - reach) / whole, (middle + reach) / whole


def _draw_axes(picture: Image) -> None:
    for tenth in range(0, 11, 2):
        share = tenth / 10
        cv2.line(picture, _at(share, 0), _at(share, 1), GRID_COLOUR, 1, cv2.LINE_AA)
        cv2.line(picture, _at(0, share), _at(1, share), GRID_COLOUR, 1, cv2.LINE_AA)
        x, y = _at(share, 0)
        _write(picture, f"{share:.1f}", (x - 13, y + 22))
        x, y = _at(0, share)
        _write(picture, f"{share:.1f}", (x - 40, y + 5))
    cv2.rectangle(picture, _at(0, 1), _at(1, 0), TEXT_COLOUR, 1)
    cv2.line(picture, _at(0, 0), _at(1, 1), DIAGONAL_COLOUR, 1, cv2.LINE_AA)
    _write(picture, "right", (12, MARGIN_TOP - 26))
    _write(picture, "confidence", (MARGIN_LEFT + PLOT_SIZE // 2 - 45, MARGIN_TOP + PLOT_SIZE + 46))


def _draw_bin(picture: Image, each: ConfidenceBin) -> None:
    low, high = (_at(each.confidence, share) for share in wilson(each.right, each.number))
    cv2.line(picture, low, high, DATA_COLOUR, 2, cv2.LINE_AA)
    dot = _at(each.confidence, each.right / each.number)
    cv2.circle(picture, dot, 6, DATA_COLOUR, -1, cv2.LINE_AA)


def _draw_shares(picture: Image, bins: Sequence[ConfidenceBin]) -> None:
    """Draw the strip; heights are logarithmic, because the last bin holds nearly all points."""
    foot = picture.shape[0] - 14
    most = max((math.log1p(each.number) for each in bins), default=1.0)
    for each in bins:
        x, _ = _at(each.confidence, 0)
        tall = round(STRIP_HEIGHT * math.log1p(each.number) / most)
        cv2.line(picture, (x, foot), (x, foot - tall), DATA_COLOUR, 5)
    _write(picture, "points", (12, foot - STRIP_HEIGHT // 2))
    _write(picture, "(log)", (12, foot - STRIP_HEIGHT // 2 + 18))


def _at(across: float, up: float) -> tuple[int, int]:
    return MARGIN_LEFT + round(PLOT_SIZE * across), MARGIN_TOP + round(PLOT_SIZE * (1 - up))


def _write(picture: Image, text: str, place: tuple[int, int], size: float = 0.5) -> None:
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, TEXT_COLOUR, 1, cv2.LINE_AA)
