"""`tableside cup verify`: recomputes a match's cup rolls from the seed that the cup revealed."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from engine.events.match import Event
from engine.message import ngettext
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    force_option,
    record_option,
)
from tableside.cup.history import CupHistory
from tableside.cup.proof_codes import codes_page, proof_codes
from tableside.cup.verify import CupUse, ProofVerdict, count_cup_rolls, verify_match
from tableside.errors import StoreError
from tableside.paths import default_record
from tableside.record.files import events_text, read_events, replace_file

VERIFIER: Final = files("hardware") / "verifier" / "verify.html"
"""The page that computes a match's rolls again in a browser."""


def add_verify_parser(actions: Subparsers) -> None:
    """Add `tableside cup verify` and its options."""
    parser = command(
        actions,
        "verify",
        "verify the cup's rolls in a recorded match or a file",
        "tableside cup verify\n"
        "tableside cup verify 7\n"
        "tableside cup verify rolls.jsonl --page verify.html",
        "Every roll is computed again from the seed that the cup revealed after the match.",
    )
    parser.add_argument(
        "match",
        nargs="?",
        default="last",
        metavar="MATCH",
        help="number of a recorded match, `last` (default) or a file of events",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="also write a web page that verifies files of events on any phone, without network",
    )
    parser.add_argument(
        "--qr",
        type=Path,
        metavar="FILE",
        help="also write a page with the proof as QR codes, which that page scans",
    )
    force_option(parser)
    record_option(parser)


def verify(args: Namespace) -> int:
    """Verify the rolls; return 0 if all are proven, else 1."""
    if args.page is not None:
        check_overwriting(args, args.page)
        replace_file(args.page, VERIFIER.read_text("utf-8"))
    events = _events(args.match, args.record or default_record())
    verdicts = [verify_match(match) for match in CupHistory(events).matches]
    unbound = len(CupHistory(events).unbound)
    if not verdicts and not unbound:
        raise StoreError("no dice cup was used in this match: nothing to verify")
    if args.qr is not None:
        check_overwriting(args, args.qr)
        codes = proof_codes(events_text(events).splitlines())
        replace_file(args.qr, codes_page(codes, "Proof of the dice cup's rolls"))
    use = count_cup_rolls(events)
    result = _verified(verdicts, unbound, use)
    if args.json:
        print(json.dumps(result))
        return 0 if result["proven"] else 1
    for verdict in verdicts:
        print(verdict, verdict.bound, sep="\n")
    if unbound:
        rolls = ngettext("{number} roll", "{number} rolls", unbound)
        print(f"{rolls} of a cup that had not committed to a seed: NOT proven")
    if result["by_cup"] or result["others"]:
        print(use)
    return 0 if result["proven"] else 1


def _verified(verdicts: Iterable[ProofVerdict], unbound: int, use: CupUse) -> dict[str, Any]:
    matches = [verdict.as_json() for verdict in verdicts]
    return {
        "proven": not unbound and all(one["proven"] for one in matches),
        "matches": matches,
        "unbound": unbound,
        "by_cup": use.by_cup,
        "others": use.others,
        "unused": use.unused,
        "unfit": use.unfit,
    }


def _events(named: str, record: Path) -> tuple[Event, ...]:
    if named != "last" and not named.isdecimal():
        return read_events(Path(named))
    from tableside.record.export import last_played
    from tableside.record.store import Store

    with Store.open_read_only(record) as store:
        matches = store.matches()
        ids = [entry.id for entry in matches]
        number = last_played(matches) if named == "last" else int(named)
        if number not in ids:
            what = f"{record} has no match {named}" if ids else f"no match is recorded in {record}"
            raise StoreError(f"{what}; see `tableside review`")
        return store.events(number)
