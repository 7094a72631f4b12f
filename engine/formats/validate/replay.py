"""Replays a match file and checks every play against the rules.

Many plays are searched at a time: searching one board costs as much as searching twenty. Doubles
that rise have too many results to list, and are judged one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress, islice, pairwise
from typing import Final

import numpy as np

from engine.dice import Roll
from engine.errors import TooManyPlays
from engine.formats.model.match_file import Fault, FaultList, MatchFile, RollAction
from engine.formats.model.options import rules_of
from engine.formats.validate.game_replay import GameReplay, ReplayedAction, ReplayedGame
from engine.position import CHECKERS, PLACES, Position, Side
from engine.rules import Rules
from engine.rules.first_roll import depends_on_first_roll, knowing_first_roll
from engine.rules.house import HEAD
from engine.rules.illegality import why_illegal
from engine.rules.legal import is_legal
from engine.ruleset import GameOptions

_BOARDS_PER_SEARCH: Final = 2048
"""Boards searched together: a megabyte or two of results."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A replayed match."""

    match: MatchFile
    rules: Rules
    options: GameOptions
    """The options of the game that the file names."""
    games: tuple[ReplayedGame, ...]
    faults: tuple[Fault, ...]
    """The reader's errors, and those that only the game shows, in line order."""

    @property
    def plays(self) -> int:
        """Every roll, forced passes included."""
        steps = (step for game in self.games for step in game.steps)
        return sum(isinstance(step.action, RollAction) for step in steps)


def replay(match: MatchFile) -> Replay:
    """Replay the match with the rules of its variant."""
    faults = FaultList(list(match.faults))
    rules, options = rules_of(match, faults)
    games = [GameReplay(match, game, rules, faults).run() for game in match.games]
    _check_scores(match, faults)
    steps = iter(_with_rules([step for game in games for step in game.steps], rules, faults))
    checked = (replace(game, steps=tuple(islice(steps, len(game.steps)))) for game in games)
    in_order = tuple(sorted(faults.faults, key=lambda fault: fault.line))
    return Replay(match, rules, options, tuple(checked), in_order)


def _check_scores(match: MatchFile, faults: FaultList) -> None:
    """Add an error if a game does not begin with the score after the previous one."""
    for game, after in pairwise(match.games):
        due = after.score if game.result is None else game.result.score_after(game.score)
        if after.score != due:
            begun, reached = _colon(after.score), _colon(due)
            fault = f"game {after.number} begins at {begun}, but {reached} was reached"
            faults.add(after.line, fault)


def _colon(score: tuple[int, int]) -> str:
    return f"{score[0]}:{score[1]}"


@dataclass(frozen=True, slots=True)
class _Play:
    """A play that can be checked, and its index among all steps."""

    index: int
    step: ReplayedAction
    side: Side
    roll: Roll
    rules: Rules
    """Those of its turn."""


def _with_rules(
    steps: list[ReplayedAction], rules: Rules, faults: FaultList
) -> list[ReplayedAction]:
    """The steps, with the broken rule for every play that breaks one."""
    plays = [play for index in range(len(steps)) if (play := _play_of(steps, index, rules))]
    checked = list(steps)
    for first in range(0, len(plays), _BOARDS_PER_SEARCH):
        for play in _illegal_of(plays[first : first + _BOARDS_PER_SEARCH], rules, faults):
            checked[play.index] = replace(play.step, rule=_reason(play))
    return checked


def _play_of(steps: list[ReplayedAction], index: int, rules: Rules) -> _Play | None:
    step = steps[index]
    action = step.action
    if not isinstance(action, RollAction) or action.roll is None or not step.is_known or step.rule:
        return None
    if step.moves is None and action.board is None:
        return None
    if depends_on_first_roll(rules) and step.before.of(action.side)[HEAD] == CHECKERS:
        first = _first_roll_before(steps[:index], action.side.other)
        rules = rules if first is None else knowing_first_roll(rules, first)
    return _Play(index, step, action.side, action.roll, rules)


def _first_roll_before(steps: list[ReplayedAction], side: Side) -> Roll | None:
    """What `side` rolled in the turn before, if that was its first; None if it is not known."""
    last = steps[-1] if steps else None
    if last is None or not isinstance(last.action, RollAction) or last.action.side is not side:
        return None
    return last.action.roll if last.before.of(side)[HEAD] == CHECKERS else None


def _illegal_of(plays: list[_Play], rules: Rules, faults: FaultList) -> list[_Play]:
    """The illegal plays among these; adds an error for one that cannot be judged."""
    alone = [
        play.rules is not rules or (rules.doubles.rising and play.roll.is_double) for play in plays
    ]
    others = [play for play, is_alone in zip(plays, alone, strict=True) if not is_alone]
    illegal = _search(others, rules) if others else []
    for play in compress(plays, alone):
        try:
            if not is_legal(play.step.before, play.side, play.roll, play.step.after, play.rules):
                illegal.append(play)
        except TooManyPlays as error:
            faults.add(play.step.action.line, f"this play was not checked: {error}")
    return illegal


def _search(plays: list[_Play], rules: Rules) -> list[_Play]:
    """The plays that do not match any legal play of their roll; one search for all."""
    boards = np.array([_flat(play.step.before, play.side) for play in plays], np.int8)
    results = np.array([_flat(play.step.after, play.side) for play in plays], np.int8)
    dice = np.array([(play.roll.high, play.roll.low) for play in plays], np.int8)
    found = rules.search(boards.reshape(-1, 2, PLACES), dice)
    sizes = np.diff(found.offsets)
    rows = found.results.reshape(-1, 2 * PLACES)
    agrees = (rows == np.repeat(results, sizes, axis=0)).all(axis=1)
    legal = np.logical_or.reduceat(agrees, found.offsets[:-1])
    return [play for play, is_legal in zip(plays, legal.tolist(), strict=True) if not is_legal]


def _flat(position: Position, side: Side) -> tuple[int, ...]:
    return position.of(side) + position.of(side.other)


def _reason(play: _Play) -> str:
    step = play.step
    try:
        return str(why_illegal(step.before, play.side, play.roll, step.after, play.rules))
    except TooManyPlays:
        return "it is not a legal play; there are too many legal plays to tell which rule it breaks"
