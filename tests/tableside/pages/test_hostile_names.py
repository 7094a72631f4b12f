"""Names that would be more than a name are text to whatever shows or writes them."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from engine.dice_sets.edits import DiceMerged, DiceRenamed
from engine.formats.detect import read_match
from engine.formats.from_events import match_from_events
from engine.formats.json_text import json_text
from tableside.cli import main
from tableside.console import progress_of
from tableside.dice.rolls_csv import read_dice
from tableside.logs import logging_to
from tableside.record.export import WRITERS
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.review.shown import FILES
from tests.at_length import at_length
from tests.hostile_names import CONTROLS, HOSTILE, MARKUP
from tests.tableside.sample_record import finished, match_events
from webui.app import create_app
from webui.pages.dice import install_dice
from webui.pages.matches import install_review

PAGES = ("/", "/tv", "/overlay", "/matches", "/matches/1", "/dice", "/matches/1/dice")
PAIRS = [(light, f"{dark} II") for light, dark in zip(HOSTILE[::2], HOSTILE[1::2], strict=True)]
"""Light's and dark's names; two that look the same would be one player's."""
SOME_OR_ALL = pytest.mark.parametrize(
    "pairs", [pytest.param(PAIRS[::4], id="some"), at_length(PAIRS, name="all")]
)


def as_typed(event, light, dark):
    """An event with names as an older version kept them."""
    for side, name in (("light", light), ("dark", dark)):
        if hasattr(event, "rule_set"):
            object.__setattr__(event, side, name)
    return event


class Site:
    """Every page that shows the names of a record's players."""

    def __init__(self, folder, table, light, dark):
        folder.mkdir()
        self.path = folder / "record.sqlite"
        with Store.open(self.path) as store:
            number = store.new_match(light=light, dark=dark, length=3, source=f"/videos/{dark}")
            events = finished(match_events())
            store.append(number, [as_typed(event, light, dark) for event in events])
            store.close_match(number)
        self.archive = RecordArchive(self.path)
        app = create_app(table)
        install_review(app, self.archive)
        install_dice(app, self.archive.dice)
        entry = self.archive.match(1)["entry"]
        self.players = entry["players"]
        table.publish(players=self.players)
        self.client = app.test_client()

    def close(self):
        self.archive.close()


class Structure(HTMLParser):
    """The elements of a page, with the names of their attributes."""

    def __init__(self, page):
        super().__init__()
        self.elements = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, sorted(name for name, _ in attrs)))


@pytest.fixture
def site(tmp_path, table):
    opened = []

    def open_site(light, dark):
        opened.append(Site(tmp_path / str(len(opened)), table, light, dark))
        return opened[-1]

    yield open_site
    for one in opened:
        one.close()


def is_shown(text, *, lines=False):
    return all(letter.isprintable() or (lines and letter == "\n") for letter in text)


@SOME_OR_ALL
def test_a_name_adds_nothing_to_a_page_but_text(site, pairs):
    plain = site("Ann", "Ben")
    wanted = {page: Structure(plain.client.get(page).text).elements for page in PAGES}
    for number, (light, dark) in enumerate(pairs):
        shown = site(light, dark)
        for page in PAGES if number % 5 == 0 else PAGES[:-2]:  # the dice take a second
            answer = shown.client.get(page)
            assert Structure(answer.text).elements == wanted[page], (page, light, dark)
            assert is_shown(answer.text.replace("\n", "")), (page, light, dark)


@SOME_OR_ALL
def test_a_name_is_one_line_in_every_file(site, record_property, pairs):
    for light, dark in pairs:
        shown = site(light, dark)
        for name in FILES:
            answer = shown.client.get(f"/api/matches/1/files/{name}")
            assert answer.status_code == 200
            assert is_shown(answer.text, lines=True), (name, light, dark)
        table = csv.reader(io.StringIO(shown.client.get("/api/dice/rolls.csv").text))
        cells = [cell for row in table for cell in row]
        assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in cells)
    record_property("seen", f"{2 * len(pairs)} names: text on {len(PAGES)} pages and in every file")


def test_a_name_changes_nothing_else_of_a_match_file(site):
    plain = match_from_events(finished(match_events()))
    for light, dark in PAIRS:
        events = [as_typed(event, light, dark) for event in finished(match_events())]
        # As an older version would write it.
        raw = json.loads(json_text(match_from_events(events)))
        match = read_match(json.dumps({**raw, "players": [light, dark]}).encode())
        assert all(map(is_shown, match.players))
        for form, write in WRITERS.items():
            text = write(match)
            assert is_shown(text, lines=True), (form, light, dark)
            assert text.count("\n") == WRITERS[form](plain).count("\n"), (form, light, dark)
            if form == "csv":
                cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row[3:4]]
                assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
            else:
                again = read_match(text.encode())
                assert len(again.games) == len(plain.games)
                assert all(map(is_shown, again.players))


def test_dice_are_named_in_visible_characters(tmp_path):
    for name in (one.replace("\0", "") for one in CONTROLS):
        assert is_shown(DiceRenamed("white die", name).to)
        assert is_shown(DiceMerged(name, "white die").keep)
        path = tmp_path / "rolls.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([["time", "player", "die", "value"], [1, name, name, 6]])
        assert all(map(is_shown, read_dice(path).log.die.names))


@pytest.mark.parametrize("name", ["\x1b[2J\u202e.mat", "[red].mat", "\udcff.mat"])
def test_the_name_of_a_file_cannot_command_a_terminal(name, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TABLESIDE_DATA", str(tmp_path))
    good, bad = tmp_path / name, tmp_path / f"bad{name}"
    good.write_text(WRITERS["mat"](match_from_events(finished(match_events()))))
    bad.write_text("\x1b[31m\n")
    main(["check", os.fspath(good), os.fspath(bad)])
    assert main(["export", os.fspath(bad), "--format", "csv", "--out", "-"]) == 1
    for text in capsys.readouterr():
        assert is_shown(text, lines=True)


def test_the_name_of_a_video_is_text_beside_its_progress():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    video = SimpleNamespace(name="[/]\x1b]0;x\x07[red].mp4", frames=10)
    with progress_of(video, screen) as show:
        show(5, 1.0, 0)
    assert "[/]" in screen.getvalue()
    assert "\x1b]" not in screen.getvalue()


def test_a_log_line_is_one_line_of_visible_characters(tmp_path):
    path = tmp_path / "tableside.log"
    with logging_to(path, logging.CRITICAL):
        for name in HOSTILE:
            logging.getLogger("tableside.test").error("the camera %s is gone", name)
    lines = path.read_text("utf-8").split("\n")[:-1]
    assert len(lines) == len(HOSTILE)
    assert all(map(is_shown, lines))
    said = [json.loads(line)["message"] for line in lines]
    assert said == [f"the camera {name} is gone" for name in HOSTILE]


def test_markup_is_run_on_no_page(site, browser):
    from webui.server import serve

    for light, dark in (MARKUP[:2], MARKUP[2:4]):
        shown = site(light, dark)
        server = serve(shown.client.application, port=0)
        for page in PAGES:
            browser.get(server.url + page.lstrip("/"))  # an alert would fail what follows
            browser.execute_script("return new Promise(done => setTimeout(done, 300))")
            said = [one["message"] for one in browser.get_log("browser")]
            assert not [one for one in said if "Security Policy" in one or "evil" in one], page
        server.close()
