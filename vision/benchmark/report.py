"""Files of a benchmark run: a row for each still, the figures, and the reliability diagram."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2

from vision.benchmark.diagram import draw_reliability
from vision.benchmark.figures import CONFIDENT, figures_of
from vision.benchmark.score import ScoredStill
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
"""The figures that a table shows and their headings; the JSON has all."""
GROUP_NAME_WIDTH: Final = 26
"""Letters of a group's name that are shown."""


def write_report(folder: Path, scored: Sequence[ScoredStill]) -> list[Path]:
    """Write `images.csv`, `figures.json` and `reliability.png` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in ("images.csv", "figures.json", "reliability.png")]
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
    """One still's row; None, an empty field, is what was not judged, labelled or read."""
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


def _rows(name: str, groups: Mapping[str, Mapping[str, Any]]) -> str:
    shown = [key for key in TABLE_HEADINGS if key in next(iter(groups.values()))]
    lines = [f"{name:<{GROUP_NAME_WIDTH}}" + "".join(f"{TABLE_HEADINGS[key]:>11}" for key in shown)]
    for group, figures in groups.items():
        cells = ("-" if figures[key] is None else f"{figures[key]:g}" for key in shown)
        lines.append(
            f"{group[:GROUP_NAME_WIDTH]:<{GROUP_NAME_WIDTH}}"
            + "".join(f"{cell:>11}" for cell in cells)
        )
    return "\n".join(lines)
