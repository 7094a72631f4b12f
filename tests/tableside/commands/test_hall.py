"""`tableside hall`: records come in, results go out, and what is wrong is one line."""

from __future__ import annotations

import contextlib
import csv
import json

import pytest

from engine.events.record import MatchNoted, PlayersNamed
from tableside.cli import main
from tableside.record.backup import back_up, restore
from tableside.record.store import Store
from tests.tableside.sample_record import finished, match_events, record_match


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "record.sqlite"
    with Store.open(path) as store:
        record_match(store, finished(match_events()), is_closed=True)
    return path


def test_a_record_is_imported_once_and_its_result_written(record, tmp_path, capsys):
    store, table = str(tmp_path / "hall.sqlite"), tmp_path / "results.csv"
    imports = ["hall", "--store", store, "--import", f"7={record}"]
    assert main([*imports, "--results", str(table)]) == 0
    (row,) = csv.DictReader(table.read_text("utf-8").splitlines())
    assert (row["table"], row["light"], row["status"]) == ("7", "Ann & Co", "final")
    assert main(imports) == 0
    assert "0 of " in capsys.readouterr().err.splitlines()[-1]
    as_json = tmp_path / "results.json"
    assert main(["hall", "--store", store, "--results", str(as_json)]) == 0
    assert json.loads(as_json.read_text("utf-8"))[0]["winner"] == row["winner"]


def test_a_match_of_which_the_hall_has_other_events_is_named_and_not_imported(
    record, tmp_path, capsys
):
    imports = ["hall", "--store", str(tmp_path / "hall.sqlite"), "--import", f"7={record}"]
    back_up(record, tmp_path / "backup.sqlite")
    for light in ("Eve", "Zoe"):
        with Store.open(record) as store:
            store.append(1, [PlayersNamed(time=99.0, frame=99, light=light, dark="Ben")] * 2)
        assert main(imports) == 0
        restore(tmp_path / "backup.sqlite", record)
    assert "the hall has another record of it from event " in capsys.readouterr().err
    results = tmp_path / "results.json"
    assert main([*imports, "--results", str(results)]) == 0
    assert json.loads(results.read_text("utf-8"))[0]["light"] == "Eve"


def test_neither_notes_nor_matches_of_other_programs_are_imported(record, tmp_path, capsys):
    with Store.open(record) as store:
        store.append(1, [MatchNoted(time=0.0, frame=0, text="private")])
        store.add_finished_match(finished(match_events()), 1000.0, "evening.mat")
    path = tmp_path / "hall.sqlite"
    assert main(["hall", "--store", str(path), "--import", f"7={record}"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "match 1: " in line
    assert b"private" not in path.read_bytes()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "hall needs --broker URL, or --announce"),
        (["--broker", "mqtt://x", "--webhook", "http://y/z"], "needs a secret"),
        (["--import", "7"], "is not TABLE=FILE"),
        (["--import", "7=missing.sqlite"], "there is no record missing.sqlite"),
        (["--results", "results.txt"], "written as .csv or .json"),
    ],
)
def test_what_cannot_work_is_refused(options, why, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLESIDE_WEBHOOK_SECRET", raising=False)
    with contextlib.suppress(SystemExit):
        assert main(["hall", "--store", "hall.sqlite", *options]) in (1, 2)
    assert why in capsys.readouterr().err
