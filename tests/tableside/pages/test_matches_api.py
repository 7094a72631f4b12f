"""The review pages and their part of the API, without a browser."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import pytest
from markupsafe import escape

from engine.events.match import PlayMade
from engine.events.record import Corrected, PlayersNamed
from engine.formats.detect import read_match
from engine.ruleset import USUAL, Audience
from tests.tableside.sample_archive import MARKUP, PICTURE, archived, clip
from tests.tableside.sample_record import match_events, record_match, surely_void
from tests.webui.http.test_auth import HASHES, enter
from tests.webui.streaming.test_delay import Clock
from webui.app import create_app
from webui.context import install_serving, serving_of
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.http.security import HEADERS
from webui.pages.dice import install_dice
from webui.pages.matches import install_review
from webui.streaming.delay import EventHistory


@pytest.fixture
def record(tmp_path):
    record = archived(tmp_path)
    yield record
    record.close()


@pytest.fixture
def app(table, record):
    app = create_app(table)
    install_review(app, record.archive)
    return app


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def over(record):
    return record.numbers["over"]


def test_the_list_shows_every_match_and_leads_to_it(client, record):
    page = client.get("/matches").text
    for number in record.numbers.values():
        assert f'href="/matches/{number}"' in page
    assert "Ann &amp; Co" in page
    assert page.index(f"/matches/{record.numbers['blank']}") < page.index('href="/matches/1"')
    assert f'href="/matches/{record.numbers["over"]}?show=review"' in page


def test_the_list_is_served_as_json(client, over):
    answer = client.get("/api/matches").json
    assert [one["id"] for one in answer["matches"]] == [3, 2, 1]
    assert answer["older"] is None
    assert client.get(f"/api/matches?before={over + 1}").json["matches"][0]["winner"] == "light"
    for number in ("no", "-1", 10**30):
        answer = client.get(f"/api/matches?before={number}")
        assert (answer.status_code, answer.json["message"][:7]) == (422, "before:")
        assert client.get(f"/matches?before={number}").status_code == 200


def test_a_match_is_useful_before_any_script_runs(client, over):
    page = client.get(f"/matches/{over}").text
    for words in ("24/18 13/10", "8/4 6/4", "Doubles to 2", "Wins 2 points", "Void roll", "70 %"):
        assert words in page
    assert page.count('href="#checker-light" data-side') == 15
    assert "The picture is no longer available" in page
    assert f"/api/matches/{over}/stills/96.jpg" in page


def test_the_page_has_no_inline_script_or_style(client, over):
    for path in ("/matches", f"/matches/{over}", "/matches/99"):
        page = client.get(path).text.replace(str(escape(MARKUP)), "")
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


def test_names_with_markup_stay_text(client, record):
    for path in ("/matches", f"/matches/{record.numbers['odd']}"):
        page = client.get(path).text
        assert MARKUP not in page
        assert "&lt;img src=x" in page
    assert "a &lt;b&gt;six&lt;/b&gt; is not a seven" in page


def test_the_filter_is_part_of_the_address(client, over):
    page = client.get(f"/matches/{over}").text
    assert '<details class="review-details" data-kind="doubt" data-review="true" >' in page
    page = client.get(f"/matches/{over}?show=review").text
    assert 'data-show="review" aria-pressed="true"' in page
    assert page.count("open>") == 3


def test_a_throw_that_is_surely_void_is_shown_but_not_to_review(client, record):
    number = record_match(record.store, surely_void(match_events()))
    page = client.get(f"/matches/{number}").text
    assert re.search(r'data-kind="void" data-review="false"', page)
    assert '<details class="review-details" data-kind="reroll"' in page
    assert "Needs review only <b>2</b>" in page


def test_dice_known_only_from_the_play_are_called_inferred_and_not_to_review(client, record):
    events = list(match_events())
    clear = next(n for n, one in enumerate(events) if is_clear_play(one))
    events[clear] = replace(events[clear], uncertainties=("inferred",))
    page = client.get(f"/matches/{record_match(record.store, events)}").text
    assert '<details class="review-details" data-kind="inferred" data-review="false"' in page
    assert "Dice inferred" in page
    assert "Needs review only <b>3</b>" in page


def is_clear_play(event):
    return isinstance(event, PlayMade) and event.legal and not event.review


def test_every_step_contains_what_the_board_draws(client, over):
    answer = client.get(f"/api/matches/{over}").json
    step = next(one for one in answer["steps"] if one["id"] == "turn-1")
    assert step["shown"]["marks"]["reached"] == {"18": 1, "10": 1}
    assert step["shown"]["dice"] == [
        {"side": "light", "value": value, "flat": True, "sure": True} for value in (6, 3)
    ]
    assert sum(pile["count"] for pile in step["shown"]["piles"]) == 30
    void = next(one for one in answer["steps"] if one["kind"] == "void")
    assert [die["flat"] for die in void["shown"]["dice"]] == [False, False]
    assert answer["shown"]["colours"]["light"].startswith("#")


def test_a_match_that_has_not_changed_is_not_sent_again(client, over):
    version = client.get(f"/api/matches/{over}").json["entry"]["version"]
    assert client.get(f"/api/matches/{over}?known={version}").status_code == 204
    assert client.get(f"/api/matches/{over}?known=1").status_code == 200


def test_a_match_that_has_not_begun_says_so(client, record):
    page = client.get(f"/matches/{record.numbers['blank']}")
    assert page.status_code == 200
    assert "No game has started" in page.text
    assert 'id="lines"' not in page.text


@pytest.mark.parametrize(
    "path", ["", "/stills/96.jpg", "/files/match.mat", "/analysis", "/files/../x"]
)
@pytest.mark.parametrize("number", [99, 10**40, int("9" * 4000)])
def test_what_there_is_not_is_a_404_with_a_line(client, number, path):
    answer = client.get(f"/api/matches/{number}{path}")
    assert answer.status_code == 404
    if number == 99 and ".." not in path:
        assert "no match" in answer.json["message"]


def test_pages_and_parts_that_there_are_not(client, over):
    page = client.get("/matches/99")
    assert (page.status_code, "no match 99" in page.text) == (404, True)
    for path in (
        "stills/7.jpg",
        "stills/240.jpg",
        "clips/7.mp4",
        "files/match.pdf",
        "stills/x.jpg",
    ):
        assert client.get(f"/api/matches/{over}/{path}").status_code == 404
    assert client.get("/matches/-1").status_code == 404


def test_a_still_is_a_picture(client, over):
    answer = client.get(f"/api/matches/{over}/stills/96.jpg")
    assert (answer.mimetype, answer.data) == ("image/jpeg", PICTURE)


def test_a_clip_is_given_whole_or_in_the_parts_that_safari_asks_for(client, over):
    (shown,) = [one for one in client.get(f"/api/matches/{over}").json["doubtful"] if one["clip"]]
    address = f"/api/matches/{over}/clips/{shown['clip']}.mp4"
    assert address in client.get(f"/matches/{over}").text
    answer = client.get(address)
    assert (answer.status_code, answer.mimetype, answer.data) == (200, "video/mp4", clip())
    part = client.get(address, headers={"Range": "bytes=0-1"})
    assert (part.status_code, part.data) == (206, clip()[:2])
    beyond = client.get(address, headers={"Range": "bytes=99999999-"})
    assert beyond.status_code == 416


@pytest.mark.parametrize("name", ["match.mat", "match.sgf", "match.txt", "match.json"])
def test_a_download_opens_again(client, over, name):
    answer = client.get(f"/api/matches/{over}/files/{name}")
    stem, ending = name.split(".")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{stem}-1.{ending}"'
    match = read_match(answer.data)
    assert match.players == ("Ann & Co", "Ben")
    assert [game.result.points for game in match.games] == [2, 1]


def test_rolls_and_events_are_offered(client, over):
    rolls = client.get(f"/api/matches/{over}/files/rolls.csv")
    assert rolls.mimetype == "text/csv"
    assert rolls.text.startswith("time,player,die")
    assert len(client.get(f"/api/matches/{over}/files/events.jsonl").text.splitlines()) == 19


def test_a_file_that_cannot_be_made_is_a_409_with_a_line(client, record):
    answer = client.get(f"/api/matches/{record.numbers['blank']}/files/match.mat")
    assert (answer.status_code, answer.json) == (
        409,
        {"message": "no game has started in this match"},
    )


def test_the_document_names_the_matches_where_there_are_any(client, table):
    paths = client.get("/api/openapi.json").json["paths"]
    found = {path for path in paths if path.startswith("/api/matches")}
    match = "/api/matches/{match}"
    assert found == {
        "/api/matches",
        "/api/matches/deleted",
        "/api/matches/files",
        "/api/matches/unfinished",
        match,
        f"{match}/delete",
        f"{match}/details",
        f"{match}/end",
        f"{match}/restore",
        f"{match}/turns/{{turn}}/play",
        f"{match}/stills/{{frame}}.jpg",
        f"{match}/clips/{{frame}}.mp4",
        f"{match}/files/{{name}}",
        f"{match}/analysis",
        f"{match}/events",
        f"{match}/events/stream",
    }
    assert set(paths[f"{match}/analysis"]["post"]["responses"]) >= {"200", "202", "409", "429"}
    without = create_app(table).test_client().get("/api/openapi.json").json["paths"]
    assert set(paths) - set(without) == found


def test_an_analysis_is_begun_only_by_a_page_of_ours(client, over):
    assert client.get(f"/api/matches/{over}/analysis").json["state"] == "missing"
    foreign = client.post(f"/api/matches/{over}/analysis", json={})
    assert foreign.status_code == 403
    ours = client.post(f"/api/matches/{over}/analysis", json={}, headers={"X-Tableside": "1"})
    assert ours.status_code == 409
    assert "apt install gnubg" in ours.json["message"]


def test_a_record_that_cannot_be_read_is_a_503(client, record, over):
    record.archive.close()
    answer = client.get(f"/api/matches/{over}")
    assert answer.status_code == 503
    assert "\n" not in answer.json["message"]
    assert client.get("/matches").status_code == 503


def test_every_answer_carries_the_security_headers(client, over):
    for path in (
        "/matches",
        f"/matches/{over}",
        f"/api/matches/{over}/stills/96.jpg",
        "/matches/9",
    ):
        assert HEADERS.items() <= dict(client.get(path).headers).items()
    assert client.get("/matches", headers={"Host": "evil.example"}).status_code == 421


def test_the_live_page_leads_to_the_matches_where_there_are_any(client, table):
    assert 'href="/matches"' in client.get("/").text
    assert 'href="/matches"' not in create_app(table).test_client().get("/").text


def test_without_a_board_the_list_is_the_first_page(table, record):
    app = create_app(table)
    install_review(app, record.archive, has_table=False)
    client = app.test_client()
    assert client.get("/").headers["Location"] == "/matches"
    assert ">Live<" not in client.get("/matches").text


def test_the_events_of_a_match_come_one_by_one(client, over):
    whole = client.get(f"/api/matches/{over}/events").json
    assert [one["seq"] for one in whole["events"]] == list(range(1, len(whole["events"]) + 1))
    rest = client.get(f"/api/matches/{over}/events?after=3").json
    assert rest["events"] == whole["events"][3:]
    assert not whole["more"]
    assert client.get("/api/matches/99/events").status_code == 404
    assert client.get("/api/matches/99/events/stream").status_code == 404


def test_a_stream_of_events_resumes_where_it_broke_off(client, over):
    whole = client.get(f"/api/matches/{over}/events").json["events"]

    def read(count, headers=None):
        answer = client.get(f"/api/matches/{over}/events/stream", headers=headers)
        parts = iter(answer.response)
        next(parts)
        found = [next(parts).decode() for _ in range(count)]
        answer.close()
        return [dict(line.split(": ", 1) for line in part.strip().splitlines()) for part in found]

    first = read(4)
    then = read(len(whole) - 4, {"Last-Event-ID": first[-1]["id"]})
    told = [*first, *then]
    assert [json.loads(one["data"]) for one in told] == whole
    assert [(one["event"], one["id"]) for one in told] == [
        (one["event"], str(one["seq"])) for one in whole
    ]


def test_an_event_is_as_late_as_the_delay(app, record, clock):
    odd, client = record.numbers["odd"], app.test_client()
    serving = replace(serving_of(app), event_history=EventHistory(clock))
    install_serving(app, serving)
    address = f"/api/matches/{odd}/events"
    whole = client.get(address).json["events"]
    assert client.get(f"{address}?delay=30").json["events"] == []
    clock.sleep(31)
    assert client.get(f"{address}?delay=30").json["events"] == whole
    record.store.append(odd, [PlayersNamed(time=99, frame=99, light="Zoe", dark="Yan")])
    assert client.get(f"{address}?delay=30").json["events"] == whole
    clock.sleep(29)
    assert client.get(f"{address}?delay=30").json["events"] == whole
    clock.sleep(1)
    late = client.get(f"{address}?delay=30").json["events"]
    assert late[-1]["players"] == {"light": "Zoe", "dark": "Yan"}
    # A match that was over when it was first asked for has nothing to keep back.
    over = f"/api/matches/{record.numbers['over']}/events"
    assert client.get(f"{over}?delay=30").json == client.get(over).json


@pytest.mark.parametrize("announce", Audience)
def test_a_delayed_viewer_looks_back_at_what_a_player_was_shown_that_long_ago(
    table, record, clock, announce
):
    events = match_events(replace(USUAL, announce=announce))
    undone = Corrected(time=events[-1].time, frame=events[-1].frame, keep=len(events) - 4)
    match = record_match(record.store, events[:1])
    app = create_app(table, passwords=Passwords(HASHES), least_delay=60)
    install_serving(app, replace(serving_of(app), event_history=EventHistory(clock)))
    install_review(app, record.archive)
    address = f"/api/matches/{match}"
    watching = [enter(app, role) for role in (Role.VIEWER, Role.LIGHT_PLAYER)]
    shown = []
    for event in (*events[1:], undone, *events[-3:], None):
        viewer, player = (client.get(address).json for client in watching)
        shown.append((clock.now, player["steps"], player["entry"]["score"]))
        known = [one for one in shown if one[0] <= clock.now - 60]
        seen = viewer["entry"]["is_open"], viewer["doubtful"], viewer["files"]
        assert seen == (True, [], [])
        _, steps, score = known[-1] if known else (0, [], {"light": 0, "dark": 0})
        assert (viewer["steps"], viewer["entry"]["score"]) == (steps, score)
        version = viewer["entry"]["version"]
        assert watching[0].get(f"{address}?known={version}").status_code == 204
        clock.sleep(7)
        if event is not None:
            record.store.append(match, [event])
    record.store.close_match(match)
    assert watching[0].get(address).json["files"] == []
    clock.sleep(61)
    viewer, player = (client.get(address).json for client in watching)
    assert viewer == player
    assert not viewer["entry"]["is_open"]
    serving_of(app).streams.close()


def test_a_match_opens_to_delayed_viewers_only_when_the_delay_has_passed_since_its_end(
    table, record, clock
):
    match = record_match(record.store, match_events())
    app = create_app(table, passwords=Passwords(HASHES), least_delay=60)
    history = EventHistory(clock)
    install_serving(app, replace(serving_of(app), event_history=history))
    install_review(app, record.archive)
    install_dice(app, record.archive.dice)
    viewer, address = enter(app, Role.VIEWER), f"/api/matches/{match}"
    pages = (f"{address}/analysis", f"/matches/{match}", f"/matches/{match}/report")

    def dice():
        return len(viewer.get("/api/dice/rolls.csv").text.splitlines())

    def status():
        return {viewer.get(path).status_code for path in pages}

    for _ in range(1000):  # until the server has noted it, before anybody asked
        if match in history.matches():
            break
        time.sleep(0.01)
    clock.sleep(100)
    record.store.append(match, [PlayersNamed(time=99, frame=99, light="Zoe", dark="Yan")])
    record.store.close_match(match)
    listed = {one["id"] for one in viewer.get("/api/matches").json["matches"]}
    events = viewer.get(f"{address}/events").json
    assert (status(), match in listed, events["is_open"]) == ({409}, False, True)
    before = dice()
    assert events["events"][-1]["event"] != "names"
    clock.sleep(60)
    events = viewer.get(f"{address}/events").json
    assert (status(), events["is_open"]) == ({200}, False)
    assert dice() > before
    assert events["events"][-1]["event"] == "names"
    assert match in {one["id"] for one in viewer.get("/api/matches").json["matches"]}
    serving_of(app).streams.close()
