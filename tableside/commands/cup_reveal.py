"""`tableside cup reveal`: ends the match that was left at a cup, and keeps its seed."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from engine.events.codec import as_json
from engine.timestamp import Timestamp
from hardware.match import end_left_match
from tableside.commands.options import Subparsers, command, port_option, record_option
from tableside.cup.match_events import revealed_event
from tableside.cup.open_cup import open_cup
from tableside.paths import default_record

ANSWER_TIMEOUT_S: Final = 6.0
"""Seconds to find a cup and get its answer."""


def add_reveal_parser(actions: Subparsers) -> None:
    """Add `tableside cup reveal` and its options."""
    parser = command(
        actions,
        "reveal",
        "end the match that was left at the cup, and keep its seed",
        "tableside cup reveal\ntableside cup reveal --port /dev/ttyUSB0",
        "The seed goes to the match's record, so that `tableside cup verify` can prove its rolls.\n"
        "If the record does not have that match, it is printed, as a line for the file of its\n"
        "events.",
    )
    port_option(parser)
    record_option(parser)


def reveal(args: Namespace) -> int:
    """End the match at the cup; its seed goes where its rolls are."""
    from tableside.cup.left_matches import LeftMatches
    from tableside.record.recorder import recorded_match
    from tableside.review.edits import edited_record

    record: Path = args.record or default_record()
    with ExitStack() as held:
        cup = open_cup(held, args.cup_port)
        cup.wait_ready(ANSWER_TIMEOUT_S)
        known = None
        if record.exists():
            store = held.enter_context(edited_record(record))
            known = LeftMatches(store, recorded_match(record))
        left = end_left_match(cup, (lambda *_: None) if known is None else known.ledger)
        number = None if left is None or known is None else known.record(left)
    if left is None:
        print("no match was left at this cup", file=sys.stderr)
        return 0
    name = f"cup {left.unit.hex()}, match {left.revealed.match}"
    if number is not None:
        advice = f"see `tableside cup verify {number}`"
        print(f"{name}: its seed is in match {number} of {record}; {advice}")
        return 0
    print(f"{name} is not in {record}: add this line to the file of its events", file=sys.stderr)
    print(json.dumps(as_json(revealed_event(left.revealed, left.unit, Timestamp(0.0, 0)))))
    return 0
