"""Merging and renaming dice: each edit is checked and kept in the record."""

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


def edit_dice_names(record: Path, edit: DiceEdit) -> str:
    """Store the edit; a line that describes it, or the edit that it undoes.

    Nothing has changed after `NotNow` (it is not allowed) or `StoreError` (it cannot be stored).
    """
    if not record.exists():
        raise StoreError(f"there is no record {record}; name one with --db")
    with Store.open(record) as store:
        edits = store.dice_edits()
        check_edit(edit, {row.die for rows in record_rows(store) for row in rows}, edits)
        store.append_dice_edit(edit)
    if isinstance(edit, DiceUndone):
        return f"undone: {edits_in_effect(edits)[-1].sentence}"
    return str(edit.sentence)
