"""Trials of the referee: simulated matches with chosen error rates, refereed and scored."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from multiprocessing import get_context
from typing import Any, Final

import numpy as np

from engine.errors import UnknownNoise
from engine.events.match import Event
from engine.evidence.observation import Observation, cell_counts
from engine.position import CHECKERS
from engine.referee import HistorySearch, Referee
from engine.rules import find_rules
from engine.ruleset import NO_OPTIONS, USUAL, GameOptions
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, TruePlay, play_match
from engine.simulation.reader_errors import ReaderNoise, SimulatedComparison
from engine.simulation.score import RefereeScore, TurnPair, score_match

MATCH_GAMES: Final = 3
"""Consecutive games at one board; the next board has the next seed."""


@dataclass(frozen=True, slots=True)
class TrialConditions:
    """The error rates of the reader and the habits of the players."""

    noise: ReaderNoise
    habits: PlayerHabits

    def with_settings(self, settings: Iterable[tuple[str, float]]) -> TrialConditions:
        """The same with some rates set by name; raises `UnknownNoise` for an unknown name."""
        noise, habits = self.noise, self.habits
        for name, value in settings:
            if name in _names(noise):
                chosen: dict[str, Any] = {name: bool(value) if name == "off_is_seen" else value}
                noise = replace(noise, **chosen)
            elif name in _names(habits):
                habits = replace(habits, **{name: value})
            else:
                known = ", ".join((*_names(noise), *_names(habits)))
                raise UnknownNoise(f"there is no noise {name!r}; known: {known}")
        return TrialConditions(noise, habits)

    def __str__(self) -> str:
        values = (
            (name, getattr(part, name), getattr(type(part)(), name))
            for part in (self.noise, self.habits)
            for name in _names(part)
        )
        return " ".join(f"{n}={float(value):.3g}" for n, value, usual in values if value != usual)


def _names(part: ReaderNoise | PlayerHabits) -> tuple[str, ...]:
    return tuple(one.name for one in fields(part))


USUAL_CONDITIONS: Final = TrialConditions(
    ReaderNoise(sight=0.01, dice=0.005, change=0.02),
    PlayerHabits(rerolls=0.03, hasty=0.05, illegal=1 / 300),
)
"""Errors that a referee must cope with: sight 1 %, dice 0.5 %, an illegal play in 300 turns."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One match: its seed, the counts, the turns."""

    seed: int
    score: RefereeScore
    pairs: tuple[TurnPair, ...]

    @property
    def errors(self) -> Iterator[tuple[int, TurnPair]]:
        """The turns that are recorded incorrectly, each with its number in the match from 1."""
        return ((n, pair) for n, pair in enumerate(self.pairs, start=1) if not pair.is_right)


def run_trial(
    seed: int, games: int, conditions: TrialConditions, options: GameOptions = NO_OPTIONS
) -> Trial:
    """Play, referee and score one match; deterministic for a given seed.

    options: the variant, by default short backgammon, and its options.
    """
    rng, rules = np.random.default_rng(seed), find_rules(options.variant or "short", options)
    board = SimulatedBoard(rng, rules.opening(), conditions.noise)
    truth = play_match(board, rules, games=games, habits=conditions.habits)
    search, seconds = referee_match(board, options=options)
    right_without_rules = sum(_is_right_without_rules(board, play) for play in truth.plays)
    score, pairs = score_match(truth, search.state, seconds, right_without_rules)
    return Trial(seed, score, tuple(pairs))


def referee_match(
    board: SimulatedBoard,
    on_events: Callable[[list[Event]], object] = lambda _: None,
    options: GameOptions = NO_OPTIONS,
) -> tuple[HistorySearch, float]:
    """A history search that has seen the whole match, and the CPU seconds that it took.

    on_events: called with the events of each observation.
    """
    rules, rule_set = find_rules(options.variant or "short", options), replace(USUAL, game=options)
    search = HistorySearch(Referee(rules, rule_set=rule_set, light_throws_right=True))
    comparison = SimulatedComparison(board.rng, board.noise.change)
    seconds = 0.0
    for seen, position in zip(board.seen, board.true_positions, strict=True):
        compared = comparison.compare(seen, position)
        start = time.process_time()
        events = search.observe(compared)
        seconds += time.process_time() - start
        on_events(events)
        comparison.settle_after(events)
    on_events(search.finish(board.clock + 1, 0))
    return search, seconds


def _is_right_without_rules(board: SimulatedBoard, play: TruePlay) -> bool:
    """Whether each cell's likeliest count shows the position in the play's last observation."""
    seen = board.seen[: play.seen_end]
    last = next((one for one in reversed(seen) if isinstance(one, Observation)), None)
    if last is None:
        return False
    read = last.counts.argmax(axis=1) - CHECKERS
    is_visible = np.ptp(last.counts, axis=1) > 0
    return bool((read == cell_counts(play.after))[is_visible].all())


def plan_trials(games: int, first_seed: int = 0) -> Iterator[tuple[int, int]]:
    """The seeds and numbers of games of trials totaling `games`, `MATCH_GAMES` at each board."""
    for number, start in enumerate(range(0, games, MATCH_GAMES)):
        yield first_seed + number, min(MATCH_GAMES, games - start)


def run_trials(
    plan: Iterable[tuple[int, int]], conditions: TrialConditions, options: GameOptions = NO_OPTIONS
) -> Iterator[Trial]:
    """Run planned trials on every core; each is yielded as soon as it and those before are done."""
    pairs = list(plan)
    run = partial(_run_planned, conditions=conditions, options=options)
    cores = min(os.cpu_count() or 1, len(pairs))
    if cores <= 1:
        yield from map(run, pairs)
        return
    # Spawned, because a forked process inherits locks of threads that it does not have.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, pairs)


def _run_planned(pair: tuple[int, int], conditions: TrialConditions, options: GameOptions) -> Trial:
    seed, games = pair
    return run_trial(seed, games, conditions, options)


def total_score(scores: Iterable[RefereeScore]) -> RefereeScore:
    """The sum of these counts."""
    return sum(scores, RefereeScore())
