"""A video in, a match out: compared with the sample's truth, and given bad videos."""

from __future__ import annotations

import csv
import json
from itertools import islice

import cv2
import numpy as np
import pytest

import samples
from engine import Side, from_json, position_from_json
from tableside.record.store import Store
from tableside.recording.sample_match import true_plays
from tests.coded_video import turned, write_coded
from tests.e2e.conftest import CLIP, run
from tests.gnubg import imported
from vision.sources.files import VideoFile

THREE_PLAYS, FIVE_PLAYS = 212, 380
"""Frames of the sample until so many plays are made and no throw is under way."""


def events_of(folder):
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def made_plays(folder):
    plays = (one for one in events_of(folder) if one["type"] == "play")
    return [(Side(one["player"]), position_from_json(one["position"])) for one in plays]


@pytest.fixture(scope="module")
def plays(transcribed):
    folder, _ = transcribed
    return [event for event in events_of(folder) if event["type"] in {"play", "illegal"}]


def test_transcribe_succeeds_and_lists_the_files_it_wrote(transcribed):
    folder, (code, out, _) = transcribed
    assert code == 0
    assert str(folder / "match.mat") in out
    assert f"tableside review --record {folder / 'record.sqlite'}" in out
    code, _, (line,) = run("transcribe", CLIP, "--out", folder)
    assert code == 1
    assert "match.mat exists already" in line


def test_every_play_of_the_sample_is_recorded_and_nothing_wrong_goes_unflagged(plays):
    wanted = true_plays(samples.TRUTH)
    recorded = [(Side(one["player"]), position_from_json(one["position"])) for one in plays]
    assert [one for one in recorded if one in wanted] == wanted
    extra = [one for one, what in zip(plays, recorded, strict=True) if what not in wanted]
    assert [one for one in extra if not one["review"]] == []


def test_nothing_is_recorded_that_was_not_played(plays):
    assert len(plays) == len(true_plays(samples.TRUTH))


def test_every_roll_that_counted_is_recorded_right(plays):
    truth = (json.loads(line) for line in samples.TRUTH.read_text().splitlines())
    wanted = [sorted(one["dice"]) for one in truth if one["event"] == "play"]
    assert [sorted(one["dice"], key=str) for one in plays] == wanted


@pytest.mark.parametrize("threads", [pytest.param(n, marks=pytest.mark.slow) for n in ("1", "4")])
def test_any_number_of_threads_finds_the_same_events_to_the_byte(transcribed, tmp_path, threads):
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OPENCV_FOR_THREADS_NUM")
    out = tmp_path / "out"
    args = ("transcribe", CLIP, "--out", out, "--length", "5")
    code, _, _ = run(*args, environment=dict.fromkeys(names, threads))
    assert code == 0
    assert (out / "events.jsonl").read_bytes() == (transcribed[0] / "events.jsonl").read_bytes()


def test_the_files_agree_with_the_record(transcribed):
    folder, _ = transcribed
    with Store.open(folder / "record.sqlite") as store:
        (match,) = store.matches()
        kept = store.events(match.id)
    assert not match.is_open
    assert sorted(kept, key=lambda event: event.time) == [
        from_json(one) for one in events_of(folder)
    ]


def test_the_rolls_are_a_table_of_dice(transcribed):
    folder, _ = transcribed
    rows = list(csv.DictReader((folder / "rolls.csv").read_text().splitlines()))
    assert {"time", "player", "die", "value"} <= rows[0].keys()
    assert {row["value"] for row in rows} <= set("123456")
    dice = {(row["player"], row["die"]) for row in rows}
    assert dice == {("light", "white pair"), ("dark", "red pair")}, "known by their colours"


def test_review_items_are_listed_with_a_still_of_the_moment(transcribed):
    folder, _ = transcribed
    listed = json.loads((folder / "review.json").read_text())
    doubtful = [one for one in events_of(folder) if one.get("review") or one["type"] == "reroll"]
    assert [one["frame"] for one in listed] == [one["frame"] for one in doubtful]
    (void,) = [one for one in listed if one["kind"] == "reroll"]
    (still,) = void["stills"]
    assert cv2.imread(str(folder / still)).shape == (720, 1280, 3)
    thrown = (json.loads(line) for line in samples.TRUTH.read_text().splitlines())
    (cocked,) = [one for one in thrown if one["event"] == "dice_rest" and not one["valid"]]
    frame = int(still.removeprefix("review/still-").removesuffix(".jpg"))
    assert cocked["frame"] <= frame <= cocked["frame"] + 12
    assert not (folder / "record.stills").exists()
    # The throw was made again, which settles it.
    assert "Nothing to review" in (folder / "review" / "index.html").read_text()


def test_gnubg_imports_the_match(transcribed, tmp_path):
    folder, _ = transcribed
    taken = imported((folder / "match.mat").read_text(), "match.mat", tmp_path)
    assert taken.complaints == []
    assert taken.sgf


def test_without_a_terminal_progress_is_printed_in_plain_lines(transcribed):
    _, (_, _, lines) = transcribed
    assert all("\x1b" not in line and "real time" in line for line in lines)


def write_video(path, frames, codec="MJPG"):
    height, width = frames[0].shape[:2]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), 12, (width, height))
    for frame in frames:
        writer.write(frame)
    writer.release()
    return path


def clip_frames(count):
    return [frame.image for frame in islice(VideoFile(CLIP), count)]


def test_a_video_that_is_cut_short_still_leaves_its_files(tmp_path):
    video = write_video(tmp_path / "cut.avi", clip_frames(110))
    video.write_bytes(video.read_bytes()[: video.stat().st_size * 3 // 4])
    code, _, lines = run("transcribe", video, "--out", tmp_path / "out")
    assert code == 1
    assert "cut short" in lines[-1]
    assert [one["type"] for one in events_of(tmp_path / "out")][:3] == [
        "game_start",
        "roll",
        "play",
    ]


def test_a_match_in_several_files_is_one_match(tmp_path):
    frames = clip_frames(THREE_PLAYS)
    parts = [frames[:90], frames[90:150], frames[150:]]
    parts[1] = [cv2.resize(frame, (960, 540), interpolation=cv2.INTER_AREA) for frame in parts[1]]
    videos = [write_video(tmp_path / f"{n}.avi", part) for n, part in enumerate(parts)]
    code, out, _ = run("transcribe", *videos, "--out", tmp_path / "out", "--length", "5")
    assert code == 0
    assert out.startswith("3 plays, 0 to review")
    assert made_plays(tmp_path / "out") == true_plays(samples.TRUTH)[:3]
    assert events_of(tmp_path / "out")[-1]["frame"] > 150


@pytest.mark.slow
def test_an_uneven_hevc_video_of_a_phone_held_upright_is_transcribed(tmp_path):
    clip = islice(VideoFile(CLIP), FIVE_PLAYS)
    frames = (frame for frame in clip if frame.index % 8 != 5)
    shots = ((frame.image, frame.seconds) for frame in frames)
    options = {"preset": "ultrafast", "x265-params": "log-level=none"}
    video = write_coded(tmp_path / "phone.mp4", shots, "libx265", options=options)
    turned(video, 90)
    code, out, _ = run("transcribe", video, "--out", tmp_path / "out", "--length", "5")
    assert code == 0
    assert out.startswith("5 plays, 0 to review")
    assert made_plays(tmp_path / "out") == true_plays(samples.TRUTH)[:5]


@pytest.mark.slow
def test_a_file_cut_short_is_said_and_the_next_goes_on(tmp_path):
    frames = clip_frames(320)
    videos = [
        write_video(tmp_path / "a.avi", frames[:200]),
        write_video(tmp_path / "b.avi", frames[200:]),
    ]
    videos[0].write_bytes(videos[0].read_bytes()[: videos[0].stat().st_size * 3 // 4])
    code, _, lines = run("transcribe", *videos, "--out", tmp_path / "out")
    assert code == 1
    assert "a.avi is cut short" in lines[-1]
    events = events_of(tmp_path / "out")
    (unseen,) = [one for one in events if one["type"] == "unseen"]
    assert unseen["reason"] == "skipped"
    assert unseen["to"] == pytest.approx(200 / 12, abs=0.5)
    assert any(one["type"] == "play" and one["time"] > unseen["to"] for one in events)


def test_a_missing_file_of_several_is_said_before_any_is_read(tmp_path):
    code, out, (line,) = run("transcribe", CLIP, tmp_path / "gone.mp4", "--out", tmp_path / "out")
    assert (code, out) == (1, "")
    assert "there is no file" in line
    assert "gone.mp4" in line
    assert not (tmp_path / "out").exists()


def test_with_a_profile_no_game_under_way_is_joined(profile, tmp_path):
    video = write_video(tmp_path / "late.avi", clip_frames(230)[200:])

    code, _, lines = run("transcribe", video, "--profile", profile, "--out", tmp_path / "out")

    assert code == 1
    assert "waiting for the starting position; to join a game under way, omit" in lines[-1]


@pytest.mark.parametrize(
    ("contrast", "message", "reason"),
    [(0, "the picture is blank", "blank"), (60, "no board found: show the whole board", "lost")],
)
def test_a_video_without_a_board_is_said_to_be_unseen(tmp_path, contrast, message, reason):
    grain = np.random.default_rng(1).normal(0, contrast, (36, 64, 3))
    table = cv2.resize(np.clip(128 + grain, 0, 255).astype(np.uint8), (640, 360))
    video = write_video(tmp_path / "table.avi", [table] * 12)
    code, out, (line,) = run("transcribe", video, "--out", tmp_path / "out")
    assert (code, out) == (1, "")
    assert message in line
    (unseen,) = map(json.loads, (tmp_path / "out" / "events.jsonl").read_text().splitlines())
    assert (unseen["type"], unseen["from"], unseen["reason"]) == ("unseen", 0, reason)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"no video at all" * 99, "is not a video, or is damaged"),
        (None, "there is no file"),
    ],
)
def test_a_file_that_is_no_video_is_one_line(tmp_path, content, message):
    path = tmp_path / "evening.mp4"
    if content is not None:
        path.write_bytes(content)
    code, out, (line,) = run("transcribe", path, "--out", tmp_path / "out")
    assert (code, out) == (1, "")
    assert message in line
    assert not (tmp_path / "out").exists()


def test_an_unusable_folder_is_refused_before_the_video_is_read(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("something else")
    code, _, (line,) = run("transcribe", CLIP, "--out", taken)
    assert code == 1
    assert "is a file" in line


def test_a_match_that_was_mostly_not_seen_is_written_and_exits_with_1(tmp_path):
    shown = clip_frames(24)
    covered = [np.full_like(shown[0], 90)] * 120
    video = tmp_path / "covered.avi"
    write_video(video, [*shown, *covered])
    code, _, lines = run("transcribe", video, "--out", tmp_path / "out")
    assert code == 1
    assert "most of the match was not seen" in lines[-1]
    (unseen,) = [one for one in events_of(tmp_path / "out") if one["type"] == "unseen"]
    assert unseen["reason"] == "blank"
    assert unseen["to"] - unseen["from"] > 8
