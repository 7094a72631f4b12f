"""Notation both ways."""

from __future__ import annotations

import pytest

from engine import Play
from engine.errors import InvalidNotation
from engine.play import Move

SAME = [
    "8/5 6/5", "13/7*", "bar/20", "bar/20*/16", "6/off(2)", "8/5(2)", "24/18*/13", "24/18*/13*",
    "8/4*(2)", "13/7(2) 8/2*(2)", "(no play)", "bar/21*(2)", "21/16*/11 21/16",
]  # fmt: skip


@pytest.mark.parametrize("text", SAME)
def test_standard_notation_reads_and_prints_the_same(text):
    assert str(Play.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("24/18/13*", "24/13*"),
        ("24/18 18/13", "24/13"),
        ("25/20 1/0", "bar/20 1/off"),
        ("Bar/20 6/Off", "bar/20 6/off"),
        ("8/5 8/5", "8/5(2)"),
        ("6/5 8/5", "8/5 6/5"),
        ("13/9* 9/5", "13/9*/5"),
        ("Cannot Move", "(no play)"),
        ("", "(no play)"),
    ],
)
def test_other_spellings_print_as_players_write(text, printed):
    assert str(Play.parse(text)) == printed


def test_only_the_first_of_repeated_moves_hits():
    assert Play.parse("8/4*(2)").moves == (Move(8, 4, hit=True), Move(8, 4))


@pytest.mark.parametrize(
    "text", ["8", "8/", "8/9", "off/3", "8/5(25)", "8/x", "26/20", "8/8", "5/bar", "8//5", "8/5)"]
)
def test_what_is_no_play_is_refused(text):
    with pytest.raises(InvalidNotation):
        Play.parse(text)
