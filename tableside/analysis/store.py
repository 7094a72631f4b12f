"""The answers, in a file beside the record; deleting it only costs the time to compute them again.

One process writes; others read at the same time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Self

from engine.message import msg
from tableside.errors import NoAnalysis
from webui.contracts.analysis import JudgedEvent

METHOD: Final = 2
"""Raise it when the same engine would answer differently: older answers are then ignored."""
MOST_TRIES: Final = 2
"""How often a question is tried that ended the process."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS answers (
  match INTEGER NOT NULL, event INTEGER NOT NULL, question TEXT NOT NULL, engine TEXT NOT NULL,
  tries INTEGER NOT NULL, answer TEXT, PRIMARY KEY (match, event, question, engine)
) WITHOUT ROWID
"""
PAGE_PATIENCE: Final = 5.0
"""Seconds that a page waits for a file that another process holds."""
Key = tuple[int, str]
"""An event's number and the question's key."""


def answers_file(record: Path) -> Path:
    """The file with the answers about a record's matches."""
    return record.with_name(f"{record.stem}.analysis.sqlite")


def forget_answers(record: Path, match: int) -> None:
    """Remove every engine's answers about a match; raises `NoAnalysis`."""
    if answers_file(record).exists():
        with AnswerStore(record, "") as answers:
            answers.forget(match)


class AnswerStore:
    """The answers of one engine; its methods raise `NoAnalysis` if the file cannot be used."""

    def __init__(self, record: Path, engine: str, patience: float = PAGE_PATIENCE) -> None:
        """Open the file, made if there is none; `patience`: seconds to wait while it is busy."""
        self._path, self.engine = answers_file(record), f"{engine}, method {METHOD}"
        with self._errors(), ExitStack() as unopened:
            self._path.touch(mode=0o600)  # it says more than players may know
            self._connection = sqlite3.connect(
                self._path, timeout=patience, isolation_level=None, check_same_thread=False
            )
            unopened.callback(self._connection.close)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_SCHEMA)
            unopened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def answers(self, match: int) -> dict[Key, JudgedEvent | None]:
        """The answers about a match; None for a question that was given up."""
        found = self._rows(
            "SELECT event, question, tries, answer FROM answers WHERE match = ? AND engine = ?",
            match, self.engine,
        )  # fmt: skip
        return {
            (event, question): None if answer is None else json.loads(answer)
            for event, question, tries, answer in found
            if answer is not None or tries >= MOST_TRIES
        }

    def count(self, match: int) -> int:
        """How many questions about a match were answered or given up."""
        found = self._rows(
            "SELECT count(*) FROM answers WHERE match = ? AND engine = ? "
            "AND (answer IS NOT NULL OR tries >= ?)",
            match, self.engine, MOST_TRIES,
        )  # fmt: skip
        return int(found[0][0])

    def begin(self, match: int, key: Key) -> None:
        """Note that a question is being tried, in case that ends the process."""
        self._rows(
            "INSERT INTO answers VALUES (?, ?, ?, ?, 1, NULL) "
            "ON CONFLICT DO UPDATE SET tries = tries + 1",
            match, *key, self.engine,
        )  # fmt: skip

    def keep(self, match: int, key: Key, answer: JudgedEvent) -> None:
        """Store the answer to a question that was begun."""
        self._rows(
            "UPDATE answers SET answer = ? WHERE match = ? AND event = ? AND question = ? "
            "AND engine = ?",
            json.dumps(answer), match, *key, self.engine,
        )  # fmt: skip

    def forget(self, match: int) -> None:
        """Remove every engine's answers about a match."""
        self._rows("DELETE FROM answers WHERE match = ?", match)

    def change(self) -> int:
        """A number that changes when another process has stored something."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise NoAnalysis(
                msg("the analysis in {path}: {error}", path=str(self._path), error=str(error))
            ) from error
