"""Rows of a score sheet: light's cell, then dark's."""

from __future__ import annotations

from collections.abc import Iterator

from engine.formats.model.match_file import BoardSet, CubeDeed, Deed
from engine.formats.validate.walk import Step
from engine.position import Side


def numbered(steps: tuple[Step, ...]) -> Iterator[tuple[int, Step]]:
    """Each step with its row: a new one begins with light, or when dark acts twice."""
    number, last = 0, Side.DARK
    before: Step | None = None
    for step in steps:
        action = step.action
        if isinstance(action, BoardSet):
            last = Side.DARK
        elif not is_understood(before, step):
            if action.side is Side.LIGHT or last is Side.DARK:
                number += 1
            last = action.side
        before = step
        yield number, step


def is_understood(before: Step | None, step: Step) -> bool:
    """Whether `step` is a take that has no cell: gnubg takes a beaver when the doubler rolls."""
    action, last = step.action, before.action if before else None
    is_take = isinstance(action, CubeDeed) and action.deed is Deed.TAKE
    return is_take and isinstance(last, CubeDeed) and last.deed is Deed.BEAVER
