"""A match file becomes a record, from which the same file can be written again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events.codec import as_json, from_json
from engine.events.match import GameEnd, IllegalMade, MatchEnd, OpeningRolled, PlayAccepted
from engine.events.record import MatchPlaced
from engine.formats.detect import read_match
from engine.formats.from_events import match_from_events
from engine.formats.mat.write import mat_text
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.sgf.write import sgf_text
from engine.formats.to_events import events_from_match
from engine.formats.validate.replay import replay
from engine.match.fold import fold
from tests.match_files import (
    GNUBG_MATCHES,
    RandomMatch,
    mat_of,
    match_contents,
    passing_match,
    stored,
)

VARIANTS = ["short", "nackgammon", "hypergammon", "longgammon"]


def recorded(match):
    return events_from_match(replay(match))


@pytest.mark.parametrize("variant", VARIANTS)
@given(seed=st.integers(0, 10**6), has_illegal=st.booleans())
@settings(max_examples=12)
def test_a_match_comes_back_from_the_events_as_it_was(variant, seed, has_illegal):
    match = RandomMatch(seed, variant, has_illegal).made()
    events = recorded(match)
    back = match_from_events(events)
    assert match_contents(back) == match_contents(match)
    assert (back.players, back.length, back.variant) == (
        match.players, match.length, match.variant,
    )  # fmt: skip
    assert [from_json(as_json(event)) for event in events] == list(events)


@pytest.mark.parametrize("name", GNUBG_MATCHES)
def test_gnubgs_own_matches_come_back_as_they_were(name):
    match = read_match(stored(f"{name}.mat.gz"))
    back = match_from_events(recorded(match))
    assert match_contents(back) == match_contents(match)
    assert fold(recorded(match)).score == match.games[-1].result.score_after(match.games[-1].score)


@pytest.mark.parametrize("variant", ["gulbar", "crazy_gulbar", "khachapuri", "giul"])
def test_moves_that_pass_on_come_back(variant):
    match = passing_match(2, variant)
    assert match_contents(match_from_events(recorded(match))) == match_contents(match)


def test_the_opening_roll_tells_who_rolled_which_die():
    match = read_match(mat_of("  1) 31: 8/5 6/5               62: 24/18 13/11"))
    opening = next(one for one in recorded(match) if isinstance(one, OpeningRolled))
    assert (opening.light, opening.dark, opening.by) == (3, 1, "file")


def test_an_illegal_play_is_accepted_by_whoever_goes_on():
    match = read_match(mat_of("  1) 31: 8/3                   62: 24/18 13/11"))
    kinds = [type(one) for one in recorded(match)]
    at = kinds.index(IllegalMade)
    assert kinds[at + 1] is PlayAccepted
    assert fold(recorded(match)).turns[0].event.by == "file"


def test_a_match_that_was_won_is_over_and_keeps_its_tournament():
    events = recorded(replace(RandomMatch(7, "short", False).made(), headers=(("Event", "Cup"),)))
    placed = [one for one in events if isinstance(one, MatchPlaced)]
    assert [one.event for one in placed] == ["Cup"]
    ends = [one for one in events if isinstance(one, (GameEnd, MatchEnd))]
    assert isinstance(ends[-1], GameEnd if fold(events).winner is None else MatchEnd)


@pytest.mark.parametrize("write", [mat_text, sgf_text])
def test_files_say_in_which_tournament_and_at_which_table_it_was(write):
    placed = MatchPlaced(time=0.0, frame=0, event="Cup", round="Final", table="12")
    events = recorded(RandomMatch(7, "short", False).made())
    text = write(match_from_events([events[0], placed, *events[1:]]))
    again = fold(recorded(read_match(text.encode()))).place
    assert (again.event, again.round, again.table) == ("Cup", "Final", "12")


def test_a_players_flag_goes_along_when_the_colors_are_swapped():
    placed = MatchPlaced(time=0.0, frame=0, light_country="DE", dark_country="JP")
    start = recorded(RandomMatch(7, "short", False).made())[0]
    state = fold([start, placed, replace(start, swapped=True)])
    assert (state.place.light_country, state.place.dark_country) == ("JP", "DE")
    assert from_json(as_json(placed)) == placed


def test_a_play_that_cannot_be_followed_is_named_with_its_line():
    match = read_match(mat_of("  1) 31: 8/5 6/5               62: 4/2 3/1"))
    with pytest.raises(InvalidMatchFile, match=r"line \d+: 4/2 3/1 cannot be followed"):
        recorded(match)


def test_a_file_without_a_game_is_refused():
    with pytest.raises(InvalidMatchFile, match="no game"):
        recorded(read_match(b" 7 point match\n"))
