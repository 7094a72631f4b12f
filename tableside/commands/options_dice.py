"""The options of what is about dice: dice, cup."""

from __future__ import annotations

import argparse
from pathlib import Path

from tableside.commands.arguments import count
from tableside.commands.options_shared import Parsers, command, record_option, words_option


def dice(commands: Parsers) -> None:
    """`tableside dice`."""
    one = command(
        commands,
        "dice",
        "tell what rolls say of dice: of the record, of match files, of any table",
        "tableside dice report                           (all recorded matches)\n"
        "tableside dice report --csv rolls.csv --html dice.html\n"
        "tableside dice report --match final.mat semi.mat --json\n"
        "tableside dice log --out rolls.csv\n"
        "tableside dice merge 'white pair' 'ivory pair'\n"
        "tableside dice rename 'white pair' 'club dice'\n"
        "tableside dice simulate --logs 1000 --rolls 5000",
    )
    words = one.add_subparsers(dest="action", metavar="WORD", required=True)
    _dice_report(words)
    _dice_simulate(words)
    _dice_naming(words)
    log = command(
        words, "log", "write every recorded die as a table", "tableside dice log --out rolls.csv"
    )
    log.add_argument("--db", type=Path, metavar="FILE", help="the record; the usual one without it")
    log.add_argument("--out", required=True, type=Path, metavar="FILE", help="the CSV to write")


def _dice_report(words: Parsers) -> None:
    example = (
        "tableside dice report --csv rolls.csv\n"
        "tableside dice report --db club.sqlite --html dice.html"
    )
    one = command(words, "report", "say what the rolls tell of the dice", example)
    given = one.add_mutually_exclusive_group()
    given.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="a table with the columns time, player, die, value, and throw where there is one",
    )
    given.add_argument("--db", type=Path, metavar="FILE", help="a record; the usual one without it")
    given.add_argument("--match", nargs="+", type=Path, metavar="FILE", help="match files")
    one.add_argument("--json", action="store_true", help="one JSON object, nothing else")
    one.add_argument("--html", type=Path, metavar="OUT", help="write the report as a page as well")
    one.add_argument(
        "--lang", metavar="CODE", help="the page's language, `en` or `ru`; the system's without it"
    )
    one.add_argument(
        "--misread",
        metavar="RATE|FILE",
        help="how often the dice were misread: a rate such as 0.01, or a JSON file with six rows "
        "of six, true face by told face",
    )


def _dice_naming(words: Parsers) -> None:
    told = "for all matches of the record, those to come too"
    merge = command(
        words, "merge", f"two names are the same dice, {told}",
        "tableside dice merge 'white pair' 'ivory pair'",
    )  # fmt: skip
    merge.add_argument("keep", metavar="KEEP", help="the name that they keep, as reports tell it")
    merge.add_argument("other", metavar="OTHER", help="the name that they had as well")
    rename = command(
        words, "rename", f"call dice otherwise, {told}",
        "tableside dice rename 'white pair' 'club dice'",
    )  # fmt: skip
    rename.add_argument("name", metavar="NAME", help="what reports call them")
    rename.add_argument("to", metavar="TO", help="what they are to be called")
    undo = command(words, "undo", "take back the last merge or rename", "tableside dice undo")
    for one in (merge, rename, undo):
        one.add_argument(
            "--db", type=Path, metavar="FILE", help="the record; the usual one without it"
        )


def _dice_simulate(words: Parsers) -> None:
    example = "tableside dice simulate\ntableside dice simulate --logs 10000 --power --json"
    one = command(words, "simulate", "roll known dice and see whether all that holds", example)
    one.add_argument("--logs", type=count, metavar="N", help="logs of dice; 1000 if not given")
    one.add_argument("--rolls", type=count, metavar="N", help="rolls of a log; 5000 if not given")
    one.add_argument("--power", action="store_true", help="biased dice too: when they are found")
    one.add_argument("--seed", type=count, metavar="N", help="of the dice; 1 if not given")
    one.add_argument("--json", action="store_true", help="one JSON object, nothing else")


def cup(commands: Parsers) -> None:
    """`tableside cup`."""
    one = command(
        commands,
        "cup",
        "find, test and throw a dice cup on a serial line, and prove a match's rolls",
        "tableside cup find\n"
        "tableside cup test --port /dev/ttyUSB0\n"
        "tableside cup roll --virtual --count 5 --out rolls.jsonl\n"
        "tableside cup monitor --port socket://192.168.1.30:4000\n"
        "tableside cup verify last\n"
        "tableside cup verify rolls.jsonl",
    )
    one.add_argument(
        "action",
        choices=("find", "test", "roll", "log", "monitor", "verify"),
        help="find: which port; test: the cup's self-test; roll: rolls with their proof; log: its "
        "last rolls; monitor: all that it says; verify: a match's rolls made again",
    )
    one.add_argument(
        "match",
        nargs="?",
        metavar="MATCH",
        help="verify: number of a recorded match, a file of events, or `last`, which is usual",
    )
    _cup_options(one)
    rolls = one.add_argument_group("roll")
    rolls.add_argument(
        "--dice", choices=("one", "two", "opening"), default="two", help="what; two if not given"
    )
    rolls.add_argument("--count", type=count, default=1, metavar="N", help="so many; 1 by itself")
    rolls.add_argument("--shake", action="store_true", help="when the cup is shaken and poured")
    rolls.add_argument("--out", type=Path, metavar="FILE", help="the proof, for `verify`")
    one.add_argument("--seconds", type=count, metavar="N", help="monitor: end after so long")
    one.add_argument("--json", action="store_true", help="JSON lines, nothing else")
    record_option(one)


def _cup_options(one: argparse.ArgumentParser) -> None:
    where = one.add_mutually_exclusive_group()
    where.add_argument(
        "--port",
        dest="cup_port",
        metavar="URL",
        help="the cup's port: a path, a COM name, socket://HOST:N or rfc2217://HOST:N; found by "
        "itself if not given",
    )
    where.add_argument("--virtual", action="store_true", help="a cup without hardware")
    words_option(one)
