"""BGBlitz's files: what each turn means, and what is refused."""

from __future__ import annotations

from itertools import count, islice

import pytest

from engine.formats.bgf.smile import decode_smile
from engine.formats.detect import read_match
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import MatchFile
from tests.binary_files import bgf_file, bgf_of, smile
from tests.match_files import RandomMatch, match_contents

EMPTY = {"matchlen": 7, "nameGreen": "Ann", "nameRed": "Bob", "games": []}


def matches() -> list[MatchFile]:
    """Matches with a length: money games have beavers, which these files do not."""
    made = (RandomMatch(seed).made() for seed in count())
    return list(islice((match for match in made if match.length), 8))


@pytest.mark.parametrize("match", matches())
def test_a_match_with_cubes_and_dances_is_read_back(match):
    again = read_match(bgf_of(match))
    assert again.faults == ()
    assert (again.players, again.length) == (match.players, match.length)
    assert match_contents(again) == match_contents(match)
    assert again.headers == (("Site", "Zürich"), ("EventDate", "2026.11.26"))


@pytest.mark.parametrize("form", [{"is_smile": False}, {"is_packed": False}])
def test_a_file_without_smile_or_packing_is_read(form):
    assert read_match(bgf_file(EMPTY, **form)).players == ("Ann", "Bob")


def test_smile_is_decoded():
    value = {
        f"name{number}": [number**3 * (-1) ** number, "a" * number, "ü" * (number % 30), number / 7]
        for number in range(100)
    }
    assert decode_smile(smile([value, value, None, True, False, {}])) == [
        *(value, value, None, True, False, {})
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (bgf_file({"games": {}}), "games is .*, not a list"),
        (bgf_file({**EMPTY, "nameRed": 3}), "nameRed is 3, not a text"),
        (bgf_file(EMPTY)[:-20], "cut off"),
        (b'{"format": "BGF"}\n:)\n\x01\xfa\x80', "cut off|damaged"),
        (b'{"format": "BGF"}\n:)\n\x03\xfa\xfb', "cannot be read"),
        (b'{"format": "BGF"}\n:)\n\x01' + b"\xf8" * 500, "larger than a match"),
        (b'{"format": "BGF"}\nhello', "no match"),
    ],
)
def test_a_damaged_file_is_refused(content, says):
    with pytest.raises(InvalidMatchFile, match=says):
        read_match(content)
