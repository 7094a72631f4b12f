"""The matches of an archive of videos become matches of a record, with doubts and stills."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import datetime

import cv2
import numpy as np
import pytest

from engine.events.record import MatchDeletion, PlayersNamed
from tableside import cli
from tableside.analysis.catalog.search import RecordCatalog
from tableside.record.files import events_text
from tableside.record.store import Store
from tableside.recording.archive.entries import ArchiveFolder, Entry, folder_of, match_figures
from tableside.recording.archive.to_record import add_archive
from tableside.review.archive import RecordArchive
from tableside.review.report import write_review
from tableside.review.stills import StillKeeper
from tests.tableside.review.test_doubts import doubtful_match
from tests.tableside.sample_record import finished, keep_stills, match_events
from webui.contracts.catalog import MatchQuestion


@pytest.fixture
def archive(tmp_path):
    """An archive of two matches and a video set aside, as `tableside archive` writes it."""
    found = ArchiveFolder(tmp_path / "archive")
    jpeg = cv2.imencode(".jpg", np.full((90, 160, 3), 90, np.uint8))[1].tobytes()
    keep_stills(tmp_path / "stills", [3], jpeg)
    for number, events in enumerate([doubtful_match(), finished(match_events())]):
        key, video = f"{number:032}", tmp_path / f"evening {number}.mp4"
        written = found.partial(key)
        (written / "events.jsonl").write_text(events_text(events), "utf-8")
        (written / "rolls.csv").write_text("", "utf-8")
        write_review(written, events, StillKeeper(tmp_path / "stills"))
        folder = folder_of(video, key)
        figures = match_figures(events)
        found.keep(written, Entry(key=key, video=str(video), folder=folder, **figures))
    found.set_aside(Entry(key="9" * 32, video="broken.mp4", fault="no video"))
    return found.path


def test_its_matches_are_added_once_with_stills_and_doubts(archive, tmp_path, capsys):
    record = tmp_path / "record.sqlite"
    command = ["record", "add", str(archive), "--record", str(record)]
    assert cli.main(command) == 0
    assert capsys.readouterr().out.count(": match ") == 2
    with closing(RecordArchive(record)) as pages:
        assert [(one["match"], one["turn"]) for one in pages.doubts([1, 2])] == [
            (1, 2),
            (2, 2),
            (2, 5),
        ]
        (item,) = (one for one in pages.match(1)["doubtful"] if one["kind"] == "doubt")
        assert [one["frame"] for one in item["stills"]] == [3]
        assert pages.still(1, 3).startswith(b"\xff\xd8")
    assert cli.main(command) == 1
    assert capsys.readouterr().err.count("is the same, play by play") == 2
    with Store.open_read_only(record) as store:
        assert [entry.is_open for entry in store.matches()] == [False, False]


def test_its_date_its_place_and_new_names_go_with_a_match(archive, tmp_path):
    record, found = tmp_path / "record.sqlite", ArchiveFolder(archive)
    first, second, _ = found.entries()
    placed = replace(first, date="2019-05-11T19:30", event="Open", round="final", table="1")
    found.revise(replace(placed, light="Anna"))
    found.revise(replace(second, recorded=1e9))
    with Store.open(record) as store:
        assert [one.match for one in add_archive(store, archive)] == [1, 2]
        assert [one.match for one in add_archive(store, archive)] == [None, None]
        begun = datetime(2019, 5, 11, 19, 30).timestamp()
        assert [entry.begun for entry in store.matches()] == [begun, 1e9]
    with closing(RecordCatalog(record)) as catalog:
        asked = MatchQuestion(event="open", since="2019-05-11", until="2019-05-11")
        catalog.refresh()
        (match,) = catalog.matches(asked)
    assert (match["light"]["name"], match["dark"]["name"]) == ("Anna", "Ben")
    assert (match["event"], match["round"], match["table"]) == ("Open", "final", "1")


def test_a_match_that_was_corrected_at_length_is_left_alone(tmp_path):
    """An answer that another play was made appends all later events anew."""
    events = finished(match_events())
    named = [PlayersNamed(time=99.0, frame=999, light=f"Ann {n}", dark="Ben") for n in range(150)]
    with Store.open(tmp_path / "record.sqlite") as store:
        other = store.add_finished_match(doubtful_match(), 0.0, "")
        number = store.add_finished_match(events, 0.0, "")
        assert store.matches_with(events) == (number,)
        store.append(number, named)
        assert store.matches_with(events) == (number,)
        assert store.matches_with(events[:-1]) == (number,)
        assert store.matches_with(events[1:]) == ()
        assert store.matches_with(doubtful_match()) == (other,)
        store.append(number, [MatchDeletion(time=99.0, frame=999, is_deleted=True, at=1.0)])
        assert store.matches_with(events) == ()
