"""Where a video can be entered: its key frames, found without decoding anything."""

from __future__ import annotations

from pathlib import Path

import cv2

from engine.timestamp import Timestamp
from vision.sources.frame import check_file, silence_opencv

_RAW = -1
"""OpenCV's format of packets that are not decoded."""


def key_frames(path: Path) -> tuple[Timestamp, ...]:
    """The key frames of a video, in order, as `VideoFile` numbers and times them.

    None of them if the file's times do not say which picture is which: they are missing, or start
    again. Raises `SourceError` if the file cannot be read.
    """
    silence_opencv()
    check_file(path)
    packets = cv2.VideoCapture(str(path.resolve()), cv2.CAP_FFMPEG, [cv2.CAP_PROP_FORMAT, _RAW])
    stamps, keys = [], set()
    while packets.grab():
        stamps.append(packets.get(cv2.CAP_PROP_POS_MSEC) / 1000)
        if packets.get(cv2.CAP_PROP_LRF_HAS_KEY_FRAME):
            keys.add(stamps[-1])
    packets.release()
    if len(set(stamps)) < len(stamps) or stamps[:1] != [0.0]:
        return ()
    order = enumerate(sorted(stamps))  # packets are in the order in which they are decoded
    return tuple(Timestamp(seconds, frame) for frame, seconds in order if seconds in keys)
