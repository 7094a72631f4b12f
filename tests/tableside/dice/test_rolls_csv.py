"""Tables of rolls as users have them: read completely, or refused with the line number."""

from __future__ import annotations

import csv
import io
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.fairness.findings import analyse_log
from engine.fairness.reading import likelihoods
from engine.fairness.report_json import findings_json
from engine.fairness.rolls import Labels
from tableside.dice.rolls_csv import COLUMNS, read_dice, write_rows
from tableside.dice.rows import DieRow, log_from_rows
from tableside.errors import BadDice

HEAD = "time,player,die,value,throw\n"


@pytest.fixture
def read(tmp_path):
    """`read(text)`: what a file with this text holds."""

    def read_text(text, encoding="utf-8"):
        path = tmp_path / "rolls.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return read_dice(path)

    return read_text


def refused(read, text, encoding="utf-8"):
    with pytest.raises(BadDice) as caught:
        read(text, encoding)
    return str(caught.value)


def test_a_table_is_columns(read):
    log = read(f"{HEAD}1,Ann,red,6,1\n1,Ann,white,2,1\n9.5,Ben,red,3,2\n").log
    assert log.value.tolist() == [6, 2, 3]
    assert log.throw.tolist() == [1, 1, 2]
    assert [log.die.names[code] for code in log.die.codes] == ["red", "white", "red"]
    assert log.player.names == ("Ann", "Ben")
    assert log.time.tolist() == [1, 1, 9.5]
    assert log.counted.all()
    assert (log.confidence == 1).all()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("3,Ann,red,7,3", "line 3: a die shows 1 to 6, not '7'"),
        ("3,Ann,red,0,3", "line 3: a die shows 1 to 6, not '0'"),
        ("3,Ann,red,-1,3", "not '-1'"),
        ("3,Ann,red,3.5,3", "not '3.5'"),
        ("3,Ann,red,six,3", "not 'six'"),
        ("later,Ann,red,6,3", "line 3: time 'later' is not a time"),
        ("3,Ann,red,6", "line 3: 4 cells instead of 5 as in the first line"),
        ("3,Ann,red,6,3,1", "line 3: 6 cells instead of 5"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(read, row, says):
    assert says in refused(read, f"{HEAD}1,Ann,red,1,1\n{row}\n9,Ann,red,1,9\n")


@pytest.mark.parametrize(
    ("column", "cell", "says"),
    [
        ("confidence", "1.2", "confidence '1.2' is not a number from 0 to 1"),
        ("counted", "perhaps", "counted 'perhaps' is not 0 or 1"),
        ("x", "left", "x 'left' is not a number"),
    ],
)
def test_a_cell_of_another_column_is_checked_too(read, column, cell, says):
    message = refused(read, f"time,player,die,value,{column}\n1,Ann,red,6,\n2,Ann,red,6,{cell}\n")
    assert "line 3" in message
    assert says in message


@pytest.mark.parametrize("missing", ["time", "player", "die", "value"])
def test_a_column_that_is_missing_is_named(read, missing):
    names = [name for name in ("time", "player", "die", "value") if name != missing]
    message = refused(read, f"{','.join(names)}\n1,2,3\n")
    assert "line 1: there is no column" in message
    assert missing in message


def test_two_columns_of_one_name_are_refused(read):
    assert "two columns are called die" in refused(read, "time,player,die,value,die\n1,A,b,6,c\n")


@pytest.mark.parametrize("text", ["", "\n", "   \n"])
def test_an_empty_file_is_refused_as_empty(read, text):
    assert "is empty" in refused(read, text)


NAMES = f"{HEAD}1,Настя,красный,6,1\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1251"]
)
def test_the_encodings_of_spreadsheets_are_read(read, encoding):
    found = read(NAMES, encoding)
    assert found.log.player.names == ("Настя",)
    assert any("not Unicode" in str(notice) for notice in found.notices) == (encoding == "cp1251")


def test_encodings_that_are_mixed_are_refused_with_both_lines(read):
    mixed = HEAD.encode() + "1,Настя,a,6,1\n".encode() + "2,Настя,a,5,2\n".encode("cp1251")
    message = refused(read, mixed)
    assert "line 3: encodings are mixed: line 2 is UTF-8 and line 3 is not" in message


def test_encodings_are_mixed_behind_a_mark_of_utf_8_too(read):
    mixed = (HEAD + NAMES.partition("\n")[2]).encode("utf-8-sig") + "2,Настя,a,5,2\n".encode(
        "cp1251"
    )
    assert "line 3: encodings are mixed: line 1 is UTF-8 and line 3 is not" in refused(read, mixed)


def test_bytes_that_are_no_text_are_refused_with_their_line(read):
    good = b"1,Ann,a,6,1\n" * 3
    assert "line 5: it is not text" in refused(read, HEAD.encode() + good + b"1,\x98,a,6,1\n")
    assert "6: it has a zero byte" in refused(read, HEAD.encode() + good + b"\n1,\0,a,6,1\n" + good)
    assert "line 5: it is not text" in refused(read, (HEAD + good.decode()).encode("utf-16") + b"1")


CHANCES = "time,player,die,value,p1,p2,p3,p4,p5,p6\n"


def test_the_chances_of_all_faces_are_the_doubt_of_a_reading(read):
    log = read(f"{CHANCES}1,Ann,a,6,0,0,0,0,.3,.7\n2,Ann,a,5,,,,,,\n3,Ann,a,,0,0,0,0,.5,.5\n").log
    assert log.confidence.tolist() == pytest.approx([0.7, 1, 1])
    chances = likelihoods(log.at(np.arange(2)))
    assert chances == pytest.approx(np.array([[0, 0, 0, 0, 0.3, 0.7], [0, 0, 0, 0, 1, 0]]))
    assert analyse_log(log).doubtful == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{CHANCES}1,A,a,6,0,0,0,0,.3,.7\n2,A,a,6,.1,.1,.1,.1,.1,.9\n", "line 3: p1 to p6 add"),
        (f"{CHANCES}1,A,a,6,.1,.1,.1,.1,.1,\n", "line 2: some of p1 to p6 are empty"),
        (f"{CHANCES}1,A,a,6,-1,0,0,0,1,1\n", "line 2: p1 '-1' is not a number"),
        ("time,player,die,value,p6\n1,A,a,6,.4\n", "line 1: there is no column p1"),
    ],
)
def test_chances_that_are_none_are_refused_with_their_line(read, text, says):
    assert says in refused(read, text)


def test_semicolons_and_decimal_commas_are_read(read):
    log = read("time;player;die;value;confidence\n1,5;Ann;red;6;0,75\n2,5;Ann;red;1,0;1\n").log
    assert log.time.tolist() == [1.5, 2.5]
    assert log.value.tolist() == [6, 1]
    assert log.confidence[0] == pytest.approx(0.75)


def test_dates_are_times(read):
    log = read("time,player,die,value\n2026-05-01 18:00:00,A,r,6\n2026-05-01 18:00:09,A,r,5\n").log
    assert np.diff(log.time).tolist() == [9]


def test_blank_lines_are_no_rows_and_the_lines_are_still_right(read):
    assert len(read(f"{HEAD}\n1,A,r,6,1\n\n\n2,A,r,5,2\n\n").log) == 2
    assert "line 5:" in refused(read, f"{HEAD}\n1,A,r,6,1\n\n2,A,r,9,2\n")
    assert "line 4:" in refused(read, f'{HEAD}1,"A\nB",r,6,1\n2,A,r,9,2\n')


def test_a_fault_far_down_is_reported_with_its_line(read):
    rows = "".join(f"{n},A,r,{n % 6 + 1},{n}\n" for n in range(120_000))
    assert "line 120002:" in refused(read, f"{HEAD}{rows}0,A,r,8,0\n")


def test_no_row_is_lost_whatever_is_in_it(read):
    rows = "1,A,r,6,1,1,\n1,A,r,,1,1,\n2,A,r,?,2,1,\n3,A,r,2,3,0,cocked\n4,A,r,3,4,no,\n"
    log = read(f"time,player,die,value,throw,counted,reason\n{rows}").log
    assert len(log) == 5
    assert log.value.tolist() == [6, 0, 0, 2, 3]
    assert log.counted.tolist() == [True, True, True, False, False]
    found = analyse_log(log)
    assert (found.rows, found.unread, found.void) == (5, 2, 2)


def test_without_throws_the_dice_of_a_moment_are_one_in_twos(read):
    rows = "1,A,r,6\n1,A,w,2\n2,A,r,3\n2,A,w,3\n2,B,r,1\n"
    assert read(f"time,player,die,value\n{rows}").log.throw.tolist() == [1, 1, 2, 2, 3]
    still = read("time,player,die,value\n" + "0,A,r,6\n0,A,w,2\n" * 3).log
    assert still.throw.tolist() == [1, 1, 2, 2, 3, 3]
    assert read("time,player,die,value\n,A,r,6\n,A,w,2\n").log.throw.tolist() == [1, 2]


def test_dice_of_one_throw_are_put_together(read):
    log = read(f"{HEAD}1,A,r,6,t1\n1,B,r,1,t2\n1,A,w,5,t1\n1,B,w,2,t2\n1,B,w,2,\n").log
    assert log.value.tolist() == [6, 5, 1, 2, 2]
    assert log.throw.tolist() == [1, 1, 2, 2, 3]


def test_two_dice_of_one_name_in_a_throw_are_like_dice(read):
    assert read(f"{HEAD}1,A,pair,6,1\n1,A,pair,2,1\n").log.pooled == {"pair"}


def changing(first, then, count=40):
    rows = [f"{n},Ann,{first if n < count else then},{n % 6 + 1},{n}\n" for n in range(2 * count)]
    return HEAD + "".join(rows)


def test_a_die_that_is_called_otherwise_from_a_line_on_is_noticed(read):
    found = read(changing("red", "crimson"))
    assert tuple(map(str, found.notices)) == (
        "line 42: Ann throws 'crimson' from here on, but 'red' before; they count as two dice",
    )
    assert len(found.log) == 80


def test_one_die_in_two_spellings_is_noticed(read):
    assert any("'red' and 'Red'" in str(notice) for notice in read(changing("red", "Red")).notices)


def test_two_dice_in_turn_are_nothing_to_notice(read):
    rows = "".join(f"{n},A,red,1,{n}\n{n},A,white,2,{n}\n" for n in range(60))
    assert read(HEAD + rows).notices == ()


def test_names_replace_the_sides_where_there_are_any(read):
    text = "time,player,die,value,name\n1,light,r,6,Ann\n2,dark,w,5,\n"
    log = read(text).log
    assert [log.player.names[code] for code in log.player.codes] == ["Ann", "dark"]


ROW = st.builds(
    DieRow,
    time=st.integers(0, 10**6).map(float),
    player=st.sampled_from(["light", "dark"]),
    die=st.sampled_from(["Ann's pair", "Ben's, pair", 'the "old" one', "красный"]),
    value=st.integers(0, 6),
    throw=st.integers(1, 9),
    reason=st.sampled_from(["", "cocked"]),
    confidence=st.sampled_from([1.0, 0.75]),
    place=st.tuples(st.integers(0, 100).map(lambda n: n / 100), st.just(0.5)),
    surface=st.just("board"),
    session=st.sampled_from(["", "match 1"]),
    name=st.sampled_from(["Ann", "Ben"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ROW, min_size=1, max_size=30))
def test_a_written_table_is_read_back_unchanged(read, rows):
    rows = sorted(rows, key=lambda row: (row.session, row.throw))
    text = io.StringIO()
    assert write_rows(rows, text) == len(rows)
    assert tuple(next(csv.reader([text.getvalue().split("\n")[0]]))) == COLUMNS
    before, after = log_from_rows(rows), read(text.getvalue()).log
    for field in fields(before):
        one, other = getattr(before, field.name), getattr(after, field.name)
        if isinstance(one, Labels):
            assert [one.names[code] for code in one.codes] == [
                other.names[code] for code in other.codes
            ]
        elif field.name != "chances":
            assert np.allclose(one, other, equal_nan=True), field.name


def test_the_numbers_of_a_table_survive_a_round_trip(read):
    chance = np.random.default_rng(1)
    rows = [
        DieRow(
            time=float(n),
            player="light",
            die="Ann's pair",
            value=int(chance.integers(1, 7)),
            throw=n // 2 + 1,
            confidence=float(chance.choice([1, 0.9])),
            name="Ann",
        )
        for n in range(300)
    ]
    text = io.StringIO()
    write_rows(rows, text)
    again = findings_json(analyse_log(read(text.getvalue()).log))
    assert again == findings_json(analyse_log(log_from_rows(rows)))
