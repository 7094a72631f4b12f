"""The README's picture: a frame of the sample clip with the program's reading drawn over it.

`make docs/board.png` runs it, and nothing is retouched.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import cv2

import samples
from engine.arrays import Image
from engine.rules import SHORT
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from vision.reading.overlay import draw_overlay
from vision.sources.files import VideoFile

MOMENT_S: Final = 12.9
"""Seconds: light has thrown 4-4 with a checker on the bar, and no hand is in the picture."""


def board_picture(seconds: float = MOMENT_S) -> Image:
    """The sample at this time as the page would show it."""
    session = Session(MatchConfig(SHORT), lambda events: None)
    for frame in VideoFile(samples.CLIP):
        session.feed(frame)
        if frame.seconds >= seconds and session.reading is not None:
            return draw_overlay(frame.image, session.reading)
    raise ValueError(f"the sample is shorter than {seconds} s")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(bytes(cv2.imencode(".png", board_picture())[1]))
