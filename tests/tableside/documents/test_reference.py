"""The committed reference pages are those that the code generates."""

import pytest

from tableside.commands import COMMANDS
from tableside.documents.reference import PAGES
from tests.paths import ROOT


@pytest.mark.parametrize("name", PAGES)
def test_a_committed_page_is_what_the_code_gives(name):
    committed = (ROOT / "docs/reference" / name).read_text("utf-8")
    assert committed == PAGES[name](), "run `make reference` and commit what it changes"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_reference_has_every_command(name):
    assert f"\n## tableside {name}\n" in PAGES["commands.md"]()
