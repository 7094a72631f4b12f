"""The page of a hall in a real browser, filled by tables over a real broker."""

from __future__ import annotations

import pytest

from engine import RefereeCalled, RefereeCame, Side
from engine.events.match import IllegalMade
from tests.chromium import open_chromium
from tests.tableside.hall.servers import wait_for
from tests.tableside.hall.simulated_hall import Simulation
from tests.tableside.sample_record import match_events

EVENTS = match_events(length=3)
ILLEGAL = next(n for n, event in enumerate(EVENTS) if isinstance(event, IllegalMade))
TILES = """
return [...document.querySelectorAll(".tile")].filter(tile => !tile.hidden).map(tile => [
  tile.querySelector(".tile-name").textContent, tile.dataset.kind,
  tile.querySelectorAll(".checkers use").length, tile.querySelector(".tile-notes").textContent])
"""


@pytest.fixture(scope="module")
def simulation(tmp_path_factory):
    found = Simulation(tmp_path_factory.mktemp("hall"), 3)
    for number, table in enumerate(found.tables):
        found.step(number, 12)
        assert table.name == str(number + 1)
    yield found
    found.close()


@pytest.fixture(scope="module")
def browser(simulation, tmp_path_factory):
    found = open_chromium(tmp_path_factory.mktemp("profile"))
    found.set_window_size(1440, 900)
    found.get(simulation.server.url)
    yield found
    found.quit()


def tiles(browser):
    return browser.execute_script(TILES)


def test_every_board_is_there_and_what_needs_the_referee_comes_first(browser, simulation):
    wait_for(lambda: [one[:2] for one in tiles(browser)] == [[n, "play"] for n in "123"])
    wait_for(lambda: {one[2] for one in tiles(browser)} == {30})
    call = RefereeCalled(time=90.0, frame=90, player=Side.DARK)
    simulation.tables[1].record(call)
    wait_for(lambda: tiles(browser)[0][:2] == ["2", "call"])
    assert "calls the referee" in tiles(browser)[0][3]
    third = simulation.tables[2]
    third.begin(length=3)
    third.record(*EVENTS[: ILLEGAL + 1])
    wait_for(lambda: [one[:2] for one in tiles(browser)][:2] == [["3", "dispute"], ["2", "call"]])
    simulation.tables[1].record(RefereeCame(time=95.0, frame=95))
    simulation.tables[0].disconnect()
    wait_for(lambda: [one[1] for one in tiles(browser)] == ["dispute", "fault", "play"])


def test_a_television_hides_what_players_must_not_see(browser, simulation):
    browser.get(f"{simulation.server.url}hall/tv")
    wait_for(lambda: len(tiles(browser)) == 3)
    sources = browser.execute_script(
        "return performance.getEntriesByType('resource').map(one => one.name)"
    )
    assert [one for one in sources if "/api/hall/events" in one and "as=viewer" not in one] == []


def test_results_are_a_page_and_files(browser, simulation):
    def stored():
        return len(simulation.boards.results())

    wait_for(lambda: stored() >= 4)  # they are stored a moment later
    before = stored()
    browser.get(f"{simulation.server.url}hall/results")
    # On a loaded machine the driver may answer while the page before is still there.
    wait_for(lambda: browser.find_elements("css selector", ".hall-results"))
    rows = browser.execute_script("return document.querySelectorAll('tbody tr')")
    shown = browser.find_element("tag name", "body").text
    assert before <= len(rows) <= stored(), shown  # the tables may begin their next match
    assert [one for one in browser.get_log("browser") if one["level"] == "SEVERE"] == []
