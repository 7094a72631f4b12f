"""Writes the files of a match: `match.mat`, `match.sgf`, `events.jsonl` and `rolls.csv`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from engine.errors import EngineError
from engine.events.match import Event
from engine.formats.from_events import match_from_events
from engine.formats.mat.write import mat_text
from engine.formats.sgf.write import sgf_text
from tableside.console import say
from tableside.record.export import chronological
from tableside.record.files import events_text, replace_file

MATCH_FILES: Final = ("match.mat", "match.sgf", "events.jsonl", "rolls.csv")
"""What `write_record_files` may write, in the order of its result."""


def write_record_files(
    folder: Path, events: Sequence[Event], *, mode: int = 0o666
) -> tuple[Path, ...]:
    """Write the files of the effective events, each atomically; return their paths.

    The events come first, whatever happens to the others; a line on stderr names a format that
    cannot express the match. Raises `StoreError` if the folder or a file cannot be written.

    mode: who may do what with them, less the process's mask.
    """
    ordered = chronological(events)
    written = {
        name: replace_file(folder / name, write(ordered), mode)
        for name, write in (("events.jsonl", events_text), ("rolls.csv", rolls_text))
    }
    match = match_from_events(ordered)
    writers = {"match.mat": mat_text} | ({"match.sgf": sgf_text} if match.games else {})
    for name, write_match in writers.items():
        try:
            text = write_match(match)
        except EngineError as error:
            say(f"{name} was not written: {error}")
        else:
            written[name] = replace_file(folder / name, text, mode)
    return tuple(written[name] for name in MATCH_FILES if name in written)


def rolls_text(events: Iterable[Event]) -> str:
    """One line for each die that was read, including void throws with their reasons.

    `die` is named by its color if possible, else by who threw it. Two similar dice share a name:
    events hold the larger number first, so separate names would make the dice look loaded.
    """
    # Imported here because recording needs no statistics.
    from engine.dice_sets.identities import DieIdentities
    from tableside.dice.identity import identify_dice
    from tableside.dice.rolls_csv import write_rows
    from tableside.dice.rows import rows_from_events

    text = io.StringIO()
    rows, _ = identify_dice(list(rows_from_events(events)), DieIdentities())
    write_rows((row for row in rows if row.value), text)
    return text.getvalue()
