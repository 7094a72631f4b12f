"""A real sitting in its own thread: its looks are simulated, all else is what `live` runs."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

import tableside.match.session
import tableside.recording.live_match
from engine import Motion, Observation, Play, Roll, apply_play
from engine.rules import SHORT
from engine.simulation.board import SimulatedBoard
from tableside.match.config import MatchConfig
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.recording.live_match import LiveMatch
from tableside.review.stills import StillKeeper
from tableside.site.state_hub import StateHub
from vision.sources.frame import Frame

OPENING = SHORT.opening()
BLACK = np.zeros((90, 160, 3), np.uint8)
PATIENCE = 60


def after(position, side, play):
    """What stands once that was played."""
    return apply_play(position, side, Play.parse(play), SHORT)


class Looks:
    """A source whose pictures are empty: each stands for the look that was put in."""

    name, fps, frames, is_live = "simulated", 12.0, None, False

    def __init__(self):
        self.coming = queue.SimpleQueue()
        self.of_frame = {}
        self.put_in = 0

    def put(self, seen):
        self.of_frame[self.put_in] = seen
        self.coming.put(Frame(BLACK, self.put_in, self.put_in / 12))
        self.put_in += 1

    def __iter__(self):
        while (frame := self.coming.get()) is not None:
            yield frame

    def close(self):
        self.coming.put(None)


class SimulatedWatch:
    """What `Watch` is to a session, with the looks of `Looks` in place of reading pictures."""

    looks = None

    def __init__(self, profile, **_):
        self.profile = profile
        self.reading, self.dice, self.message = None, (), ""
        self.is_open = self.is_idle = True
        self.seen = 0

    def process(self, frame):
        self.seen += 1
        seen = self.looks.of_frame[frame.index]
        return replace(seen, seconds=frame.seconds, frame=frame.index)

    def has_moved(self):
        return False

    def set_baseline(self):
        pass


class Found:
    """The board is known at the first picture."""

    message = "looking for the board"

    def __init__(self, *_):
        pass

    def process(self, _frame):
        return SimpleNamespace(pose=SimpleNamespace(mirrored=False), throw_zone=None)


class Sat:
    """A sitting that runs, and the simulated table before its camera."""

    def __init__(self, tmp_path, monkeypatch, cup_at=None, **plan):
        """cup_at: what makes the cup of the match, given its recorder."""
        self.looks = Looks()
        monkeypatch.setattr(tableside.match.session, "BoardAcquisition", Found)
        monkeypatch.setattr(SimulatedWatch, "looks", self.looks)
        monkeypatch.setattr(tableside.match.session, "BoardWatcher", SimulatedWatch)
        unknown = {"light": None, "dark": None, "field": None, "points": None, "frame": None}
        monkeypatch.setattr(tableside.recording.live_match, "set_colours", lambda _profile: unknown)
        self.store = Store.open(tmp_path / "record.sqlite")
        self.match = self.store.new_match(light="Ann", dark="Bob")
        self.recorder = Recorder(self.store, self.match)
        self.table = StateHub()
        self.sitting = LiveMatch(
            self.looks,
            MatchConfig(SHORT, light="Ann", dark="Bob", **plan),
            self.recorder,
            self.table,
            stills=StillKeeper(tmp_path / "stills"),
            cup=None if cup_at is None else cup_at(self.recorder),
        )
        self.desk = self.sitting.desk
        self.board = SimulatedBoard(np.random.default_rng(1), OPENING)
        self.shown = 0
        self.thread = threading.Thread(target=self.sitting.run)
        self.thread.start()

    def close(self):
        self.sitting.stop()
        self.looks.close()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        self.store.close()

    def show(self):
        """All that has happened on the board is before the sitting, and it has looked at it."""
        for seen in self.board.seen[self.shown :]:
            assert isinstance(seen, (Motion, Observation))
            self.looks.put(seen)
        self.shown = len(self.board.seen)
        until = time.monotonic() + PATIENCE
        while self.sitting._last[1] < self.looks.put_in - 1:
            assert time.monotonic() < until, "the sitting does not take its frames"
            time.sleep(0.01)

    def begin(self):
        self.board.rest(3)
        self.show()

    def turn(self, side, roll, play):
        self.board.throw(Roll(*roll), side)
        self.board.play(after(self.board.position, side, play))
        self.board.lift()
        self.show()

    @property
    def plays(self):
        return [turn.event.play for turn in self.recorder.state.effective_turns]

    def on_disk(self):
        return self.store.events(self.match)
