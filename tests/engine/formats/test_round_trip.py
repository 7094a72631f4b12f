"""What we write, we read back, and the real gnubg reads and repeats."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import GameEnd, GameStart, Play, Position, Side, apply_play, find_rules, legal_plays
from engine.cube import CubeRules
from engine.events.match import Doubled, DoubleDropped, DoubleTaken, OpeningRolled, PlayMade
from engine.events.record import PositionFound, PositionSet
from engine.formats.csv_text import csv_text
from engine.formats.detect import read_match
from engine.formats.from_events import match_from_events
from engine.formats.ids.match_id import gnubg_ids, parse_gnubg_ids
from engine.formats.json_text import json_text
from engine.formats.mat.write import mat_text, xg_text
from engine.formats.model.errors import NotInFormat
from engine.formats.model.match_file import (
    BoardSet,
    CubeAction,
    CubeMove,
    GameFile,
    GameResult,
    MatchFile,
    RollAction,
)
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.replay import replay
from engine.ruleset import RuleSet
from tests.gnubg import imported, run
from tests.match_files import (
    GNUBG_MATCHES,
    RandomMatch,
    mat_of,
    match_contents,
    passing_match,
    stored,
    write_mat,
)

VARIANTS = ["short", "nackgammon", "hypergammon", "longgammon"]
TEXTS = {"mat": mat_text, "xg": xg_text, "sgf": sgf_text, "json": json_text}
matches = st.builds(
    lambda seed, variant, has_illegal: RandomMatch(seed, variant, has_illegal).made(),
    st.integers(0, 10**6),
    st.sampled_from(VARIANTS),
    st.booleans(),
)


@pytest.mark.parametrize("name", TEXTS)
@given(match=matches)
@settings(max_examples=12)
def test_what_is_written_reads_back_the_same(name, match):
    text = TEXTS[name](match)
    back = read_match(text.encode())
    assert match_contents(back) == match_contents(match)
    assert (back.players, back.length, back.faults) == (match.players, match.length, ())
    assert back.variant == match.variant
    # A play that only a set-up board can hold loses its moves once, and nothing afterwards.
    again = TEXTS[name](back)
    assert TEXTS[name](read_match(again.encode())) == again


def check_passing(variant: str, seed: int) -> None:
    match = passing_match(seed, variant)
    for text in (mat_text(match), xg_text(match)):
        back = read_match(text.encode())
        assert replay(back).faults == ()
        assert not any(game.illegal for game in replay(back).games)
        assert match_contents(back) == match_contents(match)


PASSING = ["gulbar", "crazy_gulbar", "khachapuri", "giul"]


@pytest.mark.parametrize("variant", PASSING)
def test_moves_that_pass_on_and_repeated_rolls_are_read_back_without_a_fault(variant):
    check_passing(variant, 1)


@pytest.mark.slow
@pytest.mark.parametrize("variant", PASSING)
def test_moves_that_pass_on_are_read_back_in_two_hundred_games(variant):
    for seed in range(200):
        check_passing(variant, seed)


def test_a_roll_that_was_not_seen_is_not_read_as_if_it_had_been():
    rolled = RollAction(Side.LIGHT, None, Play.parse("24/20").moves, seen=(4, None))
    match = MatchFile(("A", "B"), 7, (GameFile(1, actions=(rolled,)),))
    back = read_match(mat_text(match).encode()).games[0].actions[0]
    assert (back.roll, back.seen) == (None, (4, None))


@given(match=matches)
@settings(max_examples=12)
def test_json_holds_everything(match):
    assert read_match(json_text(match).encode()) == match


@given(match=matches)
@settings(max_examples=5)
def test_the_table_has_a_line_for_every_action_and_every_result(match):
    lines = list(csv.reader(io.StringIO(csv_text(match))))
    wanted = sum(len(game.actions) + (game.result is not None) for game in match.games)
    assert len(lines) == 1 + wanted
    assert {len(line) for line in lines} == {len(lines[0])}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["mat", "xg", "sgf"])
def test_gnubg_reads_every_file_and_writes_the_same_match(name, variant, tmp_path):
    for seed in range(3):
        match = RandomMatch(seed, variant, has_illegal=seed > 0).made()
        suffix = "sgf" if name == "sgf" else "mat"
        theirs = imported(TEXTS[name](match), f"ours.{suffix}", tmp_path)
        back = match_contents(read_match(theirs.sgf))
        assert back == match_contents(match), theirs.complaints
        assert theirs.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(50))
def test_a_thousand_random_matches_are_the_same_to_gnubg(part, tmp_path):
    """With cubes, beavers, resignations and illegal plays, in each format and variant.

    `.mat` says nothing of Jacoby, so gnubg has to be told that it is off.
    """
    for seed in range(20 * part, 20 * part + 20):
        name, variant = ("mat", "xg", "sgf")[seed % 3], VARIANTS[seed // 3 % 4]
        match = RandomMatch(seed, variant, has_illegal=seed % 5 > 0).made()
        file = f"ours.{'sgf' if name == 'sgf' else 'mat'}"
        theirs = imported(TEXTS[name](match), file, tmp_path, "set jacoby off")
        back = without_last_offers(match_contents(read_match(theirs.sgf)))
        assert (back, theirs.complaints) == (without_last_offers(match_contents(match)), []), seed


def without_last_offers(games: list[Any]) -> list[Any]:
    """Games without a double that waits at the end of a resigned one.

    gnubg adds one where a player resigns behind a redouble that was taken.
    """
    return [
        (*head, steps[:-1] if steps and steps[-1][2] is CubeAction.DOUBLE else steps)
        for *head, steps in games
    ]


@pytest.mark.parametrize("stem", GNUBG_MATCHES)
def test_import_export_import_is_the_same_to_gnubg(stem, tmp_path):
    given_text = stored(f"{stem}.mat.gz").decode()
    match = read_match(given_text.encode())
    theirs = match_contents(read_match(imported(given_text, "given.mat", tmp_path).sgf))
    for name in ("mat", "xg", "sgf"):
        suffix = "sgf" if name == "sgf" else "mat"
        ours = imported(TEXTS[name](match), f"ours.{suffix}", tmp_path)
        assert (match_contents(read_match(ours.sgf)), ours.complaints) == (theirs, [])


def test_gnubg_reaches_the_position_and_the_score_that_we_wrote(tmp_path):
    for seed in range(8):
        match = RandomMatch(seed, most_games=2).made()
        game = match.games[-1]
        plays = [a for a in game.actions if isinstance(a, RollAction)][:9]
        unfinished = MatchFile(
            match.players, 7, (GameFile(1, (2, 3), tuple(plays)),), match.variant
        )
        step = replay(unfinished).games[0].steps[-1]
        (tmp_path / "ours.mat").write_text(mat_text(unfinished))
        said = run(f"import mat {tmp_path / 'ours.mat'}\nshow board\nquit\ny\n", tmp_path)
        words = said.split()
        position, last = (
            [words[i + 2 :][0] if word == "Position" else words[i + 3 :][0]]
            for word in ("Position", "Match")
            for i in [max(i for i, one in enumerate(words) if one == word)]
        )
        state = parse_gnubg_ids(position[0], last[0])
        assert (state.position, state.score, state.length) == (step.after, (2, 3), 7)
        assert state.on_roll is step.action.side.other
        assert gnubg_ids(state)[0] == position[0]


def test_our_own_record_is_written_as_before():
    assert write_mat([]).splitlines() == ['; [Site "Tableside"]', "", " 0 point match"]


def test_an_illegal_play_that_moves_cannot_express_keeps_its_board():
    opening = find_rules("short").opening()
    board = Position(
        (*opening.light[:24], 1, 1), (*opening.dark[:23], 1, 1, 0)
    )  # a checker of each side taken off its point
    game = GameFile(1, actions=(RollAction(Side.LIGHT, None, (), board=board),))
    match = MatchFile(("A", "B"), 7, (game,))
    assert "Illegal play (" not in mat_text(match)  # no dice were seen: nothing is proved
    rolled = RollAction(Side.LIGHT, parse_roll("62"), None, board=board)
    match = MatchFile(("A", "B"), 7, (GameFile(1, actions=(rolled,)),))
    assert "62: Illegal play (7;0;" in mat_text(match)
    assert match_contents(read_match(sgf_text(match).encode())) == match_contents(match)


def parse_roll(text: str):
    from engine import Roll

    return Roll(int(text[0]), int(text[1]))


def test_a_position_set_or_found_between_plays_is_in_every_file(tmp_path):
    short = find_rules("short")
    opening = short.opening()
    first = apply_play(opening, Side.LIGHT, Play.parse("8/5 6/5"), short)
    stood = apply_play(first, Side.LIGHT, Play.parse("13/10"), short)
    last = apply_play(stood, Side.DARK, Play.parse("13/7"), short)
    start = GameStart(time=0.0, frame=0, variant="short", light="A", dark="B", position=opening)
    plays = [
        PlayMade(time=1.0, frame=1, player=Side.LIGHT, dice=(3, 1), play="8/5 6/5", position=first),
        PlayMade(time=3.0, frame=3, player=Side.DARK, dice=(4, 2), play="13/7", position=last),
    ]
    for jump in (
        PositionFound(time=2.0, frame=2, position=stood),
        PositionSet(time=2.0, frame=2, position=stood, to_move=Side.DARK),
    ):
        match = match_from_events([start, plays[0], jump, plays[1]])
        kinds = [type(action) for action in match.games[0].actions]
        assert kinds == [RollAction, BoardSet, RollAction]
        for text in (mat_text(match), sgf_text(match), json_text(match)):
            assert match_contents(read_match(text.encode())) == match_contents(match)
        theirs = imported(sgf_text(match), "ours.sgf", tmp_path)
        assert theirs.complaints == []
        assert replay(read_match(theirs.sgf)).games[0].steps[-1].after == last


def test_a_board_set_between_plays_is_written_and_read():
    opening = find_rules("short").opening()
    match = read_match(mat_of("  1) 31: 8/5 6/5", "; Set Pos=-b----E-C---eE---c-e----B-/0"))
    assert match.games[0].actions[-1] == BoardSet(opening, 8)
    for text in (mat_text(match), sgf_text(match)):
        assert match_contents(read_match(text.encode())) == match_contents(match)


def test_names_that_break_gnubg_are_made_safe(tmp_path):
    match = MatchFile(("", 'W: "Q" [x] ' + "Ä" * 40), 3, RandomMatch(3).made().games[:1])
    for text in (mat_text(match), xg_text(match)):
        theirs = imported(text, "ours.mat", tmp_path)
        assert read_match(theirs.sgf).players[0] == "Light"
        assert theirs.complaints == []


@pytest.mark.parametrize("variant", ["narde", "nardgammon", "khachapuri", "fevga"])
def test_narde_survives_where_a_format_can_hold_it(variant):
    for seed in range(3):
        match = RandomMatch(seed, variant, has_illegal=seed > 0, most_games=1).made()
        for write in (mat_text, xg_text, json_text):
            back = read_match(write(match).encode())
            assert (match_contents(back), back.variant, back.faults) == (
                match_contents(match),
                variant,
                (),
            )
        assert csv_text(match)
        with pytest.raises(NotInFormat, match=r"use \.mat"):
            sgf_text(match)


def test_the_cube_of_the_record_is_written():
    now: dict[str, Any] = {"time": 0.0, "frame": 0}
    opening = find_rules("short").opening()
    events = [
        GameStart(**now, position=opening, length=7),
        Doubled(**now, player=Side.DARK, value=2),
        DoubleTaken(**now, player=Side.LIGHT),
        Doubled(**now, player=Side.LIGHT, value=4),
        DoubleDropped(**now, player=Side.DARK),
        GameEnd(**now, winner=Side.LIGHT, points=2, result="drop"),
    ]
    assert write_mat(events).splitlines()[-4:] == [
        "  1)                              Doubles => 2",
        "  2)  Takes",
        "  3)  Doubles => 4                Drops",
        "      Wins 2 points",
    ]


def test_sgf_refuses_what_it_cannot_hold():
    with pytest.raises(NotInFormat, match="at least one game"):
        sgf_text(MatchFile(("a", "b")))


def test_a_game_resigned_while_a_beaver_waits_leaves_gnubg_the_next_game(tmp_path):
    first = RollAction(Side.LIGHT, parse_roll("31"), Play.parse("8/5 6/5").moves)
    answer = RollAction(Side.DARK, parse_roll("65"), Play.parse("24/18 18/13").moves)
    cubes = (CubeMove(Side.LIGHT, CubeAction.DOUBLE), CubeMove(Side.DARK, CubeAction.BEAVER))
    taken = (*cubes, CubeMove(Side.LIGHT, CubeAction.TAKE))
    for offered in (cubes, taken):
        games = (
            GameFile(1, (0, 0), (first, answer, *offered), GameResult(Side.LIGHT, 2)),
            GameFile(2, (2, 0), (first, answer)),
        )
        match = MatchFile(("A", "B"), 0, games)
        for text in (mat_text(match), xg_text(match)):
            theirs = imported(text, "ours.mat", tmp_path)
            assert theirs.complaints == []
            rolls = [
                step.roll_action.roll for step in replay(read_match(theirs.sgf)).games[1].steps
            ]
            assert rolls == [first.roll, answer.roll]


@pytest.mark.parametrize(
    ("roll", "play"), [("42", "24/14"), ("65", "24/18 13/5"), ("42", "13/3"), ("31", "24/18 13/6")]
)
def test_an_illegal_play_longer_than_any_die_does_not_lose_gnubg_the_game(roll, play, tmp_path):
    made = RollAction(Side.LIGHT, parse_roll(roll), Play.parse(play).moves)
    answer = RollAction(Side.DARK, parse_roll("31"), Play.parse("8/5 6/5").moves)
    match = MatchFile(("A", "B"), 7, (GameFile(1, actions=(made, answer)),))
    assert f"L: {roll} {play} accepted" in mat_text(match)
    for name, write in (("mat", mat_text), ("mat", xg_text), ("sgf", sgf_text)):
        text = write(match)
        assert match_contents(read_match(text.encode())) == match_contents(match)
        theirs = imported(text, f"ours.{name}", tmp_path)
        assert (match_contents(read_match(theirs.sgf)), theirs.complaints) == (
            match_contents(match),
            [],
        )


def test_jacoby_and_automatic_doubles_are_written_and_read_without_faults(tmp_path):
    opening = find_rules("short").opening()
    rules = RuleSet("money", cube=CubeRules(jacoby=True, automatic_doubles=1))
    now: dict[str, Any] = {"time": 0.0, "frame": 0}
    events = [
        GameStart(**now, position=opening, rule_set=rules),
        OpeningRolled(**now, light=3, dark=3),
        OpeningRolled(**now, light=3, dark=1),
        PlayMade(
            **now, player=Side.LIGHT, dice=(3, 1), play="8/5 6/5",
            position=apply_play(opening, Side.LIGHT, Play.parse("8/5 6/5"), find_rules("short")),
        ),
        Doubled(**now, player=Side.DARK, value=4),
        DoubleDropped(**now, player=Side.LIGHT),
        GameEnd(**now, winner=Side.DARK, points=2, result="drop"),
    ]  # fmt: skip
    match = match_from_events(events)
    assert "RU[Jacoby]" in sgf_text(match)
    assert "CV[2]" in sgf_text(match)
    theirs = imported(sgf_text(match), "ours.sgf", tmp_path)
    given = [text.encode() for text in (sgf_text(match), mat_text(match), json_text(match))]
    in_mat = read_match(imported(mat_text(match), "ours.mat", tmp_path).sgf)
    assert replay(in_mat).faults == ()
    (game,) = in_mat.games
    assert (game.cube, game.result and game.result.points) == (2, 2)
    for content in (*given, theirs.sgf):
        back = read_match(content)
        assert replay(back).faults == ()
        assert match_contents(back) == match_contents(match)
        assert (back.games[0].cube, back.header("Jacoby")) == (2, "On")


@pytest.mark.parametrize("variant", ["gulbar", "khachapuri"])
def test_the_roll_after_a_completed_double_is_no_fault(variant):
    rules = find_rules(variant)
    first = legal_plays(rules.opening(), Side.LIGHT, parse_roll("22"), rules)[0]
    second = legal_plays(first.position, Side.LIGHT, parse_roll("31"), rules)[0]
    rolled = (
        RollAction(Side.LIGHT, parse_roll("22"), first.play.moves),
        RollAction(Side.LIGHT, parse_roll("31"), second.play.moves),
    )
    match = MatchFile(("A", "B"), 0, (GameFile(1, actions=rolled),), variant)
    assert replay(read_match(mat_text(match).encode())).faults == ()
    thrice = MatchFile(("A", "B"), 0, (GameFile(1, actions=(*rolled, rolled[1])),), variant)
    assert "rolls twice" in str(replay(thrice).faults[0].message)


def _after_game_three(written: str) -> str:
    """A match to 3 that is read from 2:1 on, with a double."""
    return {
        "mat": " 3 point match\n\n Game 4\n A : 2              B : 1\n"
        "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Takes\n",
        "sgf": "(;GM[6]MI[length:3][game:3][ws:2][bs:1]RU[Crawford];W[31hefe];B[double];W[take])",
    }[written]


@pytest.mark.parametrize("written", ["mat", "sgf"])
def test_a_double_after_the_crawford_game_is_no_fault(written):
    match = read_match(_after_game_three(written))
    for text in (_after_game_three(written), *(write(match) for write in TEXTS.values())):
        assert replay(read_match(text)).faults == ()
    assert "CrawfordGame" not in sgf_text(match)


def test_a_double_in_the_game_that_sgf_calls_the_crawford_game_is_a_fault():
    text = _after_game_three("sgf").replace("RU[Crawford]", "RU[Crawford:CrawfordGame]")
    for content in (text, json_text(read_match(text)), sgf_text(read_match(text))):
        (fault,) = replay(read_match(content)).faults
        assert str(fault.message) == "dark doubles in the Crawford game"


@pytest.mark.parametrize("variant", ["short", "khachapuri"])
@pytest.mark.parametrize("answer", [True, False])
def test_an_illegal_pass_keeps_its_flag(variant, answer):
    made = [RollAction(Side.LIGHT, parse_roll("53"), (), note="accepted")]
    if answer:
        rules = find_rules(variant)
        plays = legal_plays(rules.opening(), Side.DARK, parse_roll("43"), rules)
        made.append(RollAction(Side.DARK, parse_roll("43"), plays[0].play.moves))
    game = GameFile(1, actions=tuple(made), result=GameResult(Side.DARK, 1))
    match = MatchFile(("A", "B"), 0, (game,), variant)
    for write in TEXTS.values():
        try:
            text = write(match)
        except NotInFormat:
            continue
        (back,) = replay(read_match(text)).games
        assert [bool(step.rule) for step in back.steps] == [True, False][: len(made)]


def test_an_unfinished_play_is_a_turn_if_the_opponent_doubled_after_it(tmp_path):
    given = mat_of(
        "  1) 31: 8/5 6/5                  64: 24/18 18/14",
        "  2) 42: 8/4                      Doubles => 2",
        "  3)  Drops                      Wins 1 point",
    )
    match = read_match(given)
    step = replay(match).games[0].steps[2]
    assert (step.after.light[4], str(step.play)) == (1, "8/4")
    assert "only the 4 was played" in str(step.rule)
    for name, write in TEXTS.items():
        file = "ours.sgf" if name == "sgf" else "ours.mat"
        for text in (write(match).encode(), imported(write(match), file, tmp_path).sgf):
            assert match_contents(read_match(text)) == match_contents(match)
