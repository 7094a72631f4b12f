"""XG's binary files: what each record means, and what is refused."""

from __future__ import annotations

import pytest

from engine import Side, find_rules
from engine.formats.detect import read_match
from engine.formats.model.board import signed_counts
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import RollAction
from engine.formats.validate.replay import replay
from tests.binary_files import xg_file, xg_head, xg_of, xg_record
from tests.match_files import RandomMatch, match_contents

OPENING = find_rules("short").opening()
GAME = xg_record(1, (21, "26b", signed_counts(OPENING, Side.LIGHT)), (48, "i", 1))


def move(before: list[int], after: list[int], *points: int) -> bytes:
    moves = (*points, *[-1] * (8 - len(points)))
    dice = (100, "2i", (6, 5))
    return xg_record(
        3, (9, "26b", before), (35, "26b", after), (64, "i", 1), (68, "8i", moves), dice
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_match_with_cubes_beavers_and_illegal_plays_is_read_back(seed):
    match = RandomMatch(seed, has_illegal=True).made()
    again = read_match(xg_of(match))
    assert again.faults == ()
    assert (again.players, again.length) == (match.players, match.length)
    assert match_contents(again) == match_contents(match)


def test_the_rules_and_the_day_become_headers():
    money = read_match(xg_file([xg_head(length=0, jacoby=1), GAME, xg_record(5)]))
    assert money.length == 0
    assert money.headers == (("EventDate", "2026.11.26"), ("Jacoby", "On"))
    seven = read_match(xg_file([xg_head(crawford=0, date=float("nan")), GAME, xg_record(5)]))
    assert seven.headers == (("Crawford", "Off"),)


def test_a_variation_is_the_variant():
    match = read_match(xg_file([xg_head(variation=1), GAME, xg_record(5)]))
    assert match.variant == "nackgammon"
    assert match.games[0].start == OPENING


def test_an_illegal_play_that_its_moves_do_not_tell_is_the_position_after_it():
    """XG writes two of the three moves when a checker went backward."""
    before = signed_counts(OPENING, Side.LIGHT)
    after = list(before)
    after[24] -= 1
    after[18] += 1
    match = read_match(xg_file([xg_head(), GAME, move(before, after, 23, 12), xg_record(5)]))
    (action,) = match.games[0].actions
    assert isinstance(action, RollAction)
    assert (action.moves, action.board and signed_counts(action.board, Side.LIGHT)) == (None, after)
    assert len(replay(match).games[0].illegal) == 1


def test_a_picture_in_the_header_is_skipped():
    records = [xg_head(("Zoë", "Ян")), GAME, xg_record(5)]
    assert read_match(xg_file(records, picture=b"\xff\xd8x\x9c" * 99)).players == ("Zoë", "Ян")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"RGMH", "cut off"),
        (b"RGMH" + bytes(100), "no game"),
        (xg_file([xg_head(), GAME])[:-40], "cut off"),
        (xg_file([xg_head(length=-7), GAME, GAME]), "makes no sense"),
        (xg_file([xg_head(), GAME, GAME]).replace(b"\x78\x9c", b"\x78\x9d"), "damaged"),
    ],
)
def test_a_damaged_file_is_refused(content, says):
    with pytest.raises(InvalidMatchFile, match=says):
        read_match(content)
