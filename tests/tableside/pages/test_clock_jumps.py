"""Whatever the machine's clock says: events stay in order, no time is negative, nothing is lost."""

from __future__ import annotations

import datetime
import logging
import os
import time
from itertools import pairwise

import pytest

from engine import Event, Side, fold
from engine.events.clock import ClockSet, ClockTurned
from engine.match.amendments import effective_events
from engine.rules import SHORT
from tableside.match.config import MatchConfig
from tableside.record.backup import DAY_S, KEPT, DailyBackup, backup_folder
from tableside.record.check import findings
from tableside.record.clock_watch import ClockWatch
from tableside.record.store import Store
from tableside.recording.match_sequence import LONGEST_BREAK_S, find_resume_point
from tableside.recording.timeline import NoCamera, Timeline
from tableside.review.archive import RecordArchive
from tableside.review.shown import FILES
from tableside.site.certificate import find_certificate
from tests.tableside.sample_record import finished, match_events
from webui.app import create_app
from webui.http.attempts import LoginAttempts
from webui.http.counts import CountsInMemory
from webui.pages.dice import install_dice
from webui.pages.matches import install_review

NOW = 1_795_000_000.0
"""A moment in November 2026."""
HOUR = 3600.0
CLOCKS = {
    "right": NOW,
    "an hour back": NOW - HOUR,
    "an hour on": NOW + HOUR,
    "1970": 30.0,
    "2038": 2.0**31 + 30,
    "2106": 2.0**32 + 30,
}


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        yield store


@pytest.mark.parametrize("begun", CLOCKS)
def test_a_match_goes_on_in_order_whatever_the_clock_says(store, begun, caplog):
    config = MatchConfig(SHORT, light="Ann & Co", dark="Ben", length=3)
    match = store.new_match(light="Ann & Co", dark="Ben", length=3, clock=lambda: CLOCKS[begun])
    store.append(match, match_events())
    kept: list[Event] = [ClockSet(light=600.0, dark=600.0, delay=12.0, **last_of(store, match))]
    for wall in (*CLOCKS.values(), *reversed(CLOCKS.values())):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            point = find_resume_point(store, config, "sim", resumes=True, clock=lambda: wall)  # noqa: B023
        assert point.match == match
        (line,) = caplog.records
        is_possible = kept[-1].time <= wall - CLOCKS[begun] <= kept[-1].time + LONGEST_BREAK_S
        assert line.levelno == (logging.INFO if is_possible else logging.WARNING)
        passed = iter((1e5, 1e5 + 20, 1e5 + 40))  # the machine's own time, which never jumps
        timeline = Timeline(NoCamera(lambda: next(passed)), point.seconds, point.frames)  # noqa: B023
        for runs in (Side.LIGHT, None):
            at = timeline.now(len(store.events(match)) + 1)
            kept.append(ClockTurned(runs=runs, time=at.time, frame=at.frame))
            store.append(match, kept[-1:] if len(kept) > 2 else kept[-2:])
    events = store.events(match)
    assert all(a.time <= b.time for a, b in pairwise(events))
    assert findings(store.path) == []
    clock = fold(effective_events(events), store.match(match).blank_state).clock
    turns = len(CLOCKS) * 2
    assert clock.left(Side.DARK) == 600
    assert clock.left(Side.LIGHT) == pytest.approx(600 - (turns * 20 - 12))


def last_of(store, match):
    last = store.events(match)[-1]
    return {"time": last.time + 1, "frame": last.frame + 1}


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"])
def test_matches_of_any_time_are_shown_by_number(store, table, zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    autumn = datetime.datetime(2026, 10, 25, 0, 30, tzinfo=datetime.UTC).timestamp()
    for begun in (*CLOCKS.values(), autumn, autumn + HOUR, autumn + 2 * HOUR):
        match = store.new_match(length=3, clock=lambda: begun)  # noqa: B023
        store.append(match, finished(match_events()))
        store.close_match(match, clock=lambda: begun - HOUR)  # noqa: B023
    archive = RecordArchive(store.path)
    app = create_app(table)
    install_review(app, archive)
    install_dice(app, archive.dice)
    client = app.test_client()
    listed = client.get("/api/matches").json["matches"]
    numbers = list(range(len(CLOCKS) + 3, 0, -1))
    assert [one["id"] for one in listed] == numbers
    for one in listed:  # the hour that comes twice is told apart by its offset
        shown = datetime.datetime.fromisoformat(one["shown"]["begun"])
        assert shown.timestamp() == pytest.approx(one["begun"], abs=1)
    pages = [f"/matches/{n}" for n in numbers[:4]] + [f"/api/matches/1/files/{f}" for f in FILES]
    for page in (*pages, "/matches", "/dice", "/api/dice/rolls.csv"):
        assert client.get(page).status_code == 200
    archive.close()
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("wrong", ["1970", "2038"])
def test_backups_are_made_while_the_clock_is_wrong_and_after(tmp_path, store, wrong):
    wall = [NOW]
    backup = DailyBackup(store.path, clock=lambda: wall[0])
    folder = backup_folder(store.path)

    def made_at(now):
        wall[0] = now
        before = set(folder.glob("*.sqlite"))
        backup.make_if_due()
        for one in set(folder.glob("*.sqlite")) - before:
            os.utime(one, (now, now))
            return one
        return None

    for day in range(KEPT + 1):
        assert made_at(NOW + day * DAY_S)
    apart = made_at(CLOCKS[wrong])
    assert apart.exists()
    assert made_at(CLOCKS[wrong] + 600) is None, "one a day also then"
    for day in range(KEPT + 1, 2 * KEPT + 2):
        made = made_at(NOW + day * DAY_S)
        assert made.exists()
        assert made_at(NOW + day * DAY_S + 600) is None
        assert len(list(folder.glob("*.sqlite"))) == KEPT


def test_a_certificate_made_by_a_wrong_clock_is_replaced(tmp_path):
    def found(wall):
        now = datetime.datetime.fromtimestamp(wall, datetime.UTC)
        return find_certificate(tmp_path / "page.pem", ["localhost"], now).fingerprint

    for wrong in ("1970", "2038"):
        made = found(CLOCKS[wrong])
        right = found(NOW)
        assert right != made
        assert found(NOW + HOUR) == right
        assert found(NOW - HOUR) == right


def test_limits_go_by_the_time_that_passes(monkeypatch):
    wall, passed = [NOW], [100.0]
    monkeypatch.setattr(time, "time", lambda: wall[0])
    attempts = LoginAttempts("5 per minute", clock=lambda: passed[0])

    def guess():
        try:
            return attempts.role("10.0.0.9", lambda: None)
        except Exception as error:  # noqa: BLE001 (what it is, is checked below)
            return error

    assert [guess() for _ in range(5)] == [None] * 5
    for jump in CLOCKS.values():
        wall[0] = jump
        refused = guess()
        assert getattr(refused, "code", None) == 429, "no jump gives more guesses"
        assert 1 <= refused.retry_after <= 61
    wall[0], passed[0] = NOW - HOUR, 161.0
    assert guess() is None, "no jump keeps anybody out"


def test_counts_of_whoever_never_comes_again_are_dropped():
    passed = [0.0]
    counts = CountsInMemory(clock=lambda: passed[0])
    for n in range(50_000):
        passed[0] += 1
        counts.incr(f"10.{n}", 60)
    assert len(counts._counts) <= 1_001


def test_the_log_shows_a_jump(caplog):
    wall, passed = [NOW], [5.0]
    watch = ClockWatch(lambda: wall[0], lambda: passed[0])
    for jump in (0.0, 0.3, -0.3):  # as a time server steers it
        wall[0] += 600 + jump
        passed[0] += 600
        watch.look()
    assert caplog.records == []
    for jump in (HOUR, -HOUR, CLOCKS["2038"] - NOW, -NOW):
        wall[0] += jump
        watch.look()
        watch.look()
        assert f"{jump:+.0f} s" in caplog.messages[-1]
    assert len(caplog.messages) == 4
