"""The pictures of a phone's browser as a live source."""

from __future__ import annotations

import threading
import time

import cv2
import numpy as np
import pytest

from vision.errors import SourceError
from vision.sources.camera import LiveSource
from vision.sources.open import open_source
from vision.sources.phone import PhoneCapture
from vision.sources.phone_feed import PHONE, PhoneFeed, PhonePicture

PATIENCE = 30


def jpeg(grey=120, size=(64, 48)):
    width, height = size
    return cv2.imencode(".jpg", np.full((height, width, 3), grey, np.uint8))[1].tobytes()


def test_the_newest_picture_comes_with_the_time_at_which_it_was_taken():
    feed = PhoneFeed(clock=lambda: 100.0)
    feed.put(PhonePicture(jpeg(10), 0.5))
    feed.put(PhonePicture(jpeg(200), 0.25))
    capture = PhoneCapture(feed, patience=0.01)
    is_read, image = capture.read()
    assert (is_read, image.shape, int(image.mean().round())) == (True, (48, 64, 3), 200)
    assert capture.taken_at == 99.75
    assert capture.read() == (False, None)


@pytest.mark.parametrize("coded", [b"", b"no picture", jpeg()[:200], jpeg(size=(9000, 9000))])
def test_what_is_no_acceptable_jpeg_is_not_shown(coded):
    feed = PhoneFeed()
    feed.put(PhonePicture(coded, 0.0))
    assert PhoneCapture(feed, patience=0.01).read()[0] is False


def test_a_phone_that_was_lost_is_read_again_when_it_returns():
    feed, stopped = PhoneFeed(), threading.Event()
    source = open_source(PHONE, waits=True, phone=feed)
    assert isinstance(source, LiveSource)
    sending = threading.Event()
    sending.set()

    def send():
        number = 0
        while not stopped.is_set():
            number += 1
            if sending.is_set():
                feed.put(PhonePicture(jpeg(number % 200), 0.0))
            time.sleep(0.02)

    phone = threading.Thread(target=send)
    phone.start()
    try:
        frames = iter(source)
        first = next(frames)
        sending.clear()
        threading.Timer(3.0, sending.set).start()
        seen = first
        while seen.seconds < first.seconds + 3.0:
            seen = next(frames)
        assert source.status.is_ok
        assert seen.index > first.index
    finally:
        stopped.set()
        source.close()
        phone.join(PATIENCE)


def test_without_a_page_there_is_no_phone():
    with pytest.raises(SourceError, match="choose it in the browser"):
        open_source(PHONE)
