"""What is computed from a state before it is drawn."""

from __future__ import annotations

from typing import Any

import pytest

from engine.position import Course
from webui.views import announcements, geometry, phrases
from webui.views.board import (
    as_shown,
    colours,
    contrast,
    cube,
    dice,
    luminance,
    marks,
    point_numbers,
)
from webui.views.piles import cell, cells


def last(play, player="light"):
    return {"player": player, "play": play, "legal": True, "rule": ""}


def test_darks_places_lie_across_the_board():
    assert cell("dark", 24, Course.OPPOSED) == "1"
    assert cell("dark", 24, Course.CIRCLING) == "12"
    assert cell("dark", 25, Course.OPPOSED) == "bar-dark"
    assert cell("light", 0, Course.OPPOSED) == "off-light"


def test_a_point_only_touched_on_the_way_is_not_marked():
    found = marks(last("24/18*/13"), Course.OPPOSED)
    assert (found["left"], found["reached"]) == ({"24": 1}, {"13": 1})


def test_only_a_play_that_breaks_a_named_rule_is_marked_as_illegal():
    doubtful = last("13/8") | {"legal": False}
    accused = doubtful | {"rule": "the 6 can be played"}
    found = [marks(one, Course.OPPOSED)["legal"] for one in (last("13/8"), doubtful, accused)]
    assert found == [True, True, False]


def test_marks_count_the_checkers_and_follow_the_movers_numbers():
    found = marks(last("8/4(2) bar/20", "dark"), Course.OPPOSED)
    assert found["left"] == {"17": 2, "bar-dark": 1}
    assert found["reached"] == {"21": 2, "5": 1}


def test_a_play_that_notation_cannot_read_is_not_marked():
    assert marks(last("two checkers at once"), Course.OPPOSED)["left"] == {}


def test_the_rim_is_numbered_by_the_side_to_move():
    assert point_numbers("light", Course.OPPOSED)[:2] == [1, 2]
    assert point_numbers("dark", Course.OPPOSED)[:2] == [24, 23]


def test_unknown_or_strange_colours_become_defaults():
    shown = colours(
        {"light": "red", "dark": None, "field": "#123456", "points": None, "frame": None}
    )
    assert shown["field"] == "#123456"
    assert shown["light"].startswith("#")


def framed(frame) -> Any:
    return {"light": None, "dark": None, "field": None, "points": None, "frame": frame}


def test_the_ink_is_legible_on_the_frame():
    assert colours(framed("#ffffff"))["ink"] == "#000000"
    assert colours(framed("#221100"))["ink"] == "#ffffff"
    assert luminance("#ffffff") == pytest.approx(1)
    for grey in range(256):
        frame = f"#{grey:02x}{grey:02x}{grey:02x}"
        assert contrast(colours(framed(frame))["ink"], frame) >= 4.5


def test_dice_that_lie_there_are_drawn_before_the_roll(table, script):
    script.start_game(table)
    roll = {"player": "light", "dice": [3, None], "confidence": 0.99}
    table.publish(roll=roll)
    assert [(die["value"], die["sure"]) for die in dice(table.now)] == [(3, True), (None, False)]
    table.publish(dice=[{"value": 4, "player": None, "flat": False, "confidence": 0.5}])
    assert dice(table.now) == [{"side": "light", "value": 4, "flat": False, "sure": False}]


def test_every_phase_has_its_words(table, script):
    assert as_shown(table.now)["shown"]["headline"] == "Setting up"
    script.start_game(table)
    table.publish(roll={"player": "light", "dice": [3, 1], "confidence": 1.0})
    assert as_shown(table.now)["shown"]["headline"] == "Anna to play 3-1"
    script.play_illegally(table)
    shown = as_shown(table.now)["shown"]
    assert (shown["headline"], shown["alert"]["kind"]) == ("Boris decides", "illegal")
    table.publish(phase="fault", message="the camera is gone; plug it in")
    assert as_shown(table.now)["shown"]["alert"]["text"] == "The camera is gone. Plug it in"


def test_an_accepted_illegal_play_is_no_longer_alerted(table, script):
    script.start_game(table)
    script.play_illegally(table)
    table.publish(last_play={**table.now["last_play"], "accepted": True})
    assert as_shown(table.now)["shown"]["alert"] is None


def test_a_play_that_seems_illegal_is_only_called_so_once_its_player_is_accused(table, script):
    script.start_game(table)
    script.play_illegally(table)
    assert as_shown(table.now)["shown"]["last"]["verdict"] == "illegal"
    table.publish(
        last_play={**table.now["last_play"], "rule": "", "review": True, "accepted": True}
    )
    assert as_shown(table.now)["shown"]["last"]["verdict"] == "review"


def test_a_play_that_is_not_final_stands_for_the_last_one_until_it_is(table, script):
    script.start_game(table)
    script.make_five_point(table)
    table.publish(pending={"player": "dark", "play": "8/4 6/4", "dice": [4, 2]})
    shown = as_shown(table.now)["shown"]
    assert (shown["last"]["play"], shown["last"]["verdict"]) == ("8/4 6/4", "pending")
    assert shown["last"]["percent"] == ""
    assert "8/4" not in str(shown["spoken"]), "what may change is not read out"
    assert "5" in shown["marks"]["reached"], "the drawing is of the record"
    table.publish(pending=None)
    assert as_shown(table.now)["shown"]["last"]["play"] == "8/5 6/5"


def test_a_screen_reader_is_told_the_position_and_the_play(table, script):
    script.start_game(table)
    script.make_five_point(table)
    spoken = as_shown(table.now)["shown"]["spoken"]
    assert spoken["position"][0].startswith("Light, Anna: 2 on the 24 point; 5 on the 13 point; ")
    assert spoken["event"] == "Anna played 8 to 5 6 to 5. Boris to roll."


def test_words_never_claim_certainty():
    assert phrases.percent(1.0) == "> 99.9 %"
    assert phrases.percent(0.9949) == "99.5 %"
    assert phrases.percent(0.714) == "71 %"
    assert phrases.percent(None) == ""


@pytest.mark.parametrize("home", ["right", "left"])
def test_no_two_cells_share_a_place_and_all_lie_on_the_board(home):
    table = geometry.anchors()
    places = {(geometry.mirrored(a["x"], home), a["y"]) for a in table.values()}
    assert len(places) == len(table) == 28
    assert all(0 < x < geometry.WIDTH and 0 < y < geometry.HEIGHT for x, y in places)


def test_lights_ace_point_lies_on_the_chosen_side():
    ace = geometry.anchors()["1"]["x"]
    assert geometry.mirrored(ace, "right") > geometry.WIDTH / 2 > geometry.mirrored(ace, "left")


def test_an_audience_is_told_of_a_fault_without_its_cause(table, script):
    script.start_game(table)
    table.publish(phase="fault", message="the camera /dev/video2 is gone")
    assert as_shown(table.now)["shown"]["flag"] == {"kind": "fault", "title": "Paused", "text": ""}


def test_an_audience_is_told_of_a_pause_unless_an_illegal_play_waits(table, script):
    script.start_game(table)
    table.publish(paused=True)
    assert as_shown(table.now)["shown"]["flag"] == {"kind": "fault", "title": "Paused", "text": ""}
    script.play_illegally(table)
    assert as_shown(table.now)["shown"]["flag"]["kind"] == "illegal"


@pytest.mark.parametrize(("points", "words"), [(0, "money game"), (1, "1 point"), (7, "7 points")])
def test_the_length_of_the_match_in_words(points, words):
    assert phrases.match_length(points) == words


def lying(**more):
    return {
        "value": 1, "owner": None, "offered": None, "by": None, "crawford": False, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lies", "drawn"),
    [
        (None, None),
        (lying(crawford=True), None),
        (lying(), {"face": 64, "place": "middle"}),
        (lying(value=4, owner="dark"), {"face": 4, "place": "dark"}),
        (lying(value=2, offered=4, by="dark"), {"face": 4, "place": "offered-light"}),
    ],
)
def test_the_cube_lies_where_its_owner_sits_or_before_who_is_to_answer(lies, drawn):
    assert cube(lies) == drawn


def test_every_place_of_a_side_has_its_cell():
    assert cells("light", Course.OPPOSED)[:2] == ["off-light", "1"]
    assert cells("dark", Course.OPPOSED)[24:] == ["1", "bar-dark"]
    assert cells("dark", Course.CIRCLING)[24:] == ["12", "bar-dark"]


def test_a_void_throw_is_flagged_to_players_and_to_an_audience(table, script):
    script.start_game(table)
    void = {
        "player": "dark",
        "dice": [4, None],
        "reason": "cocked",
        "note": "a die is cocked: again",
    }
    table.publish(void=void)
    shown = as_shown(table.state())["shown"]
    flag = {
        "kind": "void",
        "title": "The roll does not count",
        "text": "Boris rolled 4-?. A die is cocked: again.",
    }
    assert shown["alert"] == shown["flag"] == flag
    assert shown["title"].startswith("Roll again")
    script.play_illegally(table)
    assert as_shown(table.state())["shown"]["alert"]["kind"] == "illegal"


def test_the_crawford_game_is_named(table, script):
    script.start_game(table)
    table.publish(cube=lying(crawford=True))
    assert as_shown(table.state())["shown"]["length"] == "7 points, Crawford game"
    assert not any("cube" in line for line in announcements.position(table.state()))
    table.publish(cube=lying(value=2, owner="dark"))
    assert "Boris owns the cube, at 2." in announcements.position(table.state())


def test_an_offered_cube_waits_for_its_answer(table, script):
    script.start_game(table)
    table.publish(cube=lying(offered=2, by="dark"), to_move="light")
    assert announcements.headline(table.state()) == "Anna to take or drop"
    assert "Boris doubles to 2." in announcements.position(table.state())
