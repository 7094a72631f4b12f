"""`tableside dice`: its output, and its report as text, JSON and page."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from engine.events.match import DiceRolled
from engine.position import Side
from tableside import cli
from tableside.record.store import Store


@pytest.fixture
def table(tmp_path):
    """A table of 200 throws of a red and a white die, some with positions."""
    path = tmp_path / "rolls.csv"
    chance = np.random.default_rng(1)
    rows = ["time,player,die,value,throw,x,y,confidence"]
    for throw in range(200):
        player = ("Ann", "<b>Ben</b>")[throw % 2]
        for die in ("red", "white"):
            x, y = chance.random(2)
            sure = chance.choice([1, 1, 0.9])
            rows.append(
                f"{throw},{player},{die},{chance.integers(1, 7)},{throw},{x:.3f},{y:.3f},{sure}"
            )
    path.write_text("\n".join(rows), "utf-8")
    return path


def run(capsys, *words):
    """Exit code, output and errors."""
    code = cli.main(["dice", *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_report_is_text_for_people(capsys, table):
    code, out, err = run(capsys, "report", "--csv", table)
    assert (code, err) == (0, "")
    assert "red: 200 rolls:" in out
    assert "pair red/white: 200 throws" in out
    assert re.search(r"luck: [\d,]+ pips, [\d,]+ expected", out)
    assert not re.search("fair", out, re.IGNORECASE)


def test_the_report_is_one_json_object_for_programs(capsys, table):
    code, out, _ = run(capsys, "report", "--csv", table, "--json")
    report = json.loads(out)
    assert code == 0
    assert set(report["dice"]) == {"red", "white"}
    assert report["dice"]["red"]["n"] == 200
    assert set(report["players"]) == {"Ann", "<b>Ben</b>"}
    assert "independence_p" in report["pairs"]["red/white"]
    assert report["rows"]["all"] == 400


def test_the_page_is_self_contained_and_never_calls_dice_fair(capsys, table, tmp_path):
    page = tmp_path / "dice.html"
    run(capsys, "report", "--csv", table, "--html", page)
    text = page.read_text("utf-8")
    assert not re.search(r"""(src|href)\s*=|url\(|@import|<script|https?://""", text)
    assert not re.search("fair", text, re.IGNORECASE)
    assert "&lt;b&gt;Ben" in text
    assert "<b>Ben" not in text
    assert text.count("<svg") >= 7


def test_the_page_and_its_notices_are_in_the_language_that_is_asked_for(
    capsys, tmp_path, monkeypatch
):
    odd = tmp_path / "Имена.csv"
    rows = [f"{n},Анна,{'red' if n % 2 else 'Red'},{n % 6 + 1}" for n in range(40)]
    odd.write_text("\n".join(["time,player,die,value", *rows]), "utf-8")
    page = tmp_path / "dice.html"
    for more, system in ((["--lang", "ru"], "C"), (["--force"], "ru_RU.UTF-8")):
        monkeypatch.setenv("LC_ALL", system)
        code, out, err = run(capsys, "report", "--csv", odd, "--html", page, *more)
        assert code == 0
        assert "count as two dice" in err
        assert "no verdict rests on a p-value" in out, "the command line is English"
        text = page.read_text("utf-8")
        assert '<html lang="ru">' in text
        assert "считаются двумя костями" in text
        assert "Имена.csv" in text
    run(capsys, "report", "--csv", odd, "--html", page, "--lang", "en", "--force")
    assert '<html lang="en">' in page.read_text("utf-8")


def test_a_language_that_there_is_not_is_wrong_usage(capsys, table, tmp_path):
    page = tmp_path / "dice.html"
    code, _, err = run(capsys, "report", "--csv", table, "--html", page, "--lang", "tlh")
    assert (code, err) == (2, "tableside: --lang tlh: choose en or ru\n")
    assert not page.exists()


def test_a_known_misreading_is_allowed_for(capsys, table, tmp_path):
    plain = json.loads(run(capsys, "report", "--csv", table, "--json")[1])
    rated = json.loads(run(capsys, "report", "--csv", table, "--json", "--misread", "0.05")[1])
    wide = lambda report: np.ptp(np.array(report["dice"]["red"]["bounds"])[0])  # noqa: E731
    assert wide(rated) > wide(plain)
    matrix = tmp_path / "reader.json"
    matrix.write_text(json.dumps(np.eye(6).tolist()), "utf-8")
    assert run(capsys, "report", "--csv", table, "--misread", matrix)[0] == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [("[[1]]", "six rows"), ("no json", "six rows of six numbers"), ('{"a": 1}', "six rows")],
)
def test_a_bad_matrix_is_one_line(capsys, table, tmp_path, content, says):
    matrix = tmp_path / "reader.json"
    matrix.write_text(content, "utf-8")
    code, out, err = run(capsys, "report", "--csv", table, "--misread", matrix)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert says in err


def test_a_rate_that_is_none_is_wrong_usage(capsys, table):
    code, _, err = run(capsys, "report", "--csv", table, "--misread", "7")
    assert code == 2
    assert "a rate from 0 to" in err


def test_a_bad_table_is_one_line_with_its_number_and_exit_code_1(capsys, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("time,player,die,value\n1,Ann,red,6\n2,Ann,red,0\n", "utf-8")
    code, out, err = run(capsys, "report", "--csv", bad, "--json")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "bad.csv, line 3" in err


def test_twelve_rows_are_enough_for_an_answer(capsys, tmp_path):
    few = tmp_path / "few.csv"
    rows = "".join(f"{n},Ann,red,{face}\n" for n, face in enumerate("641352216345"))
    few.write_text(f"time,player,die,value\n{rows}", "utf-8")
    code, out, _ = run(capsys, "report", "--csv", few, "--json")
    die = json.loads(out)["dice"]["red"]
    assert (code, die["n"], die["p_method"]) == (0, 12, "exact")
    assert "too few" in die["verdict"]


def test_a_report_without_any_roll_is_an_error(capsys, tmp_path):
    none = tmp_path / "none.csv"
    none.write_text("time,player,die,value\n", "utf-8")
    code, _, err = run(capsys, "report", "--csv", none)
    assert code == 1
    assert "no rolls found" in err


def test_a_file_that_is_not_there_is_one_line(capsys, tmp_path):
    code, _, err = run(capsys, "report", "--csv", tmp_path / "gone.csv")
    assert (code, err.count("\n")) == (1, 1)
    assert "gone.csv: No such file" in err


def test_the_record_is_written_as_a_table_and_reads_the_same(capsys, tmp_path):
    record, table = tmp_path / "record.sqlite", tmp_path / "all.csv"
    with Store.open(record) as store:
        number = store.new_match()
        rolls = [(6, 3), (2, None), (4, 4)]
        store.append(number, [
            DiceRolled(time=n, frame=n, player=Side.LIGHT, dice=dice)
            for n, dice in enumerate(rolls)
        ])  # fmt: skip
    code, _, err = run(capsys, "log", "--record", record, "--out", table)
    assert (code, err) == (0, f"wrote 6 die rolls to {table}\n")
    of_table = json.loads(run(capsys, "report", "--csv", table, "--json")[1])
    of_record = json.loads(run(capsys, "report", "--record", record, "--json")[1])
    assert of_table == of_record
    assert of_record["rows"]["unread"] == 1
    assert run(capsys, "log", "--record", tmp_path / "no.sqlite", "--out", table)[0] == 1


def test_db_is_another_name_of_record_that_no_help_shows(capsys, tmp_path):
    for words in (["report"], ["log", "--out", tmp_path / "a.csv"], ["undo"]):
        code, _, err = run(capsys, *words, "--db", tmp_path / "none.sqlite")
        assert code == 1
        assert f"there is no record {tmp_path / 'none.sqlite'}; give one with --record" in err
        with pytest.raises(SystemExit):
            run(capsys, words[0], "--help")
        out = capsys.readouterr().out
        assert "--record" in out
        assert "--db" not in out


@pytest.mark.slow
def test_the_simulation_reports_promised_and_found_rates(capsys):
    code, out, err = run(capsys, "simulate", "--logs", "100", "--rolls", "300", "--json")
    rates = {rate["name"]: rate for rate in json.loads(out)["rates"]}
    assert (code, err) == (0, "")
    assert all(rate["is_kept"] for rate in rates.values())
    assert rates["e >= 20"]["nominal"] == 0.05


def test_a_simulation_too_small_to_show_anything_is_wrong_usage(capsys):
    code, _, err = run(capsys, "simulate", "--logs", "3")
    assert code == 2
    assert "100 or more" in err


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TABLESIDE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def uneven_table(path, faces):
    rows = [f"{n},Ann,red,{face}" for n, face in enumerate(faces)]
    path.write_text("\n".join(["time,player,die,value", *rows]), "utf-8")
    return path


def test_a_closed_sample_is_tested_once_and_may_be_read_again(capsys, tmp_path, home):
    faces = np.random.default_rng(1).permutation(
        np.repeat(np.arange(1, 7), [66, 53, 60, 62, 62, 97])
    )
    table = uneven_table(tmp_path / "rolls.csv", faces)
    growing = json.loads(run(capsys, "report", "--csv", table, "--json")[1])
    assert (growing["dice"]["red"]["sign"], growing["closed"]) == ("quiet", None)

    code, out, err = run(capsys, "report", "--csv", table, "--json", "--final")
    closed = json.loads(out)
    assert (code, closed["dice"]["red"]["sign"]) == (0, "closer")
    assert closed["closed"]["rolls"] == 400
    assert "a closed sample since 20" in err
    assert json.loads(run(capsys, "report", "--csv", table, "--json", "--final")[1]) == closed


def test_a_sample_that_grew_is_not_closed_again(capsys, tmp_path, home):
    table = uneven_table(tmp_path / "rolls.csv", [1, 2, 3, 4, 5, 6] * 20)
    assert run(capsys, "report", "--csv", table, "--final")[0] == 0
    uneven_table(table, [1, 2, 3, 4, 5, 6] * 21)
    code, out, err = run(capsys, "report", "--csv", table, "--final")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "the first 120 of these rolls were declared closed on 20" in err
    assert run(capsys, "report", "--csv", table)[0] == 0


def test_a_damaged_list_of_closed_samples_is_one_line(capsys, table, home):
    home.mkdir()
    (home / "closed-samples.jsonl").write_text('{"rolls"', "utf-8")
    code, out, err = run(capsys, "report", "--csv", table, "--final")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "closed-samples.jsonl is damaged" in err


def test_a_plan_says_what_rolls_will_show(capsys):
    code, out, _ = run(capsys, "plan", "600")
    assert code == 0
    assert "600 rolls of a die show, with 80 % probability" in out
    assert re.search(r"one face off by 3\d % or 4\d %", out)
    assert json.loads(run(capsys, "plan", "600", "--json")[1])["rolls"] == 600
    assert "A face off by 5 % shows" in run(capsys, "plan", "--bias", "5")[1]


@pytest.mark.parametrize("words", [[], ["600", "--bias", "5"], ["12"], ["--bias", "0"]])
def test_a_plan_without_a_question_is_wrong_usage(capsys, words):
    code, out, err = run(capsys, "plan", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
