"""A match file played through, and every play checked against the rules.

The plays are searched many at a time: a search of one board costs as much as one of twenty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.errors import TooManyPlays
from engine.formats.model.match_file import Fault, FaultList, MatchFile, RollAction
from engine.formats.validate.game_replay import GameReplay, ReplayedAction, ReplayedGame
from engine.position import PLACES, Position, Side
from engine.rules import Rules, find_rules
from engine.rules.illegality import why_illegal

_BOARDS_PER_SEARCH: Final = 2048
"""Boards searched at once: a megabyte or two of results."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A match played through."""

    match: MatchFile
    rules: Rules
    games: tuple[ReplayedGame, ...]
    faults: tuple[Fault, ...]
    """The reader's, and those that only the game shows; in the order of their lines."""

    @property
    def plays(self) -> int:
        """Every roll, forced passes included."""
        steps = (step for game in self.games for step in game.steps)
        return sum(isinstance(step.action, RollAction) for step in steps)


def replay(match: MatchFile) -> Replay:
    """The match played through with the rules of its variant."""
    rules = find_rules(match.variant)
    faults = FaultList(list(match.faults))
    games = [GameReplay(match, game, rules, faults).run() for game in match.games]
    _check_scores(match, faults)
    steps = _with_rules([step for game in games for step in game.steps], rules, faults)
    in_order = tuple(sorted(faults.faults, key=lambda fault: fault.line))
    return Replay(match, rules, tuple(_with_steps(games, steps)), in_order)


def _with_steps(games: list[ReplayedGame], steps: list[ReplayedAction]) -> Iterator[ReplayedGame]:
    """The games, each with its share of `steps`."""
    first = 0
    for game in games:
        last = first + len(game.steps)
        yield replace(game, steps=tuple(steps[first:last]))
        first = last


def _check_scores(match: MatchFile, faults: FaultList) -> None:
    """A fault where a game does not begin with the points that the one before left."""
    for game, after in zip(match.games, match.games[1:], strict=False):
        if game.result is None:
            continue
        light, dark = game.score
        points = game.result.points
        won = (light + points, dark) if game.result.winner is Side.LIGHT else (light, dark + points)
        if after.score != won:
            begun, due = _colon(after.score), _colon(won)
            faults.add(after.line, f"game {after.number} begins at {begun}, but {due} was reached")


def _colon(score: tuple[int, int]) -> str:
    return f"{score[0]}:{score[1]}"


def _with_rules(
    steps: list[ReplayedAction], rules: Rules, faults: FaultList
) -> list[ReplayedAction]:
    """The steps, with the broken rule of every play that breaks one."""
    to_check = [index for index, step in enumerate(steps) if _is_checkable(step)]
    checked = list(steps)
    for first in range(0, len(to_check), _BOARDS_PER_SEARCH):
        part = to_check[first : first + _BOARDS_PER_SEARCH]
        for index in _illegal_of(steps, part, rules, faults):
            checked[index] = replace(steps[index], rule=_reason(steps[index], rules))
    return checked


def _is_checkable(step: ReplayedAction) -> bool:
    action = step.action
    if not isinstance(action, RollAction) or action.roll is None or not step.is_known or step.rule:
        return False
    return step.moves is not None or action.board is not None


def _illegal_of(
    steps: list[ReplayedAction], indices: list[int], rules: Rules, faults: FaultList
) -> list[int]:
    """Those of `indices` whose play is illegal; a fault for one that has too many to list."""
    try:
        return _searched(steps, indices, rules)
    except TooManyPlays as error:
        if len(indices) == 1:
            faults.add(steps[indices[0]].action.line, f"this play is not checked: {error}")
            return []
    half = len(indices) // 2
    parts = indices[:half], indices[half:]
    return [index for part in parts for index in _illegal_of(steps, part, rules, faults)]


def _searched(steps: list[ReplayedAction], indices: list[int], rules: Rules) -> list[int]:
    """Those of `indices` whose play no legal play of the roll leads to; one search for all."""
    checked = [steps[index] for index in indices]
    boards = np.array([_flat(step.before, _mover(step)) for step in checked], np.int8)
    results = np.array([_flat(step.after, _mover(step)) for step in checked], np.int8)
    dice = np.array([_dice(step) for step in checked], np.int8)
    found = rules.search(boards.reshape(-1, 2, PLACES), dice)
    sizes = np.diff(found.offsets)
    rows = found.results.reshape(-1, 2 * PLACES)
    agrees = (rows == np.repeat(results, sizes, axis=0)).all(axis=1)
    legal = np.logical_or.reduceat(agrees, found.offsets[:-1])
    return [index for index, is_legal in zip(indices, legal.tolist(), strict=True) if not is_legal]


def _mover(step: ReplayedAction) -> Side:
    assert isinstance(step.action, RollAction)  # noqa: S101
    return step.action.side


def _dice(step: ReplayedAction) -> tuple[int, int]:
    assert isinstance(step.action, RollAction) and step.action.roll  # noqa: S101, PT018
    return step.action.roll.high, step.action.roll.low


def _flat(position: Position, side: Side) -> tuple[int, ...]:
    return position.of(side) + position.of(side.other)


def _reason(step: ReplayedAction, rules: Rules) -> str:
    action = step.action
    assert isinstance(action, RollAction) and action.roll  # noqa: S101, PT018
    try:
        return str(why_illegal(step.before, action.side, action.roll, step.after, rules))
    except TooManyPlays:
        return "it is none of the legal plays, which are too many to tell the rule"
