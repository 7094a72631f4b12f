"""The stills of doubtful items outlive the match, within bounds."""

import json

import pytest

from tableside.review.clips import clip_path
from tableside.review.retention import limit_all_stills, prune_stills
from tableside.review.stills import StillKeeper, stills_folder
from tests.tableside.sample_record import keep_stills, match_events

JPEG = b"x" * 1000


@pytest.fixture
def record(tmp_path):
    return tmp_path / "record.sqlite"


def pictures(folder):
    return sorted(int(path.stem) for path in folder.glob("*.jpg"))


def test_of_a_match_that_is_over_the_doubtful_moments_are_left(record):
    events = match_events()
    folder = stills_folder(record, 1)
    keep_stills(folder, [event.frame for event in events], JPEG)
    for n in (3, 6):
        clip_path(folder, events[n].frame).write_bytes(b"clip")
    prune_stills(StillKeeper(folder), events)
    assert [path.name for path in folder.glob("*.mp4")] == [f"{events[3].frame:06}.mp4"]
    # The void throw, the doubtful play, the accepted illegal one; no throw was recorded for them.
    assert pictures(folder) == [events[n].frame for n in (3, 4, 10)]
    again = StillKeeper(folder)
    stored, dropped = again.still_of(events[4]), again.still_of(events[2])
    assert stored is not None
    assert again.has(stored)
    assert dropped is not None
    assert not again.has(dropped), "it is known that there was one"
    assert len(json.loads((folder / "moments.jsonl").read_text().splitlines()[1])) == 6


def test_of_very_many_the_decisive_ones_are_left(record):
    events = match_events()
    folder = stills_folder(record, 1)
    keep_stills(folder, [event.frame for event in events], JPEG)
    prune_stills(StillKeeper(folder), events, most=2)
    assert pictures(folder) == [events[n].frame for n in (3, 4)]


def test_where_nothing_is_doubtful_nothing_is_left(record):
    folder = stills_folder(record, 1)
    keep_stills(folder, [0, 24], JPEG)
    prune_stills(StillKeeper(folder), match_events()[:3])
    assert not folder.exists()


def test_the_oldest_matches_make_room(record):
    for number in (1, 2, 3, 10):
        keep_stills(stills_folder(record, number), [24, 48], JPEG)
    other = record.with_name("other.stills-1")
    keep_stills(other, [24], JPEG)
    limit_all_stills(record, 10, most=4500)
    left = [n for n in (1, 2, 3, 10) if stills_folder(record, n).exists()]
    assert left == [3, 10]
    assert other.exists()


def test_the_match_that_is_played_keeps_its_own(record):
    keep_stills(stills_folder(record, 1), [24, 48], JPEG)
    limit_all_stills(record, 1, most=10)
    assert pictures(stills_folder(record, 1)) == [24, 48]
