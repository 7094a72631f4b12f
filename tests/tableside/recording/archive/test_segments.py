"""A long video, read in segments that are joined, gives the record of the whole."""

import threading
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import takewhile

import cv2
import pytest

import samples
from engine import DiceRolled, PlayMade, as_json
from engine.rules import SHORT
from engine.timestamp import Timestamp
from tableside.match.config import MatchConfig
from tableside.recording.archive.attempt import Task, Transcriber
from tableside.recording.archive.content import content_key
from tableside.recording.archive.cuts import find_cuts, keep_cuts, kept_cuts
from tableside.recording.archive.entries import ArchiveFolder, events_in
from tableside.recording.archive.join import Join
from tableside.recording.archive.pools import on_this_machine
from tableside.recording.archive.run import transcribe_new
from tableside.recording.archive.segment_folder import SegmentFolder
from tableside.recording.archive.segments import read_segment
from tableside.recording.archive.videos import find_videos
from tableside.recording.transcription import ACTIVE_FPS, TranscriptRecord, transcribe
from tableside.review.stills import StillKeeper
from tests.paths import SHARED
from tests.tableside.recording.archive.test_run import kill_when_begun
from tests.vision.sources.test_files import write_video
from vision.sources.files import VideoFile

CONFIG = MatchConfig(SHORT)
LIFELIKE = SHARED / "data" / "lifelike"
FPS = 12
TWO_PLAYS_END = 170
"""A frame of the sample."""
MOVED = 348, 380
"""Frames between which the second play stands on the board, with its dice."""
SAME_S = 0.5
"""Seconds by which events may differ in time: other frames are left out while nothing moves."""


def thinking(path):
    """The sample's first plays, by players who think three times as long."""
    source = VideoFile(samples.CLIP)
    frames = [frame.image for frame in takewhile(lambda one: one.index <= TWO_PLAYS_END, source)]
    height, width = frames[0].shape[:2]
    codec = cv2.VideoWriter.fourcc(*"mp4v")
    writer = cv2.VideoWriter(str(path), codec, source.fps, (width, height))
    for before, image in zip([frames[0], *frames], frames, strict=False):
        is_still = (cv2.absdiff(before, image).max(axis=2) > 30).sum() < 50
        for _ in range(3 if is_still else 1):
            writer.write(image)
    writer.release()
    return path


def whole(video, folder):
    """The events and stills of a video that is read in one go."""
    record, stills = TranscriptRecord(folder / "record.sqlite", CONFIG, ""), StillKeeper(folder)
    with closing(VideoFile(video, ACTIVE_FPS)) as source:
        transcribe(source, CONFIG, record, lambda *_: None, stills)
    record.close(is_whole=True)
    return record.events, stills


def joined(video, segments, folder):
    """The events and stills of one whose segments were read, and which were read again."""
    record, stills = TranscriptRecord(folder / "record.sqlite", CONFIG, ""), StillKeeper(folder)
    join = Join(video, segments, CONFIG, record, stills)
    session = join.transcribe(lambda *_: None)
    record.close(is_whole=True)
    with closing(VideoFile(video)) as source:
        assert session.coverage.watched == pytest.approx(source.seconds, abs=1), "each second once"
    return record.events, stills, join.read_again


def cut_and_read(video, segments, seconds):
    """Cut a video, and read its segments."""
    keep_cuts(segments, find_cuts(video, CONFIG, seconds))
    for number in range(2, segments.number + 1):
        read(video, segments, number)
    return segments


def read(video, segments, number):
    written = segments.path / "written"
    read_segment(video, kept_cuts(segments), number, CONFIG, written)
    segments.keep(written, number)


def facts(event):
    """What must be the same: all but the time, and figures of what was seen."""
    seen = ("time", "frame", "lay", "confidence")
    return {name: value for name, value in as_json(event).items() if name not in seen}


def assert_same(events, others):
    assert [facts(one) for one in events] == [facts(one) for one in others]
    assert [one.time for one in events] == pytest.approx([o.time for o in others], abs=SAME_S)


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return thinking(tmp_path_factory.mktemp("video") / "thinking.mp4")


@pytest.fixture(scope="module")
def in_one_go(video, tmp_path_factory):
    return whole(video, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def segments(video, tmp_path_factory):
    return cut_and_read(video, SegmentFolder(tmp_path_factory.mktemp("segments")), 20)


@pytest.mark.slow
def test_what_is_joined_is_what_is_read_in_one_go(video, in_one_go, segments, tmp_path):
    events, stills = in_one_go
    assert sum(isinstance(event, DiceRolled) for event in events) >= 2
    assert segments.number >= 2
    others, other_stills, again = joined(video, segments, tmp_path)
    assert again == []
    assert_same(others, events)
    assert [other_stills.still_of(one) is None for one in others] == [
        stills.still_of(one) is None for one in events
    ]


@pytest.mark.slow
def test_a_cut_within_a_play_is_joined_later_and_a_segment_that_is_not_there_is_read(
    video, in_one_go, segments, tmp_path
):
    """At this cut the checkers have been moved, and the dice have not been picked up."""
    events, _ = in_one_go
    play = [event for event in events if isinstance(event, PlayMade)][1]
    later = SegmentFolder(tmp_path / "later")
    begin, at = (Timestamp(frame / FPS, frame) for frame in MOVED)
    assert at < (play.time, play.frame)
    cut = replace(kept_cuts(segments)[0], begin=begin, at=at, position=play.position)
    keep_cuts(later, [cut])
    others, _, again = joined(video, later, tmp_path)
    assert again == [2]
    assert_same(others, events)
    read(video, later, 2)
    (tmp_path / "again").mkdir()
    others, _, again = joined(video, later, tmp_path / "again")
    assert again == [2]
    assert_same(others, events)


@pytest.mark.slow
def test_a_short_video_and_one_without_a_board_are_not_cut(video, tmp_path):
    assert find_cuts(video, CONFIG, 60) == []
    empty = write_video(tmp_path / "empty.mp4", count=200, fps=10)
    assert find_cuts(empty, CONFIG, 5) == []


@pytest.mark.slow
def test_segments_are_read_by_processes_of_their_own_and_once(video, in_one_go, tmp_path):
    archive, key = tmp_path / "archive", content_key(video)
    task = Task(archive, video, segment_seconds=20)
    cut = Transcriber().transcribe(task)
    assert (cut.entry, cut.segments) == (None, 2)
    killer = threading.Thread(target=kill_when_begun, args=(archive, key))
    killer.start()
    Transcriber().transcribe(replace(cut.task, segment=2))
    killer.join()
    folder = ArchiveFolder(archive).segments(key, (), 20).segment(2)
    written = (folder / "end.json").stat().st_mtime_ns
    assert Transcriber().transcribe(task).segments == 2
    Transcriber().transcribe(replace(cut.task, segment=2))
    assert (folder / "end.json").stat().st_mtime_ns == written
    outcome = transcribe_new(
        archive, find_videos([video]), partial(on_this_machine, jobs=2), segment_seconds=20
    )
    (entry,) = outcome.entries
    assert (entry.segments, entry.read_again) == (2, 0)
    assert_same(events_in(archive / entry.folder), in_one_go[0])
    assert list((archive / "segments").iterdir()) == []
    assert list((archive / "partial").iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not LIFELIKE.exists(), reason="the lifelike clips are not here")
@pytest.mark.parametrize("clip", ["life_d1.mp4", "life_d2.mp4"])
def test_lifelike_clips_are_joined_as_they_are_read_in_one_go(clip, tmp_path):
    for name in ("whole", "joined"):
        (tmp_path / name).mkdir()
    events, _ = whole(LIFELIKE / clip, tmp_path / "whole")
    segments = cut_and_read(LIFELIKE / clip, SegmentFolder(tmp_path / "segments"), 30)
    assert segments.number >= 3
    others, _, again = joined(LIFELIKE / clip, segments, tmp_path / "joined")
    assert again == []
    assert_same(others, events)
