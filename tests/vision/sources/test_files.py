"""Frames from files: good files are read; an error is one line that says what to do."""

import struct
import threading
import time
import zlib
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import pytest

from vision.errors import CutShort, SourceError
from vision.sources.files import PacedSource, StampClock
from vision.sources.frame import MAX_PIXELS, read_image, silence_opencv
from vision.sources.open import open_source

SIZE = (96, 64)


def picture(level):
    return np.full((SIZE[1], SIZE[0], 3), level, np.uint8)


def write_video(path, count=30, fps=10, codec="mp4v", pictures=None):
    silence_opencv()  # FFmpeg takes its level when it is first used
    random = np.random.default_rng(0)
    noise = (random.integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8) for _ in range(count))
    size = SIZE if pictures is None else pictures[0].shape[1::-1]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, size)
    for picture in noise if pictures is None else pictures:
        writer.write(picture)
    writer.release()
    return path


@pytest.fixture
def video(tmp_path):
    return write_video(tmp_path / "clip.mp4")


@pytest.fixture
def folder(tmp_path):
    shots = tmp_path / "shots"
    shots.mkdir()
    for number in (10, 2, 1):
        cv2.imwrite(str(shots / f"shot{number}.png"), picture(number * 10))
    (shots / "notes.txt").write_text("not a picture")
    return shots


def test_every_frame_of_a_video_comes_with_its_number_and_time(video):
    source = open_source(str(video))
    frames = list(source)
    assert (source.name, source.fps, source.frames, source.is_live) == ("clip.mp4", 10, 30, False)
    assert [frame.index for frame in frames] == list(range(30))
    assert [frame.seconds for frame in frames] == pytest.approx([n / 10 for n in range(30)])
    assert frames[0].image.shape == (64, 96, 3)


@pytest.mark.parametrize(("fps", "step"), [(10, 1), (12, 1), (25, 2), (30, 2), (60, 5)])
def test_a_fast_video_is_thinned_out_and_keeps_its_numbers_and_times(tmp_path, fps, step):
    path = write_video(tmp_path / "fast.mp4", count=31, fps=fps)
    frames, every = list(open_source(str(path), min_fps=12)), list(open_source(str(path)))

    assert [frame.index for frame in frames] == list(range(0, 31, step))
    assert [frame.seconds for frame in frames] == [frame.seconds for frame in every[::step]]
    assert all((a.image == b.image).all() for a, b in zip(frames, every[::step], strict=True))


def test_a_video_is_thinned_out_more_and_less_on_the_way(tmp_path):
    source: Any = open_source(str(write_video(tmp_path / "fast.mp4", count=31, fps=30)), min_fps=30)
    numbers = []
    for frame in source:
        numbers.append(frame.index)
        source.min_fps = 4 if 10 <= frame.index < 20 else 15
    assert numbers == [0, 2, 4, 6, 8, 10, 17, 24, 26, 28, 30]


def test_two_videos_joined_into_one_file_go_on_in_time(tmp_path):
    part = write_video(tmp_path / "part.ts", count=40, codec="mpg2", fps=25).read_bytes()
    (tmp_path / "both.ts").write_bytes(part * 3)
    times = [frame.seconds for frame in open_source(str(tmp_path / "both.ts"), min_fps=12)]
    assert times[-1] > 4
    assert max(np.diff(times)) < 0.2
    assert min(np.diff(times)) > 0


def times_of(stamps, fps=10):
    clock = StampClock(fps)
    return [clock.seconds(index, stamp) for index, stamp in enumerate(stamps)]


@pytest.mark.parametrize("wild", [0.0, 3.0, 3600.0])
def test_one_wild_time_stamp_moves_no_other_picture(wild):
    stamps = [n / 10 for n in range(200)]
    stamps[100] = wild
    assert times_of(stamps) == pytest.approx([n / 10 for n in range(200)])


@pytest.mark.parametrize("wild", [5.0, 3600.0])
def test_time_goes_on_where_the_stamps_of_a_file_come_back(wild):
    stamps = [n / 10 for n in range(100)]
    stamps[40:44] = [wild + n / 10 for n in range(4)]
    times = np.array(times_of(stamps))
    assert all(np.diff(times) >= 0)
    assert np.diff(times[44:]).max() < 1.2
    assert times[-1] - times[44] > 4


def test_time_goes_on_where_the_stamps_stand_still():
    times = np.array(times_of([*(n / 10 for n in range(100)), *[9.9] * 100]))
    assert times[-1] == pytest.approx(19.9, abs=1.2)
    assert all(np.diff(times) >= 0)


def test_a_gap_in_the_stamps_that_lasts_is_one_in_time():
    stamps = [n / 10 + 300 * (n >= 100) for n in range(200)]
    times = times_of(stamps)
    assert times[101:] == pytest.approx(stamps[101:])


def test_stamps_that_start_late_or_mix_up_neighbors_are_believed():
    stamps = [100.0, 100.3, 100.1, 100.2, 100.6, 100.4, 100.5, 100.7]
    assert times_of(stamps) == [100.0, 100.3, 100.3, 100.3, 100.6, 100.6, 100.6, 100.7]


def test_a_video_with_an_accent_and_a_percent_sign_in_its_name_is_read(tmp_path):
    path = write_video(tmp_path / "plain.mp4").rename(tmp_path / "soirée %02d 100%.mp4")
    assert len(list(open_source(str(path)))) == 30


def test_images_of_a_folder_come_in_the_order_people_count(folder):
    frames = list(open_source(str(folder)))
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [10, 20, 100]
    assert [frame.seconds for frame in frames] == [0, 1, 2]


def test_one_image_is_a_source_of_one_frame(folder):
    source = open_source(str(folder / "shot2.png"))
    assert source.frames == len(list(source)) == 1


def test_a_broken_image_is_named_after_the_good_ones_before_it(folder):
    (folder / "shot3.png").write_bytes(b"\x89PNG broken")
    frames = iter(open_source(str(folder)))
    assert [next(frames).index, next(frames).index] == [0, 1]
    with pytest.raises(SourceError, match=r"shot3\.png is not a picture that can be read"):
        next(frames)


def test_an_empty_folder_says_that_it_holds_no_image(tmp_path):
    with pytest.raises(SourceError, match="contains no images"):
        open_source(str(tmp_path))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"there is no file .*evening\.mp4"):
        open_source(str(tmp_path / "evening.mp4"))


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    (tmp_path / "a.mp4").touch()
    with pytest.raises(SourceError, match="empty"):
        open_source(str(tmp_path / "a.mp4"))


def test_a_text_that_calls_itself_a_video_is_refused(tmp_path, capfd):
    (tmp_path / "a.mp4").write_text("this is a shopping list, not a video\n" * 20)
    with pytest.raises(SourceError, match="not a video, or is damaged"):
        open_source(str(tmp_path / "a.mp4"))
    assert capfd.readouterr().err == ""


def test_a_video_that_lost_its_index_is_said_to_be_cut_short(video, capfd):
    video.write_bytes(video.read_bytes()[:20_000])
    with pytest.raises(SourceError, match=r"index \(moov\) is missing"):
        open_source(str(video))
    assert capfd.readouterr().err == ""


def test_a_truncated_video_gives_its_good_frames_and_says_where_it_stops(tmp_path, capfd):
    path = write_video(tmp_path / "clip.avi", codec="MJPG")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    frames = iter(open_source(str(path)))
    good = []
    with pytest.raises(CutShort, match=r"decoding stopped at frame \d+ of 30") as caught:
        good.extend(iter(frames.__next__, None))
    assert 10 <= len(good) <= caught.value.frame <= 20
    assert capfd.readouterr().err == ""


def test_damage_in_the_middle_loses_only_the_damaged_frames(video):
    coded = bytearray(video.read_bytes())
    middle = len(coded) // 2
    coded[middle : middle + 2000] = bytes(2000)
    video.write_bytes(coded)
    frames = list(open_source(str(video)))
    assert 20 <= len(frames) <= 30
    assert frames[-1].index == 29
    assert all(a.seconds < b.seconds for a, b in pairwise(frames))


def test_a_file_served_as_a_camera_keeps_its_pace(video):
    now = [100.0]

    def wait(seconds):
        now[0] += seconds

    source = PacedSource(open_source(str(video)), clock=lambda: now[0], wait=wait)
    times = [now[0] - 100 for _ in source]
    assert times == pytest.approx([n / 10 for n in range(30)])


def test_a_slow_reader_of_a_paced_file_misses_no_frame(video):
    now = [0.0]
    waits = []
    source = PacedSource(open_source(str(video)), clock=lambda: now[0], wait=waits.append)
    indices = []
    for frame in source:
        indices.append(frame.index)
        now[0] += 1.0
    assert indices == list(range(30))
    assert waits == []


def test_closing_a_paced_file_ends_its_iteration(video):
    source = open_source(str(video), realtime=True)
    for _ in source:
        source.close()


class SlowDecoder:
    """A real decoder with slow reads, which knows when it is released in the middle of one."""

    def __init__(self, path):
        self._real = cv2.VideoCapture(str(path))
        self.reads = threading.Semaphore(0)
        self._is_reading = False
        self.released_in_a_read = None

    def __getattr__(self, name):
        return getattr(self._real, name)

    def grab(self):
        self._is_reading = True
        self.reads.release()
        time.sleep(0.05)
        answer = self._real.grab()
        self._is_reading = False
        return answer

    def release(self):
        self.released_in_a_read = self._is_reading
        self._real.release()


def test_a_file_closed_while_a_thread_reads_it_lets_the_read_end_first(video, monkeypatch):
    decoder = SlowDecoder(video)
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: decoder)
    source = open_source(str(video))
    reader = threading.Thread(target=lambda: list(source))
    reader.start()
    decoder.reads.acquire()
    source.close()
    reader.join(10)
    assert not reader.is_alive()
    assert decoder.released_in_a_read is False


@pytest.mark.parametrize("content", [b"", b"GIF89a nonsense"])
def test_a_picture_that_cannot_be_read_is_one_line(tmp_path, content, capfd):
    (tmp_path / "board.jpg").write_bytes(content)
    with pytest.raises(SourceError, match=r"board\.jpg") as caught:
        read_image(tmp_path / "board.jpg")
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def chunk(kind, content):
    checked = kind + content
    return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))


def png_of(width, height):
    """A PNG whose header states this size; its pixels are missing."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rest = chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + rest


def jpeg_of(width, height, *, is_progressive=False):
    """A JPEG with a small one, a thumbnail, before the header that states this size."""
    flags = [cv2.IMWRITE_JPEG_PROGRESSIVE, int(is_progressive)]
    coded = cv2.imencode(".jpg", picture(90), flags)[1].tobytes()
    at = coded.index(b"\xff\xc2" if is_progressive else b"\xff\xc0") + 5
    patched = coded[:at] + struct.pack(">HH", height, width) + coded[at + 4 :]
    return patched[:2] + b"\xff\xe1" + struct.pack(">H", 2 + len(coded)) + coded + patched[2:]


def bmp_of(width, height):
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + header


@pytest.mark.parametrize(
    "coded",
    [
        png_of(30_000, 20_000),
        jpeg_of(30_000, 20_000),
        jpeg_of(30_000, 20_000, is_progressive=True),
    ],
    ids=["png", "jpeg", "progressive"],
)
def test_a_huge_picture_is_refused_by_its_header_alone(tmp_path, monkeypatch, coded):
    def decode(*_):
        pytest.fail("it was decoded")

    (tmp_path / "wall.jpg").write_bytes(coded)
    monkeypatch.setattr(cv2, "imdecode", decode)
    with pytest.raises(SourceError) as caught:
        read_image(tmp_path / "wall.jpg")
    limit = f"has 30000 x 20000 pixels: reduce it to under {MAX_PIXELS // 10**6} megapixels"
    assert limit in str(caught.value)


@pytest.mark.parametrize("is_progressive", [False, True])
def test_a_picture_with_a_thumbnail_is_read(tmp_path, is_progressive):
    (tmp_path / "board.jpg").write_bytes(jpeg_of(*SIZE, is_progressive=is_progressive))
    assert read_image(tmp_path / "board.jpg").shape == (64, 96, 3)


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_a_picture_that_is_cut_short_is_said_to_be(tmp_path, suffix, capfd):
    path = tmp_path / f"board{suffix}"
    coded = cv2.imencode(suffix, picture(90))[1].tobytes()
    path.write_bytes(coded[:-20])
    with pytest.raises(SourceError, match="is cut short or damaged: copy it again"):
        read_image(path)
    assert capfd.readouterr().err == ""


def test_a_damaged_png_is_reported_in_our_words_alone(tmp_path, capfd):
    coded = bytearray(cv2.imencode(".png", picture(90))[1].tobytes())
    coded[-20] ^= 1
    (tmp_path / "board.png").write_bytes(coded)
    with pytest.raises(SourceError, match="cut short or damaged"):
        read_image(tmp_path / "board.png")
    assert capfd.readouterr().err == ""


def test_a_picture_that_opencv_refuses_is_one_line(tmp_path, capfd):
    (tmp_path / "wall.bmp").write_bytes(bmp_of(60_000, 60_000))
    with pytest.raises(SourceError, match=r"wall\.bmp is damaged or too large") as caught:
        read_image(tmp_path / "wall.bmp")
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_an_address_of_a_kind_that_carries_no_video_is_refused():
    with pytest.raises(SourceError, match="cannot read video over ftp"):
        open_source("ftp://club.example/board.mp4")
