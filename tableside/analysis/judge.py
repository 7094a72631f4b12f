"""What each decision cost: every question answered in equities."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from engine import Roll, find_rules, legal_plays
from engine.arrays import Boards, Floats
from engine.position import Position, Side
from engine.study.cubeful import CubeEquities, Stake, points_of
from tableside.analysis.lookahead import WEIGHTS
from tableside.analysis.questions import CubeQuestion, PlayQuestion, Question, Sides, roll_index
from tableside.analysis.ratings import CubeActions, Depth, Engine, Rater
from webui.contracts.analysis import (
    DecisionKind,
    ErrorMark,
    JudgedDecision,
    JudgedEvent,
    RatedChoice,
    ShownChances,
)

MARKS: Final[tuple[tuple[float, ErrorMark], ...]] = (
    (0.16, "very bad"), (0.08, "bad"), (0.04, "doubtful"),
)  # fmt: skip
"""From which loss on an error has each mark: GNU Backgammon's thresholds (`set analysis
threshold`)."""
CLOSE: Final = 0.16
"""A cube action counts as a decision if another is worse by no more than this: as in GNU
Backgammon's `isCloseCubedecision`."""
WELL_RATED: Final = 5
"""Most plays, the best at a glance, that are rated by every answer."""
MARGIN: Final = 0.16
"""Equity by which one of them may be worse at a glance than the best."""
_DIGITS: Final = 4
_NON_DOUBLES: Final = np.array([high != low for high in range(1, 7) for low in range(1, high + 1)])


class Judge:
    """Answers questions with one engine."""

    def __init__(self, engine: Engine) -> None:
        self._rater: Callable[[str], Rater] = lru_cache(engine.rater)
        self._cube = lru_cache(maxsize=4)(self._cube_actions)  # a double and its answer are alike

    def answer(self, question: Question) -> JudgedEvent:
        """What the event cost, and what is to be expected after it."""
        about = question.about
        if isinstance(about, PlayQuestion):
            return self._play(question, about)
        return self._cube_action(question, about)

    def _cube_actions(self, variant: str, sides: Sides, stake: Stake, depth: Depth) -> CubeActions:
        return self._rater(variant).cube(_board(sides), stake, depth)

    def _cube_action(self, question: Question, about: CubeQuestion) -> JudgedEvent:
        actions = self._cube(about.variant, about.before, about.stake, Depth.CUBE)
        kind: DecisionKind = about.answer or "double"
        decision = cube_decision(kind, question.player, actions.equities)
        doubler = question.player if about.answer is None else question.player.other
        chances = actions.kept.chances if about.answer != "drop" else None
        return JudgedEvent(
            event=question.event,
            game=question.game,
            turn=None,
            player=question.player.value,
            luck=None,
            chances=None if chances is None else _shown(chances, doubler),
            decisions=[decision],
        )

    def _play(self, question: Question, about: PlayQuestion) -> JudgedEvent:
        depth = Depth.CUBE if about.could_double else Depth.ENGINE
        actions = self._cube(about.variant, about.before, about.stake, depth)
        decisions = []
        if about.could_double:
            decisions.append(cube_decision("no_double", question.player, actions.equities))
        play, chances = self._rated_play(question.player, about)
        is_over = points_of(_board(about.after)[None])[0] > 0
        return JudgedEvent(
            event=question.event,
            game=question.game,
            turn=question.turn,
            player=question.player.value,
            luck=round(self._luck(about, actions), _DIGITS),
            chances=None if is_over else _shown(chances, question.player),
            decisions=[*decisions, play],
        )

    def _luck(self, about: PlayQuestion, actions: CubeActions) -> float:
        """What the roll gained over the mean; the opening roll is also a chance of beginning."""
        by_roll = actions.kept.by_roll
        if not about.is_opening:
            return float(by_roll[roll_index(about.dice)] - (WEIGHTS @ by_roll))
        weights = WEIGHTS * _NON_DOUBLES / (WEIGHTS @ _NON_DOUBLES)
        own, other = about.before
        second = self._cube(
            about.variant, (other, own), about.stake.reversed, Depth.ENGINE
        ).kept.by_roll
        mean = (weights @ by_roll - weights @ second) / 2
        return float(by_roll[roll_index(about.dice)] - mean)

    def _rated_play(self, player: Side, about: PlayQuestion) -> tuple[JudgedDecision, Floats]:
        """The play among all legal ones, and the chances after it."""
        rater, stake = self._rater(about.variant), about.stake
        position = Position(*about.before)
        rules = find_rules(about.variant)
        legal = legal_plays(position, Side.LIGHT, Roll(*about.dice), rules)
        made = _board(about.after)
        is_made = (legal.results == made).all(axis=(1, 2))
        boards = legal.results if is_made.any() else np.concatenate((legal.results, made[None]))
        index = int(is_made.argmax()) if is_made.any() else len(legal)
        glance = rater.rate(boards, stake).equities
        chosen = _worth_a_look(glance, index, legal=len(legal))
        rated = rater.rate_well(boards[chosen], stake)
        order = np.argsort(-rated.equities, kind="stable")
        mine = int(np.flatnonzero(chosen == index)[0])
        best = next(int(one) for one in order if chosen[one] < len(legal))
        loss = max(0.0, float(rated.equities[best] - rated.equities[mine]))
        names = [str(legal[int(one)].play) if one < len(legal) else about.play for one in chosen]
        choices = [
            RatedChoice(choice=names[one], equity=round(float(rated.equities[one]), _DIGITS))
            for one in order
        ]
        counts = len(legal) > 1
        decision = _decision("play", player, loss, names[best], choices, counts=counts)
        return decision, rated.chances[mine]


def cube_decision(kind: DecisionKind, player: Side, equities: CubeEquities) -> JudgedDecision:
    """What a cube action cost; `equities` are those of the player who may double."""
    kept, taken, dropped = (float(each[0]) for each in equities)
    doubled = min(taken, dropped)
    loss = {
        "no_double": doubled - kept,
        "double": kept - doubled,
        "take": taken - dropped,
        "drop": dropped - taken,
    }[kind]
    best = "no_double" if kept >= doubled else "double_take" if taken <= dropped else "double_drop"
    if kind in ("take", "drop"):
        best = "double_take" if taken <= dropped else "double_drop"
    pairs = (("no_double", kept), ("double_take", taken), ("double_drop", dropped))
    choices = [RatedChoice(choice=name, equity=round(value, _DIGITS)) for name, value in pairs]
    # A double that nobody would give is no decision; one that is too good to give is.
    counts = kind != "no_double" or kept > dropped or max(kept, doubled) - doubled < CLOSE
    return _decision(kind, player, max(0.0, loss), best, choices, counts=counts)


def _decision(
    kind: DecisionKind,
    player: Side,
    loss: float,
    best: str,
    choices: list[RatedChoice],
    *,
    counts: bool,
) -> JudgedDecision:
    return JudgedDecision(
        kind=kind,
        player=player.value,
        loss=round(loss, _DIGITS),
        mark=next((mark for least, mark in MARKS if counts and loss >= least), ""),
        counts=counts,
        best=best,
        choices=choices,
    )


def _worth_a_look(glance: Floats, made: int, *, legal: int) -> Floats:
    """The indices of the plays to rate well: the best at a glance, and the one made."""
    order = np.argsort(-glance[:legal], kind="stable")[:WELL_RATED]
    near = order[glance[order] >= glance[order[0]] - MARGIN]
    return near if made in near else np.append(near, made)


def _board(sides: Sides) -> Boards:
    return np.array(sides, np.int8)


def _shown(chances: Floats, player: Side) -> ShownChances:
    won, gammon, backgammon, lost_gammon, lost_backgammon = (round(float(c), 4) for c in chances)
    if player is Side.LIGHT:
        mine = won, gammon, backgammon, lost_gammon, lost_backgammon
    else:
        mine = round(1 - won, 4), lost_gammon, lost_backgammon, gammon, backgammon
    return ShownChances(
        light=mine[0],
        light_gammon=mine[1],
        light_backgammon=mine[2],
        dark_gammon=mine[3],
        dark_backgammon=mine[4],
    )
