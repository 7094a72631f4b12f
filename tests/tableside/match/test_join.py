"""Recording begins in the middle of a game, from whatever stands on the board."""

from __future__ import annotations

from dataclasses import replace

import pytest

import samples
from engine import NotNow, position_from_json
from engine.events.codec import as_json
from engine.evidence.orientation import Orientation
from engine.rules import SHORT
from tableside.bench.robustness import transcribed
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.recording.transcription import ACTIVE_FPS
from vision.benchmark.clip_score import read_truth, score_transcript
from vision.benchmark.degradations import Degradation, DegradedSource
from vision.sources.files import VideoFile

pytestmark = pytest.mark.slow


def late():
    """The sample clip from its middle on."""
    return DegradedSource(VideoFile(samples.CLIP, ACTIVE_FPS), Degradation(late=0.3))


@pytest.fixture(scope="module")
def joined():
    source = late()
    events, seconds = transcribed(source, is_narde=False)
    return source, [as_json(event) for event in events], seconds


def test_the_game_is_said_to_be_joined_and_what_was_not_seen_is_recorded(joined):
    _, events, _ = joined
    assert (events[0]["type"], events[0]["joined"]) == ("game_start", True)
    gap = next(event for event in events if event["type"] == "unseen")
    assert (gap["from"], gap["reason"]) == (0.0, "joined")


def test_its_plays_are_right_from_the_first_whole_turn_on(joined):
    source, events, seconds = joined
    truth = read_truth(samples.CLIP).trimmed(source.skipped_seconds)
    score = score_transcript(events, truth, seconds)
    assert score.right >= score.plays - 1
    assert (score.wrong_unflagged, score.missed_unflagged, score.accusations) == (0, 0, 0)


def test_a_way_that_is_said_begins_the_match_and_its_plays_are_as_right(joined):
    """Which way is right is known from the match that found it out by itself."""
    heard, found, seconds = joined
    start = position_from_json(found[0]["position"])
    kept, newest = [], None
    session = Session(MatchConfig(SHORT), kept.extend)
    for newest in late():
        session.feed(newest)
        if session.open_numberings:
            (said,) = (
                one
                for one in session.open_numberings
                if position_from_json(one["position"]) == start
            )
            way = Orientation(said["turned"], said["mirrored"])
            session.choose_orientation(way)
            assert session.open_numberings == []
            with pytest.raises(NotNow, match="already known"):
                session.choose_orientation(way)
    session.finish(newest.seconds, newest.index)
    events = [as_json(event) for event in kept]
    assert events[0]["joined"]
    assert position_from_json(events[0]["position"]) == start
    truth = read_truth(samples.CLIP).trimmed(heard.skipped_seconds)
    score = score_transcript(events, truth, seconds)
    assert score.right >= score.plays - 1
    assert (score.wrong_unflagged, score.missed_unflagged, score.accusations) == (0, 0, 0)


def test_a_game_that_is_broken_off_before_it_is_clear_is_recorded_as_unseen():
    """One of its plays was seen; then the board is set up for the next game."""
    kept, coming = [], iter(late())
    session = Session(MatchConfig(SHORT), kept.extend)
    while session._joined is None or session._joined.likeliest is None:
        newest = next(coming)
        session.feed(newest)
    assert not kept
    for frame in VideoFile(samples.CLIP, ACTIVE_FPS):
        shifted = frame.seconds + newest.seconds + 1, frame.index + newest.index + 1
        session.feed(replace(frame, seconds=shifted[0], index=shifted[1]))
        if len(session.state.turns) == 1:
            break
    unseen, start, *_, play = [as_json(event) for event in kept]
    assert (unseen["type"], unseen["from"], unseen["reason"]) == ("unseen", 0.0, "joined")
    assert newest.seconds <= unseen["to"] <= start["time"]
    assert (start["type"], play["type"], play["review"]) == ("game_start", "play", False)
