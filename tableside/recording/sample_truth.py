"""What is played in the sample clip, and how a record of it compares."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import Event, Position, Setup, Side
from engine.match.state import fold


def compared(events: Sequence[Event], truth: Path) -> str:
    """How the recorded plays compare with the truth that ships with the sample, in words."""
    wanted = true_plays(truth)
    standing = fold(events).effective_turns
    said = [(turn.event.player, turn.event.position) for turn in standing]
    right = _common(wanted, said)
    extra = len(said) - right
    doubtful = sum(turn.event.review for turn in standing)
    return (
        f"{right} of the {len(wanted)} plays in the clip were recorded as they were made, "
        f"{extra} recorded otherwise; {doubtful} marked for review"
    )


def true_plays(truth: Path) -> list[tuple[Side, Position]]:
    """Who played and what stood on the board afterwards, from the rendered scene."""
    lines = (json.loads(line) for line in truth.read_text("utf-8").splitlines())
    return [
        (Side(line["player"]), _position(line["position_after"]))
        for line in lines
        if line["event"] == "play"
    ]


def _position(scene: dict[str, Any]) -> Position:
    """A position from the scene's signed counts by light's numbers, its bar and its trays."""
    points, bar, off = scene["points"], scene["bar"], scene["off"]
    light = [off["light"], *(max(0, count) for count in points), bar["light"]]
    dark = [off["dark"], *(max(0, -count) for count in reversed(points)), bar["dark"]]
    return Setup(light, dark).checked()


def _common(wanted: Sequence[object], said: Sequence[object]) -> int:
    """The length of the longest common subsequence."""
    best = [0] * (len(said) + 1)
    for one in wanted:
        above = 0
        for column, other in enumerate(said, start=1):
            above, best[column] = (
                best[column],
                above + 1 if one == other else max(best[column], best[column - 1]),
            )
    return best[-1]
