"""`tableside cup`: find, test, roll, reveal, log, monitor, entropy and verify."""

from __future__ import annotations

import argparse
import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from queue import Empty
from typing import Any, Final

from engine.events.codec import as_json
from engine.events.cup import CupCommitted
from engine.message import Message, ngettext
from hardware.connection import CupConnection
from hardware.errors import CupLost, CupRefused, NoCup
from hardware.messages import CupIdentity, LoggedRoll, SelfTest, Status, UnsolicitedMessage
from hardware.ports import list_ports
from hardware.protocol_constants import RING, CommandCode, RollPurpose, SelfTestPart, StatusFlag
from tableside.commands import COMMANDS
from tableside.commands.cup_entropy import add_entropy_parser, capture
from tableside.commands.cup_reveal import add_reveal_parser, reveal
from tableside.commands.cup_verify import add_verify_parser, verify
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    count,
    force_option,
    port_option,
    words_option,
)
from tableside.cup.history import CupMatch
from tableside.cup.match_events import NO_WORDS, Words
from tableside.cup.open_cup import open_cup
from tableside.cup.standalone import ROLL_PATIENCE, StandaloneMatch
from tableside.cup.verify import ROLL_KINDS
from tableside.errors import WrongUsage

ANSWER_TIMEOUT_S: Final = 6.0
"""Seconds to find a cup and get its answer; an Arduino takes two after its port is opened."""
SHAKE_TIMEOUT_S: Final = 300.0
"""Seconds that a player may take to shake."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside cup`, its actions and their options."""
    parser = command(
        subparsers,
        "cup",
        COMMANDS["cup"],
        "tableside cup find\n"
        "tableside cup roll --virtual --count 5 --out rolls.jsonl\n"
        "tableside cup verify rolls.jsonl",
        "`tableside cup ACTION --help` describes each action.",
    )
    actions = parser.add_subparsers(title="actions", dest="action", metavar="ACTION", required=True)
    for action, summary, examples in (
        ("find", "list the ports on which a cup responds", "tableside cup find"),
        ("test", "run the cup's self-test", "tableside cup test --port /dev/ttyUSB0"),
    ):
        _cup_options(command(actions, action, summary, examples))
    _roll_parser(actions)
    add_reveal_parser(actions)
    log = command(actions, "log", "list the cup's latest rolls", "tableside cup log --json")
    _cup_options(log)
    monitor = command(
        actions,
        "monitor",
        "print everything the cup sends",
        "tableside cup monitor --port socket://192.168.1.30:4000",
    )
    monitor.add_argument(
        "--seconds", type=count, metavar="N", help="stop after N seconds; default: on Ctrl-C"
    )
    _cup_options(monitor)
    add_entropy_parser(actions)
    add_verify_parser(actions)


def _roll_parser(actions: Subparsers) -> None:
    roll = command(
        actions,
        "roll",
        "roll the cup and prove the rolls",
        "tableside cup roll --virtual --count 5 --out rolls.jsonl\n"
        "tableside cup roll --shake --words walnut cherry",
        "The cup commits to a seed, each player adds a word, the cup rolls and finally\n"
        "reveals the seed, which proves that it did not choose its rolls.",
    )
    roll.add_argument(
        "--dice",
        choices=("one", "two", "opening"),
        default="two",
        help="one die, two dice (default) or an opening roll",
    )
    roll.add_argument(
        "--count", type=count, default=1, metavar="N", help="number of rolls; default: 1"
    )
    roll.add_argument("--shake", action="store_true", help="roll when the cup is shaken and poured")
    roll.add_argument(
        "--out", type=Path, metavar="FILE", help="file for the proof, which `cup verify` reads"
    )
    force_option(roll)
    words_option(roll)
    _cup_options(roll)


def _cup_options(parser: argparse.ArgumentParser) -> None:
    where = parser.add_argument_group("dice cup").add_mutually_exclusive_group()
    port_option(where)
    where.add_argument("--virtual", action="store_true", help="simulate a cup")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")


def run(args: Namespace) -> int:
    """Run one of the actions and return its exit code."""
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
            "no cup answers: connect it by USB, give its port with --port, or try --virtual"
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
            raise CupLost("the cup did not report the result of its self-test; try again")
        faults, warnings = _faults(found, status), _warnings(found, status)
        result = {"cup": known.unit.hex(), "faults": faults, "warnings": warnings, "ok": not faults}
        parts = {**_json_fields(found), **_json_fields(status)}
        _print(args, {**result, **parts}, _test_text(known, found, status, [*faults, *warnings]))
    return 1 if faults else 0


def _faults(found: SelfTest, status: Status) -> list[str]:
    checks = {
        "wrong hash": SelfTestPart.HASH not in found.passed,
        "memory does not keep what is written": SelfTestPart.MEMORY not in found.passed,
        "clock noise failed its test": bool(found.clock_tripped),
        f"fault {status.fault}": bool(status.fault),
    }
    return [what for what, is_so in checks.items() if is_so]


def _warnings(found: SelfTest, status: Status) -> list[str]:
    """What is not as it should be, and stops no roll."""
    checks = {
        "noise of the open pin failed its test": bool(found.noise_tripped),
        "battery is weak": StatusFlag.WEAK in status.flags,
    }
    return [what for what, is_so in checks.items() if is_so]


def _test_text(known: CupIdentity, found: SelfTest, status: Status, amiss: list[str]) -> str:
    is_prepared = StatusFlag.PREPARED in status.flags
    seed = "seed ready" if is_prepared else "gathering noise for a seed"
    rolls = ngettext("{number} roll", "{number} rolls", status.number)
    starts = ngettext("{number} start", "{number} starts", known.starts)
    overruns = ngettext("{number} overrun", "{number} overruns", status.overruns)
    return (
        f"cup {known.unit.hex()}: {'; '.join(amiss) or 'passed'}\n"
        f"{seed}; noise samples: {found.clock_samples} (clock), {found.noise_samples} (pin)\n"
        f"battery {status.battery_mv / 1000:.1f} V; {rolls} and {starts} so far; "
        f"up for {status.uptime_s} s\n"
        f"serial frames: {status.good} good, {status.bad} bad; {overruns}"
    )


def _roll(args: Namespace) -> int:
    """Make rolls in a match of their own, and verify them."""
    if not args.count:
        raise WrongUsage("--count must be at least 1")
    if args.out is not None:
        check_overwriting(args, args.out)
    what = RollPurpose(ROLL_KINDS[args.dice])
    with _open(args) as (cup, _):
        print("the cup commits to a seed ...", file=sys.stderr)
        match = StandaloneMatch(cup)
        committed = match.commit()
        match.seal(committed, _words(args, committed))
        try:
            for _ in range(args.count):
                cup.roll(what, is_armed=args.shake)
                if args.shake:
                    print("shake the cup and turn it over", file=sys.stderr)
                roll = match.next_roll(SHAKE_TIMEOUT_S if args.shake else ROLL_PATIENCE)
                _print(args, as_json(roll), " ".join(map(str, roll.dice)))
        finally:  # what was rolled before Ctrl-C can be verified too
            try:
                verdict = match.reveal()
            finally:
                if args.out is not None:
                    match.write(args.out)
    print(verdict, file=sys.stderr)
    return 0 if verdict.is_proven else 1


def _words(args: Namespace, committed: CupCommitted) -> Words:
    """The players' words; if not given, read from the terminal after showing the fingerprint."""
    print(f"fingerprint: {CupMatch(committed).fingerprint}", file=sys.stderr)
    if args.words is not None:
        return args.words[0], args.words[1]
    if not sys.stdin.isatty():
        return NO_WORDS
    print(
        "write down its first digits; then each player enters a word or presses Enter",
        file=sys.stderr,
    )
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
    """Print everything the cup sends until it is interrupted."""
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


ACTIONS: Final[dict[str, Callable[[Namespace], int]]] = {
    "find": _find,
    "test": _test,
    "roll": _roll,
    "reveal": reveal,
    "log": _log,
    "monitor": _monitor,
    "entropy": capture,
    "verify": verify,
}
