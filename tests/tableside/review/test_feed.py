"""The feed of a match: what it says, to whom, and that its numbers hold for good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import MatchState
from engine.events.match import GameEnd, GameStart, IllegalMade, PlayAccepted
from engine.events.record import Corrected, MatchContinued, MatchPaused
from engine.ruleset import USUAL, Audience
from tableside.review.feed import Feed
from tests.tableside.sample_record import finished, match_events


def events_under(announce):
    events = finished(match_events())
    rules = replace(USUAL, announce=announce)
    return [replace(one, rule_set=rules) if isinstance(one, GameStart) else one for one in events]


def feed_of(events, *, is_whole=False):
    feed = Feed(MatchState(), is_whole=is_whole)
    feed.add(events)
    return feed.events


def kinds(feed):
    return [one["event"] for one in feed]


def test_the_numbers_have_no_gap_and_the_referee_is_told_everything():
    feed = feed_of(events_under(Audience.REFEREE), is_whole=True)
    assert [one["seq"] for one in feed] == list(range(1, len(feed) + 1))
    assert {"game_start", "opening", "void", "play", "illegal", "game_end"} <= {*kinds(feed)}


@pytest.mark.parametrize("announce", Audience)
def test_what_was_said_once_is_never_said_otherwise(announce):
    events = events_under(announce)
    events += [Corrected(time=99, frame=99, keep=4), *events[4:]]
    whole = feed_of(events)
    for count in range(len(events)):
        assert feed_of(events[:count]) == whole[: len(feed_of(events[:count]))]


def test_what_is_not_announced_leaves_no_trace():
    events = events_under(Audience.REFEREE)
    assert any(isinstance(one, IllegalMade) for one in events)
    told = feed_of(events)
    assert {"illegal", "accepted"}.isdisjoint(kinds(told))
    hidden = sum(isinstance(one, PlayAccepted) for one in events)
    assert len(told) == len(feed_of(events, is_whole=True)) - hidden


def test_after_the_game_its_illegal_plays_are_announced():
    feed = feed_of(events_under(Audience.AFTER))
    end = kinds(feed).index("game_end")
    assert "illegal" not in kinds(feed[:end])
    late = [one for one in feed[end:] if one["event"] == "illegal"]
    plays = {one["turn"]: one for one in feed[:end] if one["event"] == "play"}
    assert late
    for one in late:
        assert one["play"] == plays[one["turn"]]["play"]
        assert one["rule"]


def test_an_illegal_play_is_announced_again_after_a_correction_of_the_games_end():
    events = events_under(Audience.AFTER)
    end = next(at for at, one in enumerate(events) if isinstance(one, GameEnd))
    first = feed_of(events[: end + 1])
    feed = feed_of([*events[: end + 1], Corrected(time=99, frame=99, keep=end), events[end]])
    again = feed[len(first) + 1 :]
    assert kinds(again) == kinds(first)[kinds(first).index("game_end") :]
    assert "illegal" in kinds(again)


def test_a_pause_and_its_end_are_told_to_everybody():
    pause = [MatchPaused(time=99, frame=99), MatchContinued(time=99, frame=99)]
    told = feed_of([*events_under(Audience.REFEREE), *pause])
    assert kinds(told)[-2:] == ["paused", "continued"]


def test_a_correction_says_from_where_on_nothing_holds():
    events = events_under(Audience.BOTH)
    before = feed_of(events[:4])
    feed = feed_of([*events, Corrected(time=99, frame=99, keep=4)])
    assert feed[-1]["event"] == "corrected"
    assert feed[-1]["after"] == len(before)
