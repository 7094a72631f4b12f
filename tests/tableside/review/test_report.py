"""What is doubtful in the end is listed with its stills; settled items and pictures are not."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from engine.events.codec import as_json, from_json
from engine.events.match import DiceVoid, DieAtRest, GameEnd, IllegalMade, PlayRejected
from engine.events.record import Confirmed, Corrected, SetUpError, Unfinished
from engine.message import msg
from engine.position import SIDE_NAMES, Side, place_name
from tableside.errors import StoreError
from tableside.review.report import write_review
from tableside.review.stills import StillKeeper
from tests.tableside.record.looked_at import DOUBTED, OPENING, ROLL, START, at, look

CLEAR = replace(DOUBTED, review=False, uncertainties=(), alternatives=())
ILLEGAL = at(
    IllegalMade,
    48,
    player=Side.LIGHT,
    dice=(3, 1),
    play="8/4",
    position=OPENING,
    rule="both dice must be played <if they can>",
)


@pytest.fixture
def stills(tmp_path):
    """Stills of a throw, of the look that decided its turn, and of one after that."""
    kept = StillKeeper(tmp_path / "stills")
    for frame, values in ((24, (3, 1)), (48, ()), (72, ())):
        kept.add_frame(*look(frame, *values))
        kept.keep([at(Unfinished, frame, game=1)])
    return kept


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def listed(out):
    return json.loads((out / "review.json").read_text("utf-8"))


def page(out):
    return (out / "review" / "index.html").read_text("utf-8")


def names(out):
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


def test_a_doubtful_play_is_listed_with_its_throw_and_its_board(out, stills):
    paths = write_review(out, [START, ROLL, DOUBTED], stills)
    (one,) = listed(out)
    assert one["stills"] == ["review/still-000024.jpg", "review/still-000048.jpg"]
    assert names(out) == ["review.json", "review/index.html", *one["stills"]]
    assert [path.name for path in paths] == ["review.json", "index.html"]
    assert (one["time"], one["frame"], one["turn"], one["game"]) == (4.0, 48, 1, 1)
    assert (one["kind"], one["player"], one["dice"]) == ("doubt", "light", [3, 1])
    assert (one["play"], one["legal"], one["rule"]) == ("8/5 6/5", True, "")
    assert one["doubts"] == ["the pictures allow more than one play"]
    assert one["alternatives"] == [{"play": "24/23 13/10", "confidence": 0.2}]


def showing(face):
    chances = [0.02] * 6
    chances[face - 1] = 0.9
    return DieAtRest(chances=tuple(chances), place=(0.6, 0.5))


@pytest.mark.parametrize(
    ("faces", "why"),
    [
        ((2, 1), "the dice look like 2-1: a die was misread, or the play broke a rule"),
        ((1, 3), "the dice were not read reliably: they are recorded as the play requires"),
        ((3,), "the dice were not read reliably: they are recorded as the play requires"),
    ],
)
def test_dice_that_were_read_otherwise_than_the_play_needs_are_named(out, stills, faces, why):
    roll = replace(ROLL, dice_at_rest=tuple(showing(face) for face in faces))
    write_review(out, [START, roll, replace(DOUBTED, uncertainties=("dice",))], stills)
    assert listed(out)[0]["doubts"] == [why]


def test_dice_inferred_from_the_play_are_listed_and_need_no_review(out, stills):
    roll = replace(ROLL, dice_at_rest=(showing(3),))
    inferred = replace(CLEAR, uncertainties=("inferred",))
    write_review(out, [START, roll, inferred], stills)
    (one,) = listed(out)
    assert (one["kind"], one["review"]) == ("inferred", False)
    assert one["doubts"] == [
        "the dice were not read reliably: they are recorded as the play requires"
    ]


def test_the_page_is_in_the_language_of_who_reads_it_and_the_list_is_not(out, stills):
    rule = msg("only the {die} was played, but both dice can be", die=3)
    broken = replace(ILLEGAL, rule=str(rule), rule_message=rule)
    write_review(out, [START, ROLL, DOUBTED, broken], stills, "ru")
    read = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page(out), flags=re.DOTALL)
    assert '<html lang="ru">' in page(out)
    assert "2 места на проверку. Больше сомнений нет." in read
    assert "нарушено правило: сыграна только кость 3, а можно сыграть обе" in read
    assert set(re.findall(r"[A-Za-z]{2,}", read)) <= {"Ann", "amp", "Co", "Ben", "gt"}
    assert listed(out)[0]["doubts"] == ["the pictures allow more than one play"]


def test_checkers_set_up_wrong_are_named_in_the_language_of_who_reads_it(out, stills):
    faults = (
        msg("{side} has {there} {where}, not {hoped}", side=SIDE_NAMES[Side.LIGHT], there=3,
            where=msg("on {place}", place=place_name(6)), hoped=5),
        msg("{side} has {there} {where}, not {hoped}", side=SIDE_NAMES[Side.DARK], there=1,
            where=msg("borne off"), hoped=0),
    )  # fmt: skip
    error = at(
        SetUpError, 72, position=OPENING, faults=tuple(map(str, faults)), fault_messages=faults
    )
    write_review(out, [from_json(as_json(error)), START], stills, "ru")
    assert "светлые, пункт 6: 3 вместо 5" in page(out).lower()
    assert "light has" not in page(out)
    assert listed(out)[0]["doubts"] == list(map(str, faults))


def test_the_page_shows_it_and_needs_nothing_from_elsewhere(out, stills):
    write_review(out, [START, ROLL, DOUBTED], stills)
    sources = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            sources.extend(value for name, value in attrs if name in {"src", "href"})

    Reader().feed(page(out))
    assert set(sources) == {"still-000024.jpg", "still-000048.jpg"}
    for words in ("Ann &amp; Co", "8/5 6/5", "24/23 13/10", "80 %", "allow more than one"):
        assert words in page(out)


def test_an_illegal_play_is_listed_with_its_rule(out, stills):
    write_review(out, [START, ROLL, ILLEGAL], stills)
    (one,) = listed(out)
    assert (one["kind"], one["legal"]) == ("illegal", False)
    assert one["rule"] == ILLEGAL.rule
    assert "played &lt;if they can&gt;" in page(out)


def test_where_nothing_is_doubtful_the_list_is_empty_and_the_page_says_so(out, stills):
    write_review(out, [START, ROLL, CLEAR], stills)
    assert listed(out) == []
    assert names(out) == ["review.json", "review/index.html"]
    assert "Nothing to review." in page(out)
    assert "<article" not in page(out)


@pytest.mark.parametrize(
    "after",
    [
        [at(Confirmed, 72, turn=1, confidence=0.999)],
        [at(Corrected, 72, keep=2, by="hand"), CLEAR],
    ],
)
def test_what_was_settled_later_is_not_listed(out, stills, after):
    write_review(out, [START, ROLL, DOUBTED, *after], stills)
    assert listed(out) == []


def test_an_illegal_play_that_was_put_back_is_not_listed_and_its_throw_is_played_again(out, stills):
    back = at(PlayRejected, 60, player=Side.DARK)
    again = replace(DOUBTED, time=6.0, frame=72)
    write_review(out, [START, ROLL, ILLEGAL, back, again], stills)
    (one,) = listed(out)
    assert (one["kind"], one["turn"]) == ("doubt", 2)
    assert one["stills"] == ["review/still-000024.jpg", "review/still-000072.jpg"]


def test_void_throws_set_ups_and_games_broken_off_are_listed_in_the_order_of_time(out, stills):
    events = [
        START,
        at(SetUpError, 72, position=OPENING, faults=("light: 4 on the 6 point, not 5",)),
        at(DiceVoid, 24, player=Side.DARK, reason="cocked", dice=(3, None)),
        CLEAR,
        at(Unfinished, 72, game=1),
    ]
    write_review(out, events, stills)
    void, wrong, broken = listed(out)
    assert (void["kind"], void["dice"], void["turn"]) == ("reroll", [3, None], 1)
    assert void["doubts"] == ["a die is cocked: both are rolled again"]
    assert (wrong["kind"], wrong["doubts"]) == (
        "set_up_error",
        ["light: 4 on the 6 point, not 5"],
    )
    assert (broken["kind"], broken["player"], broken["play"]) == ("unfinished", None, None)
    assert broken["stills"] == ["review/still-000048.jpg", "review/still-000072.jpg"]


FLAT = DieAtRest(chances=(0.98, *[0.004] * 5), place=(0.2, 0.5), flat=0.98)
LEANS = replace(FLAT, place=(0.4, 0.5), flat=0.03)


@pytest.mark.parametrize(
    ("reason", "lay", "asks"),
    [
        ("cocked", (FLAT, LEANS), False),
        ("cocked", (FLAT, replace(LEANS, flat=0.7)), True),
        ("on_checker", (FLAT, replace(FLAT, surface="checker")), False),
        ("off_board", (FLAT, replace(FLAT, surface="table")), False),
        ("off_board", (FLAT,), True),
        ("wrong_half", (FLAT, FLAT), False),
        ("premature", (FLAT, FLAT), True),
        ("cocked", (), True),
    ],
)
def test_a_certainly_void_throw_needs_no_review(out, stills, reason, lay, asks):
    void = at(DiceVoid, 24, player=Side.DARK, reason=reason, dice=(3, 1), dice_at_rest=lay)
    write_review(out, [START, void, CLEAR], stills)
    (item,) = listed(out)
    assert (item["kind"], item["review"]) == ("reroll", asks)
    assert item["stills"] == ["review/still-000024.jpg"]
    assert ("Nothing to review." in page(out)) is not asks


def test_a_game_whose_end_was_entered_needs_no_review(out, stills):
    entered = at(GameEnd, 80, winner=Side.LIGHT, points=1, result="single", game=1)
    write_review(out, [START, at(Unfinished, 72, game=1), entered], stills)
    assert listed(out) == []


def test_a_second_run_replaces_the_first_and_touches_nothing_else(out, stills):
    write_review(out, [START, ROLL, DOUBTED], stills)
    mine = out / "review" / "still-000001.jpg"
    mine.write_bytes(b"somebody's own")
    write_review(out, [START, replace(DOUBTED, time=6.0, frame=72)], stills)
    assert names(out) == [
        "review.json",
        "review/index.html",
        "review/still-000001.jpg",
        "review/still-000072.jpg",
    ]
    write_review(out, [START, ROLL, CLEAR], stills)
    assert names(out) == ["review.json", "review/index.html", "review/still-000001.jpg"]
    assert "Nothing to review." in page(out)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"stills": ["../mine.jpg", 7]}]', '["a"]'])
def test_a_list_that_is_not_ours_removes_nothing(out, stills, text):
    out.mkdir()
    (out.parent / "mine.jpg").write_bytes(b"mine")
    (out / "review.json").write_text(text)
    write_review(out, [START], stills)
    assert listed(out) == []
    assert (out.parent / "mine.jpg").exists()


def test_a_still_that_is_gone_leaves_the_doubt_listed(out, stills):
    for picture in stills.folder.glob("*.jpg"):
        picture.unlink()
    write_review(out, [START, ROLL, DOUBTED], stills)
    assert listed(out)[0]["stills"] == []
    assert "8/5 6/5" in page(out)


def test_a_folder_that_cannot_be_written_is_one_line(out, stills):
    out.mkdir()
    (out / "review").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written") as caught:
        write_review(out, [START, ROLL, DOUBTED], stills)
    assert "\n" not in str(caught.value)
