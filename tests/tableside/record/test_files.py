"""The files of a match are complete at every moment, and agree with the events."""

import csv
import json
import os
from typing import Any

import pytest

from engine.dice import Roll
from engine.events.codec import from_json
from engine.events.match import DiceRolled, DiceVoid, GameStart, PlayMade
from engine.events.record import MatchContinued, MatchPaused, PositionSet
from engine.formats.model.errors import NotInFormat
from engine.formats.validate.replay import replay
from engine.position import Side
from engine.rules import find_rules
from engine.rules.legal import legal_plays
from tableside.errors import StoreError
from tableside.record.files import events_text, load_match, replace_file
from tableside.review.output_files import rolls_text, write_record_files
from tests.tableside.sample_record import finished, match_events

EVENTS = (
    DiceRolled(time=1.25, frame=15, player=Side.LIGHT, dice=(6, 3), confidence=0.5),
    DiceVoid(time=3.0, frame=36, player=Side.DARK, dice=(5, None), reason="cocked"),
    DiceRolled(time=4.0, frame=48, player=Side.DARK, dice=(2, 2)),
)


def test_every_event_is_a_line_that_reads_back():
    lines = events_text(EVENTS).splitlines()
    assert tuple(from_json(json.loads(line)) for line in lines) == EVENTS


def test_every_die_that_was_read_is_a_row_grouped_by_throw():
    rows = list(csv.DictReader(rolls_text(EVENTS).splitlines()))
    assert [(row["player"], row["value"], row["throw"], row["counted"]) for row in rows] == [
        ("light", "6", "1", "1"),
        ("light", "3", "1", "1"),
        ("dark", "5", "2", "0"),
        ("dark", "2", "3", "1"),
        ("dark", "2", "3", "1"),
    ]
    assert rows[0]["time"] == "1.250"
    assert rows[2]["reason"] == "cocked"


def test_the_dice_of_a_pair_are_not_distinguished_by_their_values():
    rows = list(csv.DictReader(rolls_text(EVENTS).splitlines()))
    assert rows[0]["die"] == rows[1]["die"]


def test_a_file_is_replaced_as_a_whole_and_nothing_else_stays(tmp_path):
    path = tmp_path / "new" / "match.mat"
    replace_file(path, "old")
    replace_file(path, "newer and longer: Zoë")
    assert path.read_text("utf-8") == "newer and longer: Zoë"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = replace_file(tmp_path / "match.mat", "old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"match\.mat cannot be written: No space left"):
        replace_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_the_way_of_the_folder_is_one_line(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(StoreError, match="cannot be written"):
        replace_file(tmp_path / "out" / "match.mat", "x")


@pytest.mark.parametrize(("variant", "has_sgf"), [("short", True), ("narde", False)])
def test_a_match_leaves_an_sgf_where_gnubg_knows_the_game(tmp_path, variant, has_sgf):
    start = GameStart(time=0, frame=0, position=find_rules(variant).opening(), variant=variant)
    write_record_files(tmp_path, [start])
    assert (tmp_path / "match.mat").exists()
    assert (tmp_path / "match.sgf").exists() is has_sgf


def test_a_pause_is_among_the_events_and_changes_no_other_file(tmp_path):
    events = finished(match_events())
    pause = (MatchPaused(time=9, frame=99, clock=Side.DARK), MatchContinued(time=9, frame=99))
    plain = write_record_files(tmp_path / "plain", events)
    paused = write_record_files(tmp_path / "paused", [*events[:5], *pause, *events[5:]])
    assert [path.name for path in plain] == [path.name for path in paused]
    differ = [b for a, b in zip(plain, paused, strict=True) if a.read_text() != b.read_text()]
    assert [path.name for path in differ] == ["events.jsonl"]
    assert {"paused", "continued"} <= {
        json.loads(line)["type"] for line in differ[0].read_text().splitlines()
    }


def test_a_position_set_in_narde_is_written_and_the_format_that_lacks_narde_is_named(
    tmp_path, capsys
):
    narde = find_rules("narde")
    opening = narde.opening()
    first = legal_plays(opening, Side.LIGHT, Roll(3, 1), narde)[0]
    reset = legal_plays(opening, Side.DARK, Roll(5, 1), narde)[0].position
    last = legal_plays(reset, Side.LIGHT, Roll(6, 2), narde)[0]
    now: dict[str, Any] = {"time": 0.0, "frame": 0}
    events = [
        GameStart(**now, position=opening, variant="narde"),
        PlayMade(
            **now, player=Side.LIGHT, dice=(3, 1), play=str(first.play), position=first.position
        ),
        PositionSet(**now, position=reset, to_move=Side.LIGHT),
        PlayMade(
            **now, player=Side.LIGHT, dice=(6, 2), play=str(last.play), position=last.position
        ),
    ]
    paths = write_record_files(tmp_path, events)
    assert [path.name for path in paths] == ["match.mat", "events.jsonl", "rolls.csv"]
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("tableside: match.sgf was not written: ")
    played = replay(load_match(tmp_path / "match.mat"))
    assert played.faults == ()
    assert [step.after for step in played.games[0].steps] == [
        first.position, reset, last.position
    ]  # fmt: skip


def test_the_events_are_on_the_disk_when_a_format_refuses(tmp_path, capsys, monkeypatch):
    def refuse(_match):
        raise NotInFormat("no such thing in .mat")

    monkeypatch.setattr("tableside.review.output_files.mat_text", refuse)
    start = GameStart(time=0, frame=0, position=find_rules("short").opening())
    paths = write_record_files(tmp_path, [start])
    assert [path.name for path in paths] == ["match.sgf", "events.jsonl", "rolls.csv"]
    assert capsys.readouterr().err == (
        "tableside: match.mat was not written: no such thing in .mat\n"
    )
