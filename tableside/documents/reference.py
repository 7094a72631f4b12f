"""The reference pages of `docs/reference/` that are generated from the code.

`make reference` writes them; a test fails if the committed pages are out of date.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import fields
from enum import Enum
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, get_args, get_origin

from engine.cube import CubeRules
from engine.events import codec  # noqa: F401 (every event registers in `EVENTS`)
from engine.events.match import EVENTS
from engine.rules import PRESETS, SCORINGS, VARIANTS
from engine.ruleset import LONGEST_MATCH, RULE_SETS, USUAL, GameOptions, NextStarter, RuleSet
from engine.ruleset_file import rule_set_json
from tableside.cli import build_parser
from tableside.hall import asyncapi

MADE: Final = "<!-- Made by `make reference`; change the code instead. -->"
METHODS: Final = ("get", "post")
OWN_ANSWERS: Final = ("202", "204")
"""Status codes that each address explains itself; the page explains the others once."""


def main(folder: Path) -> None:
    """Write every page to the folder."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def commands_page() -> str:
    """Every command with its arguments and examples, from the parsers."""
    parser = build_parser()
    lines = [
        *("# Commands", "", MADE, ""),
        "`tableside COMMAND --help` shows the same in a terminal. Exit codes: 0 success, 1 failed,",
        "2 wrong usage. A failure prints one line to stderr that says what to do.",
        "",
        *_table([*_own_actions(parser), *_log_actions(parser)]),
        "",
        "`--version` is used without a command; the other two work with every command.",
    ]
    for command in _commands_of(parser):
        lines += ["", f"## {command.prog}", "", *_command_lines(command)]
    return "\n".join(lines) + "\n"


def _command_lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from filter(None, [parser.description])
    yield ""
    for line in (parser.epilog or "").removeprefix("examples:\n").splitlines():
        yield f"    {line.strip()}"
    for title, actions in _tables_of(parser).items():
        if actions:
            yield from ("", f"{title[0].upper()}{title[1:]}:", "") if title else ("",)
            yield from _table(actions)


def _tables_of(parser: argparse.ArgumentParser) -> dict[str, list[argparse.Action]]:
    """The arguments by the title of their group; those without one by argparse's own groups."""
    tables: dict[str, list[argparse.Action]] = {"": []}
    for group in parser._action_groups:  # noqa: SLF001 (argparse has no public list of them)
        title = "" if group.title in ("positional arguments", "options") else group.title or ""
        tables.setdefault(title, []).extend(
            one
            for one in group._group_actions  # noqa: SLF001
            if not (_is_common(one) or isinstance(one, argparse._SubParsersAction))  # noqa: SLF001
        )
    return tables


def _commands_of(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers below this one, those of actions after their command's."""
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for command in dict.fromkeys(action.choices.values()):
                yield command
                yield from _commands_of(command)


def _own_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The options that need no command."""
    options = [one for one in parser._actions if one.option_strings]  # noqa: SLF001
    return [one for one in options if not _is_common(one)]


def _log_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    first = next(_commands_of(parser))
    return [one for one in first._actions if one.dest == "console_level"]  # noqa: SLF001


def _is_common(action: argparse.Action) -> bool:
    return action.dest in ("help", "console_level") or action.help == argparse.SUPPRESS


def _table(actions: Iterable[argparse.Action]) -> Iterator[str]:
    yield from ("| argument | what it does |", "| --- | --- |")
    for action in actions:
        name = ", ".join(f"`{one}`" for one in _spellings(action))
        yield f"| {_cell(name)} | {_cell(_help(action))} |"


def _spellings(action: argparse.Action) -> list[str]:
    names = action.metavar if isinstance(action.metavar, tuple) else (action.metavar,)
    if action.choices and not action.metavar:
        names = ("|".join(map(str, action.choices)),)
    value = " ".join(filter(None, names))
    repeated = value + "..." if action.nargs in ("+", "*") else value
    if not action.option_strings:
        return [repeated or action.dest]
    if action.nargs == "?":
        repeated = f"[{value}]"
    if isinstance(action.nargs, int) and len(names) == 1 and action.nargs:
        repeated = " ".join([value] * action.nargs)
    return [f"{option} {repeated}".strip() for option in action.option_strings]


def _help(action: argparse.Action) -> str:
    return (action.help or "") % {**vars(action), "prog": ""}


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def api_page() -> str:
    """Every address of the API, from its OpenAPI document."""
    document = _openapi()
    lines = [
        *("# HTTP API", "", MADE, ""),
        *API_HEAD.splitlines(),
    ]
    for tag in document["tags"]:
        lines += ["", f"## {tag['name']}", ""]
        lines += ["| request | what it does | body |", "| --- | --- | --- |"]
        for path, methods in document["paths"].items():
            for method in METHODS:
                if tag["name"] in methods.get(method, {}).get("tags", ()):
                    lines.append(_operation_row(document, method, path, methods[method]))
    lines += ["", "## Bodies", ""]
    for name, schema in _bodies(document):
        lines += [f"### {name}", "", " ".join(schema.get("description", "").split()), ""]
        lines += [*_schema_rows(schema), ""]
    return "\n".join(lines)


API_HEAD: Final = """\
The page uses this API, and your programs can use it too. The running program serves the full
OpenAPI document, with the schema of every response, at `/api/openapi.json`. See
[Control a match from a program](../how-to/http-api.md) for log-in, headers and examples.

`?name` marks a query parameter. An error is `{"message": "one line"}`, with one of these codes:

| code | meaning |
| --- | --- |
| 400, 415, 422 | the body cannot be read, is not JSON, or has an invalid value |
| 401 | log in first |
| 403 | for the referee only, or the header `X-Tableside: 1` is missing |
| 404 | there is no such match, turn, picture or file, or no match is being recorded |
| 409 | not possible now; nothing was changed, and the message says why |
| 413, 429 | the body is too long, or there were too many requests |
| 421 | the server does not serve the host name in the address |
| 503 | the vision process does not respond |
"""


def _openapi() -> dict[str, Any]:
    from tableside.record.store import Store
    from tableside.review.archive import RecordArchive
    from tableside.site.state_hub import StateHub
    from webui.app import create_app
    from webui.pages.dice import install_dice
    from webui.pages.matches import install_review

    app = create_app(StateHub())
    with TemporaryDirectory() as folder:
        record = Path(folder) / "record.sqlite"
        with closing(Store.open(record)), closing(RecordArchive(record)) as archive:
            install_review(app, archive)
            install_dice(app, archive.dice)
            document: dict[str, Any] = app.test_client().get("/api/openapi.json").get_json()
    return document


def _operation_row(
    document: dict[str, Any], method: str, path: str, operation: dict[str, Any]
) -> str:
    asked = [one for one in operation.get("parameters", ()) if one["in"] == "query"]
    query = "".join(f" `?{one['name']}`" for one in asked)
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    name = "" if body is None else body["schema"]["$ref"].rpartition("/")[2]
    link = f"[{name}](#{name.lower()})" if name in document["components"]["schemas"] else name
    answers = operation["responses"]
    own = [f"{code}: {answers[code]['description']}" for code in OWN_ANSWERS if code in answers]
    request = f"`{method.upper()} {path}`{query}"
    return f"| {_cell(request)} | {_cell(' '.join([operation['summary'], *own]))} | {link} |"


def _bodies(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    schemas = document["components"]["schemas"]
    used = json.dumps(document)
    return [
        (name, schema)
        for name, schema in sorted(schemas.items())
        if name.endswith("Body") and f'schemas/{name}"' in used
    ]


def _schema_rows(schema: dict[str, Any]) -> Iterator[str]:
    yield from ("| field | type | required |", "| --- | --- | --- |")
    for name, field in schema["properties"].items():
        required = "yes" if name in schema.get("required", ()) else "no"
        yield f"| `{name}` | {_cell(_type_text(field))} | {required} |"


def _type_text(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(map(_type_text, field["anyOf"]))
    if "$ref" in field:
        name = field["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if field.get("type") == "array":
        least, most = field.get("minItems"), field.get("maxItems")
        count = f"{most} " if least == most and most else ""
        return f"array of {count}{_type_text(field['items'])}"
    span = [field[one] for one in ("minimum", "maximum") if one in field]
    return str(field.get("type", "any")) + (f", {' to '.join(map(str, span))}" if span else "")


def events_page() -> str:
    """Every kind of event, from its class."""
    lines = [*("# Events", "", MADE, ""), *EVENTS_HEAD.splitlines()]
    for name, kind in sorted(EVENTS.items()):
        notes = _field_notes(kind)
        lines += ["", f"## {name}", "", " ".join((inspect.getdoc(kind) or "").split()), ""]
        rows = [one for one in fields(kind) if one.name not in ("time", "frame")]
        if rows:
            lines += ["| field | type | |", "| --- | --- | --- |"]
        for one in rows:
            key = str(one.metadata.get("json", one.name))
            key = key if key != "make" else one.name
            hint = notes.types.get(one.name, "")
            words = notes.words.get(one.name) or _alias_words(kind, hint)
            lines.append(f"| `{key}` | {_cell(f'`{_spelt_out(kind, hint)}`')} | {_cell(words)} |")
    return "\n".join(lines) + "\n"


EVENTS_HEAD: Final = """\
A record is a list of events. `events.jsonl` holds them in order, one JSON object per line; `type`
names the kind of event. Every event has `time`, in seconds, and `frame`, the frame's number in its
source (without a camera, the event's own number). Programs that read events should ignore types and
fields they do not know. A field that has its default value may be left out.

The types in the tables are Python's; `None` is `null` in JSON. `Side` is `"light"` or `"dark"`.
`Die` is 1 to 6, and `Dice` is two of these, with `null` for a die that was not read. `Count` is a
whole number from 0, and `Probability` a number from 0 to 1. `Position` is `{"light": [26 counts],
"dark": [26 counts]}`; in each list, entry 0 counts the checkers borne off, entries 1 to 24 those on
the player's own points, and entry 25 those on the bar. `Message` is `{"id": text, "values": {..}}`,
with `plural` if the text depends on a number. `Seconds` is a number from 0, and `Hex` is bytes in
hexadecimal. `Alternative` is `{"play": text, "confidence": probability}`. `DieAtRest` is one die as
the camera saw it: `chances` (the probabilities of its six faces), `place` (0 to 1 across the
playing field), `flat`, `surface`, `side`, and `make` (its colors and size).
"""


def _spelt_out(kind: type[Any], hint: str) -> str:
    """The type hint, with any alias for a set of words replaced by the words."""
    hint = re.sub(r"Annotated\[(\w+), .*\]", r"\1", hint)
    for written in re.findall(r"Literal\[.*?\]|\w+", hint):
        choices = get_args(_literals(kind).get(written))
        if written.startswith("Literal["):
            choices = ast.literal_eval(written.removeprefix("Literal"))
        if choices:
            hint = hint.replace(written, " | ".join(map(json.dumps, choices)))
    return hint


def _alias_words(kind: type[Any], hint: str) -> str:
    """The docstrings of the aliases for sets of words in the hint."""
    body = ast.parse(inspect.getsource(sys.modules[kind.__module__])).body
    named = set(re.findall(r"\w+", hint)) & _literals(kind).keys()
    return " ".join(words for name, words in _words_below(body).items() if name in named)


def _literals(kind: type[Any]) -> dict[str, Any]:
    """The aliases for sets of words in the class's module."""
    names = vars(sys.modules[kind.__module__])
    return {name: value for name, value in names.items() if get_origin(value) is Literal}


class _Notes:
    """The type hints of a class's fields, and the sentences below them."""

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self.words: dict[str, str] = {}


def _field_notes(kind: type[Any]) -> _Notes:
    notes = _Notes()
    for base in reversed(kind.__mro__[:-1]):
        body = ast.parse(inspect.getsource(base)).body[0]
        statements = body.body if isinstance(body, ast.ClassDef) else []
        for one in statements:
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                notes.types[one.target.id] = ast.unparse(one.annotation)
        notes.words |= _words_below(statements)
    return notes


def _words_below(statements: Iterable[ast.stmt]) -> dict[str, str]:
    """The docstring below each assignment, by the name assigned to."""
    words: dict[str, str] = {}
    for one, after in pairwise(statements):
        targets = [one.target] if isinstance(one, ast.AnnAssign) else getattr(one, "targets", [])
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            words |= {ast.unparse(target): str(after.value.value) for target in targets}
    return words


def rule_sets_page() -> str:
    """The presets field by field, and what each field and value means."""
    presets = [*RULE_SETS.values(), USUAL]
    lines = [*("# Rule sets", "", MADE, ""), *RULE_SETS_HEAD.splitlines(), ""]
    lines += [f"| field | {' | '.join(f'`{one.name}`' for one in presets)} |"]
    lines += [f"| --- |{' --- |' * len(presets)}"]
    plain = [rule_set_json(one) for one in presets]
    for field in [one for one in plain[0] if one not in ("name", "cube", "unconfirmed")]:
        lines.append(f"| `{field}` | {' | '.join(_value(one, field) for one in plain)} |")
    for field in plain[0]["cube"]:
        lines.append(
            f"| `cube.{field}` | {' | '.join(_json(one['cube'][field]) for one in plain)} |"
        )
    lines += ["", "\\* No public text confirms this value; it is taken from `seeds`.", ""]
    lines += ["## Fields and their values", "", *_choices(), "", "## The `[cube]` table", ""]
    lines += ["| field | |", "| --- | --- |"]
    notes = _field_notes(CubeRules)
    lines += [f"| `{name}` | {_cell(words)} |" for name, words in notes.words.items()]
    lines += ["", "## The `[game]` table", "", GAME_HEAD, "| field | | values |"]
    lines += ["| --- | --- | --- |", *_game_choices()]
    lines += [
        "",
        "## Variants",
        "",
        f"`--variant` takes {', '.join(f'`{one}`' for one in VARIANTS)}.",
    ]
    return "\n".join(lines) + "\n"


RULE_SETS_HEAD: Final = """\
`--rules` takes one of these names, or a TOML file:

| name | procedure |
| --- | --- |
| `casual` | friendly play: the dice may land in either half, and spectators may help |
| `seeds` | traditional rules, from the rule texts that this project started with |
| `us2009` | United States tournament rules of 2008 and 2009 |
| `usbgf`, `wbgf`, `ukbgf` | the US, World and UK Backgammon Federations |
| `narde` | narde |
| `classic000`, `classic002`, `site_classic`, `home_block` | narde with these house rules |

Without `--rules` the procedure is `usual`: `seeds`, except that a turn ends with the opponent's
throw. A TOML file changes one of the presets:

```toml
base = "wbgf"            # the preset that the lines below change
roll_zone = "baffle"
announce = "referee"

[cube]
beavers = true
```

and chooses the options of the game:

```toml
base = "narde"

[game]
variant = "narde"
preset = "classic002"
scoring = "koks3"
last_roll_draw = true
```

[Rules and their sources](rules.md) says where each rule comes from and how the program applies it.
"""


GAME_HEAD: Final = """\
A match keeps these options in its record. What the table leaves out is as in the variant itself;
`--variant` and `--length`, or the page, come before its `variant` and `length`.
"""


def _game_choices() -> Iterator[str]:
    """Each option of a game, and its values."""
    values = {
        "variant": "see below",
        "length": f"a number from 0 to {LONGEST_MATCH}",
        "preset": "; ".join(f"{name}: {_names(known)}" for name, known in PRESETS.items()),
        "scoring": "narde and its kin: " + " ".join(map(_scoring, SCORINGS)),
        "last_roll_draw": "narde and its kin: true, false",
        "next_starter": " ".join(_values(NextStarter)),
        "swap_colors": "true, false",
    }
    notes = _field_notes(GameOptions)
    for one in fields(GameOptions):
        yield f"| `{one.name}` | {_cell(notes.words[one.name])} | {values[one.name]} |"


def _scoring(name: str) -> str:
    return f"`{name}`: {_cell(inspect.getdoc(SCORINGS[name]) or '')}"


def _names(known: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in known)


def _value(plain: dict[str, Any], field: str) -> str:
    mark = " \\*" if field in plain["unconfirmed"] else ""
    return f"{_json(plain[field])}{mark}"


def _json(value: object) -> str:
    return f"{value}" if isinstance(value, str) else json.dumps(value)


def _choices() -> Iterator[str]:
    yield from ("| field | what it decides | values |", "| --- | --- | --- |")
    notes = _field_notes(RuleSet)
    for one in fields(RuleSet):
        kind = type(getattr(USUAL, one.name))
        if one.name in ("name", "cube", "game", "unconfirmed"):
            continue
        values = " ".join(_values(kind)) if issubclass(kind, Enum) else "true, false"
        words = notes.words.get(one.name) or inspect.getdoc(kind) or ""
        yield f"| `{one.name}` | {_cell(words)} | {values} |"


def _values(kind: type[Enum]) -> Iterator[str]:
    """Each value with its docstring."""
    words = _words_below(ast.parse(inspect.getsource(kind)).body[0].body)  # type: ignore[attr-defined]
    for name, member in kind.__members__.items():
        yield f"`{member.value}`: {words[name]}"


def hall_page() -> str:
    """Every message of tables and hall."""
    head = ["# Messages of a hall", "", MADE, "", *HALL_HEAD.splitlines(), ""]
    return "\n".join([*head, *asyncapi.page_lines()]) + "\n"


HALL_HEAD: Final = """\
`tableside live --hall` publishes a table to an MQTT 5 broker. Your programs can listen, and publish
tables of their own. [asyncapi.json](asyncapi.json) describes the same as AsyncAPI. Every payload is
a JSON object; programs should ignore fields that they do not know.

Events have QoS 1: what comes twice has the same number. States have QoS 0, since another follows
within 5 s and the broker keeps the newest for whoever comes later. With QoS 1 the broker would
queue outdated states for a hall that is slow, and drop events once its queue is full.
"""


def hall_document() -> str:
    """The same as AsyncAPI."""
    return json.dumps(asyncapi.document(), indent=1) + "\n"


PAGES: Final[dict[str, Callable[[], str]]] = {
    "commands.md": commands_page,
    "http-api.md": api_page,
    "events.md": events_page,
    "rule-sets.md": rule_sets_page,
    "hall-messages.md": hall_page,
    "asyncapi.json": hall_document,
}
"""The functions that make each page, by file name."""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
