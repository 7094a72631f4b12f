"""`tableside cup entropy`: writes the raw noise of a cup to a file, to be assessed."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from engine.message import ngettext
from hardware.protocol_constants import NoiseSource
from hardware.raw_noise import NoiseFile, capture_noise, start_noise
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    count,
    force_option,
    port_option,
)
from tableside.cup.open_cup import open_cup
from tableside.errors import WrongUsage

ASSESSED: Final = 1_000_000
"""Samples that an assessment needs, SP 800-90B 3.1.1."""
PROGRESS_S: Final = 60.0


def add_entropy_parser(actions: Subparsers) -> None:
    """Add `tableside cup entropy` and its options."""
    parser = command(
        actions,
        "entropy",
        "write the cup's raw noise to a file, for NIST's assessment",
        "tableside cup entropy --out clock.bin\n"
        "tableside cup entropy --source pin --count 100000 --out pin.bin",
        "The file has one byte for each sample. The cup uses these samples for no seed.\n"
        "A million samples of an Arduino's clock take four and a half hours, of a Pico's 17\n"
        "minutes, of the open pin 67 minutes.",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file to write")
    parser.add_argument(
        "--count", type=count, default=ASSESSED, metavar="N", help="samples; default: %(default)s"
    )
    parser.add_argument(
        "--source",
        choices=[source.name.lower() for source in NoiseSource],
        default="clock",
        help="the clock, which seeds are credited with (default), or the open pin",
    )
    port_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    force_option(parser)


def capture(args: Namespace) -> int:
    """Capture the samples; what came is in the file, however the capture ends."""
    if not args.count:
        raise WrongUsage("--count must be at least 1")
    check_overwriting(args, args.out)
    source = NoiseSource[args.source.upper()]
    with ExitStack() as stack:
        cup = open_cup(stack, args.cup_port)
        start_noise(cup, source)
        file = NoiseFile(stack.enter_context(args.out.open("wb")), args.count)
        capture_noise(cup, source, file, _progress(file))
    samples = ngettext("{number} sample", "{number} samples", file.written)
    sets = ngettext("{number} consecutive set", "{number} consecutive sets", file.sets)
    found = {"samples": file.written, "sets": file.sets, "left_out": file.left_out}
    print(json.dumps(found) if args.json else f"wrote {args.out}: {samples} in {sets}")
    return 0


def _progress(file: NoiseFile) -> Callable[[], None]:
    """Report now and then how far the file is."""
    begun = time.monotonic()
    due = begun + PROGRESS_S

    def report() -> None:
        nonlocal due
        now = time.monotonic()
        if now < due or not file.written:
            return
        due = now + PROGRESS_S
        minutes = round((file.wanted - file.written) * (now - begun) / file.written / 60)
        left = ngettext("{number} minute left", "{number} minutes left", minutes)
        print(f"{file.written} of {file.wanted} samples; about {left}", file=sys.stderr)

    return report
