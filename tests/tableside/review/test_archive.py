"""What the review pages show of a record, even while it is written, and no more than allowed."""

import json
import threading
from contextlib import closing
from dataclasses import replace
from itertools import pairwise

import pytest

from engine import RULE_SETS, USUAL, Event, Side, find_rules
from engine.events.match import (
    GameStart,
    MatchEnd,
    OpeningRolled,
    PlayMade,
    PlaySource,
    RollSource,
)
from engine.events.record import PlayersNamed
from engine.formats.detect import read_match
from engine.formats.from_events import match_from_events
from engine.formats.ids.xgid import parse_xgid
from engine.formats.json_text import json_text
from engine.ruleset import Audience
from tableside.analysis.analyst import Analyst
from tableside.analysis.catalog.search import RecordCatalog
from tableside.errors import NewerRecord, StoreError
from tableside.record.backup import back_up, restore
from tableside.record.database import open_read_only
from tableside.record.export import chronological
from tableside.record.recorder import WriterLock, is_claimed
from tableside.record.schema import MIGRATIONS
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.review.shown import FILES
from tableside.review.stills import stills_folder
from tests.tableside.sample_record import (
    SHORT,
    finished,
    keep_stills,
    match_events,
    record_match,
    surely_void,
)
from webui.contracts.archive import MATCHES_PER_PAGE, ArchiveError, NotInRecord, Unavailable
from webui.contracts.catalog import MatchQuestion
from webui.views.replay import match_shown

JPEG = b"\xff\xd8 a picture \xff\xd9"
STRICT = RULE_SETS["wbgf"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "record.sqlite"


@pytest.fixture
def store(path):
    with Store.open(path) as store:
        yield store


@pytest.fixture
def archive(store, path):
    archive = RecordArchive(path, analyses=Analyst(path))
    yield archive
    archive.close()


def kinds(match):
    return [step["kind"] for step in match["steps"]]


def test_the_list_is_newest_first_and_describes_each_match(store, archive):
    first = record_match(store, finished(match_events()), is_closed=True)
    second = record_match(store, match_events(length=7))
    newest, oldest = archive.matches()["matches"]
    assert (newest["id"], oldest["id"]) == (second, first)
    assert (oldest["winner"], oldest["score"]) == ("light", {"light": 3, "dark": 0})
    assert (oldest["games"], oldest["plays"], oldest["to_review"]) == (2, 6, 3)
    assert (oldest["is_open"], newest["is_open"], newest["winner"]) == (False, True, None)


def test_a_long_list_comes_in_parts(store, archive):
    for _ in range(MATCHES_PER_PAGE + 2):
        store.new_match()
    part = archive.matches()
    rest = archive.matches(part["older"])
    ids = [one["id"] for one in (*part["matches"], *rest["matches"])]
    assert ids == list(range(MATCHES_PER_PAGE + 2, 0, -1))
    assert rest["older"] is None
    assert archive.matches(10**30)["matches"] == part["matches"]


def test_a_match_is_shown_step_by_step(store, archive):
    match = archive.match(record_match(store, finished(match_events())))
    assert kinds(match) == [
        "start", "opening", "play", "void", "play", "double", "take", "illegal", "rejected",
        "play", "illegal", "play", "end", "start", "play", "double", "drop", "end",
    ]  # fmt: skip
    ids = [step["id"] for step in match["steps"]]
    assert len(set(ids)) == len(ids)
    assert [one for one in ids if one.startswith("turn-")] == [f"turn-{n}" for n in range(1, 8)]
    steps = {step["id"]: step for step in match["steps"]}
    assert steps["turn-3"]["is_rejected"]
    assert steps["turn-3"]["position"] != steps["step-8"]["position"] == steps["turn-2"]["position"]
    assert steps["step-5"]["cube"] == {"value": 1, "owner": None, "offered": 2}
    assert steps["step-6"]["cube"] == {"value": 2, "owner": "dark", "offered": None}
    assert steps["step-12"]["score"] == {"light": 2, "dark": 0}
    assert steps["turn-7"]["is_crawford"]


def test_a_certainly_void_throw_is_listed_and_not_counted_for_review(store, archive):
    number = record_match(store, surely_void(finished(match_events())), is_closed=True)
    assert archive.matches()["matches"][0]["to_review"] == 2
    match = archive.match(number)
    assert match["entry"]["to_review"] == 2
    assert [(one["kind"], one["review"]) for one in match["doubtful"]] == [
        ("reroll", False),
        ("doubt", True),
        ("illegal", True),
    ]
    assert "void" in kinds(match)


def test_what_is_doubtful_names_its_step_why_and_what_else_it_was(store, archive, path):
    events = match_events()
    number = record_match(store, events)
    frames = [events[4].frame, events[10].frame]
    keep_stills(stills_folder(path, number), frames, JPEG, gone=frames[1:])
    void, doubt, illegal = archive.match(number)["doubtful"]
    assert (void["step"], doubt["step"], illegal["step"]) == ("step-3", "turn-2", "turn-5")
    assert doubt["alternatives"] == [{"play": "24/18", "confidence": 0.3}]
    assert illegal["rule"] == "a <b>six</b> is not a seven"
    assert [still["is_kept"] for still in doubt["stills"]] == [True]
    assert [still["is_kept"] for still in illegal["stills"]] == [False]
    assert archive.still(number, frames[0]) == JPEG
    for frame in (frames[1], 7):
        with pytest.raises(NotInRecord):
            archive.still(number, frame)


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_what_the_exporter_writes(store, archive, name):
    number = record_match(store, finished(match_events()))
    file = archive.file(number, name)
    assert file.content
    if name.endswith((".mat", ".sgf", ".txt")):
        match = read_match(file.content)
        assert not match.faults
        assert len(match.games) == 2
        assert len(match.games[0].actions) >= 6
    if name == "match.json":
        text = json_text(match_from_events(chronological(store.events(number))))
        assert file.content.decode() == text
    if name == "events.jsonl":
        assert len([json.loads(line) for line in file.content.splitlines()]) == 19


def test_what_a_format_cannot_express_is_refused_in_one_line(store, archive):
    narde = find_rules("narde")
    number = store.new_match(variant="narde")
    start = GameStart(time=0, frame=0, position=narde.opening(), variant="narde")
    store.append(number, [start])
    with pytest.raises(Unavailable, match=r"SGF has no") as refused:
        archive.file(number, "match.sgf")
    assert "\n" not in str(refused.value)
    assert archive.file(number, "match.mat").content
    store.close_match(number)
    with pytest.raises(Unavailable, match="only backgammon, nackgammon and longgammon"):
        archive.analyse(number)


def test_a_missing_match_still_or_file_is_an_error(store, archive):
    with pytest.raises(NotInRecord, match="no match 9"):
        archive.match(9)
    number = store.new_match()
    with pytest.raises(NotInRecord, match=r"there is no match\.pdf"):
        archive.file(number, "match.pdf")
    with pytest.raises(Unavailable, match="no game has started"):
        archive.file(number, "match.mat")
    assert archive.match(number)["steps"] == []


def test_players_see_no_more_than_their_rules_allow_until_the_match_is_over(store, archive):
    rules = STRICT
    assert not rules.announces_to_players or not rules.aids
    number = record_match(store, match_events(rules))
    match = archive.match(number)
    assert match["is_withheld"]
    assert all(step["pips"] is None and step["confidence"] is None for step in match["steps"])
    assert all(one["alternatives"] == [] for one in match["doubtful"])
    with pytest.raises(Unavailable, match="still in progress"):
        archive.file(number, "match.json")
    with pytest.raises(Unavailable, match="still in progress"):
        archive.analyse(number)
    assert archive.analysis(number)["state"] == "withheld"
    store.append(number, finished(match_events(rules))[len(match_events(rules)) :])
    match = archive.match(number)
    assert not match["is_withheld"]
    assert match["steps"][4]["confidence"] == 0.7
    assert archive.file(number, "match.json").content


def test_every_step_has_the_ids_of_its_position_from_the_start_to_the_end(store, archive):
    events = finished(match_events())
    last = events[-1]
    won = MatchEnd(time=last.time, frame=last.frame, winner=Side.LIGHT, score=(3, 0))
    number = record_match(store, [*events, won], is_closed=True)
    steps = archive.match(number)["steps"]
    assert all(step["ids"] for step in steps)
    start = parse_xgid(steps[0]["ids"]["xgid"])
    assert (start.position, start.on_roll) == (SHORT.opening(), Side.LIGHT)
    # The end of a game is the position that was resigned or dropped, at the score before it.
    for end, before in ((-1, -4), (-2, -4)):
        assert steps[end]["ids"] == steps[before]["ids"], (end, before)
    resigned = next(step for step in steps if step["kind"] == "end")
    assert parse_xgid(resigned["ids"]["xgid"]).score == (0, 0)


def test_only_what_a_camera_saw_has_a_probability(store, archive):
    """A pass that the rules impose is certain, and so is the roll of a cup."""
    sources: tuple[tuple[PlaySource, RollSource], ...] = (
        *(("hand", "hand"), ("rules", "cup"), ("file", "file"), ("sight", "sight")),
    )
    for by, rolled_by in sources:
        events: list[Event] = []
        for one in match_events():
            if isinstance(one, PlayMade):
                events.append(replace(one, by=by))
            elif isinstance(one, OpeningRolled):
                events.append(replace(one, by=rolled_by))
            else:
                events.append(one)
        match = archive.match(record_match(store, events, is_closed=True))
        shown = {step["shown"]["percent"] for step in match_shown(match)["steps"]}
        assert (shown == {""}) == (by != "sight"), by
        of_items = {item["confidence"] for item in match["doubtful"]}
        assert (of_items == {None}) == (by != "sight"), by


def test_an_unannounced_illegal_play_looks_legal_while_the_game_goes_on(store, archive, path):
    silent = replace(USUAL, name="silent", announce=Audience.AFTER)
    events = match_events(silent)[:11]
    number = record_match(store, events)
    keep_stills(stills_folder(path, number), [events[10].frame], JPEG)
    match = archive.match(number)
    assert kinds(match)[-1] == "play"
    assert "illegal" not in [one["kind"] for one in match["doubtful"]]
    assert "seven" not in json.dumps(match, default=str)
    with pytest.raises(NotInRecord):
        archive.still(number, events[10].frame)
    private = RecordArchive(path, shows_all=lambda: True)
    assert kinds(private.match(number))[-1] == "illegal"
    private.close()


def test_the_usual_rules_keep_nothing_back(store, archive):
    match = archive.match(record_match(store, match_events(USUAL)))
    assert not match["is_withheld"]
    assert match["steps"][0]["pips"] == {"light": 167, "dark": 167}


def test_a_match_is_read_while_it_is_written(store, archive):
    events = finished(match_events())
    number = record_match(store, events[:1])
    seen = []
    is_done = threading.Event()

    def read():
        while not is_done.is_set():
            seen.append(len(archive.match(number)["steps"]))
            archive.matches()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for event in events[1:]:
        store.append(number, [event])
    is_done.set()
    for reader in readers:
        reader.join()
    assert len(archive.match(number)["steps"]) == 18
    assert archive.matches()["matches"][0]["version"] == len(events)
    assert set(seen) <= set(range(1, 19))
    assert len(seen) >= 3


def test_a_reader_never_writes(store, path):
    record_match(store, match_events())
    reading = Store.open_read_only(path)
    with pytest.raises(StoreError, match="cannot be written"):
        reading.new_match()
    reading.close()


def test_a_missing_record_is_an_error_and_is_not_created(tmp_path):
    with pytest.raises(StoreError, match="there is no record"):
        RecordArchive(tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


def test_somebody_elses_file_and_a_newer_record_are_refused_and_left_alone(store, path, tmp_path):
    other = tmp_path / "mail.sqlite"
    other.write_bytes(b"not a database at all, but long enough to look at" * 20)
    with pytest.raises(StoreError, match="not a Tableside record"):
        Store.open_read_only(other)
    assert other.exists()
    with pytest.raises(NewerRecord):
        open_read_only(path, MIGRATIONS[:-1])


def test_a_damaged_event_is_an_error_in_one_line(store, archive):
    number = record_match(store, match_events())
    with store._transaction() as connection:
        connection.execute("DROP TRIGGER no_update_of_events")
        connection.execute("UPDATE events SET payload = '{}' WHERE seq = 3")
    with pytest.raises(ArchiveError, match="damaged"):
        archive.match(number)


def test_who_records_now_is_seen_without_being_in_the_way(path):
    assert not is_claimed(path)
    claim = WriterLock(path)
    assert is_claimed(path)
    claim.release()
    assert not is_claimed(path)
    WriterLock(path).release()


def test_time_never_runs_backwards_in_the_steps(store, archive):
    steps = archive.match(record_match(store, match_events()))["steps"]
    assert all(a["time"] <= b["time"] for a, b in pairwise(steps))


def test_a_record_that_is_replaced_is_read_anew(path, tmp_path):
    events = match_events()
    with Store.open(path) as store:
        record_match(store, events[:6])
        back_up(path, tmp_path / "backup.sqlite")
        store.append(1, events[6:])
        record_match(store, match_events(light="Zoe"))

    def all_shown(archive, catalog):
        listed = [(one["id"], one["players"]["light"]) for one in archive.matches()["matches"]]
        feed = archive.events(1, 0, is_whole=True, known=99)["events"]
        dice = archive.dice.version(with_open=True), archive.dice.report(1, with_open=True).players
        shown = archive.match(1), archive.match_as_of(1, 9), archive.doubts([1]), feed, dice
        catalog.refresh()
        return listed, *shown, catalog.players(MatchQuestion())

    with closing(RecordArchive(path)) as archive, closing(RecordCatalog(path)) as catalog:
        before = all_shown(archive, catalog)
        assert before[0] == [(2, "Zoe"), (1, "Ann & Co")]
        restore(tmp_path / "backup.sqlite", path)
        assert all_shown(archive, catalog)[0] == [(1, "Ann & Co")]
        with Store.open(path) as store:  # it is played on in another way
            named = PlayersNamed(time=9.0, frame=9, light="Eve", dark="Ben")
            store.append(1, [named] * len(events[6:]))
            record_match(store, match_events(light="Kim"))
        after = all_shown(archive, catalog)
        assert after[0] == [(2, "Kim"), (1, "Eve")]
        with closing(RecordArchive(path)) as anew, closing(RecordCatalog(path)) as index:
            assert after == all_shown(anew, index)
