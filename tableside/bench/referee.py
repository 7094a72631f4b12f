"""How well simulated matches are refereed, by the error rate of their observations."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from engine.inference.outcomes import find_outcomes
from engine.message import ngettext
from engine.rules import SHORT
from engine.ruleset import NO_OPTIONS, GameOptions
from engine.simulation.score import RefereeScore
from engine.simulation.trial import (
    USUAL_CONDITIONS,
    Trial,
    TrialConditions,
    plan_trials,
    run_trial,
    run_trials,
    total_score,
)
from tableside.bench import BenchRow
from tableside.bench.referee_plot import CurvePoint, draw_curve
from tableside.bench.trial_log import TrialKey, TrialLog, TrialResult

CURVE_RATES: Final = (0.001, 0.003, 0.01, 0.03)
"""Error rates of the accuracy curve: fractions of cells that are misread."""
CURVE_COLUMNS: Final = (
    *("plays right", "flagged for review", "wrong and not flagged", "false accusations"),
    "without the rules right",
)
ROW_GAMES: Final = 5
"""Games behind the rows of `tableside bench`: some 250 turns, a few seconds."""
CONFIDENCE_LEVEL: Final = 0.95
"""Of each one-sided bound."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A proportion with the confidence bound that matters: the lower or the upper one."""

    hits: int
    number: int
    is_more_better: bool = True

    @property
    def share(self) -> float | None:
        """None if nothing was counted."""
        return self.hits / self.number if self.number else None

    @property
    def bound(self) -> float | None:
        """The one-sided Clopper-Pearson (1934) bound on the unfavorable side."""
        if not self.number:
            return None
        from scipy.stats import binomtest

        side = "greater" if self.is_more_better else "less"
        test = binomtest(self.hits, self.number, alternative=side)
        interval = test.proportion_ci(CONFIDENCE_LEVEL, "exact")
        return float(interval.low if self.is_more_better else interval.high)

    def as_json(self) -> dict[str, float | int | None]:
        """The percentages and the counts behind them."""
        share, bound = self.share, self.bound
        return {
            "%": None if share is None else 100 * share,
            "bound_%": None if bound is None else 100 * bound,
            "hits": self.hits,
            "of": self.number,
        }


def figures_of(score: RefereeScore) -> dict[str, Figure]:
    """The figures of a run by name, each with its bound; those of the cube if it was used."""
    turns, illegal, cubes = score.turns, score.illegal, score.cube_actions

    def faults(count: int, number: int = turns) -> Figure:
        return Figure(min(count, number), number, is_more_better=False)

    cube_figures = {
        "cube: recorded right": Figure(score.cube_right, cubes),
        "cube: at another turn": faults(score.cube_late, cubes),
        "cube: missed": faults(cubes - score.cube_right - score.cube_late, cubes),
        "cube: invented, of turns": faults(score.cube_invented),
        "games' ends right": Figure(score.ends_right, score.ends),
    }
    return {
        "plays right": Figure(score.right, turns),
        "plays and dice right": Figure(score.dice_right, turns),
        "flagged for review": faults(score.for_review),
        "wrong and not flagged": faults(score.silent_errors),
        "illegal plays caught": Figure(score.illegal_found, illegal),
        "illegal, caught or asked": Figure(score.illegal_found + score.illegal_for_review, illegal),
        "false accusations": faults(score.false_accusations),
        **(cube_figures if cubes or score.cube_invented else {}),
        "without the rules right": Figure(score.right_without_rules, turns),
    }


@dataclass(frozen=True, slots=True)
class Run:
    """Simulated matches of one variant under the same conditions."""

    conditions: TrialConditions
    options: GameOptions
    results: tuple[TrialResult, ...]

    @property
    def variant(self) -> str:
        """The variant that was played."""
        return self.options.variant or SHORT.name

    @property
    def game(self) -> str:
        """The variant and its house rules, as a title."""
        return ", ".join(filter(None, (self.variant, self.options.preset)))

    @property
    def score(self) -> RefereeScore:
        """The counts of all matches."""
        return total_score(one.score for one in self.results)


def run_games(
    games: int,
    conditions: TrialConditions,
    seed: int = 0,
    options: GameOptions = NO_OPTIONS,
    *,
    has_curve: bool = False,
    log: Path | None = None,
) -> list[Run]:
    """Simulate and referee that many games; with a curve, again at each of its error rates.

    log: the file of a `TrialLog`; the matches in it are not simulated again.
    """
    noise, rates = conditions.noise, CURVE_RATES if has_curve else ()
    curve = [replace(conditions, noise=replace(noise, sight=rate)) for rate in rates]
    return [_run(games, one, seed, options, log) for one in (conditions, *curve)]


def _run(
    games: int, conditions: TrialConditions, seed: int, options: GameOptions, path: Path | None
) -> Run:
    plan = [TrialKey(*one) for one in plan_trials(games, seed)]
    log = TrialLog(path, conditions, options)
    missing = [key for key in plan if key not in log.results]
    for key, trial in zip(missing, run_trials(missing, conditions, options), strict=True):
        log.add(key, TrialResult.of(trial))
    results = tuple(log.results[key] for key in plan)
    return Run(conditions, options, results)


def report(run: Run) -> str:
    """The figures of one run as text."""
    score = run.score
    games = ngettext("{number} game", "{number} games", score.games)
    turns = ngettext("{number} turn", "{number} turns", score.turns)
    conditions = str(run.conditions) or "perfect sight"
    lines = [f"{run.game}: {games}, {turns}; {conditions}", ""]
    for name, figure in figures_of(score).items():
        sign = ">=" if figure.is_more_better else "<="
        share, bound = f"{_percent(figure.share):>10}", f"{_percent(figure.bound):>9}"
        lines.append(f"{name:<26}{share}   {sign} {bound}   {figure.hits} of {figure.number}")
    microseconds = 1e6 * score.seconds / max(score.turns, 1)
    return "\n".join([*lines, f"{'CPU time per turn':<26}{microseconds:>7.0f} us"])


def curve_table(runs: Sequence[Run]) -> str:
    """The figures by error rate, one line each; all lines are for the same games."""
    lines = [f"{'sight error':<13}" + "".join(f"{name:>24}" for name in CURVE_COLUMNS)]
    for run in runs:
        figures = figures_of(run.score)
        columns = (figures[name] for name in CURVE_COLUMNS)
        cells = (f"{_percent(one.share)} ({_percent(one.bound)})" for one in columns)
        sight = f"{100 * run.conditions.noise.sight:g} %"
        lines.append(f"{sight:<13}" + "".join(f"{cell:>24}" for cell in cells))
    return "\n".join([*lines, "in parentheses: the 95 % confidence bound"])


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.3f} %"


def run_json(run: Run) -> dict[str, Any]:
    """The results of a run as a JSON object, with every error."""
    score = run.score
    return {
        "variant": run.variant,
        **({"preset": preset} if (preset := run.options.preset) else {}),
        "conditions": str(run.conditions),
        "games": score.games,
        "turns": score.turns,
        "us_a_turn": 1e6 * score.seconds / max(score.turns, 1),
        **{name: figure.as_json() for name, figure in figures_of(score).items()},
        "faults": [fault for result in run.results for fault in result.faults],
    }


RUN_FILES: Final = ("referee.json", "referee.png")


def write_runs(folder: Path, runs: Sequence[Run]) -> None:
    """Write `referee.json` with every error and, with a curve, `referee.png`."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps([run_json(run) for run in runs], indent=1)
    (folder / RUN_FILES[0]).write_text(text + "\n", "utf-8")
    if len(runs) > 1:
        (folder / RUN_FILES[1]).write_bytes(draw_curve([_point(run) for run in runs[1:]]))


def _point(run: Run) -> CurvePoint:
    figures = figures_of(run.score)
    right = figures["plays right"]
    wrong = Figure(right.number - right.hits, right.number, is_more_better=False)
    shown = (wrong, figures["flagged for review"], figures["wrong and not flagged"])
    shares = tuple((each.share or 0.0, each.bound or 1.0) for each in shown)
    return CurvePoint(run.conditions.noise.sight, shares)


@cache
def _usual_trial() -> Trial:
    return run_trial(0, ROW_GAMES, USUAL_CONDITIONS)


def measure_right() -> BenchRow:
    """Measure plays recorded correctly with 1 % of cells misread, by us and read cell by cell."""
    score = _usual_trial().score
    name = "the same looks cell by cell, without the rules"
    turns = max(score.turns, 1)
    return BenchRow(
        100 * score.right / turns, "% of plays", name, 100 * score.right_without_rules / turns
    )


def measure_turn() -> BenchRow:
    """Measure the CPU time for a turn, and for listing every legal result of every roll once."""
    trial = _usual_trial()
    plays = [pair.true for pair in trial.pairs if pair.true is not None]
    began = time.process_time()
    for play in plays:
        find_outcomes.__wrapped__(play.before, play.side, SHORT)
    listing = time.process_time() - began
    turns = max(trial.score.turns, 1)
    name = "listing all results of the 21 rolls"
    here = 1e6 * trial.score.seconds / turns
    return BenchRow(here, "us", name, 1e6 * listing / turns, is_more_better=False)
