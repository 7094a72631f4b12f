"""The page that verifies a cup's rolls in a browser comes to the program's verdicts."""

import json
from dataclasses import replace

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from engine.events.codec import as_json, from_json
from engine.events.cup import CupCommitted, CupRevealed, CupRolled, CupSealed
from engine.position import Side
from tableside import cli
from tableside.cup.history import CupHistory
from tableside.cup.verify import verify_match
from tests.chromium import open_chromium

KINDS = ("one", "two", "opening")


@pytest.fixture(scope="module")
def rolled(tmp_path_factory):
    """The events of matches with one die, with two, and with the opening roll's."""
    folder, events = tmp_path_factory.mktemp("cup"), []
    for kind in KINDS:
        out = folder / f"{kind}.jsonl"
        how = ["--virtual", "--dice", kind, "--count", "30", "--words", "Ann", "Гамбит"]
        assert cli.main(["cup", "roll", *how, "--out", str(out)]) == 0
        events += [from_json(json.loads(line)) for line in out.read_text("utf-8").splitlines()]
    return events


@pytest.fixture(scope="module")
def page(rolled, tmp_path_factory):
    """Gives a browser, cut off from the network, events to verify; returns what it shows."""
    folder = tmp_path_factory.mktemp("page")
    assert (
        cli.main(["cup", "verify", str(written(rolled, folder)), "--page", str(folder / "v.html")])
        == 0
    )
    browser = open_chromium(folder / "profile")
    browser.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)

    def shown(events):
        browser.get((folder / "v.html").as_uri())
        browser.find_element(By.CSS_SELECTOR, "input").send_keys(str(written(events, folder)))
        main = browser.find_element(By.TAG_NAME, "main")
        return WebDriverWait(browser, 20).until(lambda _: main.text)

    yield shown
    browser.quit()


def written(events, folder):
    out = folder / "events.jsonl"
    lines = (
        events if isinstance(events, str) else "\n".join(json.dumps(as_json(one)) for one in events)
    )
    out.write_text(lines, "utf-8")
    return out


def test_every_roll_of_an_honest_cup_is_computed_again(rolled, page):
    text = page(rolled)

    verdict = "30 rolls, all proven\nNeither the cup nor the program could choose them"
    assert text.count(verdict) == 3
    for match in CupHistory(rolled).matches:
        assert match.fingerprint in text
        for roll in match.rolls:
            dice = "-".join(map(str, roll.dice))
            assert (
                f"{roll.number} {'both' if roll.kind == 'opening' else '–'} {dice} {dice}" in text
            )
    assert "“Ann”, dark “Гамбит”" in text


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (CupRolled, {"salt": "00000000"}),
        (CupRolled, {"number": 7}),
        (CupRolled, {"dice": (7,)}),
        (CupRolled, {"chain": "44" * 32}),
        (CupCommitted, {"commitment": "11" * 32}),
        (CupCommitted, {"program_secret": "11" * 32}),
        (CupCommitted, {"number": 75}),
        (CupRolled, {"roller": Side.LIGHT}),
        (CupSealed, {"light_words": "Anna"}),
        (CupSealed, {"host": "22" * 16}),
        (CupRevealed, {"seed": "33" * 32}),
    ],
)
def test_whatever_was_changed_is_found(rolled, page, kind, fields):
    at = next(i for i, one in enumerate(rolled) if isinstance(one, kind))
    events = [*rolled[:at], replace(rolled[at], **fields), *rolled[at + 1 :]]

    text = page(events)

    assert text.count("NOT proven") == 1
    assert text.count("all proven") == 2
    assert sum(verify_match(one).is_proven for one in CupHistory(events).matches) == 2


def test_a_match_without_its_seed_or_its_programs_secret_is_said_to_be_so(rolled, page):
    first = rolled[:33]
    assert "Proven once the cup has revealed its seed" in page(first[:-1])
    older = [replace(one, program="", program_secret="") if isinstance(one, CupCommitted) else one
             for one in first]  # fmt: skip
    assert "the program could have chosen" in page(older)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "No dice cup was used"),
        ("{}\nno event", "Line 2 is no event"),
        ('{"type": "cup_commitment", "cup": "a", "match": 1}', "not those of a cup"),
    ],
)
def test_a_file_without_a_proof_is_explained(page, content, says):
    assert says in page(content)
