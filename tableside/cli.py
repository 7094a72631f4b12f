"""The command line: which command runs, and every expected error as one line.

What is heavy (OpenCV, numba, Flask) is imported by the command that needs it, so that `--help`
and a mistyped option answer at once.
"""

from __future__ import annotations

import logging
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Final

from engine.errors import UnknownNoise, UnknownVariant
from tableside.commands.parser import parser
from tableside.errors import EXPECTED, WrongUsage
from tableside.logs import ALREADY_SHOWN, log_file, log_start, logging_to

SERVERS: Final = ("demo", "live", "review")
"""Commands that run until they are stopped: their start and stop are logged."""
_LOGGER: Final = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0 done, 1 failed, 2 wrong usage."""
    args = parser().parse_args(arguments)
    with logging_to(log_file(), args.console_level):
        return _run(args)


def _run(args: Namespace) -> int:
    is_served = args.command in SERVERS
    if is_served:
        log_start(args.command)
    try:
        code = COMMANDS[args.command](args)
        sys.stdout.flush()
    except (UnknownNoise, UnknownVariant, WrongUsage) as error:
        return _complain(error, 2)
    except EXPECTED as error:
        return _fail(error)
    except KeyboardInterrupt:
        return _complain("stopped; what was recorded is safe")
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        return _fail(_os_fault(error))
    except Exception:
        _LOGGER.critical("ended by an unexpected error", exc_info=True, extra=ALREADY_SHOWN)
        raise
    if is_served:
        _LOGGER.info("stopped", extra={"exit_code": code})
    return code


def _fail(what: object) -> int:
    """An error that is logged too."""
    _LOGGER.error("%s", _one_line(what), extra=ALREADY_SHOWN)
    return _complain(what)


def _complain(what: object, code: int = 1) -> int:
    print(f"tableside: {_one_line(what)}", file=sys.stderr)
    return code


def _one_line(what: object) -> str:
    return " ".join(str(what).split())


def _reader_left() -> int:
    """Whoever read our output is gone: nothing to say, and Python's own flush must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _os_fault(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{os.fsdecode(error.filename)}: {reason}" if error.filename else reason


def _run_read(args: Namespace) -> int:
    from tableside.commands.read import run_read

    return run_read(args)


def _run_calibrate(args: Namespace) -> int:
    from tableside.setup.learn_board import run_calibrate

    return run_calibrate(args)


def _run_transcribe(args: Namespace) -> int:
    from tableside.recording.transcription import run_transcribe

    return run_transcribe(args)


def _run_plays(args: Namespace) -> int:
    from engine.rules import find_rules
    from tableside.commands.plays import run_plays

    rules = find_rules(args.variant, args.preset)
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a broken byte spoils its line, not the run
    return run_plays(sys.stdin, sys.stdout, rules)


def _run_demo(args: Namespace) -> int:
    from tableside.vision_process.spawn import sight_process

    with sight_process() as process:  # it loads while we do
        from tableside.commands.demo import run_demo

        return run_demo(args, process)


def _run_live(args: Namespace) -> int:
    from tableside.vision_process.spawn import sight_process

    with sight_process() as process:  # it loads while we do
        from tableside.commands.live import run_live

        return run_live(args, process)


def _run_review(args: Namespace) -> int:
    from tableside.commands.review import run_review

    return run_review(args)


def _run_cameras(args: Namespace) -> int:
    from tableside.commands.cameras import run_cameras

    return run_cameras(args)


def _run_id(_args: Namespace) -> int:
    from tableside.commands.convert_id import run_id

    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return run_id(sys.stdin, sys.stdout)


def _run_check(args: Namespace) -> int:
    from tableside.commands.check import run_check

    return run_check(args)


def _run_export(args: Namespace) -> int:
    from tableside.record.export import run_export

    return run_export(args)


def _run_bench(args: Namespace) -> int:
    _check_bench(args)
    if args.stills is not None:
        from tableside.bench.stills import run_stills

        return run_stills(args)
    if args.referee is not None:
        from tableside.bench.referee import run_referee

        return run_referee(args)
    from tableside.bench import run_bench

    return run_bench(args)


def _check_bench(args: Namespace) -> None:
    asked = [name for name in ("stills", "referee") if getattr(args, name) is not None]
    if len(asked) == 2 or (asked and args.only):
        raise WrongUsage("--stills, --referee and --only are three measurements; choose one")
    if args.out is not None and not asked:
        raise WrongUsage("--out goes with --stills FOLDER or --referee GAMES; give one of them")
    if (args.adapt or args.limit is not None) and args.stills is None:
        raise WrongUsage("--adapt and --limit go with --stills FOLDER; name the folder")
    if (args.noise or args.curve or args.seed is not None) and not args.referee:
        raise WrongUsage("--noise, --curve and --seed go with --referee GAMES; say how many")
    if args.referee == 0:
        raise WrongUsage("--referee 0 plays no game; say how many")


def _run_dice(args: Namespace) -> int:
    from tableside.commands.dice import run_dice

    return run_dice(args)


def _run_cup(args: Namespace) -> int:
    from tableside.commands.cup import run_cup

    return run_cup(args)


COMMANDS: Final[dict[str, Callable[[Namespace], int]]] = {
    "demo": _run_demo,
    "live": _run_live,
    "review": _run_review,
    "cameras": _run_cameras,
    "transcribe": _run_transcribe,
    "read": _run_read,
    "calibrate": _run_calibrate,
    "plays": _run_plays,
    "bench": _run_bench,
    "id": _run_id,
    "check": _run_check,
    "export": _run_export,
    "dice": _run_dice,
    "cup": _run_cup,
}
