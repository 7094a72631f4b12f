"""The log: a rotating file of JSON lines, the console, and a pipe from the vision process.

Modules log through `logging.getLogger(__name__)`; only this module decides where records go. The
first record opens the file, so that a command with nothing to report leaves none. No record at
`INFO` or above contains the name of a player, a password or a token.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import metadata
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.address import without_secrets
from tableside.paths import data_folder, own_folder, private_file
from tableside.printable import printable

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

FILE_BYTES: Final = 2_000_000
OLD_FILES: Final = 5
OUR_PACKAGES: Final = ("engine", "calibration", "vision", "hardware", "webui", "tableside")
USER_LINES: Final = "tableside.console"
"""The logger whose level determines whether lines meant for the user are printed."""
ALREADY_SHOWN: Final = {"already_shown": True}
"""`extra` of a record that the console must not repeat."""
LAST_RECORDS_S: Final = 2.0
"""Seconds to wait for the last records of a process that has ended."""
_STANDARD: Final = frozenset(
    {*vars(logging.makeLogRecord({})), *ALREADY_SHOWN, "message", "asctime", "taskName"}
)
_LOGGER: Final = logging.getLogger(__name__)


def log_file() -> Path:
    """The newest file of the log; older ones end in `.1` to `.5`."""
    return data_folder() / "tableside.log"


def log_files(newest: Path) -> list[Path]:
    """The files of a log that are there, the oldest first."""
    older = (newest.with_name(f"{newest.name}.{age}") for age in range(OLD_FILES, 0, -1))
    return [path for path in (*older, newest) if path.exists()]


@contextmanager
def logging_to(path: Path, console_level: int) -> Iterator[None]:
    """Send records to the file `path` and, from `console_level` up, to stderr.

    console_level: `DEBUG` also admits our own debug records to the file; `ERROR` silences `say`.
    """
    file, console = _LogFile(path), _console_handler(console_level)
    root = logging.getLogger()
    levels = _set_levels(LogTarget.of(None, console_level))
    for handler in (file, console):
        root.addHandler(handler)
    try:
        with _thread_errors_logged():
            yield
    finally:
        for handler in (file, console):
            root.removeHandler(handler)
            handler.close()
        for logger, level in levels.items():
            logger.setLevel(level)


def log_start(command: str) -> None:
    """Log a start, with the versions that a bug report needs."""
    fields: dict[str, Any] = {"command": command, "python": sys.version.split()[0]}
    for package in ("tableside", "numpy", "opencv-python", "onnxruntime", "flask"):
        with suppress(metadata.PackageNotFoundError):
            fields[package.replace("-", "_")] = metadata.version(package)
    fields["platform"] = sys.platform
    versions = ", ".join(f"{name} {value}" for name, value in fields.items())
    _LOGGER.info("started: %s", versions, extra=fields)


class LogTarget(NamedTuple):
    """What another process needs to log through this one's handlers."""

    pipe: Connection | None
    level: int
    """The level of our own packages."""
    console_level: int

    @classmethod
    def of(cls, pipe: Connection | None, console_level: int) -> LogTarget:
        """Our packages log from `INFO` up, or from `DEBUG` if the console shows that."""
        return cls(pipe, min(logging.INFO, console_level), console_level)


def log_target(pipe: Connection) -> LogTarget:
    """The target for a process that logs through `pipe` as this one does."""
    return LogTarget.of(pipe, logging.getLogger(USER_LINES).getEffectiveLevel())


def log_into(target: LogTarget) -> None:
    """Send all records of this process to the one that made `target`."""
    if target.pipe is not None:
        logging.getLogger().addHandler(_PipeHandler(target.pipe))
    _set_levels(target)
    threading.excepthook = _logging_hook(threading.excepthook)


@contextmanager
def records_from(pipe: Connection) -> Iterator[None]:
    """Handle the records that another process sends, until its end of `pipe` is closed."""
    reader = threading.Thread(target=_receive, args=[pipe], name="log", daemon=True)
    reader.start()
    try:
        yield
    finally:
        reader.join(LAST_RECORDS_S)


def _receive(pipe: Connection) -> None:
    while True:
        try:
            record = logging.makeLogRecord(pipe.recv())
        except (EOFError, OSError):
            return
        logging.getLogger(record.name).handle(record)


class _PipeHandler(logging.Handler):
    """Sends each record immediately, so that a crash right afterwards cannot lose it."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__()
        self._pipe = pipe

    def emit(self, record: logging.LogRecord) -> None:
        fields = {
            **vars(record),
            "msg": record.getMessage(),
            "args": None,
            "exc_info": None,
            "exc_text": _exception_text(record),
        }
        with suppress(OSError):  # the other process is gone, and this one is ending too
            self._pipe.send(fields)


class _LogFile(RotatingFileHandler):
    """The file of JSON lines; a full disk is reported once and stops nothing."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "a", FILE_BYTES, OLD_FILES, encoding="utf-8", delay=True)
        self.setFormatter(JsonLines())
        self._has_failed = False

    def _open(self) -> TextIOWrapper:
        own_folder(Path(self.baseFilename).parent)
        private_file(Path(self.baseFilename))
        return super()._open()

    def rotate(self, source: str, dest: str) -> None:
        with suppress(OSError):  # Windows: another Tableside has it open; the file keeps growing
            super().rotate(source, dest)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        if not self._has_failed:
            error = sys.exc_info()[1]
            print(f"tableside: the log cannot be written: {error}", file=sys.stderr)
        self._has_failed = True


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object per line, with its extra fields beside the usual ones.

    Addresses are without what logs in there.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its line break."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.processName,
            "pid": record.process,
            "thread": record.threadName,
            "message": record.getMessage(),
        }
        exception = _exception_text(record)
        if exception:
            line["exception"] = exception
        extra = {name: value for name, value in vars(record).items() if name not in _STANDARD}
        text = json.dumps({**extra, **line}, ensure_ascii=False, default=str)
        return without_secrets(printable(text))


class _ConsoleLines(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        return printable(super().formatMessage(record))


def _exception_text(record: logging.LogRecord) -> str | None:
    if record.exc_info and not record.exc_text:
        return logging.Formatter().formatException(record.exc_info)
    return record.exc_text


def _console_handler(level: int) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(level)
    handler.addFilter(lambda record: not hasattr(record, "already_shown"))
    is_verbose = level < logging.INFO
    where = "{levelname} {name}: " if is_verbose else ""
    handler.setFormatter(_ConsoleLines(f"tableside: {where}{{message}}", style="{"))
    return handler


def _set_levels(target: LogTarget) -> Mapping[logging.Logger, int]:
    """Set the levels of our loggers; return their previous levels."""
    levels = {logging.getLogger(name): target.level for name in OUR_PACKAGES}
    levels[logging.getLogger(USER_LINES)] = target.console_level
    before = {logger: logger.level for logger in levels}
    for logger, level in levels.items():
        logger.setLevel(level)
    return before


@contextmanager
def _thread_errors_logged() -> Iterator[None]:
    before = threading.excepthook
    threading.excepthook = _logging_hook(before)
    try:
        yield
    finally:
        threading.excepthook = before


def _logging_hook(before: Any) -> Any:
    """A `threading.excepthook` that logs what ended a thread, then calls the previous hook."""

    def hook(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            name = "unknown" if args.thread is None else args.thread.name
            error = args.exc_type, args.exc_value, args.exc_traceback
            _LOGGER.error("thread %s ended by an error", name, exc_info=error, extra=ALREADY_SHOWN)
        before(args)

    return hook
