"""Videos as cameras, phones and recording programs write them have right times, sizes and lengths.

What OpenCV cannot write is written with PyAV, or patched into the bytes of a header.
"""

import struct
from itertools import pairwise

import numpy as np
import pytest

from tests.coded_video import TURNS, patched, turned, write_coded
from tests.vision.sources.test_files import SIZE, write_video
from vision.errors import CutShort, SourceError
from vision.sources.open import open_source

COUNT = 60
EVEN = [n / 30 for n in range(COUNT)]
UNEVEN = [sum((0.033, 0.033, 0.05, 0.067, 0.2)[k % 5] for k in range(n)) for n in range(COUNT)]
"""Phones and screen recorders take fewer pictures in dim light, or when nothing moves."""


@pytest.fixture
def coded(tmp_path):
    """Writes noise at `times`."""

    def write(name, times, codec="libx264", pixels="yuv420p", header=None, aspect="1/1", **options):
        random = np.random.default_rng(0)
        noise = (random.integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8) for _ in times)
        shots = zip(noise, times, strict=True)
        return write_coded(tmp_path / name, shots, codec, pixels, header, aspect, options)

    return write


def seconds_of(path, min_fps=None):
    return [frame.seconds for frame in open_source(str(path), min_fps=min_fps)]


@pytest.mark.parametrize("name", ["phone.mp4", "screen.mkv", "browser.webm", "old.ts"])
def test_pictures_that_come_unevenly_have_the_times_of_their_container(coded, name):
    path = coded(name, UNEVEN, "libvpx-vp9" if name.endswith("webm") else "libx264")
    assert seconds_of(path) == pytest.approx(UNEVEN, abs=2e-3)


@pytest.mark.parametrize("name", ["phone.mp4", "screen.mkv"])
def test_pictures_that_come_unevenly_are_thinned_out_by_their_times(coded, name):
    path = coded(name, [*UNEVEN[:30], *(UNEVEN[29] + n / 120 for n in range(1, 121))])
    shown, every = seconds_of(path, min_fps=12), seconds_of(path)
    assert len(shown) < len(every) / 3
    longest = max(b - a for a, b in pairwise(every))
    assert all(b - a <= longest + 0.035 for a, b in pairwise(shown)), "none before it was left out"
    dense = [seconds for seconds in shown if seconds > UNEVEN[29]]
    assert all(0.05 < b - a < 0.09 for a, b in pairwise(dense[1:]))


@pytest.mark.parametrize("name", ["cut.mkv", "cut.webm"])
def test_an_uneven_video_that_is_cut_short_is_said_to_be(coded, name):
    path = coded(name, UNEVEN, "libvpx-vp9" if name.endswith("webm") else "libx264")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(CutShort, match="is cut short"):
        seconds_of(path)


@pytest.mark.parametrize("pixels", ["yuv420p", "yuv420p10le"])
def test_hevc_is_read_in_eight_bits_and_in_ten(coded, pixels):
    path = coded("phone.mp4", EVEN, "libx265", pixels, **{"x265-params": "log-level=none"})
    frames = list(open_source(str(path)))
    assert [frame.seconds for frame in frames] == pytest.approx(EVEN)
    assert {frame.image.dtype for frame in frames} == {np.dtype(np.uint8)}


@pytest.mark.parametrize(("aspect", "width"), [("4/3", 128), ("8/9", 85), ("1/1", 96)])
def test_squeezed_pictures_of_a_camcorder_are_made_wide_again(coded, aspect, width):
    path = coded("camcorder.mp4", EVEN[:3], aspect=aspect)
    assert next(iter(open_source(str(path)))).image.shape == (SIZE[1], width, 3)


def test_a_recording_without_its_length_is_read_to_where_it_ends(coded):
    path = coded("studio.mkv", EVEN, header={"live": "1"}, g="15")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    seconds = seconds_of(path)
    assert seconds == pytest.approx(EVEN[: len(seconds)], abs=2e-3)
    assert len(seconds) > COUNT / 2


def note_times(path, seconds):
    for frame in open_source(str(path)):
        seconds.append(frame.seconds)


@pytest.mark.parametrize("kept", [-3, 4, 12, 100, 3000])
def test_a_recording_in_fragments_is_read_to_where_it_was_torn_off(coded, kept):
    path = coded("studio.mp4", EVEN, header={"movflags": "frag_keyframe+empty_moov"}, g="10")
    content = path.read_bytes()
    last = content.rindex(b"moof") - 4
    path.write_bytes(content[: last + kept])
    seconds = []
    with pytest.raises(CutShort, match=r"studio\.mp4 is cut short after frame \d+; everything"):
        note_times(path, seconds)
    assert 49 <= len(seconds) < COUNT
    assert seconds == pytest.approx(EVEN[: len(seconds)], abs=2e-3)


def test_a_recording_in_fragments_that_is_whole_is_not_cut_short(coded):
    path = coded("studio.mp4", EVEN, header={"movflags": "frag_keyframe+empty_moov"}, g="10")
    assert seconds_of(path) == pytest.approx(EVEN, abs=2e-3)


def test_a_file_that_grows_while_it_is_read_is_said_to_be_still_recorded(tmp_path):
    path = write_video(tmp_path / "now.avi", codec="MJPG")
    frames = iter(open_source(str(path)))
    next(frames)
    with path.open("ab") as file:
        file.write(bytes(1000))
    with pytest.raises(CutShort, match="while it was still being recorded"):
        list(frames)


def test_a_recording_whose_index_is_not_written_yet_says_to_wait(tmp_path):
    path = write_video(tmp_path / "now.mp4")
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(SourceError, match=r"still being recorded: .*wait until it is finished"):
        open_source(str(path))


@pytest.mark.parametrize(
    ("scale", "rate", "fps"),
    [(1, 90_000, 25), (1, 1000, 25), (0, 10, 10), (1, 0, 10), (1_000_000, 29_970_000, 29.97)],
)
def test_a_frame_rate_that_cannot_be_is_not_believed(tmp_path, scale, rate, fps):
    path = write_video(tmp_path / "odd.avi", codec="MJPG")
    at = path.read_bytes().index(b"vids") + 20
    source = open_source(str(patched(path, (at, struct.pack("<II", scale, rate)))), min_fps=12)
    frames = list(source)
    assert source.fps == pytest.approx(fps, rel=1e-3)
    assert [frame.seconds for frame in frames] == pytest.approx(
        [frame.index / fps for frame in frames], rel=1e-3
    )
    assert len(frames) >= 15


def test_a_codec_that_cannot_be_decoded_is_named(tmp_path, capfd):
    path = write_video(tmp_path / "new.mp4")
    content = path.read_bytes()
    letters, details = content.index(b"mp4v", content.index(b"stsd")), content.index(b"esds")
    patched(path, (letters, b"new9"), (details, b"free"))
    with pytest.raises(SourceError, match="encoded as new9, which OpenCV cannot decode here"):
        open_source(str(path))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("min_fps", [None, 12])
def test_a_phone_held_upright_gives_upright_pictures(tmp_path, turn, min_fps):
    picture = np.full((SIZE[1], SIZE[0], 3), 40, np.uint8)
    picture[:20, :20] = 0, 0, 255
    path = write_video(tmp_path / "phone.mp4", pictures=[picture] * 3)
    image = next(iter(open_source(str(turned(path, turn)), min_fps=min_fps))).image
    assert image.shape == np.rot90(picture, -turn // 90).shape
    expected = np.rot90(picture, -turn // 90)
    assert np.abs(image.astype(int) - expected).mean() < 10


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ((3840, 2160), (1080, 1920)),
        ((2160, 3840), (1920, 1080)),
        ((2704, 1520), (1079, 1920)),
        ((1920, 1080), (1080, 1920)),
    ],
)
def test_large_pictures_are_made_as_small_as_helps(tmp_path, size, shape):
    ramp = np.linspace(0, 255, size[0], dtype=np.uint8)
    picture = np.repeat(np.tile(ramp, (size[1], 1))[..., None], 3, axis=2)
    path = write_video(tmp_path / "large.avi", codec="MJPG", pictures=[picture] * 2)
    image = next(iter(open_source(str(path)))).image
    assert image.shape[:2] == shape
    assert image[0, ::160, 0] == pytest.approx(np.linspace(0, 255, shape[1])[::160], abs=4)
