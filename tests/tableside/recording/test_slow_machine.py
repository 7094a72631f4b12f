"""A machine that is too slow says so, drops what nobody needs, and neither invents nor accuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, cycle, pairwise, product, repeat
from typing import Any

import pytest

import samples
from engine.events.codec import as_json
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
from vision.benchmark.clip_score import ClipTruth, read_truth, score_transcript
from vision.sources.files import VideoFile
from webui.http.metrics import Metrics

SECONDS = 31.0
"""Seconds of the sample: five plays, and the throw for the next."""
QUICK = 0.01


class SlowFrames:
    """A `FrameQueue` for a machine whose looks take the given seconds on its own clock."""

    error = None

    def __init__(self, costs: Iterator[float], until: float):
        self.source, self._until = VideoFile(samples.CLIP), until
        self.is_over, self.now, self.newest = False, 0.0, -1
        self._costs, self._frames = costs, pairwise(chain(self.source, [None]))

    def clock(self):
        return self.now

    def take(self, _timeout):
        """The newest picture once the previous look is done."""
        self.now += next(self._costs)
        for frame, following in self._frames:
            self.is_over = following is None or following.seconds > self._until
            if self.is_over or following.seconds > self.now:
                self.now, self.newest = max(self.now, frame.seconds), frame.index
                return frame
        return None


class SlowMatch:
    """The sample as such a machine records it, and what the page was told meanwhile."""

    def __init__(self, folder, costs, until=SECONDS):
        self.frames = SlowFrames(costs, until)
        self.metrics, self.pictures = Metrics(), PreviewEncoder()
        self.page, self.told = StateHub(), []
        with Store.open(folder / "record.sqlite") as store:
            recorder = Recorder(store, store.new_match())
            live = LiveMatch(
                Timeline(self.frames.source),
                MatchConfig(SHORT),
                recorder,
                StillKeeper(folder / "stills"),
                MatchOutputs(self, self.pictures, self.metrics),
                clock=self.frames.clock,
            )
            queue: Any = self.frames
            live.process(queue)
            live.finish(queue)
            self.events = [as_json(event) for event in recorder.events]

    def publish(self, **changes):
        self.page.publish(**changes)
        state = self.page.state()
        self.told.append((self.frames.now, state["load"], str(state["message"])))

    def metric(self, name):
        (line,) = (one for one in self.metrics.text().decode().splitlines() if one.startswith(name))
        return float(line.split()[-1])


def after(seconds, costs):
    """A machine that is fast at first."""
    return chain(repeat(QUICK, round(12 * seconds)), costs)


def bursts():
    """A machine that is busy with something else for four of every nine seconds."""
    return cycle([*repeat(QUICK, 60), 4.0])


PACES: dict[str, Callable[[], Iterator[float]]] = {
    "2 a second": lambda: repeat(0.5),
    "1 a second": lambda: repeat(1.0),
    "1 in 5 seconds": lambda: repeat(5.0),
    "bursts": bursts,
}


@pytest.mark.slow
# The search for the board, in bursts, is what takes long at first.
@pytest.mark.parametrize(("pace", "since"), list(product(PACES, (0, 2))))
def test_plays_are_right_or_covered_and_nobody_is_accused(pace, since, tmp_path):
    match = SlowMatch(tmp_path, after(since, PACES[pace]()))
    seen = tuple(one for one in read_truth(samples.CLIP).events if one["t"] < SECONDS)
    score = score_transcript(match.events, ClipTruth(seen, is_narde=False), SECONDS)
    assert score.plays >= 5
    assert (score.accusations, score.wrong_unflagged, score.missed_unflagged) == (0, 0, 0)
    assert score.right == score.plays or score.unseen_seconds
    if since:  # nothing is said of the load while the board is being searched for
        assert "pictures are skipped: close other programs" in match.told[-1][2]
        assert match.told[-1][1]["left_out"] == "overlay", "what nobody needs"
        assert match.page.state()["pending"] is None


@pytest.mark.slow
def test_finding_the_board_and_the_first_reading_may_take_long(tmp_path):
    match = SlowMatch(tmp_path, chain([QUICK, 5.0, 6.0, 3.0], repeat(QUICK)), until=20.0)
    assert match.told
    assert [load for _, load, _ in match.told if load is not None] == []


@pytest.mark.slow
def test_the_page_and_the_metrics_have_it_while_it_lasts(tmp_path):
    match = SlowMatch(tmp_path, chain(after(4, repeat(0.5, 20)), repeat(QUICK)))
    behind = [when for when, load, _ in match.told if load is not None]
    assert 4 < behind[0] < 9
    assert 14 < behind[-1] < 24
    assert match.told[-1][1] is None
    assert "skipped" not in match.told[-1][2]
    shown = [load for _, load, _ in match.told if load is not None]
    assert shown[-1]["left_out"] != "nothing"
    assert all(str(load["note"]) in text for _, load, text in match.told if load is not None)
    assert match.page.state()["troubles"] == []
    assert match.metric("tableside_behind") == 0
    fates = (f'tableside_frames_total{{fate="{fate}"}}' for fate in ("seen", "skipped"))
    looked, skipped = (match.metric(fate) for fate in fates)
    assert looked + skipped == match.frames.newest + 1
    assert skipped > 90
    assert match.metric("tableside_look_interval_seconds_sum") > 20
