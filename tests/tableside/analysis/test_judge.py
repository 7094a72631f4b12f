"""Known positions: openings, replies, last rolls whose cube action can be counted out."""

import importlib.util

import numpy as np
import pytest

from engine import Play, Side, apply_play, find_rules
from engine.dice import ALL_ROLLS
from engine.position import BAR
from engine.study.cubeful import CubeEquities, CubeHolder, Stake
from engine.study.match_equity import AwayScore
from tableside.analysis.engines import MODULE, PackageEngine
from tableside.analysis.judge import Judge
from tableside.analysis.program_engine import ProgramEngine, find_program
from tableside.analysis.questions import CubeQuestion, PlayQuestion, Question
from tableside.analysis.ratings import CubeActions, Depth, Outlook, Rated

SHORT = find_rules("short")
START = SHORT.opening()


@pytest.fixture(scope="module")
def engine():
    if importlib.util.find_spec(MODULE) is None:
        pytest.skip("gnubg-nn is not installed")
    return PackageEngine()


@pytest.fixture(scope="module")
def judge(engine):
    return Judge(engine)


def play(text, dice, before=START.light, other=START.dark, **more):
    after = apply_play(
        START.with_sides(Side.LIGHT, before, other), Side.LIGHT, Play.parse(text), SHORT
    )
    fields = {"stake": Stake(), "could_double": False, "is_opening": False, **more}
    about = PlayQuestion(
        "short", (before, other), (after.light, after.dark), dice, play=text, **fields
    )
    return Question(1, 1, 1, Side.LIGHT, about)


def race(own, other, answer=None, stake=None):
    """A cube action with these points; all other checkers are borne off."""

    def side(points):
        counts = [0] * (BAR + 1)
        for point in points:
            counts[point] += 1
        counts[0] = 15 - len(points)
        return tuple(counts)

    about = CubeQuestion("short", (side(own), side(other)), stake or Stake(), answer)
    return Question(1, 1, None, Side.LIGHT, about)


@pytest.mark.parametrize(
    ("dice", "best"),
    [
        ((3, 1), "8/5 6/5"),
        ((4, 2), "8/4 6/4"),
        ((6, 1), "13/7 8/7"),
        ((5, 3), "8/3 6/3"),
        ((6, 5), "24/13"),
    ],
)
def test_the_opening_plays_are_those_of_the_books(judge, dice, best):
    answer = judge.answer(play(best, dice, is_opening=True))
    (decision,) = answer["decisions"]
    assert decision["best"] == best
    assert (decision["loss"], decision["mark"], decision["counts"]) == (0.0, "", True)


def test_a_blunder_is_marked_and_the_better_play_named(judge):
    (decision,) = judge.answer(play("6/5 6/3", (3, 1)))["decisions"]
    assert decision["best"] == "8/5 6/5"
    assert decision["mark"] == "very bad"
    assert 0.2 < decision["loss"] < 0.6
    equities = [choice["equity"] for choice in decision["choices"]]
    assert equities == sorted(equities, reverse=True)
    assert equities[0] - equities[-1] >= decision["loss"] - 1e-3


def test_a_good_roll_is_luck_and_a_forced_play_is_no_decision(judge):
    lucky, unlucky = judge.answer(play("8/5 6/5", (3, 1))), judge.answer(play("13/11 6/5", (2, 1)))
    assert lucky["luck"] > 0 > unlucky["luck"]
    closed = tuple(2 if 1 <= point <= 6 else 3 if point == 8 else 0 for point in range(BAR + 1))
    mine = tuple(1 if point == BAR else 14 if point == 0 else 0 for point in range(BAR + 1))
    about = PlayQuestion("short", (mine, closed), (mine, closed), (6, 5), Stake(), True, False, "")
    forced = judge.answer(Question(1, 1, 1, Side.DARK, about))
    assert [decision["counts"] for decision in forced["decisions"]][-1] is False


@pytest.mark.parametrize(
    ("own", "rolls", "best"),
    [((5, 2), 19, "double_take"), ((6, 1), 15, "no_double"), ((4, 1), 29, "double_drop")],
)
def test_on_the_last_roll_the_cube_action_can_be_counted_out(judge, own, rolls, best):
    """The opponent bears off next; `rolls` of 36 bear off both checkers now."""
    (decision,) = judge.answer(race(own, (1, 1)))["decisions"]
    equity = 2 * rolls / 36 - 1
    values = {choice["choice"]: choice["equity"] for choice in decision["choices"]}
    assert decision["best"] == best
    assert values["no_double"] == pytest.approx(equity, abs=1e-3)
    assert values["double_take"] == pytest.approx(2 * equity, abs=1e-3)


def test_wrong_answers_to_a_double_cost_what_they_give_up(judge):
    (take,) = judge.answer(race((4, 1), (1, 1), "take"))["decisions"]
    assert take["loss"] == pytest.approx(2 * (2 * 29 / 36 - 1) - 1, abs=1e-3)
    (drop,) = judge.answer(race((5, 2), (1, 1), "drop"))["decisions"]
    assert drop["loss"] == pytest.approx(1 - 2 * (2 * 19 / 36 - 1), abs=1e-3)
    assert (take["mark"], drop["mark"]) == ("very bad", "very bad")


def test_a_double_at_a_score_is_rated_by_the_match(judge):
    """Two away each, the cube is dead once turned: any advantage on the last roll is a double."""
    stake = Stake(score=AwayScore(2, 2))
    (decision,) = judge.answer(race((5, 2), (1, 1), stake=stake))["decisions"]
    assert (decision["best"], decision["loss"]) == ("double_take", 0.0)


@pytest.mark.parametrize(
    "stake",
    [
        Stake(),
        Stake(2, CubeHolder.OWN),
        Stake(score=AwayScore(7, 5)),
        Stake(2, CubeHolder.OWN, AwayScore(3, 4)),
        Stake(score=AwayScore(4, 2)),
    ],
)
def test_our_cube_agrees_with_gnu_backgammons(engine, stake):
    program = find_program()
    if program is None:
        pytest.skip("GNU Backgammon is not installed")
    theirs = ProgramEngine(program)
    try:
        boards = [START, apply_play(START, Side.LIGHT, Play.parse("8/5 6/5"), SHORT)]
        for position in boards:
            sides = np.array((position.dark, position.light), np.int8)
            ours = engine.rater("short").cube(sides, stake).equities
            other = theirs.rater("short").cube(sides, stake).equities
            for mine, given in zip(ours, other, strict=True):
                assert mine[0] == pytest.approx(given[0], abs=0.03)
    finally:
        theirs.close()


class PipCount:
    """An engine, and its rater, for which a pip is worth a tenth of a point."""

    name = "pips 1"

    def rater(self, variant):
        return self

    def rate(self, boards, stake):
        pips = boards[:, 0] @ np.arange(BAR + 1)
        return Rated(-pips / 10, np.zeros((len(boards), 5)))

    rate_well = rate

    def cube(self, board, stake, depth=Depth.CUBE):
        zero = np.zeros(1)
        return CubeActions(
            CubeEquities(zero, zero, zero), Outlook(np.zeros(len(ALL_ROLLS)), np.zeros(5))
        )

    def close(self):
        """Nothing is left open."""


def last(point):
    """One checker on `point`, and 14 borne off."""
    return tuple(1 if one == point else 14 if one == 0 else 0 for one in range(BAR + 1))


def test_there_are_no_chances_after_the_play_that_ends_the_game():
    judge = Judge(PipCount())
    off = (15, *[0] * BAR)
    about = PlayQuestion("short", (last(1), START.dark), (off, START.dark), (2, 1), Stake(),
                         could_double=False, is_opening=False, play="1/off")  # fmt: skip
    assert judge.answer(Question(1, 1, 1, Side.LIGHT, about))["chances"] is None
    assert judge.answer(play("8/5 6/5", (3, 1)))["chances"] is not None


def test_an_illegal_play_that_was_made_is_among_the_choices_but_never_the_best():
    (decision,) = Judge(PipCount()).answer(play("13/8", (3, 1)))["decisions"]
    assert decision["choices"][0]["choice"] == "13/8"
    assert decision["best"] != "13/8"
    assert decision["loss"] == 0


def test_a_play_that_does_not_count_has_no_mark():
    """Only one play was legal; the illegal one that was made instead cost two pips."""
    sides = last(20), START.dark
    about = PlayQuestion("short", sides, sides, (2, 1), Stake(),
                         could_double=False, is_opening=False, play="")  # fmt: skip
    (decision,) = Judge(PipCount()).answer(Question(1, 1, 1, Side.LIGHT, about))["decisions"]
    assert (decision["counts"], decision["mark"]) == (False, "")
    assert decision["loss"] == pytest.approx(0.2)
