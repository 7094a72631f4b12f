"""A CSV file that lists videos: how each is read, who plays in it, when and where."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine.errors import EngineError
from engine.events.names import clean_name
from engine.message import message_of
from engine.rules import SHORT, check_new_match, find_rules
from tableside.errors import WrongUsage
from tableside.match.config import MatchConfig, agreed, find_rule_set

READING: Final = ("length", "variant", "rules", "profile")
"""Columns that say how a video is read: options of `tableside transcribe`."""
NOTHING: Final = MappingProxyType[str, str]({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """Who plays in a video, when and where, as far as somebody said so."""

    light: str = ""
    dark: str = ""
    date: str = ""
    """ISO 8601, with or without the time of day."""
    event: str = ""
    round: str = ""
    table: str = ""

    @property
    def said(self) -> dict[str, Any]:
        """What was said, by name."""
        return {name: value for name, value in asdict(self).items() if value}


NO_CAPTION: Final = Caption()
CAPTION: Final = tuple(asdict(NO_CAPTION))
"""Columns that say what a match is called: no video is read anew for them."""


class Row(NamedTuple):
    """A row of a list."""

    path: Path
    options: Mapping[str, str] = NOTHING
    """Of `READING`, those that it gives."""
    caption: Caption = NO_CAPTION


def read_rows(source: Path, lines: Iterable[str], given: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a list, each checked; `given`: the options of all videos.

    Raises `WrongUsage` that names the line, the column and what is allowed there.
    """
    rows = csv.DictReader(lines)
    columns = rows.fieldnames or ()
    others = [name for name in columns if name not in ("video", *READING, *CAPTION)]
    if "video" not in columns or others:
        wrong = f", not {others[0]!r}" if others else ""
        raise WrongUsage(
            f"the first line of {source} must name the column video, and may name "
            f"{', '.join((*CAPTION, *READING))}{wrong}"
        )
    for row in rows:
        where = f"{source}, line {rows.line_num}"
        if None in row:
            raise WrongUsage(f"{where} has more cells than the first line; quote commas in names")
        cells = {name: text.strip() for name, text in row.items() if text and text.strip()}
        for name in filter(cells.__contains__, _CHECKS):
            if fault := _fault(name, cells[name]):
                raise WrongUsage(f"{where}, column {name}: {fault}")
        options = {name: cells[name] for name in READING if name in cells}
        if fault := _fault_together(*({**given, **options}.get(name, "") for name in READING[:3])):
            raise WrongUsage(f"{where}: {fault}")
        said = {name: _clean(name, cells[name]) for name in CAPTION if name in cells}
        if "video" in cells:
            path = source.parent / Path(cells["video"]).expanduser()
            yield Row(path, options, Caption(**said))


def begun_at(date: str) -> float:
    """The start of a day, or a moment of it, in seconds since 1970; raises `ValueError`."""
    moment = datetime.fromisoformat(date)
    if not 1900 <= moment.year <= 2999:
        raise ValueError(date)
    return moment.astimezone().timestamp()


def _clean(name: str, text: str) -> str:
    return text if name == "date" else clean_name(text)


@cache  # a list has the same rules and profiles in all its lines
def _fault(column: str, text: str) -> str:
    """What is wrong with a cell; empty if nothing is."""
    try:
        _CHECKS[column](text)
    except OSError as error:
        return f"{text}: {error.strerror}"
    except (EngineError, CalibrationError, WrongUsage) as error:
        return str(message_of(error))
    except (ValueError, OverflowError):
        return f"{text!r} is not {_ALLOWED[column]}"
    return ""


@cache
def _fault_together(length: str, variant: str, rules: str) -> str:
    """Why cells that are right by themselves cannot go together; empty if they can."""
    try:
        points = int(length) if length else None
        rule_set = find_rule_set(rules)
        match = agreed(MatchConfig(rules=SHORT), rule_set, variant or None, points)
        check_new_match(match.rules, match.length)
    except EngineError as error:
        return str(message_of(error))
    return ""


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


_CHECKS: Final[dict[str, Callable[[str], object]]] = {
    "length": _whole,
    "variant": find_rules,
    "rules": find_rule_set,
    "profile": lambda text: Profile.load(Path(text)),
    "date": begun_at,
}
_ALLOWED: Final = {
    "length": "a whole number, 0 or more",
    "date": "a date such as 2026-11-27 or 2026-11-27T19:30",
}
