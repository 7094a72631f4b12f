"""What the pages say of the dice cup."""

from engine.message import msg
from tests.webui.conftest import cup_shown as cup
from webui.i18n.locale import use_language
from webui.views.cup_status import cup_line


def test_without_a_cup_nothing_is_said():
    assert cup_line(None) is None


def test_a_reason_says_no_more_than_the_state_has_not_said():
    ill = cup_line(
        cup("fault", why=msg("the cup has a fault: {f}", f=msg("its clock noise repeats itself")))
    )
    assert ill["text"] == "The cup has a fault"
    assert ill["why"] == "Its clock noise repeats itself"
    assert cup_line(cup("searching", why="searching"))["why"] == ""


def test_a_cup_that_is_still_opening_is_looked_for():
    assert cup_line(cup("handshaking"))["state"] == "searching"


def test_both_rolls_are_named_in_the_readers_language():
    two = cup("ready", disagrees={"cup": [6, 5], "seen": [4, 3]})
    assert cup_line(two) == {
        "state": "disagrees",
        "text": "Which dice count?",
        "why": "The cup rolled 6-5, the dice on the board show 4-3",
    }
    with use_language("ru"):
        assert "6-5, кости на доске показывают 4-3" in cup_line(two)["why"]
        assert cup_line(cup("lost"))["text"] == "Стаканчик отключён"


def test_a_cup_that_is_bound_shows_how_its_fingerprint_begins():
    line = cup_line(cup("words", stage="committed", commitment="0123456789abcdef" * 4))
    assert line["state"] == "words"
    assert "begins with 0123 4567 89ab cdef 0123 4567;" in line["why"]


def test_each_player_sees_before_the_first_roll_that_his_word_was_taken():
    line = cup_line(cup("ready", words=["walnut", ""]))
    assert line["why"] == (
        "fingerprint 3fa9 12bc 3fa9 12bc 3fa9 12bc; words: walnut (light), none (dark)"
    )
    assert cup_line(cup("ready", words=["", ""]))["why"] == ""
    assert cup_line(cup("ready"))["why"] == ""
    with use_language("ru"):
        assert "walnut (светлые), elm" in cup_line(cup("ready", words=["walnut", "elm"]))["why"]
