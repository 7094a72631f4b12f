"""Compiled e-processes and pair counts of dice; slow reference versions: tests/naive_dice.py.

A component of the mixture is a Dirichlet prior on faces, or the same on axes alone. With each roll
its e-value is multiplied by the predicted probability of the reading over that for a fair die. The
running products are folded into logarithms every `_FOLD` rolls, so that nothing overflows and no
roll costs a log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints

Faces = NDArray[np.int8]
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

_FOLD = 32
_MAX_LOG = 600.0
"""Value to which a component's logarithm is clipped when summing; exp(709) is the largest float."""
_CLIPPED = 1e250
"""E-value from which a component may be clipped."""


def _compiled(function: _Kernel) -> _Kernel:
    return cast(_Kernel, numba.njit(cache=True)(function))


@_compiled
def _log_mean(logs: Floats, parts: Floats) -> float:
    """The logarithm of the mean over components; `parts`: factors that are not folded in yet."""
    top = -np.inf
    for k in range(len(logs)):
        top = max(top, logs[k] + np.log(parts[k]))
    total = 0.0
    for k in range(len(logs)):
        total += np.exp(logs[k] + np.log(parts[k]) - top)
    return float(top + np.log(total / len(logs)))


@_compiled
def _fold(logs: Floats, parts: Floats, scales: Floats) -> None:
    for k in range(len(logs)):
        logs[k] += np.log(parts[k])
        parts[k] = 1.0
        scales[k] = np.exp(min(logs[k], _MAX_LOG)) / len(logs)


@_compiled
def _bet(
    face: int, n: int, priors: Floats, seen: Floats, axes: Floats, scales: Floats, parts: Floats
) -> float:
    """Return the e-value after roll `n` (from 0) showed `face`, 0..5, and update the counts."""
    count = len(priors)
    axis = min(face, 5 - face)
    total = 0.0
    for k in range(count):
        a = priors[k]
        parts[k] *= 6 * (a + seen[face]) / (6 * a + n)
        parts[count + k] *= 3 * (2 * a + axes[axis]) / (6 * a + n)
        total += scales[k] * parts[k] + scales[count + k] * parts[count + k]
    seen[face] += 1
    axes[axis] += 1
    return total


@_compiled
def certain_path(
    faces: Faces, ends: NDArray[np.bool_], priors: Floats, marks: Ints, path: Floats
) -> tuple[float, float, int]:
    """Log e-values of certain readings: the last, the largest, and the roll of the largest.

    faces: (N,) 0..5; ends: (N,) whether a throw ends there, so that the largest may be updated;
    priors: (K,) of the components, each used for faces and for axes; marks: ascending numbers of
    rolls at which `path` receives the log e-value. Rolls count from 1; 0 means that it never rose
    above the initial 1.
    """
    count = len(priors)
    logs, parts = np.zeros(2 * count), np.ones(2 * count)
    scales = np.full(2 * count, 1.0 / (2 * count))
    seen, axes = np.zeros(6), np.zeros(3)
    top, when, mark = 1.0, 0, 0
    log_top = 0.0
    for n in range(len(faces)):
        total = _bet(faces[n], n, priors, seen, axes, scales, parts)
        if ends[n] and total > top:
            top = total
            log_top, when = _log_mean(logs, parts), n + 1
        if mark < len(marks) and marks[mark] == n + 1:
            path[mark] = _log_mean(logs, parts)
            mark += 1
        if n % _FOLD == _FOLD - 1:
            _fold(logs, parts, scales)
    return _log_mean(logs, parts), log_top, when


@_compiled
def _learn(row: Floats, n: int, priors: Floats, logs: Floats, seen: Floats) -> None:
    """Update the log e-value and counts of each component by reading `n` (from 0)."""
    count = len(priors)
    chance = np.zeros(6)
    even = row.sum() / 6
    for k in range(2 * count):
        is_axis = k >= count
        a = priors[k % count]
        total = 0.0
        for face in range(6):
            if is_axis:
                own = (2 * a + seen[k, face] + seen[k, 5 - face]) / (6 * a + n) / 2
            else:
                own = (a + seen[k, face]) / (6 * a + n)
            chance[face] = own * row[face]
            total += chance[face]
        logs[k] += np.log(total / even)
        for face in range(6):
            seen[k, face] += chance[face] / total


@_compiled
def uncertain_path(
    likelihoods: Floats,
    ends: NDArray[np.bool_],
    priors: Floats,
    marks: Ints,
    path: Floats,
    logs: Floats,
    seen: Floats,
) -> tuple[float, float, int]:
    """Like `certain_path` for uncertain readings; likelihoods: (N, 6) of each true face.

    Each component counts a face by its own posterior probability of that face. logs (2K,), seen
    (2K, 6): log e-value and counts of each component; zeros initially, updated in place.
    """
    ones = np.ones(2 * len(priors))
    log_top, when, mark = 0.0, 0, 0
    for n in range(len(likelihoods)):
        _learn(likelihoods[n], n, priors, logs, seen)
        now = _log_mean(logs, ones)
        if ends[n] and now > log_top:
            log_top, when = now, n + 1
        if mark < len(marks) and marks[mark] == n + 1:
            path[mark] = now
            mark += 1
    return _log_mean(logs, ones), log_top, when


@_compiled
def look_alike_path(
    likelihoods: Floats,
    ends: NDArray[np.bool_],
    priors: Floats,
    marks: Ints,
    path: Floats,
    logs: Floats,
    seen: Floats,
) -> tuple[float, float, int]:
    """Like `uncertain_path` for look-alike dice: the mean of two e-values.

    logs (2, 2K), seen (2, 2K, 6): of "all dice of a throw are biased", which bets on each, and of
    "one of them is", which bets on the mean of their likelihoods once a throw is whole.
    """
    ones = np.ones(2 * len(priors))
    throw = np.zeros(6)
    log_top, when, mark = 0.0, 0, 0
    now, dice, throws = 0.0, 0, 0
    for n in range(len(likelihoods)):
        _learn(likelihoods[n], n, priors, logs[0], seen[0])
        throw += likelihoods[n] / likelihoods[n].sum()
        dice += 1
        if ends[n]:
            _learn(throw / dice, throws, priors, logs[1], seen[1])
            throw[:] = 0
            throws, dice = throws + 1, 0
            both, one = _log_mean(logs[0], ones), _log_mean(logs[1], ones)
            now = max(both, one) + np.log((1 + np.exp(-abs(both - one))) / 2)
            if now > log_top:
                log_top, when = now, n + 1
        if mark < len(marks) and marks[mark] == n + 1:
            path[mark] = now
            mark += 1
    return now, log_top, when


@_compiled
def _bet_on_one(
    throw: Floats,
    n: int,
    priors: Floats,
    seen: Floats,
    scales: Floats,
    parts: Floats,
) -> float:
    """Like `_bet` for "one die of the throw is biased"; throw: (6,) the share of each face.

    seen: (2K, 6) counts of each component, by its own posterior of which die it was.
    """
    count = len(priors)
    own = np.zeros(6)
    total = 0.0
    for k in range(2 * count):
        a, is_axis = priors[k % count], k >= count
        ratio = 0.0
        for face in range(6):
            if throw[face] > 0:
                known = seen[k, face]
                if is_axis:
                    known = (known + seen[k, 5 - face]) / 2
                own[face] = (a + known) * throw[face]
                ratio += own[face]
        for face in range(6):
            if throw[face] > 0:
                seen[k, face] += own[face] / ratio
        parts[k] *= 6 * ratio / (6 * a + n)
        total += scales[k] * parts[k]
    return total


@_compiled
def certain_look_alike_path(
    faces: Faces, ends: NDArray[np.bool_], priors: Floats, marks: Ints, path: Floats, whole: Floats
) -> tuple[float, float, int]:
    """Like `look_alike_path` for certain readings; see `certain_path`.

    whole: (2, 2K) receives the log e-value of each component.
    """
    size = 2 * len(priors)
    # Views of rows and whole-array operations in the loop would take longer than the bets.
    parts, scales = np.ones((2, size)), np.full((2, size), 1.0 / size)
    both_parts, one_parts, both_scales, one_scales = parts[0], parts[1], scales[0], scales[1]
    seen, axes, seen_one = np.zeros(6), np.zeros(3), np.zeros((size, 6))
    throw = np.zeros(6)
    top, log_top, when, mark = 1.0, 0.0, 0, 0
    now, last, dice, throws = 1.0, 0.0, 0, 0
    for n in range(len(faces)):
        both = _bet(faces[n], n, priors, seen, axes, both_scales, both_parts)
        throw[faces[n]] += 1
        dice += 1
        if n % _FOLD == _FOLD - 1:
            _fold(whole[0], both_parts, both_scales)
        if ends[n]:
            for face in range(6):
                throw[face] /= dice
            one = _bet_on_one(throw, throws, priors, seen_one, one_scales, one_parts)
            for face in range(6):
                throw[face] = 0
            throws, dice = throws + 1, 0
            if throws % _FOLD == 0:
                _fold(whole[1], one_parts, one_scales)
            now = (both + one) / 2
            if now > top or now > _CLIPPED or n + 1 == len(faces):
                last = _log_mean_of_two(whole, parts)
            if now > top:
                top, log_top, when = now, last, n + 1
        if mark < len(marks) and marks[mark] == n + 1:
            path[mark] = last if now > _CLIPPED else np.log(now)
            mark += 1
    _fold(whole[0], both_parts, both_scales)
    _fold(whole[1], one_parts, one_scales)
    return last, log_top, when


@_compiled
def _log_mean_of_two(logs: Floats, parts: Floats) -> float:
    """The logarithm of the mean of two e-values with (2, 2K) components."""
    both, one = _log_mean(logs[0], parts[0]), _log_mean(logs[1], parts[1])
    return float(max(both, one) + np.log((1 + np.exp(-abs(both - one))) / 2))


@_compiled
def first_above(faces: Faces, priors: Floats, limits: Floats, first: Ints) -> None:
    """Fill `first` (M, L) with the roll (from 1) at which each log reached each limit, or 0.

    faces: (M, N); limits: (L,) ascending.
    """
    count = len(priors)
    for m in range(len(faces)):
        logs, parts = np.zeros(2 * count), np.ones(2 * count)
        scales = np.full(2 * count, 1.0 / (2 * count))
        seen, axes = np.zeros(6), np.zeros(3)
        reached = 0
        for n in range(faces.shape[1]):
            total = _bet(faces[m, n], n, priors, seen, axes, scales, parts)
            while reached < len(limits) and total >= limits[reached]:
                first[m, reached] = n + 1
                reached += 1
            if reached == len(limits):
                break
            if n % _FOLD == _FOLD - 1:
                _fold(logs, parts, scales)


@_compiled
def peeked_chi_square(faces: Faces, critical: float, every: int, least: int) -> int:
    """The number of logs in `faces`, (M, N), that exceed the `critical` X2 at any peek.

    X2 is tested after every `every` rolls, starting at `least`.
    """
    alarms = 0
    for m in range(len(faces)):
        seen = np.zeros(6)
        squares = 0.0
        for n in range(faces.shape[1]):
            face = faces[m, n]
            squares += 2 * seen[face] + 1
            seen[face] += 1
            count = n + 1
            if count < least or count % every:
                continue
            if 6 * squares / count - count > critical:
                alarms += 1
                break
    return alarms


@_compiled
def misses(
    faces: Faces, chances: Floats, priors: Floats, odds: float, limit: float, missed: Ints
) -> None:
    """Fill `missed` (M,) with the first roll at which a confidence sequence misses its chance.

    faces: (M, N); chances: (6,) the true ones; priors: (K,) k of Beta(k, odds * k); limit: on the
    prior-posterior ratio of one face. 0 if it never misses.
    """
    count = len(priors)
    for m in range(len(faces)):
        seen = np.zeros(6)
        logs = np.zeros((6, count))
        for n in range(faces.shape[1]):
            face = faces[m, n]
            is_missed = False
            for f in range(6):
                total = 0.0
                for k in range(count):
                    a = priors[k]
                    b = odds * a
                    if f == face:
                        logs[f, k] += np.log((a + seen[f]) / (a + b + n) / chances[f])
                    else:
                        logs[f, k] += np.log((b + n - seen[f]) / (a + b + n) / (1 - chances[f]))
                    total += np.exp(logs[f, k])
                is_missed |= total / count >= limit
            seen[face] += 1
            if is_missed:
                missed[m] = n + 1
                break


@_compiled
def transition_table(faces: Faces, throws: Ints, table: Ints) -> int:
    """The number of pairs; `table` (6, 6) counts each face of a throw before each of the next.

    faces, throws: (N,), throws ascending. Throws of several like dice yield all pairs: for
    independent dice these are uncorrelated.
    """
    links = 0
    last_from, last_to = 0, 0
    begin = 0
    for n in range(len(faces)):
        if n + 1 < len(faces) and throws[n + 1] == throws[n]:
            continue
        for i in range(last_from, last_to):
            for j in range(begin, n + 1):
                table[faces[i], faces[j]] += 1
                links += 1
        last_from, last_to = begin, n + 1
        begin = n + 1
    return links


@_compiled
def permuted_transitions(
    faces: Faces, starts: Ints, sizes: Ints, orders: Ints, value: float
) -> int:
    """The number of orders of the throws in which the transition table's X2 reaches `value`.

    starts, sizes: (T,) the rows of each throw; orders: (R, T) permutations of the throws.
    """
    reached = 0
    for r in range(len(orders)):
        table = np.zeros((6, 6))
        for t in range(1, len(starts)):
            before, after = orders[r, t - 1], orders[r, t]
            for i in range(starts[before], starts[before] + sizes[before]):
                for j in range(starts[after], starts[after] + sizes[after]):
                    table[faces[i], faces[j]] += 1
        total = table.sum()
        found = 0.0
        for i in range(6):
            row = table[i].sum()
            for j in range(6):
                expected = row * table[:, j].sum() / total
                if expected > 0:
                    found += (table[i, j] - expected) ** 2 / expected
        reached += found >= value
    return reached


@_compiled
def two_dice_throws(throws: Ints, first: Ints) -> int:
    """The number of throws with exactly two rows; `first` is filled with their first rows."""
    found = 0
    begin = 0
    for n in range(len(throws)):
        if n + 1 < len(throws) and throws[n + 1] == throws[n]:
            continue
        if n - begin == 1:
            first[found] = begin
            found += 1
        begin = n + 1
    return found
