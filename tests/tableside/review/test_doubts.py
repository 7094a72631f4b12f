"""Doubts of all matches are one queue; what a person saw goes into the record of its match."""

from __future__ import annotations

from contextlib import closing

import pytest

from engine import Play, Side, apply_play, find_rules, fold
from engine.events.match import Alternative, GameStart, OpeningRolled, PlayMade
from engine.match.amendments import effective_events
from tableside.analysis.catalog.search import RecordCatalog
from tableside.record.recorder import Recorder, WriterLock
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.site.state_hub import StateHub
from tests.tableside.sample_record import finished, match_events, record_match
from webui.app import create_app
from webui.pages.catalog import install_catalog
from webui.pages.matches import install_review

SHORT = find_rules("short")
LIGHT, DARK = Side
DOUBTFUL = {
    "review": True,
    "confidence": 0.6,
    "uncertainties": ("play",),
    "alternatives": (
        Alternative(play="13/9 8/6", confidence=0.3),
        Alternative(play="24/20 13/11", confidence=0.1),
    ),
}
PLAYS = (
    (LIGHT, (6, 3), "24/18 13/10", {}),
    (DARK, (4, 2), "8/4 6/4", DOUBTFUL),
    (LIGHT, (3, 1), "8/5 6/5", {}),
    (DARK, (6, 1), "13/7 8/7", {}),
)


def doubtful_match():
    """A game whose second play was perhaps another one."""
    position = SHORT.opening()
    rows = [
        GameStart(time=0.0, frame=0, position=position, light="Ann", dark="Ben", length=1),
        OpeningRolled(time=1.0, frame=1, light=6, dark=3),
    ]
    for number, (side, dice, play, more) in enumerate(PLAYS, start=2):
        position = apply_play(position, side, Play.parse(play), SHORT)
        rows.append(
            PlayMade(
                time=float(number), frame=number, player=side, dice=dice, play=play,
                position=position, **more,
            )
        )  # fmt: skip
    return rows


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        record_match(store, finished(match_events()), is_closed=True)
        record_match(store, doubtful_match(), is_closed=True)
        record_match(store, doubtful_match())
        yield store


@pytest.fixture
def archive(store):
    with closing(RecordArchive(store.path, shows_all=lambda: True)) as archive:
        yield archive


@pytest.fixture
def client(store, archive):
    with closing(RecordCatalog(store.path)) as catalog:
        app = create_app(StateHub())
        install_review(app, archive)
        install_catalog(app, catalog)
        yield app.test_client()


def answer(client, match, turn, play):
    return client.post(
        f"/api/matches/{match}/turns/{turn}/play",
        json={"play": play},
        headers={"X-Tableside": "1"},
    )


def state_of(store, match):
    events = effective_events(store.events(match))
    return fold(events, store.match(match).blank_state)


def asked(archive):
    return [(one["match"], one["turn"]) for one in archive.doubts([1, 2, 3])]


def test_the_likeliest_error_of_all_matches_that_are_over_is_asked_first(archive):
    assert asked(archive) == [(2, 2), (1, 2), (1, 5)]


def test_a_confirmed_play_leaves_the_queue_and_stays(client, archive, store):
    before = state_of(store, 2)
    assert answer(client, 2, 2, "8/4 6/4").status_code == 200
    assert asked(archive) == [(1, 2), (1, 5)]
    after = state_of(store, 2)
    assert (after.position, after.turns[1].event.confidence) == (before.position, 1.0)


def test_an_illegal_play_that_stood_is_settled_by_confirming_it(client, archive):
    assert answer(client, 1, 5, "13/6").status_code == 200
    assert asked(archive) == [(2, 2), (1, 2)]


def test_another_play_replaces_it_and_the_later_plays_follow(client, archive, store):
    recorded = store.events(2)
    assert answer(client, 2, 2, "13/9 8/6").status_code == 200
    assert asked(archive) == [(1, 2), (1, 5)]
    plays = [turn.event.play for turn in state_of(store, 2).turns]
    assert plays == ["24/18 13/10", "13/9 8/6", "8/5 6/5", "13/7 8/7"]
    position = SHORT.opening()
    for (side, *_), play in zip(PLAYS, plays, strict=True):
        position = apply_play(position, side, Play.parse(play), SHORT)
    assert state_of(store, 2).position == position
    assert state_of(store, 2).turns[1].event.by == "hand"
    assert store.events(2)[: len(recorded)] == recorded
    assert answer(client, 2, 2, "8/4 6/4").status_code == 200  # and back
    assert [turn.event.play for turn in state_of(store, 2).turns] == [one[2] for one in PLAYS]


@pytest.mark.parametrize(
    ("match", "play", "status", "why"),
    [
        (2, "24/20 13/11", 409, "turn 4, 13/7 8/7, could not have followed"),
        (2, "13/10 8/6", 409, "breaks a rule"),
        (2, "2/off", 409, "no checker on"),
        (2, "nonsense", 409, "nothing was changed"),
        (3, "13/9 8/6", 409, "match 3 is not over yet"),
        (9, "13/9 8/6", 404, "no match 9"),
    ],
)
def test_what_cannot_have_been_played_changes_nothing(client, store, match, play, status, why):
    before = [store.events(one) for one in (1, 2, 3)]
    refused = answer(client, match, 2, play)
    assert (refused.status_code, why in refused.json["message"]) == (status, True), refused.json
    assert [store.events(one) for one in (1, 2, 3)] == before


def test_a_match_that_is_over_is_answered_while_another_one_is_recorded(client, store):
    record_match(store, doubtful_match(), is_closed=True)
    writer = WriterLock(store.path)
    try:
        with closing(Recorder(store, 3)):
            assert answer(client, 3, 2, "13/9 8/6").status_code == 409
            assert answer(client, 4, 2, "13/9 8/6").status_code == 200
    finally:
        writer.release()


def test_the_page_asks_for_one_play_after_another(client):
    page = client.get("/doubts").text
    assert 'data-post="/api/matches/2/turns/2/play"' in page
    assert 'value="13/9 8/6"' in page
    assert "3 doubts left" in page
    assert 'data-post="/api/matches/1/turns/2/play"' in client.get("/doubts?at=1").text
    assert "It breaks a rule" in client.get("/doubts?at=2").text
    assert "These were all" in client.get("/doubts?at=3").text
    assert 'href="/doubts"' in client.get("/matches").text
