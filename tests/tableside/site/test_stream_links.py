"""The file of overlay links: it outlives a restart and tells nobody a token."""

from __future__ import annotations

import errno

import pytest

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


@pytest.mark.parametrize(
    "text",
    [
        *('[{"id": 1}]', '[{"id": [], "name": "x", "hash": "y"}]', "{", "7", "[7]"),
        '[{"id": "a", "name": {"x": 1}, "hash": "y"}]',
        pytest.param("[" * 200_000, id="brackets"),
    ],
)
def test_a_broken_file_is_named_and_opens_nothing_until_it_is_deleted(tmp_path, capsys, text):
    file = tmp_path / "links.json"
    file.write_text(text, "utf-8")
    links = kept_links(file)
    assert capsys.readouterr().err.endswith(
        "links.json is not a file of overlay links: delete it\n"
    )
    assert not links.is_valid("y")
    with pytest.raises(LinksNotKept, match="delete it"):
        links.make("OBS")
    assert file.read_text("utf-8") == text
    file.unlink()
    assert links.is_valid(made(links, "OBS"))


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
