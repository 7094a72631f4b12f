"""Tables of matches, turns and players, as CSV and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any, Final

from engine.formats.csv_text import spreadsheet_safe
from engine.message import msg
from webui.contracts.archive import DownloadFile, Unavailable
from webui.contracts.catalog import (
    Form,
    FoundMatch,
    FoundTurn,
    MatchQuestion,
    PlayerRow,
    Players,
    Subject,
)
from webui.views.catalog import position_of

MIME: Final[dict[Form, str]] = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
NO_PARQUET: Final = msg(
    "Parquet files need the package pyarrow: pip install 'tableside[parquet]'; CSV needs none"
)
_FIGURES: Final[dict[str, type]] = {
    **dict.fromkeys(("won", "lost", "points", "plays", "rolls", "doubles", "pips", "timed"), int),
    "seconds": float,
    "analyzed": int,
    "decisions": int,
    **dict.fromkeys(("loss", "luck", "rating"), float),
}
_MATCH: Final[dict[str, type]] = {"match": int, "begun": datetime, "event": str}
COLUMNS: Final[dict[Subject, dict[str, type]]] = {
    "players": {"name": str, "matches": int, "games": int, **_FIGURES},
    "matches": {
        **_MATCH,
        **dict.fromkeys(("round", "table", "variant"), str),
        **dict.fromkeys(("length", "games"), int),
        "is_open": bool,
        **dict.fromkeys(("winner", "side", "name"), str),
        **_FIGURES,
    },
    "turns": {
        **_MATCH,
        "variant": str,
        **dict.fromkeys(("game", "turn"), int),
        **dict.fromkeys(("side", "player", "opponent"), str),
        **dict.fromkeys(("die1", "die2"), int),
        **dict.fromkeys(("play", "opening", "position"), str),
        **dict.fromkeys(("loss", "luck", "seconds"), float),
    },
}
"""The columns of each table. Of a match there is a row for each player."""


_Flat = Callable[[Any], Iterator[dict[str, Any]]]
_safe: Final = lru_cache(1 << 16)(spreadsheet_safe)  # a table has the same texts again and again


def table_file(
    what: Subject,
    form: Form,
    asks: Players,
    asked: MatchQuestion,
    turns: Callable[[], Iterable[FoundTurn]],
) -> DownloadFile:
    """All rows wanted, as a file; raises `Unavailable` for Parquet without pyarrow.

    turns: finds those wanted, however many there are.
    """
    kinds: dict[Subject, tuple[Callable[[], Iterable[Any]], _Flat]] = {
        "players": (partial(asks.players, asked), _of_player),
        "matches": (partial(asks.matches, asked), _of_match),
        "turns": (turns, _of_turn),
    }
    find, flat = kinds[what]
    lines = [line for row in find() for line in flat(row)]
    write = _csv if form == "csv" else _parquet
    return DownloadFile(f"{what}.{form}", MIME[form], write(COLUMNS[what], lines))


def _of_player(row: PlayerRow) -> Iterator[dict[str, Any]]:
    yield dict(row)


def _of_match(row: FoundMatch) -> Iterator[dict[str, Any]]:
    for side, seat in (("light", row["light"]), ("dark", row["dark"])):
        begun, winner = _time(row["begun"]), row["winner"] or ""
        yield {**seat, **row, "begun": begun, "winner": winner, "side": side}


def _of_turn(row: FoundTurn) -> Iterator[dict[str, Any]]:
    first, second = row["dice"] or (None, None)
    begun, position = _time(row["begun"]), str(position_of(row))
    yield {**row, "begun": begun, "die1": first, "die2": second, "position": position}


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _csv(columns: dict[str, type], lines: Sequence[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows([_cell(line[name]) for name in columns] for line in lines)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return _safe(value)
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else value


def _parquet(columns: dict[str, type], lines: Sequence[dict[str, Any]]) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise Unavailable(NO_PARQUET) from error
    types = {
        int: pa.int64(),
        float: pa.float64(),
        str: pa.string(),
        bool: pa.bool_(),
        datetime: pa.timestamp("ms", tz="UTC"),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(lines), schema=schema), out)
    return out.getvalue()
