"""The command line: selects the command to run, and reports every expected error in one line.

Only the module of that command is imported, and heavy dependencies (OpenCV, numba, Flask, SQLite)
only when needed, so that `--help` and a mistyped option respond at once.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from tableside.commands import COMMANDS
from tableside.commands.parser import CommandParser
from tableside.printable import printable

SERVERS: Final = ("demo", "hall", "label", "live", "review")
"""Commands that run until stopped; their start and stop are logged."""
PACKAGES: Final = ("calibration", "engine", "hardware", "samples", "vision", "webui")
"""Our packages, whose names a folder of the user's may have as well."""
_LOGGER: Final = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong usage or no command."""
    if (other := _shadowing_package()) is not None:
        return _complain(
            f"{other} hides the part of Tableside of the same name; start Tableside in another "
            "folder, and remove that one from PYTHONPATH"
        )
    if isinstance(sys.stdout, TextIOWrapper):  # names of files need not be text
        sys.stdout.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        build_parser(()).print_help(sys.stderr)
        return 2
    named = [one for one in arguments if not one.startswith("-")][:1]
    args = build_parser(named).parse_args(arguments)

    from tableside.errors import WrongUsage
    from tableside.logs import log_file, logging_to

    try:
        log = log_file()
    except WrongUsage as error:
        return _complain(error, 2)
    if os.path.expanduser("~") == "~":  # noqa: PTH111 (no home folder, where numba keeps its code)
        os.environ.setdefault("NUMBA_CACHE_DIR", str(log.parent / "compiled"))
    with logging_to(log, args.console_level):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from engine.errors import UnknownNoise, UnknownVariant
    from tableside.errors import EXPECTED, WrongUsage
    from tableside.logs import ALREADY_SHOWN, log_start

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
        # Nobody reads our output any more, but Python's own flush at exit must not fail.
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


def build_parser(names: Collection[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser of the command line; only the commands in `names` have their options."""
    parser = CommandParser(
        prog="tableside",
        description="Record and referee backgammon matches with a camera over the board.",
        epilog="Start with `tableside demo`. For a command's options and examples, run\n"
        "`tableside COMMAND --help`.",
    )
    parser.add_argument("--version", action=_ShowVersion, help="show the version and exit")
    parser.set_defaults(console_level=logging.WARNING)
    subparsers = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )
    for name, summary in COMMANDS.items():
        if name in names:
            _module(name).add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=summary)
    return parser


class _ShowVersion(argparse.Action):
    """Looks up the version only on request: that takes as long as the whole help."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata

        try:
            version = metadata.version("tableside")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        print(f"tableside {version}")
        parser.exit()


def _shadowing_package() -> str | None:
    """The file that Python would import instead of one of our packages, if any."""
    root = Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            found = Path(spec.origin).resolve()
            if found != root / name / "__init__.py":
                return str(found.parent if found.name == "__init__.py" else found)
    return None


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"tableside.commands.{command}")


def _fail(what: object) -> int:
    """Report an error and log it."""
    from tableside.logs import ALREADY_SHOWN

    _LOGGER.error("%s", _one_line(what), extra=ALREADY_SHOWN)
    return _complain(what)


def _complain(what: object, code: int = 1) -> int:
    print(f"tableside: {_one_line(what)}", file=sys.stderr)
    return code


def _one_line(what: object) -> str:
    return printable(" ".join(str(what).split()))
