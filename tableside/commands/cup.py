"""`tableside cup`: find, test, roll, log, monitor and verify."""

from __future__ import annotations

import argparse
import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from queue import Empty
from typing import Any, Final

from engine.events.codec import as_json
from engine.events.cup import CupCommitted
from engine.events.match import Event
from engine.message import Message
from hardware.connection import CupConnection
from hardware.errors import CupLost, CupRefused, NoCup
from hardware.messages import CupIdentity, LoggedRoll, SelfTest, Status, UnsolicitedMessage
from hardware.ports import list_ports
from hardware.protocol_constants import RING, CommandCode, RollPurpose, SelfTestPart, StatusFlag
from tableside.commands import COMMANDS
from tableside.commands.options import Subparsers, command, count, record_option, words_option
from tableside.cup.history import CupHistory
from tableside.cup.match_events import NO_WORDS, Words
from tableside.cup.open_cup import open_cup
from tableside.cup.standalone import ROLL_PATIENCE, StandaloneMatch
from tableside.cup.verify import ROLL_KINDS, CupUse, ProofVerdict, count_cup_rolls, verify_match
from tableside.errors import StoreError, WrongUsage
from tableside.paths import default_record
from tableside.record.files import read_events

ANSWER_TIMEOUT_S: Final = 6.0
"""Seconds for a cup to be found and to answer; an Arduino takes two after it was opened."""
SHAKE_TIMEOUT_S: Final = 300.0
"""Seconds that a player may take to shake."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside cup` and its options."""
    parser = command(
        subparsers,
        "cup",
        COMMANDS["cup"],
        "tableside cup find\n"
        "tableside cup test --port /dev/ttyUSB0\n"
        "tableside cup roll --virtual --count 5 --out rolls.jsonl\n"
        "tableside cup monitor --port socket://192.168.1.30:4000\n"
        "tableside cup verify last\n"
        "tableside cup verify rolls.jsonl",
    )
    parser.add_argument(
        "action",
        choices=("find", "test", "roll", "log", "monitor", "verify"),
        help="find: which port; test: the cup's self-test; roll: rolls with their proof; log: its "
        "last rolls; monitor: all that it says; verify: a match's rolls made again",
    )
    parser.add_argument(
        "match",
        nargs="?",
        metavar="MATCH",
        help="verify: number of a recorded match, a file of events, or `last`, which is usual",
    )
    _cup_options(parser)
    rolls = parser.add_argument_group("roll")
    rolls.add_argument(
        "--dice", choices=("one", "two", "opening"), default="two", help="what; two if not given"
    )
    rolls.add_argument("--count", type=count, default=1, metavar="N", help="so many; 1 by itself")
    rolls.add_argument("--shake", action="store_true", help="when the cup is shaken and poured")
    rolls.add_argument("--out", type=Path, metavar="FILE", help="the proof, for `verify`")
    parser.add_argument("--seconds", type=count, metavar="N", help="monitor: end after so long")
    parser.add_argument("--json", action="store_true", help="JSON lines, nothing else")
    record_option(parser)


def _cup_options(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--port",
        dest="cup_port",
        metavar="URL",
        help="the cup's port: a path, a COM name, socket://HOST:N or rfc2217://HOST:N; found by "
        "itself if not given",
    )
    where.add_argument("--virtual", action="store_true", help="a cup without hardware")
    words_option(parser)


def run(args: Namespace) -> int:
    """Run one of the actions; the exit code."""
    if args.match is not None and args.action != "verify":
        raise WrongUsage(f"`cup {args.action}` takes no MATCH; only `cup verify` does")
    return ACTIONS[args.action](args)


def _print(args: Namespace, fields: dict[str, Any], text: str) -> None:
    print(json.dumps(fields) if args.json else text, flush=True)


@contextmanager
def _open(args: Namespace) -> Iterator[tuple[CupConnection, CupIdentity]]:
    """The chosen cup, once it has answered."""
    with ExitStack() as stack:
        cup = open_cup(stack, args.cup_port, is_virtual=args.virtual)
        yield cup, cup.wait_ready(ANSWER_TIMEOUT_S)


def _find(args: Namespace) -> int:
    """Print each port, and whether a cup answers there."""
    if args.cup_port or args.virtual:
        urls = [(args.cup_port, "")]
    else:
        urls = [(port.url, port.name) for port in list_ports() if port.is_likely]
    found = [_identity(args, url, name) for url, name in urls]
    if not any(found):
        raise NoCup(
            "no cup answers: connect it by USB, name its port with --port, or try --virtual"
        )
    return 0


def _identity(args: Namespace, url: str | None, name: str) -> bool:
    with ExitStack() as stack:
        cup = open_cup(stack, url, is_virtual=args.virtual)
        try:
            known = cup.wait_ready(ANSWER_TIMEOUT_S)
        except NoCup as no_cup:
            _print(args, {"port": url, "cup": None, "why": str(no_cup)}, f"{url}  {no_cup}")
            return False
        unit, version = known.unit.hex(), ".".join(map(str, known.firmware))
        can = known.can.name or ""
        what = {"port": cup.view.url, "cup": unit, "firmware": version, "can": can.split("|")}
        _print(args, what, f"{cup.view.url}  cup {unit}, firmware {version} {name}".rstrip())
    return True


def _test(args: Namespace) -> int:
    with _open(args) as (cup, known):
        found, status = cup.call(CommandCode.SELFTEST), cup.call(CommandCode.STATUS)
        if not isinstance(found, SelfTest) or not isinstance(status, Status):
            raise CupLost("the cup's self-test has no result; try again")
        faults = _faults(found, status)
        result = {"cup": known.unit.hex(), "faults": faults, "ok": not faults}
        parts = {**_json_fields(found), **_json_fields(status)}
        _print(args, {**result, **parts}, _test_text(known, found, status, faults))
    return 1 if faults else 0


def _faults(found: SelfTest, status: Status) -> list[str]:
    checks = {
        "its hash is wrong": SelfTestPart.HASH not in found.passed,
        "its memory does not hold what is written": SelfTestPart.MEMORY not in found.passed,
        "its clock noise failed": bool(found.clock_tripped),
        "its open pin's noise failed": bool(found.noise_tripped),
        "its battery is weak": StatusFlag.WEAK in status.flags,
        f"fault {status.fault}": bool(status.fault),
    }
    return [what for what, is_so in checks.items() if is_so]


def _test_text(known: CupIdentity, found: SelfTest, status: Status, faults: list[str]) -> str:
    is_prepared = StatusFlag.PREPARED in status.flags
    seed = "a seed is ready" if is_prepared else "it gathers noise for a seed"
    return (
        f"cup {known.unit.hex()}: {'; '.join(faults) or 'all is well'}\n"
        f"{seed}; {found.clock_samples} and {found.noise_samples} samples of noise tested\n"
        f"battery {status.battery_mv / 1000:.1f} V, {status.number} rolls in its life, "
        f"{known.starts} starts, up for {status.uptime_s} s\n"
        f"line: {status.good} good frames, {status.bad} bad, {status.overruns} overruns"
    )


def _roll(args: Namespace) -> int:
    """Make rolls in a match of their own, and prove them."""
    if not args.count:
        raise WrongUsage("--count 0: there is nothing to roll; give 1 or more")
    what = RollPurpose(ROLL_KINDS[args.dice])
    with _open(args) as (cup, _):
        print("the cup binds itself to a seed ...", file=sys.stderr)
        match = StandaloneMatch(cup)
        committed = match.commit()
        match.seal(committed, _words(args, committed))
        for _ in range(args.count):
            cup.roll(what, is_armed=args.shake)
            if args.shake:
                print("shake the cup and turn it over", file=sys.stderr)
            roll = match.next_roll(SHAKE_TIMEOUT_S if args.shake else ROLL_PATIENCE)
            _print(args, as_json(roll), " ".join(map(str, roll.dice)))
        verdict = match.reveal()
    if args.out is not None:
        match.write(args.out)
    print(verdict, file=sys.stderr)
    return 0 if verdict.is_proven else 1


def _words(args: Namespace, committed: CupCommitted) -> Words:
    """The players' words, read from a terminal below the commitment where none are given."""
    print(f"commitment: {committed.commitment}", file=sys.stderr)
    if args.words is not None:
        return args.words[0], args.words[1]
    if not sys.stdin.isatty():
        return NO_WORDS
    print("write its beginning down, then say a word each (Enter: none)", file=sys.stderr)
    return _read_line("light's word: "), _read_line("dark's word: ")


def _read_line(prompt: str) -> str:
    print(prompt, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def _log(args: Namespace) -> int:
    """Print the cup's newest rolls, the newest first."""
    rolls = 0
    with _open(args) as (cup, _):
        for back in range(RING):
            try:
                logged = cup.call(CommandCode.LOG, bytes([back]))
            except CupRefused:
                break
            if isinstance(logged, LoggedRoll):
                player = "" if logged.what.player is None else f" {logged.what.player.value}"
                dice = "-".join(map(str, logged.faces))
                _print(args, _json_fields(logged), f"roll {logged.number}:{player} {dice}")
                rolls += 1
    if not rolls:
        print("the cup has not rolled yet", file=sys.stderr)
    return 0


def _monitor(args: Namespace) -> int:
    """Print all that the cup sends until it is interrupted."""
    end = None if args.seconds is None else time.monotonic() + args.seconds
    state = ""
    with ExitStack() as stack:
        cup = open_cup(stack, args.cup_port, is_virtual=args.virtual)
        while end is None or time.monotonic() < end:
            view = cup.view
            if str(view) != state:
                state = str(view)
                _print(args, {"state": view.state.value, "why": str(view.why)}, f"-- {state}")
            try:
                notice = cup.notices.get(timeout=0.2)
            except Empty:
                continue
            message = notice.message if isinstance(notice, UnsolicitedMessage) else notice
            name, values = type(message).__name__, _json_fields(message)
            text = " ".join(f"{field}={value}" for field, value in values.items())
            _print(args, {"said": name, **values}, f"{name} {text}".rstrip())
    return 0


def _json_fields(message: Any) -> dict[str, Any]:
    return {field.name: _json_value(getattr(message, field.name)) for field in fields(message)}


def _json_value(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case Message():
            return str(value)
        case tuple():
            return [_json_value(one) for one in value]
        case Enum():
            return (value.name or str(value.value)).lower()
        case _ if is_dataclass(value):
            return _json_fields(value)
        case _:
            return value


def _verify(args: Namespace) -> int:
    events = _events(args.match or "last", args.record or default_record())
    verdicts = [verify_match(match) for match in CupHistory(events).matches]
    unbound = len(CupHistory(events).unbound)
    if not verdicts and not unbound:
        raise StoreError("no cup rolled in that match: there is nothing to prove")
    result = _verified(verdicts, unbound, count_cup_rolls(events))
    if args.json:
        print(json.dumps(result))
        return 0 if result["proven"] else 1
    for verdict in verdicts:
        print(verdict, verdict.bound, sep="\n")
    if unbound:
        print(f"{unbound} rolls of a cup that was bound to no seed before: NOT proven")
    if result["by_cup"] or result["others"]:
        print(f"{result['by_cup']} rolls of the match are the cup's, {result['others']} are not")
    return 0 if result["proven"] else 1


def _verified(verdicts: Iterable[ProofVerdict], unbound: int, use: CupUse) -> dict[str, Any]:
    matches = [verdict.as_json() for verdict in verdicts]
    return {
        "proven": not unbound and all(one["proven"] for one in matches),
        "matches": matches,
        "unbound": unbound,
        "by_cup": use.by_cup,
        "others": use.others,
    }


def _events(named: str, record: Path) -> tuple[Event, ...]:
    if named != "last" and not named.isdecimal():
        return read_events(Path(named))
    from tableside.record.store import Store

    with Store.open_read_only(record) as store:
        ids = [entry.id for entry in store.matches()]
        number = ids[-1] if named == "last" and ids else int(named) if named != "last" else 0
        if number not in ids:
            raise StoreError(f"{record} holds no match {named}; see `tableside review`")
        return store.events(number)


ACTIONS: Final[dict[str, Callable[[Namespace], int]]] = {
    "find": _find,
    "test": _test,
    "roll": _roll,
    "log": _log,
    "monitor": _monitor,
    "verify": _verify,
}
