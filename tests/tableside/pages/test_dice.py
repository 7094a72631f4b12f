"""The page of dice, alone and in a real browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from engine.events.match import (
    DiceRolled,
    DiceVoid,
    DieAtRest,
    Event,
    GameStart,
    OpeningRolled,
)
from engine.fairness.findings import analyse_log
from engine.fairness.rolls import simple_log
from engine.position import Side
from engine.rules import find_rules
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tests.engine.fairness.test_verdict import whole_log
from tests.webui.http.test_auth import HASHES, enter
from webui.app import create_app
from webui.contracts.roles import RIGHTS, Role
from webui.http.passwords import Passwords
from webui.i18n.locale import use_language
from webui.pages.dice import install_dice
from webui.pages.matches import install_review
from webui.server import serve
from webui.views.dice_phrases import verdict
from webui.views.dice_report import report_html

MARKUP = "<img src=x onerror=alert(1)>"
LIGHT, DARK = Side


def dice_events(throws, light="Ann", dark=MARKUP, seed=1, faces=(1, 2, 3, 4, 5, 6)):
    """A match of rolls alone, with a void throw and dice with positions."""
    chance = np.random.default_rng(seed)
    opening = find_rules("short").opening()
    start = GameStart(time=0, frame=0, position=opening, light=light, dark=dark, length=7)
    events: list[Event] = [start]
    for n in range(throws):
        dice = tuple(sorted((int(one) for one in chance.choice(faces, 2)), reverse=True))
        lay = tuple(
            DieAtRest(chances=tuple(float(face == one) for face in range(1, 7)),
                   place=(float(chance.random()), float(chance.random())))
            for one in dice
        )  # fmt: skip
        at: dict[str, Any] = {"time": 9.0 * n, "frame": n}
        common = {**at, "player": (LIGHT, DARK)[n % 2], "dice": dice}
        kind = (
            DiceVoid(reason="cocked", dice_at_rest=lay, **common)
            if n == 7
            else DiceRolled(dice_at_rest=lay, **common)
        )
        events.append(kind)
    return events


class Record:
    """A record with one finished match and one in progress."""

    def __init__(self, path):
        self.store = Store.open(path)
        self.over = self._add(dice_events(80))
        self.store.close_match(self.over)
        self.open = self._add(dice_events(20, seed=2))
        self.archive = RecordArchive(path)

    def _add(self, events):
        number = self.store.new_match(light="Ann", dark=MARKUP, length=7)
        self.store.append(number, events)
        return number

    def roll(self, events):
        self.store.append(self.open, events[1:])

    def close(self):
        self.archive.close()
        self.store.close()


OURS = {"Origin": "http://localhost"}


@pytest.fixture
def record(tmp_path):
    record = Record(tmp_path / "record.sqlite")
    yield record
    record.close()


@pytest.fixture
def app(table, record):
    app = create_app(table, streams=2)
    install_review(app, record.archive)
    install_dice(app, record.archive.dice)
    return app


@pytest.fixture
def client(app):
    return app.test_client()


def test_of_a_match_in_play_only_what_holds_at_any_time_is_reported(client, record):
    answer = client.get("/api/dice").json
    assert answer["ended"]["dice"]["Ann's pair"]["n"] == 80
    (playing,) = answer["playing"]
    assert playing["match"] == record.open
    die = playing["dice"]["Ann's pair"]
    assert die["n"] == 20
    assert {"e_value", "e_largest", "anytime_p", "bounds"} <= die.keys()
    assert not {"p", "chi2", "g", "posterior"} & die.keys()


def test_the_evidence_goes_on_from_the_matches_before(client, record):
    before = client.get("/api/dice").json["playing"][0]["dice"]["Ann's pair"]["e_value"]
    record.roll(dice_events(40, seed=5, faces=(6, 6, 6, 6, 6, 1)))
    after = client.get("/api/dice").json["playing"][0]["dice"]["Ann's pair"]
    assert after["n"] == 60
    assert after["e_value"] > max(1000, before)
    assert after["e_value_of_match"] > 1000


def test_who_knows_the_newest_version_gets_nothing(client, record):
    version = client.get("/api/dice").json["version"]
    assert client.get(f"/api/dice?known={version}").status_code == 204
    record.roll(dice_events(3, seed=3))
    assert client.get(f"/api/dice?known={version}").status_code == 200


def test_one_match_is_reported_alone(client, record):
    over = client.get(f"/api/matches/{record.over}/dice").json
    assert over["playing"] == []
    assert over["ended"]["rows"] == {
        "all": 160, "void": 2, "unread": 0, "openings": 0, "doubtful": 0,
    }  # fmt: skip
    assert client.get(f"/api/matches/{record.open}/dice").json["ended"] is None
    assert client.get("/api/matches/99/dice").status_code == 404
    assert client.get("/matches/99/dice").status_code == 404
    version = over["version"]
    assert client.get(f"/api/matches/{record.over}/dice?known={version}").status_code == 204


def test_every_die_is_a_row_of_the_table(client):
    answer = client.get("/api/dice/rolls.csv")
    assert answer.mimetype == "text/csv"
    assert len(answer.text.splitlines()) == 1 + 200
    assert answer.text.count("time,player") == 1


@pytest.mark.parametrize("role", [role for role in Role if RIGHTS[role].reads_record])
def test_who_is_kept_behind_time_is_shown_no_match_in_play(role, table, record):
    app = create_app(table, passwords=Passwords(HASHES), least_delay=60)
    install_review(app, record.archive)
    install_dice(app, record.archive.dice)
    client, sees = enter(app, role), not RIGHTS[role].is_delayed
    assert bool(client.get("/api/dice").json["playing"]) is sees
    assert bool(client.get(f"/api/matches/{record.open}/dice").json["playing"]) is sees
    assert ("In progress" in client.get("/dice").text) is sees
    assert len(client.get("/api/dice/rolls.csv").text.splitlines()) == (201 if sees else 161)
    listed = [one["id"] for one in client.get("/api/matches").json["matches"]]
    assert listed == ([record.open, record.over] if sees else [record.over])
    assert (f"/matches/{record.open}" in client.get("/matches").text) is sees
    assert bool(client.get(f"/api/matches/{record.open}").json["steps"][1:]) is sees
    assert client.get(f"/api/matches/{record.over}").status_code == 200


def test_the_page_shows_both_and_escapes_names(client):
    page = client.get("/dice").text
    assert "In progress" in page
    assert MARKUP not in page
    assert "style=" not in page
    assert "fair" not in page.lower()
    assert 'href="/dice" aria-current="page"' in page


def test_a_plot_of_a_few_rolls_ends_where_a_face_never_comes_up(client):
    plots = re.findall(r'viewBox="0 0 360 ([0-9.]+)" role="img".*?</svg>', client.get("/dice").text)
    assert plots
    # "Never" is drawn at 92 + 80 / 2.5, and the names and shares of the faces take 54 below it.
    assert min(map(float, plots)) == 92 + 80 / 2.5 + 54


def test_a_record_without_rolls_says_so(tmp_path, table):
    path = tmp_path / "empty.sqlite"
    Store.open(path).close()
    archive = RecordArchive(path)
    app = create_app(table)
    install_review(app, archive)
    install_dice(app, archive.dice)
    assert "No rolls recorded yet" in app.test_client().get("/dice").text
    assert app.test_client().get("/api/dice").json["ended"] is None
    archive.close()


def test_the_document_lists_its_addresses(client):
    paths = client.get("/api/openapi.json").json["paths"]
    assert {"/api/dice", "/api/dice/rolls.csv"} <= paths.keys()
    assert any(path.startswith("/api/matches/") and path.endswith("/dice") for path in paths)


# --- in Russian -----------------------------------------------------------------------------


class Said(HTMLParser):
    """Everything that a page tells eyes and ears, except commands to be typed."""

    def __init__(self, page):
        super().__init__()
        self.said, self.inside = [], [""]
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.said += [value for name, value in attributes if name in ("aria-label", "title", "alt")]
        if tag not in ("meta", "link", "img", "br", "hr", "input"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside.pop() != tag:
            pass

    def handle_data(self, text):
        if self.inside[-1] not in ("code", "style", "script", "symbol"):
            self.said.append(text)


def english_in(page):
    words = {word for said in Said(page).said for word in re.findall("[A-Za-z]{2,}", said)}
    return words - {"Tableside", "EN", "English"}


@pytest.fixture
def russian(tmp_path, table):
    """The page of matches whose players have Russian names, one of them with loaded dice."""
    path = tmp_path / "russian.sqlite"
    with Store.open(path) as store:
        for seed, dark, faces in ((1, "Борис", (1, 2, 3, 4, 5, 6)), (2, "Dark", (5, 6, 6, 6))):
            number = store.new_match(light="Анна", dark=dark, length=7)
            store.append(number, some_of_all(dice_events(120, "Анна", dark, seed, faces)))
            store.close_match(number)
        store.append(store.new_match(light="Анна", dark="Борис", length=7),
                     dice_events(20, "Анна", "Борис", 3))  # fmt: skip
        app = create_app(table)
        archive = RecordArchive(path)
        install_review(app, archive)
        install_dice(app, archive.dice)
        yield app.test_client()
        archive.close()


def some_of_all(events):
    """With an opening roll, a die that was not read, and one that was not read with certainty."""
    opening = OpeningRolled(time=1, frame=1, light=6, dark=2)
    unread = DiceRolled(time=2, frame=2, player=LIGHT, dice=(6, 5), confidence=0.6)
    return [events[0], opening, unread, *events[1:]]


def test_no_word_of_the_page_stays_english_in_russian(russian):
    for address in ("/dice", "/matches/1/dice", "/matches/3/dice"):
        page = russian.get(address, headers={"Accept-Language": "ru"}).text
        assert '<main id="main" class="dice" tabindex' in page
        assert english_in(page) == set()
        assert "честн" not in page.lower()


def test_numbers_and_names_are_written_as_russian_does(russian):
    said = " ".join(Said(russian.get("/dice", headers={"Accept-Language": "ru"}).text).said)
    assert "Пара костей: Анна" in said
    assert re.search(r"вместо 16,7 % \(e-значение больше 10[⁰¹²³⁴⁵⁶⁷⁸⁹]+\)", said)
    assert re.search(r"\d\xa0000: тревога", said)
    assert not re.search(r"\d\.\d", said)


def test_programs_read_english_whatever_the_browser_wishes(russian):
    report = russian.get("/api/dice", headers={"Accept-Language": "ru"}).json
    assert report["title"] == "All recorded matches"
    assert "Анна's pair" in report["ended"]["dice"]


@pytest.mark.parametrize("rolls", [5, 400])
@pytest.mark.parametrize("chances", [(1, 1, 1, 1, 1, 1), (2, 3, 3, 3, 3, 3), (1, 1, 1, 1, 1, 9)])
def test_every_verdict_is_translated_into_russian(rolls, chances):
    faces = np.random.default_rng(6).choice(6, rolls, p=np.divide(chances, sum(chances))) + 1
    found = analyse_log(simple_log(faces, die=["Кость"] * rolls))
    (die,) = found.groups["dice"]
    with use_language("ru"):
        verdicts = [verdict(die), verdict(die, is_final=True)]
        verdicts += [verdict(die, (replace(test, q=0.01),), is_final=True) for test in found.family]
    assert [one for one in verdicts if re.search("[A-Za-z]{2,}", one)] == []


def test_the_report_of_a_table_can_be_in_russian():
    found = analyse_log(whole_log())
    with use_language("ru"):
        page = report_html(found, title="Журнал")
    assert '<html lang="ru">' in page
    assert english_in(page) <= {"red", "white", "blue", "Ann", "Ben"}


# --- in a browser ---------------------------------------------------------------------------

pytest.importorskip("selenium", reason="selenium is not installed")


from tests.webui.browser import LOOKS, find, wait  # noqa: E402
from tests.webui.pages.test_axe import faults_on, settled  # noqa: E402


@pytest.fixture
def server(app):
    server = serve(app, port=0)
    yield server
    server.close()


def opened(browser, server, address="dice"):
    browser.get(f"{server.url}{address}")
    wait(browser, lambda: find(browser, "main").get_attribute("data-ready") == "yes")


@LOOKS
def test_no_fault_and_no_scrolling_sideways(browser, screen, server, size, scheme):
    screen(*size, scheme)
    opened(browser, server)
    settled(browser)
    assert faults_on(browser) == []
    browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert faults_on(browser) == []
    wide = "return [document.documentElement.scrollWidth, innerWidth]"
    assert browser.execute_script(wide) == [size[0], size[0]]


def test_two_names_are_made_one_on_the_page_and_separated_again(browser, server):
    opened(browser, server)

    # In one call: the page may be redrawn between two.
    def texts(selector):
        every = "return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)"
        return browser.execute_script(every, selector)

    def names():
        return texts(".d-cards h3")

    def say(word, **fields):
        browser.execute_script(
            """
            const form = document.querySelector(`form[data-edit=${arguments[0]}]`);
            for (const [name, value] of Object.entries(arguments[1])) {
              form.elements[name].value = value;
            }
            form.requestSubmit();
            """,
            word,
            fields,
        )

    first, second = "Ann's pair", f"{MARKUP}'s pair"
    assert {first, second} <= set(names())
    find(browser, ".d-naming summary").click()
    say("merge", other=second, keep=first)
    wait(browser, lambda: second not in names())
    assert first in names()
    assert f"Last change: {second} and {first} are the same dice." in texts(".d-naming")[0]
    say("rename", name=first, to="cup 7")
    wait(browser, lambda: "other dice are already called" in texts(".d-naming-answer")[0])
    browser.execute_script(
        """
        document.getElementById("main").dataset.version = "none";
        const ask = window.fetch;
        window.polls = 0;
        window.fetch = (address, ...rest) => {
          window.polls += String(address).includes("known=none");
          return ask(address, ...rest);
        };
        """
    )
    wait(browser, lambda: browser.execute_script("return window.polls") > 1)
    assert "other dice are already called" in texts(".d-naming-answer")[0], "it stays though polled"
    say("undo")
    wait(browser, lambda: second in names())


@pytest.fixture
def forgetful(browser):
    """The browser, which forgets the chosen language after the test."""
    yield browser
    browser.delete_all_cookies()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_in_russian_too_no_fault_and_no_scrolling_sideways(forgetful, screen, server, size):
    browser = forgetful
    screen(*size, "light")
    browser.get(f"{server.url}dice?lang=ru")
    settled(browser)
    assert find(browser, "h1").text == "Кости"
    browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert faults_on(browser) == []
    wide = "return [document.documentElement.scrollWidth, innerWidth]"
    assert browser.execute_script(wide) == [size[0], size[0]]


def test_a_roll_appears_by_itself_and_what_was_open_stays_open(browser, server, record):
    opened(browser, server)
    first = find(browser, ".d-live .d-rolls")
    assert first.text == "20 rolls"
    find(browser, ".d-section details summary").click()
    browser.execute_script("document.activeElement.blur()")
    record.roll(dice_events(2, seed=4))
    wait(browser, lambda: find(browser, ".d-live .d-rolls").text == "22 rolls")
    assert find(browser, ".d-section details").get_property("open")


def test_a_visit_complains_of_nothing_and_stays_on_the_host(browser, server, record):
    opened(browser, server)
    opened(browser, server, f"matches/{record.over}/dice")
    find(browser, "#theme").click()
    assert browser.get_log("browser") == []
    entries = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = (e["params"] for e in entries if e["method"] == "Network.requestWillBeSent")
    hosts = {urlsplit(one["request"]["url"]).netloc for one in sent} - {""}
    assert hosts == {f"127.0.0.1:{server.port}"}


@pytest.mark.parametrize(
    ("rolls", "says"),
    [
        ("1 6 3 4 2 5 1 1 6 3\n" * 4, "40 rolls"),
        ("6 1\n3 3\n5 2\n" * 10, "60 rolls"),
        ("1 100\n2 100\n3 100\n4 100\n5 100\n6 400", "900 rolls"),
    ],
)
def test_rolls_that_a_reader_pastes_are_judged_and_not_recorded(client, rolls, says):
    before = client.get("/api/dice").json["version"]
    answer = client.post("/dice/pasted", data={"rolls": rolls}, headers=OURS)
    assert answer.status_code == 200
    assert says in answer.get_data(as_text=True)
    assert client.get("/api/dice").json["version"] == before


@pytest.mark.parametrize(
    ("rolls", "why"),
    [
        ("", "Give faces from 1 to 6"),
        ("Ann", "Give faces from 1 to 6"),
        ("1 2 7", "7 is not a face"),
        ("face count\n1 100000000", "more than 1,000,000 rolls"),
    ],
)
def test_what_is_no_roll_is_refused_in_one_line(client, rolls, why):
    answer = client.post("/dice/pasted", data={"rolls": rolls}, headers=OURS)
    assert answer.status_code == 400
    assert why in answer.get_data(as_text=True)


def test_other_sites_cannot_have_rolls_judged(client):
    answer = client.post(
        "/dice/pasted", data={"rolls": "1 2 3"}, headers={"Origin": "http://elsewhere.example"}
    )
    assert answer.status_code == 403


def test_a_reader_learns_what_a_number_of_rolls_will_show(client):
    page = client.get("/dice/plan?rolls=600").get_data(as_text=True)
    assert "600 rolls of a die show, with 80 % probability, one face that is off by" in page
    assert client.get("/dice/plan?rolls=many").status_code == 200
    assert "60 rolls of a die" in client.get("/dice/plan?rolls=1").get_data(as_text=True)
