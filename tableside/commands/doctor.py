"""`tableside doctor`: what is wrong with this installation, this machine and its devices."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

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
from tableside.paths import data_folder, default_record


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside doctor` and its options."""
    parser = command(
        subparsers,
        "doctor",
        COMMANDS["doctor"],
        "tableside doctor\ntableside doctor --camera 0 --bundle support.zip",
        "Each line is ok, a warning or a problem, with what to do about it. The exit code is 1 if "
        "there is a problem.",
    )
    parser.add_argument(
        "--camera", metavar="N|URL|FILE", help="also look through this camera, stream or video"
    )
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="port of the page")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help="also write an archive for support, without names, passwords or pictures",
    )
    force_option(parser)
    record_option(parser)


def run(args: Namespace) -> int:
    """Print every finding; 1 if one of them is a problem."""
    from tableside.doctor.examine import examine, write_bundle
    from tableside.doctor.finding import Level, Places
    from tableside.logs import log_file

    if args.bundle is not None:
        check_overwriting(args, args.bundle)
    places = Places(
        record=args.record or default_record(),
        log=log_file(),
        passwords=data_folder() / "passwords.json",
        port=args.port,
        camera=args.camera,
    )
    found = []
    for finding in examine(places):
        found.append(finding)
        fields = {"level": finding.level.value, "what": finding.what, "mend": finding.mend}
        print(json.dumps(fields, ensure_ascii=False) if args.json else finding.line, flush=True)
    if args.bundle is not None:
        try:
            write_bundle(args.bundle, found, places)
        except OSError as error:
            raise StoreError(f"{args.bundle} cannot be written: {error.strerror}") from error
        say(f"wrote {args.bundle}")
    return int(any(one.level is Level.PROBLEM for one in found))
