"""The matches of a hall: one of them on its page, and turns found by their position in all."""

from __future__ import annotations

import csv
import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import sqlalchemy as sa

from engine import RefereeCalled, Side, fold
from engine.events.codec import from_json
from engine.events.match import EVENTS as EVENT_CLASSES
from engine.events.match import DoubleTaken, GameStart, IllegalMade, PlayMade
from engine.events.record import Confirmed, Corrected, MatchPlaced
from engine.pattern import BoardPattern
from engine.ruleset import USUAL, Audience
from tableside.analysis.catalog.search import RecordCatalog
from tableside.commands.hall import _import_record
from tableside.errors import StoreError
from tableside.hall import schema
from tableside.hall.boards import Boards
from tableside.hall.indexer import LEFT_S, Indexer, index_next
from tableside.hall.store import HallStore
from tableside.hall.turns import matches_pattern, pack, unpack
from tableside.record.store import Store
from tableside.site.state_hub import StateHub
from tests.tableside.hall.servers import wait_for
from tests.tableside.hall.test_store import AT, EVENTS, OVER, messages, of_edition
from tests.tableside.sample_record import finished, match_events, record_match
from tests.webui.http.test_auth import HASHES, enter
from webui.app import create_app
from webui.contracts.archive import ArchiveError
from webui.contracts.catalog import BadQuestion, MatchQuestion
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.pages.hall import install_hall

ASK = MatchQuestion
PAGES = (
    *("/hall/matches/1", "/api/hall/matches/1", "/hall/find", "/hall/find.csv"),
    *("/hall/players", "/hall/player?name=ben", "/hall/find/players.csv"),
)
QUESTIONS = [
    {},
    *({"position": text} for text in ("8:3 6:5", "24:2 | 24:2", "6:5+ 13:4-5", "24:0", "bar:1+")),
    {"position": "4HPwATDgc/ABMA"},
    {"position": "XGID=-b----E-C---eE---c-e----B-:0:0:1:63:0:0:0:3:10"},
    *({"dice": text} for text in ("63", "1-3", "5-5", "2-1")),
    *({"player": name} for name in ("=ann", " BEN ", "Zoe")),
    {"opponent": "ben", "position": "8:3"},
    *({"event": text} for text in ("spring", "SPRING  open", "x%_")),
    *({"since": "1970-01-01"}, {"until": "1970-01-01"}, {"until": "1969-12-30"}),
    *({"variant": name} for name in ("short", "narde")),
]
OLD_MATCH = sa.text(
    "INSERT INTO matches (table_name, number, begun_ms, variant, length, light, dark, source,"
    " events, status, event, round, place, light_score, dark_score, winner) VALUES"
    " (:table_name, :number, :begun_ms, :variant, :length, :light, :dark, :source, :events,"
    " 'playing', '', '', '', 0, 0, '')"
)
OLD_EVENT = sa.text("INSERT INTO events VALUES (:match, :number, :payload)")
OTHER = MatchPlaced(**AT, event="Spring Open", round="3", table="12", logo="a" * 32)


@pytest.fixture
def store(where):
    with closing(HallStore.open(where)) as found:
        yield found


@pytest.fixture
def boards(store):
    return Boards(store)


@pytest.fixture
def client(boards):
    app = create_app(StateHub())
    install_hall(app, boards)
    return app.test_client()


def index(store):
    """Index everything, as the hall's thread does."""
    while index_next(store):
        pass


def found(boards, **asked):
    index(boards.matches._store)
    answer = boards.matches.turns(ASK(**asked), most=1000)
    assert answer["found"] == len(answer["turns"])
    return [(one["match"], one["turn"]) for one in answer["turns"]]


def rows(store):
    """The turns in the store, by match."""
    index(store)
    with store.begun() as connection:
        kept = connection.execute(sa.select(schema.TURNS).order_by(*schema.TURNS.primary_key))
        return [
            (one.match, one.number, one.game, one.color, one.side, one.play,
             unpack(one.own_low, one.own_high), unpack(one.other_low, one.other_high))
            for one in kept
        ]  # fmt: skip


def expected(match, events):
    """What must be there of a match, from its events alone."""
    state = fold(events)
    return [
        (
            *(match, number, turn.game, (*Side,).index(turn.event.player)),
            (*Side,).index(state.side_now(turn.event.player, turn.game)),
            turn.event.play,
            *(list(turn.before.of(s)) for s in (turn.event.player, turn.event.player.other)),
        )
        for number, turn in enumerate(state.turns, start=1)
        if not turn.rejected
    ]


def test_the_page_of_a_match_has_its_players_result_moves_and_doubts(client, store):
    store.add(messages([OTHER, *OVER]))
    store.add(messages([OTHER, *OVER, RefereeCalled(**AT, player=Side.DARK)]))
    assert 'href="/hall/matches/1"' in client.get("/hall/results").text
    page = client.get("/hall/matches/1").text
    for text in (
        "=Ann",
        "Ben",
        "Table 12",
        "Contested",
        "13/3(2)",
        "Doubles to 2",
        "Possible plays",
    ):
        assert text in page, text
    assert "asks for a legal play" in page
    shown = client.get("/api/hall/matches/1").json
    assert [one["kind"] for one in shown["steps"]].count("double") == 2
    assert shown["shown"]["tournament"]["logo"] == "", "the hall has no logos"
    assert client.get(f"/api/hall/matches/1?known={shown['entry']['version']}").status_code == 204
    for name in (one["name"] for one in shown["files"]):
        file = client.get(f"/api/hall/matches/1/files/{name}")
        assert (file.status_code, len(file.data) > 100) == (200, True), name
    assert client.get("/api/hall/matches/1/files/x").status_code == 404


def test_a_match_that_is_not_there_is_refused_on_its_page_and_to_programs(client):
    for number in (1, 10**17):
        assert client.get(f"/hall/matches/{number}").status_code == 404
        answer = client.get(f"/api/hall/matches/{number}")
        assert answer.status_code == 404
        assert "there is no match" in answer.json["message"]


def test_what_players_must_not_know_is_hidden_until_the_match_is_over(client, store, boards):
    events = match_events(rule_set=replace(USUAL, announce=Audience.REFEREE, aids=False))
    illegal = next(n for n, event in enumerate(events) if isinstance(event, IllegalMade))
    store.add(messages(events[: illegal + 1]))
    page = client.get("/hall/matches/1").text
    assert "hide part of this page until it is over" in page
    assert "illegal" not in {one["kind"] for one in client.get("/api/hall/matches/1").json["steps"]}
    assert client.get("/api/hall/matches/1/files/match.mat").status_code == 409
    assert found(boards) == []
    store.add(messages(finished(events)))
    assert "illegal" in {one["kind"] for one in client.get("/api/hall/matches/1").json["steps"]}
    assert found(boards) == [(1, n) for n in (1, 2, 4, 5, 6, 7)], (
        "without the one that was rejected"
    )


def test_events_that_are_not_known_are_passed_over_and_read_after_the_update(where, monkeypatch):
    with monkeypatch.context() as earlier, closing(HallStore.open(where)) as store:
        earlier.delitem(EVENT_CLASSES, DoubleTaken.type)
        store.add(messages(OVER))
        match = Boards(store).matches.match(1)
        assert (match["is_whole"], match["result"]["status"]) == (False, "final")
        kinds = {one["kind"] for one in match["match"]["steps"]}
        assert ("take" in kinds, "match_end" in kinds or "end" in kinds) == (False, True)
        for name in ("match.mat", "events.jsonl", "replay.html"):
            assert Boards(store).matches.file(1, name).content
    with closing(HallStore.open(where)) as store:
        match = Boards(store).matches.match(1)
        assert match["is_whole"]
        assert "take" in {one["kind"] for one in match["match"]["steps"]}
        assert rows(store) == expected(1, OVER)


def test_a_store_of_an_earlier_version_is_read_when_it_is_opened(where):
    engine = sa.create_engine(schema._url(where))
    with engine.begin() as connection:
        schema.migrate(connection, "0002")
        for number, course in ((1, EVENTS), (2, OVER)):
            of_match = [one for _, one in messages(course, number=number)]
            fields = {**of_match[0]["match"], "begun_ms": 1000000, "table_name": "7"}
            connection.execute(OLD_MATCH, {**fields, "events": len(of_match)})
            events = [
                {"match": number, "number": one["number"], "payload": json.dumps(one["event"])}
                for one in of_match
            ]
            connection.execute(OLD_EVENT, events)
    engine.dispose()
    with closing(HallStore.open(where)) as store:
        assert rows(store) == expected(2, OVER)
        assert {one for one, _ in found(Boards(store), player="=ann")} == {2}
        assert store.add(messages(OVER)).stored == len(OVER) - len(EVENTS)
        assert rows(store) == expected(1, OVER) + expected(2, OVER)


def test_a_match_that_nobody_has_ended_is_found_as_unfinished_after_a_day(where):
    now = [1e6]
    with closing(HallStore(schema.open_engine(where), clock=lambda: now[0])) as store:
        boards, sent = Boards(store), messages(EVENTS)
        store.add(sent[:-3])
        now[0] += LEFT_S - 1
        assert (found(boards), statuses(boards)) == ([], ["playing"])
        now[0] += 2
        assert len(found(boards)) == len(rows(store)) > 0
        assert found(boards, player="=ann")
        assert statuses(boards) == ["unfinished"]
        read = boards.matches.match(1)
        assert (read["match"]["is_withheld"], read["match"]["entry"]["is_open"]) == (False, True)
        app = create_app(StateHub())
        install_hall(app, boards)
        for page in ("/hall/results", "/hall/matches/1"):
            shown = app.test_client().get(page).text
            assert ("Not finished" in shown, "stopped early" in shown) == (True, False)
        # It goes on after all.
        store.add(sent)
        assert (found(boards), statuses(boards)) == ([], ["playing"])
        store.add(messages(OVER))
        assert rows(store) == expected(1, OVER)
        assert statuses(boards) == ["final"]


def statuses(boards):
    return [row["status"] for row in boards.results()]


def test_a_match_that_changes_while_it_is_indexed_is_indexed_again(store):
    store.add(messages(OVER))
    with store.begun() as connection:
        row = connection.execute(sa.select(schema.MATCHES)).one()
    store.add(messages([*OVER, RefereeCalled(**AT, player=Side.DARK)]))
    store.index(row, [], [])
    assert rows(store) == expected(1, OVER)


def ages_long(events):
    """The same with a play that took longer than a number of its column can say."""
    late = next(n for n, event in enumerate(events) if n > 9 and isinstance(event, PlayMade))
    return [*events[:late], replace(events[late], time=1e300), *events[late + 1 :]]


def test_a_match_that_cannot_be_indexed_is_named_and_holds_up_no_other(store, boards, client):
    troubles: dict[str, str] = {}
    store.add(messages(ages_long(OVER)))
    store.add(messages(OVER, number=2))
    with closing(Indexer(store, lambda kind, why: troubles.update({kind: str(why)}))):
        wait_for(lambda: troubles.get("index"))
    assert rows(store) == expected(2, OVER)
    assert troubles["index"].startswith(
        "1 match is not found by questions; match 1 of table 7: FloatingPointError: overflow"
    )
    assert boards.matches.missing() == 0
    for page in ("/hall/find", "/hall/players", "/hall/player?name=ben"):
        shown = client.get(page).text
        assert "Not among these" in shown, page
        assert '<a href="/hall/matches/1">Table 7: =Ann – Ben</a> (FloatingPointError' in shown, (
            page
        )
    assert client.get("/hall/matches/1").status_code == 200
    assert boards.figures()["unindexed"] == 1


def test_a_match_that_could_not_be_indexed_is_tried_again(store, boards):
    store.add(messages(ages_long(OVER)))
    assert (index_next(store), index_next(store)) == (True, False)
    # When it changes.
    store.add(of_edition(messages(OVER), 5))
    assert rows(store) == expected(1, OVER)
    # When the hall is started: another version may know how.
    store.add(messages(OVER, number=2))
    with store.begun() as connection:
        change = sa.update(schema.MATCHES).where(schema.MATCHES.c.number == 2)
        connection.execute(change.values(unindexed="this version could not"))
    assert len(boards.matches.unindexed()) == 1
    with closing(Indexer(store, boards.set_trouble)):
        wait_for(lambda: boards.matches.unindexed() == [] and boards.matches.missing() == 0)
    assert rows(store) == expected(1, OVER) + expected(2, OVER)


def test_a_match_that_an_earlier_version_left_out_in_silence_is_tried_again(where):
    with closing(HallStore.open(where)) as store:
        store.add([*messages(OVER), *messages(OVER, number=2)])
        index(store)
        with store.begun() as connection:
            connection.execute(sa.delete(schema.SEATS).where(schema.SEATS.c.match == 2))
            connection.execute(sa.delete(schema.TURNS).where(schema.TURNS.c.match == 2))
            connection.execute(sa.text("ALTER TABLE matches DROP COLUMN unindexed"))
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '0005'"))
    with closing(HallStore.open(where)) as store:
        assert Boards(store).matches.missing() == 1
        assert rows(store) == expected(1, OVER) + expected(2, OVER)


def test_results_that_cannot_be_read_are_refused_and_not_empty(store, boards, client):
    def is_away(*_):
        raise sa.exc.OperationalError("", {}, OSError("disk full"))

    store.add(messages(OVER))
    sa.event.listen(store._engine, "before_cursor_execute", is_away)
    for name in ("results", "results.csv", "results.json"):
        answer = client.get(f"/hall/{name}")
        assert (answer.status_code, "disk full" in answer.text) == (503, True), name
    sa.event.remove(store._engine, "before_cursor_execute", is_away)
    assert len(client.get("/hall/results.json").json) == 1


def test_an_index_that_cannot_be_kept_is_named(store, boards, monkeypatch):
    def refused(_):
        raise StoreError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr("tableside.hall.indexer.index_next", refused)
        with closing(Indexer(store, boards.set_trouble)):
            wait_for(boards.troubles)
    assert [*map(str, boards.troubles())] == ["questions find no more matches for now; disk full"]
    with closing(Indexer(store, boards.set_trouble)):
        wait_for(lambda: boards.troubles() == [])


def test_closed_and_old_matches_of_a_record_are_not_in_play(store, tmp_path):
    path = tmp_path / "record.sqlite"
    with Store.open(path) as record:
        record_match(record, EVENTS, is_closed=True)
        record_match(record, EVENTS)
    _import_record(store, "7", path)
    index(store)
    assert statuses(Boards(store)) == ["playing", "unfinished"]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_a_hall_finds_what_the_record_of_the_table_finds(both, question):
    boards, catalog = both
    asked = ASK(**question)
    ours, theirs = boards.matches.turns(asked, most=99), catalog.turns(asked, most=99)
    seen = [
        [
            {**one, "dice": sorted(one["dice"]), "begun": round(1000 * one["begun"])}
            for one in answer["turns"]
        ]
        for answer in (ours, theirs)
    ]
    for one in seen[1]:
        one.update(opening="", seconds=None)
    assert seen[0] == seen[1]
    assert ours["found"] == theirs["found"]


@pytest.fixture(scope="module")
def both(tmp_path_factory, postgres):
    """A hall and the record that its one table has written."""
    path = tmp_path_factory.mktemp("table") / "record.sqlite"
    place = MatchPlaced(**AT, event="Spring Open", round="3", table="12")
    with Store.open(path) as record:
        for names in (("=Ann", "Ben"), ("ben", "Zoe")):
            record_match(
                record,
                [*finished(match_events(light=names[0], dark=names[1])), place],
                is_closed=True,
            )
        record_match(record, match_events())
    with (
        closing(HallStore.open(postgres.new_database())) as store,
        closing(RecordCatalog(path, shows_all=lambda: False)) as catalog,
    ):
        _import_record(store, "7", path)
        index(store)
        catalog.refresh()
        yield Boards(store), catalog


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ({"position": "6:"}, "cannot read '6:' as a place"),
        ({"dice": "7-1"}, "is not a roll"),
        ({"since": "yesterday"}, "is not a date"),
        ({"variant": "chess"}, "there is no game chess"),
        ({"loss": 0.1}, "a hall does not know openings, errors and luck"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(boards, question, why):
    with pytest.raises(BadQuestion, match=why):
        boards.matches.turns(ASK(**question))


@pytest.mark.parametrize(
    "question",
    [
        *({"player": name} for name in ("", "=ann", " BEN ", "Zoe", "nobody")),
        *({"opponent": name} for name in ("ben", "zoe")),
        {"player": "ben", "opponent": "ZOE"},
        *({"event": text} for text in ("spring", "x%_")),
        *({"since": "1970-01-01"}, {"until": "1969-12-30"}, {"variant": "narde"}),
    ],
    ids=str,
)
def test_a_halls_players_are_those_of_the_record_of_the_table(both, question):
    boards, catalog = both
    asked = ASK(**question)
    assert near(boards.matches.players(asked)) == near(catalog.players(asked))
    assert near(boards.matches.matches(asked)) == near(catalog.matches(asked))


def near(rows):
    """The same without what the store of a hall rounds otherwise."""
    text = json.dumps(rows)
    return json.loads(text, parse_float=lambda number: pytest.approx(float(number), abs=1e-3))


def test_the_page_of_players_leads_to_each_and_to_files(client, store):
    store.add(messages([OTHER, *OVER]))
    assert "No match with named players" in client.get("/hall/players").text
    assert "1 match is still being read" in client.get("/hall/players").text
    index(store)
    page = client.get("/hall/players").text
    assert 'href="/hall/player?name=%3DAnn"' in page
    assert "still being read" not in page
    page = client.get("/hall/player?name=ben").text
    for text in ('href="/hall/matches/1"', "Spring Open", "Time a turn", "/hall/find/matches.csv"):
        assert text in page, text
    assert "PR" not in page, "a hall analyzes nothing"
    assert client.get("/hall/player?name=x").status_code == 404
    (row, _) = csv.DictReader(client.get("/hall/find/players.csv").text.splitlines())
    assert (row["name"], row["matches"]) == ("'=Ann", "1")
    assert client.get("/hall/find/matches.csv?player=ben").text.count("\n") == 3
    assert (
        client.get("/hall/find/turns.csv", follow_redirects=True).data
        == client.get("/hall/find.csv").data
    )
    assert client.get("/hall/find/games.csv").status_code == 404


def test_corrections_and_later_editions_leave_only_turns_that_stand(store):
    made = next(event for event in OVER if isinstance(event, PlayMade))
    number = OVER.index(made)
    swapped = [replace(one, swapped=True) if is_second(one) else one for one in OVER]
    courses = [
        OVER,
        [*OVER, Corrected(**AT, keep=number), *OVER[number:]],
        [*OVER, Corrected(**AT, keep=number + 1)],
        [*OVER, Confirmed(**AT, turn=2)],
        [*OVER[:number], replace(made, play="24/15"), *OVER[number + 1 :]],
        swapped,
    ]
    for edition, course in enumerate(courses, start=1):
        sent = of_edition(messages(course), edition)
        for first in range(0, len(sent), 5):
            store.add(sent[first : first + 5])
            kept = [from_json(one) for one in store.events("7", "1-1000000")]
            assert rows(store) == (expected(1, kept) if fold(kept).is_over else [])
        assert kept == course


def is_second(event):
    return isinstance(event, GameStart) and event.score != (0, 0)


def test_a_pattern_matches_the_same_positions_in_the_store_as_anywhere(store):
    rng = np.random.default_rng(37)
    store.add(messages(EVENTS))
    with store.begun() as connection:
        connection.execute(sa.delete(schema.TURNS))
        sides = rng.multinomial(15, [1 / 26] * 26, size=(100, 2)).tolist()
        for number, (own, other) in enumerate(sides):
            values = dict(zip(HALVES, (*pack(own), *pack(other)), strict=True))
            other_values = {"game": 1, "side": 0, "color": 0, "play": ""}
            row = {"match": 1, "number": number, **other_values, **values}
            connection.execute(sa.insert(schema.TURNS).values(row))
        for _ in range(100):
            pattern = random_pattern(rng, sides)
            wanted = {n for n, both in enumerate(sides) if fits(pattern, *both)}
            query = sa.select(schema.TURNS.c.number).where(*matches_pattern(pattern))
            assert set(connection.scalars(query)) == wanted, str(pattern)


HALVES = ("own_low", "own_high", "other_low", "other_high")


def random_pattern(rng, sides):
    """Of few places, or a whole position."""
    if rng.random() < 0.2:
        return BoardPattern.of_position(*sides[rng.integers(len(sides))])
    words = []
    for _ in range(2):
        places = [place for place in range(26) if rng.random() < 0.05]
        counts = [sorted(rng.integers(0, 4, 2)) for _ in places]
        kinds = [(f"{low}", f"{low}+", f"{low}-{high}")[rng.integers(3)] for low, high in counts]
        names = {0: "off", 25: "bar"}
        words.append(" ".join(f"{names.get(p, p)}:{k}" for p, k in zip(places, kinds, strict=True)))
    return BoardPattern.parse("|".join(words))


def fits(pattern, own, other):
    pairs = [(pattern.own, own), (pattern.other, other)]
    return all(one.least <= side[one.place] <= one.most for wanted, side in pairs for one in wanted)


def test_the_page_finds_turns_and_gives_them_as_files(client, store):
    store.add(messages([OTHER, *OVER]))
    index(store)
    asks = {"p8": "own3", "position": ""}
    page = client.get("/hall/find", query_string=asks).text
    assert 'href="/hall/matches/1#turn-1"' in page
    assert 'name="loss"' not in page, "nothing is analyzed in a hall"
    found = client.get("/hall/find.json", query_string=asks).json
    lines = [*csv.DictReader(client.get("/hall/find.csv", query_string=asks).text.splitlines())]
    assert found["found"] == len(found["turns"]) == len(lines) > 0
    assert lines[0]["player"] in ("'=Ann", "Ben")
    assert client.get("/hall/find.parquet", query_string=asks).data[:4] == b"PAR1"
    assert client.get("/hall/find.xlsx").status_code == 404
    wrong = client.get("/hall/find", query_string={"position": "x"})
    assert (wrong.status_code, "annot read" in wrong.text) == (400, True)
    assert client.get("/hall/find.json?position=x").status_code == 400


def test_too_many_turns_for_a_file_are_refused(boards, store, monkeypatch):
    monkeypatch.setattr("tableside.hall.matches.MOST_ROWS", 5)
    store.add(messages(OVER))
    index(store)
    with pytest.raises(BadQuestion, match="more than 5 turns are wanted"):
        boards.matches.table("turns", "csv", ASK())
    assert boards.matches.table("turns", "csv", ASK(dice="6-3")).content.count(b"\n") == 2


def test_a_store_that_cannot_be_read_is_one_line(boards, store):
    store.close()
    with store._engine.connect() as connection:
        connection.execute(sa.text("DROP TABLE turns"))
        connection.commit()
    with pytest.raises(ArchiveError, match=r"the hall's store .*turns"):
        boards.matches.turns(ASK())


def test_a_hall_without_tables_says_how_one_takes_part(store):
    app = create_app(StateHub())
    boards = Boards(store)
    boards.join_command = "tableside live <URL>"
    install_hall(app, boards)
    for page in ("/hall", "/hall/tv"):
        assert "<code>tableside live &lt;URL&gt;</code>" in app.test_client().get(page).text


@pytest.mark.parametrize("is_nearby", [True, False])
def test_a_hall_leads_to_results_and_players_only_if_it_keeps_them(store, is_nearby):
    app = create_app(StateHub())
    install_hall(app, Boards(store, is_nearby=is_nearby))
    text = app.test_client().get("/hall").text
    assert "/hall/tv" in text
    for page in ("/hall/results", "/hall/players", "/hall/find"):
        assert (f'href="{page}"' in text) == (not is_nearby), page


def test_the_audience_of_a_stream_reads_no_match(store):
    app = create_app(StateHub(), passwords=Passwords(HASHES))
    install_hall(app, Boards(store))
    store.add(messages(OVER))
    index(store)
    for role, status in ((Role.AUDIENCE, 403), (Role.VIEWER, 200)):
        client = enter(app, role)
        for page in PAGES:
            assert client.get(page).status_code == status, page
        assert ("/hall/matches/1" in client.get("/hall/results").text) == (status == 200)
