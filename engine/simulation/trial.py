"""The referee on trial: simulated matches with chosen errors, refereed and scored."""

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
from engine.events.match import Event, GameEnd, GameStart, PlayMade, PlayRejected
from engine.evidence.observation import Observation, cell_counts
from engine.position import CHECKERS
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.rules import SHORT
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, TruePlay, play_match
from engine.simulation.reader_errors import ReaderNoise, SimulatedComparison
from engine.simulation.score import RefereeScore, TurnPair, score_match

MATCH_GAMES: Final = 3
"""Games that follow each other at one table; the next table has the next seed."""
MOVES_THE_POSITION: Final = (GameStart, PlayMade, PlayRejected, GameEnd)
"""Events after which the comparison of pictures begins anew, as in tableside/match/session.py."""


@dataclass(frozen=True, slots=True)
class TrialConditions:
    """Under which a trial is held."""

    noise: ReaderNoise
    habits: PlayerHabits

    def having(self, settings: Iterable[tuple[str, float]]) -> TrialConditions:
        """The same with some shares chosen by name; `UnknownNoise` for a name that there is not."""
        changed = self
        for name, value in settings:
            if name in _names(ReaderNoise):
                chosen: dict[str, Any] = {name: bool(value) if name == "off_is_seen" else value}
                changed = replace(changed, noise=replace(changed.noise, **chosen))
            elif name in _names(PlayerHabits):
                changed = replace(changed, habits=replace(changed.habits, **{name: value}))
            else:
                there = ", ".join((*_names(ReaderNoise), *_names(PlayerHabits)))
                raise UnknownNoise(f"there is no noise {name!r}; there are {there}")
        return changed

    def __str__(self) -> str:
        values = (
            (name, getattr(part, name), getattr(type(part)(), name))
            for part in (self.noise, self.habits)
            for name in _names(type(part))
        )
        return " ".join(f"{n}={float(value):.3g}" for n, value, usual in values if value != usual)


def _names(kind: type[ReaderNoise | PlayerHabits]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


USUAL: Final = TrialConditions(
    ReaderNoise(sight=0.01, dice=0.005, change=0.02),
    PlayerHabits(rerolls=0.03, hasty=0.05, illegal=1 / 300),
)
"""Errors that a referee has to cope with: sight 1 %, dice 0.5 %, an illegal play in 300 turns."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One match: its seed, the counts, the turns."""

    seed: int
    score: RefereeScore
    pairs: tuple[TurnPair, ...]

    @property
    def faults(self) -> Iterator[tuple[int, TurnPair]]:
        """The turns that are not told as they were, each with its number in the match from 1."""
        return ((n, pair) for n, pair in enumerate(self.pairs, start=1) if not pair.is_right)


def hold_trial(seed: int, games: int, conditions: TrialConditions) -> Trial:
    """One match played, refereed and scored; the same every time."""
    rng = np.random.default_rng(seed)
    table = SimulatedBoard(rng, SHORT.opening(), conditions.noise)
    truth = play_match(table, SHORT, games=games, habits=conditions.habits)
    chronicle, seconds = watch(table)
    unaided = sum(is_read_unaided(table, play) for play in truth.plays)
    score, pairs = score_match(truth, chronicle.state, seconds, unaided)
    return Trial(seed, score, tuple(pairs))


def watch(
    table: SimulatedBoard, keep: Callable[[list[Event]], object] = lambda _: None
) -> tuple[HistorySearch, float]:
    """A chronicle that has seen all that there was to see, and the CPU seconds that it took.

    keep: is given all events as they are told.
    """
    chronicle = HistorySearch(Referee(SHORT, light_throws_right=True))
    comparison = SimulatedComparison(table.rng, table.noise.change)
    seconds = 0.0
    for seen, stood in zip(table.seen, table.stood, strict=True):
        shown = comparison.compare(seen, stood)
        began = time.process_time()
        events = chronicle.observe(shown)
        seconds += time.process_time() - began
        keep(events)
        if any(isinstance(event, MOVES_THE_POSITION) for event in events):
            comparison.settle()
    keep(chronicle.finish(table.clock + 1, 0))
    return chronicle, seconds


def is_read_unaided(table: SimulatedBoard, play: TruePlay) -> bool:
    """Whether the last look before the next turn shows the position, each cell at its likeliest."""
    looks = (one for one in reversed(table.seen[: play.looks]) if isinstance(one, Observation))
    last = next(looks, None)
    if last is None:
        return False
    read = last.counts.argmax(axis=1) - CHECKERS
    is_seen = np.ptp(last.counts, axis=1) > 0
    return bool((read == cell_counts(play.after))[is_seen].all())


def hold_trials(
    games: int, conditions: TrialConditions, first_seed: int = 0, each: int = MATCH_GAMES
) -> list[Trial]:
    """Trials of so many games in all, `each` at one table, on every core.

    Seeds count up from `first_seed`.
    """
    sizes = [each] * (games // each) + [games % each]
    sizes = [size for size in sizes if size]
    seeds = range(first_seed, first_seed + len(sizes))
    work = partial(hold_trial, conditions=conditions)
    cores = min(os.cpu_count() or 1, len(sizes))
    if cores <= 1:
        return [work(*each) for each in zip(seeds, sizes, strict=True)]
    # Spawned, since a forked process inherits locks of threads that it does not have.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        return list(pool.map(work, seeds, sizes))


def total(trials: Iterable[Trial]) -> RefereeScore:
    """The counts of all of them."""
    return sum((trial.score for trial in trials), RefereeScore())
