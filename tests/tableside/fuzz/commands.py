"""The commands that read text or match files, with broken input for each."""

from __future__ import annotations

import io
import json
import random
import string
from argparse import Namespace
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from engine import find_rules
from engine.errors import EngineError
from engine.position import CHECKERS, OFF, Course
from engine.rules import PRESETS, VARIANTS, Rules
from engine.ruleset import GameOptions
from tableside.commands import check, export, plays
from tableside.commands.id import answer as answer_id
from tableside.commands.json_lines import answer_lines
from tableside.errors import StoreError
from tableside.record.export import WRITERS
from tests.broken_files import BROKEN
from tests.mutation import mutated_json
from tests.tableside.fuzz.target import Target, put

TOKENS = (
    *("[", "]", "{", "}", '"', ":", ",", "null", "true", "-1", "1e999", "NaN", "0.5", "15", "16"),
    *("\\ud800", "\\u0000", "٣", "99999999999999999999", '"dice"', "[6, 6]", '"dark"', "é", " "),
)


def mutated(text: str, chance: random.Random) -> str:
    """The line with some of it gone, and tokens put in."""
    for _ in range(chance.choice([1, 1, 2, 4, 10])):
        at = chance.randrange(len(text) + 1)
        end = at + chance.choice([0, 0, 1, 2, 5, 30])
        text = text[:at] + chance.choice(TOKENS) * chance.choice([1, 1, 1, 50]) + text[end:]
    return text.replace("\n", " ")


XGID = {"xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"}
GNUBG_IDS = {"position_id": "4HPwATDgc/ABMA", "match_id": "cInlAAAAAAAE"}
ID_CHARACTERS = f"{string.ascii_letters}{string.digits}+/-:="
PLAYED_BY: tuple[Rules, ...] = (
    *(find_rules(name) for name in VARIANTS),
    *(
        find_rules(name, GameOptions(name, preset=preset))
        for name, presets in PRESETS.items()
        for preset in presets
    ),
)


class Asked(NamedTuple):
    """A line for `tableside plays`, and the rules that its options choose."""

    line: str
    rules: Rules


def broken_line(request: dict[str, Any], chance: random.Random) -> str:
    """The request with a fault, of JSON or in what it says."""
    if chance.random() < 0.5:
        return mutated(json.dumps(request), chance)
    return json.dumps(mutated_json(request, chance))


def any_vector(chance: random.Random, points: list[int], rules: Rules) -> list[int]:
    """A side's checkers on some of these points, borne off, and on the bar if there is one."""
    counts = [0] * 26
    counts[OFF] = rules.start[OFF]
    places = chance.sample(points, min(len(points), chance.randint(1, CHECKERS)))
    places += [OFF] if chance.random() < 0.3 or not places else []
    places += [25] if rules.course is Course.OPPOSED and chance.random() < 0.3 else []
    for _ in range(CHECKERS - counts[OFF]):
        counts[chance.choice(places)] += 1
    return counts


def any_position(chance: random.Random, rules: Rules) -> dict[str, Any]:
    """A request that may be answered: two checkers never share a point with the opponent's."""
    points = chance.sample(range(1, 25), 24)
    cut, across = chance.randint(0, 24), rules.course.across
    light = any_vector(chance, points[:cut], rules)
    dark = any_vector(chance, [across(point) for point in points[cut:]], rules)
    dice = [chance.randint(1, 6), chance.randint(1, 6)]
    return {"light": light, "dark": dark, "to_move": chance.choice(["light", "dark"]), "dice": dice}


def may_be_double(line: str) -> bool:
    """Whether a line for `plays` may ask for the plays of a double."""
    try:
        first, second = json.loads(line)["dice"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return False
    return bool(first == second)


def any_question(chance: random.Random) -> Asked:
    """A line for `plays`: broken, or of a position that no game may ever reach."""
    rules = chance.choice(PLAYED_BY)
    request = any_position(chance, rules)
    whole = chance.random() < 0.4
    line = json.dumps(request) if whole else broken_line(request, chance)
    # A double that rises may have 100,000 plays, and 20 MB of them are no fault.
    is_long = rules.doubles.rising and may_be_double(line)
    return Asked(line, find_rules("short") if is_long else rules)


def any_id(chance: random.Random) -> str:
    """A broken line for `id`, or one with other characters in an ID."""
    request = chance.choice([XGID, GNUBG_IDS])
    if chance.random() < 0.5:
        return broken_line(request, chance)
    name = chance.choice([*request])
    characters = list(request[name])
    for _ in range(chance.choice([1, 1, 2, 4])):
        characters[chance.randrange(len(characters))] = chance.choice(ID_CHARACTERS)
    return json.dumps({**request, name: "".join(characters)})


def answer_of(line: str, answer: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """The answer to one line, as on standard output; raises `EngineError` if it is an error."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    answer_lines([line], out, answer)
    out.flush()
    written = out.buffer.getvalue().decode()
    if not written and not line.strip():
        raise EngineError("an empty line is skipped")
    answered: dict[str, Any] = json.loads(written)
    if "error" in answered:
        raise EngineError(answered["error"])
    return answered


def answered_plays(asked: Asked) -> None:
    """Let `plays` answer a line."""
    found = answer_of(asked.line, lambda line: plays.answer(line, asked.rules))["plays"]
    assert found, "a pass is a play"


class Broken(NamedTuple):
    """A broken match file, and what else a command is told."""

    content: bytes
    choice: str


def any_file(chance: random.Random) -> bytes:
    """A broken match file."""
    return BROKEN[chance.choice([*BROKEN])](chance)


def commands(folder: Path) -> dict[str, Target]:
    """Every such command; `folder` is for files."""
    path = folder / "broken"

    def checked(given: Broken) -> None:
        put(path, given.content)
        with redirect_stdout(io.StringIO()) as told, redirect_stderr(io.StringIO()):
            failed = check.run(Namespace(files=[path], json=given.choice == "json"))
        assert told.getvalue().endswith("\n")
        if failed:
            raise EngineError(told.getvalue())

    def exported(given: Broken) -> None:
        put(path, given.content)
        args = Namespace(match=str(path), format=given.choice, out=export.STDOUT, record=folder)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            export.run(args)

    return {
        "plays": Target(any_question, answered_plays, (EngineError,)),
        "id": Target(any_id, lambda line: answer_of(line, answer_id), (EngineError,)),
        "check": Target(
            lambda chance: Broken(any_file(chance), chance.choice(["json", "text"])),
            checked, (EngineError,),
        ),
        "export": Target(
            lambda chance: Broken(any_file(chance), chance.choice([*WRITERS])),
            exported, (EngineError, StoreError),
        ),
    }  # fmt: skip
