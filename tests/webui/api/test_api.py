"""The API: its document, the desk's addresses, and one line for whatever goes wrong."""

from __future__ import annotations

import pytest
from flask import Blueprint

from engine.errors import NotNow
from engine.evidence.orientation import Orientation
from engine.match.corrections import PlayChosen, RollFixed
from engine.position import Side
from tests.webui.conftest import CLIP, OPENING
from webui.app import create_app
from webui.contracts.desk import (
    DeskCommand,
    DeskUnavailable,
    OrientationChosen,
    PositionEntered,
    Resignation,
)
from webui.streaming import sse
from webui.views.board import as_shown

OURS = {"X-Tableside": "1"}


def say(client, path, **body):
    return client.post(path, json=body, headers=OURS)


@pytest.mark.parametrize(
    ("path", "body", "command"),
    [
        ("/api/turns/3/play", {"play": "8/5 6/5"}, PlayChosen(3, "8/5 6/5")),
        ("/api/turns/3/roll", {"dice": [1, 6]}, RollFixed(3, (1, 6))),
        ("/api/desk/word", {"word": "pause"}, DeskCommand.PAUSE),
        (
            "/api/desk/numbering",
            {"turned": True, "mirrored": False},
            OrientationChosen(Orientation(is_turned=True)),
        ),
        ("/api/desk/word", {"word": "accept"}, DeskCommand.ACCEPT),
        (
            "/api/desk/position",
            {"light": OPENING, "dark": OPENING, "to_move": "dark"},
            PositionEntered(tuple(OPENING), tuple(OPENING), Side.DARK),
        ),
        (
            "/api/desk/resignation",
            {"player": "dark", "result": "gammon"},
            Resignation(Side.DARK, times=2),
        ),
        (
            "/api/desk/resignation",
            {"player": "light", "points": 4, "game": 2},
            Resignation(Side.LIGHT, points=4, game=2),
        ),
    ],
)
def test_what_is_said_reaches_the_desk(client, desk, path, body, command):
    answer = say(client, path, **body)
    assert answer.status_code == 200
    assert desk.commands == [command]
    assert answer.json["can"] == ["pause"]


def test_every_word_can_be_said(client, desk):
    for word in DeskCommand:
        assert say(client, "/api/desk/word", word=word.value).status_code == 200
    assert desk.commands == list(DeskCommand)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/desk/word", {"word": "abracadabra"}),
        ("/api/desk/word", {}),
        ("/api/desk/word", {"word": "undo", "more": 1}),
        ("/api/turns/1/roll", {"dice": [1, 7]}),
        ("/api/turns/1/roll", {"dice": [1]}),
        ("/api/turns/1/roll", {"dice": ["1", "2"]}),
        ("/api/turns/1/play", {"play": ""}),
        ("/api/turns/1/play", {"play": 5}),
        ("/api/desk/position", {"light": [1], "dark": OPENING}),
        ("/api/desk/position", {"light": OPENING, "dark": [-1, *OPENING[1:]]}),
        ("/api/desk/resignation", {"player": "somebody"}),
        ("/api/desk/resignation", {"player": "light", "points": 0}),
    ],
)
def test_an_invalid_field_is_refused_in_one_line(client, desk, path, body):
    answer = say(client, path, **body)
    assert answer.status_code == 422
    assert answer.json["message"]
    assert "\n" not in answer.json["message"]
    assert desk.commands == []


@pytest.mark.parametrize("body", ["{", "", "[" * 20_000, "\x00", '"word"', "[]"])
def test_a_body_that_cannot_be_read_is_refused_in_one_line(client, desk, body):
    answer = client.post(
        "/api/desk/word", data=body, headers={**OURS, "Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422)
    assert answer.json["message"]
    assert desk.commands == []


def test_what_is_too_long_is_not_read(client):
    assert say(client, "/api/turns/1/play", play="8/5 " * 20_000).status_code == 413


def test_a_refusal_is_409_with_its_reason(client, desk):
    desk.error = NotNow("there is nothing to undo")
    answer = say(client, "/api/desk/word", word="undo")
    assert (answer.status_code, answer.json) == (409, {"message": "there is nothing to undo"})


def test_a_table_that_does_not_answer_is_503(client, desk):
    desk.error = DeskUnavailable("the recording does not respond")
    answer = say(client, "/api/desk/word", word="undo")
    assert (answer.status_code, answer.json["message"]) == (503, "the recording does not respond")
    assert answer.headers["Retry-After"]


def test_a_turn_contains_what_the_board_draws(client):
    assert client.get("/api/turns").json["turns"][0]["play"] == "8/5 6/5"
    turn = client.get("/api/turns/1").json
    assert {"cell": "6", "side": "light", "count": 5} in turn["piles"]
    assert turn["alternatives"][0]["piles"]
    assert turn["alternatives"][1]["piles"] is None
    plays = client.get("/api/turns/1/plays").json["plays"]
    assert plays[0]["piles"]


def test_the_legal_plays_of_another_roll_are_listed(client, desk):
    assert client.get("/api/turns/1/plays?dice=5,5").status_code == 200
    assert desk.asked == (5, 5)
    assert client.get("/api/turns/1/plays?dice=7,1").status_code == 422


@pytest.mark.parametrize("number", ["2", "0", "99999", "9" * 5000, "-1", "x"])
def test_a_turn_that_there_is_not_is_404(client, number):
    assert client.get(f"/api/turns/{number}").status_code == 404
    assert client.get(f"/api/turns/{number}/plays").status_code == 404


def test_without_a_desk_nothing_can_be_said(table):
    client = create_app(table).test_client()
    for path in ("/api/desk", "/api/turns", "/api/turns/1"):
        assert client.get(path).status_code == 404
    answer = say(client, "/api/desk/word", word="undo")
    assert answer.status_code == 404
    assert "no match" in answer.json["message"]


def test_the_document_names_every_address(client):
    paths = client.get("/api/openapi.json").json["paths"]
    assert set(paths) >= {
        "/api/state", "/api/events", "/api/session", "/api/desk", "/api/desk/word",
        "/api/desk/position", "/api/desk/resignation", "/api/turns", "/api/turns/{number}",
        "/api/turns/{number}/plays", "/api/turns/{number}/play", "/api/turns/{number}/roll",
        "/health", "/metrics",
    }  # fmt: skip


def test_a_page_that_checks_its_requests_is_no_part_of_the_document(table):
    page = Blueprint("page", __name__)
    page.before_request(lambda: None)
    page.get("/page")(lambda: "")
    app = create_app(table)
    app.register_blueprint(page)
    answer = app.test_client().get("/api/openapi.json")
    assert answer.status_code == 200
    assert "/page" not in answer.json["paths"]


def test_figures_are_exported_to_prometheus(client, table):
    stream = client.get("/api/events")
    second = client.get("/api/events")
    client.get("/api/events")
    say(client, "/api/desk/word", word="undo")
    text = client.get("/metrics").text
    for line in (
        "tableside_open_streams 2.0",
        "tableside_refused_streams_total 1.0",
        'tableside_commands_total{answer="done"} 1.0',
        'tableside_frames_total{fate="skipped"} 0.0',
        "tableside_camera_fps 0.0",
    ):
        assert f"{line}\n" in text
    stream.close()
    second.close()


def test_one_coding_serves_all_readers(client, table, monkeypatch):
    coded = []

    def counted(state):
        coded.append(1)
        return as_shown(state)

    monkeypatch.setattr(sse, "as_shown", counted)
    first, second = (iter(client.get("/api/events").response) for _ in range(2))
    assert [next(first), next(first)] == [next(second), next(second)]
    assert len(coded) == 1


def test_a_turns_clip_is_given_whole_or_in_parts(client):
    answer = client.get("/api/turns/1/clip.mp4")
    assert (answer.status_code, answer.mimetype, answer.data) == (200, "video/mp4", CLIP)
    part = client.get("/api/turns/1/clip.mp4", headers={"Range": "bytes=4-7"})
    assert (part.status_code, part.data) == (206, b"ftyp")
    gone = client.get("/api/turns/2/clip.mp4")
    assert (gone.status_code, gone.json) == (404, {"message": "turn 2 has no clip"})
