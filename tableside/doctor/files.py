"""Checks of the files: the data folder, its disk, the record, the nets, the passwords, the log."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final

import vision
from tableside.doctor.finding import Finding, Places, ok, problem, warning
from tableside.errors import BrokenRecord, NewerRecord, StoreError, WrongUsage
from tableside.logs import log_files
from tableside.record.check import findings, matches_with_secrets
from tableside.record.disk import LOW_BYTES
from tableside.record.journal import Journal
from tableside.record.recorder import is_claimed
from tableside.record.store import Store
from tableside.site.network import read_passwords

SLOW_DISK_S: Final = 0.1
"""An event waits for two such writes."""
MODELS: Final = Path(vision.__file__).parent / "models"
SUMS: Final = "SHA256SUMS"
_ERRORS: Final = ('"level": "ERROR"', '"level": "CRITICAL"')
_OTHERS: Final = 0o077
_GB: Final = 1 << 30


def check_folder(places: Places) -> Iterator[Finding]:
    """The folder of the record: whether it can be written, and how much room and how fast it is."""
    folder = places.record.parent
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        yield problem(f"{there} is a file where a folder should be", "rename it")
        return
    if not os.access(there, os.W_OK | os.X_OK):
        yield problem(f"nothing can be written to {there}", "give another file with --record")
        return
    free = shutil.disk_usage(there).free
    room = f"{free / _GB:.1f} GB free in {there}"
    if free < LOW_BYTES:
        yield problem(room, "free some space: pictures are no longer saved")
    elif free < _GB:
        yield warning(room, "free some space: an evening with pictures takes up to 2 GB")
    else:
        yield ok(room)
    if folder.exists() and sys.platform != "win32" and folder.stat().st_mode & _OTHERS:
        yield warning(f"other users can open {folder}", f"run `chmod 700 {folder}`")
    try:
        seconds = _write_seconds(there)
    except OSError as error:
        yield problem(f"writing to {there} fails: {error.strerror}", "check the disk")
        return
    speed = f"a write is on the disk after {seconds * 1000:.0f} ms"
    slow = "each event is shown so much later; use another disk"
    yield warning(speed, slow) if seconds > SLOW_DISK_S else ok(speed)


def _write_seconds(folder: Path) -> float:
    """The median time of a small write that reaches the disk."""
    times = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(9):
            started = time.perf_counter()
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return median(times)


def check_record(places: Places) -> Iterator[Finding]:
    """The record and its journal."""
    record = places.record
    if not record.exists() and not Journal(record).exists:
        yield ok(f"no record yet in {record}")
        return
    repair = f"run `tableside record repair --record {record}`"
    try:
        with Store.open_read_only(record) as store:
            found = findings(record)
            newest = store.newest_matches(1) if not found else ()
        secret = matches_with_secrets(record) if not found else []
    except NewerRecord as error:
        what, _, mend = str(error).partition("; ")
        yield problem(what, mend)
        return
    except BrokenRecord:
        yield problem(f"the record {record} is damaged", repair)
        return
    except StoreError as error:
        what, _, mend = str(error).partition("; ")
        yield problem(what, mend or "give another file with --record")
        return
    if found:
        yield problem(f"the record {record} is damaged: {found[0]}", repair)
        return
    yield ok(f"the record {record} is intact")
    if is_claimed(record):
        yield ok("a match is being recorded to it now")
    if newest and newest[0].begun > time.time():
        day = time.strftime("%Y-%m-%d %H:%M", time.gmtime(newest[0].begun))
        yield problem(f"the clock is behind the last match, of {day} UTC", "set the clock")
    if secret:
        yield warning(
            f"matches of {record} from earlier versions hold the address of their stream with its "
            f"password: {', '.join(map(str, secret))}",
            "change the camera's password: a record is never rewritten, and copies hold it too",
        )
    if sys.platform != "win32" and record.stat().st_mode & _OTHERS:
        yield warning(f"other users can read {record}", f"run `chmod 600 {record}`")


def check_models(_places: Places) -> Iterator[Finding]:
    """The networks, by their checksums."""
    bad = [name for name, digest in _sums() if _digest(MODELS / name) != digest]
    if bad:
        yield problem(f"damaged or missing: {', '.join(bad)} in {MODELS}", "install again")
    else:
        yield ok("all networks are as they were published")


def _sums() -> Iterator[tuple[str, str]]:
    """The name and the SHA-256 of each published file."""
    with suppress(FileNotFoundError):
        for line in (MODELS / SUMS).read_text("utf-8").splitlines():
            digest, _, name = line.partition("  ")
            yield name, digest
        return
    yield SUMS, ""


def _digest(file: Path) -> str | None:
    """The SHA-256 of a file; None if it is not there."""
    with suppress(OSError):
        return hashlib.sha256(file.read_bytes()).hexdigest()
    return None


def check_passwords(places: Places) -> Iterator[Finding]:
    """The file of the passwords, which is only there once `--host` was used."""
    file = places.passwords
    if not file.exists():
        return
    try:
        read_passwords(file)
    except (WrongUsage, OSError) as error:
        yield problem(f"{file} cannot be used", f"delete it for new passwords ({error})")
        return
    if sys.platform != "win32" and file.stat().st_mode & _OTHERS:
        yield warning(f"other users can read {file}", f"run `chmod 600 {file}`")
    else:
        yield ok("passwords are set for those who log in over the network")


def check_log(places: Places) -> Iterator[Finding]:
    """The errors and crashes in all files of the log."""
    errors = []
    for file in log_files(places.log):
        try:
            lines = file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            yield warning(f"the log {file} cannot be read: {error}", "rename it")
            continue
        errors += [(file, line) for line in lines if any(level in line for level in _ERRORS)]
    if errors:
        file, newest = errors[-1][0], _message(errors[-1][1])
        yield warning(f"{len(errors)} errors in the log, the last: {newest}", f"see {file}")


def _message(line: str) -> str:
    try:
        return str(json.loads(line)["message"]).splitlines()[0]
    except (ValueError, LookupError, TypeError, RecursionError):
        return line
