"""A stretch in which the board could not be judged is measured and named."""

import numpy as np
import pytest

from vision.reading.coverage import MAX_SECONDS, Coverage


def fed(coverage, *parts):
    """The spans of (seconds, obstacle, frames a second) parts, one after another."""
    now, spans = 0.0, []
    for length, obstacle, fps in parts:
        for _ in range(round(length * fps)):
            spans.append(coverage.update(now, obstacle))
            now += 1 / fps
    return [span for span in spans if span is not None]


def test_hands_that_play_for_seconds_are_no_unseen_stretch():
    parts = [(2, None, 12), (5, "moving", 12), (3, "covered", 12), (1, None, 12)] * 4
    assert fed(Coverage(), *parts) == []


@pytest.mark.parametrize("reason", [name for name in MAX_SECONDS if name != "skipped"])
def test_a_longer_stretch_is_reported_with_its_reason_once_it_ends(reason):
    length = MAX_SECONDS[reason] + 2
    (span,) = fed(Coverage(), (2, None, 12), (length, reason, 12), (3, None, 12))
    assert span.reason == reason
    assert span.start == pytest.approx(2, abs=0.1)
    assert span.end == pytest.approx(2 + length, abs=0.1)


def test_pictures_that_are_missing_are_a_stretch_of_their_own():
    (span,) = fed(Coverage(), (2, None, 12), (4, None, 1 / 4), (2, None, 12))
    assert span.reason == "skipped"
    assert span.end - span.start == pytest.approx(4, abs=0.2)


def test_one_picture_a_second_hides_nothing():
    assert fed(Coverage(), (30, None, 1)) == []


def test_one_picture_in_two_seconds_shows_no_turn_for_sure():
    """Three seconds may hold a turn and one picture of it."""
    spans = fed(Coverage(), (20, None, 1 / 2))
    assert sum(span.end - span.start for span in spans) >= 14
    assert {span.reason for span in spans} == {"skipped"}


def test_a_gap_ends_with_its_first_picture():
    assert len(fed(Coverage(), (3, None, 12), (3, None, 1 / 3), (3, None, 12))) == 1


def test_a_short_gap_among_many_pictures_hides_nothing():
    assert fed(Coverage(), (3, None, 12), (2, None, 1 / 2), (3, None, 12)) == []


def test_hands_and_a_lost_board_together_hide_a_turn_as_well():
    parts = [(1, None, 12), (12, "moving", 12), (12, "covered", 12), (1, None, 12)]
    (span,) = fed(Coverage(), *parts)
    assert span.reason in ("moving", "covered")


def test_the_message_stands_while_the_stretch_lasts():
    coverage = Coverage()
    fed(coverage, (1, None, 12), (MAX_SECONDS["lost"] + 1, "lost", 12))
    assert "looking for the board" in str(coverage.message)
    coverage.update(100.0, None)
    assert coverage.message is None


def test_a_pause_is_no_stretch():
    coverage = Coverage()
    assert coverage.update(1.0, None) is None
    coverage.restart()
    assert coverage.update(500.0, None) is None


def test_the_end_of_a_video_ends_the_stretch():
    coverage = Coverage()
    fed(coverage, (1, None, 12), (25, "moving", 12))
    span = coverage.end()
    assert span.reason == "moving"
    assert np.isclose(span.end, 26, atol=0.1)
    assert coverage.end() is None


def test_the_share_that_was_not_seen_is_known():
    coverage = Coverage()
    fed(coverage, (10, None, 12), (30, "moving", 12), (1, None, 12))
    assert coverage.unseen_share == pytest.approx(30 / 41, abs=0.01)


def test_sparse_pictures_hide_a_turn_sooner():
    parts = [(4, None, 1), (10, "covered", 1), (2, None, 1)]
    (span,) = fed(Coverage(), *parts)
    assert span.reason == "covered"
