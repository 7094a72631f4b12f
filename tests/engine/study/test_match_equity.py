"""Match equity against gnubg's file, and what the cube is worth at known scores."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.errors import InvalidScore
from engine.study.kazaross import AFTER_CRAWFORD, BEFORE_CRAWFORD, MOST_AWAY
from engine.study.match_equity import AwayScore, CrawfordPhase, gammon_value, take_point
from tests.gnubg import HUMANS, run

TABLE = Path("/usr/share/gnubg/met/Kazaross-XG2.xml")


def test_the_table_is_that_of_gnubg():
    if not TABLE.exists():
        pytest.skip("gnubg is not installed")
    figures = [float(text) for text in re.findall(r"<me>\s*([0-9.]+)", TABLE.read_text("utf-8"))]
    ours = [chance for row in BEFORE_CRAWFORD for chance in row]
    assert [*ours, *AFTER_CRAWFORD] == pytest.approx(figures, abs=1e-9)


def test_the_chances_of_both_players_add_up():
    for own in range(2, MOST_AWAY + 1):
        for other in range(2, MOST_AWAY + 1):
            score = AwayScore(own, other)
            assert score.equity() + score.reversed.equity() == pytest.approx(1)
    for own in range(1, MOST_AWAY + 1):
        score = AwayScore(own, 1, CrawfordPhase.AFTER_CRAWFORD)
        assert score.equity() + score.reversed.equity() == pytest.approx(1)


@pytest.mark.parametrize(
    ("own", "other", "cube", "point"),
    [
        (2, 2, 1, 0.3226),  # the double decides the match: the equity one point behind
        (3, 3, 1, (0.40053 - 0.24924) / (1 - 0.24924 - 0.24924)),
    ],
)
def test_take_points_follow_from_the_table(own, other, cube, point):
    assert take_point(AwayScore(own, other), cube) == pytest.approx(point, abs=1e-4)


AT_ONCE = r"(?: \(opponent redoubles\))?"
"""gnubg's words where a redouble costs nothing."""


@pytest.mark.parametrize("score", [(0, 0), (2, 3), (3, 2), (1, 0), (3, 5), (5, 3), (4, 5)])
def test_gnubg_has_the_same_market_windows_and_gammon_values(score, tmp_path):
    """Its market window ends where the opponent's take point begins.

    The position is a race without gammons, because its window counts them.
    """
    asked = "show gammonvalues\nshow marketwindow\nquit\ny\n"
    said = run(
        f"{HUMANS}new match 7\nset score {score[0]} {score[1]}\nset board 2+4OAADb7gEAAA\n{asked}",
        tmp_path,
    )
    ends = [
        float(text) for text in re.findall(rf"Dead cube{AT_ONCE}: *[0-9.]+% - +([0-9.]+)%", said)
    ]
    values = [
        float(text) for text in re.findall(r"^(?:gnubg|\S+) +([0-9.]+) +[0-9.]+\s*$", said, re.M)
    ]
    first = AwayScore(7 - score[0], 7 - score[1])
    assert ends == pytest.approx(
        [100 - 100 * take_point(first.reversed), 100 - 100 * take_point(first)], abs=0.01
    )
    assert values[-2:] == pytest.approx(
        [gammon_value(first), gammon_value(first.reversed)], abs=1e-4
    )


def test_money_has_its_own_figures():
    assert (take_point(None), gammon_value(None)) == (0.25, 0.5)


def test_gammons_are_worth_what_the_score_makes_of_them():
    # Four points ahead is the match at 4-away with the cube at 2; at 2-away it is won anyway.
    assert gammon_value(AwayScore(2, 5), cube=2) == 0
    behind = AwayScore(2, 1, CrawfordPhase.CRAWFORD)
    won, lost = AwayScore(1, 1, CrawfordPhase.AFTER_CRAWFORD).equity(), 0.0
    assert gammon_value(behind) == pytest.approx((1 - won) / (won - lost))


@pytest.mark.parametrize(
    "score",
    [
        (0, 3, CrawfordPhase.BEFORE_CRAWFORD),
        (26, 2, CrawfordPhase.BEFORE_CRAWFORD),
        (1, 3, CrawfordPhase.BEFORE_CRAWFORD),
        (2, 3, CrawfordPhase.CRAWFORD),
        (1, 1, CrawfordPhase.CRAWFORD),
    ],
)
def test_a_score_that_cannot_be_is_refused(score):
    with pytest.raises(InvalidScore):
        AwayScore(*score)
