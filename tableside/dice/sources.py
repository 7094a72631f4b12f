"""Where logs of dice come from: the record of matches, match files, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from engine.dice_sets.edits import DiceNames
from engine.dice_sets.identities import DieIdentities
from engine.fairness import OPENING, joined
from engine.formats import GameFile, MatchFile
from engine.formats.model.match_file import RollAction
from engine.position import Side
from engine.rules import find_rules
from tableside.dice.identity import identified, renamed
from tableside.dice.misreadings import doubts_by_face, uneven_doubts
from tableside.dice.rolls_csv import ReadDice, read_dice
from tableside.dice.rows import DieRow, log_of, pair_of, rows_of
from tableside.errors import StoreError
from tableside.record.export import chronological
from tableside.record.files import load_match
from tableside.record.store import MatchEntry, Store

FAULTS_TOLD: Final = 3
"""Of a match file."""


def dice_of_files(paths: Iterable[Path]) -> ReadDice:
    """The dice of match files and tables, one after the other."""
    read = [_dice_of_file(path) for path in paths]
    return ReadDice(
        joined([one.log for one in read]), tuple(notice for one in read for notice in one.notices)
    )


def _dice_of_file(path: Path) -> ReadDice:
    if path.suffix.lower() == ".csv":
        return read_dice(path)
    match = load_match(path)
    rows = list(rows_of_match(match, path.stem))
    return ReadDice(log_of(rows), tuple(_told_faults(path, match)))


def _told_faults(path: Path, match: MatchFile) -> Iterator[str]:
    for fault in match.faults[:FAULTS_TOLD]:
        place = (
            f"{path}, line {fault.line}"  # apart: it is a sentence of its own in other languages
        )
        yield f"{place}: {fault.what}"
    if len(match.faults) > FAULTS_TOLD:
        yield f"{path}: {len(match.faults) - FAULTS_TOLD} faults more; see `tableside check`"


def rows_of_match(match: MatchFile, session: str = "") -> Iterator[DieRow]:
    """The dice of a match file, in order; it knows neither which die is which nor when it fell.

    The first roll of a game drew lots: such files leave ties out, so its dice are selected, kept
    as `OPENING` and not counted.
    """
    throw = 0
    for game in match.games:
        for number, rolled in enumerate(_rolls(game)):
            throw += 1
            reason = OPENING if number == 0 and _draws_lots(game, match) else ""
            yield from _rows(rolled, match, throw, reason, session)


def _rolls(game: GameFile) -> Iterator[RollAction]:
    return (one for one in game.actions if isinstance(one, RollAction) and _values(one) is not None)


def _values(rolled: RollAction) -> tuple[int | None, int | None] | None:
    """The two dice; None where nobody rolled."""
    if rolled.roll is not None:
        return rolled.roll.high, rolled.roll.low
    return None if rolled.seen == (None, None) else rolled.seen


def _draws_lots(game: GameFile, match: MatchFile) -> bool:
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
    """The dice of all matches of a record, which is only read."""
    if not path.exists():
        raise StoreError(
            f"there is no record {path}; name one with --db, a table with --csv, "
            "match files with --match"
        )
    with Store.open_read_only(path) as store:
        logs, doubts = [], np.zeros((2, 6), np.int64)
        for rows in record_rows(store):
            logs.append(log_of(rows))
            doubts += doubts_by_face(rows)
    return ReadDice(joined(logs), tuple(uneven_doubts(doubts)))


def record_rows(store: Store) -> Iterator[list[DieRow]]:
    """The dice of each match in turn, known again by their colours and called as people said."""
    known, names = DieIdentities(), DiceNames.after(store.dice_edits())
    for entry in store.matches():
        events = chronological(store.events(entry.id))
        rows, known = identified(list(rows_of(events, session_name(entry))), known)
        yield list(renamed(rows, names))


def session_name(entry: MatchEntry) -> str:
    """A match of the record as one session."""
    day = datetime.fromtimestamp(entry.begun, UTC).date().isoformat()
    return f"match {entry.id}, {day}"
