"""Plays as they stand in a cell of `.mat`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from engine.dice import ALL_ROLLS, Roll
from engine.formats.mat.snowie import snowie_text
from engine.formats.model.match_file import RollAction
from engine.formats.model.safe_text import safe_name
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import Replay
from engine.play import MAX_MOVES, Move
from engine.position import OFF, Course, Side
from engine.rules import Rules
from engine.rules.legal import is_legal, legal_plays

NOT_RECORDED = "????"


@dataclass(frozen=True, slots=True)
class Style:
    """Where the writers of `.mat` differ."""

    right: int
    """Column of the right cell, the first is 0."""
    name: int
    """Column of the right name."""
    has_chains: bool = False
    """`24/18/13` and `(2)`, where others write every hop."""
    passes: str = ""
    """Where nothing can be moved."""


@dataclass(frozen=True, slots=True)
class PlayTexts:
    """The plays of one game as cells, and the remarks that belong to them."""

    played: Replay
    game: ReplayedGame
    style: Style

    @property
    def _rules(self) -> Rules:
        return self.played.rules

    def cell(self, step: ReplayedAction) -> str:
        """`31: 8/5 6/5`, or Snowie's form of a play that is no moves."""
        action = _rolled(step)
        roll = action.roll or self._likely_roll(step, action)
        if action.board is not None and not is_plain(step, roll):
            return f"{roll}: {self._board(step, action)}"
        if step.moves is None:
            return f"{roll}: {NOT_RECORDED}"
        if not is_plain(step, roll):
            return f"{roll}: {self._board(step, action)}"
        return f"{roll}: {self._moves(hops(step, roll, self._rules))}"

    def remarks(self, step: ReplayedAction) -> Iterator[tuple[str, str]]:
        """Header names and texts: illegal plays, and dice that nobody read."""
        action = _rolled(step)
        if step.rule:
            fate = action.note or ("accepted" if self._went_on(step) else "undecided")
            yield "IllegalPlay", f": {action.roll} {step.play or 'set by hand'} {fate}"
        if action.roll is None:
            yield "RollNotSeen", ""
        if step.after != step.before and self._is_lost(step, action):
            yield "BoardAfter", f": {step.after}"

    def _is_lost(self, step: ReplayedAction, action: RollAction) -> bool:
        is_written = action.roll is not None and is_plain(step, action.roll)
        return not is_written and step.after.course is not Course.OPPOSED

    def _went_on(self, step: ReplayedAction) -> bool:
        return step is not self.game.steps[-1] or self.game.game.result is not None

    def _board(self, step: ReplayedAction, action: RollAction) -> str:
        """Narde has no Snowie form: its board stands in the head of the file."""
        if step.after.course is not Course.OPPOSED:
            return NOT_RECORDED
        match, game = self.played.match, self.game.game
        players = match.players
        text = snowie_text(
            step.after, action.side, length=match.length,
            names=(safe_name(players[0], Side.LIGHT), safe_name(players[1], Side.DARK)),
            score=game.score, is_crawford=game.number == match.crawford_game(),
            cube=step.cube, owner=step.owner,
        )  # fmt: skip
        return f"Illegal play ({text})"

    def _moves(self, moves: tuple[Move, ...]) -> str:
        if not moves:
            return self.style.passes
        return chains(moves) if self.style.has_chains else " ".join(str(move) for move in moves)

    def _likely_roll(self, step: ReplayedAction, action: RollAction) -> Roll:
        """A roll that the play fits: a reader skips a turn without dice."""
        likely = sorted(ALL_ROLLS, key=lambda roll: roll.is_double)
        known = [die for die in action.seen if die is not None]
        rolls = [roll for roll in likely if all(die in roll.pips for die in known)]
        fits = (
            roll
            for roll in rolls
            if is_legal(step.before, action.side, roll, step.after, self._rules)
        )
        return next(fits, rolls[0])


def _rolled(step: ReplayedAction) -> RollAction:
    assert isinstance(step.action, RollAction)  # noqa: S101
    return step.action


def is_plain(step: ReplayedAction, roll: Roll) -> bool:
    """Whether gnubg 1.07 makes just the moves of the play when it reads them.

    It takes any distance forward, but cuts up what is longer than the die of a double, forgets
    the moves after one of both dice together, and makes no more than four.
    """
    moves = step.moves
    if moves is None or (_rolled(step).board is not None and step.rule):
        return False
    if not step.rule:
        return True
    is_forward = all(move.source > move.target for move in moves)
    distances = [move.source - move.target for move in moves]
    whole = roll.high if roll.is_double else roll.high + roll.low - 1
    is_cut = (roll.is_double or len(moves) > 1) and max(distances, default=0) > whole
    return bool(moves) and is_forward and len(moves) <= MAX_MOVES and not is_cut


def hops(step: ReplayedAction, roll: Roll, rules: Rules) -> tuple[Move, ...]:
    """The moves of a play, each of one die; those of an illegal one as they were made."""
    moves = step.moves or ()
    if step.rule or all(_is_hop(move, roll) for move in moves):
        return moves
    legal = legal_plays(step.before, _rolled(step).side, roll, rules).find(step.after)
    return moves if legal is None else legal.play.moves


def _is_hop(move: Move, roll: Roll) -> bool:
    distance = move.source - move.target
    return distance in roll.pips or (move.target == OFF and distance < roll.high)


def chains(moves: tuple[Move, ...]) -> str:
    """`24/18/13*` and `8/5(2)`: one word for each checker, and one for those that go alike."""
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
    """The one with the hits first: only one of them can have hit."""
    return sorted(group, key=lambda word: -word.count("*"))


def _chain(moves: list[Move]) -> str:
    first, *rest = [str(move) for move in moves]
    return "/".join([first, *(text.split("/")[1] for text in rest)])
