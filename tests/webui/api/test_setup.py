"""The set-up's answers, without a browser."""

from __future__ import annotations

import re

import pytest

from tests.webui.scripted_wizard import OPENING, ScriptedWizard, board, read
from webui.app import create_app
from webui.contracts.roles import Role
from webui.http.passwords import Passwords, hashed

API = "/api/setup"
COMMANDS = {
    "open": {"address": "0"},
    "again": {},
    "by-hand": {},
    "resume": {"match": 3},
    "phone": {},
    "phone/away": {},
    "leave": {},
    "corners": {"corners": None},
    "turn": {"how": "swap"},
    "learn": {},
    "game": {"light": "Ann"},
    "start": {},
}


@pytest.fixture
def wizard():
    return ScriptedWizard()


@pytest.fixture
def client(table, wizard):
    return create_app(table, wizard=wizard).test_client()


def post(client, command, body=None):
    return client.post(f"{API}/{command}", json={} if body is None else body,
                       headers={"X-Tableside": "1"})  # fmt: skip


def test_the_state_contains_the_board_as_the_page_draws_it(client, wizard):
    assert client.get(API).json == wizard.now
    wizard.publish(board=board(), read=read())
    answer = client.get(API).json
    assert {"cell": "13", "count": 5, "side": "light"} in answer["shown"]["piles"]
    assert answer["shown"]["colours"]["dark"] == "#a3514e"
    assert answer["read"]["position"]["light"] == OPENING


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reaches_the_wizard_and_is_answered_with_the_state(client, wizard, command):
    answer = post(client, command, COMMANDS[command])
    assert answer.status_code == 200
    assert answer.json["stage"] == wizard.now["stage"]
    assert wizard.commands[0][0] == command


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_done_is_one_line(client, wizard, command):
    wizard.refuses = "a match is being recorded: end it first"
    answer = post(client, command, COMMANDS[command])
    assert (answer.status_code, answer.json) == (409, {"message": wizard.refuses})


def test_corners_arrive_as_pixels(client, wizard):
    post(client, "corners", {"corners": [[1, 2], [3.5, 4], [5, 6], [7, 8]]})
    assert wizard.commands == [("corners", [(1.0, 2.0), (3.5, 4.0), (5.0, 6.0), (7.0, 8.0)])]


def test_a_game_keeps_what_is_not_given_and_names_are_tidied(client, wizard):
    answer = post(client, "game", {"light": "  <b>Ann</b>   X ", "dark": " ", "length": 7}).json
    assert answer["game"]["light"] == "<b>Ann</b> X"
    assert answer["game"]["dark"] == "Dark"
    assert (answer["game"]["length"], answer["game"]["variant"]) == (7, "short")


def test_options_stay_until_the_game_changes(client):
    chosen = {"preset": "classic002", "next_starter": "previous_second"}
    given = {"variant": "narde", "options": {**chosen, "scoring": None}}
    assert post(client, "game", given).json["game"]["options"] == chosen
    assert post(client, "game", {"length": 5}).json["game"]["options"] == chosen
    assert post(client, "game", {"variant": "nardgammon"}).json["game"]["options"] == {}


def test_options_of_the_cube_are_taken_as_those_of_the_game(client):
    chosen = {"jacoby": True, "automatic_doubles": 3, "crawford": False}
    assert post(client, "game", {"options": chosen}).json["game"]["options"] == chosen


@pytest.mark.parametrize(
    ("command", "body"),
    [
        ("open", {}),
        ("open", {"address": " "}),
        ("open", {"address": 3}),
        ("open", {"address": "x" * 1001}),
        ("open", {"address": "0", "more": 1}),
        ("corners", {}),
        ("corners", {"corners": []}),
        ("corners", {"corners": [[1, 2], [3, 4], [5, 6], [7]]}),
        ("corners", {"corners": [[1, 2], [3, 4], [5, 6], [7, "8"]]}),
        ("corners", {"corners": [[1, 2], [3, 4], [5, 6], [7, 1e9]]}),
        ("corners", {"corners": [[1, 2], [3, 4], [5, 6], [7, 10**400]]}),
        ("corners", {"corners": [[1, 2], [3, 4], [5, 6], [True, 2]]}),
        ("turn", {}),
        ("turn", {"how": ["swap"]}),
        ("game", {"length": 100}),
        ("game", {"length": -1}),
        ("game", {"length": True}),
        ("game", {"length": "7"}),
        ("game", {"light": 5}),
        ("game", {"light": "x" * 41}),
        ("game", {"variant": "chess"}),
        ("game", {"variant": ["short"]}),
        ("game", {"rules": "/etc/passwd"}),
        ("game", {"rules": {}}),
        ("game", {"options": "koks3"}),
        ("game", {"options": {"colors": True}}),
        ("game", {"options": {"jacoby": 1}}),
        ("game", {"options": {"automatic_doubles": True}}),
        ("game", {"options": {"automatic_doubles": -1}}),
        ("game", {"options": {"scoring": "koks3"}}),
        ("game", {"variant": "fevga", "options": {"preset": "classic002"}}),
        ("game", {"variant": "narde", "options": {"preset": "classic001"}}),
        ("game", {"variant": "narde", "options": {"last_roll_draw": "true"}}),
        ("game", {"variant": "narde", "options": {"next_starter": "loser"}}),
        ("game", []),
        ("game", "short"),
    ],
)
def test_what_is_no_command_is_refused_and_changes_nothing(client, wizard, command, body):
    answer = post(client, command, body)
    assert answer.status_code == 422
    assert answer.json["message"]
    assert "\n" not in answer.json["message"]
    assert wizard.commands == []


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
def test_a_body_that_is_no_json_is_refused(client, kind):
    words = {"X-Tableside": "1"}
    answer = client.post(f"{API}/game", data="{", content_type=kind, headers=words)
    assert (answer.status_code, answer.json) == (
        400,
        {"message": "the request cannot be read: send a JSON object"},
    )


@pytest.mark.parametrize(
    ("command", "body", "said"),
    [
        (
            "open",
            {"address": "\x1c "},
            "address: enter an address, a file name or a camera number",
        ),
        ("game", {"length": 100}, "length: a match has 1 to 99 points; 0 means money play"),
        ("game", {"light": "x" * 41}, "light: a name has at most 40 characters"),
        ("game", "short", "send a JSON object"),
        ("game", {}, "name something to change about the game"),
    ],
)
def test_a_refusal_says_what_is_taken(client, command, body, said):
    assert post(client, command, body).json["message"] == said


def test_commands_are_taken_from_one_address_at_a_bounded_rate(client, wizard):
    answers = [post(client, "leave") for _ in range(121)]
    assert [answer.status_code for answer in answers] == [200] * 120 + [429]
    assert "wait a moment" in answers[-1].json["message"]
    assert client.get(API).status_code == 200
    assert len(wizard.commands) == 120


def test_pictures_are_served_once_there_are_any(client, wizard):
    for path in ("picture.jpg", "cameras/0.jpg", "cameras/9.jpg"):
        assert client.get(f"{API}/{path}").status_code == 204
    wizard.publish(picture=1)
    drawn, plain = (client.get(f"{API}/picture.jpg{end}") for end in ("", "?plain=1"))
    assert (drawn.mimetype, drawn.headers["Cache-Control"]) == ("image/jpeg", "no-store")
    assert drawn.data != plain.data
    assert client.get(f"{API}/cameras/0.jpg").status_code == 200
    assert client.get(f"{API}/cameras/9.jpg").status_code == 204


def test_the_page_has_every_step_and_no_inline_script_or_style(client):
    page = client.get("/setup").text
    for words in (
        *("http://PHONE:8080/video", "http://PHONE:4747/video", "rtsp://PHONE:8080/h264_ulaw.sdp"),
        *(
            "Choose your camera",
            "starting position",
            "25 to 30 degrees",
            "Start",
            "Nackgammon",
            "USBGF",
        ),
    ):
        assert words in page
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


def test_a_rule_file_from_the_command_line_can_be_kept(client, wizard):
    wizard.publish(game={**wizard.now["game"], "rules": "club.toml"})
    assert '<option value="club.toml">' in client.get("/setup").text
    assert post(client, "game", {"rules": "club.toml"}).status_code == 200


def test_the_live_page_leads_to_the_set_up_only_where_there_is_one(client, table):
    assert 'href="/setup"' in client.get("/").text
    without = create_app(table).test_client()
    assert 'href="/setup"' not in without.get("/").text
    assert without.get("/setup").status_code == 404
    assert without.get(API).status_code == 409
    assert "without --camera" in post(without, "start").json["message"]


def test_the_desk_leads_to_the_set_up_until_a_match_is_recorded(table, desk, wizard):
    client = create_app(table, desk=desk, wizard=wizard).test_client()
    answer = client.get("/desk")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/setup")
    wizard.publish(stage="recording")
    assert client.get("/desk").status_code == 200


def test_the_document_names_every_address(client):
    paths = client.get("/api/openapi.json").json["paths"]
    posts = {path for path in paths if path.startswith(API) and "post" in paths[path]}
    assert posts == {f"{API}/{command}" for command in COMMANDS}
    picture = paths[f"{API}/picture.jpg"]["get"]["responses"]
    assert list(picture["200"]["content"]) == ["image/jpeg"]
    assert set(picture) >= {"204", "409", "422"}


def test_a_command_from_a_foreign_page_is_refused(client, wizard):
    assert client.post(f"{API}/start", json={}).status_code == 403
    foreign = {"Origin": "http://evil.example", "X-Tableside": "1"}
    assert client.post(f"{API}/start", json={}, headers=foreign).status_code == 403
    assert wizard.commands == []


def test_the_set_up_is_the_referees(table, wizard):
    passwords = Passwords({Role.VIEWER: hashed("look"), Role.REFEREE: hashed("judge")})
    app = create_app(table, passwords=passwords, wizard=wizard)
    for password, status in (("look", 403), ("judge", 200)):
        client = app.test_client()
        client.post("/login", data={"password": password}, headers={"X-Tableside": "1"})
        assert client.get(API).status_code == status
        assert client.get("/setup").status_code == status
        assert post(client, "turn", {"how": "auto"}).status_code == status
    assert app.test_client().get(API).status_code == 401
