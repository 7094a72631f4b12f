"""Videos that OpenCV cannot write: pictures at any times, HEVC, pixels that are not square."""

import struct
from fractions import Fraction

import numpy as np
import pytest

CLOCK = Fraction(1, 90_000)
TURNS = {0: (1, 0, 0, 1), 90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}
"""a, b, c, d of the matrix in which a phone stores how it was held, by degrees clockwise."""


def write_coded(
    path, shots, codec="libx264", pixels="yuv420p", header=None, aspect="1/1", options=None
):
    """Write (picture, seconds) pairs with PyAV, in the format that the name implies."""
    av = pytest.importorskip("av", reason="PyAV is not installed: `make check` installs it")
    with av.open(str(path), "w", options=header or {}) as out:
        stream = out.add_stream(codec, options=options or {})
        stream.pix_fmt = pixels
        stream.codec_context.sample_aspect_ratio = Fraction(aspect)
        stream.time_base = stream.codec_context.time_base = CLOCK
        for image, seconds in shots:
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="bgr24")
            picture.pts, picture.time_base = round(seconds / CLOCK), CLOCK
            if not stream.codec_context.is_open:
                stream.width, stream.height = picture.width, picture.height
            out.mux(stream.encode(picture))
        out.mux(stream.encode())
    return path


def patched(path, *changes):
    """The file with other bytes at these offsets."""
    content = bytearray(path.read_bytes())
    for offset, new in changes:
        content[offset : offset + len(new)] = new
    path.write_bytes(content)
    return path


def turned(path, degrees):
    """The MP4, marked as shot with a phone held so that its pictures must be rotated."""
    a, b, c, d = (65536 * each for each in TURNS[degrees])
    matrix = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    return patched(path, (path.read_bytes().index(b"tkhd") + 44, matrix))
