"""Joins the segments of a video by the position at each cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile
from math import inf
from pathlib import Path
from typing import Final

from calibration.profile import Profile
from engine import Event, Observation, PlayMade, Unseen
from engine.evidence.still_period import StillPeriod
from engine.timestamp import Timestamp
from engine.turns.position_check import shows_position
from tableside.console import Progress
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.recording.archive.cuts import Cut, kept_cuts
from tableside.recording.archive.segment_folder import SegmentFolder
from tableside.recording.archive.segments import SeenSegment
from tableside.recording.transcription import ACTIVE_FPS, TranscriptRecord, feed_frames
from tableside.review.stills import StillKeeper
from vision.sources.files import START, VideoFile
from vision.sources.frame import Frame

SAME_S: Final = 1.0
"""Seconds by which two records of one play may differ: they were not made of the same frames."""


class Join:
    """Transcribes a video from its segments, and reads itself what does not join."""

    def __init__(
        self,
        video: Path,
        segments: SegmentFolder,
        config: MatchConfig,
        record: TranscriptRecord,
        stills: StillKeeper,
    ) -> None:
        self._video, self._segments, self._stills = video, segments, stills
        self._session, self._record = Session(config, record.keep, record), record
        self._rules = config.rules
        self._source: VideoFile | None = None
        """What is being read; None after a segment that joined."""
        self._frames: Iterator[Frame] = iter(())
        self._newest = START
        """The last frame that was processed."""
        self._board: Profile | None = None
        """The board at the end of the segment that joined."""
        self.read_again: list[int] = []
        """The segments of which a part, or all, was read because they did not join."""

    def transcribe(self, progress: Progress) -> Session:
        """Transcribe all of the video and return the session.

        Of a damaged one, `CutShort` is raised once everything before is recorded.
        """
        session, cuts = self._session, [None, *kept_cuts(self._segments), None]
        try:
            for number, (begin, end) in enumerate(pairwise(cuts), 1):
                seen = self._seen(number)
                if begin is None or seen is None or not self._joins(begin, seen):
                    seen = self._read(inf if end is None else end.at.frame, seen)
                    self.read_again += [] if begin is None else [number]
                if seen is not None:
                    self._follow(seen)
                progress(self._newest.frame + 1, self._newest.time, len(session.state.turns))
        finally:
            self._stop_reading()
            self._stills.keep(session.finish(*self._newest))
        return session

    def _seen(self, number: int) -> SeenSegment | None:
        folder = self._segments.segment(number)
        return SeenSegment(folder) if folder.exists() else None

    def _joins(self, begin: Cut, seen: SeenSegment) -> bool:
        """Whether a segment begins with the position that stands at its cut."""
        views = takewhile(lambda entry: entry.frame <= begin.at.frame, seen.entries(-1))
        *_, shown = (None, *(view for view in views if isinstance(view, Observation)))
        if shown is None or self._session.profile is None:
            return False
        return shows_position(
            StillPeriod.of(shown),
            self._session.expected_position,
            self._rules,
            is_thrown=bool(shown.dice),
        )

    def _agrees(self, seen: SeenSegment) -> bool:
        """Whether the last play is the same in a segment, and nothing has happened since."""
        last = self._record.events[-1:]
        return self._session.is_idle and any(
            isinstance(one, PlayMade)
            and any(
                play.position == one.position and abs(play.time - one.time) < SAME_S
                for play in seen.plays
            )
            for one in last
        )

    def _follow(self, seen: SeenSegment) -> None:
        """Judge what was seen in a segment, from the newest frame on."""
        self._stop_reading()
        session = self._session
        self._stills.keep(session.pause(self._newest))
        begin, unseen = self._newest.time, 0.0
        for entry in seen.entries(self._newest.frame):
            if isinstance(entry, Unseen):
                unseen += entry.end - max(entry.start, begin)
            if isinstance(entry, Event):
                session.enter(entry)
            else:
                session.observe(entry)
        self._stills.adopt(seen.stills)
        session.coverage.add(seen.newest.time - begin, unseen)
        self._newest, self._board = seen.newest, seen.board

    def _read(self, end: float, seen: SeenSegment | None) -> SeenSegment | None:
        """Read on up to frame `end`, or until a segment can be joined, which is returned."""
        if self._source is None:
            if self._board is not None:
                self._session.watch(self._board)
            self._source = VideoFile(self._video, ACTIVE_FPS, self._newest)
            self._frames = feed_frames(self._source, self._session, self._stills)
        for frame in self._frames:
            self._newest = Timestamp(frame.seconds, frame.index)
            if frame.index >= end:
                return None
            if seen is not None and self._agrees(seen):
                return seen
        return None

    def _stop_reading(self) -> None:
        if self._source is not None:
            self._source.close()
        self._source = None
