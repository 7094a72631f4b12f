"""Latencies of a live match, from an event on the table to its display: the sample as a camera."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

import samples
from engine import DiceRolled, EngineError, PlayMade, Position, Side
from engine.play import Play
from engine.rules import SHORT
from engine.rules.legal import apply_play
from tableside.bench import BenchRow, against_budget
from tableside.bench.live_run import LiveRun, Log, webcam_run
from tableside.recording.sample_match import true_plays

DICE_BUDGET_MS, ROLL_BUDGET_MS, PLAY_BUDGET_MS = 300.0, 600.0, 700.0
"""Milliseconds until the dice are shown, the roll is recorded and the play is shown."""
Delays = Sequence[float | None]
"""How late each of some things came, in milliseconds; None for one that never came."""


def measure_start() -> BenchRow:
    """Measure the seconds from the first frame to the page with the game; players wait for it."""
    note = "no target: from the first picture to the board"
    return BenchRow(webcam_run()[1], "s", note)


def measure_dice() -> BenchRow:
    """Measure from when a throw comes to rest until the page shows its dice."""
    return _row(dice_delays(webcam_run()[0]), "dice on the page", DICE_BUDGET_MS)


def dice_delays(run: LiveRun) -> Delays:
    """From when each throw comes to rest until the page shows its dice."""
    return [
        _delay_ms(run.states, throw["t"], _shows_dice(throw["dice"])) for throw in _valid_throws()
    ]


def measure_roll() -> BenchRow:
    """Measure from when a throw comes to rest until its roll is on disk.

    The first roll is left out: it is recorded with its play, which shows who threw it.
    """
    return _row(roll_delays(webcam_run()[0]), "rolls recorded", ROLL_BUDGET_MS)


def roll_delays(run: LiveRun) -> Delays:
    """From when each throw comes to rest until its roll is on disk."""
    return [
        _delay_ms(run.events, throw["t"], lambda event: isinstance(event, DiceRolled))
        for throw in _valid_throws()
    ]


def measure_play() -> BenchRow:
    """Measure from when the hand leaves the checkers until the page shows the play, final or not.

    The play is recorded once its dice are picked up, a second later in the sample.
    """
    shown, recorded = play_delays(webcam_run()[0])
    late = median(_in_order(recorded))
    row = _row(shown, "plays on the page", PLAY_BUDGET_MS)
    note = f"{row.baseline_name}; {_summary(recorded, f'recorded after {late:.0f}')}"
    return replace(row, baseline_name=note)


def play_delays(run: LiveRun) -> tuple[Delays, Delays]:
    """From when the hand leaves the checkers until each play is shown, and until it is recorded."""
    plays = true_plays(samples.TRUTH)
    boards = [SHORT.opening(), *(after for _, after in plays)]
    shown: list[float | None] = []
    recorded: list[float | None] = []
    for hand_out, before, (side, after) in zip(
        samples.true_events("hand_out"), boards, plays, strict=False
    ):
        shown.append(_delay_ms(run.states, hand_out["t"], _shows_play(before, side, after)))
        recorded.append(_delay_ms(run.events, hand_out["t"], _is_play(side, after)))
    return shown, recorded


def _valid_throws() -> list[dict[str, Any]]:
    return [throw for throw in samples.true_events("dice_rest") if throw["valid"]]


def _delay_ms(log: Log, since: float, is_wanted: Callable[[Any], bool]) -> float | None:
    """How long after `since` the log has the wanted entry, in ms; None if it never does."""
    delays = (1000 * (now - since) for now, value in log if now >= since and is_wanted(value))
    return next(delays, None)


def _row(delays: Delays, what: str, budget: float) -> BenchRow:
    """The median delay against its budget, with a summary of the others."""
    note = f", {_summary(delays, what)}"
    return against_budget(_in_order(delays), "ms", note, budget)


def _summary(delays: Delays, what: str) -> str:
    late = _in_order(delays)
    percentile = np.quantile(late, 0.9, method="inverted_cdf")
    missed = len(delays) - len(late)
    return f"{what}; 90 % within {percentile:.0f}, slowest {late[-1]:.0f}, missed {missed}"


def _in_order(delays: Delays) -> list[float]:
    return sorted(delay for delay in delays if delay is not None)


def _shows_dice(dice: list[dict[str, Any]]) -> Callable[[Any], bool]:
    wanted = sorted(die["value"] for die in dice)

    def is_shown(state: Any) -> bool:
        values = [die["value"] for die in state["dice"]]
        return None not in values and sorted(values) == wanted

    return is_shown


def _shows_play(before: Position, side: Side, after: Position) -> Callable[[Any], bool]:
    def is_shown(state: Any) -> bool:
        shown = state["pending"] or state["last_play"]
        if shown is None or shown["player"] != side.value:
            return False
        try:
            return apply_play(before, side, Play.parse(shown["play"]), SHORT) == after
        except EngineError:  # an earlier play, which cannot be made from there
            return False

    return is_shown


def _is_play(side: Side, after: Position) -> Callable[[Any], bool]:
    return lambda one: isinstance(one, PlayMade) and (one.player, one.position) == (side, after)
