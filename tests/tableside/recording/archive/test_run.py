"""Collections of real videos become matches, each once, whatever happens to the workers."""

import csv
import os
import shutil
import signal
import threading
import time
from functools import partial
from itertools import takewhile
from pathlib import Path

import cv2
import pytest

import samples
from tableside.recording.archive.attempt import Stopped, Task, Transcriber
from tableside.recording.archive.content import content_key
from tableside.recording.archive.entries import (
    ArchiveFolder,
    Entry,
    events_in,
    folder_of,
    match_figures,
)
from tableside.recording.archive.pools import on_cluster, on_this_machine
from tableside.recording.archive.run import table_of, transcribe_new
from tableside.recording.archive.videos import find_videos
from tableside.review.report import write_review
from tableside.review.stills import StillKeeper
from tests.e2e.conftest import run
from tests.tableside.sample_record import finished, match_events
from vision.sources.files import VideoFile

FIRST_PLAY_ENDS = 80
"""A frame of the sample at which the second player has thrown."""
LOCAL = partial(on_this_machine, jobs=2)


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return first_turn(tmp_path_factory.mktemp("clip") / "first.mp4")


def first_turn(path):
    """The sample's first turn, eight seconds."""
    source = VideoFile(samples.CLIP)
    frames = takewhile(lambda frame: frame.index <= FIRST_PLAY_ENDS + 8, source)
    writer = None
    for frame in frames:
        height, width = frame.image.shape[:2]
        writer = writer or cv2.VideoWriter(
            str(path), cv2.VideoWriter.fourcc(*"mp4v"), source.fps, (width, height)
        )
        writer.write(frame.image)
    writer.release()
    return path


@pytest.fixture
def videos(tmp_path, clip):
    """A folder with a video, a copy of it, and one that is none."""
    folder = tmp_path / "videos"
    (folder / "2024").mkdir(parents=True)
    shutil.copy(clip, folder / "2024" / "final.mp4")
    shutil.copy(clip, folder / "copy of final.mp4")
    (folder / "broken.mp4").write_bytes(b"not a video")
    return folder


def kill_when_begun(archive, key, number=1):
    """Kill the process of a video, as often as asked, once it has begun to write."""
    for _ in range(number):
        while not (found := list(_processes_of(key))):
            time.sleep(0.02)
        while not list((archive / "partial").glob(f"{key}.*/*")) and found[0].exists():
            time.sleep(0.02)
        os.kill(int(found[0].name), signal.SIGKILL)
        while found[0].exists():
            time.sleep(0.02)


def _processes_of(key):
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"tableside.recording.archive.child" in words and key.encode() in words:
            yield process


def test_each_content_becomes_one_match_and_a_second_run_does_only_what_is_new(
    tmp_path, videos, clip
):
    archive = tmp_path / "archive"
    code, out, told = run("archive", videos, "--out", archive, "--jobs", "2")
    assert code == 0, told
    (match,) = (archive / "matches").iterdir()
    assert (match / "match.mat").exists()
    assert (match / "record.sqlite").exists()
    assert "1 matches, 1 videos set aside" in out
    assert "broken.mp4 is not a video" in out
    with (archive / "summary.csv").open(newline="") as file:
        rows = {Path(row["video"]).name: row for row in csv.DictReader(file)}
    assert rows["final.mp4"]["plays"] == "1"
    page = (archive / "index.html").read_text("utf-8")
    assert "broken.mp4 is not a video" in page
    (videos / "new.mp4").write_bytes(b"neither")
    written = (match / "events.jsonl").stat().st_mtime_ns
    code, out, _ = run("archive", videos, "--out", archive, "--jobs", "2")
    assert code == 0
    assert out.splitlines()[-1].startswith(
        "1 videos done now; in all 1 matches, 2 videos set aside"
    )
    assert (match / "events.jsonl").stat().st_mtime_ns == written


def test_transcribe_takes_jobs_for_videos_that_are_matches_of_their_own(tmp_path):
    out = tmp_path / "out"
    (tmp_path / "broken.mp4").write_bytes(b"not a video")
    code, _, told = run("transcribe", tmp_path, "--out", out, "--jobs", "1", "--light", "Ann")
    assert code == 1
    assert "broken.mp4: set aside" in told[0]
    assert (out / "index.html").exists()
    code, _, (line,) = run("transcribe", tmp_path, "--out", out, "--jobs", "1", "--force")
    assert code == 2
    assert "leave out --jobs" in line


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to find the process")
def test_a_video_whose_process_is_killed_is_begun_again(tmp_path, clip):
    task = Task(tmp_path / "archive", clip)
    killer = threading.Thread(target=kill_when_begun, args=(task.archive, content_key(clip)))
    killer.start()
    entry = Transcriber().transcribe(task).entry
    killer.join()
    assert (entry.plays, entry.attempts) == (1, 2)
    assert list(ArchiveFolder(task.archive).entries()) == [entry]
    assert list((task.archive / "partial").iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to find the process")
def test_a_video_that_ends_its_process_again_and_again_is_set_aside(tmp_path, clip):
    task = Task(tmp_path / "archive", clip)
    killer = threading.Thread(target=kill_when_begun, args=(task.archive, content_key(clip), 3))
    killer.start()
    entry = Transcriber().transcribe(task).entry
    killer.join()
    assert not entry.is_match
    assert entry.fault == "its process was ended by SIGKILL"
    assert list(ArchiveFolder(task.archive).entries()) == [entry]


def test_what_is_stopped_leaves_nothing_behind_and_is_not_set_aside(tmp_path, clip):
    task, transcriber = Task(tmp_path / "archive", clip), Transcriber()
    failures = []

    def work():
        try:
            transcriber.transcribe(task)
        except Stopped as error:
            failures.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    while not (task.archive / "partial").exists():
        time.sleep(0.02)
    transcriber.stop()
    worker.join(30)
    assert len(failures) == 1
    assert list(ArchiveFolder(task.archive).entries()) == []
    assert list((task.archive / "partial").iterdir()) == []


def test_videos_set_aside_are_tried_again_on_request(tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"not a video")
    videos = find_videos([tmp_path / "broken.mp4"])
    archive = tmp_path / "archive"
    assert transcribe_new(archive, videos, LOCAL).done == 1
    assert transcribe_new(archive, videos, LOCAL).done == 0
    assert transcribe_new(archive, videos, LOCAL, retries=True).done == 1


def test_a_video_set_aside_is_tried_again_with_other_options_and_forgotten_with_its_file(tmp_path):
    archive, folder = tmp_path / "archive", tmp_path / "videos"
    folder.mkdir()
    (folder / "broken.mp4").write_bytes(b"not a video")

    def done(**options):
        outcome = transcribe_new(archive, find_videos([folder], options), LOCAL)
        return outcome.done, [entry.key for entry in outcome.entries]

    assert done() == (1, [content_key(folder / "broken.mp4")])
    assert done(length="7") == (1, [content_key(folder / "broken.mp4")])
    assert done(length="7")[0] == 0
    (folder / "broken.mp4").write_bytes(b"not a video, and copied whole by now")
    assert done(length="7") == (1, [content_key(folder / "broken.mp4")])
    (folder / "2024").mkdir()
    (folder / "broken.mp4").rename(folder / "2024" / "renamed.mp4")
    (folder / "other.mp4").write_bytes(b"neither")
    assert done(length="7")[0] == 2
    shutil.rmtree(folder / "2024")
    assert done(length="7") == (0, [content_key(folder / "other.mp4")])


def test_options_that_are_wrong_where_it_is_read_set_no_video_aside(tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"not a video")
    task = Task(tmp_path / "archive", tmp_path / "broken.mp4", ("--length", "banana"))
    entry = Transcriber().transcribe(task).entry
    assert (entry.key, "--length" in entry.fault) == ("", True)
    assert list(ArchiveFolder(task.archive).entries()) == []


def test_a_finished_video_takes_over_what_is_said_of_it_and_names_what_needs_a_reading(tmp_path):
    archive, video = ArchiveFolder(tmp_path / "archive"), tmp_path / "evening.mp4"
    video.write_bytes(b"as if it were a video")
    key, written, events = content_key(video), archive.partial("x"), finished(match_events())
    (written / "rolls.csv").write_text("value\n")
    write_review(written, events, StillKeeper(tmp_path / "stills"))
    read = Entry(
        key=key, video=str(video), folder=folder_of(video, key), options=("--length", "3"),
        **match_figures(events),
    )  # fmt: skip
    archive.keep(written, read)
    listed = tmp_path / "list.csv"
    listed.write_text("video,light,date,event,length\nevening.mp4,Anna,2019-05-11,Open,5\n")
    outcome = transcribe_new(archive.path, find_videos([listed]), LOCAL)
    (entry,), (line,) = outcome.entries, outcome.ignored
    assert (entry.light, entry.dark, entry.day, entry.event) == (
        "Anna",
        "Ben",
        "2019-05-11",
        "Open",
    )
    assert "it was read with --length 3, not with --length 5; to read it anew, remove" in line
    page = (archive.path / "index.html").read_text("utf-8")
    assert ("Anna" in page, "2019-05-11" in page, "Open" in page) == (True, True, True)
    assert "2019-05-11,Open" in (archive.path / "summary.csv").read_text("utf-8")
    listed.write_text("video,length\nevening.mp4,3\n")
    outcome = transcribe_new(archive.path, find_videos([listed]), LOCAL)
    assert (outcome.entries, outcome.ignored) == ((entry,), ())
    video.write_bytes(b"as if it had been half a copy")
    outcome = transcribe_new(archive.path, find_videos([listed]), LOCAL)
    assert outcome.entries[0] == entry
    assert [one.key for one in outcome.entries[1:]] == [content_key(video)]
    (line,) = outcome.ignored
    assert "changed since it was read" in line
    assert entry.folder in line


@pytest.mark.slow
def test_a_cluster_loses_a_worker_but_no_video(tmp_path, clip):
    distributed = pytest.importorskip(
        "distributed", reason="Dask is not installed: it is in the extra `archive`"
    )
    folder = tmp_path / "videos"
    folder.mkdir()
    shutil.copy(clip, folder / "good.mp4")
    for number in range(6):
        (folder / f"broken{number}.mp4").write_bytes(b"%d" % number)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:

        def losing(tasks):
            with distributed.Client(cluster) as client:
                workers = list(client.run(os.getpid).values())
            for number, done in enumerate(on_cluster(tasks, 2, cluster.scheduler_address)):
                if number == 1:
                    os.kill(workers[0], signal.SIGKILL)
                yield done

        outcome = transcribe_new(tmp_path / "archive", find_videos([folder]), losing)
    assert outcome.done == 7
    assert [entry.plays for entry in outcome.entries if entry.is_match] == [1]
    assert len(outcome.entries) == 7


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to find the process")
def test_a_video_that_the_scheduler_gives_up_is_begun_again(tmp_path, clip):
    """Each death of a worker is one more than this scheduler allows a task."""
    distributed = pytest.importorskip(
        "distributed", reason="Dask is not installed: it is in the extra `archive`"
    )
    dask, archive, key = pytest.importorskip("dask"), tmp_path / "archive", content_key(clip)
    killed = []

    def kill_worker(cluster):
        for _ in range(2):
            while not (found := list(_processes_of(key))):
                time.sleep(0.02)
            with distributed.Client(cluster) as client:
                killed.extend(client.run(os.getpid).values())
            os.kill(killed[-1], signal.SIGKILL)
            while found[0].exists():
                time.sleep(0.02)

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
    ):
        killer = threading.Thread(target=kill_worker, args=(cluster,))
        killer.start()
        pool = partial(on_cluster, jobs=1, scheduler=cluster.scheduler_address)
        outcome = transcribe_new(archive, find_videos([clip]), pool)
        killer.join()
    assert len(set(killed)) == 2
    assert [entry.plays for entry in outcome.entries] == [1]
    assert outcome.done == 1


def test_a_name_that_is_not_text_is_set_aside_with_what_to_do(tmp_path):
    folder = tmp_path / "videos"
    folder.mkdir()
    try:
        (folder / os.fsdecode(b"\xff\xe9.mp4")).write_bytes(b"whatever")
    except OSError:
        pytest.skip("this disk only takes names that are text")
    archive = tmp_path / "archive"
    outcome = transcribe_new(archive, find_videos([folder]), LOCAL)
    assert [entry.fault.endswith("rename it") for entry in outcome.entries] == [True]
    assert "rename it" in (archive / "index.html").read_text("utf-8")
    assert "udcff" in table_of(outcome.entries)


@pytest.mark.slow
def test_a_match_of_which_files_are_missing_is_none(tmp_path, clip):
    folder = tmp_path / "match"
    code, _, _ = run("transcribe", clip, "--out", folder)
    assert code == 0
    assert events_in(folder)
    (folder / "review.json").unlink()  # as after a full disk
    assert events_in(folder) == ()


def test_a_scheduler_that_does_not_answer_is_named(tmp_path, clip):
    pytest.importorskip("distributed", reason="Dask is not installed")
    args = ("--out", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:9")
    code, _, (line,) = run("archive", clip, *args)
    assert code == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in line
