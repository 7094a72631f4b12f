"""The answers of the application, without a browser."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from webui.app import create_app
from webui.http.security import HEADERS
from webui.streaming.sse import state_events


def events_of(parts):
    """The named events in part of a stream: [(id, name, parsed)]."""
    found = re.findall(r"id: (\d+)\nevent: (\w+)\ndata: (.*)\n\n", b"".join(parts).decode())
    return [(int(number), name, json.loads(body)) for number, name, body in found]


def take(parts, count):
    return [next(parts) for _ in range(count)]


PATHS = ("/", "/api/state", "/health", "/camera.jpg", "/static/live/main.js", "/nowhere")


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_carries_the_security_headers(client, path):
    answer = client.get(path, buffered=True)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")


def test_an_error_carries_the_headers_too(table):
    app = create_app(table)
    table.state = None
    assert app.test_client().get("/api/state").headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "", "localhost.", "[::2]:80", "[bad", "a@b@c"],
)
@pytest.mark.parametrize("path", ["/", "/api/events", "/static/shared/page.css"])
def test_a_foreign_host_name_is_refused(client, host, path):
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 421
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["localhost:8000", "LOCALHOST", "127.0.0.1:1", "[::1]:8000"])
def test_the_own_names_are_answered(client, host):
    assert client.get("/health", headers={"Host": host}).status_code == 200


def test_another_name_is_answered_when_it_is_allowed(table):
    client = create_app(table, hosts=["table.lan"]).test_client()
    assert client.get("/health", headers={"Host": "table.lan:8000"}).status_code == 200
    assert client.get("/health").status_code == 421


def test_the_page_is_useful_before_any_script_runs(client, table, script):
    script.start_game(table)
    script.make_five_point(table)
    script.doubt(table)
    page = client.get("/").text
    for words in (
        "Anna",
        "Boris",
        "8/5 6/5",
        "163",
        "99.8 %",
        "a hand hid the 5 point",
        "7 points",
    ):
        assert words in page
    assert page.count('href="#checker-light" data-side') == 15


def test_the_page_has_no_inline_script_or_style(client, table, script):
    script.start_game(table)
    page = client.get("/").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


def test_a_name_with_markup_stays_text(client, table, script):
    script.start_game(table)
    table.publish(players={"light": "<img src=x>", "dark": "\"'><script>1</script>"})
    page = client.get("/").text
    assert "<img src=x>" not in page
    assert "<script>1" not in page
    assert "&lt;img src=x&gt;" in page


def test_a_first_view_is_small(client, table, script):
    script.start_game(table)
    script.make_five_point(table)
    page = client.get("/").data
    names = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.decode()))
    sizes = [len(client.get(name, buffered=True).data) for name in names]
    assert "/static/joined/live/main.js" in names
    assert sum(sizes) + len(page) < 150_000
    assert len(gzip.compress(page)) < 15_000


def test_a_first_view_takes_no_more_files_than_a_browser_asks_for_at_once(client, table, script):
    script.start_game(table)
    page = client.get("/").text
    # What the page's shortcut on a home screen looks like is asked for later, if ever.
    page = re.sub(r'<link rel="(apple-touch-icon|manifest)"[^>]*>', "", page)
    assert len(set(re.findall(r'(?:src|href)="(/static/[^"]+|/camera.jpg)"', page))) <= 7


def test_a_long_match_does_not_make_the_page_long(client, table, script):
    script.start_game(table)
    script.make_five_point(table)
    short = len(client.get("/").data)
    table.publish(moves=table.now["moves"] * 100)
    assert len(client.get("/").data) - short < 100 * 450


def test_the_api_gives_the_state_of_the_table(client, table, script):
    script.start_game(table)
    state = client.get("/api/state").json
    assert {**state, "shown": 0} == {**table.state(), "shown": 0}


def test_health_tells_anybody_that_the_server_lives_and_nothing_of_the_match(client):
    assert client.get("/health").json == {"ok": True}


def test_a_new_reader_gets_the_newest_state_at_once(client, table):
    stream = client.get("/api/events").response
    assert next(iter(stream)) == b"retry: 1000\n\n"
    assert events_of([next(stream)])[0][0] == 100


def test_a_stream_goes_on_with_each_change(table, script):
    stream = state_events(table, None, lambda: False)
    take(stream, 2)
    script.start_game(table)
    number, name, state = events_of([next(stream)])[0]
    assert (number, name, state["phase"]) == (101, "state", "playing")


def test_a_resumed_stream_skips_what_was_seen_and_sends_what_was_missed(client, table, script):
    script.start_game(table)
    stream = client.get("/api/events", headers={"Last-Event-ID": "101"}).response
    next(stream)
    script.make_five_point(table)
    assert events_of([next(stream)])[0][0] == 102

    late = client.get("/api/events", headers={"Last-Event-ID": "101"}).response
    assert events_of(take(late, 2))[0][0] == 102


def test_a_reader_from_before_a_restart_gets_the_state_at_once(client):
    stream = client.get("/api/events", headers={"Last-Event-ID": "999999"}).response
    assert events_of(take(stream, 2))[0][0] == 100


def test_a_quiet_stream_beats(table):
    stream = state_events(table, 100, lambda: False, heartbeat=0.01)
    assert take(stream, 2)[1].startswith(b": heartbeat\n")


def test_a_stream_ends_when_its_reader_has_left(table):
    assert len(list(state_events(table, None, lambda: True))) == 2


def test_a_stream_too_many_is_asked_to_come_back(client, table):
    table.show_picture()
    first, second = client.get("/api/events"), client.get("/camera.mjpg")
    refused = client.get("/api/events")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    first.close()
    assert client.get("/api/events").status_code == 200
    second.close()


def test_there_is_no_picture_before_the_first(client):
    assert client.get("/camera.jpg").status_code == 204


def test_the_newest_picture_is_served(client, table):
    table.show_picture()
    answer = client.get("/camera.jpg")
    assert answer.data == table.photo
    assert (answer.mimetype, answer.headers["Cache-Control"]) == ("image/jpeg", "no-store")


def test_pictures_follow_each_other_in_parts(client, table):
    table.show_picture(50)
    answer = client.get("/camera.mjpg")
    parts = iter(answer.response)
    assert table.photo in next(parts)
    table.show_picture(200)
    part = next(parts)
    assert part.startswith(b"--picture\r\nContent-Type: image/jpeg\r\n")
    assert part.endswith(table.photo + b"\r\n")
    answer.close()
