"""`.mat` as its many writers write it."""

from __future__ import annotations

import pytest

from engine import Position, Roll, Side, find_rules
from engine.formats.detect import read_match
from engine.formats.mat.read import read_mat
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import CubeAction, CubeMove, MatchFile, RollAction
from engine.formats.validate.replay import replay
from engine.play import Move
from tests.match_files import GNUBG_MATCHES, after, mat_of, match_contents, stored

SHORT = find_rules("short")
OPENING = SHORT.opening()


def read(*rows: str, **more) -> MatchFile:
    return read_match(mat_of(*rows, **more))


def actions(*rows: str):
    return read(*rows).games[0].actions


def last_position(*rows: str) -> Position:
    played = replay(read(*rows))
    assert played.faults == ()
    return played.games[0].steps[-1].after


def illegal(match: MatchFile) -> list[str]:
    return [step.rule for game in replay(match).games for step in game.illegal]


@pytest.mark.parametrize("name", GNUBG_MATCHES)
def test_what_gnubg_wrote_reads_back_whole_and_alike_in_both_formats(name):
    mat, sgf = read_match(stored(f"{name}.mat.gz")), read_match(stored(f"{name}.sgf.gz"))
    assert replay(mat).faults == replay(sgf).faults == ()
    assert illegal(mat) == illegal(sgf) == []
    assert match_contents(mat) == match_contents(sgf)
    assert (mat.players, mat.length) == (sgf.players, sgf.length)


def test_a_match_has_its_names_its_length_its_score_and_its_heads():
    match = read_mat(
        '\ufeff; [Site "Club"]\r\n; [Player 1 "Ann"]\r\n\r\n 5 point match\r\n\r\n Game 3\r\n'
        " Ann B : 2            Bob : 4\r\n  1)                             31: 8/5 6/5\r\n"
    )
    game = match.games[0]
    assert (match.players, match.length, match.header("Site")) == (("Ann B", "Bob"), 5, "Club")
    assert (game.number, game.score, match.crawford_game()) == (3, (2, 4), 3)
    assert game.actions == (RollAction(Side.DARK, Roll(3, 1), (Move(8, 5), Move(6, 5)), 8),)
    assert match.faults == ()


@pytest.mark.parametrize(
    ("line", "names", "score"),
    [
        (" Nicolas HARMAND : 0Johan HUYCK : 2", ("Nicolas HARMAND", "Johan HUYCK"), (0, 2)),
        ("  : 0            lasse : 0", ("", "lasse"), (0, 0)),
        (" a:3 b:4", ("a", "b"), (3, 4)),
    ],
)
def test_names_may_lack_blanks_or_letters(line, names, score):
    match = read_mat(f" 7 point match\n Game 1\n{line}\n  1) 31: 8/5 6/5\n")
    assert (match.players, match.games[0].score, match.faults) == (names, score, ())


def test_a_lone_cell_belongs_to_its_column():
    for margin, side in [(1, Side.LIGHT), (2, Side.LIGHT), (29, Side.DARK), (35, Side.DARK)]:
        assert actions(f"  1){' ' * margin}31: 8/5 6/5")[0].side is side


@pytest.mark.parametrize(
    "row",
    [
        "  1) 33: 8/5 8/5 6/3 6/3 41: 24/23 13/9",
        "  1) 33: 8/5(2) 6/3(2)          41: 24/23 13/9",
        "  1) 33: 8/5(2) 6/3(2)41: 24/23 13/9",
        "  1) 33: 8/56/38/56/3  41: 13/9 24/23",
        "100) 33: 8/5 8/5 6/3(2)                41: 13/9  24/23",
        "\t1) 33: 8/5(2) 6/3(2)\t\t41: 24/23 13/9",
        "1) 33: 8/5 6/3 8/5 6/3      41: 24/23  13/9",
    ],
)
def test_cells_are_separated_whatever_is_between_them(row):
    first = after("8/5(2) 6/3(2)", OPENING, Side.LIGHT, SHORT)
    assert last_position(row) == after("24/23 13/9", first, Side.DARK, SHORT)


def test_hits_are_made_with_and_without_stars_in_hops_and_in_chains():
    opening = "  1) 62: 24/18 13/11             "
    for play in ("64: 13/7* 11/7", "64: 13/7 8/4"):
        assert last_position(f"{opening}{play.replace('11/7', '8/4')}").light[25] == 1
    hops = "  1) 63: 24/15                   31: 8/5 6/5"
    assert last_position(hops) == last_position(hops.replace("24/15", "24/18/15"))


@pytest.mark.parametrize("text", ["66: ", "66:", "66: Cannot Move", "66: cannot move"])
def test_a_pass_is_written_in_many_ways(text):
    (*_, passed) = actions("  1) 31: 8/5 6/5   31: 8/5 6/5", f"  2) {text}")
    assert passed.moves == ()


def test_bar_and_off_are_words_or_numbers():
    words = actions("  1) 61: bar/24 6/off   61: Bar/24 6/Off")
    numbers = actions("  1) 61: 25/24 6/0   61: 25/24* 6/0")
    assert [move.source for move in words[0].moves] == [25, 6]
    assert [a.moves[1] for a in words] == [a.moves[1] for a in numbers] == [Move(6, 0)] * 2


def test_dice_without_a_play_are_no_illegal_play():
    match = read("  1) 31: 8/5 6/5        63: ????", "      Wins 1 point")
    played = replay(match)
    assert (illegal(match), played.plays, played.games[0].how) == ([], 2, "resign")
    assert match.games[0].actions[-1].moves is None


def test_an_empty_last_roll_of_a_game_that_is_given_up_is_no_illegal_play():
    given_up = read("  1) 31: 8/5 6/5        63:", "      Wins 1 point")
    assert illegal(given_up) == []
    assert illegal(read("  1) 31: 8/5 6/5        63:", "  2) 31: 24/23 13/10")) == [
        "no checker was moved, but 6-3 can be played"
    ]


def test_a_loser_who_resigns_is_read_as_galaxy_writes_it():
    match = read("  1) 31: 8/5 6/5                  Losses 2 point", "      Wins 2 points")
    result = match.games[0].result
    assert (result.winner, result.points, match.faults) == (Side.LIGHT, 2, ())
    alone = read("  1) 31: 8/5 6/5                  Losses 2 point").games[0].result
    assert (alone.winner, alone.points) == (Side.LIGHT, 2)


@pytest.mark.parametrize(
    ("rows", "points"),
    [
        (["  1) 31: 8/5 6/5                      66: ????", "  2)  Wins 2 point"], 2),
        (["  1) 31: 8/5 6/5                      00: ????", "  2)  Wins 1 point"], 1),
        (["  1) 31: 8/5 6/5          62: 24/18", "      Wins 3 points and the     match"], 3),
        (
            ["  1) 31: 8/5 6/5          62: Illegal play", "      Resigned Game", "  Wins 1 point"],
            1,
        ),
        (["  1) 31: 8/5 6/5          Resign gammon", "      Wins 2 points"], 2),
        (["  1) 31: 8/5 6/5          Doubles ==> 2", "  2) Drops               Wins 1 point"], 1),
    ],
)
def test_a_game_is_given_up_as_heroes_snowie_and_others_write_it(rows, points):
    """Studio, where Heroes is played, hides the last roll; some write the half of its play."""
    box = "+--------------+\n|  Spring 1993 |\n+--------------+"
    match = read(*rows, head=box)
    (played,) = replay(match).games
    assert (replay(match).faults, played.illegal) == ((), ())
    assert played.how in {"resign", "drop"}
    assert played.game.result.points == points


@pytest.mark.parametrize(("points", "most"), [(2008, 7), (100, 7), (6, 3), (4, 3)])
def test_more_than_anybody_can_resign_is_a_fault(points, most):
    """Studio records 2008 points for a player who leaves, GamesGrid 100."""
    match = read("  1) 31: 8/5 6/5                      66: ????", f"  2)  Wins {points} points")
    assert [str(fault.message) for fault in replay(match).faults] == [
        f"{points} points are recorded, but {most} can be resigned at most"
    ]


def test_ratings_in_names_the_smaller_die_first_and_a_die_without_a_checker_are_read():
    """As GamesGrid wrote text for Snowie, and others."""
    match = read_mat(
        " 5 point match\n Game 1\n Ann,1770 : 0                  Bob,1760 : 0\n"
        "; Set Pos=-A----------------------a-/0\n  1) 12: 1/0 0/0\n      Wins 1 point\n"
    )
    assert match.players == ("Ann,1770", "Bob,1760")
    assert match.games[0].actions[0].moves == (Move(1, 0),)
    assert illegal(match) == []


def test_a_missing_line_break_is_a_fault_and_both_rows_are_read():
    match = read("  1) 31: 8/5 6/5                 21: 24/21 2)  Losses 1 point")
    assert [fault.line for fault in match.faults] == [7]
    assert "line break" in str(match.faults[0].message)
    assert len(match.games[0].actions) == 2


def test_cube_actions_and_beavers_follow_the_cube():
    rows = [
        "  1) 31: 8/5 6/5                 62: 24/18 13/11",
        "  2)  Doubles => 2                Takes",
        "  3) 31: 24/23 13/10              Doubles => 4",
        "  4)  Drops                       Wins 2 points",
    ]
    played = replay(read(*rows))
    assert (played.faults, played.games[0].how) == ((), "drop")
    beaver = ["  2)  Doubles => 2                Beavers => 4", "  3) 31: 24/23 13/10"]
    steps = replay(read(rows[0], *beaver, length=0)).games[0].steps
    deeds = [step.action.cube_action for step in steps if isinstance(step.action, CubeMove)]
    assert deeds == [CubeAction.DOUBLE, CubeAction.BEAVER, CubeAction.TAKE]
    assert (steps[-1].cube, steps[-1].owner) == (4, Side.DARK)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (["  1)  Takes"], "no double was offered"),
        (["  1)  Doubles => 2                31: 8/5 6/5"], "not been answered"),
        (["  1)  Doubles => 8                Takes"], "should be 2"),
        (["  1)  Doubles => 2                Takes", "  2)  Doubles => 4"], "owns the cube"),
        (["  1) 31: 8/5 6/5", "  2) 31: 8/5 6/5"], "twice in a row"),
        (["  1) 71: 8/5 6/5"], "1 to 6"),
        (["  1) 31: 8/x 6/5"], "cannot read"),
        (["  1) 31: dances"], "cannot read"),
        (["  1) something else"], "cannot read"),
        (["what is this"], "cannot read"),
        (["  1) 31: 8/5 6/5     31: 8/5 6/5      31: 8/5 6/5"], "third cell"),
        (["  1) 62: 24/18 12/10"], "no checker on the 12 point"),
        (["  1) 55: 24/19(2) 13/8(2)"], "the opponent holds"),
        (["  1) 62: Illegal play (1;2;3)"], "Snowie"),
        (["  1)  Doubles => 2                Drops", "      Wins 3 points"], "was worth 1"),
        (["  1)  Doubles => 2                Drops", "      Wins 1 point"] * 2, "after a drop"),
    ],
)
def test_what_does_not_fit_is_a_fault_with_its_line_and_reading_goes_on(rows, says):
    faults = replay(read(*rows, length=25)).faults
    assert any(says in str(fault.message) for fault in faults), faults
    assert all(fault.line >= 7 for fault in faults)


def test_scores_that_do_not_follow_are_faults():
    text = mat_of("  1) 31: 8/5 6/5", "      Wins 2 points").decode()
    match = read_mat(f"{text}\n Game 2\n Ann : 1    Bob : 0\n  1) 31: 8/5 6/5\n")
    assert [str(f.message) for f in replay(match).faults] == [
        "game 2 begins at 1:0, but 2:0 was reached"
    ]


@pytest.mark.parametrize(
    ("play", "rule"),
    [
        ("62: 24/18 13/10", "13/10 uses a 3"),
        ("62: 24/18", "only the 6 was played"),
        ("62: 13/11 6/8", "backwards"),
        ("62:  ", "no checker was moved"),
    ],
)
def test_illegal_plays_are_found_and_named(play, rule):
    rules = illegal(read(f"  1) {play:<30} 31: 8/5 6/5"))
    assert len(rules) == 1
    assert rule in rules[0]


def test_after_a_play_that_cannot_be_followed_no_other_is_blamed():
    match = read("  1) 62: 24/18 12/10  62: 24/18 12/10", "  2) 11: 13/1  44: 24/20")
    assert len(illegal(match)) == 1
    assert len(replay(match).faults) == 1


def test_snowies_illegal_play_sets_the_board():
    snowie = (
        "7;0;0;0;1;Ann;Bob;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;6;2;"
    )
    shifted = snowie.replace("0;0;0;0;2;0;6;2;", "1;0;0;0;1;0;6;2;")
    (step,) = replay(read(f"  1) 62: Illegal play ({shifted})")).games[0].steps
    assert (step.after.light[20], step.after.light[24], step.after.dark) == (1, 1, OPENING.dark)
    assert step.rule


def test_xgs_set_position_is_the_start_of_a_game():
    rows = "; Set Pos=-a----E-C---eE---c-e---AA-/0", "  1) 31: 8/5 6/5"
    (game,) = replay(read(*rows)).games
    assert (game.start.light[23], game.start.dark[24]) == (1, 1)


def test_a_variation_that_we_know_has_its_own_start_and_another_is_a_fault():
    nack = read("  1) 31: 8/5 6/5", head='; [Variation "NackGammon"]')
    assert (nack.variant, nack.faults) == ("nackgammon", ())
    odd = read("  1) 31: 8/5 6/5", head='; [Variation "Chess"]')
    assert odd.variant == "short"
    assert "no rules for the variation 'Chess'" in str(odd.faults[0].message)


def test_a_single_game_without_a_head_is_read_with_a_fault():
    match = read_mat("  1) 31: 8/5 6/5                 62: 24/18 13/11\n")
    assert len(match.games[0].actions) == 2
    assert len(match.faults) == 2


@pytest.mark.parametrize("text", ["", "hello", "\n" * 50, "; [Site 1]"])
def test_a_text_that_is_no_match_is_an_error(text):
    with pytest.raises(InvalidMatchFile, match="not a match file"):
        read_mat(text)
