"""The files that a match leaves behind: `match.mat` and `.sgf`, `events.jsonl`, `rolls.csv`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.events.match import Event
from engine.formats import mat_text, match_from_events, sgf_text
from engine.position import Course
from engine.rules import find_rules
from tableside.record.export import chronological
from tableside.record.files import events_text, replace_file


def write_record_files(folder: Path, events: Sequence[Event]) -> tuple[Path, ...]:
    """The paths written; each file is whole, the new one or else the old one.

    What was corrected since is in none of them.

    `StoreError` if the folder or a file cannot be written.
    """
    ordered = chronological(events)
    match = match_from_events(ordered)
    texts = {
        "match.mat": mat_text(match),
        "events.jsonl": events_text(ordered),
        "rolls.csv": rolls_text(ordered),
    }
    if match.games and find_rules(match.variant).course is Course.OPPOSED:
        texts["match.sgf"] = sgf_text(match)
    return tuple(replace_file(folder / name, text) for name, text in texts.items())


def rolls_text(events: Iterable[Event]) -> str:
    """One die a line, void throws with the reason; a die that could not be read has no line.

    `die` names it by its colour where that tells, else by who threw it. Two like dice have one
    name: an event holds the larger number first, so that first and second would look loaded.
    """
    # Imported here: whoever only records needs no statistics.
    from engine.dice_sets.identities import DieIdentities
    from tableside.dice.identity import identify_dice
    from tableside.dice.rolls_csv import write_rows
    from tableside.dice.rows import rows_from_events

    text = io.StringIO()
    rows, _ = identify_dice(list(rows_from_events(events)), DieIdentities())
    write_rows((row for row in rows if row.value), text)
    return text.getvalue()
