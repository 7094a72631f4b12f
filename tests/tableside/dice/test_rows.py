"""Dice from events, match files and records."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engine.events.codec import as_json, from_json
from engine.events.cup import CupRolled
from engine.events.match import DiceRolled, DiceVoid, DieAtRest, GameStart, OpeningRolled
from engine.events.record import PlayersNamed
from engine.fairness.findings import analyse_log
from engine.position import Side
from engine.rules import find_rules
from tableside.dice.rows import log_from_rows, rows_from_events
from tableside.dice.sources import dice_of_files, dice_of_record
from tableside.errors import BadDice, StoreError
from tableside.record.store import Store

LIGHT, DARK = Side
START = GameStart(
    time=0, frame=0, position=find_rules("short").opening(), light="Ann", dark="Ben", length=3
)


def lay(value, sure=1.0, place=(0.7, 0.5)):
    chances = [(1 - sure) / 5] * 6
    chances[value - 1] = sure
    return DieAtRest(chances=tuple(chances), place=place)


def thrown(time, player, dice, *lays, confidence=0.9):
    return DiceRolled(
        time=time,
        frame=int(time),
        player=player,
        dice=dice,
        confidence=confidence,
        dice_at_rest=lays,
    )


def test_how_dice_lay_is_kept_with_the_roll():
    event = thrown(1.0, LIGHT, (6, 3), lay(3, 0.75, (0.1, 0.2)), lay(6))
    again: Any = from_json(as_json(event))
    assert again == event
    assert again.dice_at_rest == event.dice_at_rest
    older: Any = from_json({k: v for k, v in as_json(event).items() if k != "lay"})
    assert older.dice_at_rest == ()


def test_each_die_has_the_place_and_the_doubt_that_are_its_own():
    events = [START, thrown(1, LIGHT, (6, 3), lay(3, 0.96, (0.1, 0.2)), lay(6, 0.99, (0.3, 0.4)))]
    high, low = rows_from_events(events)
    assert (high.value, high.place, high.confidence) == (6, (0.3, 0.4), pytest.approx(0.99))
    assert (low.value, low.place, low.confidence) == (3, (0.1, 0.2), pytest.approx(0.96))


def test_a_throw_that_counted_until_it_was_seen_to_lean_is_one_throw_that_is_void():
    dice = lay(4, place=(0.2, 0.03)), lay(4, place=(0.31, 0.41))
    void = DiceVoid(
        time=2, frame=2, player=DARK, reason="cocked", dice=(4, 4), dice_at_rest=dice[::-1]
    )
    elsewhere = lay(4, place=(0.37, 0.52)), lay(4, place=(0.34, 0.63))
    again = thrown(3, DARK, (4, 4), *elsewhere)
    rows = list(rows_from_events([START, thrown(1, DARK, (4, 4), *dice), void, again]))
    assert [(row.throw, row.reason) for row in rows] == [(1, "cocked")] * 2 + [(2, "")] * 2
    rows = list(rows_from_events([START, thrown(1, DARK, (4, 4), *elsewhere), void, again]))
    assert [row.throw for row in rows] == [1, 1, 2, 2, 3, 3]


def test_a_die_inferred_from_the_play_is_as_certain_as_the_play():
    events = [START, thrown(1, LIGHT, (6, 3), lay(3), lay(5, 0.7), confidence=0.97)]
    high, low = rows_from_events(events)
    assert high.confidence == pytest.approx(0.97)
    assert low.confidence == 1


def test_the_pair_is_its_owners_and_two_like_dice_are_one():
    events = [START, thrown(1, LIGHT, (6, 3)), thrown(2, DARK, (2, 2))]
    log = log_from_rows(rows_from_events(events))
    assert log.die.names == ("Ann's pair", "Ben's pair")
    assert log.pooled == {"Ann's pair", "Ben's pair"}
    assert log.player.names == ("Ann", "Ben")


def made(number, dice, kind="two"):
    return CupRolled(
        time=number, frame=number, cup="c0ffee00aabbccdd", number=number, kind=kind,
        roller=None, dice=dice, salt="", chain="",
    )  # fmt: skip


def test_what_a_cup_rolled_is_the_cups_and_of_no_pair():
    events = [
        START,
        made(1, (3, 5), "opening"),
        OpeningRolled(time=1, frame=1, light=3, dark=5),
        thrown(2, LIGHT, (6, 3)),
        made(2, (1, 4)),
        thrown(3, DARK, (4, 1)),
        made(3, (2, 2)),
        thrown(4, LIGHT, (6, 2)),
    ]
    rows = list(rows_from_events(events))
    cup = "cup c0ffee00"
    assert [row.die for row in rows] == [*[cup] * 2, *["Ann's pair"] * 2, *[cup] * 2,
                                         *["Ann's pair"] * 2]  # fmt: skip
    assert {row.cup for row in rows} == {"", "c0ffee00aabbccdd"}
    assert [row.name for row in rows[:2]] == ["Ann", "Ben"]


def test_a_player_who_is_renamed_goes_on_under_the_new_name():
    events = [
        START,
        PlayersNamed(time=1, frame=1, light="Anna", dark="Ben"),
        thrown(2, LIGHT, (6, 3)),
    ]
    assert {row.name for row in rows_from_events(events)} == {"Anna"}


def test_void_throws_and_dice_that_could_not_be_read_are_kept_and_marked():
    events = [
        START,
        OpeningRolled(time=0.5, frame=0, light=3, dark=3),
        DiceVoid(time=1, frame=1, player=DARK, reason="cocked", dice=(5, None)),
        thrown(2, DARK, (5, 1)),
    ]
    rows = list(rows_from_events(events))
    assert [row.value for row in rows] == [3, 3, 5, 0, 5, 1]
    assert [row.throw for row in rows] == [1, 1, 2, 2, 3, 3]
    assert [row.reason for row in rows] == ["", "", "cocked", "cocked", "", ""]
    assert [row.die for row in rows[:2]] == ["Ann's pair", "Ben's pair"]
    found = analyse_log(log_from_rows(rows))
    assert (found.void, found.unread) == (1, 1)
    assert math.isnan(rows[0].place[0])


MATCH = """ 3 point match

 Game 1
 Ann : 0                             Ben : 0
  1) 31: 8/5 6/5                      43: 24/20 13/10
  2) 55: 13/3(2)                      21: 13/11 6/5
"""


def test_a_match_file_gives_its_rolls_but_for_the_drawing_of_lots(tmp_path):
    path = tmp_path / "final.mat"
    path.write_text(MATCH, "utf-8")
    found = analyse_log(dice_of_files([path, path]).log)
    assert found.openings == 4, "a file does not hold the ties, so the first roll is selected"
    assert {unit.name: unit.rolls for unit in found.groups["dice"]} == {
        "Ben's pair": 8,
        "Ann's pair": 4,
    }
    assert {unit.name: unit.luck.pips for unit in found.groups["players"]} == {"Ben": 20, "Ann": 40}


def test_faults_of_a_match_file_become_notices(tmp_path):
    path = tmp_path / "odd.mat"
    path.write_text(MATCH.replace("43: 24/20", "93: 24/20"), "utf-8")
    assert any("odd.mat, line 5" in str(notice) for notice in dice_of_files([path]).notices)


def test_tables_and_match_files_go_together(tmp_path):
    table, match = tmp_path / "old.csv", tmp_path / "new.mat"
    table.write_text("time,player,die,value\n1,Ann,red,6\n2,Ann,red,6\n", "utf-8")
    match.write_text(MATCH, "utf-8")
    log = dice_of_files([table, match]).log
    assert len(log) == 10
    assert (log.throw[1:] >= log.throw[:-1]).all()


def test_the_dice_of_a_record_are_those_of_all_its_matches(tmp_path):
    path = tmp_path / "record.sqlite"
    with Store.open(path) as store:
        for _ in range(2):
            number = store.new_match(light="Ann", dark="Ben", clock=lambda: 86_400.0)
            store.append(number, [START, thrown(1, LIGHT, (6, 3), lay(6), lay(3))])
    log = dice_of_record(path).log
    assert log.value.tolist() == [6, 3, 6, 3]
    assert log.session.names == ("match 1, 1970-01-02", "match 2, 1970-01-02")
    assert log.throw.tolist()[0] != log.throw.tolist()[2]


def test_a_missing_record_or_table_is_an_error(tmp_path):
    with pytest.raises(StoreError, match="there is no record"):
        dice_of_record(tmp_path / "none.sqlite")
    (tmp_path / "no.csv").touch()
    with pytest.raises(BadDice, match="is empty"):
        dice_of_files([tmp_path / "no.csv"])
