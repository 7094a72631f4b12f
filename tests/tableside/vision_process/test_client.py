"""The page's side and sight's side of the line between them, here in one process."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe
from socket import SHUT_RDWR, socket

import numpy as np
import pytest

from engine import NotNow
from engine.events.match import GameStart
from engine.rules import SHORT
from tableside.desk.command_queue import CommandQueue
from tableside.errors import StoreError, VisionProcessLost
from tableside.record.recorder import Recorder
from tableside.vision_process.client import vision_client
from tableside.vision_process.remote_desk import RemoteDesk
from tableside.vision_process.spawn import VisionProcess, vision_process
from tableside.vision_process.worker import VisionWorker
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
class Listening:
    """An errand: a match begins, and then only words are heard."""

    fault: bool = False

    def open(self):
        if self.fault:
            raise CutShort("the film is cut short", 7)
        return NoSource()

    def run(self, _source, post):
        recorder = Recorder(post.store, post.store.new_match(light="Ann"))
        recorder.keep([GameStart(time=0, frame=0, position=SHORT.opening(), light="Ann")])
        post.table.tell(phase="playing", message="the clock", referee={"message": "the folder"})
        post.pictures.show(Frame(np.zeros((9, 16, 3), np.uint8), 0, 0.0))
        desk = CommandQueue(recorder, SHORT)

        def obey(word):
            if word is not DeskCommand.PAUSE:
                raise NotNow("only a pause is heard here")
            desk.is_paused = True
            desk.let_undo(True)
            post.table.tell(paused=True)

        with post.seated(desk, recorder.match, "short"):
            while not post.stopping.is_set():
                desk.work_off(obey, 0.02)


@contextmanager
def watched():
    """Sight whose other process is a thread, until that has left."""
    before = set(threading.enumerate())
    ours, theirs = Pipe()
    watching = threading.Thread(target=VisionWorker(theirs).run)
    watching.start()
    with vision_client(VisionProcess(None, ours)) as sight:
        yield sight
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
        if thread.name == "line-in":
            thread.join(PATIENCE)
    ours.close()
    theirs.close()


@pytest.fixture
def sight(tmp_path):
    with watched() as sight:
        sight.claim(tmp_path / "record.sqlite")
        yield sight


@contextmanager
def listening(sight):
    """A match is being watched meanwhile."""
    sight.open(Listening())
    running = threading.Thread(target=sight.run)
    running.start()
    told(sight, lambda state: state["phase"] == "playing")
    while sight.desk._seat is None:
        assert running.is_alive()
    yield
    sight.stop()
    running.join(PATIENCE)
    assert not running.is_alive()


def told(sight, wanted, role=Role.VIEWER):
    state = sight.table.state(role)
    while not wanted(state):
        state = sight.table.next_state(state["version"], PATIENCE, role)
        assert state is not None, "it was not told"
    return state


def test_each_role_is_told_what_it_may_see(sight):
    with listening(sight):
        viewer, referee = (told(sight, lambda state: state["phase"] == "playing", r) for r in Role)
        assert (viewer["message"], referee["message"]) == ("the clock", "the folder")


def test_a_word_is_obeyed_there_and_told_here_before_its_answer(sight):
    with listening(sight):
        assert not sight.desk.status()["paused"]
        sight.desk.execute(DeskCommand.PAUSE)
        assert sight.desk.status()["paused"]
        assert sight.table.state()["paused"]


def test_that_something_can_be_undone_is_told_before_the_page_is(sight):
    with listening(sight):
        assert "undo" not in sight.desk.status()["can"]
        sight.desk.execute(DeskCommand.PAUSE)
        told(sight, lambda state: state["paused"])
        assert "undo" in sight.desk.status()["can"]


def test_a_refusal_is_raised_where_the_word_was_said(sight):
    with listening(sight), pytest.raises(NotNow, match="only a pause is heard here"):
        sight.desk.execute(DeskCommand.TAKE)


def test_the_match_is_read_from_its_record(sight):
    with listening(sight):
        known = sight.desk.known()
        assert (known.state.light, known.state.games) == ("Ann", 1)


def test_the_desk_knows_of_the_cup_what_the_page_is_told(sight):
    with listening(sight):
        assert sight.desk.status()["cannot"]["cup_roll"] == "no cup is used in this match"
        two = {"cup": [6, 3], "seen": [5, 2]}
        sight.table.tell(by_hand=True, cup=cup_shown("aside", disagrees=two))
        now = sight.desk.status()
        assert now["by_hand"]
        assert {"cup_back", "cup_stands", "dice_stand"} <= set(now["can"])
        assert now["cannot"]["cup_roll"] == "the cup is not ready to roll"


def test_between_two_matches_nothing_is_heard(sight):
    for _ in range(2):
        with listening(sight):
            pass
        with pytest.raises(NotNow, match="set one up first"):
            sight.desk.execute(DeskCommand.PAUSE)


def test_the_newest_picture_comes_when_somebody_looks(sight):
    assert sight.table.picture() is None
    with listening(sight):
        number, jpeg = sight.table.next_picture(0, PATIENCE)
        assert jpeg.startswith(b"\xff\xd8")
        assert sight.table.picture() == jpeg
        assert sight.table.next_picture(number, 0.05) is None


def test_a_source_that_cannot_be_had_is_told_as_it_was_there(sight):
    with pytest.raises(CutShort, match="the film is cut short") as fault:
        sight.open(Listening(fault=True))
    assert fault.value.frame == 7
    with listening(sight):
        assert sight.desk.status()["game"] == 1


def test_a_record_that_another_has_is_told(sight, tmp_path):
    with watched() as second, pytest.raises(StoreError, match="another"):
        second.claim(tmp_path / "record.sqlite")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_cannot_be_heard_ends_the_line_and_nobody_waits_for_ever(sight, monkeypatch):
    def refuse(_message):
        raise StoreError("the record is locked")

    monkeypatch.setattr(sight.desk, "seat", refuse)
    sight.open(Listening())
    with pytest.raises(VisionProcessLost, match="start the program again"):
        sight.run()
    sight.stop()


def test_a_word_whose_hearer_has_gone_is_answered():
    said = []
    desk = RemoteDesk(said.append)
    desk._seat = object()
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
    with vision_process() as process, vision_client(process) as sight:
        lost = threading.Event()
        sight.on_lost = lost.set
        process.process.kill()
        assert lost.wait(PATIENCE)
        assert sight.table.state()["phase"] == "fault"
        with pytest.raises(VisionProcessLost, match="what was recorded is safe"):
            sight.check()
