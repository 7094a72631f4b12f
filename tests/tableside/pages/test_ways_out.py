"""No name in a request leads out of the folder that it is meant for."""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import quote

import pytest

from tableside.review.output_files import MATCH_FILES, write_record_files
from tableside.site.phone import PhoneRelay
from tableside.site.video_inbox import VideoInbox
from tests.hostile_names import HOSTILE, WAYS_OUT
from tests.tableside.sample_archive import archived
from tests.tableside.sample_record import finished, match_events
from tests.webui.scripted_wizard import ScriptedWizard
from webui.app import create_app, create_phone_app
from webui.contracts.phone import VideoFile, VideoRefused
from webui.pages.dice import install_dice
from webui.pages.matches import install_review

OUTSIDE = ("webui/app.py", "app.py", "pyproject.toml", "record.sqlite", "outside.txt", "etc/passwd")
"""Files above the folders that are served: of the program, of the record, of the machine."""
CONTENTS = (b"def create_app", b"[build-system]", b"SQLite format 3", b"outside!", b"root:")
FOUND = {200, 206, 304}
NAMES = sorted(
    {
        coded
        for way in WAYS_OUT
        for name in map(way.format, OUTSIDE)
        for coded in (name, quote(name, safe=""), quote(name, safe="%"))
    }
)


@pytest.fixture
def apps(tmp_path, table):
    """The page with a record, and a phone's camera page."""
    (tmp_path / "outside.txt").write_text("outside!")
    folder = tmp_path / "data"
    folder.mkdir()
    record = archived(folder)
    site = create_app(table, wizard=ScriptedWizard())
    install_review(site, record.archive)
    install_dice(site, record.archive.dice)
    yield site, create_phone_app(PhoneRelay(folder / "videos"), ["localhost"])
    record.close()


def named(app):
    """The address of each route that takes a name, up to the name, and after it."""
    for rule in app.url_map.iter_rules():
        kinds = {type(one).__name__ for one in rule._converters.values()}
        if kinds & {"UnicodeConverter", "PathConverter"}:
            path = rule.rule.replace("<record:match>", "1")
            yield re.split(r"<(?:path:)?\w+>", path)


def test_no_address_leads_out_of_what_is_served(apps, record_property):
    asked = 0
    for app in apps:
        client = app.test_client()
        for before, after in named(app):
            for name in NAMES:
                answer = client.get(f"{before}{name}{after}")
                body = answer.data
                answer.close()
                assert answer.status_code not in FOUND, name
                assert answer.status_code < 500, name
                assert not any(content in body for content in CONTENTS), name
                asked += 1
    assert asked > 1_500
    record_property("seen", f"{asked:,} addresses, none led outside")


def test_no_name_of_a_video_leads_out_of_the_inbox(tmp_path):
    inbox = VideoInbox(tmp_path / "videos")
    for number, name in enumerate((*NAMES, *HOSTILE)):
        for suffix in ("", ".mp4", "/x.mp4", "\\x.MOV", ".mp4.part"):
            video = VideoFile(f"{name}{suffix}", 3, number)
            assert inbox.received(video) == 0
            with suppress(VideoRefused):
                assert inbox.append(video, 0, b"abc") == 3
    assert [path.name for path in tmp_path.iterdir()] == ["videos"]
    kept = list((tmp_path / "videos").iterdir())
    assert len(kept) > len(NAMES)
    assert {path.stat().st_size for path in kept} == {3}
    assert all(path.is_file() and not path.is_symlink() for path in kept)
    assert all(re.fullmatch(r"[\w.-]+", path.name) for path in kept)
    assert not any(path.stem.lower() in ("con", "nul", "aux") for path in kept)


def test_a_file_is_not_written_through_a_link(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "written"
    outside.mkdir()
    folder.mkdir()
    for name in MATCH_FILES:
        (outside / name).write_text("theirs")
        (folder / name).symlink_to(outside / name)
    written = write_record_files(folder, finished(match_events()))
    assert {path.name for path in written} == set(MATCH_FILES)
    assert not any(path.is_symlink() for path in written)
    assert all((outside / name).read_text() == "theirs" for name in MATCH_FILES)
