"""What the real gnubg reads otherwise, and why: the exceptions that match-text.md names."""

from __future__ import annotations

import re

import pytest

from engine import Play, Position, Roll, Side, find_rules, read_match
from engine.formats.json_text import json_text
from engine.formats.mat.write import mat_text
from engine.formats.model.match_file import GameFile, GameResult, MatchFile, RollAction
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.replay import replay
from tests.gnubg import imported
from tests.match_files import mat_of

ROLLED = "  1) 31: 8/5 6/5                  64: 24/18 18/14"
DOUBLED = "  2)  Doubles => 2                 Beavers => 4"
RULES = ["", "Crawford", "Crawford:CrawfordGame"]


def mat(*rows: str, length: int = 0) -> str:
    return mat_of(*rows, length=length).decode()


def sgf(rules: str) -> str:
    """A game at 2:1 in a match to 3, without a double, as another program writes it."""
    root = "(;GM[6]AP[Other]MI[length:3][game:3][ws:2][bs:1]PW[A]PB[B]"
    return f"{root}RU[{rules}];W[31hefe];B[64xrrn];W[21mkfe])"


def crawford_of(match: MatchFile) -> tuple[bool, int | None]:
    return match.has_crawford, match.crawford_game()


@pytest.mark.parametrize("rules", RULES)
def test_the_crawford_rule_of_an_sgf_is_what_its_words_say_as_in_gnubg(rules, tmp_path):
    given = sgf(rules)
    match = read_match(given)
    assert crawford_of(match) == ("Crawford" in rules, 4 if "CrawfordGame" in rules else None)
    for text in (given, sgf_text(match)):
        theirs = imported(text, "given.sgf", tmp_path)
        assert crawford_of(read_match(theirs.sgf)) == crawford_of(match)
    for write in (sgf_text, mat_text, json_text):
        assert crawford_of(read_match(write(match))) == crawford_of(match), write.__name__


def test_a_match_has_the_crawford_rule_if_any_of_its_games_says_so():
    first = "(;GM[6]MI[length:3][game:0][ws:0][bs:0]RE[W+2];W[31hefe])"
    assert crawford_of(read_match(first + sgf("Crawford:CrawfordGame"))) == (True, 4)
    assert crawford_of(read_match(first + sgf(""))) == (False, None)


@pytest.mark.parametrize("rules", ["", "Crawford"])
def test_gnubg_takes_the_first_game_of_a_mat_at_the_score_for_the_crawford_game(rules, tmp_path):
    """Whatever the headers say; only an earlier game in the file makes it the one after."""
    text = mat_text(read_match(sgf(rules)))
    assert crawford_of(read_match(imported(text, "ours.mat", tmp_path).sgf)) == (True, 4)
    earlier = " Game 3\n A : 2                          B : 0\n\n Game 4"
    theirs = imported(text.replace(" Game 4", earlier), "two.mat", tmp_path)
    assert crawford_of(read_match(theirs.sgf)) == (True, 3)


@pytest.mark.parametrize("setting", ["", "set jacoby off"])
def test_gnubg_assumes_the_jacoby_rule_for_a_mat_as_it_is_set_to(setting, tmp_path):
    text = mat_text(read_match(mat(ROLLED)))
    theirs = imported(text, "ours.mat", tmp_path, setting)
    assert read_match(theirs.sgf).header("Jacoby") == ("" if setting else "On")


def test_gnubg_gives_a_cube_above_one_at_the_start_of_a_mat_to_a_player(tmp_path):
    rolled = read_match(mat(ROLLED)).games[0].actions
    match = MatchFile(("A", "B"), 0, (GameFile(1, actions=rolled, cube=2),))
    assert b"CP[b]" in imported(mat_text(match), "ours.mat", tmp_path).sgf
    in_sgf = imported(sgf_text(match), "ours.sgf", tmp_path).sgf
    assert (b"CP[" in in_sgf, read_match(in_sgf).games[0].cube) == (False, 2)


@pytest.mark.parametrize("winner", Side)
def test_gnubg_finds_the_result_of_a_game_resigned_before_its_first_roll(winner, tmp_path):
    result = GameResult(winner, 2)
    score = (2, 0) if winner is Side.LIGHT else (0, 2)
    rolled = read_match(mat(ROLLED)).games[0].actions
    games = (GameFile(1, result=result), GameFile(2, score, rolled))
    match = MatchFile(("A", "B"), 5, games)
    for write, name in ((mat_text, "ours.mat"), (sgf_text, "ours.sgf")):
        for text in (write(match).encode(), imported(write(match), name, tmp_path).sgf):
            back = replay(read_match(text))
            ends = [one.game.result for one in back.games]
            assert ends[0] is not None
            assert (ends[0].winner, ends[0].points, ends[1]) == (winner, 2, None)
            assert back.faults == ()
    assert "Set Pos" not in mat_text(MatchFile(("A", "B"), 5, games[1:]))


@pytest.mark.parametrize(
    ("rows", "cube"),
    [([DOUBLED], 2), ([DOUBLED, "  3)  Raccoons => 8"], 4)],
    ids=["beaver", "raccoon"],
)
def test_gnubg_counts_the_points_of_a_resignation_by_the_offers_that_were_answered(
    rows, cube, tmp_path
):
    """A beaver answers the double, so the cube is at 2; a raccoon answers the beaver."""
    for points in (1, 3, 4, 6):
        match = read_match(mat(ROLLED, *rows, f"      Wins {points} points"))
        for write, name in ((mat_text, "ours.mat"), (sgf_text, "ours.sgf")):
            theirs = imported(write(match), name, tmp_path, "set jacoby off").sgf
            up = name.endswith(".mat")
            times = min(3, max(1, -(-points // cube) if up else points // cube))
            found = re.search(rb"RE\[W\+([0-9]+)R\]", theirs)
            assert found is not None
            assert int(found[1]) == times * cube, (name, points)


def test_a_checker_borne_off_from_beyond_both_dice_is_written_as_the_board_it_leaves(tmp_path):
    before = Position.parse("light 5:1 4:1 3:2 2:3 1:5 off:3 | dark 5:8 3:2 2:5")
    moves = Play.parse("5/off 2/1").moves
    actions = (
        RollAction(Side.LIGHT, Roll(4, 3), moves),
        RollAction(Side.DARK, Roll(5, 4), Play.parse("5/off 5/1").moves),
    )
    game = GameFile(1, actions=actions, start=before)
    match = MatchFile(("A", "B"), 0, (game,))
    wanted = [step.after for step in replay(match).games[0].steps]
    assert find_rules("short").outcome(wanted[-1]) is None
    for write, name in ((mat_text, "ours.mat"), (sgf_text, "ours.sgf")):
        theirs = imported(write(match), name, tmp_path)
        steps = replay(read_match(theirs.sgf)).games[0].steps
        assert ([step.after for step in steps], theirs.complaints) == (wanted, [])
