"""`.mat` text: as specified, and as the real gnubg reads it."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from typing import Any

import pytest

from engine import (
    DiceRolled,
    Event,
    GameEnd,
    GameStart,
    IllegalMade,
    Play,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Side,
    apply_play,
    find_rules,
    legal_plays,
)
from engine.formats.detect import read_match
from tests.match_files import write_mat
from tests.positions import pos, random_roll

SHORT = find_rules("short")
OPENING = SHORT.opening()
NOW: dict[str, Any] = {"time": 0.0, "frame": 0}


def started(**changes) -> GameStart:
    return GameStart(**{**NOW, "position": OPENING, "light": "Ann", "dark": "Bob", **changes})


def turn(position, side, dice, play) -> PlayMade:
    after = apply_play(position, side, Play.parse(play), SHORT)
    return PlayMade(**NOW, player=side, dice=dice, play=play, position=after)


def illegal(position, side, dice, play) -> IllegalMade:
    made = turn(position, side, dice, play)
    return IllegalMade(**NOW, player=side, dice=dice, play=play, position=made.position)


def played_game(seed: int, starter: Side, most_plies: int = 400) -> list[Event]:
    """A game of random plays that leave few blots, to its end or to its last ply."""
    chance = random.Random(seed)
    events: list[Event] = []
    position, side = OPENING, starter
    for _ in range(most_plies):
        roll = random_roll(chance)
        legal = legal_plays(position, side, roll, SHORT)
        tried = [legal[chance.randrange(len(legal))] for _ in range(6)]
        play, position = min(tried, key=lambda one: one.position.of(side).count(1))
        dice = (roll.high, roll.low)
        events.append(DiceRolled(**NOW, player=side, dice=dice))
        events.append(PlayMade(**NOW, player=side, dice=dice, play=str(play), position=position))
        if outcome := SHORT.outcome(position):
            events.append(GameEnd(**NOW, **outcome._asdict()))
            break
        side = side.other
    return events


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(r" *\d+\) ", line)]


def test_columns_and_heads_are_those_that_gnubg_writes():
    first = turn(OPENING, Side.LIGHT, (3, 1), "8/5 6/5")
    second = turn(first.position, Side.DARK, (6, 5), "24/13")
    end = GameEnd(**NOW, winner=Side.DARK, points=2, result="gammon")
    text = write_mat([started(length=7, score=(1, 5)), first, second, end])
    assert text.splitlines() == [
        '; [Site "Tableside"]',
        '; [Player 1 "Ann"]',
        '; [Player 2 "Bob"]',
        '; [Variation "Backgammon"]',
        "",
        " 7 point match",
        "",
        " Game 1",
        " Ann : 1                        Bob : 5",
        "  1) 31: 8/5 6/5                 65: 24/18 18/13",
        "                                  Wins 2 points and the match",
    ]


def test_dark_may_start_and_a_forced_pass_has_an_empty_cell():
    start = pos("light bar:1 6:14 | dark 1:2 2:2 3:2 4:2 5:3 6:2 12:2")
    first = turn(start, Side.DARK, (2, 1), "12/10 12/11")
    passed = PlayMade(
        **NOW, player=Side.LIGHT, dice=(6, 5), play="(no play)", position=first.position
    )
    assert rows(write_mat([started(position=start), first, passed])) == [
        "  1)                             21: 12/10 12/11",
        "  2) 65:",
    ]


def test_a_roll_of_a_player_who_is_shut_out_is_filled_in():
    start = pos("light bar:1 6:14 | dark 1:2 2:2 3:2 4:2 5:2 6:2 12:3")
    passed = PlayMade(**NOW, player=Side.LIGHT, dice=None, play="(no play)", position=start)
    assert re.fullmatch(r"  1\) \d\d:", rows(write_mat([started(position=start), passed]))[0])


def test_an_accepted_illegal_play_is_written_with_a_remark():
    made = illegal(OPENING, Side.LIGHT, (6, 2), "24/18 13/10")
    accepted = PlayAccepted(**NOW, player=Side.DARK)
    text = write_mat([started(), made, accepted, turn(made.position, Side.DARK, (3, 1), "6/5")])
    assert '; [IllegalPlay "g1 m1 L: 62 24/18 13/10 accepted"]' in text
    assert rows(text)[0].startswith("  1) 62: 24/18 13/10 ")


def test_a_checker_moved_backwards_is_written_as_the_board_that_it_left():
    sides = list(OPENING.light)
    for place, change in ((13, -1), (11, 1), (6, -1), (8, 1)):
        sides[place] += change
    after = OPENING.with_sides(Side.LIGHT, tuple(sides), OPENING.dark)
    made = IllegalMade(**NOW, player=Side.LIGHT, dice=(6, 2), play="13/11 6/8", position=after)
    onto_bar = list(OPENING.light)
    onto_bar[24] -= 1
    onto_bar[25] += 1
    barred = OPENING.with_sides(Side.LIGHT, tuple(onto_bar), OPENING.dark)
    carried = IllegalMade(**NOW, player=Side.LIGHT, dice=(2, 1), play="24/bar", position=barred)
    for one in (made, carried):
        text = write_mat([started(), one, PlayAccepted(**NOW, player=Side.DARK)])
        assert "Illegal play (" in text
        (game,) = read_match(text.encode()).games
        assert game.actions[-1].board == one.position


def test_a_rejected_play_is_left_out():
    made = illegal(OPENING, Side.LIGHT, (6, 2), "24/18 13/10")
    rejected = PlayRejected(**NOW, player=Side.DARK)
    text = write_mat([started(), made, rejected, turn(OPENING, Side.LIGHT, (6, 2), "24/18 13/11")])
    assert rows(text) == ["  1) 62: 24/18 13/11"]
    assert "IllegalPlay" not in text


def test_unread_dice_are_filled_in_with_a_remark():
    made = turn(OPENING, Side.LIGHT, (None, 1), "8/5 6/5")
    text = write_mat([started(), made])
    assert '; [RollNotSeen "g1 m1 L: 1"]' in text
    assert rows(text) == ["  1) 31: 8/5 6/5"]


@pytest.mark.parametrize(
    ("given", "written"),
    [("", "Light"), (" : ", "Light"), ("A" * 30, "A" * 20), ('Jo "J" \n O', "Jo 'J' O")],
)
def test_names_are_never_empty_long_or_misleading(given, written):
    assert f'; [Player 1 "{written}"]' in write_mat([started(light=given)])


def test_no_events_give_an_empty_match():
    assert write_mat([]).splitlines() == ['; [Site "Tableside"]', "", " 0 point match"]


def find_gnubg() -> str:
    program = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games")
    if program is None:
        pytest.skip("gnubg is not installed")
    return program


def gnubg_cells(text: str, folder) -> tuple[list[str], str]:
    """The rows that gnubg exports after importing `text`, in our spelling, and what it said."""
    given, exported = folder / "ours.mat", folder / "theirs.mat"
    given.write_text(text)
    commands = f"import mat {given}\nexport match mat {exported}\nquit\ny\n"
    done = subprocess.run(
        [find_gnubg(), "-t", "-q"],
        input=commands,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "HOME": str(folder)},
    )
    respelled = re.sub(r"\b25/", "bar/", re.sub(r"/0\b", "/off", exported.read_text()))
    return [" ".join(row.split()) for row in rows(respelled)], done.stdout + done.stderr


def test_gnubg_reads_whole_matches_and_gives_the_same_plays_back(tmp_path):
    score = (0, 0)
    events: list[Event] = []
    for number, (seed, starter) in enumerate([(1, Side.LIGHT), (2, Side.DARK), (3, Side.DARK)]):
        events.append(started(length=25, score=score))
        events += played_game(seed, starter, 400 if number < 2 else 11)
        if isinstance(events[-1], GameEnd):
            won = events[-1].points
            score = (
                (score[0] + won, score[1])
                if events[-1].winner is Side.LIGHT
                else (score[0], score[1] + won)
            )
    text = write_mat(events)
    assert sum(isinstance(event, GameEnd) for event in events) == 2
    cells, said = gnubg_cells(text, tmp_path)
    ours = [sorted_cells(row) for row in rows(text)]
    assert [sorted_cells(row) for row in cells] == ours
    assert "WARNING" not in said


def sorted_cells(row: str) -> list[str]:
    """The tokens of a row: gnubg orders the moves of a play in its own way."""
    return sorted(token.rstrip("*") for token in row.split())


def test_gnubg_keeps_an_illegal_play_that_stood(tmp_path):
    made = illegal(OPENING, Side.LIGHT, (6, 2), "24/18 13/10")
    answer = turn(made.position, Side.DARK, (3, 1), "8/5 6/5")
    text = write_mat([started(length=7), made, answer])
    cells, said = gnubg_cells(text, tmp_path)
    assert cells == ["1) 62: 24/18 13/10 31: 8/5 6/5"]
    assert "WARNING" not in said
