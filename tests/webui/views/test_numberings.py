"""The ways in which a board may be numbered, as drawn and described."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webui.conftest import OPENING
from webui.app import create_app
from webui.views.numberings import drawing

NAMES: Any = {"light": "Anna", "dark": "Boris"}


def numbering(home="right", sits="bottom", **position):
    board = {"light": OPENING, "dark": OPENING, **position}
    return {
        "turned": sits == "top",
        "mirrored": home == "left",
        "position": board,
        "light_home": home,
        "light_sits": sits,
    }


@pytest.mark.parametrize(
    ("home", "sits", "light", "dark"),
    [
        ("right", "bottom", "bottom right", "top right"),
        ("left", "bottom", "bottom left", "top left"),
        ("right", "top", "top left", "bottom left"),
        ("left", "top", "top right", "bottom right"),
    ],
)
def test_where_each_bears_off_is_said_as_the_camera_has_it(table, home, sits, light, dark):
    with create_app(table).test_request_context():
        shown = drawing(numbering(home, sits), NAMES)
    assert shown["light"] == f"Anna bears off {light}"
    assert shown["dark"] == f"Boris bears off {dark}"


def test_in_narde_the_homes_lie_across(table):
    with create_app(table).test_request_context():
        shown = drawing(numbering(course="circling"), NAMES)
    assert shown["homes"]["dark"] == ["13", "14", "15", "16", "17", "18"]
    assert shown["dark"] == "Boris bears off top left"
