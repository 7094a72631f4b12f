"""Findings as JSON values.

While a match is played, only anytime-valid findings are given: e-values, bounds, counts. Everything
else is null. Otherwise p-values are given, but signs and verdicts rest on them only if the sample
was declared closed.
"""

from __future__ import annotations

from dataclasses import asdict
from math import exp, isfinite
from typing import Any, Final

import numpy as np

from engine.fairness.bounds import largest_bias
from engine.fairness.cause import Cause, cause_of
from engine.fairness.compare import GroupComparison
from engine.fairness.evalues import (
    ALARM_E_VALUE,
    LOOK_CLOSER_E_VALUE,
    MAX_LOG_E,
    EValue,
    LookAlikes,
)
from engine.fairness.findings import (
    FALSE_DISCOVERY_RATE,
    Findings,
    Group,
    LiveFinding,
)
from engine.fairness.luck import PlayerLuck
from engine.fairness.pairs import PairTests
from engine.fairness.verdict import (
    detectable_bias,
    doubles_message,
    family_of,
    format_e_value,
    is_luck_doubtful,
    more_rolls,
    order_message,
    sign_of,
    verdict,
)
from engine.message import Message

REPORTED_BIASES: Final = (0.05, 0.1, 0.2, 0.5)
"""Biases for which the number of further rolls needed to show them is given."""


def findings_json(found: Findings, *, is_live: bool = False) -> dict[str, Any]:
    """All findings, under the names of `tableside dice report --json`."""
    groups = {
        kind: {group.name: _group(group, kind, found, is_live) for group in groups}
        for kind, groups in found.groups.items()
    }
    return {
        **groups,
        "pairs": {"/".join(pair.dice): _pair(pair, found, is_live) for pair in found.pairs},
        "comparisons": {one.what: _comparison(one, is_live) for one in found.comparisons},
        "tests": _family(found, is_live),
        "rows": {
            "all": found.rows,
            "void": found.void,
            "unread": found.unread,
            "openings": found.openings,
            "doubtful": found.doubtful,
        },
    }


def _group(unit: Group, kind: str, found: Findings, is_live: bool) -> dict[str, Any]:
    """One die, player, cup or session."""
    family = family_of(unit, kind, found)
    tests, rolls = unit.tests, unit.tally.effective_rolls
    is_final = found.is_final and not is_live
    shows = detectable_bias(rolls, judged_together=unit.judged_together, is_final=is_final)
    values = {
        "n": unit.rolls,
        "counts": [int(one) for one in unit.tally.counts],
        "pooled": unit.is_pooled,
        "suspects": unit.suspects and unit.suspects.value,
        "unread": unit.unread,
        "unread_could_explain": unit.is_explained,
        "chi2": tests.chi_square.value,
        "p": tests.chi_square.p,
        "p_method": tests.chi_square.method,
        "g": tests.g.value,
        "g_p": tests.g.p,
        "axis_chi2": tests.axis.value,
        "axis_p": tests.axis.p,
        "within_axes": [asdict(test) for test in tests.within],
        "pip_linear": asdict(tests.pip_linear),
        "posterior": unit.posterior.tolist(),
        "off_by_5_percent": unit.notable.tolist(),
        "log10_bayes_factor": unit.bayes_factor,
        "serial": None if unit.sequence is None else asdict(unit.sequence.serial),
        "repeats": None if unit.sequence is None else asdict(unit.sequence.repeats),
        "runs": None if unit.sequence is None else unit.sequence.runs,
        "luck": None if unit.luck is None else _luck(unit.luck, is_luck_doubtful(unit, found)),
    }
    if is_live:
        values = _only(values, "n", "counts", "pooled", "unread", "luck")
    return {
        **values,
        **_evidence(unit.evidence),
        "bounds": unit.bounds.tolist(),
        "largest_bias": largest_bias(unit.bounds),
        "cause": _cause(cause_of(unit.tally)),
        "order_e": None if unit.sequence is None else _e(unit.sequence.log_e),
        "order": _words(order_message(unit, found.dependence_limit)),
        "smallest_bias": shows if isfinite(shows) else None,
        "more_rolls": {
            f"{bias:.2f}": more_rolls(
                int(rolls), bias, judged_together=unit.judged_together, is_final=is_final
            )
            for bias in REPORTED_BIASES
        },
        "sign": sign_of(unit, family, is_final=is_final).value,
        "verdict": verdict(unit, family, is_final=is_final),
    }


def _only(values: dict[str, Any], *kept: str) -> dict[str, Any]:
    """The values, with null for all but those `kept`."""
    return {name: value if name in kept else None for name, value in values.items()}


def _evidence(evidence: EValue) -> dict[str, Any]:
    """E-values, clipped to the range of floats."""
    return {
        "e_value": evidence.last,
        "e_words": str(format_e_value(evidence.log_last)),
        "e_largest": evidence.largest,
        "e_largest_at": evidence.largest_at,
        "anytime_p": evidence.p,
        "look_alikes": _look_alikes(evidence.look_alikes),
        "e_path": {
            "rolls": evidence.rolls.tolist(),
            "log10": (evidence.log_path / np.log(10)).round(4).tolist(),
        },
    }


def _look_alikes(pair: LookAlikes | None) -> dict[str, float] | None:
    if pair is None:
        return None
    return {"both": _e(pair.log_both), "one": _e(pair.log_one)}


def live_finding_json(one: LiveFinding, own_log_e: float) -> dict[str, Any]:
    """A die of a running match; own_log_e: the log e-value of that match alone."""
    return {
        "n": one.rolls,
        "counts": [int(count) for count in one.tally.counts],
        "pooled": one.is_pooled,
        "e_value_of_match": float(np.exp(min(own_log_e, MAX_LOG_E))),
        **_evidence(one.evidence),
        "bounds": one.bounds.tolist(),
        "sign": sign_of(one).value,
        "verdict": verdict(one),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "axes": cause.axes.tolist(),
        "axes_bounds": cause.axes_bounds.tolist(),
        "relative_lengths": [cause.relative_length(axis) for axis in range(len(cause.axes))],
        "heads": cause.heads.tolist(),
        "heads_bounds": cause.heads_bounds.tolist(),
        "axes_e": _e(cause.log_e_axes),
        "mass_e": _e(cause.log_e_mass),
    }


def _e(log_e: float) -> float:
    return exp(min(log_e, MAX_LOG_E))


def _words(message: Message | None) -> str | None:
    return None if message is None else str(message)


def _luck(luck: PlayerLuck, is_doubtful: bool) -> dict[str, Any]:
    return {
        "throws": luck.throws,
        "pips": luck.pips,
        "expected": luck.expected,
        "z": luck.z,
        "p": luck.p,
        "doubles": luck.doubles,
        "expected_doubles": luck.throws / 6,
        "partly_the_dice": is_doubtful,
    }


def _pair(pair: PairTests, found: Findings, is_live: bool) -> dict[str, Any]:
    values = {
        "throws": pair.throws,
        "alike": pair.is_alike,
        "table": pair.table.tolist(),
        "independence_chi2": pair.independence.value,
        "independence_df": pair.independence.df,
        "independence_p": pair.independence.p,
        "doubles": pair.doubles,
        "doubles_p": pair.doubles_p,
        "doubles_e": _e(pair.doubles_log_e),
        "doubles_verdict": _words(doubles_message(pair, found.dependence_limit)),
        "doubles_expected_of_margins": pair.doubles_expected,
        "doubles_of_margins_p": pair.doubles_of_margins.p,
        "sevens": pair.sevens,
        "sevens_p": pair.sevens_p,
        "outcomes_chi2": pair.outcomes.value,
        "outcomes_df": pair.outcomes.df,
        "outcomes_p": pair.outcomes.p,
    }
    kept = ("throws", "alike", "table", "doubles", "doubles_e", "doubles_verdict", "sevens")
    return _only(values, *kept) if is_live else values


def _comparison(one: GroupComparison, is_live: bool) -> dict[str, Any]:
    return {
        "names": list(one.names),
        "counts": one.counts.tolist(),
        "chi2": None if is_live else one.same.value,
        "df": None if is_live else one.same.df,
        "p": None if is_live else one.same.p,
        "e_value": one.e,
    }


def _family(found: Findings, is_live: bool) -> dict[str, Any]:
    tests = () if is_live else found.family
    return {
        "is_final": found.is_final and not is_live,
        "false_discovery": FALSE_DISCOVERY_RATE,
        "asked": len(tests),
        "told": [
            asdict(test) for test in tests if found.is_final and test.q <= FALSE_DISCOVERY_RATE
        ],
        "e_told": list(found.e_discoveries),
        "look_closer_from_e": LOOK_CLOSER_E_VALUE * found.judged_together,
        "alarm_from_e": ALARM_E_VALUE * found.judged_together,
    }
