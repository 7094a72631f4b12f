"""The command line: which command runs, and every expected error as one line.

What is heavy (OpenCV, numba, Flask, SQLite) is imported by the command that needs it when it runs,
so that `--help` and a mistyped option answer at once.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Final, NoReturn

from engine.errors import UnknownNoise, UnknownVariant
from tableside.errors import EXPECTED, WrongUsage
from tableside.logs import ALREADY_SHOWN, log_file, log_start, logging_to

COMMANDS: Final = (
    *("demo", "live", "review", "cameras", "transcribe", "read", "calibrate", "plays", "bench"),
    *("check", "export", "dice", "cup", "id"),
)
"""Modules of `tableside.commands` with `add_parser` and `run`, in the order of the help."""
SERVERS: Final = ("demo", "live", "review")
"""Commands that run until they are stopped: their start and stop are logged."""
_LOGGER: Final = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0 done, 1 failed, 2 wrong usage."""
    args = build_parser().parse_args(arguments)
    with logging_to(log_file(), args.console_level):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    is_served = args.command in SERVERS
    if is_served:
        log_start(args.command)
    try:
        code: int = _module(args.command).run(args)
        sys.stdout.flush()
    except (UnknownNoise, UnknownVariant, WrongUsage) as error:
        return _complain(error, 2)
    except EXPECTED as error:
        return _fail(error)
    except KeyboardInterrupt:
        return _complain("stopped; what was recorded is safe")
    except BrokenPipeError:
        # Nobody reads our output any more; Python's own flush at exit must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        reason = error.strerror or str(error)
        return _fail(f"{os.fsdecode(error.filename)}: {reason}" if error.filename else reason)
    except Exception:
        _LOGGER.critical("ended by an unexpected error", exc_info=True, extra=ALREADY_SHOWN)
        raise
    if is_served:
        _LOGGER.info("stopped", extra={"exit_code": code})
    return code


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="tableside",
        description="A camera over the backgammon board: sees the play, referees it, records it.",
        epilog="start with `tableside demo`; `tableside COMMAND --help` tells the rest",
    )
    parser.set_defaults(console_level=logging.WARNING)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        _module(name).add_parser(subparsers)
    return parser


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line that says where to look, not the whole usage text."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"tableside.commands.{command}")


def _fail(what: object) -> int:
    """Report an error and log it."""
    _LOGGER.error("%s", _one_line(what), extra=ALREADY_SHOWN)
    return _complain(what)


def _complain(what: object, code: int = 1) -> int:
    print(f"tableside: {_one_line(what)}", file=sys.stderr)
    return code


def _one_line(what: object) -> str:
    return " ".join(str(what).split())
