"""Dice logs from the record, match files and tables; users' names for dice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from engine.dice_sets.edits import DiceEdit, DiceNames, DiceUndone, check_edit, edits_in_effect
from engine.dice_sets.identities import DieIdentities
from engine.dice_sets.names import pair_of
from engine.fairness.rolls import OPENING, join_logs
from engine.formats.model.match_file import GameFile, MatchFile, RollAction
from engine.message import Message, join, msg, ngettext
from engine.position import Side
from engine.rules import find_rules
from tableside.dice.identity import identify_dice, rename_dice
from tableside.dice.misreadings import uneven_misreading_notices, unread_by_face
from tableside.dice.rolls_csv import ReadDice, read_dice
from tableside.dice.rows import DieRow, log_from_rows, rows_from_events
from tableside.errors import StoreError
from tableside.record.export import chronological
from tableside.record.files import load_match
from tableside.record.store import MatchEntry, Store

FOLDER_SUFFIXES: Final = ((".mat", ".sgf", ".xg", ".bgf"), (".csv",))
"""Files that are read when a folder is given: the first kind of which it has any, because tables
beside matches show the same dice again."""
MAX_FAULT_NOTICES: Final = 3
"""Errors in a match file that are reported as notices."""


def dice_of_files(paths: Iterable[Path]) -> ReadDice:
    """The dice of match files and tables as one log; a folder stands for all in it, by name.

    What a folder holds twice, as a copy or in two formats, counts once: its rolls would seem to be
    twice the evidence. Raises `StoreError` for a folder without any.
    """
    read: list[ReadDice] = []
    for given in paths:
        seen: set[bytes] = set()
        for path in _files_at(given):
            one = _dice_of_file(path)
            rolls = one.log.value.tobytes()
            if rolls in seen:
                again = msg("{path} has the rolls of another file and was left out", path=str(path))
                one = ReadDice(join_logs([]), (again,))
            seen.add(rolls)
            read.append(one)
    return ReadDice(
        join_logs([one.log for one in read]),
        tuple(notice for one in read for notice in one.notices),
    )


def _files_at(path: Path) -> list[Path]:
    """The file, or the match files, else the tables, in the folder and those below it."""
    if not path.is_dir():
        return [path]
    for suffixes in FOLDER_SUFFIXES:
        if found := sorted(one for one in path.rglob("*") if one.suffix.lower() in suffixes):
            return found
    raise StoreError(f"there is no match file in {path}")


def _dice_of_file(path: Path) -> ReadDice:
    if path.suffix.lower() == ".csv":
        return read_dice(path)
    match = load_match(path)
    rows = list(rows_from_match(match, path.stem))
    return ReadDice(log_from_rows(rows), tuple(_fault_notices(path, match)))


def _fault_notices(path: Path, match: MatchFile) -> Iterator[Message]:
    for fault in match.faults[:MAX_FAULT_NOTICES]:
        place = msg("{path}, line {line}", path=str(path), line=fault.line)
        yield join((place, fault.message), ": ")
    if (more := len(match.faults) - MAX_FAULT_NOTICES) > 0:
        rest = ngettext(
            "{path}: {number} more error", "{path}: {number} more errors", more, path=str(path)
        )
        yield join([rest, msg("see `tableside check`")])


def rows_from_match(match: MatchFile, session: str = "") -> Iterator[DieRow]:
    """The dice of a match file, in order; their identity and times are unknown.

    The opening roll is marked `OPENING` and not counted: files omit ties, which biases it.
    """
    throw = 0
    for game in match.games:
        for number, rolled in enumerate(_rolls(game)):
            throw += 1
            reason = OPENING if number == 0 and _has_opening_roll(game, match) else ""
            yield from _rows(rolled, match, throw, reason, session)


def _rolls(game: GameFile) -> Iterator[RollAction]:
    return (one for one in game.actions if isinstance(one, RollAction) and _values(one) is not None)


def _values(rolled: RollAction) -> tuple[int | None, int | None] | None:
    """The two dice; None if nobody rolled."""
    if rolled.roll is not None:
        return rolled.roll.high, rolled.roll.low
    return None if rolled.seen == (None, None) else rolled.seen


def _has_opening_roll(game: GameFile, match: MatchFile) -> bool:
    """Whether the first roll of a game is one die of each player."""
    return game.start is None and not find_rules(match.variant).starter_rolls_again


def _rows(
    rolled: RollAction, match: MatchFile, throw: int, reason: str, session: str
) -> Iterator[DieRow]:
    name = match.players[0 if rolled.side is Side.LIGHT else 1]
    for value in _values(rolled) or ():
        yield DieRow(
            time=float(throw),
            player=rolled.side.value,
            die=pair_of(name),
            value=value or 0,
            throw=throw,
            reason=reason,
            session=session,
            name=name,
        )


def dice_of_record(path: Path) -> ReadDice:
    """The dice of all matches of a record, which is opened read-only."""
    if not path.exists():
        raise StoreError(
            f"there is no record {path}; give one with --record, match files with "
            "--match, or a table with --csv"
        )
    with Store.open_read_only(path) as store:
        logs, unread = [], np.zeros((2, 6), np.int64)
        for rows in record_rows(store):
            logs.append(log_from_rows(rows))
            unread += unread_by_face(rows)
    return ReadDice(join_logs(logs), tuple(uneven_misreading_notices(unread)))


def record_rows(store: Store) -> Iterator[list[DieRow]]:
    """The dice of each match, identified by color and named as users named them."""
    known, names = DieIdentities(), DiceNames.after(store.dice_edits())
    for entry in store.matches():
        events = chronological(store.events(entry.id))
        rows, known = identify_dice(list(rows_from_events(events, session_name(entry))), known)
        yield list(rename_dice(rows, names))


def session_name(entry: MatchEntry) -> str:
    """The session name for a match of the record."""
    day = datetime.fromtimestamp(entry.begun, UTC).date().isoformat()
    return f"match {entry.id}, {day}"


def edit_dice_names(record: Path, edit: DiceEdit) -> str:
    """Store the edit; return a line that describes it, or the edit that it undoes.

    Raises `NotNow` if it is not allowed and `StoreError` if it cannot be stored; then nothing has
    changed.
    """
    if not record.exists():
        raise StoreError(f"there is no record {record}; give one with --record")
    with Store.open(record) as store:
        edits = store.dice_edits()
        check_edit(edit, {row.die for rows in record_rows(store) for row in rows}, edits)
        store.append_dice_edit(edit)
    if isinstance(edit, DiceUndone):
        return f"undone: {edits_in_effect(edits)[-1].sentence}"
    return str(edit.sentence)
