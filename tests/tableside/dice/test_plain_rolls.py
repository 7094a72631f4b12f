"""Rolls as people write them down: faces, throws of two, or counts."""

import io
import json
import sys

import pytest

from tableside import cli
from tableside.dice.rolls_csv import read_dice
from tableside.errors import BadDice


def written(tmp_path, text):
    path = tmp_path / "rolls.txt"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    "text", ["6 1 3\n2 2\n", "6,1,3,2,2", "6\n1\n3\n\n2\n2", "6; 1; 3; 2; 2\n"]
)
def test_a_list_of_faces_is_one_die_roll_after_roll(tmp_path, text):
    log = read_dice(written(tmp_path, text)).log
    assert log.value.tolist() == [6, 1, 3, 2, 2]
    assert log.throw.tolist() == [0, 1, 2, 3, 4]
    assert not log.pooled


def test_two_faces_a_line_are_throws_of_two_dice_that_nobody_told_apart(tmp_path):
    log = read_dice(written(tmp_path, "6 1\n3 3\n5 2\n")).log
    assert log.value.tolist() == [6, 1, 3, 3, 5, 2]
    assert log.throw.tolist() == [0, 0, 1, 1, 2, 2]
    assert log.pooled == {"die"}


WOLF = (3407, 3631, 3176, 2916, 3448, 3422)
"""R. Wolf's red die, 20,000 rolls."""


@pytest.mark.parametrize("head", ["", "face,count\n", "Face\tCount\n"])
def test_counts_of_faces_are_rolls_in_an_unknown_order(capsys, tmp_path, head):
    table = head + "".join(f"{face} {count}\n" for face, count in enumerate(WOLF, start=1))
    assert cli.main(["dice", "report", "--csv", str(written(tmp_path, table)), "--json"]) == 0
    out, err = capsys.readouterr()
    (die,) = json.loads(out)["dice"].values()
    assert tuple(die["counts"]) == WOLF
    assert die["chi2"] == pytest.approx(94.19, abs=0.005)
    assert "the order of the rolls is not known" in err


def test_rolls_can_be_piped_in(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 2 3 4 5 6 " * 20)))
    assert cli.main(["dice", "report", "--csv", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dice"]["die"]["counts"] == [20] * 6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 2\n3 7\n", "line 2: 7 is not a face; give numbers from 1 to 6"),
        ("face,count\n1,3\n2,many\n", "line 3: give a face and how often it came up"),
        ("face,count\n1,999999999\n", "line 2: more than 100,000,000 rolls"),
        ("1 2 3\nAnn\n", "line 2: Ann is not a face"),
    ],
)
def test_what_is_no_roll_is_named_with_its_line(tmp_path, text, says):
    with pytest.raises(BadDice, match=says):
        read_dice(written(tmp_path, text))


def test_what_is_wrong_in_a_pipe_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 2 3\n4 9 6\n")))
    assert cli.main(["dice", "report", "--csv", "-"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "what was piped in, line 2: 9 is not a face" in err


def test_six_throws_of_two_dice_are_not_taken_for_counts(tmp_path):
    log = read_dice(written(tmp_path, "1 6\n2 5\n3 4\n4 3\n5 2\n6 1\n")).log
    assert log.value.tolist() == [1, 6, 2, 5, 3, 4, 4, 3, 5, 2, 6, 1]
