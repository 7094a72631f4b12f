"""Rows of a score sheet: light's cell, then dark's."""

from __future__ import annotations

from collections.abc import Iterator

from engine.formats.model.match_file import BoardSet, CubeAction, CubeMove
from engine.formats.validate.game_replay import ReplayedAction
from engine.position import Side


def numbered_rows(steps: tuple[ReplayedAction, ...]) -> Iterator[tuple[int, ReplayedAction]]:
    """Each step with its row: a new row begins with light, or if dark acts twice."""
    number, last = 0, Side.DARK
    before: ReplayedAction | None = None
    for step in steps:
        action = step.action
        if isinstance(action, BoardSet):
            last = Side.DARK
        elif not is_implied_take(before, step):
            if action.side is Side.LIGHT or last is Side.DARK:
                number += 1
            last = action.side
        before = step
        yield number, step


def is_implied_take(before: ReplayedAction | None, step: ReplayedAction) -> bool:
    """Whether `step` is a take without a cell: in gnubg, rolling takes a beaver."""
    action, last = step.action, before.action if before else None
    is_take = isinstance(action, CubeMove) and action.cube_action is CubeAction.TAKE
    return is_take and isinstance(last, CubeMove) and last.cube_action is CubeAction.BEAVER
