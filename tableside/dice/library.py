"""Dice reports for notebooks, in one line: `dice_frame("rolls.csv")`, `dice_report([6, 1, 4])`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.fairness.findings import analyse_log
from engine.fairness.report_json import findings_json
from engine.fairness.rolls import DiceLog, simple_log
from tableside.dice.sources import dice_of_files


def dice_report(rolls: Sequence[int] | str | Path) -> dict[str, Any]:
    """What `tableside dice report --json` prints of faces, a file, or a folder of match files.

    Raises `BadDice` or `InvalidMatchFile`, which name the line, if a file cannot be read.
    """
    return findings_json(analyse_log(_log(rolls)))


def dice_frame(rolls: Sequence[int] | str | Path) -> Any:
    """A pandas `DataFrame` of that report with a row for each die; needs pandas."""
    dice = dice_report(rolls)["dice"]
    kept = ("n", "e_value", "e_largest", "largest_bias", "sign", "verdict")
    rows = [
        {"die": name}
        | {key: one[key] for key in kept}
        | {f"count_{face}": count for face, count in enumerate(one["counts"], start=1)}
        for name, one in dice.items()
    ]
    return import_module("pandas").DataFrame(rows).set_index("die")


def _log(rolls: Sequence[int] | str | Path) -> DiceLog:
    if isinstance(rolls, str | Path):
        return dice_of_files([Path(rolls)]).log
    return simple_log(list(rolls))
