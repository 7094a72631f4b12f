"""Questions to many matches: one layer answers them, from a file that follows the record."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from engine.events.record import MatchContinued, MatchPaused, MatchPlaced
from tableside import cli
from tableside.analysis.catalog.index import catalog_file
from tableside.analysis.catalog.search import RecordCatalog
from tableside.analysis.questions import questions
from tableside.analysis.store import AnswerStore
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.review.match_cache import MatchCache
from tableside.site.state_hub import StateHub
from tests.tableside.sample_record import finished, match_events, record_match
from webui.app import create_app
from webui.contracts.analysis import JudgedDecision
from webui.contracts.archive import ArchiveError
from webui.contracts.catalog import BadQuestion, MatchQuestion
from webui.contracts.words import SideName
from webui.pages.catalog import install_catalog
from webui.pages.matches import install_review

ENGINE = "test 1"
ASK = MatchQuestion


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        place = MatchPlaced(time=0.0, frame=0, event="Club Cup", round="Final", table="7")
        events = finished(match_events())
        record_match(store, [events[0], place, *events[1:]], is_closed=True)
        record_match(store, match_events(light="  ben", dark="Zoe"))
        yield store


@pytest.fixture
def catalog(store):
    with closing(RecordCatalog(store.path)) as catalog:
        catalog.refresh()
        yield catalog


def found(catalog, **asked):
    return [(one["match"], one["turn"]) for one in catalog.turns(ASK(**asked))["turns"]]


def judge_all(store, match, loss):
    """Every play of the match lost so much."""
    read = MatchCache(store).read(match)
    with AnswerStore(store.path, ENGINE) as answers:
        for one in questions(read.effective, read.entry.blank_state):
            key = one.event, one.key
            side: SideName = one.player.value
            decision: JudgedDecision = {
                "kind": "play", "player": side, "loss": loss, "mark": "", "counts": True,
                "best": "", "choices": [],
            }  # fmt: skip
            answers.begin(match, key)
            answers.keep(match, key, {
                "event": one.event, "game": one.game, "turn": one.turn, "player": side,
                "luck": 0.25 if one.turn == 1 else -0.1, "chances": None, "decisions": [decision],
            })  # fmt: skip


def test_players_are_summed_over_matches_whatever_the_capitals_of_their_names(catalog):
    ben, ann, _ = catalog.players(ASK())
    assert (ben["name"], ben["matches"], ben["won"], ben["lost"]) == ("ben", 2, 0, 1)
    assert (ann["name"], ann["won"], ann["points"], ann["games"]) == ("Ann & Co", 1, 3, 2)
    # Ann: 6-3, 3-1 and 5-5 for 9, 4 and 20 pips; the first of a game has no time.
    assert (ann["rolls"], ann["doubles"], ann["pips"]) == (3, 1, 33)
    assert (ann["timed"], ann["seconds"], ann["rating"]) == (2, 14.0, None)
    assert [one["name"] for one in catalog.players(ASK(player=" ZOE "))] == ["Zoe"]


def test_matches_are_found_by_player_event_and_date(catalog, store):
    assert [one["match"] for one in catalog.matches(ASK(player="ben"))] == [2, 1]
    assert [one["match"] for one in catalog.matches(ASK(player="ben", opponent="zoe"))] == [2]
    (cup,) = catalog.matches(ASK(event="club"))
    assert (cup["match"], cup["event"], cup["round"], cup["table"]) == (1, "Club Cup", "Final", "7")
    assert (cup["winner"], cup["light"]["points"], cup["is_open"]) == ("light", 3, False)
    assert catalog.matches(ASK(until="2020-01-01")) == []
    assert len(catalog.matches(ASK(since="2020-01-01"))) == 2


def test_turns_are_found_by_what_stood_on_the_board_before_them(catalog):
    assert found(catalog, position="6:5 8:3 13:5 24:2 | 24:2") == [(2, 1), (2, 7), (1, 1), (1, 7)]
    # Dark's second play: it sees light's checker on the 10 point as one on its own 15 point.
    assert found(catalog, position="4:2 | 10:1", player="zoe") == [(2, 5)]
    assert found(catalog, position="bar:1+") == []
    assert found(catalog, position="4HPwATDgc/ABMA", dice="3-1") == [(2, 7), (1, 7)]
    assert found(catalog, opponent="zoe", opening="6-3 13/10 24/18", dice="1 3") == [(2, 4)]
    assert found(catalog, opening="3-1") == [(2, 7), (1, 7)]
    assert found(catalog, opening="3-1 8/4") == []


def test_a_turn_is_told_with_all_that_is_known_of_it(catalog):
    turn = catalog.turns(ASK(player="ann & co", dice="3-1"))["turns"][0]
    assert (turn["game"], turn["turn"], turn["side"], turn["opponent"]) == (1, 4, "light", "Ben")
    assert (turn["play"], turn["opening"]) == ("8/5 6/5", "6-3 24/18 13/10")
    assert (turn["loss"], turn["luck"], turn["seconds"]) == (None, None, 10.0)


def test_a_pause_is_no_time_of_a_turn(store, catalog):
    events = match_events(light="Cleo")
    pauses = (MatchPaused(time=9.0, frame=99), MatchContinued(time=12.0, frame=99))
    record_match(store, [*events[:5], *pauses, *events[5:]])
    record_match(store, [*events[:5], pauses[0], *events[5:]])  # still paused
    catalog.refresh()
    turns = catalog.turns(ASK(player="cleo", dice="3-1"))["turns"]
    assert [turn["seconds"] for turn in turns] == [1.0, 7.0]


def test_a_new_event_is_in_the_next_answer_and_the_rest_is_not_read_again(catalog, store):
    again = match_events()[-1]
    store.append(2, [replace(again, player=again.player.other, time=90.0)])
    read = []
    catalog.refresh(lambda *counts: read.append(counts))
    assert read == [(1, 1)]
    assert (2, 8) in found(catalog, player="ben")
    store.close_match(2)
    assert catalog.missing() == 0
    assert not catalog.matches(ASK(player="zoe"))[0]["is_open"]


def test_matches_in_play_are_left_out_where_their_players_could_look(store):
    with closing(RecordCatalog(store.path, shows_all=lambda: False)) as catalog:
        assert catalog.missing() == 0
        assert [one["match"] for one in catalog.matches(ASK())] == [1]
        assert {match for match, _ in found(catalog)} == {1}
        assert found(catalog, without=frozenset({1})) == []
        assert catalog.numbers(ASK(words="zoe"), most=9) == [2]  # as in the list of matches
        assert catalog.numbers(ASK(only_over=True), most=9) == [1]


def test_errors_and_luck_are_known_once_every_decision_is_judged(store):
    with closing(RecordCatalog(store.path, find=lambda: ENGINE)) as catalog:
        catalog.missing()
        assert found(catalog, loss=0.0) == []
        judge_all(store, 1, 0.02)
        catalog.missing()
        assert len(found(catalog, loss=0.02)) == 6
        assert found(catalog, loss=0.03) == []
        assert found(catalog, luck=0.2) == [(1, 1)]
        assert (1, 1) not in found(catalog, luck=-0.05)
        ann = catalog.players(ASK(player="Ann & Co"))[0]
        assert ann["rating"] == pytest.approx(500 * 0.02)
        assert catalog.turns(ASK(), order="lucky")["turns"][0]["turn"] == 1
        judge_all(store, 2, 0.5)
        catalog.missing()
        assert catalog.turns(ASK(), order="loss")["turns"][0]["match"] == 2


def test_the_file_is_built_again_after_it_was_deleted_or_written_by_another_version(catalog, store):
    before = catalog.players(ASK())
    catalog.close()
    with closing(sqlite3.connect(catalog_file(store.path))) as file:
        file.execute("PRAGMA user_version = 99")
        file.execute("DROP TABLE seats")
    assert catalog.missing() == 0
    assert catalog.players(ASK()) == before
    catalog.close()
    catalog_file(store.path).unlink()
    assert catalog.missing() == 0
    assert catalog.players(ASK()) == before


def test_a_file_that_is_none_of_ours_is_named_with_what_to_do(store):
    catalog_file(store.path).write_bytes(b"not a database at all" * 100)
    with (
        closing(RecordCatalog(store.path)) as catalog,
        pytest.raises(ArchiveError, match=r"record\.catalog\.sqlite: .*can be deleted"),
    ):
        catalog.missing()


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"since": "soon"}, "'soon' is not a date; write it as 2026-11-30"),
        ({"dice": "7-1"}, "'7-1' is not a roll; write it as 6-4"),
        ({"opening": "3-1 sideways"}, "cannot read 'sideways'"),
        ({"position": "6=2"}, "cannot read '6=2' as a place and its count, such as 6:2"),
        ({"position": "26:1"}, "there is no point 26"),
        ({"position": "6:16+"}, "no place holds that many checkers"),
        ({"variant": "chess"}, "there is no game chess; known: short"),
    ],
)
def test_a_question_that_cannot_be_understood_says_why(catalog, asked, why):
    with pytest.raises(BadQuestion) as refusal:
        catalog.turns(ASK(**asked))
    assert why in str(refusal.value)


def test_tables_have_the_same_rows_as_csv_and_parquet(catalog):
    texts = {
        what: catalog.table(what, "csv", ASK()).content.decode()
        for what in ("players", "matches", "turns")
    }
    rows = {what: list(csv.DictReader(io.StringIO(text))) for what, text in texts.items()}
    assert [one["name"] for one in rows["players"]] == ["ben", "Ann & Co", "Zoe"]
    assert [(one["match"], one["side"]) for one in rows["matches"]][:2] == [
        ("2", "light"), ("2", "dark"),
    ]  # fmt: skip
    assert rows["turns"][0]["position"] == "light 24:2 13:5 8:3 6:5 | dark 24:2 13:5 8:3 6:5"
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    for what, listed in rows.items():
        table = parquet.read_table(io.BytesIO(catalog.table(what, "parquet", ASK()).content))
        assert table.column_names == list(listed[0])
        assert table.num_rows == len(listed)


def test_the_command_line_prints_and_writes_what_it_finds(store, tmp_path, capsys):
    place = ["--record", str(store.path)]
    assert cli.main(["find", "turns", "--position", "4:2 | 10:1", "--player", "Zoe", *place]) == 0
    out = capsys.readouterr().out
    assert out == "match 2, game 1, turn 5: Zoe against ben, 6-1: 13/6\n"
    assert cli.main(["find", "players", "--json", *place]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["name"] == "ben"
    assert cli.main(["find", "matches", "--event", "nowhere", *place]) == 1
    assert cli.main(["find", "turns", "--dice", "x", *place]) == 2
    assert "'x' is not a roll" in capsys.readouterr().err
    out = tmp_path / "all.csv"
    assert cli.main(["find", "matches", "--out", str(out), *place]) == 0
    assert out.read_text("utf-8").startswith("match,begun,event,round")
    assert cli.main(["find", "matches", "--out", str(out.with_suffix(".xls")), *place]) == 2


@pytest.fixture
def client(store, catalog):
    archive = RecordArchive(store.path)
    app = create_app(StateHub())
    install_review(app, archive)
    install_catalog(app, catalog)
    yield app.test_client()
    archive.close()


def test_the_pages_ask_the_same_layer(client):
    page = client.get("/players").text
    assert page.index(">ben</a>") < page.index(">Ann &amp; Co</a>")
    page = client.get("/player?name=BEN").text
    assert '<a href="/matches/2">' in page
    assert '<a href="/matches/1">' in page
    assert client.get("/player?name=Nobody").status_code == 404
    page = client.get("/find?p4=own2&p10=none0&p15=other1&player=Zoe").text
    assert "1 turn found" in page
    assert 'href="/matches/2#turn-5"' in page
    assert '<option value="own2" selected>' in page
    answer = client.get("/find?dice=9-9")
    assert (answer.status_code, "is not a roll" in answer.text) == (400, True)
    assert client.get("/find?loss=much").status_code == 400
    table = client.get("/find/turns.csv?player=Zoe")
    assert table.text.count("\n") == 4
    assert 'filename="turns.csv"' in table.headers["Content-Disposition"]
    assert client.get("/find/turns.exe").status_code == 404
