"""Dice of the record, told apart by color: across turns and matches, and on disk."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import DieSeen, Observation
from engine.dice_sets.identities import DieIdentities
from engine.events.codec import as_json, from_json
from engine.events.match import DiceRolled, DieAtRest, GameStart, OpeningRolled
from engine.evidence.observation import DieAppearance
from engine.evidence.still_period import DieTrack
from engine.position import Side
from engine.rules import find_rules
from engine.turns.throw import Throw
from tableside.dice.book import RecordDice
from tableside.dice.identity import identify_dice
from tableside.dice.rolls_csv import read_dice
from tableside.dice.rows import log_from_rows, rows_from_events
from tableside.dice.sources import dice_of_record
from tableside.record.observation_codec import _die, _die_json, decode_entry, encode_entry
from tableside.record.store import Store
from tableside.review.output_files import rolls_text

LIGHT, DARK = Side
START = GameStart(
    time=0, frame=0, position=find_rules("short").opening(), light="Ann", dark="Ben", length=3
)
WHITE, RED = (81.0, -1.0, 4.0), (34.0, 43.0, 26.0)


def lay(value, body, n=0):
    """How one die lay; `n` varies its color a little."""
    chances = tuple(float(face == value) for face in range(1, 7))
    seen = (body[0] + n % 3, body[1], body[2] - n % 2)
    return DieAtRest(
        chances=chances, place=(0.7, 0.5), appearance=DieAppearance(seen, (50.0, 0.0, 0.0), 0.0265)
    )


def throw(n, player, bodies, seen=True):
    """The n-th throw of a match, with random values."""
    high, low = sorted(((7 * n) % 6 + 1, (5 * n) % 6 + 1), reverse=True)
    lays = (lay(low, bodies[1], n), lay(high, bodies[0], n)) if seen else ()
    return DiceRolled(time=n, frame=n, player=player, dice=(high, low), dice_at_rest=lays)


def match(light=(WHITE, WHITE), dark=(RED, RED), turns=6):
    return [START, *(throw(n, Side.LIGHT, light) if n % 2 else throw(n, Side.DARK, dark)
                     for n in range(2 * turns))]  # fmt: skip


def named(events, known=None):
    rows, _ = identify_dice(list(rows_from_events(events)), known or DieIdentities())
    return rows


def names(rows):
    return {(row.name, row.die) for row in rows}


def test_each_players_pair_is_known_by_its_colour():
    rows = named(match())
    assert names(rows) == {("Ann", "white pair"), ("Ben", "red pair")}
    assert log_from_rows(rows).pooled == {"white pair", "red pair"}


def test_a_turn_that_was_taken_for_the_other_players_goes_to_the_right_dice():
    wrong = throw(20, DARK, (WHITE, WHITE))
    rows = named([*match(), wrong])
    assert [row.die for row in rows[-2:]] == ["white pair"] * 2


def test_a_red_die_and_a_white_one_are_two_whoever_throws_them():
    rows = named(match(light=(RED, WHITE), dark=(WHITE, RED)))
    log = log_from_rows(rows)
    assert set(log.die.names) == {"red die", "white die"}
    assert log.pooled == frozenset()
    assert all(row.appearance.body[0] > 60 for row in rows if row.die == "white die")


def test_like_pairs_of_both_players_stay_apart_by_who_threw_them():
    rows = named(match(dark=(WHITE, WHITE)))
    assert names(rows) == {
        ("Ann", "white pair thrown by Ann"), ("Ben", "white pair thrown by Ben")
    }  # fmt: skip


def test_the_other_die_of_a_pair_is_known_where_its_own_colour_is_not():
    hidden = replace(throw(20, LIGHT, (WHITE, WHITE)).dice_at_rest[0], appearance=None)
    cocked = replace(throw(20, LIGHT, (WHITE, WHITE)), dice_at_rest=(hidden, lay(3, WHITE)))
    assert [row.die for row in named([*match(), cocked])[-2:]] == ["white pair"] * 2
    mixed = match(light=(RED, WHITE), dark=(WHITE, RED))
    dice = [row.die for row in named([*mixed, cocked])[-2:]]
    assert sorted(dice) == ["Ann's pair", "white die"], "it may be either of the two"
    lots = OpeningRolled(time=30, frame=30, light=4, dark=2, dice_at_rest=(lay(4, WHITE),))
    assert [row.die for row in named([*match(), lots])[-2:]] == ["white pair", "Ben's pair"]


def test_without_colours_a_pair_is_its_players_as_in_older_records():
    events = [START, throw(1, LIGHT, (WHITE, WHITE), seen=False), throw(2, DARK, (RED, RED))]
    assert names(named(events)) == {("Ann", "Ann's pair"), ("Ben", "Ben's pair")}


def test_the_two_dice_of_a_tied_opening_are_distinguished():
    tie = OpeningRolled(
        time=0.5, frame=0, light=4, dark=4, dice_at_rest=(lay(4, RED), lay(4, WHITE))
    )
    rows = named([START, tie, *match()[1:]])
    assert {row.die for row in rows[:2]} == {"red pair", "white pair"}


def test_a_roll_keeps_the_appearance_of_its_dice_and_older_rolls_have_none():
    event = throw(1, LIGHT, (WHITE, RED))
    written = as_json(event)
    again: Any = from_json(written)
    assert again.dice_at_rest == event.dice_at_rest
    for one in written["lay"]:
        del one["make"]
    older: Any = from_json(written)
    assert [one.appearance for one in older.dice_at_rest] == [None, None]


def test_an_observation_keeps_the_appearance_of_a_die():
    make = DieAppearance(RED, WHITE, 0.026)
    die = DieSeen((1 / 6,) * 6, (10.0, 20.0), (0.5, 0.5), appearance=make)
    look = Observation(np.zeros((28, 31), np.float32), (die,))
    assert decode_entry(encode_entry(look)).dice[0].appearance == make
    before_colours = _die_json(die)[:-1]
    assert _die(before_colours) == replace(die, appearance=None)


def test_many_observations_of_a_die_give_its_usual_colour():
    seen = [DieSeen((1 / 6,) * 6, (0, 0), (0.6, 0.5), appearance=DieAppearance((light, 0, 0), WHITE,
    0.026))
            for light in (70.0, 71.0, 20.0)]  # fmt: skip
    track = DieTrack.of(seen[0]) + DieTrack.of(seen[1]) + DieTrack.of(seen[2])
    assert track.appearance.body == (70.0, 0.0, 0.0)
    assert Throw((track,), 0.0, 0).dice_at_rest[0].appearance == track.appearance
    assert DieTrack.of(DieSeen((1 / 6,) * 6, (0, 0), (0, 0))).appearance is None


@pytest.fixture
def path(tmp_path):
    """A record: Ann's white pair against red, then her red one against white."""
    path = tmp_path / "record.sqlite"
    with Store.open(path) as store:
        for events in (match(), match(light=(RED, RED), dark=(WHITE, WHITE))):
            number = store.new_match(light="Ann", dark="Ben")
            store.append(number, events)
            store.close_match(number)
    return path


def test_dice_are_the_same_in_all_matches_of_a_record(path):
    log = dice_of_record(path).log
    assert set(log.die.names) == {"white pair", "red pair"}
    assert len(log.session.names) == 2
    with Store.open_read_only(path) as store:
        report = RecordDice(store).report(with_open=True)
    assert {unit.name for unit in report.ended.groups["dice"]} == {"white pair", "red pair"}
    assert all(unit.is_pooled for unit in report.ended.groups["dice"])


def test_the_page_goes_on_from_the_same_dice_of_matches_before(path):
    with Store.open(path) as store:
        book = RecordDice(store)
        before = book.report(with_open=True).ended
        number = store.new_match(light="Cid", dark="Ben")
        store.append(number, match()[:8])
        (playing,) = book.report(with_open=True).playing
        assert {die.name for die, _ in playing.dice} == {"white pair", "red pair"}
        rolls = {unit.name: unit.rolls for unit in before.groups["dice"]}
        assert rolls["white pair"] == 24
        assert "".join(book.rolls_csv(with_open=True)).count("white pair") == 24 + 6
        assert book.report(1, with_open=True).ended.groups["dice"]


def test_a_match_names_dice_by_colour_and_a_given_table_overrules_it(tmp_path):
    text = rolls_text(match())
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["die"] for row in rows} == {"white pair", "red pair"}
    assert {row["colour"][:2] for row in rows if row["die"] == "red pair"} <= {"#8", "#9", "#7"}
    assert rows[0]["side"] == "0.0265"
    table = tmp_path / "rolls.csv"
    table.write_text(text.replace("white pair", "my old ones"), "utf-8")
    assert set(read_dice(table).log.die.names) == {"my old ones", "red pair"}
