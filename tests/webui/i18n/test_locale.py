"""Each reader gets the page in his language: by its address, his choice, or his browser."""

from __future__ import annotations

import json
import re

import pytest

from engine import NotNow
from engine.message import msg
from tests.webui.conftest import last_play
from webui.app import create_app
from webui.contracts.roles import Visibility
from webui.http.passwords import Passwords
from webui.i18n.locale import COOKIE, language, system_language, use_language
from webui.streaming.sse import StateEncoder
from webui.views import phrases as words
from webui.views.board import as_shown

RUSSIAN = {"Accept-Language": "ru-RU,ru;q=0.9,en;q=0.5"}
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
BROKEN = msg("no checker was moved, but {roll} can be played", roll="3-1")


def lang_of(answer):
    return re.search(r'<html lang="(\w+)"', answer.text)[1]


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (None, "en"),
        ("ru", "ru"),
        ("ru-RU,ru;q=0.9,en;q=0.5", "ru"),
        ("en-GB,ru;q=0.5", "en"),
        ("sw,ru;q=0.5", "ru"),
        ("sw", "en"),
        ("*", "en"),
        (";;;q=x", "en"),
    ],
)
def test_the_page_is_in_the_language_that_the_browser_asks_for(client, wish, code):
    answer = client.get("/", headers={} if wish is None else {"Accept-Language": wish})
    assert lang_of(answer) == code


def test_what_is_chosen_on_the_page_is_kept_and_outweighs_the_browser(client):
    chosen = client.get("/?lang=ru")
    assert (chosen.status_code, chosen.location) == (302, "/")
    assert "SameSite=Lax" in chosen.headers["Set-Cookie"]
    assert lang_of(client.get("/", headers={"Accept-Language": "en"})) == "ru"
    client.get("/?lang=en")
    assert lang_of(client.get("/", headers=RUSSIAN)) == "en"


def test_the_switch_is_a_link_that_keeps_where_somebody_is(client):
    page = client.get("/?a=1&b=x%20y").text
    assert 'href="/?a=1&amp;b=x+y&amp;lang=ru" hreflang="ru" lang="ru"' in page
    assert client.get("/?a=1&b=x%20y&lang=ru").location == "/?a=1&b=x+y"


@pytest.mark.parametrize("code", ["xx", "", "RU", "../ru", "ru-RU"])
def test_a_language_that_there_is_not_is_not_kept(client, code):
    answer = client.get("/", query_string={"lang": code})
    assert answer.location == "/"
    assert "Set-Cookie" not in answer.headers
    client.set_cookie(COOKIE, code)
    assert lang_of(client.get("/", headers=RUSSIAN)) == "ru"


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "///evil.example/%2e%2e"])
def test_the_switch_leads_to_no_other_host(client, path):
    answer = client.get("/?lang=ru", environ_overrides={"PATH_INFO": path})
    assert answer.status_code in (302, 308, 404)
    assert not re.match(r"(https?:)?[/\\]{2}(?!localhost)", answer.location or "/")


def test_who_is_not_logged_in_may_choose_too(table):
    client = create_app(table, passwords=Passwords({})).test_client()
    assert client.get("/login?lang=ru&next=/desk").location == "/login?next=%2Fdesk"


def test_a_number_out_of_range_is_refused_in_russian_throughout(client):
    refused = client.get("/overlay?delay=x", headers={"Accept-Language": "ru"})
    assert refused.text == "delay='x' не годится: нужно число секунд от 0 до 600\n"


def test_the_overlay_takes_its_language_from_its_address_and_keeps_nothing(client):
    answer = client.get("/overlay?lang=ru", headers={"Accept-Language": "en"})
    assert lang_of(answer) == "ru"
    assert "Set-Cookie" not in answer.headers
    refused = client.get("/overlay?lang=xx", headers=BROWSER)
    assert refused.status_code == 400
    assert "lang=&#39;xx&#39; is not valid: give one of en, ru</p>" in refused.text


def test_the_state_has_its_words_in_the_language_asked_for_and_its_facts_in_none(
    client, table, script
):
    script.start_game(table)
    table.publish(last_play=last_play("13/8", [3, 1], legal=False, rule=BROKEN))
    english, russian = (client.get(f"/api/state?lang={code}").json for code in ("en", "ru"))
    assert english["shown"]["alert"]["title"] == "Illegal play"
    assert russian["shown"]["alert"] == {
        "kind": "illegal",
        "title": "Неправильный ход",
        "text": "Anna: ход 13/8, бросок 3-1. Ни одна шашка не передвинута, "
        "а бросок 3-1 сыграть можно.",
    }
    assert english["last_play"]["rule"] == str(BROKEN)
    assert {**russian["last_play"], "rule": str(BROKEN)} == english["last_play"]
    assert client.get("/api/state?lang=xx").status_code == 422


def test_a_stream_is_in_each_readers_language(client, table, script):
    script.start_game(table)

    def first(code):
        answer = client.get(f"/api/events?lang={code}", buffered=False)
        parts = iter(answer.response)
        event = next(part for part in parts if b"event: state" in part)
        answer.close()
        return json.loads(event.decode().split("data: ", 1)[1])["shown"]["headline"]

    assert [first("en"), first("ru"), first("en")] == [
        "Anna to roll",
        "Бросок: Anna",
        "Anna to roll",
    ]


def test_a_state_is_coded_once_for_all_readers_of_a_language(table, script):
    script.start_game(table)
    coder, state = StateEncoder(), table.state()
    english, russian = (coder.body(state, Visibility.PLAYERS, code) for code in ("en", "ru"))
    assert english != russian
    assert coder.body(state, Visibility.PLAYERS, "en") is english
    assert coder.body(state, Visibility.PLAYERS, "ru") is russian
    assert coder.event(state, Visibility.PLAYERS, "ru").count(russian) == 1


def test_a_refusal_is_in_the_language_of_who_asked(client, desk):
    desk.error = NotNow(msg("there is nothing to undo"))
    word = {"json": {"word": "undo"}, "headers": {"X-Tableside": "1", **RUSSIAN}}
    answer = client.post("/api/desk/word", **word)
    assert (answer.status_code, answer.json) == (
        409,
        {"message": "отменять нечего"},
    )
    assert client.get("/api/desk", headers=RUSSIAN).json["cannot"] == {"undo": "отменять нечего"}


def test_a_browser_gets_a_page_of_the_product_where_there_is_none(client):
    answer = client.get("/setup", headers={**BROWSER, **RUSSIAN})
    assert answer.status_code == 404
    assert answer.mimetype == "text/html"
    assert "Настраивать нечего: у этого матча уже есть камера." in answer.text
    assert 'class="brand"' in answer.text
    assert client.get("/nowhere", headers=BROWSER).text.count("Page not found.") == 1


@pytest.mark.parametrize("accept", ["*/*", "image/avif,image/webp,*/*;q=0.8", "text/plain", None])
def test_a_program_gets_one_line(client, accept):
    answer = client.get("/nowhere", headers={} if accept is None else {"Accept": accept})
    assert (answer.mimetype, answer.text) == ("text/plain", "page not found\n")
    answer = client.get("/api/nowhere", headers=BROWSER)
    assert answer.json == {"message": "page not found"}


@pytest.mark.parametrize(
    ("number", "length", "plays"),
    [
        (1, "до 1 очка", "1 ход"),
        (2, "до 2 очков", "2 хода"),
        (5, "до 5 очков", "5 ходов"),
        (11, "до 11 очков", "11 ходов"),
        (21, "до 21 очка", "21 ход"),
    ],
)
def test_russian_counts_in_three_forms(number, length, plays):
    from webui.i18n.locale import ngettext

    with use_language("ru"):
        assert words.match_length(number) == length
        assert ngettext("%(num)s play", "%(num)s plays", number) == plays


def test_numbers_are_written_as_the_language_writes_them():
    with use_language("ru"):
        assert [words.percent(share) for share in (0.7, 0.998, 0.9999)] == [
            "70 %",
            "99,8 %",
            "> 99,9 %",
        ]
    assert words.percent(0.998) == "99.8 %"


def test_a_side_without_a_name_is_called_so_in_the_readers_language(table):
    table.publish(players={"light": "Light", "dark": "Open"})
    with use_language("ru"):
        assert as_shown(table.state())["players"] == {"light": "Светлые", "dark": "Open"}


def test_no_word_of_english_is_left_in_what_a_russian_hears(table, script):
    script.start_game(table)
    script.make_five_point(table)
    table.publish(
        void={"player": "dark", "dice": [4, 4], "reason": "cocked",
              "note": msg("a die is cocked: both are rolled again")},
        dice=[{"value": None, "player": "dark", "flat": False, "confidence": 0.2}],
    )  # fmt: skip
    with use_language("ru"):
        shown = as_shown(table.state())["shown"]
    heard = " ".join([*shown["spoken"]["position"], shown["spoken"]["event"],
                      shown["headline"], shown["alert"]["text"], shown["variant"]])  # fmt: skip
    assert set(re.findall(r"[A-Za-z]{2,}", heard)) == {"Anna", "Boris"}


def test_what_is_spoken_ends_with_its_block():
    with use_language("ru"):
        assert language() == "ru"
        with use_language("en"):
            assert language() == "en"
    assert language() == "en"


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({}, "en"),
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "C", "LC_MESSAGES": "ru"}, "ru"),
        ({"LANG": "sw_TZ"}, "en"),
    ],
)
def test_a_page_for_the_system_is_in_its_language(environment, code):
    assert system_language(environment) == code
