"""The client and the worker of the vision process, here in one process."""

from __future__ import annotations

import os
import threading
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe
from queue import SimpleQueue
from socket import SHUT_RDWR, socket
from typing import Any

import numpy as np
import pytest

from engine import MatchState, NotNow
from engine.events.match import GameStart
from engine.events.record import MatchPaused
from engine.rules import SHORT
from tableside.desk.command_queue import CommandQueue
from tableside.errors import StoreError, VisionProcessLost
from tableside.match.config import MatchConfig
from tableside.record.backup import back_up
from tableside.record.recorder import Recorder
from tableside.recording.job import AttachedMatch, KeptEvents
from tableside.recording.live_match import LiveMatch
from tableside.recording.timeline import NoCamera, Timeline
from tableside.review.stills import StillKeeper, stills_folder
from tableside.vision_process.channel import Channel
from tableside.vision_process.client import VisionClient
from tableside.vision_process.messages import MatchAttached, Signal
from tableside.vision_process.remote_desk import RemoteDesk
from tableside.vision_process.spawn import VisionProcess, vision_process
from tableside.vision_process.worker import VisionWorker, claimed
from tests.webui.conftest import cup_shown
from vision.errors import CutShort
from vision.sources.frame import Frame
from webui.contracts.desk import DeskCommand, DeskUnavailable, PlayEntered, RollEntered
from webui.contracts.roles import Visibility

PATIENCE = 60


class NoSource:
    """No pictures, and nothing to release."""

    def close(self):
        pass


@dataclass(frozen=True)
class CommandJob:
    """A job: a match starts, and then only commands are executed."""

    fault: bool = False

    def open(self, _phone):
        if self.fault:
            raise CutShort("the film is cut short", 7)
        return NoSource()

    def run(self, _source, context):
        recorder = Recorder(context.store, context.store.new_match(light="Ann"))
        recorder.keep([GameStart(time=0, frame=0, position=SHORT.opening(), light="Ann")])
        outputs = context.outputs
        outputs.page.publish(
            phase="playing",
            message="the clock",
            audience={"message": "the audience"},
            referee={"message": "the folder"},
        )
        outputs.pictures.show(Frame(np.zeros((9, 16, 3), np.uint8), 0, 0.0))
        commands = CommandQueue()

        def execute(command):
            if command is not DeskCommand.PAUSE:
                raise NotNow("only a pause is executed here")
            outputs.undo_changed(True)
            paused = MatchPaused(time=1, frame=1)
            recorder.keep([paused])
            outputs.kept(KeptEvents(recorder.match, 1, (paused,)))
            outputs.page.publish(paused=True)
            yield from ()

        attached = AttachedMatch(recorder.match, recorder.blank, recorder.all_events)
        with context.attached(attached, commands):
            while not context.stopping.is_set():
                commands.process(execute, 0.02)


class ManualJob:
    """A job: a match without a camera; its store is the newest match's."""

    store: Any = None

    def open(self, _phone):
        return NoCamera()

    def run(self, source, context):
        ManualJob.store = store = context.store
        recorder = Recorder(store, store.new_match(light="Ann", dark="Bob"))
        stills = StillKeeper(stills_folder(store.path, recorder.match))
        config = MatchConfig(SHORT, light="Ann", dark="Bob", is_manual=True)
        match = LiveMatch(
            Timeline(source), config, recorder, stills, context.outputs, stopping=context.stopping
        )
        with match.attached_to(context):
            match.run()


class TwoMatchesJob:
    """A job: a match whose next one waits until it is told to follow."""

    # Of the class, as the worker runs a pickled copy of the job.
    has_left, goes_on = threading.Event(), threading.Event()

    def open(self, _phone):
        return NoSource()

    def run(self, _source, context):
        for name in ("Ann", "Cleo"):
            recorder = Recorder(context.store, context.store.new_match(light=name))
            recorder.keep([GameStart(time=0, frame=0, position=SHORT.opening(), light=name)])
            attached = AttachedMatch(recorder.match, recorder.blank, recorder.all_events)
            with context.attached(attached, CommandQueue()):
                context.outputs.page.publish(phase="playing", message=name)
                if name == "Cleo":
                    context.stopping.wait(PATIENCE)
            self.has_left.set()
            self.goes_on.wait(PATIENCE)


@contextmanager
def watched():
    """A client whose vision process is a thread, until that has ended."""
    before = set(threading.enumerate())
    ours, theirs = Pipe()
    watching = threading.Thread(target=VisionWorker(theirs).run)
    watching.start()
    no_process: Any = None
    with closing(VisionClient(VisionProcess(no_process, ours))) as vision:
        yield vision
    watching.join(PATIENCE)
    assert not watching.is_alive()
    hang_up(ours, theirs, {*threading.enumerate()} - before)


def hang_up(ours, theirs, threads):
    """Close a pipe as the end of a process does: its readers notice that first.

    If it is closed while a thread reads from it, its number soon belongs to the next test's pipe.
    """
    with socket(fileno=os.dup(ours.fileno())) as line:
        line.shutdown(SHUT_RDWR)
    for thread in threads:
        if thread.name == "channel-in":
            thread.join(PATIENCE)
    ours.close()
    theirs.close()


@pytest.fixture
def vision(tmp_path):
    with watched() as vision:
        vision.claim(tmp_path / "record.sqlite")
        yield vision


@contextmanager
def running(vision, job_to_run=None, phase="playing"):
    """Have a match recorded meanwhile."""
    vision.open(job_to_run or CommandJob())
    job = threading.Thread(target=vision.run)
    job.start()
    await_state(vision, lambda state: state["phase"] == phase)
    while vision.desk._match is None:
        assert job.is_alive()
    yield
    vision.stop()
    job.join(PATIENCE)
    assert not job.is_alive()


def await_state(vision, wanted, visibility=Visibility.PLAYERS):
    state = vision.table.state(visibility)
    while not wanted(state):
        state = vision.table.next_state(state["version"], PATIENCE, visibility)
        assert state is not None, "it was not published"
    return state


def troubles(vision):
    return [str(one) for one in vision.table.state(Visibility.EVERYTHING)["troubles"]]


def enter_all(desk, number):
    """Enter so many rolls and plays."""
    for _ in range(number):
        if desk.status()["phase"] == "to_roll":
            desk.execute(RollEntered((3, 1)))
        else:
            desk.execute(PlayEntered(desk.turn_to_play()["plays"][0]["play"]))


def test_the_desk_knows_what_a_full_disk_has_not_taken(vision):
    with running(vision, ManualJob()):
        desk, store = vision.desk, ManualJob.store
        store._connection.execute("PRAGMA max_page_count = 1")  # no more than it has
        reserve = store.path.with_name(f"{store.path.name}.reserve")
        reserve.unlink()
        reserve.mkdir()  # none can be set aside
        with pytest.raises(DeskUnavailable, match=r"disk is full.*it counts"):
            enter_all(desk, 100)
        assert "is full" in str(vision.table.state(Visibility.EVERYTHING)["message"])
        assert len(desk.evidence()[0]) == len(store.events(1)) + 1
        with pytest.raises(DeskUnavailable, match="it counts"):
            enter_all(desk, 1)
        reserve.rmdir()
        store._connection.execute("PRAGMA max_page_count = 1000000")
        await_state(vision, lambda state: state["phase"] == "playing")
        assert store.events(1) == desk.evidence()[0]


def test_the_desk_goes_on_while_the_record_is_replaced_which_is_a_trouble(vision):
    with running(vision, ManualJob()):
        path = ManualJob.store.path
        back_up(path, path.with_name("backup.sqlite"))
        vision.desk.execute(RollEntered((3, 1)))
        path.with_name("backup.sqlite").replace(path)
        assert len(vision.desk.turn_to_play()["plays"]) == 16
        vision.desk.execute(PlayEntered("8/5 6/5"))
        assert [one["play"] for one in vision.desk.turns()] == ["8/5 6/5"]
        assert "was moved, removed or replaced" in troubles(vision)[0]
        known = vision.desk.evidence()[0]
    vision.close()
    with claimed(path) as store:
        assert store.events(1) == known


def test_each_role_is_shown_what_it_may_see(vision):
    with running(vision):
        said = {
            one: await_state(vision, lambda state: state["phase"] == "playing", one)["message"]
            for one in Visibility
        }
        assert said == {
            Visibility.PLAYERS: "the clock",
            Visibility.AUDIENCE: "the audience",
            Visibility.EVERYTHING: "the folder",
        }


def test_a_command_is_executed_there_and_shown_here_before_its_response(vision):
    with running(vision):
        assert not vision.desk.status()["paused"]
        vision.desk.execute(DeskCommand.PAUSE)
        assert vision.desk.status()["paused"]
        assert vision.table.state()["paused"]


def test_that_something_can_be_undone_is_known_before_the_page_shows_it(vision):
    with running(vision):
        assert "undo" not in vision.desk.status()["can"]
        vision.desk.execute(DeskCommand.PAUSE)
        await_state(vision, lambda state: state["paused"])
        assert "undo" in vision.desk.status()["can"]


def test_a_refusal_is_raised_where_the_command_was_sent(vision):
    with running(vision), pytest.raises(NotNow, match="only a pause is executed here"):
        vision.desk.execute(DeskCommand.TAKE)


def test_the_match_is_read_from_its_record(vision):
    with running(vision):
        known = vision.desk.context()
        assert (known.state.light, known.state.games) == ("Ann", 1)


def test_the_desk_knows_of_the_cup_what_the_page_is_await_state(vision):
    with running(vision):
        assert str(vision.desk.status()["cannot"]["cup_roll"]) == "this match does not use a cup"
        two = {"cup": [6, 3], "seen": [5, 2]}
        vision.table.publish(by_hand=True, cup=cup_shown("aside", disagrees=two))
        now = vision.desk.status()
        assert now["by_hand"]
        assert {"cup_back", "cup_stands", "dice_stand"} <= set(now["can"])
        assert str(now["cannot"]["cup_roll"]) == "the cup is not ready to roll"


def test_between_two_matches_commands_are_refused(vision):
    for _ in range(2):
        with running(vision):
            pass
        with pytest.raises(NotNow, match="set one up first"):
            vision.desk.execute(DeskCommand.PAUSE)


def test_the_desk_reads_the_last_match_until_the_next_one_follows(vision):
    job = TwoMatchesJob()
    with running(vision, job):
        assert job.has_left.wait(PATIENCE)
        with pytest.raises(NotNow, match="set one up first"):
            vision.desk.execute(DeskCommand.PAUSE)
        assert vision.desk.context().state.light == "Ann"
        job.goes_on.set()
        await_state(vision, lambda state: state["message"] == "Cleo")
        assert vision.desk.context().state.light == "Cleo"
    with pytest.raises(NotNow, match="set one up first"):
        vision.desk.turns()


def test_the_newest_picture_comes_when_it_is_requested(vision):
    assert vision.table.picture() is None
    with running(vision):
        number, jpeg = vision.table.next_picture(0, PATIENCE)
        assert jpeg.startswith(b"\xff\xd8")
        assert vision.table.picture() == jpeg
        assert vision.table.next_picture(number, 0.05) is None


def test_a_source_that_cannot_be_opened_raises_the_same_error_here(vision):
    with pytest.raises(CutShort, match="the film is cut short") as fault:
        vision.open(CommandJob(fault=True))
    assert fault.value.frame == 7
    with running(vision):
        assert vision.desk.status()["game"] == 1


def test_a_record_that_another_has_is_await_state(vision, tmp_path):
    with watched() as second, pytest.raises(StoreError, match="another"):
        second.claim(tmp_path / "record.sqlite")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_notice_that_cannot_be_handled_ends_the_channel_and_nobody_waits_for_ever(
    vision, monkeypatch
):
    def refuse(_message):
        raise StoreError("the record is locked")

    monkeypatch.setattr(vision.desk, "attach", refuse)
    vision.open(CommandJob())
    with pytest.raises(VisionProcessLost, match="restart the program"):
        vision.run()
    vision.stop()


@contextmanager
def connected(serve):
    """A desk, and `serve`, which receives its commands, at the other end of a channel."""
    ours, theirs = Pipe()
    before = set(threading.enumerate())
    channels = (
        Channel(ours, lambda _: None, lambda: None),
        Channel(theirs, lambda _: None, lambda: None, serve),
    )
    desk: Any = RemoteDesk(channels[0], start_seconds=0.01)
    desk._match = object()
    yield desk, theirs
    for channel in channels:
        channel.close()
    hang_up(ours, theirs, {*threading.enumerate()} - before)


def test_a_command_that_is_not_started_in_time_is_cancelled():
    sent = SimpleQueue()
    with connected(lambda command, response: sent.put((command, response))) as (desk, _):
        with pytest.raises(DeskUnavailable, match="nothing was changed; try again"):
            desk.execute(DeskCommand.PAUSE)
        command, response = sent.get(timeout=PATIENCE)
        assert (command, response.cancelled()) == (DeskCommand.PAUSE, True)


def test_nobody_waits_for_what_cannot_be_sent():
    unsendable: Any = threading.Lock()
    with connected(lambda _, response: response.set_result(unsendable)) as (desk, _):
        with pytest.raises(TypeError, match="cannot pickle"):
            desk.execute(unsendable)
        with pytest.raises(TypeError, match=r"response cannot be sent .* cannot pickle"):
            desk.execute(DeskCommand.PAUSE)


def test_the_worker_cancels_what_its_match_has_not_started():
    ours, theirs = Pipe()
    before = set(threading.enumerate())
    worker, notices = VisionWorker(theirs), SimpleQueue()
    channel = Channel(ours, notices.put, lambda: None)
    commands: Any = CommandQueue()
    executed = []
    with worker.attached(AttachedMatch(1, MatchState(), ()), commands):
        assert isinstance(notices.get(timeout=PATIENCE), MatchAttached)
        response = channel.request(DeskCommand.PAUSE)
        channel.cancel(response)
        with pytest.raises(CancelledError):
            response.result(PATIENCE)
        commands.process(executed.append)
    assert executed == []
    channel.send(Signal.SHUTDOWN)
    worker.run()
    channel.close()
    hang_up(ours, theirs, {*threading.enumerate()} - before)


def test_a_command_whose_process_ends_raises_at_once():
    def end(_command, _response):
        with socket(fileno=os.dup(pipes[0].fileno())) as line:
            line.shutdown(SHUT_RDWR)

    pipes = []
    with connected(end) as (desk, theirs):
        pipes.append(theirs)
        with pytest.raises(DeskUnavailable, match="no longer being watched"):
            desk.execute(DeskCommand.PAUSE)
        with pytest.raises(DeskUnavailable, match="restart the program"):
            desk.execute(DeskCommand.PAUSE)


def test_a_process_that_dies_is_shown_on_the_page_and_raised():
    with vision_process() as process, closing(VisionClient(process)) as vision:
        lost = threading.Event()
        vision.on_lost = lost.set
        process.process.kill()
        assert lost.wait(PATIENCE)
        assert vision.table.state()["phase"] == "fault"
        with pytest.raises(VisionProcessLost, match="what was recorded is safe"):
            vision.check()
