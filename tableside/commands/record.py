"""`tableside record`: check, repair, back up and restore the record, add matches, or end them."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.message import message_of
from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    force_option,
    record_option,
)
from tableside.console import say
from tableside.errors import StoreError
from tableside.paths import default_record
from tableside.printable import printable

if TYPE_CHECKING:  # it loads SQLite's users
    from tableside.record.recorder import WriterLock
    from tableside.record.store import Store

_ACTIONS: Final = (
    (
        "check",
        "look for damage in the record, its journal, their checksums and the stills",
        "tableside record check",
    ),
    (
        "repair",
        "rebuild a damaged record from its journal; the damaged file is kept",
        "tableside record repair",
    ),
    (
        "backup",
        "copy the record into one file, also while a match is recorded",
        "tableside record backup\ntableside record backup --out /media/stick/record.sqlite",
    ),
    (
        "add",
        "add matches: match files (.mat, .sgf, .xg, .bgf, .txt), or an archive of videos",
        "tableside record add evening.mat\ntableside record add ~/matches ~/archive",
    ),
    (
        "unfinished",
        "list the matches that can go on: `tableside live --resume` takes their numbers",
        "tableside record unfinished",
    ),
    ("end", "end unfinished matches as they stand", "tableside record end 12"),
    (
        "restore",
        "put a backup in the place of the record, which is kept under another name",
        "tableside record restore record.sqlite.backups/2026-11-26-1200.sqlite",
    ),
)

FOLDER_ENDINGS: Final = (".mat", ".sgf", ".xg", ".bgf")
"""Of match files in a folder: other texts have the other endings too."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside record`, its actions and their options."""
    parser = command(
        subparsers,
        "record",
        COMMANDS["record"],
        "tableside record check\ntableside record backup",
        "`tableside record ACTION --help` describes each action.",
    )
    actions = parser.add_subparsers(title="actions", dest="action", metavar="ACTION", required=True)
    for action, summary, examples in _ACTIONS:
        added = command(actions, action, summary, examples)
        if action == "backup":
            added.add_argument(
                "--out",
                type=Path,
                metavar="FILE",
                help="file to write; default: one with today's date beside the record",
            )
            force_option(added)
        if action == "add":
            added.add_argument(
                "files",
                type=Path,
                nargs="+",
                metavar="PATH",
                help="match file, folder of them, or archive",
            )
        if action == "end":
            added.add_argument(
                "matches", type=int, nargs="+", metavar="MATCH", help="number of the match"
            )
        if action == "restore":
            added.add_argument("backup", type=Path, metavar="FILE", help="backup to restore")
        record_option(added)


def run(args: Namespace) -> int:
    """Carry out the action; 1 if the record is damaged."""
    record: Path = args.record or default_record()
    carry_out: dict[str, Callable[[], int]] = {
        "check": lambda: _check(record),
        "repair": lambda: _repair(record),
        "backup": lambda: _backup(args, record),
        "add": lambda: _add(args.files, record),
        "unfinished": lambda: _list_unfinished(record),
        "end": lambda: _end(args.matches, record),
        "restore": lambda: _restore(args.backup, record),
    }
    return carry_out[args.action]()


def _check(record: Path) -> int:
    from tableside.record.check import findings
    from tableside.record.store import Store
    from tableside.review.stills import damaged_stills, stills_folder

    with Store.open_read_only(record) as store:
        found = findings(record)
        matches = store.matches() if not found else []
    for line in found:
        say(line)
    if found:
        say(f"{record} is damaged; `tableside record repair --record {record}` rebuilds it")
        return 1
    say(f"{record} is intact: {len(matches)} matches, {sum(one.events for one in matches)} events")
    damaged = {one.id: damaged_stills(stills_folder(record, one.id)) for one in matches}
    for match, count in damaged.items():
        if count:
            say(f"{count} damaged stills of match {match}; nothing brings a picture back")
    return 1 if any(damaged.values()) else 0


def _repair(record: Path) -> int:
    from tableside.record.check import findings
    from tableside.record.journal import Journal
    from tableside.record.repair import rebuild
    from tableside.record.store import Store

    if not record.exists() and not Journal(record).exists:
        raise StoreError(f"there is no record {record}; give one with --record")
    lock = _lock(record)
    try:
        if record.exists() and not findings(record):
            say(f"{record} is intact")
            return 0
        rebuilt = rebuild(record)
        Store.open(record).close()
    finally:
        lock.release()
    say(rebuilt.sentence)
    return 1 if rebuilt.losses else 0


def _backup(args: Namespace, record: Path) -> int:
    from tableside.record.backup import back_up

    day = time.strftime("%Y-%m-%d")
    target: Path = args.out or record.with_name(f"{record.stem}-{day}{record.suffix}")
    check_overwriting(args, target)
    back_up(record, target)
    say(f"wrote {target}")
    return 0


def _add(paths: list[Path], record: Path) -> int:
    """Add each file's match; 1 if one of them was not added."""
    from tableside.record.files import match_content
    from tableside.recording.archive.to_record import is_archive
    from tableside.review.edits import add_match_file, edited_record
    from webui.contracts.archive import ArchiveError

    refused = 0
    with edited_record(record) as store:
        archives = [path for path in paths if is_archive(path)]
        refused += sum(_add_archive(store, path) for path in archives)
        for path in _match_files([path for path in paths if path not in archives]):
            try:
                added = add_match_file(store, path.name, match_content(path))
            except (OSError, EngineError, ArchiveError) as error:
                reason = (error.strerror or "") if isinstance(error, OSError) else message_of(error)
                say(printable(f"{path}: {reason}"))
                refused += 1
                continue
            faults = len(added["faults"])
            note = f", with faults: tableside check {path}" if faults else ""
            print(printable(f"{path}: match {added['id']}{note}"))
    return 1 if refused else 0


def _add_archive(store: Store, folder: Path) -> int:
    """Add the matches of an archive of videos; how many were not added."""
    from tableside.recording.archive.to_record import add_archive

    refused = 0
    for one in add_archive(store, folder):
        if one.match is None:
            say(printable(f"{one.entry.video}: {one.fault}"))
            refused += 1
        else:
            print(printable(f"{one.entry.video}: match {one.match}"))
    return refused


def _end(matches: list[int], record: Path) -> int:
    """End the matches; 1 if one of them was not ended."""
    from tableside.review.edits import end_match
    from webui.contracts.archive import ArchiveError

    refused = 0
    for number in matches:
        try:
            end_match(record, number)
        except ArchiveError as error:
            say(printable(str(message_of(error))))
            refused += 1
    return 1 if refused else 0


def _list_unfinished(record: Path) -> int:
    from tableside.record.open_matches import OpenMatches
    from tableside.record.store import Store

    with Store.open_read_only(record) as store:
        for one in OpenMatches(store).unfinished():
            print(printable(one.summary))
    return 0


def _match_files(paths: list[Path]) -> Iterator[Path]:
    """The files, and those in the folders and below that are match files by their names."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for found in sorted(path.rglob("*")):
            if found.suffix.lower() in FOLDER_ENDINGS and found.is_file():
                yield found


def _restore(backup: Path, record: Path) -> int:
    from tableside.record.backup import restore
    from tableside.record.store import Store

    lock = _lock(record)
    try:
        aside = restore(backup, record)
        Store.open(record).close()
    finally:
        lock.release()
    say(f"{record} is now {backup.name}" + (f"; it was kept as {aside.name}" if aside else ""))
    return 0


def _lock(record: Path) -> WriterLock:
    from tableside.record.recorder import WriterLock

    return WriterLock(record)
