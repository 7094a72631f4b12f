"""Whether a result is legal, and if not, which rule it breaks: a named reason and a sentence.

An unchecked set-up is judged as well, by every error that keeps it from being a position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import Final

import numpy as np

from engine.dice import Roll
from engine.errors import TooManyPlays
from engine.message import Message, Sentence, join, msg, ngettext
from engine.play import Play
from engine.position import (
    BAR,
    CHECKERS,
    HOME_POINTS,
    OFF,
    PLACES,
    Course,
    Position,
    Setup,
    Side,
    SideVector,
    place_name,
    wrong_number,
)
from engine.rules.base import Rules
from engine.rules.house import UNKNOWN, TurnContext
from engine.rules.legal import is_legal, legal_plays
from engine.rules.reasons import Reason
from engine.rules.search import PlaySearch
from engine.rules.unrolled import unrolled_moves

Board = tuple[SideVector, SideVector]
"""The mover's side vector and the opponent's."""
BrokenRule = tuple[Reason, Sentence]
NO_MOVES: Final = Play()
_LEGAL = Reason(0)
_MOST_COMPARED = 500
"""Results of a rising double without one of its rules that are compared with what was played."""
_SENTENCES = {
    Reason.HEAD_RULE: msg("more checkers were taken from the head than the turn allows"),
    Reason.ONE_RUNNER: msg(
        "a second checker left the head before the first had passed the opponent's"
    ),
    Reason.BLOCK_RULE: msg("a six-point prime was built where the rules do not allow it"),
    Reason.BEAR_OFF_NOT_EXACT: msg(
        "a checker was borne off with a die that does not match its point"
    ),
    Reason.MOVED_IN_HOME: msg("a checker was moved inside home, where only bearing off is allowed"),
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The rules that a result breaks, by name and in a sentence; none if it is legal."""

    reason: Reason = _LEGAL
    """Empty for a legal result; for a position, the rule that a player would name first; for an
    unchecked set-up, every error."""
    sentence: Sentence = ""

    @property
    def is_legal(self) -> bool:
        """Whether no rule is broken."""
        return self.reason == _LEGAL


def judge_result(
    position: Position,
    side: Side,
    roll: Roll,
    result: Position | Setup,
    rules: Rules,
    context: TurnContext = UNKNOWN,
    told: Play = NO_MOVES,
) -> Judgement:
    """Whether `side` may leave `result` after `roll`, and if not, the rule that it breaks.

    told: the moves as they are recorded, if known; the sentence names moves among them.
    """
    if isinstance(result, Setup):
        faults = tuple(_set_up_faults(position, side, result))
        if faults:
            reason = reduce(or_, (one for one, _ in faults))
            return Judgement(reason, join(sentence for _, sentence in faults))
        result = result.checked()
    if is_legal(position, side, roll, result, rules, context):
        return Judgement()
    turn = _Turn(position, side, roll, result, rules, context, told)
    return Judgement(*next(turn.broken()))


def why_illegal(
    position: Position,
    side: Side,
    roll: Roll,
    result: Position,
    rules: Rules,
    told: Play = NO_MOVES,
) -> Sentence:
    """The rule that `side` broke by leaving `result`; empty if the play is legal.

    told: see `judge_result`.
    """
    return judge_result(position, side, roll, result, rules, told=told).sentence


def is_unfinished(
    position: Position, side: Side, roll: Roll, result: Position, rules: Rules
) -> bool:
    """Whether `result` breaks no rule except that more of the roll must be played."""
    turn = _Turn(position, side, roll, result, rules, UNKNOWN)
    return any(reason is Reason.DIE_NOT_USED for reason, _ in turn.dice_unused())


@dataclass(frozen=True, slots=True)
class _Turn:
    """An illegal turn."""

    position: Position
    side: Side
    roll: Roll
    result: Position
    rules: Rules
    context: TurnContext
    told: Play = NO_MOVES

    @property
    def before(self) -> Board:
        return self.position.of(self.side), self.position.of(self.side.other)

    @property
    def after(self) -> Board:
        return self.result.of(self.side), self.result.of(self.side.other)

    @property
    def _rises(self) -> bool:
        return len(self.rules.pips_to_play(self.roll)) > len(self.roll.pips)

    def broken(self) -> Iterator[BrokenRule]:
        """The broken rules, starting with the one a player would name first; never empty."""
        yield from _visible_faults(self.before, self.after, self.roll, self.position.course)
        if self._rises:
            # Without another rule, such a chain is unfinished as well.
            yield from self._chain_stopped_early()
        yield from self._legal_but_for_one_rule()
        yield from self._legal_on_an_empty_board()
        yield from self.dice_unused()
        yield Reason.WRONG_DISTANCE, self._wrong_moves() or self._wrong_distance()

    def _wrong_moves(self) -> Sentence:
        pips = self.rules.pips_to_play(self.roll)
        own, new = self.before[0], self.after[0]
        return unrolled_moves(own, new, pips, _dice(self.roll), self.told.moves)

    def _wrong_distance(self) -> Message:
        pips = self.position.pips(self.side) - self.result.pips(self.side)
        return msg(
            "the checkers moved {pips} pips in a way that {roll} does not allow",
            pips=pips,
            roll=_dice(self.roll),
        )

    def _legal_but_for_one_rule(self) -> Iterator[BrokenRule]:
        for reason, search in self.rules.search.relaxed():
            if self._is_found(search, self.before[1]):
                yield reason, _SENTENCES[reason]

    def _legal_on_an_empty_board(self) -> Iterator[BrokenRule]:
        nobody = (CHECKERS, *[0] * (PLACES - 1))
        if self._is_found(self.rules.search, nobody):
            sentence = msg("a checker touched down on a point held by the opponent")
            yield Reason.BLOCKED_POINT, sentence

    def _is_found(self, search: PlaySearch, other: SideVector) -> bool:
        """Whether the search against `other` finds what the mover did."""
        own, new = self.before[0], self.after[0]
        try:
            bounded = search.toward(new).at_most(_MOST_COMPARED)
            results = bounded.of_one(own, other, self.roll, self.context)[0]
        except TooManyPlays:
            # A later reason is named instead; the last one always holds.
            return False
        return bool((results[:, 0] == np.array(new, np.int8)).all(axis=1).any())

    def dice_unused(self) -> Iterator[BrokenRule]:
        """The obligation to play as many dice as possible, and the larger if only one."""
        if self._rises:
            yield from self._chain_stopped_early()
            return
        legal = legal_plays(self.position, self.side, self.roll, self.rules, self.context)
        duty, high, low = len(legal[0].play.moves), self.roll.high, self.roll.low
        if self.roll.is_double:
            for played in range(1, duty):
                if self._is_reached((high,) * played):
                    sentence = msg(
                        "the {high} was played {played} of {duty} possible times",
                        high=high,
                        played=played,
                        duty=duty,
                    )
                    yield Reason.DIE_NOT_USED, sentence
            return
        for die, unplayed in ((high, low), (low, high)):
            if not self._is_reached((die,)):
                continue
            if duty == 1:
                sentence = msg(
                    "only one die can be played, and it must be the larger one, the {unplayed}",
                    unplayed=unplayed,
                )
                yield Reason.LARGER_DIE, sentence
            else:
                sentence = msg("only the {die} was played, but both dice can be", die=die)
                yield Reason.DIE_NOT_USED, sentence

    def _chain_stopped_early(self) -> Iterator[BrokenRule]:
        numbers = self.rules.pips_to_play(self.roll)
        # Checkers are borne off with the die of their point: the pips tell what was played.
        pips = self.position.pips(self.side) - self.result.pips(self.side)
        sums = list(accumulate(numbers))
        played = sums.index(pips) + 1 if pips in sums[:-1] else 0
        if played and self._is_reached(numbers[:played]):
            sentence = ngettext(
                "only {number} move of this double was played, but more can be",
                "only {number} moves of this double were played, but more can be",
                played,
            )
            yield Reason.DIE_NOT_USED, sentence

    def _is_reached(self, dice: tuple[int, ...]) -> bool:
        if self.position.pips(self.side) - self.result.pips(self.side) > sum(dice):
            return False
        board = np.array(self.before, np.int8)
        wanted = np.array(self.after, np.int8).tobytes()
        return wanted in self.rules.search.toward(self.after[0]).exactly(board, dice)


def _visible_faults(
    before: Board, after: Board, roll: Roll, course: Course
) -> Iterator[BrokenRule]:
    """The rules that are broken whatever the dice allow."""
    own, new = before[0], after[0]
    if _others_were_moved(before, after, course):
        yield Reason.OPPONENT_MOVED, msg("a checker of the opponent was moved without being hit")
    if own == new:
        sentence = msg("no checker was moved, but {roll} can be played", roll=_dice(roll))
        yield Reason.NOT_MOVED, sentence
    if _moved_backwards(own, new):
        yield Reason.MOVED_BACKWARDS, msg("a checker was moved backwards")
    if new[BAR] and any(new[point] < own[point] for point in range(1, BAR)):
        sentence = msg("a checker was moved while another still had to enter from the bar")
        yield Reason.BAR_NOT_ENTERED, sentence
    if new[OFF] > own[OFF] and any(new[HOME_POINTS + 1 :]):
        sentence = msg("a checker was borne off before all the others were home")
        yield Reason.BEAR_OFF_TOO_EARLY, sentence


def _others_were_moved(before: Board, after: Board, course: Course) -> bool:
    """Whether the opponent's checkers changed other than by blots sent to the bar."""
    other, left = before[1], after[1]
    if course is Course.CIRCLING:
        return other != left
    sent = [point for point in range(1, BAR) if left[point] != other[point]]
    hits_only = all(other[point] == 1 and left[point] == 0 for point in sent)
    reached = all(_came_from_behind(before[0], after[0], course.across(point)) for point in sent)
    return not (hits_only and reached) or left[BAR] - other[BAR] != len(sent)


def _came_from_behind(own: SideVector, new: SideVector, point: int) -> bool:
    return sum(own[point + 1 :]) > sum(new[point + 1 :])


def _moved_backwards(own: SideVector, new: SideVector) -> bool:
    """Whether some place has more checkers on it and behind it than before."""
    return any(sum(new[place:]) > sum(own[place:]) for place in range(1, BAR + 1))


def _set_up_faults(before: Position, mover: Side, seen: Setup) -> Iterator[BrokenRule]:
    """Every error in `seen`, the board after a turn of `mover`; none if it is valid."""
    if not (_is_side_vector(seen.light) and _is_side_vector(seen.dark)):
        yield Reason.WRONG_COUNTS, join(seen.faults())
        return
    for side in Side:
        count = sum(seen.light if side is Side.LIGHT else seen.dark)
        if count > CHECKERS:
            yield Reason.TOO_MANY_CHECKERS, wrong_number(side, count)
        elif count < CHECKERS:
            yield Reason.CHECKERS_MISSING, wrong_number(side, count)
    own, other = (seen.light, seen.dark) if mover is Side.LIGHT else (seen.dark, seen.light)
    for point in range(1, BAR):
        if own[point] and other[seen.course.across(point)]:
            yield _shared_point(before, mover, seen.course, point)


def _is_side_vector(vector: object) -> bool:
    if not isinstance(vector, list | tuple) or len(vector) != PLACES:
        return False
    return all(type(count) is int and count >= 0 for count in vector)


def _shared_point(before: Position, mover: Side, course: Course, point: int) -> BrokenRule:
    """Why both colors are on the mover's `point`."""
    across = course.across(point)
    held = before.of(mover.other)[across]
    arrived = not before.of(mover)[point]
    if arrived and held == 1 and course is Course.OPPOSED:
        sentence = msg(
            "the blot on {point} was hit but not put on the bar", point=place_name(point)
        )
        return Reason.FORGOTTEN_HIT, sentence
    if arrived and held:
        sentence = msg(
            "a checker was put on {point}, which the opponent holds", point=place_name(point)
        )
        return Reason.BLOCKED_POINT | Reason.BOTH_COLOURS, sentence
    return Reason.BOTH_COLOURS, msg("{point} holds checkers of both sides", point=place_name(point))


def _dice(roll: Roll) -> str:
    return f"{roll.high}-{roll.low}"
