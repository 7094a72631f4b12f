"""What is said by hand reaches the record through the sitting's own thread, or changes nothing."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from engine import (
    USUAL,
    Corrected,
    DoubleTaken,
    IllegalCube,
    NotNow,
    PlayAccepted,
    Roll,
    Side,
    fold,
)
from engine.errors import EngineError
from engine.events.match import GameEnd, Resigned
from engine.events.record import PositionSet
from engine.match.amendments import effective_events
from engine.match.corrections import PlayChosen, RollFixed
from engine.rules import SHORT
from engine.ruleset import Audience
from tableside.desk.command_queue import CommandQueue
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.review.stills import stills_folder
from tests.tableside.recorded import keep_stills
from tests.tableside.running_match import OPENING, after
from webui.app import create_app
from webui.contracts.desk import DeskCommand, DeskUnavailable, PositionEntered, Resignation
from webui.contracts.state import Role


def test_another_play_that_is_chosen_stands_in_the_record(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    sat.desk.execute(PlayChosen(1, "24/18 24/23"))
    assert sat.plays == ["24/23 24/18"]
    (cut,) = (one for one in sat.on_disk() if isinstance(one, Corrected))
    assert (cut.by, cut.what) == ("hand", "turn 1 was 24/18 24/23")
    assert [one.event.play for one in fold(sat.on_disk()).turns] == ["24/23 24/18"]
    assert "undo" in sat.desk.status()["can"]
    sat.desk.execute(DeskCommand.UNDO)
    assert sat.plays == ["13/7 8/7"]
    assert "undo" not in sat.desk.status()["can"]


def test_the_page_shows_a_correction_at_once(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    sat.desk.execute(PlayChosen(1, "24/18 24/23"))
    for role in Role:
        assert sat.table.state(role)["last_play"]["play"] == "24/23 24/18"


def test_of_every_turn_the_pictures_are_found_that_were_kept(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    made = sat.recorder.state.turns[0].event
    assert not made.review
    keep_stills(stills_folder(sat.recorder.path, sat.match), [made.frame], b"a JPEG")
    (still,) = sat.desk.stills(1)
    assert (str(still["shows"]), still["is_kept"]) == ("The board after the turn", True)
    assert sat.desk.still(1, made.frame) == b"a JPEG"
    assert sat.desk.still(1, made.frame + 1) is None
    assert (sat.desk.stills(2), sat.desk.still(2, made.frame)) == ([], None)


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
def test_what_is_refused_leaves_the_record_untouched(sit, command):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    before = sat.on_disk()
    with pytest.raises(EngineError) as refused:
        sat.desk.execute(command)
    assert "\n" not in str(refused.value)
    assert sat.on_disk() == before


def test_the_cube_is_offered_and_taken_by_hand(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    assert "double" in sat.desk.status()["can"]
    sat.desk.execute(DeskCommand.DOUBLE)
    now = sat.desk.status()
    assert (now["phase"], now["to_move"], now["cube"]["offered"]) == ("doubled", "light", 2)
    assert {"take", "drop"} <= set(now["can"])
    with pytest.raises(IllegalCube):
        sat.desk.execute(DeskCommand.BEAVER)
    sat.desk.execute(DeskCommand.TAKE)
    assert isinstance(sat.on_disk()[-1], DoubleTaken)
    assert sat.desk.status()["cube"] == {
        "value": 2, "owner": "light", "offered": None, "by": None, "crawford": False
    }  # fmt: skip


def test_a_legal_play_is_required(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    assert sat.desk.status()["phase"] == "disputed"
    assert {"accept", "reject"} <= set(sat.desk.status()["can"])
    sat.desk.execute(DeskCommand.REJECT)
    assert sat.recorder.state.turns[0].rejected
    assert sat.desk.status()["phase"] == "to_play"


def test_a_decision_on_an_illegal_play_is_undone_while_the_board_is_watched(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    for decision in (DeskCommand.REJECT, DeskCommand.ACCEPT):
        sat.desk.execute(decision)
        assert "undo" in sat.desk.status()["can"]
        sat.desk.execute(DeskCommand.UNDO)
        assert sat.desk.status()["phase"] == "disputed"
        assert "undo" not in sat.desk.status()["can"]
    assert fold(sat.on_disk()).phase is sat.recorder.state.phase


def test_a_throw_seen_since_a_decision_still_counts_when_that_is_undone(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    sat.desk.execute(DeskCommand.REJECT)
    sat.board.throw(Roll(4, 2), Side.DARK)
    sat.show()
    sat.desk.execute(DeskCommand.UNDO)
    (accepted,) = (one for one in effective_events(sat.on_disk()) if isinstance(one, PlayAccepted))
    assert accepted.by == "roll"
    sat.board.play(after(sat.board.position, Side.DARK, "24/20 13/11"))
    sat.board.lift()
    sat.show()
    assert sat.plays == ["13/7 8/6", "24/20 13/11"]


def test_the_cube_is_undone_until_play_has_gone_on(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    sat.desk.execute(DeskCommand.DOUBLE)
    sat.desk.execute(DeskCommand.DROP)
    assert sat.recorder.state.score == (0, 1)
    sat.desk.execute(DeskCommand.UNDO)
    assert (sat.desk.status()["phase"], sat.recorder.state.score) == ("doubled", (0, 0))
    sat.desk.execute(DeskCommand.TAKE)
    sat.desk.execute(DeskCommand.UNDO)
    sat.desk.execute(DeskCommand.TAKE)
    assert "undo" in sat.desk.status()["can"]
    sat.turn(Side.DARK, (4, 2), "24/20 13/11")
    now = sat.desk.status()
    assert (now["cube"]["value"], now["cube"]["owner"]) == (2, "light")
    assert now["cannot"]["undo"] == "there is no correction to undo"


def test_a_double_is_turned_back_where_that_is_played(sit):
    sat = sit(rule_set=replace(USUAL, cube=replace(USUAL.cube, beavers=True)))
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    sat.desk.execute(DeskCommand.DOUBLE)
    assert "beaver" in sat.desk.status()["can"]
    sat.desk.execute(DeskCommand.BEAVER)
    sat.desk.execute(DeskCommand.TAKE)
    cube = sat.desk.status()["cube"]
    assert (cube["value"], cube["owner"]) == (4, "light")


def test_a_viewer_is_told_no_folder_of_this_machine(sit, tmp_path):
    sat = sit()
    sat.desk.execute(DeskCommand.PAUSE)
    viewer, referee = (sat.table.state(role)["record"]["path"] for role in Role)
    assert (viewer, referee) == ("record.sqlite", str(tmp_path / "record.sqlite"))


def test_an_illegal_play_is_let_stand(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    sat.desk.execute(DeskCommand.ACCEPT)
    assert [one.by for one in sat.on_disk() if isinstance(one, PlayAccepted)] == ["hand"]
    assert sat.desk.status()["phase"] == "to_roll"


def test_a_resignation_ends_the_game_at_its_cube(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    sat.desk.execute(DeskCommand.DOUBLE)
    sat.desk.execute(DeskCommand.TAKE)
    sat.desk.execute(Resignation(Side.DARK, times=2))
    told, end = sat.on_disk()[-2:]
    assert isinstance(told, Resigned)
    assert isinstance(end, GameEnd)
    assert (end.winner, end.points) == (Side.LIGHT, 4)


def test_a_position_that_is_set_is_played_on_from(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    here = after(OPENING, Side.LIGHT, "24/18 13/11")
    sat.desk.execute(PositionEntered(here.light, here.dark, Side.DARK))
    (event,) = (one for one in sat.on_disk() if isinstance(one, PositionSet))
    assert (event.position, event.to_move) == (here, Side.DARK)
    assert sat.desk.status()["to_move"] == "dark"


def test_while_paused_nothing_is_judged_and_afterwards_the_game_goes_on(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    before = sat.on_disk()
    sat.desk.execute(DeskCommand.PAUSE)
    assert sat.table.state()["paused"]
    stood, seen = sat.board.position, sat.sitting._session._watch.seen
    sat.turn(Side.DARK, (2, 1), "13/11 6/5")
    assert sat.on_disk() == before
    assert sat.sitting._session._watch.seen == seen
    assert "go_on" in sat.desk.status()["can"]
    sat.board.position = stood
    sat.board.seen.clear()
    sat.shown = 0
    sat.desk.execute(DeskCommand.GO_ON)
    assert not sat.table.state()["paused"]
    sat.turn(Side.DARK, (3, 1), "8/5 6/5")
    assert sat.plays == ["13/7 8/7", "8/5 6/5"]


def test_the_referee_sees_what_the_players_are_not_told(sit):
    hushed = replace(USUAL, announce=Audience.REFEREE, aids=False)
    sat = sit(rule_set=hushed)
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    sat.desk.execute(DeskCommand.PAUSE)
    sat.desk.execute(DeskCommand.GO_ON)
    players, referee = (sat.table.state(role) for role in Role)
    assert players["last_play"]["legal"]
    assert players["pips"] is None
    assert players["review"] == []
    assert not referee["last_play"]["legal"]
    assert referee["last_play"]["rule"]
    assert referee["pips"]


def test_a_turn_is_told_with_its_plays_and_the_rolls_that_explain_it(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    (told,) = sat.desk.turns()
    assert (told["number"], told["player"], told["dice"]) == (1, "light", [6, 1])
    turn = sat.desk.turn(1)
    assert turn["before"]["light"] == list(OPENING.light)
    assert [one["dice"] for one in turn["rolls"] if one["explains"]] == [[6, 1]]
    assert len(turn["rolls"]) == 21
    plays = sat.desk.legal_plays(1, None)
    assert [one["play"] for one in plays if one["played"]] == ["13/7 8/7"]
    assert len(sat.desk.legal_plays(1, (5, 5))) > 1
    assert sat.desk.turn(2) is None
    assert sat.desk.legal_plays(0, None) is None


@pytest.fixture
def http(sit):
    """A sitting with a play in its record, and a client of its page."""
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    app = create_app(sat.table, desk=sat.desk, meters=sat.sitting.meters)
    return sat, app.test_client()


OURS = {"X-Tableside": "1"}


def test_a_correction_over_http_changes_the_record(http):
    sat, client = http
    answer = client.post("/api/turns/1/play", json={"play": "24/18 24/23"}, headers=OURS)
    assert answer.status_code == 200
    assert sat.plays == ["24/23 24/18"]
    assert isinstance(sat.on_disk()[-2], Corrected)
    assert client.get("/api/turns/1").json["by"] == "hand"
    assert client.get("/api/state").json["last_play"]["play"] == "24/23 24/18"
    assert "undo" in answer.json["can"]
    client.post("/api/desk/word", json={"word": "undo"}, headers=OURS)
    assert sat.plays == ["13/7 8/7"]


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
    sat, client = http
    before = sat.on_disk()
    answer = client.post(path, json=body, headers=OURS)
    assert answer.status_code == status
    assert answer.json["message"]
    assert sat.on_disk() == before


def test_the_real_desk_answers_as_the_document_says(http):
    sat, client = http
    for path in ("/api/desk", "/api/turns", "/api/turns/1", "/api/turns/1/plays?dice=5,5"):
        assert client.get(path).status_code == 200
    for word in (
        DeskCommand.PAUSE,
        DeskCommand.GO_ON,
    ):  # the second is heard once the first step was counted
        sat.desk.execute(word)
    text = client.get("/metrics").text
    assert 'tableside_events_total{type="play"} 1.0' in text
    assert "tableside_camera_fps 12.0" in text


def test_after_the_last_frame_what_is_said_still_reaches_the_record(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    sat.looks.close()
    sat.thread.join(10)
    over, changed = threading.Event(), []
    sat.thread = threading.Thread(target=sat.sitting.stay, args=(over, lambda: changed.append(1)))
    sat.thread.start()
    sat.desk.execute(PlayChosen(1, "24/18 24/23"))
    assert sat.plays == ["24/23 24/18"]
    over.set()
    sat.thread.join(10)
    assert changed


def test_a_table_that_does_not_answer_is_told_and_the_word_is_forgotten(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        desk = CommandQueue(Recorder(store, store.new_match()), SHORT, patience=0.01)
        with pytest.raises(DeskUnavailable, match="nothing was changed"):
            desk.execute(DeskCommand.PAUSE)
        heard = []
        desk.work_off(heard.append)
        assert heard == []


def test_a_fault_in_carrying_out_is_raised_where_it_was_said(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        desk = CommandQueue(Recorder(store, store.new_match()), SHORT)

        def fail(_command):
            raise NotNow("not now")

        sitting = threading.Thread(target=desk.work_off, args=(fail, 5))
        sitting.start()
        with pytest.raises(NotNow, match="not now"):
            desk.execute(DeskCommand.PAUSE)
        sitting.join(5)


def test_frames_are_looked_at_while_a_game_is_judged_again(sit):
    sat = sit()
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    sat.turn(Side.DARK, (3, 1), "8/5 6/5")
    seen, taken = sat.sitting._session._watch, []
    work = sat.desk.go_on

    def slow(seconds):
        """One look of then for every frame that comes now."""
        taken.append(seen.seen)
        if len(taken) < 20:
            sat.looks.put(sat.board.seen[-1])
        work(0)

    sat.desk.go_on = slow
    sat.desk.execute(PlayChosen(1, "24/18 24/23"))
    assert taken[-1] - taken[0] >= 10, "they were looked at before the work was done"
    assert sat.plays[0] == "24/23 24/18"
