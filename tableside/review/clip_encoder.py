"""The process that makes a clip: `python -m tableside.review.clip_encoder FILE`.

Its standard input has a line of JSON, `[[seconds, bytes], ...]`, and then the JPEG pictures. It is
a process of its own because sight must not wait for it, and because PyAV and OpenCV each bring an
FFmpeg: on macOS, two in one process may crash it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, Final

import av

from tableside.background import lower_priority

MILLISECOND: Final = Fraction(1, 1000)
OPTIONS: Final = {
    "preset": "veryfast", "crf": "28", "g": "12", "maxrate": "1M", "bufsize": "1M",
}  # fmt: skip
"""A key frame every second, so that somebody can step through the clip; at most 1 MB in all,
however noisy the pictures are."""


def read_pictures(given: BinaryIO) -> Iterator[tuple[float, bytes]]:
    """The pictures of the input, each with its time in seconds."""
    for seconds, size in json.loads(given.readline()):
        yield seconds, given.read(size)


def encode(pictures: Iterable[tuple[float, bytes]], path: Path) -> None:
    """Write the pictures as H.264, which every browser plays, beginning at time 0."""
    decoder = av.CodecContext.create("mjpeg", "r")
    assert isinstance(decoder, av.VideoCodecContext), "JPEG is video"  # noqa: S101
    decoded = (
        (seconds, picture)
        for seconds, jpeg in pictures
        for picture in decoder.decode(av.Packet(jpeg))
    )
    began, first = next(decoded)
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as out:
        stream = out.add_stream("libx264", options=OPTIONS)
        stream.width, stream.height, stream.pix_fmt = first.width, first.height, "yuv420p"
        stream.codec_context.time_base = MILLISECOND
        stream.codec_context.thread_count = 1
        for seconds, picture in ((began, first), *decoded):
            plain = picture.reformat(format="yuv420p")
            plain.pts, plain.time_base = round(1000 * (seconds - began)), MILLISECOND
            out.mux(stream.encode(plain))
        out.mux(stream.encode())


def main(path: Path) -> None:
    """Make one clip."""
    lower_priority()
    encode(read_pictures(sys.stdin.buffer), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
