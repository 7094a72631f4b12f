"""The overlay's address: its allowed parameters, and the one-line error for anything else."""

from __future__ import annotations

import re

import pytest

from tests.paths import ROOT
from webui.pages.overlay import (
    NUMBERS,
    PARAMETERS,
    PARTS,
    USUAL_PARTS,
    WORDS,
    fitted,
    parts,
    slot,
)


def attributes(page):
    return dict(re.findall(r'data-(\w+)="([^"]*)"', page.split("<head>")[0]))


def test_without_parameters_the_usual_parts_are_on_at_1920_by_1080(client):
    page = client.get("/overlay").text
    assert attributes(page) == {
        "theme": "dark", "position": "bottom-right", "width": "1920", "height": "1080",
        "margin": "40", "scale": "1", "delay": "0", "as": "audience",
    }  # fmt: skip
    assert f'data-parts="{" ".join(USUAL_PARTS)}"' in page


def test_the_overlay_is_useful_before_any_script_runs(client, table, script):
    script.start_game(table)
    script.make_five_point(table)
    page = client.get("/overlay").text
    for words in ("Anna", "Boris", "8/5 6/5", "163", "7 points"):
        assert words in page
    assert page.count('href="#checker-light" data-side') == 15


def test_the_overlay_has_no_inline_script_or_style_and_no_picture(client, table, script):
    script.start_game(table)
    page = client.get("/overlay").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert "camera.jpg" not in page


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ({}, USUAL_PARTS),
        ({"study": "on", "chances": "on", "event": "on"}, PARTS),
        (
            {"pips": "off", "last": "off"},
            ("board", "dice", "cube", "score", "flag", "names", "clock"),
        ),
        ({"only": "board,dice"}, ("board", "dice")),
        ({"only": "board,dice", "dice": "off", "flag": "on"}, ("board", "flag")),
    ],
)
def test_parts_are_switched(address, shown):
    assert parts(address) == list(shown)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_out_of_its_bounds_is_refused_in_one_line_that_names_them(client, name):
    span = NUMBERS[name]
    for wrong in (span.least - 1, span.most + 1, "nan", "wide", ""):
        answer = client.get("/overlay", query_string={name: wrong})
        assert (answer.status_code, answer.mimetype) == (400, "text/plain")
        assert re.search(rf"^{name}='.*' .* from {span.least:g} to {span.most:g}\n$", answer.text)
    for right in (span.least, span.most):
        assert client.get("/overlay", query_string={name: f"{right:g}"}).status_code == 200


@pytest.mark.parametrize("name", WORDS)
def test_a_word_that_is_not_known_is_refused_in_one_line_that_lists_those_known(client, name):
    answer = client.get("/overlay", query_string={name: "<b>\nno"})
    assert answer.status_code == 400
    known = ", ".join(WORDS[name][0])
    assert answer.text == f"{name}='<b>\\nno' is not valid: give one of {known}\n"
    for right in WORDS[name][0]:
        assert client.get("/overlay", query_string={name: right}).status_code == 200


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("only=board,watch", "only='watch' is not valid: give one of board, dice, cube, "),
        ("only=", "only='' is not valid: give one of "),
        ("colour=red", "there is no parameter 'colour'; the parameters are width, height, "),
        (f"theme={'x' * 999}", f"theme='{'x' * 40}' is not valid"),
    ],
)
def test_other_mistakes_are_reported_in_one_line(client, query, message):
    answer = client.get(f"/overlay?{query}")
    assert answer.status_code == 400
    assert answer.text.startswith(message)
    assert answer.text.count("\n") == 1


def test_a_block_that_does_not_fit_is_made_smaller():
    small = fitted({"width": 640, "height": 360, "margin": 40, "scale": 1}, list(USUAL_PARTS))
    assert small["scale"] * 778 == pytest.approx(280, rel=0.01)
    tiny = fitted({"width": 160, "height": 90, "margin": 1000, "scale": 5}, ["score"])
    assert tiny["margin"] == 22.5
    assert tiny["scale"] > 0


@pytest.mark.parametrize(
    ("shown", "row"),
    [
        (USUAL_PARTS, "foot"),
        (("flag",), "foot"),
        (("board", "dice", "flag"), "board"),
        (("names", "score", "flag"), "strip"),
    ],
)
def test_the_flag_has_a_row_that_moves_nothing(shown, row):
    assert slot(list(shown)) == row


def test_the_reference_names_every_parameter_and_every_word_it_may_be():
    page = (ROOT / "docs/reference/overlay.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`]+)`", page))
    known = {word for words, _ in WORDS.values() for word in words}
    assert {*PARAMETERS, *known} <= named
    for span in NUMBERS.values():
        assert f"{span.least:g} to {span.most:g}" in page


def test_the_addresses_in_the_guide_are_answered(client):
    page = (ROOT / "docs/how-to/stream-overlay.md").read_text(encoding="utf-8")
    addresses = re.findall(r"http://localhost:8000(/overlay\S*)", page)
    assert len(addresses) >= 2
    for address in addresses:
        assert client.get(address).status_code == 200
