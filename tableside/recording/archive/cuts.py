"""Where a long video can be cut: nothing moves there, and the position can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from calibration.profile import Profile
from engine import Position, position_from_json, position_json
from engine.evidence.likelihood import position_of
from engine.evidence.whole_board import most_probable
from engine.timestamp import Timestamp
from engine.turns.evidence import OPEN_QUALITY
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.match.view_quality import ViewQuality
from tableside.recording.archive.segment_folder import SegmentFolder
from tableside.recording.transcription import ACTIVE_FPS, IDLE_FPS, feed_frames
from vision.errors import SourceError
from vision.reading.scheduler import READING_INTERVALS, BoardWatcher
from vision.sources.files import VideoFile
from vision.sources.key_frames import key_frames

SEARCHED_SHARE: Final = 0.25
"""Fraction of a segment's length within which a cut is searched for on either side."""
LOOK_S: Final = 20.0
"""Seconds that are watched after a key frame: in most of them somebody thinks for a while."""
MAX_LOOKS: Final = 4
"""Looks for one cut; each takes two seconds."""
QUIET_S: Final = 2.5
"""Seconds without motion that a cut needs; a hand takes a shorter rest between two checkers."""
LONG_S: Final = sum(READING_INTERVALS) + 1.0
"""Seconds in which everything has been read: a longer stretch is no better."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A quiet moment at which one segment ends and another begins."""

    begin: Timestamp
    """From where the later segment is read; nothing has moved for a while."""
    at: Timestamp
    """When everything on the board has been read; from here on the later segment counts."""
    position: Position
    """What is on the board."""
    profile: Profile
    """The board as it is there."""

    @property
    def quiet_seconds(self) -> float:
        """How long nothing has moved before the cut."""
        return self.at.time - self.begin.time


def find_cuts(path: Path, config: MatchConfig, seconds: float) -> list[Cut]:
    """Where to cut a video into segments of about so many seconds; nowhere if it is short.

    Nowhere either if its board is not known before the first cut, or if it is damaged: it is then
    read in one go, which says what is wrong. A cut is left out where nothing is quiet.
    """
    try:
        return _cuts(path, config, seconds)
    except SourceError:
        return []


def _cuts(path: Path, config: MatchConfig, seconds: float) -> list[Cut]:
    with closing(VideoFile(path)) as video:
        length = video.seconds
    number = round(length / seconds)
    if number < 2 or not (keys := key_frames(path)):
        return []
    reach = SEARCHED_SHARE * length / number
    targets = [part * length / number for part in range(1, number)]
    profile = _board(path, config, targets[0] - reach)
    if profile is None:
        return []
    cuts: list[Cut] = []
    for target in targets:
        cut = _cut_near(path, config, profile, _near(keys, target, reach))
        if cut is not None and (not cuts or cut.begin > cuts[-1].at):
            cuts.append(cut)
            profile = cut.profile
    return cuts


def keep_cuts(folder: SegmentFolder, cuts: Sequence[Cut]) -> None:
    """Keep where a video is cut; raises `StoreError` or `OSError`."""
    folder.path.mkdir(parents=True, exist_ok=True)
    for number, cut in enumerate(cuts, 2):
        cut.profile.save(folder.board(number))
    folder.keep_plan(
        [
            {"begin": cut.begin, "at": cut.at, "position": position_json(cut.position)}
            for cut in cuts
        ]
    )


def kept_cuts(folder: SegmentFolder) -> list[Cut]:
    """Where a video is cut, as it was kept."""
    return [
        Cut(
            Timestamp(*value["begin"]),
            Timestamp(*value["at"]),
            position_from_json(value["position"]),
            Profile.load(folder.board(number)),
        )
        for number, value in enumerate(folder.plan(), 2)
    ]


def _near(keys: Sequence[Timestamp], target: float, reach: float) -> list[Timestamp]:
    """Key frames near a time from which to look, the nearest first."""
    near: list[Timestamp] = []
    for key in sorted(keys, key=lambda key: abs(key.time - target)):
        is_new = all(abs(key.time - other.time) >= LOOK_S / 2 for other in near)
        if is_new and abs(key.time - target) < reach:
            near.append(key)
    return near[:MAX_LOOKS]


def _board(path: Path, config: MatchConfig, until: float) -> Profile | None:
    """The board and its numbering; None if they are not known by then."""
    session = Session(config, lambda _: None)
    with closing(VideoFile(path, ACTIVE_FPS)) as source:
        for frame in feed_frames(source, session):
            if session.profile is not None or frame.seconds >= until:
                break
    return session.profile


def _cut_near(
    path: Path, config: MatchConfig, profile: Profile, keys: Sequence[Timestamp]
) -> Cut | None:
    """The cut in the longest quiet stretch after the first key frame that any follows soon."""
    for key in keys:
        cuts = list(_cuts_after(path, config, profile, key))
        if cuts:
            return max(cuts, key=lambda cut: cut.quiet_seconds)
    return None


def _cuts_after(path: Path, config: MatchConfig, profile: Profile, key: Timestamp) -> Iterator[Cut]:
    """Cuts soon after a key frame, where nothing moves and the position is clear."""
    watcher, begin = BoardWatcher(profile, moved_at=key.time), None
    for when in _watched(path, watcher, key):
        if not watcher.is_open:
            begin = None
        elif begin is None:
            begin = when
        elif watcher.is_idle and when.time - begin.time >= QUIET_S:
            position = _position(watcher, config)
            if position is not None:
                yield Cut(begin, when, position, watcher.profile)
        is_long = begin is not None and when.time - begin.time >= LONG_S
        if is_long or when.time - key.time > LOOK_S:
            break


def _watched(path: Path, watcher: BoardWatcher, key: Timestamp) -> Iterator[Timestamp]:
    """The moments from a key frame on, once the watcher has seen each, until it is blank."""
    view = ViewQuality(watcher.profile)
    with closing(VideoFile(path, ACTIVE_FPS, key)) as source:
        for frame in source:
            image = view.lit(frame)
            if image is None:
                return
            watcher.process(replace(frame, image=image))
            source.min_fps = IDLE_FPS if watcher.is_idle else ACTIVE_FPS
            yield Timestamp(frame.seconds, frame.index)


def _position(watcher: BoardWatcher, config: MatchConfig) -> Position | None:
    """What is on the board; None if it is not in open view."""
    reading = watcher.reading
    if reading is None or reading.observation.quality < OPEN_QUALITY:
        return None
    cells = most_probable(reading.observation.counts.astype(np.float64))
    return position_of(cells, config.rules.course)
