"""Logos are decoded and written anew before anybody is shown them."""

import struct

import cv2
import numpy as np
import pytest

from tableside.review.logos import LARGEST, LogoFolder
from webui.contracts.logos import BadPicture


@pytest.fixture
def logos(tmp_path):
    return LogoFolder(tmp_path / "record.logos")


def picture(kind=".png", width=900, height=300, channels=3):
    drawn = np.zeros((height, width, channels), np.uint8)
    drawn[..., 1] = 200
    return cv2.imencode(kind, drawn)[1].tobytes()


@pytest.mark.parametrize("kind", [".png", ".jpg", ".webp"])
def test_a_picture_of_each_kind_becomes_a_small_png(logos, kind):
    png = logos.read(logos.keep(picture(kind) + b"<script>"))
    assert png.startswith(b"\x89PNG")
    assert b"<script>" not in png
    height, width = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED).shape[:2]
    assert (width, height) == (LARGEST[0], round(300 * LARGEST[0] / 900))


def test_the_same_picture_is_kept_once_with_its_transparency(logos):
    clear = picture(width=60, height=30, channels=4)
    name = logos.keep(clear)
    assert logos.keep(clear) == name
    drawn = cv2.imdecode(np.frombuffer(logos.read(name), np.uint8), cv2.IMREAD_UNCHANGED)
    assert drawn.shape == (30, 60, 4)
    assert not drawn[..., 3].any()


@pytest.mark.parametrize(
    "given",
    [b"", b"hello", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a\x01\x00\x01\x00",
     picture()[:40], picture(".jpg")[:3], b"RIFF\x00\x00\x00\x00WEBPVP8X"],
)  # fmt: skip
def test_what_is_no_picture_is_refused(logos, given):
    with pytest.raises(BadPicture, match="PNG, JPEG or WebP"):
        logos.keep(given)


def test_a_picture_that_would_fill_the_memory_is_not_decoded(logos):
    whole = picture()
    with pytest.raises(BadPicture, match="too many pixels"):
        logos.keep(whole[:16] + struct.pack(">II", 60_000, 60_000) + whole[24:])


def test_a_png_that_promises_two_gigabytes_of_pixels_is_not_decoded(logos, monkeypatch):
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    whole = picture()
    length = whole.index(b"IDAT") - 4
    with pytest.raises(BadPicture, match="not a picture that can be read"):
        logos.keep(whole[:length] + struct.pack(">I", 2**31 - 1) + whole[length + 4 :])


@pytest.mark.parametrize("name", ["", "x", "../record", "0" * 32])
def test_nothing_but_a_logo_is_read(logos, name):
    assert logos.read(name) is None
