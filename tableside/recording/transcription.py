"""A video in, the events of its match out, recorded as they become certain.

Every event is on the disk before the next frame is processed. Each run
is a match of its own in that record; a run that was killed leaves its match there, and the next
run transcribes from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from engine import Event
from engine.referee.replay import Entry, ManualEntry
from tableside.console import Progress
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.record.observation_codec import PendingWrites
from tableside.record.store import Store
from tableside.review.stills import StillKeeper
from vision.errors import CutShort
from vision.sources.files import VideoFile
from vision.sources.frame import Frame, FrameSource

LOOKED_AT_FPS: Final = 12.0
"""Pictures a second in which a hand, a rolling die and the end of both are still told apart."""
IDLE_FPS: Final = 4.0
"""... and those in which it is noticed that something begins, or lies there that did not."""


class TranscriptRecord:
    """The record of one run: the file is made with the first event, so that none is left empty."""

    def __init__(self, path: Path, plan: MatchConfig, source: str) -> None:
        self.path = path
        self.events: list[Event] = []
        self._plan, self._source = plan, source
        self._opened: tuple[Store, int] | None = None
        self._seen = PendingWrites()

    def keep(self, events: Sequence[Event]) -> None:
        """The events, on the disk."""
        store, match = self._opened or self._open()
        store.append(match, events, self._seen.rows)
        self.events.extend(events)
        self._seen = PendingWrites()

    def append(self, entry: Entry) -> None:
        """What was seen, on the disk with the next events."""
        self._seen.append(entry)

    def since(self, frame: int) -> Iterator[Entry]:
        """All that was seen from a frame on."""
        written = () if self._opened is None else self._opened[0].evidence(self._opened[1], frame)
        return self._seen.after(written, frame)

    def manual_entries(self) -> Iterator[ManualEntry]:
        """Nothing is said of a video while it is transcribed."""
        return iter(())

    def _open(self) -> tuple[Store, int]:
        plan, store = self._plan, Store.open(self.path)
        match = store.new_match(
            variant=plan.rules.name,
            length=plan.length,
            light=plan.light,
            dark=plan.dark,
            source=self._source,
        )
        self._opened = store, match
        return self._opened

    def close(self, *, is_whole: bool) -> None:
        """Let go of the file; a whole match is closed in it."""
        if self._opened is None:
            return
        store, match = self._opened
        if is_whole:
            store.close_match(match)
        store.close()


def transcribe(
    source: FrameSource,
    plan: MatchConfig,
    notebook: TranscriptRecord,
    progress: Progress,
    stills: StillKeeper,
) -> Session:
    """The session that has seen all of `source`; a damaged one is followed to where it breaks."""
    session = Session(plan, notebook.keep, notebook)
    seconds, frames = 0.0, 0
    try:
        for frame in fed(source, session, stills):
            seconds, frames = frame.seconds, frame.index + 1
            progress(frames, seconds, len(session.state.turns))
    except CutShort:
        stills.keep(session.finish(seconds, frames))
        raise
    stills.keep(session.finish(seconds, max(0, frames - 1)))
    return session


def fed(
    source: FrameSource, session: Session, stills: StillKeeper | None = None
) -> Iterator[Frame]:
    """The frames, each seen by `session`; few of a video while nothing happens in it."""
    for frame in source:
        events = session.feed(frame)
        if stills is not None:
            stills.see(frame, session.reading)
            stills.keep(events)
        if isinstance(source, VideoFile):
            source.min_fps = IDLE_FPS if session.is_idle else LOOKED_AT_FPS
        yield frame
