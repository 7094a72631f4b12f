"""A segment of a long video: read by itself, from the position at its cut.

Its referee follows a game that begins with that position. Its events do not count, only what it
saw: one referee judges that of all segments in order, so that score, cube and turn carry over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Final

from calibration.profile import Profile
from engine import (
    BoardMoved,
    Event,
    Motion,
    Observation,
    PlayMade,
    Unseen,
)
from engine.referee import ManualEntry
from engine.timestamp import Timestamp
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.record.files import replace_file
from tableside.record.observation_codec import decode_entry
from tableside.record.store import Store
from tableside.recording.archive.cuts import Cut
from tableside.recording.transcription import ACTIVE_FPS, TranscriptRecord, feed_frames
from tableside.review.stills import StillKeeper
from vision.sources.files import VideoFile

END: Final = "end.json"
RECORD: Final = "record.sqlite"
STILLS: Final = "stills"
BOARD: Final = "board.json"


def read_segment(
    video: Path, cuts: Sequence[Cut], number: int, config: MatchConfig, out: Path
) -> None:
    """Write to `out` what a segment shows; raises `SourceError` if the video is damaged there."""
    cut, *after = cuts[number - 2 :]
    local = replace(config, start=cut.position, profile=cut.profile)
    record = TranscriptRecord(out / RECORD, local, str(video))
    session, stills = Session(local, record.keep, record), StillKeeper(out / STILLS)
    session.watch(cut.profile)
    end = after[0].at.frame if after else inf
    newest = cut.begin
    with closing(VideoFile(video, ACTIVE_FPS, cut.begin)) as source:
        for frame in feed_frames(source, session, stills):
            newest = Timestamp(frame.seconds, frame.index)
            if frame.index >= end:
                break
    session.pause(newest)
    record.keep(())
    record.close(is_whole=True)
    assert session.profile is not None, "it was given"  # noqa: S101
    session.profile.save(out / BOARD)
    replace_file(out / END, json.dumps({"newest": newest}))


class SeenSegment:
    """What was seen in a segment that was read."""

    def __init__(self, folder: Path) -> None:
        end = json.loads((folder / END).read_text("utf-8"))
        self.newest = Timestamp(*end["newest"])
        """The last frame read."""
        self.stills = folder / STILLS
        self.board = Profile.load(folder / BOARD)
        """The board at its end."""
        self._record = folder / RECORD
        with Store.open_read_only(self._record) as store:
            (match,) = store.matches()
            events = store.events(match.id)
        self.plays = [event for event in events if isinstance(event, PlayMade)]
        """The plays that its own referee recorded."""

    def entries(self, after: int) -> Iterator[Observation | Motion | Event]:
        """What the frames after this one showed, in order; whose dice are whose is open."""
        with Store.open_read_only(self._record) as store:
            (match,) = store.matches()
            for payload in store.evidence(match.id, after + 1):
                entry = decode_entry(payload)
                if isinstance(entry, Observation):
                    yield replace(entry, dice=tuple(replace(die, side=None) for die in entry.dice))
                elif not isinstance(entry, ManualEntry):
                    yield entry
                elif isinstance(entry.value, BoardMoved | Unseen):
                    yield entry.value
