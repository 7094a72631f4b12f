"""`tableside id`, `check` and `export`, as documented."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from engine import GameEnd, GameStart, PlayMade, Side, apply_play, find_rules
from engine.formats.detect import read_match
from engine.formats.validate.replay import replay
from engine.play import Play
from tableside import cli
from tableside.commands.check import check_file
from tableside.commands.id import answer as answer_id
from tableside.commands.json_lines import answer_lines
from tableside.record.store import Store
from tests.match_files import mat_of, stored

OPENING = find_rules("short").opening()
NOW: dict[str, Any] = {"time": 0.0, "frame": 0}


def ids(*lines: object) -> tuple[int, list[dict]]:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    out = io.StringIO()
    code = answer_lines(texts, out, answer_id)
    return code, [json.loads(line) for line in out.getvalue().splitlines()]


def test_each_id_is_turned_into_the_others_and_light_is_on_roll():
    vectors = [json.loads(line) for line in stored("id_vectors_sample.jsonl.gz").splitlines()]
    by_gnubg = [{"position_id": v["position_id"], "match_id": v["match_id"]} for v in vectors]
    code, answers = ids(*by_gnubg)
    assert code == 0
    for vector, answer in zip(vectors, answers, strict=True):
        assert answer["match_id"] == vector["match_id"]
        assert answer["xgid"].split(":")[0] == vector["xgid"].split(":")[0]
        own = [vector["off"][0], *(max(n, 0) for n in vector["points"]), vector["bar"][0]]
        assert answer["position"]["light"] == own
        assert answer["cube"]["value"] == vector["cube"]
        score = [vector["score_O"], vector["score_X"]]
        assert answer["score"] == (score if vector["mover"].startswith("O") else score[::-1])
        assert (answer["dice"] or [0, 0]) == sorted(vector["dice"], reverse=True)
        assert answer["length"] == vector["match_length"]
    _, found = ids(*({"xgid": vector["xgid"]} for vector in vectors))
    assert [one["xgid"] for one in found] == [vector["xgid"] for vector in vectors]
    assert [one["position_id"] for one in found] == [vector["position_id"] for vector in vectors]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nonsense", "not JSON"),
        ("[]", "an object such as"),
        ({"position_id": "4HPwATDgc/ABMA"}, "match_id missing"),
        ({"xgid": 5}, "ten fields"),
        ({"xgid": "x" * 5000}, "too long for an ID"),
        ("[" * 3000, "not JSON"),
    ],
)
def test_a_bad_line_is_answered_in_its_place(line, says):
    good = {"position_id": "4HPwATDgc/ABMA", "match_id": "cInlAAAAAAAE"}
    code, answers = ids(good, line, "", good)
    assert code == 1
    assert says in answers[1]["error"]
    assert answers[0] == answers[2]


def test_check_reports_one_object_a_file(tmp_path, capsys):
    fine, odd = tmp_path / "fine.mat", tmp_path / "odd.mat"
    fine.write_bytes(stored("self_01.mat.gz"))
    odd.write_bytes(mat_of("  1) 62: 24/18 13/10          31: 8/5 6/5", "  2) rubbish"))
    assert cli.main(["check", "--json", str(fine), str(odd)]) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first == {"file": str(fine), "games": 3, "plays": 80, "illegal": [], "faults": []}
    (one,) = second["illegal"]
    assert (one["game"], one["move"], one["player"], one["dice"]) == (1, 1, "light", [6, 2])
    assert (one["play"], one["line"]) == ("24/18 13/10", 7)
    assert one["rule"]
    assert [fault["line"] for fault in second["faults"]] == [8]


def test_check_prints_the_same_as_text(tmp_path, capsys):
    path = tmp_path / "odd.mat"
    path.write_bytes(mat_of("  1) 62: 24/18 13/10          31: 8/5 6/5"))
    assert cli.main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "1 game, 2 plays, 1 illegal, 0 errors" in out
    assert "game 1, move 1 (line 7), light: 62 24/18 13/10:" in out


def test_check_of_a_file_that_is_none_fails_and_reads_the_others(tmp_path, capsys):
    good, bad = tmp_path / "good.mat", tmp_path / "bad.png"
    good.write_bytes(stored("self_00.mat.gz"))
    bad.write_bytes(b"\x89PNG\0")
    code = cli.main(["check", "--json", str(bad), str(tmp_path / "none.mat"), str(good)])
    captured = capsys.readouterr()
    reports = [json.loads(line) for line in captured.out.splitlines()]
    assert code == 1
    assert [report["plays"] for report in reports] == [0, 0, 42]
    assert captured.err.count("tableside: ") == 2
    assert "this is a picture" in captured.err


@pytest.mark.parametrize("kind", ["mat", "sgf", "xg", "json"])
def test_export_of_a_file_keeps_the_match(kind, tmp_path, capsys):
    given, out = tmp_path / "given.sgf", tmp_path / f"out.{kind}"
    given.write_bytes(stored("self_03.sgf.gz"))
    assert cli.main(["export", str(given), "--format", kind, "--out", str(out)]) == 0
    assert replay(read_match(out.read_bytes())).plays == 111
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"tableside: wrote 3 games of {given} to {out}\n")


@pytest.fixture
def match_file(tmp_path):
    path = tmp_path / "given.mat"
    path.write_bytes(stored("self_00.mat.gz"))
    return path


def test_export_as_a_table_to_standard_output(match_file, tmp_path, capsys):
    assert cli.main(["export", str(match_file), "--format", "csv", "--out", "-"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("game,move,player,")
    assert said.err == f"tableside: wrote 1 game of {match_file} to stdout\n"
    assert list(tmp_path.iterdir()) == [match_file]


def test_export_makes_no_folder_and_overwrites_a_file_only_if_asked(match_file, tmp_path, capsys):
    words = ["export", str(match_file), "--format", "sgf", "--out"]
    assert cli.main([*words, str(tmp_path / "new" / "out.sgf")]) == 1
    assert f"there is no folder {tmp_path / 'new'}" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
    out = tmp_path / "out.sgf"
    out.write_text("mine")
    assert cli.main([*words, str(out)]) == 1
    assert f"{out} exists already; choose another name, or add --force" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert cli.main([*words, str(out), "--force"]) == 0
    assert out.read_text().startswith("(;")


def test_export_of_a_recorded_match_by_number_and_the_last(tmp_path, capsys):
    record, out = tmp_path / "record.sqlite", tmp_path / "out.mat"
    after = apply_play(OPENING, Side.DARK, Play.parse("8/5 6/5"), find_rules("short"))
    with Store.open(record) as store:
        for name in ("Ann", "Bob"):
            match = store.new_match(light=name)
            start = GameStart(**NOW, position=OPENING, light=name, length=3)
            dice = (3, 1)
            made = PlayMade(**NOW, player=Side.DARK, dice=dice, play="8/5 6/5", position=after)
            end = GameEnd(**NOW, winner=Side.DARK, points=1, result="resign")
            store.append(match, [start, made, end])
    for named, name in (("1", "Ann"), ("last", "Bob")):
        words = ["export", named, "--format", "mat", "--out", str(out), "--record", str(record)]
        words.append("--force")
        assert cli.main(words) == 0
        kept = read_match(out.read_bytes())
        assert (kept.players[0], len(kept.games[0].actions), kept.length) == (name, 1, 3)
    words[1] = "7"
    assert cli.main(words) == 1
    assert "has no match 7: it holds 1, 2" in capsys.readouterr().err


def test_export_without_a_record_or_a_file_is_an_error(tmp_path, capsys):
    out = ["--format", "mat", "--out", str(tmp_path / "o"), "--record", str(tmp_path / "none")]
    assert cli.main(["export", "last", *out]) == 1
    assert cli.main(["export", str(tmp_path / "none.mat"), *out]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert "give one with --record" in errors[0]
    assert "No such file" in errors[1]


@pytest.mark.parametrize("last", ["52:", "52: ????"])
def test_a_roll_that_is_still_to_be_played_accuses_nobody(tmp_path, last):
    path = tmp_path / "unfinished.mat"
    path.write_bytes(mat_of(f"  1) 31: 8/5 6/5                   {last}"))
    report = check_file(path)
    assert (report["plays"], report["illegal"], report["faults"]) == (2, [], [])


def test_who_resigns_the_match_gives_up_all_that_the_winner_lacks(tmp_path, capsys):
    path = tmp_path / "resigned.mat"
    rows = ["  1) 31: 8/5 6/5                   62: 24/18 13/11", "  2) Resigned match"]
    path.write_bytes(mat_of(*rows, f"{' ' * 35}Wins 7 points and the match"))
    assert cli.main(["check", str(path)]) == 0
    assert "0 illegal, 0 errors" in capsys.readouterr().out
    path.write_bytes(mat_of(*rows, f"{' ' * 35}Wins 6 points"))
    assert "6 points are recorded, but 3 can" in str(check_file(path)["faults"])
