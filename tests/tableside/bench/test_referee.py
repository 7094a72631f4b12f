"""The referee's figures are counted as documented: aligned with the truth, bounded honestly."""

import io
import json
from argparse import Namespace
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UnknownNoise
from engine.events.match import IllegalMade, PlayMade
from engine.match.state import MatchState, Turn
from engine.position import Side
from engine.rules import SHORT
from engine.ruleset import GameOptions
from engine.simulation.match import MatchTruth, PlayerHabits, RuleBreach, TruePlay
from engine.simulation.reader_errors import ReaderNoise
from engine.simulation.score import align, score_match, silent_errors
from engine.simulation.trial import USUAL_CONDITIONS, TrialConditions, run_trial
from tableside import cli
from tableside.bench.referee import Figure, figures_of
from tableside.commands.bench import bench_referee
from tableside.errors import StoreError

OPENING = SHORT.opening()
PERFECT = TrialConditions(ReaderNoise(), PlayerHabits())


def position(number):
    """One of many different positions."""
    vector = [0] * 26
    vector[1 + number % 24], vector[0] = 1 + number // 24, 14 - number // 24
    return OPENING.with_sides(Side.LIGHT, tuple(vector), OPENING.dark)


def side(number):
    return Side.LIGHT if number % 2 else Side.DARK


def true(number, slip=None):
    return TruePlay(1, side(number), position(number - 1), position(number), (2, 1), slip)


def recorded(number, kind=PlayMade, **fields):
    return kind(
        time=0.0, frame=0, player=side(number), dice=(2, 1), play="", position=position(number),
        **fields,
    )  # fmt: skip


def scored(plays, made):
    turns = tuple(Turn(1, OPENING, one) for one in made)
    return score_match(MatchTruth(list(plays)), MatchState(turns=turns))


def numbers(count):
    return range(1, count + 1)


def test_a_true_record_is_right():
    score, _ = scored(map(true, numbers(9)), map(recorded, numbers(9)))
    assert (score.turns, score.right, score.dice_right, score.silent_errors) == (9, 9, 9, 0)


def test_a_missed_turn_shifts_nothing():
    score, pairs = scored(map(true, numbers(9)), [recorded(n) for n in numbers(9) if n != 4])
    assert (score.right, score.silent_errors) == (8, 1)
    assert pairs[3].recorded is None


def test_an_invented_turn_shifts_nothing():
    made = [recorded(n) for n in numbers(9)]
    score, pairs = scored(map(true, numbers(9)), [*made[:4], recorded(50), *made[4:]])
    assert (score.turns, score.right, score.silent_errors) == (9, 9, 1)
    assert [pair.true is None for pair in pairs].count(True) == 1


def test_a_wrong_play_is_one_fault_and_not_two():
    made = [recorded(n) for n in numbers(9)]
    made[4] = replace(made[4], position=position(60))
    assert scored(map(true, numbers(9)), made)[0].silent_errors == 1
    made[4] = replace(made[4], review=True)
    score, _ = scored(map(true, numbers(9)), made)
    assert (score.right, score.silent_errors, score.for_review) == (8, 0, 1)


def test_a_missed_turn_is_flagged_by_its_neighbour():
    made = [recorded(n, review=n == 5) for n in numbers(9) if n != 4]
    assert scored(map(true, numbers(9)), made)[0].silent_errors == 0


def test_right_dice_are_counted_apart():
    made = [recorded(1), replace(recorded(2), dice=(6, 1))]
    score, _ = scored(map(true, numbers(2)), made)
    assert (score.right, score.dice_right) == (2, 1)


def test_illegal_plays_are_found_missed_or_invented():
    plays = [true(1, RuleBreach.MISPLACED), true(2, RuleBreach.MISPLACED), true(3)]
    made = [recorded(1, IllegalMade), recorded(2), recorded(3, IllegalMade)]
    score, pairs = scored(plays, made)
    assert (score.illegal, score.illegal_found, score.false_accusations) == (2, 1, 1)
    assert (score.right, silent_errors(pairs)) == (1, [1, 2])


def test_an_illegal_play_for_review_is_counted_apart():
    plays = [true(n, RuleBreach.MISCOUNTED) for n in range(1, 4)]
    made = [recorded(1, IllegalMade, review=True), recorded(2, review=True), recorded(3)]
    score, _ = scored(plays, made)
    assert (score.illegal, score.illegal_found, score.illegal_for_review) == (3, 1, 1)
    assert figures_of(score)["illegal, caught or asked"] == Figure(2, 3)


def test_a_play_that_was_sent_back_for_nothing_is_a_false_accusation():
    turns = (
        Turn(1, OPENING, recorded(7, IllegalMade), rejected=True),
        Turn(1, OPENING, recorded(1)),
    )
    score, _ = score_match(MatchTruth([true(1)]), MatchState(turns=turns))
    assert (score.right, score.false_accusations) == (1, 1)


@given(
    st.lists(st.integers(1, 6), max_size=12),
    st.lists(st.integers(1, 6), max_size=12),
)
@settings(max_examples=80)
def test_every_turn_is_paired_once_and_in_order(plays, made):
    plays, made = [true(n) for n in plays], [recorded(n) for n in made]
    pairs = align(plays, made)
    assert [pair.true for pair in pairs if pair.true is not None] == plays
    assert [pair.recorded for pair in pairs if pair.recorded is not None] == made
    longest = max(len(plays), len(made))
    assert longest <= len(pairs) <= len(plays) + len(made)


def test_bounds_are_those_of_the_tables():
    def upper(hits, number):
        return Figure(hits, number, is_more_better=False).bound

    def lower(hits, number):
        return Figure(hits, number).bound

    assert upper(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert upper(1, 20) == pytest.approx(0.2161, abs=1e-4)
    assert lower(20, 20) == pytest.approx(0.05 ** (1 / 20))
    assert (upper(5, 5), lower(0, 5)) == (1, 0)
    assert Figure(0, 0).bound is None


def test_a_whole_game_without_noise_is_recorded_without_an_error():
    trial = run_trial(2, 1, PERFECT)
    score = trial.score
    assert score.turns == score.right == score.dice_right == score.right_without_rules > 30
    assert (score.silent_errors, score.false_accusations, score.games) == (0, 0, 1)
    assert list(trial.errors) == []


def test_a_game_with_moves_left_over_and_rolls_again_is_recorded_without_an_error():
    trial = run_trial(0, 1, PERFECT, GameOptions(variant="khachapuri"))
    assert trial.score.turns == trial.score.dice_right > 30
    plays = [pair.true for pair in trial.pairs]
    assert any(play.dice is None and play.after != play.before for play in plays)
    assert any(one.side is two.side for one, two in pairwise(plays) if one.dice and two.dice)


def test_the_figures_are_those_of_the_chosen_variant():
    assert bench(variant="hypergammon", noise=[("sight", 0.0)]).startswith("hypergammon: 1 game, ")


@pytest.mark.slow
def test_the_figures_are_those_of_the_chosen_house_rules():
    options = {"variant": "narde", "preset": "home_block", "noise": [("sight", 0.0)]}
    assert bench(**options).startswith("narde, home_block: 1 game, ")
    (run,) = json.loads(bench(**options, json=True))
    assert (run["variant"], run["preset"]) == ("narde", "home_block")


def test_json_names_the_variant():
    (run,) = json.loads(bench(variant="hypergammon", json=True))
    assert run["variant"] == "hypergammon"
    (usual,) = json.loads(bench(json=True, noise=[("sight", 0.0)]))
    assert usual["variant"] == "short"


@pytest.mark.slow
def test_a_run_is_resumed_from_its_file_even_if_its_last_line_was_cut_off(tmp_path):
    log = tmp_path / "run.jsonl"
    whole = bench(variant="hypergammon", referee=4, json=True)
    bench(variant="hypergammon", referee=3, resume=log)
    first = log.read_text()
    log.write_text(first + first[:50])
    resumed = bench(variant="hypergammon", referee=4, json=True, resume=log)
    assert log.read_text().startswith(first)
    assert len(log.read_text().splitlines()) == 2
    (one,), (two,) = json.loads(whole), json.loads(resumed)
    assert {**one, "us_a_turn": 0} == {**two, "us_a_turn": 0}


def test_only_matches_of_the_same_kind_are_taken_from_the_file(tmp_path):
    log = tmp_path / "run.jsonl"
    bench(variant="hypergammon", resume=log)
    bench(variant="hypergammon", resume=log, noise=[("sight", 0.02)])
    bench(variant="nackgammon", resume=log)
    bench(variant="hypergammon", resume=log)
    assert len(log.read_text().splitlines()) == 3


def test_a_file_of_another_kind_is_not_added_to(tmp_path):
    log = tmp_path / "photo.jpg"
    log.write_text("{}\n")
    with pytest.raises(StoreError, match="not a log of simulated games"):
        bench(variant="hypergammon", resume=log)
    assert log.read_text() == "{}\n"


def test_conditions_are_chosen_by_name_and_reported():
    chosen = PERFECT.with_settings([("sight", 0.02), ("hasty", 0.1), ("off_is_seen", 0.0)])
    assert chosen == TrialConditions(
        ReaderNoise(sight=0.02, off_is_seen=False), PlayerHabits(hasty=0.1)
    )
    assert str(chosen) == "sight=0.02 off_is_seen=0 hasty=0.1"
    assert str(PERFECT) == ""
    with pytest.raises(UnknownNoise, match=r"no noise 'fog'; known: sight, .*lost_pairs"):
        USUAL_CONDITIONS.with_settings([("fog", 0.1)])


def bench(**options):
    out = io.StringIO()
    usual = {"noise": None, "curve": False, "seed": None, "out": None, "json": False}
    usual |= {"variant": None, "preset": None, "resume": None}
    bench_referee(Namespace(**{**usual, "referee": 1, **options}), out)
    return out.getvalue()


def test_a_run_reports_every_figure_with_its_bound(tmp_path):
    text = bench(out=tmp_path, noise=[("sight", 0.0)])
    assert text.startswith("short: 1 game, ")
    assert "plays right" in text
    assert ">=" in text
    (figures,) = json.loads((tmp_path / "referee.json").read_text())
    assert figures["plays right"]["of"] == figures["turns"]
    assert not (tmp_path / "referee.png").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--noise", "sight=0.1"], "--referee GAMES"),
        (["--curve"], "--referee GAMES"),
        (["--variant", "narde"], "--referee GAMES"),
        (["--referee", "1", "--variant", "chess"], "no variant 'chess'"),
        (["--referee", "0"], "at least one game"),
        (["--referee", "1", "--stills", "."], "not both"),
        (["--referee", "1", "--noise", "fog=0.1"], "no noise 'fog'"),
    ],
)
def test_options_of_the_simulation_that_do_not_fit_are_wrong_usage(words, says, capsys):
    assert cli.main(["bench", *words]) == 2
    assert says in capsys.readouterr().err


def test_a_share_beyond_one_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["bench", "--referee", "1", "--noise", "sight=3"])
    assert left.value.code == 2
    assert "not a name and a rate" in capsys.readouterr().err
