"""A video in, the events of its match out, recorded as they become certain.

Every event is on the disk before the next frame is processed. Each run is a match of its own: one
that was killed stays in the record, and the next run transcribes from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from engine import Event
from engine.referee import Entry, ManualEntry
from tableside.console import Progress
from tableside.match.config import MatchConfig, begin_match
from tableside.match.session import Session
from tableside.record.observation_codec import PendingWrites
from tableside.record.store import Store
from tableside.review.stills import StillKeeper
from vision.errors import CutShort
from vision.sources.frame import Frame, FrameSource, SparseSource

ACTIVE_FPS: Final = 10.0
"""Frames per second needed to tell a hand from a rolling die, and when either ends."""
IDLE_FPS: Final = 4.0
"""Frames per second needed to notice that something begins or has been put down."""


class TranscriptRecord:
    """The record of one run; the first event creates its file, so that none is left empty."""

    def __init__(self, path: Path, config: MatchConfig, source: str) -> None:
        self.path = path
        self.events: list[Event] = []
        self._config, self._source = config, source
        self._opened: tuple[Store, int] | None = None
        self._pending = PendingWrites()

    def keep(self, events: Sequence[Event]) -> None:
        """Write the events to the disk."""
        store, match = self._opened or self._open()
        store.append(match, events, self._pending.rows)
        self.events.extend(events)
        self._pending = PendingWrites()

    def append(self, entry: Entry) -> None:
        """Add an observation, to be written with the next events."""
        self._pending.append(entry)

    def since(self, frame: int) -> Iterator[Entry]:
        """The observations from a frame on."""
        written = () if self._opened is None else self._opened[0].evidence(self._opened[1], frame)
        return self._pending.after(written, frame)

    def manual_entries(self) -> Iterator[ManualEntry]:
        """Always empty: nothing is entered by hand while a video is transcribed."""
        return iter(())

    def _open(self) -> tuple[Store, int]:
        store = Store.open(self.path, keeps_journal=False)  # the video is there to be read again
        self._opened = store, begin_match(store, self._config, self._source)
        return self._opened

    def close(self, *, is_whole: bool) -> None:
        """Release the file; a complete match is closed in it."""
        if self._opened is None:
            return
        store, match = self._opened
        if is_whole:
            store.close_match(match)
        store.close()


def transcribe(
    source: FrameSource,
    config: MatchConfig,
    record: TranscriptRecord,
    progress: Progress,
    stills: StillKeeper,
) -> Session:
    """Process all of `source`, or a damaged one up to where it breaks, and return the session.

    In the latter case `CutShort` is raised, once everything before is recorded.
    """
    session = Session(config, record.keep, record)
    seconds, frames = 0.0, 0
    try:
        for frame in feed_frames(source, session, stills):
            seconds, frames = frame.seconds, frame.index + 1
            progress(frames, seconds, len(session.state.turns))
    except CutShort:
        stills.keep(session.finish(seconds, frames))
        raise
    stills.keep(session.finish(seconds, max(0, frames - 1)))
    return session


def feed_frames(
    source: FrameSource, session: Session, stills: StillKeeper | None = None
) -> Iterator[Frame]:
    """Yield each frame once `session` has processed it; only a few of a video while it is idle."""
    sparse = source if isinstance(source, SparseSource) else None
    for frame in source:
        events = session.feed(frame)
        if stills is not None:
            stills.add_frame(frame, session.reading)
            stills.keep(events)
        if sparse is not None:
            sparse.min_fps = IDLE_FPS if session.is_idle else ACTIVE_FPS
        yield frame
