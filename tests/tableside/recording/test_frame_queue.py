"""Frames are taken from a source in a separate thread, and the cause of an early end is known."""

import cv2
import numpy as np
import pytest

from tableside.recording.frame_queue import FrameQueue
from vision.errors import SourceError
from vision.sources.frame import Frame


class FailingSource:
    """Shows one picture, then fails."""

    name, fps, frames, is_live = "failing", 25.0, None, False

    def __init__(self, error):
        self.error = error

    def __iter__(self):
        yield Frame(np.zeros((4, 4, 3), np.uint8), 0, 0.0)
        raise self.error

    def close(self):
        pass


@pytest.mark.parametrize("error", [SourceError("cut"), cv2.error("bad"), OSError(), MemoryError()])
def test_whatever_ends_a_source_early_is_no_clean_end(error):
    queue = FrameQueue(FailingSource(error), lambda _: None)
    assert queue.take(5) is not None
    assert queue.take(5) is None
    assert queue.is_over
    assert queue.error is error


def test_a_picture_that_cannot_be_shown_is_no_clean_end():
    def refuse(_):
        raise cv2.error("bad")

    queue = FrameQueue(FailingSource(SourceError("cut")), refuse)
    queue.take(5)
    assert isinstance(queue.error, cv2.error)
