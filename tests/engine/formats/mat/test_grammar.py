"""The example in the reference page is what is written, and is read back."""

from __future__ import annotations

from textwrap import dedent

from engine.formats.detect import read_match
from engine.formats.mat.write import mat_text
from engine.formats.validate.replay import replay
from tests.paths import ROOT


def test_the_example_of_the_reference_page_is_read_and_written_alike():
    page = (ROOT / "docs/reference/match-text.md").read_text("utf-8")
    block = page[page.index("    ; [Site") : page.index("## Grammar")]
    text = dedent(block).strip() + "\n"
    match = read_match(text)
    played = replay(match)
    assert (match.variant, played.faults) == ("narde", ())
    assert [step.rule for step in played.games[0].steps] == [""] * 5
    assert mat_text(match) == text
