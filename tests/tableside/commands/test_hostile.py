"""Broken inputs to each command that reads text: an answer or an error, never a traceback."""

from __future__ import annotations

import io
import json
import random
from argparse import Namespace
from contextlib import suppress

import pytest

from engine import find_rules
from engine.errors import EngineError
from engine.rules import VARIANTS
from tableside.commands import check, plays
from tableside.commands.id import answer as answer_id
from tableside.commands.json_lines import answer_lines
from tableside.record.export import WRITERS, find_match
from tableside.record.files import replace_file
from tests.binary_files import xg_of
from tests.match_files import RandomMatch

TOKENS = (
    *("[", "]", "{", "}", '"', ":", ",", "null", "true", "-1", "1e999", "NaN", "0.5", "15", "16"),
    *("\\ud800", "\\u0000", "٣", "99999999999999999999", '"dice"', "[6, 6]", '"dark"', "é", " "),
)


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice([1, 1, 2, 4, 10])):
        at = chance.randrange(len(text) + 1)
        end = at + chance.choice([0, 0, 1, 2, 5, 30])
        text = text[:at] + chance.choice(TOKENS) * chance.choice([1, 1, 1, 50]) + text[end:]
    return text.replace("\n", " ")


def answered(lines: list[str], answer) -> list[dict]:
    """What is written to a file in UTF-8, as on standard output."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    answer_lines(lines, out, answer)
    out.flush()
    return [json.loads(line) for line in out.buffer.getvalue().decode().splitlines()]


@pytest.mark.parametrize("name", VARIANTS)
def test_plays_answers_every_broken_line(name):
    chance, rules = random.Random(name), find_rules(name)
    opening = rules.opening()
    asked = {"light": list(opening.light), "dark": list(opening.dark), "to_move": "light"}
    line = json.dumps({**asked, "dice": [2, 1]})
    lines = [mutated(line, chance) for _ in range(10_000 // len(VARIANTS))]
    found = answered(lines, lambda line: plays.answer(line, rules))
    assert len(found) == len([line for line in lines if line.strip()])
    assert all("error" in one or "plays" in one for one in found)
    assert sum("error" in one for one in found) > len(found) / 2


def test_id_answers_every_broken_line():
    chance = random.Random(1)
    xgid = '{"xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"}'
    gnubg = '{"position_id": "4HPwATDgc/ABMA", "match_id": "cInlAAAAAAAE"}'
    lines = [mutated(chance.choice([xgid, gnubg]), chance) for _ in range(10_000)]
    found = answered(lines, answer_id)
    assert all("error" in one or "xgid" in one for one in found)


def broken(chance: random.Random) -> bytes:
    match = RandomMatch(chance.randrange(6), has_illegal=True, most_games=1).made()
    if chance.random() < 0.2:
        whole = bytearray(xg_of(match))
        whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        return bytes(whole)
    text = WRITERS[chance.choice(["mat", "sgf", "xg", "json"])](match)
    return "\n".join(
        mutated(line, chance) if chance.random() < 0.03 else line for line in text.split("\n")
    ).encode()


def test_check_and_export_survive_broken_files(tmp_path, capsys):
    chance, path = random.Random(2), tmp_path / "broken"
    for _ in range(150):
        path.write_bytes(broken(chance))
        check.run(Namespace(files=[path], json=True))
        check.run(Namespace(files=[path], json=False))
        for write in WRITERS.values():
            with suppress(EngineError):
                replace_file(tmp_path / "out", write(find_match(str(path), tmp_path)))
    assert capsys.readouterr().out.count("\n") > 300
