"""A command reaches the record through the thread of its match, or changes nothing."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from engine import USUAL, DoubleTaken, NotNow, PlayAccepted, Roll, Side, fold
from engine.errors import EngineError, IllegalCube
from engine.events.match import GameEnd, Resigned
from engine.events.record import Corrected, PositionSet
from engine.match.amendments import effective_events
from engine.match.corrections import PlayChosen, RollFixed
from engine.ruleset import Audience
from tableside.desk.command_queue import CommandQueue
from tableside.recording.live_view import VIDEO_OVER
from tableside.review.clips import clip_path
from tableside.review.stills import stills_folder
from tests.tableside.running_match import OPENING, after
from tests.tableside.sample_record import keep_stills
from webui.app import create_app
from webui.contracts.desk import (
    DeskCommand,
    PlayEntered,
    PositionEntered,
    Resignation,
    RollEntered,
)
from webui.contracts.roles import Visibility
from webui.i18n.locale import use_language
from webui.i18n.messages import translate
from webui.views.announcements import end_card, headline


def test_another_play_that_is_chosen_is_in_the_record(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.desk.execute(PlayChosen(1, "24/18 24/23"))
    assert running.plays == ["24/23 24/18"]
    (cut,) = (one for one in running.on_disk() if isinstance(one, Corrected))
    assert (cut.by, cut.what) == ("hand", "turn 1 was 24/18 24/23")
    with use_language("ru"):
        assert translate(cut.correction) == "ход 1: сыграно 24/18 24/23"
    assert [one.event.play for one in fold(running.on_disk()).turns] == ["24/23 24/18"]
    assert "undo" in running.desk.status()["can"]
    running.desk.execute(DeskCommand.UNDO)
    assert running.plays == ["13/7 8/7"]
    assert "undo" not in running.desk.status()["can"]


def test_the_page_shows_a_correction_at_once(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.desk.execute(PlayChosen(1, "24/18 24/23"))
    for visibility in Visibility:
        assert running.table.state(visibility)["last_play"]["play"] == "24/23 24/18"


def test_the_stills_and_the_clip_of_a_turn_are_found(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    made = running.recorder.state.turns[0].event
    assert not made.review
    keep_stills(stills_folder(running.recorder.path, running.match), [made.frame], b"a JPEG")
    (still,) = running.desk.stills(1)
    assert (str(still["shows"]), still["is_kept"]) == ("The board after the turn", True)
    assert running.desk.still(1, made.frame) == b"a JPEG"
    assert running.desk.still(1, made.frame + 1) is None
    assert (running.desk.stills(2), running.desk.still(2, made.frame)) == ([], None)
    assert (running.desk.has_clip(1), running.desk.clip(1)) == (False, None)
    folder = stills_folder(running.recorder.path, running.match)
    clip_path(folder, made.frame).write_bytes(b"an MP4")
    running.desk.execute(PlayChosen(1, "24/18 24/23"))
    assert (running.desk.has_clip(1), running.desk.clip(1)) == (True, b"an MP4")
    assert (running.desk.has_clip(2), running.desk.clip(2)) == (False, None)


@pytest.mark.parametrize(
    "command",
    [
        PlayChosen(5, "24/18 24/23"),
        PlayChosen(1, "out of the window"),
        PlayChosen(1, "3/1"),
        RollFixed(1, (6, 7)),
        DeskCommand.UNDO,
        DeskCommand.ACCEPT,
        DeskCommand.TAKE,
        DeskCommand.BEAVER,
        Resignation(Side.LIGHT, game=9),
        PositionEntered((1, *[0] * 25), OPENING.dark),
    ],
)
def test_what_is_refused_leaves_the_record_untouched(start, command):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    before = running.on_disk()
    with pytest.raises(EngineError) as refused:
        running.desk.execute(command)
    assert "\n" not in str(refused.value)
    assert running.on_disk() == before


def test_the_cube_is_offered_and_taken_by_hand(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    assert "double" in running.desk.status()["can"]
    running.desk.execute(DeskCommand.DOUBLE)
    now = running.desk.status()
    assert (now["phase"], now["to_move"], now["cube"]["offered"]) == ("doubled", "light", 2)
    assert {"take", "drop"} <= set(now["can"])
    with pytest.raises(IllegalCube):
        running.desk.execute(DeskCommand.BEAVER)
    running.desk.execute(DeskCommand.TAKE)
    assert isinstance(running.on_disk()[-1], DoubleTaken)
    assert running.desk.status()["cube"] == {
        "value": 2, "owner": "light", "offered": None, "by": None, "crawford": False
    }  # fmt: skip


def test_a_legal_play_is_required(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    assert running.desk.status()["phase"] == "disputed"
    assert {"accept", "reject"} <= set(running.desk.status()["can"])
    running.desk.execute(DeskCommand.REJECT)
    assert running.recorder.state.turns[0].rejected
    assert running.desk.status()["phase"] == "to_play"


def test_a_decision_on_an_illegal_play_is_undone_while_the_board_is_watched(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    for decision in (DeskCommand.REJECT, DeskCommand.ACCEPT):
        running.desk.execute(decision)
        assert "undo" in running.desk.status()["can"]
        running.desk.execute(DeskCommand.UNDO)
        assert running.desk.status()["phase"] == "disputed"
        assert "undo" not in running.desk.status()["can"]
    assert fold(running.on_disk()).phase is running.recorder.state.phase


def test_a_throw_seen_since_a_decision_still_counts_when_that_is_undone(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    running.desk.execute(DeskCommand.REJECT)
    running.board.throw(Roll(4, 2), Side.DARK)
    running.show()
    running.desk.execute(DeskCommand.UNDO)
    (accepted,) = (
        one for one in effective_events(running.on_disk()) if isinstance(one, PlayAccepted)
    )
    assert accepted.by == "roll"
    running.board.play(after(running.board.position, Side.DARK, "24/20 13/11"))
    running.board.lift()
    running.show()
    assert running.plays == ["13/7 8/6", "24/20 13/11"]


def test_the_cube_is_undone_until_play_has_gone_on(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.desk.execute(DeskCommand.DOUBLE)
    running.desk.execute(DeskCommand.DROP)
    assert running.recorder.state.score == (0, 1)
    running.desk.execute(DeskCommand.UNDO)
    assert (running.desk.status()["phase"], running.recorder.state.score) == ("doubled", (0, 0))
    running.desk.execute(DeskCommand.TAKE)
    running.desk.execute(DeskCommand.UNDO)
    running.desk.execute(DeskCommand.TAKE)
    assert "undo" in running.desk.status()["can"]
    running.turn(Side.DARK, (4, 2), "24/20 13/11")
    now = running.desk.status()
    assert (now["cube"]["value"], now["cube"]["owner"]) == (2, "light")
    assert str(now["cannot"]["undo"]) == "there is nothing to undo"


def test_a_double_is_turned_back_where_that_is_played(start):
    running = start(rule_set=replace(USUAL, cube=replace(USUAL.cube, beavers=True)))
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.desk.execute(DeskCommand.DOUBLE)
    assert "beaver" in running.desk.status()["can"]
    running.desk.execute(DeskCommand.BEAVER)
    running.desk.execute(DeskCommand.TAKE)
    cube = running.desk.status()["cube"]
    assert (cube["value"], cube["owner"]) == (4, "light")


def test_a_viewer_is_shown_no_folder_of_this_machine(start, tmp_path):
    running = start()
    running.desk.execute(DeskCommand.PAUSE)
    viewer, referee = (
        running.table.state(each)["record"]["path"]
        for each in (Visibility.PLAYERS, Visibility.EVERYTHING)
    )
    assert (viewer, referee) == ("record.sqlite", str(tmp_path / "record.sqlite"))


def test_an_illegal_play_is_accepted(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    running.desk.execute(DeskCommand.ACCEPT)
    assert [one.by for one in running.on_disk() if isinstance(one, PlayAccepted)] == ["hand"]
    assert running.desk.status()["phase"] == "to_roll"


def test_a_resignation_ends_the_game_at_its_cube(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.desk.execute(DeskCommand.DOUBLE)
    running.desk.execute(DeskCommand.TAKE)
    running.desk.execute(Resignation(Side.DARK, times=2))
    listed, end = running.on_disk()[-2:]
    assert isinstance(listed, Resigned)
    assert isinstance(end, GameEnd)
    assert (end.winner, end.points) == (Side.LIGHT, 4)


def test_a_position_that_is_set_is_played_on_from(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    here = after(OPENING, Side.LIGHT, "24/18 13/11")
    running.desk.execute(PositionEntered(here.light, here.dark, Side.DARK))
    (event,) = (one for one in running.on_disk() if isinstance(one, PositionSet))
    assert (event.position, event.to_move) == (here, Side.DARK)
    assert running.desk.status()["to_move"] == "dark"


def test_while_paused_nothing_is_judged_and_afterwards_the_game_goes_on(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.desk.execute(DeskCommand.PAUSE)
    before = running.on_disk()
    assert running.table.state()["paused"]
    stood, seen = running.board.position, running.live._session._watcher.seen
    running.turn(Side.DARK, (2, 1), "13/11 6/5")
    assert running.on_disk() == before
    assert running.live._session._watcher.seen == seen
    assert "go_on" in running.desk.status()["can"]
    running.board.position = stood
    running.desk.execute(DeskCommand.GO_ON)
    assert not running.table.state()["paused"]
    running.turn(Side.DARK, (3, 1), "8/5 6/5")
    assert running.plays == ["13/7 8/7", "8/5 6/5"]


def test_the_referee_sees_what_the_players_are_not_shown(start):
    hushed = replace(USUAL, announce=Audience.REFEREE, aids=False)
    running = start(rule_set=hushed)
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    running.desk.execute(DeskCommand.PAUSE)
    running.desk.execute(DeskCommand.GO_ON)
    players, referee = (
        running.table.state(visibility)
        for visibility in (Visibility.PLAYERS, Visibility.EVERYTHING)
    )
    assert players["last_play"]["legal"]
    assert players["pips"] is None
    assert players["review"] == []
    assert not referee["last_play"]["legal"]
    assert referee["last_play"]["rule"]
    assert referee["pips"]


def test_a_turn_is_listed_with_its_plays_and_the_rolls_that_explain_it(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    (listed,) = running.desk.turns()
    assert (listed["number"], listed["player"], listed["dice"]) == (1, "light", [6, 1])
    turn = running.desk.turn(1)
    assert turn["before"]["light"] == list(OPENING.light)
    assert [one["dice"] for one in turn["rolls"] if one["explains"]] == [[6, 1]]
    assert len(turn["rolls"]) == 21
    plays = running.desk.legal_plays(1, None)
    assert [one["play"] for one in plays if one["played"]] == ["13/7 8/7"]
    assert len(running.desk.legal_plays(1, (5, 5))) > 1
    assert running.desk.turn(2) is None
    assert running.desk.legal_plays(0, None) is None


@pytest.fixture
def http(start):
    """A match with a play in its record, and a client for its page."""
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    app = create_app(running.table, desk=running.desk, metrics=running.metrics)
    return running, app.test_client()


OURS = {"X-Tableside": "1"}


def test_a_correction_over_http_changes_the_record(http):
    running, client = http
    answer = client.post("/api/turns/1/play", json={"play": "24/18 24/23"}, headers=OURS)
    assert answer.status_code == 200
    assert running.plays == ["24/23 24/18"]
    assert isinstance(running.on_disk()[-2], Corrected)
    assert client.get("/api/turns/1").json["by"] == "hand"
    assert client.get("/api/state").json["last_play"]["play"] == "24/23 24/18"
    assert "undo" in answer.json["can"]
    client.post("/api/desk/word", json={"word": "undo"}, headers=OURS)
    assert running.plays == ["13/7 8/7"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/turns/1/play", {"play": "3/1"}, 409),
        ("/api/turns/9/play", {"play": "8/5"}, 409),
        ("/api/turns/1/roll", {"dice": [0, 1]}, 422),
        ("/api/desk/word", {"word": "take"}, 409),
        ("/api/desk/position", {"light": [0] * 26, "dark": [0] * 26}, 409),
        ("/api/desk/resignation", {"player": "dark", "game": 4}, 409),
    ],
)
def test_a_refusal_over_http_leaves_the_record_untouched(http, path, body, status):
    running, client = http
    before = running.on_disk()
    answer = client.post(path, json=body, headers=OURS)
    assert answer.status_code == status
    assert answer.json["message"]
    assert running.on_disk() == before


def test_the_real_desk_answers_as_the_document_says(http):
    running, client = http
    for path in ("/api/desk", "/api/turns", "/api/turns/1", "/api/turns/1/plays?dice=5,5"):
        assert client.get(path).status_code == 200
    for word in (
        DeskCommand.PAUSE,
        DeskCommand.GO_ON,
    ):  # the second is executed once the first step is counted
        running.desk.execute(word)
    text = client.get("/metrics").text
    assert 'tableside_events_total{type="play"} 1.0' in text
    assert "tableside_camera_fps 12.0" in text


@contextmanager
def after_its_video(running):
    """The match once its video has ended; what was done after each command."""
    running.source.close()
    running.thread.join(10)
    running.live.view.video_ended()
    over, changed = threading.Event(), []
    running.thread = threading.Thread(
        target=running.live.take_corrections, args=(over, lambda: changed.append(1))
    )
    running.thread.start()
    try:
        yield changed
    finally:
        over.set()
        running.thread.join(10)


def test_after_the_last_frame_a_command_still_reaches_the_record(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    with after_its_video(running) as changed:
        running.desk.execute(PlayChosen(1, "24/18 24/23"))
        assert running.plays == ["24/23 24/18"]
        state = running.table.state()
        assert (state["phase"], headline(state)) == ("ended", "No longer in play")
        assert state["message"] == VIDEO_OVER
    assert changed


def test_after_its_video_a_match_goes_on_by_hand_and_every_page_asks_for_what_is_next(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")

    def shown():
        state = running.table.state()
        assert state["by_hand"]
        return headline(state), end_card(state) is not None

    with after_its_video(running):
        assert shown() == ("No longer in play", True)
        running.desk.execute(DeskCommand.DOUBLE)
        assert shown() == ("Ann to take or drop", False)
        running.desk.execute(DeskCommand.TAKE)
        assert shown()[0] == "Bob to roll"
        for roll, play in (((3, 1), "8/5 6/5"), ((6, 6), "24/18(2) 13/7(2)"), ((2, 1), "6/4 5/4")):
            running.desk.execute(RollEntered(roll))
            assert "to play" in shown()[0]
            running.desk.execute(PlayEntered(play))
        assert shown() == ("Ann to roll", False)
        assert running.plays[1:] == ["8/5 6/5", "24/18(2) 13/7(2)", "6/4 5/4"]
        assert {turn.rejected for turn in running.recorder.state.turns} == {False}
        running.desk.execute(DeskCommand.DOUBLE)
        running.desk.execute(DeskCommand.DROP)
        assert shown() == ("Game over", True)
        running.desk.execute(DeskCommand.BEGIN_GAME)
        assert shown() == ("Opening roll", False)


def test_a_command_that_is_cancelled_in_time_is_not_executed():
    response, executed = Future(), []
    commands: Any = CommandQueue()
    commands.submit(DeskCommand.PAUSE, response)
    assert response.cancel()
    commands.process(executed.append)
    assert executed == []


def test_an_error_in_executing_a_command_is_raised_where_its_result_is_awaited():
    commands, response = CommandQueue(), Future()

    def fail(_command):
        yield
        raise NotNow("not now")

    commands.submit(DeskCommand.PAUSE, response)
    assert commands.process(fail) == 1
    assert commands.is_busy
    commands.proceed(0)
    with pytest.raises(NotNow, match="not now"):
        response.result(0)


def test_frames_are_processed_while_a_game_is_judged_again(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.turn(Side.DARK, (3, 1), "8/5 6/5")
    seen, taken = running.live._session._watcher, []
    work = running.live.commands.proceed

    def slow(seconds):
        """Replay one observation for every frame that arrives now."""
        taken.append(seen.seen)
        if len(taken) < 20:
            running.source.put(running.board.seen[-1], running.board.position)
        work(0)

    running.live.commands.proceed = slow
    running.desk.execute(PlayChosen(1, "24/18 24/23"))
    assert taken[-1] - taken[0] >= 10, "they were processed before the replay was done"
    assert running.plays[0] == "24/23 24/18"
