"""Plays as `.mat` and SGF write them: one move per die, or chains."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from engine.dice import Roll
from engine.formats.validate.game_replay import ReplayedAction
from engine.play import MAX_MOVES, Move
from engine.position import OFF
from engine.rules import Rules
from engine.rules.legal import find_play

LONGEST_HOP: Final = 6
"""The longest distance of one die."""


def is_plain(step: ReplayedAction, roll: Roll) -> bool:
    """Whether gnubg 1.07 makes exactly the moves of the play when it reads them.

    It accepts any distance forward up to six, but refuses a longer one and loses the rest of the
    game; it splits moves longer than the die of a double, drops the moves after one with both
    dice, which it also sees where a checker is borne off from beyond both, and makes no more than
    four.
    """
    moves = step.moves
    if moves is None or (step.roll_action.board is not None and step.rule):
        return False
    if not step.rule:
        return True
    is_forward = all(move.source > move.target for move in moves)
    distances = [move.source - move.target for move in moves]
    whole = roll.high if roll.is_double else roll.high + roll.low - 1
    is_beyond = any(move.target == OFF and move.source > roll.high for move in moves)
    is_both = is_beyond or max(distances, default=0) > whole
    is_cut = (roll.is_double or len(moves) > 1) and is_both
    is_known = max(distances, default=0) <= LONGEST_HOP and not is_cut
    return bool(moves) and is_forward and len(moves) <= MAX_MOVES and is_known


def hops(step: ReplayedAction, roll: Roll, rules: Rules) -> tuple[Move, ...]:
    """The moves of a play, one die each; those of an illegal play as they were made."""
    moves = step.moves or ()
    if step.rule or all(_is_hop(move, roll) for move in moves):
        return moves
    legal = find_play(step.before, step.roll_action.side, roll, step.after, rules)
    return moves if legal is None else legal.play.moves


def _is_hop(move: Move, roll: Roll) -> bool:
    distance = move.source - move.target
    return distance in roll.pips or (move.target == OFF and distance < roll.high)


def chains(moves: tuple[Move, ...]) -> str:
    """`24/18/13*` and `8/5(2)`: one word per checker, or one for checkers that move alike."""
    stops: list[list[Move]] = []
    for move in moves:
        chain = next((c for c in stops if c[-1].target == move.source), None)
        if chain is None:
            stops.append([move])
        else:
            chain.append(move)
    words = [_chain(chain) for chain in stops]
    grouped = [list(group) for _, group in groupby(words, key=lambda word: word.replace("*", ""))]
    return " ".join(
        group[0] + (f"({len(group)})" if len(group) > 1 else "") for group in map(_starred, grouped)
    )


def _starred(group: list[str]) -> list[str]:
    """The group, hits first: only one of them can have hit."""
    return sorted(group, key=lambda word: -word.count("*"))


def _chain(moves: list[Move]) -> str:
    first, *rest = [str(move) for move in moves]
    return "/".join([first, *(text.split("/")[1] for text in rest)])
