"""The referee changes recorded matches and adds files; everything else stays as it was."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from engine import USUAL
from engine.events.match import DiceVoid, IllegalMade
from engine.events.record import MatchClosed, MatchPlaced
from engine.ruleset import Audience
from tableside.analysis.catalog.search import RecordCatalog
from tableside.errors import StoreError
from tableside.record.recorder import Recorder, WriterLock
from tableside.record.schema import MIGRATIONS
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.site.state_hub import StateHub
from tests.match_files import GNUBG_MATCHES, mat_of, stored
from tests.tableside.sample_record import finished, match_events, record_match
from tests.webui.browser import LOOKS, click, find, text, wait
from tests.webui.http.test_auth import HASHES, OURS, WORDS, enter
from tests.webui.pages.test_axe import faults_on, settled
from webui.app import create_app
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.pages.catalog import install_catalog
from webui.pages.matches import install_review
from webui.server import serve

DETAILS = {
    "light": "Émile Zola", "dark": "Ben", "event": "Club Cup", "round": "Final", "table": "7",
    "note": "The clock stood still.",
}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        record_match(store, finished(match_events()), is_closed=True)
        record_match(store, match_events(light="Zoe"))
        yield store


@pytest.fixture
def app(store):
    with (
        closing(RecordArchive(store.path, shows_all=lambda: True)) as archive,
        closing(RecordCatalog(store.path)) as catalog,
    ):
        app = create_app(StateHub())
        install_review(app, archive)
        install_catalog(app, catalog)
        yield app


@pytest.fixture
def client(app):
    return app.test_client()


def post(client, address, body=None):
    return client.post(address, json=body or {}, headers={"X-Tableside": "1"})


def send(client, name, content, part=30_000, upload="1"):
    for at in range(0, len(content), part):
        answer = client.post(
            "/api/matches/files",
            query_string={"name": name, "size": len(content), "at": at, "upload": upload},
            data=content[at : at + part],
            headers={"X-Tableside": "1"},
        )
        if answer.status_code != 202:
            break
    return answer


def listed(client, **search):
    answer = client.get("/api/matches", query_string=search)
    assert answer.status_code == 200, answer.json
    return [one["id"] for one in answer.json["matches"]]


def test_names_place_and_note_are_in_the_list_the_files_and_the_dice(client, store):
    assert post(client, "/api/matches/1/details", DETAILS).status_code == 200
    entry = client.get("/api/matches/1").json["entry"]
    assert (entry["players"]["light"], entry["event"], entry["note"]) == (
        "Émile Zola", "Club Cup", "The clock stood still.",
    )  # fmt: skip
    page = client.get("/matches").text
    assert "Club Cup\u00a0· Final\u00a0· Table 7" in page
    assert "Émile Zola" in client.get("/api/matches/1/files/match.mat").text
    before = len(store.events(1))
    assert post(client, "/api/matches/1/details", DETAILS).status_code == 200
    assert len(store.events(1)) == before  # nothing has changed
    assert store.events(1)[: len(finished(match_events()))] == tuple(finished(match_events()))


def test_an_edit_leaves_flags_and_logo(client, store):
    placed = MatchPlaced(time=0.0, frame=0, event="Cup", light_country="SE", logo="ab" * 16)
    store.append(1, [placed])
    post(client, "/api/matches/1/details", DETAILS)
    newest = [one for one in store.events(1) if isinstance(one, MatchPlaced)][-1]
    assert (newest.event, newest.light_country, newest.logo) == ("Club Cup", "SE", "ab" * 16)


def test_matches_are_searched_by_words_and_filtered_by_state(client):
    post(client, "/api/matches/1/details", DETAILS)
    assert listed(client) == [2, 1]
    assert listed(client, words="emile cup") == [1]
    assert listed(client, words="clock stood") == [1]
    assert listed(client, words="zoe final") == []
    assert listed(client, state="unfinished") == [2]
    assert listed(client, state="review") == [2, 1]
    assert listed(client, until="2020-01-01") == []
    assert listed(client, words="e", before=2) == [1]
    assert client.get("/api/matches?since=soon").status_code == 400
    page = client.get("/matches?since=soon")
    assert (page.status_code, "is not a date" in page.text) == (400, True)
    assert "No match was found" in client.get("/matches?words=nobody").text
    assert client.get("/matches?before=-1&state=odd").status_code == 200


def test_a_search_finds_what_the_list_shows_by_the_names_of_its_badges(store):
    """Also where matches are being played: of one in play, it tells what the list tells."""
    hidden = match_events(light="Mia", rule_set=replace(USUAL, announce=Audience.REFEREE))
    seen = [
        one for one in hidden if not (isinstance(one, DiceVoid) or getattr(one, "review", False))
    ]
    record_match(store, [*seen[:3], *(one for one in seen[3:] if isinstance(one, IllegalMade))])
    record_match(store, match_events(light="Kit"), is_closed=True)
    with (
        closing(RecordArchive(store.path)) as archive,
        closing(RecordCatalog(store.path, shows_all=lambda: False)) as catalog,
    ):
        app = create_app(StateHub())
        install_review(app, archive)
        install_catalog(app, catalog)
        client = app.test_client()
        every = client.get("/api/matches").json["matches"]
        assert listed(client, words="zoe") == [2]
        assert listed(client, variant="short") == [4, 3, 2, 1]
        for state, badge, numbers in (
            ("unfinished", "Not finished", [3, 2]),
            ("stopped", "Stopped", [4]),
        ):
            assert listed(client, state=state) == numbers
            page = client.get("/matches", query_string={"state": state}).text
            assert page.count(f'">{badge}</span>') == len(numbers)
        assert [one["id"] for one in every if one["to_review"]] == [4, 2, 1]
        assert listed(client, state="review") == [4, 2, 1]
        assert "Mia" not in client.get("/players").text


def test_a_deleted_match_is_nowhere_until_it_is_restored(client):
    client.get("/matches?words=ben")  # the catalog has it
    assert post(client, "/api/matches/1/delete").status_code == 200
    assert listed(client) == [2]
    assert listed(client, words="ben") == [2]
    refused = client.get("/matches/1")
    assert (refused.status_code, "was deleted" in refused.text) == (404, True)
    assert client.get("/api/matches/1/files/match.mat").status_code == 404
    assert [one["id"] for one in client.get("/api/matches/deleted").json] == [1]
    assert "Restore: " in client.get("/matches/deleted").text
    assert post(client, "/api/matches/1/restore").status_code == 200
    assert listed(client, words="ben") == [2, 1]
    assert client.get("/api/matches/deleted").json == []


def test_what_is_being_recorded_is_not_touched(client, store):
    writer = WriterLock(store.path)
    try:
        assert post(client, "/api/matches/1/delete").status_code == 200  # nothing is recorded yet
        assert post(client, "/api/matches/1/restore").status_code == 200
        Recorder(store, 2)
        for word in ("details", "delete"):
            refused = post(client, f"/api/matches/2/{word}", DETAILS if word == "details" else None)
            assert (refused.status_code, "is being recorded" in refused.json["message"]) == (
                409, True,
            )  # fmt: skip
        assert post(client, "/api/matches/1/details", DETAILS).status_code == 200
    finally:
        writer.release()
    # A correction in a match that goes on would take the names back, and any open match can go on.
    record_match(store, match_events())
    for number in (2, 3):
        refused = post(client, f"/api/matches/{number}/details", DETAILS)
        assert (refused.status_code, "can still go on" in refused.json["message"]) == (409, True)
    assert post(client, "/api/matches/2/delete").status_code == 200


def test_what_can_go_on_is_listed_and_ended_unless_it_is_recorded(client, store):
    def unfinished():
        return client.get("/api/matches/unfinished").json

    store.new_match(light="Never", dark="Begun")
    one, never = unfinished()
    assert (never["id"], never["facts"].endswith("0\u00a0plays")) == (3, True)
    assert (one["id"], one["title"], one["by_hand"]) == (2, "Zoe and Ben", False)
    assert client.get("/api/matches/2").json["entry"]["source"] == "evening.mp4"
    assert one["facts"] == "2-0\u00a0· Backgammon\u00a0· 3\u00a0points\u00a0· 6\u00a0plays"
    writer = WriterLock(store.path)
    try:
        with closing(Recorder(store, 2)):
            assert [match["id"] for match in unfinished()] == [3]
            refused = post(client, "/api/matches/2/end")
            assert (refused.status_code, "is being recorded" in refused.json["message"]) == (
                409, True,
            )  # fmt: skip
        # The program that holds the record plays none: on its set-up page, any can be ended.
        assert [match["id"] for match in unfinished()] == [2, 3]
        assert "/api/matches/2/end" in client.get("/matches/2/edit").text
        assert [match["id"] for match in post(client, "/api/matches/2/end").json] == [3]
        assert "/api/matches/2/end" not in client.get("/matches/2/edit").text
    finally:
        writer.release()
    assert not store.match(2).is_open
    assert isinstance(store.events(2)[-1], MatchClosed)
    again = post(client, "/api/matches/2/end")
    assert (again.status_code, again.json["message"]) == (409, "match 2 is over already")
    with pytest.raises(StoreError, match="match 2 has been ended or deleted"):
        Recorder(store, 2)


def test_a_restored_match_takes_no_protection_from_the_one_that_is_recorded(client, store):
    record_match(store, match_events())
    post(client, "/api/matches/3/delete")
    writer = WriterLock(store.path)
    try:
        Recorder(store, 2)
        assert post(client, "/api/matches/3/restore").status_code == 200
        assert post(client, "/api/matches/2/delete").status_code == 409
    finally:
        writer.release()


def test_delayed_viewers_still_see_the_rest_after_a_deletion(store):
    with closing(RecordArchive(store.path)) as archive:
        app = create_app(StateHub(), passwords=Passwords(HASHES), least_delay=30)
        install_review(app, archive)
        viewer, again = enter(app, Role.VIEWER), ("", WORDS[Role.REFEREE])
        viewer.get("/api/matches/1")  # from now on, its events are noted
        gone = enter(app, Role.REFEREE).post("/api/matches/1/delete", headers=OURS, auth=again)
        assert gone.status_code == 200
        assert viewer.get("/api/matches").status_code == 200
        assert viewer.get("/matches").status_code == 200


def test_a_page_that_was_open_before_the_record_was_migrated_sees_the_deletion(tmp_path):
    with Store.open(tmp_path / "record.sqlite", MIGRATIONS[:5]) as store:
        record_match(store, finished(match_events()), is_closed=True)
    with closing(RecordArchive(tmp_path / "record.sqlite")) as archive:
        assert len(archive.matches()["matches"]) == 1
        archive.delete(1)
        assert archive.matches()["matches"] == []
        assert [one["id"] for one in archive.deleted()] == [1]


def test_a_corrected_name_is_in_the_dice_report_and_rolls_from_files_are_not(app, client, store):
    archive = app.extensions["archive"]
    before = archive.dice.report(with_open=True).ended
    assert before is not None
    send(client, "club.mat", stored(f"{GNUBG_MATCHES[0]}.mat.gz"))
    assert archive.dice.report(with_open=True).ended.rows == before.rows
    post(client, "/api/matches/1/details", DETAILS)
    assert archive.dice.report(1, with_open=True).players == ("Émile Zola", "Ben")
    rolls = "".join(archive.dice.rolls_csv(with_open=True))
    assert "Émile Zola" in rolls
    assert "Ann & Co" not in rolls


def test_a_match_file_becomes_a_match_of_the_record(client):
    content = stored(f"{GNUBG_MATCHES[0]}.mat.gz")
    answer = send(client, "club.mat", content, part=1000)
    assert answer.status_code == 201
    number = answer.json["id"]
    assert answer.json["faults"] == []
    entry = client.get(f"/api/matches/{number}").json["entry"]
    assert (entry["source"], entry["is_open"]) == ("club.mat", False)
    assert listed(client, words="club.mat") == [number]
    again = send(client, "club.mat", content)
    assert (again.status_code, again.json["message"]) == (
        409, f"match {number} is the same, play by play",
    )  # fmt: skip


def test_a_file_that_is_no_match_says_why_and_adds_nothing(client):
    for name, content, why in (
        ("a.pdf", b"%PDF-1.4", "a.pdf is no match file"),
        ("a.mat", b"%PDF-1.4", "this is a PDF"),
        ("a.mat", b"hello", "not a match file"),
        ("a.mat", mat_of("  1) 31: 8/5 6/5               62: 4/2 3/1"), "cannot be followed"),
    ):
        answer = send(client, name, content)
        assert answer.status_code == 409, name
        assert why in answer.json["message"]
    assert listed(client) == [2, 1]


def test_what_is_odd_in_a_file_is_listed_with_the_match(client):
    answer = send(client, "odd.mat", mat_of("  1) 31: 8/3                   62: 24/18 13/11"))
    assert answer.status_code == 201
    assert answer.json["faults"] == ["game 1: light played 8/3 with 31, which is illegal"]


def test_a_match_is_deleted_by_a_referee_who_gives_the_password_again(store):
    with closing(RecordArchive(store.path)) as archive:
        app = create_app(StateHub(), passwords=Passwords(HASHES))
        install_review(app, archive)
        client, address = enter(app, Role.REFEREE), "/api/matches/1/delete"
        assert 'type="password"' in client.get("/matches/1/edit").text
        refused = client.post(address, headers=OURS)
        assert (refused.status_code, "once more" in refused.json["message"]) == (403, True)
        again = ("", WORDS[Role.REFEREE])
        assert client.post(address, headers=OURS, auth=again).status_code == 200
        assert client.post("/api/matches/1/restore", headers=OURS).status_code == 200


def test_a_part_out_of_turn_is_refused(client):
    content = mat_of("  1) 31: 8/5 6/5")
    parameters = {"name": "a.mat", "size": len(content), "at": 5, "upload": "9"}
    answer = client.post(
        "/api/matches/files", query_string=parameters, data=content[5:],
        headers={"X-Tableside": "1"},
    )  # fmt: skip
    assert (answer.status_code, "send it again" in answer.json["message"]) == (409, True)


def test_a_browser_edits_deletes_and_restores_a_match_and_adds_a_file(browser, app, tmp_path):
    server = serve(app, port=0)
    try:
        browser.get(f"{server.url}matches/1/edit")
        field = find(browser, "[name=event]")
        field.send_keys("Club Cup")
        click(browser, ".match-details [type=submit]")
        wait(browser, lambda: browser.current_url.endswith("/matches"))
        assert text(browser, ".match-place") == "Club Cup"
        browser.get(f"{server.url}matches/1/edit")
        click(browser, ".match-delete summary")
        click(browser, ".match-delete [type=submit]")  # not before the box is checked
        assert browser.current_url.endswith("/edit")
        click(browser, ".match-delete [type=checkbox]")
        click(browser, ".match-delete [type=submit]")
        wait(browser, lambda: browser.current_url.endswith("/deleted"))
        click(browser, ".deleted-card [type=submit]")
        wait(browser, lambda: browser.current_url.endswith("/matches"))
        cards = browser.find_elements(By.CSS_SELECTOR, ".match-card")
        assert len(cards) == 2
        added, odd = tmp_path / "club.mat", tmp_path / "odd.txt"
        added.write_bytes(stored(f"{GNUBG_MATCHES[0]}.mat.gz"))
        odd.write_text("hello")
        files = find(browser, "#add-files input")
        files.send_keys(f"{added}\n{odd}")
        wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, "#added > li")) == 2)
        wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, ".match-card")) == 3)
        first, second = browser.find_elements(By.CSS_SELECTOR, "#added > li")
        assert first.get_attribute("data-ok") == "true"
        assert second.text.startswith("odd.txt: ")
    finally:
        server.close()


def test_keys_skip_and_answer_doubts(browser, app, store):
    server = serve(app, port=0)
    try:
        browser.get(f"{server.url}doubts")
        assert text(browser, ".doubt-play").startswith("1 8/4 6/4")
        find(browser, "body").send_keys("s")
        wait(browser, lambda: "at=1" in browser.current_url)
        find(browser, "body").send_keys(Keys.ARROW_LEFT)
        wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".doubt-play"))
        find(browser, "body").send_keys(Keys.ENTER)
        wait(browser, lambda: text(browser, ".doubt-play").startswith("1 13/6"))
        find(browser, "body").send_keys(Keys.ENTER)
        wait(browser, lambda: "Nothing is in doubt" in text(browser, "main"))
        assert [one.turn for one in store.events(1)[-2:]] == [2, 5]
    finally:
        server.close()


@LOOKS
def test_no_page_about_many_matches_has_an_accessibility_fault(browser, screen, app, size, scheme):
    server = serve(app, port=0)
    try:
        screen(*size, scheme)
        for page in (
            "matches?words=ben",
            "matches/1/edit",
            "matches/deleted",
            "players",
            "find",
            "doubts",
        ):
            browser.get(f"{server.url}{page}")
            settled(browser)
            assert faults_on(browser) == [], page
            assert browser.execute_script(
                "return document.documentElement.scrollWidth <= innerWidth"
            ), page
    finally:
        server.close()
