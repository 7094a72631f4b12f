"""A live match in its own thread: its observations are simulated, the rest is what `live` runs."""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine import Motion, Observation, Play, Roll, apply_play
from engine.rules import SHORT
from engine.simulation.board import SimulatedBoard
from engine.simulation.reader_errors import SimulatedComparison
from tableside.desk.availability import DeskContext
from tableside.desk.queries import DeskQueries
from tableside.match.config import MatchConfig
from tableside.match.session import BoardVision
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.recording.job import MatchOutputs
from tableside.recording.live_match import LiveMatch
from tableside.recording.preview import PreviewEncoder
from tableside.recording.timeline import Timeline
from tableside.review.stills import StillKeeper, stills_folder
from tableside.site.state_hub import StateHub
from tests.refereed_board import looks
from vision.sources.frame import Frame
from webui.http.metrics import Metrics

OPENING = SHORT.opening()
PICTURE = np.full((90, 160, 3), 255, np.uint8)
"""Black above and white below, so that it is not blank."""
PICTURE[:45] = 0
PATIENCE = 60


def after(position, side, play):
    """The position after `play`."""
    return apply_play(position, side, Play.parse(play), SHORT)


class SimulatedSource:
    """A source whose frames are all alike: each stands for the observation that was put in."""

    name, fps, frames, is_live = "simulated", 12.0, None, False

    def __init__(self):
        self.coming = queue.SimpleQueue()
        self.of_frame = {}
        self.put_in = 0

    def put(self, seen, stood):
        """Show what a reader made of the board while it stood in the position `stood`."""
        self.of_frame[self.put_in] = seen, stood
        self.coming.put(Frame(PICTURE, self.put_in, self.put_in / 12))
        self.put_in += 1

    def __iter__(self):
        while (frame := self.coming.get()) is not None:
            yield frame

    def close(self):
        self.coming.put(None)


class SimulatedWatcher:
    """A `tableside.match.session.BoardWatcher` of the observations put into a source."""

    def __init__(self, source, profile):
        self.source, self.profile = source, profile
        self.reading, self.dice, self.message = None, (), ""
        self.is_open = self.is_idle = True
        self.obstacle, self.was_disturbed = None, False
        self.seen = 0
        self.comparison = SimulatedComparison(np.random.default_rng(1), 0.0)

    def process(self, frame):
        self.seen += 1
        seen, stood = self.source.of_frame[frame.index]
        dated = replace(seen, seconds=frame.seconds, frame=frame.index)
        return self.comparison.compare(dated, stood)

    def has_moved(self):
        return False

    def set_baseline(self):
        self.comparison.settle()


class SimulatedBoardFound:
    """The board, known at the first frame; also the finder that finds it."""

    message = "looking for the board"
    pose, throw_zone = SimpleNamespace(mirrored=False), None
    picture = np.full((32, 32, 3), 200, np.uint8)

    def process(self, _frame):
        return self

    def save(self, path, mode=0o666):
        path.touch(mode)
        path.write_text("the board", "utf-8")


def simulated_vision(source: Any) -> BoardVision:
    """What a session sees of a `SimulatedSource`."""
    found: Any = SimulatedBoardFound()

    def watch(profile, **_) -> Any:
        return SimulatedWatcher(source, profile)

    unknown: Any = {"light": None, "dark": None, "field": None, "points": None, "frame": None}
    return BoardVision(
        find=lambda _config: found,
        watch=watch,
        colours=lambda _profile: unknown,
        is_another_beside=lambda _image, _pose: False,
    )


class LocalDesk(DeskQueries):
    """The desk of a match that runs in this process."""

    def __init__(self, live, recorder, config, cup=None):
        self.live, self.recorder, self.config, self.cup = live, recorder, config, cup

    def execute(self, command):
        response = Future()
        self.live.commands.submit(command, response)
        response.result(PATIENCE)

    def context(self):
        return DeskContext(
            self.recorder.state,
            self.config.rules,
            self.live.view.can_undo,
            begins_matches=False,
            is_manual=self.config.is_manual,
            cup=None if self.cup is None else self.cup.shown(self.recorder.state),
        )

    def evidence(self):
        folder = stills_folder(self.recorder.path, self.recorder.match)
        return tuple(self.recorder.events), StillKeeper(folder)


class RunningMatch:
    """A live match in its own thread, and the simulated table in front of its camera."""

    def __init__(self, tmp_path, cup_at=None, clock=time.time, seconds=time.monotonic, **options):
        """cup_at: makes the cup of the match, given its recorder; clock: when it began; seconds:
        the clock by which it measures whether it keeps up, and when to look at its record again.
        """
        self.source = SimulatedSource()
        self.store = Store.open(tmp_path / "record.sqlite")
        self.match = self.store.new_match(light="Ann", dark="Bob", clock=clock)
        self.recorder = Recorder(self.store, self.match)
        self.table, self.metrics = StateHub(clock=clock), Metrics()
        config = MatchConfig(SHORT, light="Ann", dark="Bob", **options)
        cup = None if cup_at is None else cup_at(self.recorder)
        self.live = LiveMatch(
            Timeline(self.source),
            config,
            self.recorder,
            StillKeeper(tmp_path / "stills"),
            MatchOutputs(self.table, PreviewEncoder(), self.metrics),
            cup=cup,
            vision=simulated_vision(self.source),
            clock=seconds,
        )
        self.desk = LocalDesk(self.live, self.recorder, config, cup)
        self.board = SimulatedBoard(np.random.default_rng(1), OPENING)
        self.shown = 0
        self.thread = threading.Thread(target=self.live.run)
        self.thread.start()

    def close(self):
        self.live.stop()
        self.source.close()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        self.store.close()

    def show(self):
        """Show everything that has happened on the board, and wait until it is processed."""
        for seen, stood in looks(self.board)[self.shown :]:
            assert isinstance(seen, (Motion, Observation))
            self.source.put(seen, stood)
        self.shown = len(self.board.seen)
        until = time.monotonic() + PATIENCE
        while self.live.timeline.newest.frame < self.source.put_in - 1:
            assert time.monotonic() < until, "the match does not take its frames"
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
