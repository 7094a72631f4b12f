"""`tableside cup`: find, test, roll, log, monitor and verify."""

from __future__ import annotations

import argparse
import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path
from queue import Empty
from typing import Any, Final

from engine.events.codec import as_json
from engine.events.cup import CupCommitted
from engine.events.match import Event
from engine.position import Side
from engine.timestamp import Timestamp
from hardware import messages as told
from hardware.connection import CupConnection
from hardware.errors import CupLost, CupRefused, NoCup
from hardware.notices import UnsolicitedMessage
from hardware.ports import places
from hardware.protocol_constants import RING, CommandCode, RollPurpose
from tableside.commands.options import Subparsers, command, count, record_option, words_option
from tableside.cup.protocol_match import (
    NO_WORDS,
    ROLL_PATIENCE,
    CupMatchEvents,
    Words,
    next_roll,
    opened_cup,
)
from tableside.cup.verify import (
    KINDS,
    CupUse,
    ProofVerdict,
    cup_matches,
    unbound_rolls,
    use_of,
    verdict_of,
)
from tableside.errors import StoreError, WrongUsage
from tableside.paths import default_record
from tableside.record.files import read_events, replace_file

PATIENCE: Final = 6.0
"""Seconds for a cup to be found and to answer; an Arduino takes two after it was opened."""
SHAKE_PATIENCE: Final = 300.0
"""Seconds that a player may take to shake."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside cup` and its options."""
    parser = command(
        subparsers,
        "cup",
        "find, test and throw a dice cup on a serial line, and prove a match's rolls",
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
    """One of the actions; the exit code."""
    if args.match is not None and args.action != "verify":
        raise WrongUsage(f"`cup {args.action}` takes no MATCH; only `cup verify` does")
    return ACTIONS[args.action](args)


def _say(args: Namespace, told_: dict[str, Any], words: str) -> None:
    print(json.dumps(told_) if args.json else words, flush=True)


def _opened(args: Namespace, stack: ExitStack) -> CupConnection:
    return opened_cup(stack, args.cup_port, is_virtual=args.virtual)


def _find(args: Namespace) -> int:
    """Each port, and whether a cup answers there."""
    if args.cup_port or args.virtual:
        urls = [(args.cup_port, "")]
    else:
        urls = [(place.url, place.name) for place in places() if place.is_likely]
    found = [_identity(args, url, name) for url, name in urls]
    if not any(found):
        raise NoCup(
            "no cup answers: connect it by USB, name its port with --port, or try --virtual"
        )
    return 0


def _identity(args: Namespace, url: str | None, name: str) -> bool:
    with ExitStack() as stack:
        cup = opened_cup(stack, url, is_virtual=args.virtual)
        try:
            known = cup.wait_ready(PATIENCE)
        except NoCup as no_cup:
            _say(args, {"port": url, "cup": None, "why": str(no_cup)}, f"{url}  {no_cup}")
            return False
        unit, version = known.unit.hex(), ".".join(map(str, known.firmware))
        can = known.can.name or ""
        what = {"port": cup.view.url, "cup": unit, "firmware": version, "can": can.split("|")}
        _say(args, what, f"{cup.view.url}  cup {unit}, firmware {version} {name}".rstrip())
    return True


def _test(args: Namespace) -> int:
    with ExitStack() as stack:
        cup = _opened(args, stack)
        known = cup.wait_ready(PATIENCE)
        found, status = cup.call(CommandCode.SELFTEST), cup.call(CommandCode.STATUS)
        if not isinstance(found, told.SelfTest) or not isinstance(status, told.Status):
            raise CupLost("the cup's self-test has no result; try again")
        faults = _faults(found, status)
        result = {"cup": known.unit.hex(), "faults": faults, "ok": not faults}
        parts = {**_plain(found), **_plain(status)}
        _say(args, {**result, **parts}, _test_words(known, found, status, faults))
    return 1 if faults else 0


def _faults(found: told.SelfTest, status: told.Status) -> list[str]:
    checks = {
        "its hash is wrong": not found.hash_works,
        "its memory does not hold what is written": not found.memory_works,
        "its clock noise failed": bool(found.clock_tripped),
        "its open pin's noise failed": bool(found.noise_tripped),
        "its battery is weak": status.is_weak,
        f"fault {status.fault}": bool(status.fault),
    }
    return [what for what, is_so in checks.items() if is_so]


def _test_words(
    known: told.CupIdentity, found: told.SelfTest, status: told.Status, faults: list[str]
) -> str:
    seed = "a seed is ready" if status.is_prepared else "it gathers noise for a seed"
    return (
        f"cup {known.unit.hex()}: {'; '.join(faults) or 'all is well'}\n"
        f"{seed}; {found.clock_samples} and {found.noise_samples} samples of noise tested\n"
        f"battery {status.battery_mv / 1000:.1f} V, {status.number} rolls in its life, "
        f"{known.starts} starts, up for {status.uptime_s} s\n"
        f"line: {status.good} good frames, {status.bad} bad, {status.overruns} overruns"
    )


def _roll(args: Namespace) -> int:
    """Rolls of a match of their own, proven on the spot."""
    if not args.count:
        raise WrongUsage("--count 0: there is nothing to roll; give 1 or more")
    events: list[Event] = []
    begun = time.monotonic()
    telling = CupMatchEvents(events.append, lambda: Timestamp(time.monotonic() - begun, 0))
    what = RollPurpose(KINDS[args.dice])
    with ExitStack() as stack:
        cup = _opened(args, stack)
        cup.wait_ready(PATIENCE)
        print("the cup binds itself to a seed ...", file=sys.stderr)
        ledger = telling.begin(cup, lambda committed: _words(args, committed))
        for _ in range(args.count):
            cup.roll(what, is_armed=args.shake)
            if args.shake:
                print("shake the cup and turn it over", file=sys.stderr)
            made = next_roll(cup, SHAKE_PATIENCE if args.shake else ROLL_PATIENCE)
            rolled, ledger = telling.rolled(made, ledger)
            _say(args, as_json(rolled), " ".join(map(str, rolled.dice)))
        telling.reveal(cup, ledger)
    if args.out is not None:
        replace_file(args.out, "".join(json.dumps(as_json(one)) + "\n" for one in events))
    (verdict,) = map(verdict_of, cup_matches(events))
    print(verdict, file=sys.stderr)
    return 0 if verdict.is_proven else 1


def _words(args: Namespace, committed: CupCommitted) -> Words:
    """The players' words; asked for at a terminal, where the commitment has just been shown."""
    print(f"commitment: {committed.commitment}", file=sys.stderr)
    if args.words is not None:
        return args.words[0], args.words[1]
    if not sys.stdin.isatty():
        return NO_WORDS
    print("write its beginning down, then say a word each (Enter: none)", file=sys.stderr)
    return _asked("light's word: "), _asked("dark's word: ")


def _asked(what: str) -> str:
    print(what, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def _log(args: Namespace) -> int:
    """The cup's newest rolls, the newest first."""
    rolls = 0
    with ExitStack() as stack:
        cup = _opened(args, stack)
        cup.wait_ready(PATIENCE)
        for back in range(RING):
            try:
                kept = cup.call(CommandCode.LOG, bytes([back]))
            except CupRefused:
                break
            if isinstance(kept, told.LoggedRoll):
                player = "" if kept.what.player is None else f" {kept.what.player.value}"
                dice = "-".join(map(str, kept.faces))
                _say(args, _plain(kept), f"roll {kept.number}:{player} {dice}")
                rolls += 1
    if not rolls:
        print("the cup has not rolled yet", file=sys.stderr)
    return 0


def _monitor(args: Namespace) -> int:
    """All that the cup says, as text, until it is interrupted."""
    end = None if args.seconds is None else time.monotonic() + args.seconds
    state = ""
    with ExitStack() as stack:
        cup = _opened(args, stack)
        while end is None or time.monotonic() < end:
            view = cup.view
            now = f"{view.state.value}{': ' * bool(view.why)}{view.why}"
            if now != state:
                state = now
                _say(args, {"state": view.state.value, "why": view.why}, f"-- {now}")
            try:
                notice = cup.notices.get(timeout=0.2)
            except Empty:
                continue
            message = notice.message if isinstance(notice, UnsolicitedMessage) else notice
            name = type(message).__name__
            fields = _plain(message)
            words = " ".join(f"{field}={value}" for field, value in fields.items())
            _say(args, {"said": name, **fields}, f"{name} {words}".rstrip())
    return 0


def _plain(message: Any) -> dict[str, Any]:
    """A message's fields as JSON has them."""
    fields = asdict(message) if is_dataclass(message) and not isinstance(message, type) else {}
    return {name: _value(value) for name, value in fields.items()}


def _value(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case dict():
            return {name: _value(one) for name, one in value.items()}
        case tuple():
            return [_value(one) for one in value]
        case Side():
            return value.value
        case Enum():
            return (value.name or str(value.value)).lower()
        case _:
            return value


def _verify(args: Namespace) -> int:
    events = _events(args.match or "last", args.record or default_record())
    verdicts = [verdict_of(match) for match in cup_matches(events)]
    unbound = unbound_rolls(events)
    if not verdicts and not unbound:
        raise StoreError("no cup rolled in that match: there is nothing to prove")
    told_ = _verified(verdicts, unbound, use_of(events))
    if args.json:
        print(json.dumps(told_))
        return 0 if told_["proven"] else 1
    for verdict in verdicts:
        print(verdict, verdict.bound, sep="\n")
    if unbound:
        print(f"{unbound} rolls of a cup that was bound to no seed before: NOT proven")
    if told_["by_cup"] or told_["others"]:
        print(f"{told_['by_cup']} rolls of the match are the cup's, {told_['others']} are not")
    return 0 if told_["proven"] else 1


def _verified(verdicts: Iterable[ProofVerdict], unbound: int, use: CupUse) -> dict[str, Any]:
    told_ = [verdict.as_json() for verdict in verdicts]
    proven = not unbound and all(one["proven"] for one in told_)
    return {
        "proven": proven,
        "matches": told_,
        "unbound": unbound,
        "by_cup": use.by_cup,
        "others": use.others,
    }


def _events(named: str, record: Path) -> tuple[Event, ...]:
    if named != "last" and not named.isdecimal():
        return read_events(Path(named))
    from tableside.record.store import Store

    with Store.open_reading(record) as store:
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
