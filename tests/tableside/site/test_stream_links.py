"""The file of overlay links: it outlives a restart and tells nobody a token."""

from __future__ import annotations

import pytest

from tableside.errors import WrongUsage
from tableside.site.stream_links import kept_links


def test_links_outlive_a_restart_and_are_kept_as_hashes(tmp_path):
    file = tmp_path / "data" / "links.json"
    links = kept_links(file)
    first, second = links.make("OBS"), links.make("phone")
    assert first is not None
    assert second is not None
    assert links.withdraw(links.listed()[0].id)
    again = kept_links(file)
    assert not again.is_valid(first)
    assert again.is_valid(second)
    assert second not in file.read_text("utf-8")


def test_a_broken_file_is_named(tmp_path):
    file = tmp_path / "links.json"
    file.write_text('[{"id": 1}]', "utf-8")
    with pytest.raises(WrongUsage, match=r"links\.json"):
        kept_links(file)
