"""Findings as plain values for JSON: what programs read.

While rolls still come in only what may be looked at at any time is told: e-values, bounds, counts.
The rest is null then.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.fairness.compare import GroupComparison
from engine.fairness.evalues import ALARM, LOOK_CLOSER, EValue
from engine.fairness.faces import Test
from engine.fairness.family import RATE
from engine.fairness.findings import FamilyTest, Findings, Group, LiveFinding
from engine.fairness.luck import PlayerLuck
from engine.fairness.pairs import PairTests
from engine.fairness.verdict import bias_that_shows, e_words, more_rolls, sign_of, verdict

BIASES: Final = (0.05, 0.1, 0.2, 0.5)
"""For which it is told how many more rolls would show them."""
KIND_OF: Final = {"dice": "dice", "players": "players", "cups": "cups", "sessions": "sessions"}


def findings_json(found: Findings, *, is_live: bool = False) -> dict[str, Any]:
    """Everything, by the names of `tableside dice report --json`."""
    told: dict[str, Any] = {
        kind: {unit.name: unit_json(unit, _own(found, kind, unit), is_live) for unit in units}
        for kind, units in found.units.items()
    }
    told["pairs"] = {"/".join(pair.dice): pair_json(pair, is_live) for pair in found.pairs}
    told["comparisons"] = {one.what: comparison_json(one, is_live) for one in found.comparisons}
    told["tests"] = family_json(found, is_live)
    told["rows"] = {
        "all": found.rows,
        "void": found.void,
        "unread": found.unread,
        "openings": found.openings,
        "doubtful": found.doubtful,
    }
    return told


def _own(found: Findings, kind: str, unit: Group) -> tuple[FamilyTest, ...]:
    return tuple(test for test in found.family if test.of == f"{kind} {unit.name}")


def unit_json(unit: Group, family: tuple[FamilyTest, ...], is_live: bool) -> dict[str, Any]:
    """One die, player, cup or session."""
    tests, rolls = unit.tests, unit.tally.known
    shows = bias_that_shows(rolls, is_live=is_live)
    told = {
        "n": unit.rolls,
        "counts": [int(one) for one in unit.tally.told],
        "pooled": unit.is_pooled,
        "unread": unit.unread,
        "unread_could_explain": unit.is_explained,
        "chi2": tests.chi_square.value,
        "p": tests.chi_square.p,
        "p_method": tests.chi_square.method,
        "g": tests.g.value,
        "g_p": tests.g.p,
        "axis_chi2": tests.axis.value,
        "axis_p": tests.axis.p,
        "within_axes": [_test(test) for test in tests.within],
        "pip_linear": _test(tests.pip_linear),
        "posterior": unit.posterior.tolist(),
        "off_by_5_percent": unit.notable.tolist(),
        "log10_bayes_factor": unit.bayes_factor,
        "serial": None if unit.sequence is None else _test(unit.sequence.serial),
        "repeats": None if unit.sequence is None else _test(unit.sequence.repeats),
        "runs": None if unit.sequence is None else unit.sequence.runs,
        "luck": None if unit.luck is None else luck_json(unit.luck),
    }
    if is_live:
        kept = ("n", "counts", "pooled", "unread", "luck")
        told = {name: value if name in kept else None for name, value in told.items()}
    return {
        **told,
        **evidence_json(unit.evidence),
        "bounds": unit.bounds.tolist(),
        "smallest_bias": shows if isfinite(shows) else None,
        "more_rolls": {
            f"{bias:.2f}": more_rolls(int(rolls), bias, is_live=is_live) for bias in BIASES
        },
        "sign": sign_of(unit, family, is_live=is_live).value,
        "verdict": verdict(unit, family, is_live=is_live),
    }


def evidence_json(evidence: EValue) -> dict[str, Any]:
    """E-values; those that a float does not hold are the largest that it does."""
    return {
        "e_value": evidence.last,
        "e_words": str(e_words(evidence.log_last)),
        "e_largest": evidence.largest,
        "e_largest_at": evidence.largest_at,
        "anytime_p": evidence.p,
        "e_path": {
            "rolls": evidence.rolls.tolist(),
            "log10": (evidence.log_path / np.log(10)).round(4).tolist(),
        },
    }


def watched_json(one: LiveFinding, own_log_e: float) -> dict[str, Any]:
    """A die of a match that is being played; own_log_e: the evidence of that match alone."""
    return {
        "n": one.rolls,
        "counts": [int(count) for count in one.tally.told],
        "pooled": one.is_pooled,
        "e_value_of_match": float(np.exp(min(own_log_e, 700.0))),
        **evidence_json(one.evidence),
        "bounds": one.bounds.tolist(),
        "sign": sign_of(one, is_live=True).value,
        "verdict": verdict(one, is_live=True),
    }


def _test(test: Test) -> dict[str, Any]:
    return {"value": test.value, "df": test.df, "p": test.p, "method": test.method}


def luck_json(luck: PlayerLuck) -> dict[str, Any]:
    """Pips rolled and expected; no word on the dice."""
    return {
        "throws": luck.throws,
        "pips": luck.pips,
        "expected": luck.expected,
        "z": luck.z,
        "p": luck.p,
        "doubles": luck.doubles,
        "expected_doubles": luck.throws / 6,
    }


def pair_json(pair: PairTests, is_live: bool) -> dict[str, Any]:
    """Two dice that are thrown together."""
    told = {
        "throws": pair.throws,
        "alike": pair.is_alike,
        "table": _rows(pair.table),
        "independence_chi2": pair.independence.value,
        "independence_df": pair.independence.df,
        "independence_p": pair.independence.p,
        "doubles": pair.doubles,
        "doubles_p": pair.doubles_p,
        "doubles_expected_of_margins": pair.doubles_expected,
        "doubles_of_margins_p": pair.doubles_of_margins.p,
        "sevens": pair.sevens,
        "sevens_p": pair.sevens_p,
        "outcomes_chi2": pair.outcomes.value,
        "outcomes_df": pair.outcomes.df,
        "outcomes_p": pair.outcomes.p,
    }
    kept = ("throws", "alike", "table", "doubles", "sevens")
    if is_live:
        return {name: value if name in kept else None for name, value in told.items()}
    return told


def _rows(table: NDArray[np.int64]) -> list[list[int]]:
    rows: list[list[int]] = table.tolist()
    return rows


def comparison_json(one: GroupComparison, is_live: bool) -> dict[str, Any]:
    """Several dice, players or the like against each other."""
    return {
        "names": list(one.names),
        "counts": _rows(one.counts),
        "chi2": None if is_live else one.same.value,
        "df": None if is_live else one.same.df,
        "p": None if is_live else one.same.p,
        "e_value": one.e,
    }


def family_json(found: Findings, is_live: bool) -> dict[str, Any]:
    """All tests together; `false_discovery` is the rate at which they are told."""
    told = [] if is_live else [test for test in found.family if test.q <= RATE]
    return {
        "false_discovery": RATE,
        "asked": 0 if is_live else len(found.family),
        "told": [
            {"of": test.of, "question": test.question, "p": test.p, "q": test.q} for test in told
        ],
        "e_told": list(found.e_discoveries),
        "look_closer_from_e": LOOK_CLOSER,
        "alarm_from_e": ALARM,
    }
