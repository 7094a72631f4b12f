"""One game of a match file, action by action, with the board and the cube around each.

The moves of a play are made from the back of the board forward, in whatever order they are written,
so that hops, chains and `(2)` agree; landing on a blot hits it, with or without a star (Galaxy
writes no stars).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from engine.errors import IllegalPlay
from engine.formats.model.match_file import (
    Action,
    BoardSet,
    CubeMove,
    FaultList,
    GameFile,
    GameResult,
    MatchFile,
    RollAction,
)
from engine.formats.validate.cube import CubeCheck
from engine.match.leftover import outcome_of_play
from engine.message import Sentence, join, message_of, msg, ngettext
from engine.play import Move, Play
from engine.position import BAR, CHECKERS, OFF, SIDE_NAMES, Course, Position, Side, place_name
from engine.rules import Rules
from engine.rules.illegality import is_unfinished
from engine.rules.legal import can_move

_MOST_RESIGNED: Final = 3
"""A backgammon, times the cube."""


@dataclass(frozen=True, slots=True)
class ReplayedAction:
    """One action and the table around it."""

    action: Action
    before: Position
    after: Position
    cube: int = 1
    """The cube's value before the action."""
    owner: Side | None = None
    is_known: bool = True
    """Whether the board is certain; after a play that cannot be followed, it is not."""
    rule: str = ""
    """The rule that an illegal play breaks."""
    moves: tuple[Move, ...] | None = None
    """The moves as they were made, with hits marked; None if there was no play."""
    passed_on: tuple[int, ...] = ()
    """The numbers that the opponent left over, if these are what is played instead of a roll."""

    @property
    def roll_action(self) -> RollAction:
        """The action of a step that is a roll."""
        assert isinstance(self.action, RollAction)  # noqa: S101
        return self.action

    @property
    def play(self) -> str:
        """The play in notation; as written if it could not be followed."""
        if self.moves is not None:
            return str(Play(self.moves))
        action = self.action
        return action.play if isinstance(action, RollAction) and action.moves != () else ""


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game with its steps, and how it ended."""

    game: GameFile
    steps: tuple[ReplayedAction, ...]
    how: str = ""
    """`single`, `gammon`, `drop`, `resign` ...; empty if it is unfinished."""
    start: Position | None = None

    @property
    def illegal(self) -> tuple[ReplayedAction, ...]:
        """The steps that break a rule."""
        return tuple(step for step in self.steps if step.rule)


@dataclass(slots=True)
class GameReplay:
    """Replays one game."""

    match: MatchFile
    game: GameFile
    rules: Rules
    faults: FaultList
    cube: CubeCheck = field(default_factory=CubeCheck)
    steps: list[ReplayedAction] = field(default_factory=list)
    is_known: bool = True
    last: Side | None = None
    """Who rolled last; None if that player rolls again."""
    leftover: tuple[int, ...] = ()
    """The numbers of the last double that the opponent plays before rolling."""

    def run(self) -> ReplayedGame:
        """The game with all its steps; inconsistencies are added to `faults`."""
        start = position = self.game.start or self.rules.opening()
        self.cube = CubeCheck(self.game.cube)
        for action in self.game.actions:
            step = self._step(action, position)
            self.steps.append(step)
            position = step.after
        self._check_last_roll()
        return ReplayedGame(self.game, tuple(self.steps), self._ending(position), start)

    def _step(self, action: Action, before: Position) -> ReplayedAction:
        left: tuple[int, ...] = ()
        if isinstance(action, RollAction):
            left, self.leftover = self._passed_on(action), ()
            if not left:
                self._check_turn(action, before)
        cube = self.cube
        step = ReplayedAction(
            action, before, before, cube.value, cube.owner, self.is_known, passed_on=left
        )
        match action:
            case CubeMove():
                is_crawford = self.game.number == self.match.crawford_game()
                for fault in cube.faults(action, is_crawford):
                    self.faults.add(action.line, fault)
                self.cube = cube.after(action)
                return step
            case BoardSet(position=position):
                self.is_known, self.last, self.leftover = True, None, ()
                return replace(step, after=position, is_known=True)
            case RollAction():
                rolled = self._roll(action, step)
                if left and is_over(rolled.after):
                    self.last = None  # the last throw is the same player's
                return rolled

    def _passed_on(self, action: RollAction) -> tuple[int, ...]:
        """The numbers left over, if `action` plays them; the player's own roll follows it."""
        is_own_roll = action.roll is not None or action.side is self.last
        return () if is_own_roll else self.leftover

    def _check_turn(self, action: RollAction, before: Position) -> None:
        if fault := self.cube.fault_of_roll(action.side):
            self.faults.add(action.line, fault)
        if self.last is action.side:
            side = SIDE_NAMES[action.side]
            self.faults.add(action.line, msg("{side} rolls twice in a row", side=side))
        has_last = self.rules.owes_last_throw(before, action.side.other)
        if self.is_known and is_over(before) and not has_last:
            self.faults.add(action.line, msg("a roll after the last checker was borne off"))
        self.cube = self.cube.rolled()
        self.last = action.side

    def _roll(self, action: RollAction, step: ReplayedAction) -> ReplayedAction:
        if action.board is not None:
            self.is_known = True
            self._finish_turn(action, step.before, action.board)
            return replace(step, after=action.board, moves=action.moves)
        if action.moves is None:
            return step
        try:
            after, moves = apply_moves(step.before, action.side, action.moves, self.rules)
        except IllegalPlay as error:
            return self._cannot_follow(action, step, message_of(error))
        self._finish_turn(action, step.before, after)
        return replace(step, after=after, moves=moves)

    def _finish_turn(self, action: RollAction, before: Position, after: Position) -> None:
        """Note who rolls next, and what passes to the opponent."""
        roll = action.roll
        dice = None if roll is None else (roll.high, roll.low)
        outcome = outcome_of_play(before, action.side, dice, after, self.rules)
        self.last = None if outcome.rolls_again else self.last
        self.leftover = outcome.leftover

    def _cannot_follow(
        self, action: RollAction, step: ReplayedAction, why: Sentence
    ) -> ReplayedAction:
        if not self.is_known:
            return step
        fault = msg(
            "{roll}: cannot follow {play} on the board: {why}",
            roll=str(action.roll),
            play=action.play,
            why=why,
        )
        self.faults.add(action.line, join((fault, msg("the rest of the game was not checked"))))
        self.is_known = False
        return replace(step, rule=str(why))

    def _check_last_roll(self) -> None:
        """Treat a last roll with nothing after it, in a resigned game, as having no play.

        gnubg and Galaxy leave its cell empty, as they do if no move is possible; so does an
        unfinished game whose last roll has not been played yet. Others write the moves that its
        player made before resigning; if the opponent doubled after them, they were a turn.
        """
        rolls = [i for i, step in enumerate(self.steps) if isinstance(step.action, RollAction)]
        if not rolls:
            return
        step = self.steps[rolls[-1]]
        action = step.roll_action
        roll, result = action.roll, self.game.result
        if action.moves is None or roll is None or action.board is not None or action.note:
            return
        turn = step.before, action.side, roll
        if action.moves == ():
            is_cut = can_move(*turn, self.rules)
        else:
            is_last = step is self.steps[-1] and step.is_known
            is_lost = is_last and result is not None and result.winner is action.side.other
            is_cut = is_lost and is_unfinished(*turn, step.after, self.rules)
        if is_cut:
            self.steps[rolls[-1]] = replace(step, moves=None)

    def _ending(self, position: Position) -> str:
        result = self.game.result
        if result is None:
            return ""
        is_drawn = self.is_known and self.rules.is_drawn(position)
        if result.winner is None or is_drawn:
            self._check_drawn(result, is_drawn=is_drawn)
            return "draw"
        if self.cube.dropped_by is not None:
            self._check_result(result, self.cube.dropped_by.other, {self.cube.value})
            return "drop"
        outcome = self.rules.outcome(position) if self.is_known else None
        if outcome is None:
            self._check_resigned(result)
            return "resign"
        # A gammon may count as a single game: the Jacoby rule is not always recorded.
        points = {outcome.points * self.cube.value, self.cube.value}
        self._check_result(result, outcome.winner, points)
        return outcome.result

    def _check_drawn(self, result: GameResult, *, is_drawn: bool) -> None:
        """Add an error if the game is recorded as drawn and was not, or the other way around."""
        if is_drawn and result.winner is not None:
            side = SIDE_NAMES[result.winner]
            fault = msg("{winner} is recorded as the winner, but the game was drawn", winner=side)
            self.faults.add(result.line, fault)
        elif self.is_known and not is_drawn:
            fault = msg("the game is recorded as drawn, but not both sides have borne off")
            self.faults.add(result.line, fault)

    def _check_resigned(self, recorded: GameResult) -> None:
        """Add an error if nobody can have resigned so much; Studio records 2008 points.

        Who resigns the match gives what the winner lacks; some programs write its whole length.
        """
        most = _MOST_RESIGNED * self.cube.value
        if self.match.is_won_by(self.game):
            most = max(most, self.match.length)
        if self.rules.course is Course.OPPOSED and recorded.points > most:
            fault = ngettext(
                "{number} point is recorded, but {most} can be resigned at most",
                "{number} points are recorded, but {most} can be resigned at most",
                recorded.points,
                most=most,
            )
            self.faults.add(recorded.line, fault)

    def _check_result(self, recorded: GameResult, winner: Side, points: set[int]) -> None:
        """Add an error if the file has another winner or other points than the board.

        For points that win the match, some programs count no more than are needed.
        """
        if recorded.winner is None:
            return
        if recorded.winner is not winner:
            fault = msg(
                "{winner} is recorded as the winner, but {winner_} has won",
                winner=SIDE_NAMES[recorded.winner],
                winner_=SIDE_NAMES[winner],
            )
            self.faults.add(recorded.line, fault)
        elif recorded.points not in points and not self.match.is_won_by(self.game):
            fault = ngettext(
                "{number} point is recorded, but the game was worth {points}",
                "{number} points are recorded, but the game was worth {points}",
                recorded.points,
                points=max(points),
            )
            self.faults.add(recorded.line, fault)


def apply_moves(
    position: Position, side: Side, moves: tuple[Move, ...], rules: Rules
) -> tuple[Position, tuple[Move, ...]]:
    """The position after the moves, and the moves with their hits marked.

    Raises `IllegalPlay` if a place has no checker left to move or a point is closed. Dice and
    obligations are not checked, and even a backward move is made.
    """
    own, other = list(position.of(side)), list(position.of(side.other))
    course, holds = position.course, rules.holds
    hits: dict[int, bool] = {}
    for index in _order(moves):
        move = moves[index]
        if own[move.source] == 0:
            source = place_name(move.source)
            raise IllegalPlay(msg("there is no checker on {source}", source=source))
        own[move.source] -= 1
        own[move.target] += 1
        if OFF < move.target < BAR:
            across = course.across(move.target)
            if other[across] >= holds:
                target = place_name(move.target)
                raise IllegalPlay(msg("the opponent holds {target}", target=target))
            if other[across]:
                other[across] -= 1
                other[BAR] += 1
                hits[index] = True
    starred = tuple(
        move if move.hit == (i in hits) else Move(move.source, move.target, i in hits)
        for i, move in enumerate(moves)
    )
    return position.with_sides(side, tuple(own), tuple(other)), starred


def _order(moves: tuple[Move, ...]) -> list[int]:
    """From the back forward; as written if a move goes backward."""
    indices = list(range(len(moves)))
    if all(move.source > move.target for move in moves):
        indices.sort(key=lambda index: -moves[index].source)
    return indices


def is_over(position: Position) -> bool:
    """Whether a side has borne off its last checker."""
    return CHECKERS in {position.light[OFF], position.dark[OFF]}
