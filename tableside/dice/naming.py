"""Saying that dice are the same, or what they are called: checked, and kept in the record."""

from __future__ import annotations

from pathlib import Path

from engine.dice_sets.edits import (
    DiceEdit,
    DiceUndone,
    check_edit,
    edits_in_effect,
)
from tableside.dice.sources import record_rows
from tableside.errors import StoreError
from tableside.record.store import Store


def say_of_dice(record: Path, word: DiceEdit) -> str:
    """The word is kept in the record; what was said, or what does not hold any more.

    `NotNow` if it cannot be said, `StoreError` if it cannot be kept: then nothing has changed.
    """
    if not record.exists():
        raise StoreError(f"there is no record {record}; name one with --db")
    with Store.open(record) as store:
        words = store.dice_edits()
        check_edit(word, {row.die for rows in record_rows(store) for row in rows}, words)
        store.append_dice_edit(word)
    if isinstance(word, DiceUndone):
        return f"undone: {edits_in_effect(words)[-1]}"
    return str(word)
