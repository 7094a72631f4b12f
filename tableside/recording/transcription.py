"""`tableside transcribe`: a video in, the files of its match out.

Every event is in `record.sqlite` beside the files before the next frame is looked at. Each run
is a match of its own in that record; a run that was killed leaves its match there, and the next
run transcribes from the beginning.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from engine import Event, PlayMade
from engine.match.amendments import effective_events
from engine.referee.replay import Entry, ManualEntry
from tableside.console import Progress, progress_of
from tableside.errors import NothingSeen, StoreError
from tableside.match.config import MatchConfig, plan_of
from tableside.match.session import Session
from tableside.record.observation_codec import PendingWrites
from tableside.record.store import Store
from tableside.review.output_files import write_record_files
from tableside.review.report import write_review
from tableside.review.stills import StillKeeper, passing_stills
from vision.errors import CutShort
from vision.sources.frame import Frame
from vision.sources.open import FrameSource, VideoFile, open_source

RECORD: Final = "record.sqlite"
STILLS: Final = "record.stills"
"""Where pictures wait until it is known which of them somebody should see."""
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


def run_transcribe(args: Namespace) -> int:
    """Transcribe and write; 0, or an error that says what was in the way."""
    plan = plan_of(args)
    _check_folder(args.out)
    source = open_source(args.video, least_fps=LOOKED_AT_FPS)
    if source.is_live:
        source.close()
        raise NothingSeen(f"{source.name} has no end: `tableside live --camera` records it")
    notebook = TranscriptRecord(args.out / RECORD, plan, args.video)
    is_whole = False
    with passing_stills(args.out / STILLS) as stills:
        try:
            with progress_of(source, sys.stderr) as progress:
                session = transcribe(source, plan, notebook, progress, stills)
            is_whole = True
        finally:
            # Whatever ended the video, what it showed until then is written.
            source.close()
            notebook.close(is_whole=is_whole)
            paths = _write(args.out, notebook.events, stills)
    if not notebook.events:
        raise NothingSeen(f"{source.name}: no game was seen: {session.message}")
    print(f"{_summary(notebook.events)}; wrote {', '.join(str(path) for path in paths)}")
    return 0


def _write(folder: Path, events: Sequence[Event], stills: StillKeeper) -> tuple[Path, ...]:
    """The paths of all the files of a match; none where nothing was seen."""
    if not events:
        return ()
    if stills.fault is not None:
        print(f"tableside: {stills.fault}; the review lacks it", file=sys.stderr)
    return *write_record_files(folder, events), *write_review(folder, events, stills)


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
            source.least_fps = IDLE_FPS if session.is_idle else LOOKED_AT_FPS
        yield frame


def _check_folder(folder: Path) -> None:
    """Say at once what would otherwise be found out after the whole video."""
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; name a folder for the match files with --out")


def _summary(events: Sequence[Event]) -> str:
    plays = [event for event in effective_events(events) if isinstance(event, PlayMade)]
    doubtful = sum(play.review for play in plays)
    return f"{len(plays)} plays, {doubtful} to review"
