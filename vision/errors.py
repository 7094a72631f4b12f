"""The errors of `vision`.

VisionError
├── BoardNotFound     a picture without a readable board
├── BadTruth          stills without readable labels
└── SourceError       pictures that cannot be obtained
    └── CutShort      a video that ends before its declared length
"""

from __future__ import annotations

from engine.message import Sentence, message_of


class VisionError(Exception):
    """Base of all errors that `vision` raises."""


class BoardNotFound(VisionError):
    """Raised when a picture shows no readable board; the message says what would help."""


class BadTruth(VisionError):
    """Raised when a folder has no labeled stills, or an unreadable label."""


class SourceError(VisionError):
    """Raised when pictures cannot be obtained; the message says what to do."""


class CutShort(SourceError):
    """Raised after the last good picture of a damaged video; `frame` is where decoding stopped."""

    def __init__(self, message: Sentence, frame: int) -> None:
        super().__init__(message)
        self.frame = frame

    def __reduce__(self) -> tuple[type[CutShort], tuple[Sentence, int]]:
        return type(self), (message_of(self), self.frame)  # for sending to another process
