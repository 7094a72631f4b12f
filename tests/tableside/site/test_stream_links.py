"""The file of overlay links: it outlives a restart and tells nobody a token."""

from __future__ import annotations

import errno

import pytest

from tableside.errors import WrongUsage
from tableside.site import stream_links
from tableside.site.stream_links import kept_links
from webui.http.stream_links import LinksNotKept


def made(links, name):
    token = links.make(name)
    assert token is not None
    return token


def test_links_outlive_a_restart_and_are_kept_as_hashes(tmp_path):
    file = tmp_path / "data" / "links.json"
    links = kept_links(file)
    first, second = made(links, "OBS"), made(links, "phone")
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


def test_what_one_program_makes_or_withdraws_holds_in_every_other_at_once(tmp_path):
    file = tmp_path / "links.json"
    hall, table = kept_links(file), kept_links(file)
    first, second = made(hall, "OBS"), made(table, "phone")
    assert [link.name for link in hall.listed()] == ["OBS", "phone"]
    assert table.is_valid(first)
    assert hall.is_valid(second)
    assert hall.withdraw(hall.listed()[0].id)
    assert not table.is_valid(first)
    third = made(table, "another")
    assert not hall.is_valid(first)
    assert hall.is_valid(third)


def test_a_link_that_is_withdrawn_on_a_full_disk_ends_and_can_be_withdrawn_again(
    tmp_path, monkeypatch
):
    links = kept_links(tmp_path / "links.json")
    token = made(links, "OBS")
    (link,) = links.listed()

    def full(*_args, **_more):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(stream_links, "write_whole", full)
        with pytest.raises(LinksNotKept, match=r"links\.json.*No space left"):
            links.withdraw(link.id)
        assert not links.is_valid(token)
        with pytest.raises(LinksNotKept):
            links.make("another")
    assert links.withdraw(link.id)
    assert not kept_links(tmp_path / "links.json").is_valid(token)
    assert not links.withdraw(link.id)
