"""An hour at the board does not fill the memory: the sample is played over and over."""

from dataclasses import replace
from pathlib import Path

import pytest

import samples
from engine.rules import SHORT
from tableside.match.config import MatchConfig
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.recording.job import MatchOutputs
from tableside.recording.live_match import LiveMatch
from tableside.recording.preview import PreviewEncoder
from tableside.recording.timeline import Timeline
from tableside.review.stills import StillKeeper
from tableside.site.state_hub import StateHub
from vision.sources.files import VideoFile
from webui.http.metrics import Metrics

STATM = Path("/proc/self/statm")
PAGE_MIB = 4096 / 2**20
HOUR = 3600.0
WARM = 180.0
"""Seconds until the nets and compiled loops are loaded and the board is found."""
CLIP_SECONDS = 58.0


class Again:
    """The sample, repeated until `until` seconds have passed; `resident`: memory at each start."""

    name, fps, frames, is_live = "the sample again", 12.0, None, False

    def __init__(self, until):
        self.until = until
        self.resident = []

    def __iter__(self):
        index, begun = 0, 0.0
        while begun < self.until:
            self.resident.append((begun, int(STATM.read_text().split()[1]) * PAGE_MIB))
            clip = VideoFile(samples.CLIP)
            for frame in clip:
                yield replace(frame, index=index, seconds=begun + frame.seconds)
                index += 1
            clip.close()
            begun += CLIP_SECONDS

    def close(self):
        pass


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="only Linux reports the memory in use there")
def test_an_hour_of_play_keeps_the_memory_flat(tmp_path):
    source = Again(HOUR)
    with Store.open(tmp_path / "record.sqlite") as store:
        recorder, stills = Recorder(store, store.new_match()), StillKeeper(tmp_path / "stills")
        outputs = MatchOutputs(StateHub(), PreviewEncoder(), Metrics())
        LiveMatch(Timeline(source), MatchConfig(SHORT), recorder, stills, outputs).run()
    warm = [mib for begun, mib in source.resident if begun >= WARM]
    assert len(recorder.events) > 20
    assert max(warm) - warm[0] < 50
