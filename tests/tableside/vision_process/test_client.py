"""The client and the worker of the vision process, here in one process."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe
from queue import SimpleQueue
from socket import SHUT_RDWR, socket

import numpy as np
import pytest

from engine import NotNow
from engine.events.match import GameStart
from engine.rules import SHORT
from tableside.desk.command_queue import CommandQueue
from tableside.errors import StoreError, VisionProcessLost
from tableside.record.recorder import Recorder
from tableside.vision_process.channel import Channel
from tableside.vision_process.client import vision_client
from tableside.vision_process.messages import (
    CancelCommand,
    CommandResult,
    MatchAttached,
    SendCommand,
    Shutdown,
)
from tableside.vision_process.remote_desk import RemoteDesk
from tableside.vision_process.spawn import VisionProcess, vision_process
from tableside.vision_process.worker import NOT_STARTED, VisionWorker
from tests.webui.conftest import cup_shown
from vision.errors import CutShort
from vision.sources.frame import Frame
from webui.contracts.desk import DeskCommand, DeskUnavailable
from webui.contracts.state import Role

PATIENCE = 60


class NoSource:
    """There are no pictures, and nothing to let go of."""

    def close(self):
        pass


@dataclass(frozen=True)
class CommandJob:
    """A job: a match begins, and then only commands are executed."""

    fault: bool = False

    def open(self):
        if self.fault:
            raise CutShort("the film is cut short", 7)
        return NoSource()

    def run(self, _source, context):
        recorder = Recorder(context.store, context.store.new_match(light="Ann"))
        recorder.keep([GameStart(time=0, frame=0, position=SHORT.opening(), light="Ann")])
        outputs = context.outputs
        outputs.table.publish(
            phase="playing", message="the clock", referee={"message": "the folder"}
        )
        outputs.pictures.show(Frame(np.zeros((9, 16, 3), np.uint8), 0, 0.0))
        commands = CommandQueue()

        def execute(command):
            if command is not DeskCommand.PAUSE:
                raise NotNow("only a pause is executed here")
            outputs.undo_changed(True)
            outputs.table.publish(paused=True)

        with context.attached(commands, recorder.match, "short"):
            while not context.stopping.is_set():
                commands.process(execute, 0.02)


@contextmanager
def watched():
    """A client whose vision process is a thread, until that has ended."""
    before = set(threading.enumerate())
    ours, theirs = Pipe()
    watching = threading.Thread(target=VisionWorker(theirs).run)
    watching.start()
    with vision_client(VisionProcess(None, ours)) as vision:
        yield vision
    watching.join(PATIENCE)
    assert not watching.is_alive()
    hang_up(ours, theirs, {*threading.enumerate()} - before)


def hang_up(ours, theirs, listening):
    """Close a pipe as the end of a process does: whoever listens at it hears that first.

    Closed under a thread that reads from it, its number soon belongs to the next test's pipe.
    """
    with socket(fileno=os.dup(ours.fileno())) as line:
        line.shutdown(SHUT_RDWR)
    for thread in listening:
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
def listening(vision):
    """A match is being watched meanwhile."""
    vision.open(CommandJob())
    running = threading.Thread(target=vision.run)
    running.start()
    told(vision, lambda state: state["phase"] == "playing")
    while vision.desk._match is None:
        assert running.is_alive()
    yield
    vision.stop()
    running.join(PATIENCE)
    assert not running.is_alive()


def told(vision, wanted, role=Role.VIEWER):
    state = vision.table.state(role)
    while not wanted(state):
        state = vision.table.next_state(state["version"], PATIENCE, role)
        assert state is not None, "it was not told"
    return state


def test_each_role_is_told_what_it_may_see(vision):
    with listening(vision):
        viewer, referee = (told(vision, lambda state: state["phase"] == "playing", r) for r in Role)
        assert (viewer["message"], referee["message"]) == ("the clock", "the folder")


def test_a_word_is_obeyed_there_and_told_here_before_its_answer(vision):
    with listening(vision):
        assert not vision.desk.status()["paused"]
        vision.desk.execute(DeskCommand.PAUSE)
        assert vision.desk.status()["paused"]
        assert vision.table.state()["paused"]


def test_that_something_can_be_undone_is_told_before_the_page_is(vision):
    with listening(vision):
        assert "undo" not in vision.desk.status()["can"]
        vision.desk.execute(DeskCommand.PAUSE)
        told(vision, lambda state: state["paused"])
        assert "undo" in vision.desk.status()["can"]


def test_a_refusal_is_raised_where_the_word_was_said(vision):
    with listening(vision), pytest.raises(NotNow, match="only a pause is executed here"):
        vision.desk.execute(DeskCommand.TAKE)


def test_the_match_is_read_from_its_record(vision):
    with listening(vision):
        known = vision.desk.context()
        assert (known.state.light, known.state.games) == ("Ann", 1)


def test_the_desk_knows_of_the_cup_what_the_page_is_told(vision):
    with listening(vision):
        assert str(vision.desk.status()["cannot"]["cup_roll"]) == "no cup is used in this match"
        two = {"cup": [6, 3], "seen": [5, 2]}
        vision.table.publish(by_hand=True, cup=cup_shown("aside", disagrees=two))
        now = vision.desk.status()
        assert now["by_hand"]
        assert {"cup_back", "cup_stands", "dice_stand"} <= set(now["can"])
        assert str(now["cannot"]["cup_roll"]) == "the cup is not ready to roll"


def test_between_two_matches_nothing_is_heard(vision):
    for _ in range(2):
        with listening(vision):
            pass
        with pytest.raises(NotNow, match="set one up first"):
            vision.desk.execute(DeskCommand.PAUSE)


def test_the_newest_picture_comes_when_somebody_looks(vision):
    assert vision.table.picture() is None
    with listening(vision):
        number, jpeg = vision.table.next_picture(0, PATIENCE)
        assert jpeg.startswith(b"\xff\xd8")
        assert vision.table.picture() == jpeg
        assert vision.table.next_picture(number, 0.05) is None


def test_a_source_that_cannot_be_had_is_told_as_it_was_there(vision):
    with pytest.raises(CutShort, match="the film is cut short") as fault:
        vision.open(CommandJob(fault=True))
    assert fault.value.frame == 7
    with listening(vision):
        assert vision.desk.status()["game"] == 1


def test_a_record_that_another_has_is_told(vision, tmp_path):
    with watched() as second, pytest.raises(StoreError, match="another"):
        second.claim(tmp_path / "record.sqlite")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_cannot_be_heard_ends_the_line_and_nobody_waits_for_ever(vision, monkeypatch):
    def refuse(_message):
        raise StoreError("the record is locked")

    monkeypatch.setattr(vision.desk, "attach", refuse)
    vision.open(CommandJob())
    with pytest.raises(VisionProcessLost, match="start the program again"):
        vision.run()
    vision.stop()


def test_a_command_that_is_not_started_in_time_is_cancelled_and_never_executed():
    sent = []
    desk = RemoteDesk(sent.append, start_seconds=0.01)
    desk._match = object()

    def send(message):
        sent.append(message)
        if isinstance(message, CancelCommand):
            desk.resolve(CommandResult(message.ticket, DeskUnavailable(NOT_STARTED)))

    desk._send = send
    with pytest.raises(DeskUnavailable, match="nothing was changed, try again"):
        desk.execute(DeskCommand.PAUSE)
    assert [type(message) for message in sent] == [SendCommand, CancelCommand]


def test_the_worker_cancels_what_its_match_has_not_started():
    ours, theirs = Pipe()
    before = set(threading.enumerate())
    worker, results = VisionWorker(theirs), SimpleQueue()
    channel = Channel(ours, results.put, lambda: None)
    commands, executed = CommandQueue(), []
    with worker.attached(commands, 1, "short"):
        assert isinstance(results.get(timeout=PATIENCE), MatchAttached)
        channel.send(SendCommand(7, DeskCommand.PAUSE))
        channel.send(CancelCommand(7))
        result = results.get(timeout=PATIENCE)
        commands.process(executed.append)
    assert (result.ticket, str(result.error)) == (7, str(NOT_STARTED))
    assert executed == []
    channel.send(Shutdown())
    worker.run()
    channel.close()
    hang_up(ours, theirs, {*threading.enumerate()} - before)


def test_a_word_whose_hearer_has_gone_is_answered():
    said = []
    desk = RemoteDesk(said.append)
    desk._match = object()
    waiting = threading.Thread(target=_expect_no_answer, args=[desk, said])
    waiting.start()
    while not said:
        assert waiting.is_alive()
    desk.lost()
    waiting.join(PATIENCE)
    assert said[1:] == ["no answer"]
    with pytest.raises(DeskUnavailable, match="start the program again"):
        desk.execute(DeskCommand.PAUSE)


def _expect_no_answer(desk, said):
    with pytest.raises(DeskUnavailable, match="nobody watches the board"):
        desk.execute(DeskCommand.PAUSE)
    said.append("no answer")


def test_a_process_that_dies_is_told_on_the_page_and_raised():
    with vision_process() as process, vision_client(process) as vision:
        lost = threading.Event()
        vision.on_lost = lost.set
        process.process.kill()
        assert lost.wait(PATIENCE)
        assert vision.table.state()["phase"] == "fault"
        with pytest.raises(VisionProcessLost, match="what was recorded is safe"):
            vision.check()
