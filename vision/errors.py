"""The errors of `vision`.

VisionError
├── BoardNotFound     a picture that shows no board that can be read
├── BadTruth          labelled stills without labels that can be read
└── SourceError       pictures that cannot be had
    └── CutShort      a video that ends before its own length
"""

from __future__ import annotations

from engine.message import Sentence, message_of


class VisionError(Exception):
    """Base of every error that `vision` raises."""


class BoardNotFound(VisionError):
    """Raised when a picture shows no board that can be read; the message says what would help."""


class BadTruth(VisionError):
    """Raised when a folder holds no labelled stills, or a label that cannot be read."""


class SourceError(VisionError):
    """Raised when pictures cannot be had; the message says what to do about it."""


class CutShort(SourceError):
    """Raised after the last good picture of a damaged video; `frame` is where decoding stopped."""

    def __init__(self, message: Sentence, frame: int) -> None:
        super().__init__(message)
        self.frame = frame

    def __reduce__(self) -> tuple[type[CutShort], tuple[Sentence, int]]:
        return type(self), (message_of(self), self.frame)  # sent to another process
