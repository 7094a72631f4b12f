"""Names of players look like what they are."""

import pytest

from engine.events.names import LONGEST_NAME, clean_name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  Ann   Lee ", "Ann Lee"),
        ("Ann\n\tLee", "Ann Lee"),
        ("Zoe\u0308", "Zoë"),
        ("Ann\u202eeeL", "AnneeL"),  # turns the direction of writing
        ("An\u200bn\u2066\u2069", "Ann"),  # invisible
        ("\x1b[31mAnn\x07", "[31mAnn"),  # colors a terminal
        ("Ann\x00\ud800", "Ann"),
        ("José 李 Анна 👑", "José 李 Анна 👑"),
        ("\u202e", ""),
        ("x" * 100, "x" * LONGEST_NAME),
    ],
)
def test_a_name_is_one_line_of_visible_characters(typed, name):
    assert clean_name(typed) == name
    assert clean_name(name) == name
