"""Figures for study beside the board: take points, gammon values, effective pips of a bear-off.

They follow from the position, the cube and the score alone, and are hidden where pip counts are.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from functools import cache

from engine import position_from_json
from engine.errors import InvalidPosition, InvalidScore
from engine.position import Side
from engine.study.bear_off import bear_off, home_bear_off
from engine.study.match_equity import AwayScore, CrawfordPhase, gammon_value, take_point
from webui.contracts.state import State
from webui.i18n.locale import format_decimal, gettext


def study_lines(state: State) -> list[str]:
    """A line for each player with figures; none without pip counts, and in narde."""
    if state["pips"] is None or state["position"] is None or state["cube"] is None:
        return []
    lines = []
    for side in Side:
        figures = [*_cube_figures(state, side), *_bear_off(state, side)]
        if figures:
            lines.append(f"{state['players'][side.value]}: {' · '.join(figures)}")
    return lines


def _cube_figures(state: State, side: Side) -> list[str]:
    """With which chances the player takes the next double, and what a gammon is worth to them."""
    cube, score = state["cube"], _away(state, side)
    if cube is None or score is None:
        return []
    figures = []
    may_be_doubled = not cube["crawford"] and cube["owner"] in (None, side.other.value)
    if may_be_doubled and score.other > cube["value"]:  # else a drop loses the match
        share = format_decimal(100 * take_point(score, cube["value"]), 1)
        figures.append(gettext("take point %(share)s%%", share=share))
    gammon = format_decimal(gammon_value(score, cube["value"]), 2)
    return [*figures, gettext("gammon value %(value)s", value=gammon)]


def _away(state: State, side: Side) -> AwayScore | None:
    """The score as the player sees it; None for money, and for a match longer than the table."""
    points = state["score"]
    own = state["length"] - points[side.value]
    other = state["length"] - points[side.other.value]
    phase = CrawfordPhase.BEFORE_CRAWFORD
    if state["cube"] is not None and state["cube"]["crawford"]:
        phase = CrawfordPhase.CRAWFORD
    elif 1 in (own, other):
        phase = CrawfordPhase.AFTER_CRAWFORD
    try:
        return AwayScore(own, other, phase)
    except InvalidScore:
        return None


def _bear_off(state: State, side: Side) -> list[str]:
    """The effective pip count, once the figures of all home boards are there."""
    if state["position"] is None or not _home_boards().done():
        return []
    try:
        position = position_from_json(state["position"])
    except InvalidPosition:  # by hand, or by an illegal play, any board may be shown
        return []
    found = bear_off(position, side)
    if found is None or not found.pips:
        return []
    pips, wastage = format_decimal(found.effective_pips, 1), format_decimal(found.wastage, 1)
    return [gettext("EPC %(pips)s, wastage %(wastage)s", pips=pips, wastage=wastage)]


@cache
def _home_boards() -> Future[None]:
    """The figures of all home boards, being computed: a second of work must not delay a state."""
    ready: Future[None] = Future()

    def compute() -> None:
        home_bear_off([0] * 6)
        ready.set_result(None)

    threading.Thread(target=compute, name="study", daemon=True).start()
    return ready
