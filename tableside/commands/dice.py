"""`tableside dice`: what rolls say about dice, and how reliable that is."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from engine.dice_sets.edits import DiceEdit, DiceMerged, DiceRenamed, DiceUndone
from engine.fairness.findings import Findings, analyse_log
from engine.fairness.reading import ConfusionMatrix
from engine.fairness.report_json import findings_json
from engine.fairness.rolls import InvalidDice
from engine.message import ngettext
from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    count,
    force_option,
    record_option,
)
from tableside.errors import BadDice, StoreError, WrongUsage
from tableside.paths import closed_samples, default_record
from tableside.printable import printable

if TYPE_CHECKING:  # files do not need SQLite
    from tableside.dice.rolls_csv import ReadDice

DEFAULT_LOGS: Final = 1_000
DEFAULT_ROLLS: Final = 5_000
DEFAULT_SEED: Final = 1
MIN_PLANNED_ROLLS: Final = 60
MAX_PLANNED_BIAS: Final = 400


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside dice` and its options."""
    parser = command(
        subparsers,
        "dice",
        COMMANDS["dice"],
        "tableside dice report                       (all recorded matches)\n"
        "tableside dice report --csv rolls.csv --html dice.html\n"
        "tableside dice merge 'white pair' 'ivory pair'\n"
        "tableside dice log --out rolls.csv",
        "Dice are named by color, such as `white pair`. `tableside dice ACTION --help`\n"
        "describes each action.",
    )
    actions = parser.add_subparsers(title="actions", dest="action", metavar="ACTION", required=True)
    _report_parser(actions)
    _naming_parsers(actions)
    log = command(
        actions,
        "log",
        "export every recorded die as a CSV table",
        "tableside dice log --out rolls.csv",
    )
    log.add_argument("--out", required=True, type=Path, metavar="FILE", help="CSV file to write")
    force_option(log)
    record_option(log)
    _simulation_parser(actions)
    _plan_parser(actions)


def _plan_parser(actions: Subparsers) -> None:
    parser = command(
        actions,
        "plan",
        "say what a number of rolls will show, before you roll",
        "tableside dice plan 600\ntableside dice plan 600 --dice 2\ntableside dice plan --bias 5",
        "What a calliper or salt water can tell is in docs/how-to/dice-fairness.md.",
    )
    parser.add_argument(
        "rolls", type=count, nargs="?", metavar="ROLLS", help="rolls of each die that you can make"
    )
    parser.add_argument(
        "--bias",
        type=float,
        metavar="PERCENT",
        help="instead: how many rolls show a face that comes up this much too often",
    )
    parser.add_argument(
        "--dice", type=count, default=1, metavar="N", help="dice in the report; default: 1"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _report_parser(actions: Subparsers) -> None:
    parser = command(
        actions,
        "report",
        "report what the rolls show about the dice",
        "tableside dice report\n"
        "tableside dice report --record club.sqlite --html dice.html\n"
        "tableside dice report --match final.mat semi.mat --json\n"
        "tableside dice report --csv rolls.csv --misread 0.01\n"
        "tableside dice report --csv six-hundred.csv --final",
    )
    source = parser.add_argument_group("rolls")
    given = source.add_mutually_exclusive_group()
    record_option(given)
    given.add_argument(
        "--match", nargs="+", type=Path, metavar="FILE", help="match files, or folders of them"
    )
    given.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="table with the columns time, player, die and value, and throw if known; or faces, or "
        "two a line, or lines of face and count; `-`: what is piped in",
    )
    source.add_argument(
        "--misread",
        metavar="RATE|FILE",
        help="allow for misread dice: a rate such as 0.01, or a JSON file with six rows of six "
        "numbers, one row for each true face and one column for each face as read",
    )
    parser.add_argument(
        "--final",
        action="store_true",
        help="declare that nothing will be added to these rolls, once: verdicts then rest on "
        "p-values too",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write the report as a page")
    parser.add_argument(
        "--lang",
        metavar="CODE",
        help="language of the page: `en` or `ru`; default: the system's language",
    )
    force_option(parser)


def _simulation_parser(actions: Subparsers) -> None:
    parser = command(
        actions,
        "simulate",
        "roll dice of known bias and check that the report keeps its promises",
        "tableside dice simulate\ntableside dice simulate --logs 10000 --power --json",
    )
    parser.add_argument(
        "--logs", type=count, metavar="N", help=f"number of logs; default: {DEFAULT_LOGS}"
    )
    parser.add_argument(
        "--rolls", type=count, metavar="N", help=f"rolls in each log; default: {DEFAULT_ROLLS}"
    )
    parser.add_argument(
        "--power", action="store_true", help="also roll biased dice and report when they are found"
    )
    parser.add_argument(
        "--seed", type=count, metavar="N", help=f"random seed; default: {DEFAULT_SEED}"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _naming_parsers(actions: Subparsers) -> None:
    scope = "This applies to all matches of the record, past and future."
    merge = command(
        actions,
        "merge",
        "treat two names as the same dice",
        "tableside dice merge 'white pair' 'ivory pair'",
        scope,
    )
    merge.add_argument("keep", metavar="KEEP", help="name to keep, as reports show it")
    merge.add_argument("other", metavar="OTHER", help="name that it replaces")
    rename = command(
        actions,
        "rename",
        "give dice another name",
        "tableside dice rename 'white pair' 'club dice'",
        scope,
    )
    rename.add_argument("name", metavar="NAME", help="present name, as reports show it")
    rename.add_argument("to", metavar="TO", help="new name")
    undo = command(actions, "undo", "take back the last merge or rename", "tableside dice undo")
    for edit in (merge, rename, undo):
        record_option(edit)


def run(args: Namespace) -> int:
    """Run one of its actions and return the exit code."""
    return ACTIONS[args.action](args)


def _edit_names(args: Namespace, edit: DiceEdit) -> int:
    from tableside.dice.sources import edit_dice_names

    print(edit_dice_names(args.record or default_record(), edit), file=sys.stderr)
    return 0


def _report(args: Namespace) -> int:
    from tableside.dice.closed_samples import close_sample
    from tableside.dice.report_text import report_lines

    if args.html is not None:
        check_overwriting(args, args.html)
    read = _read(args)
    for notice in read.notices:
        print(f"tableside: {printable(str(notice))}", file=sys.stderr)
    if not len(read.log):
        raise BadDice("no rolls found")
    confusion = None if args.misread is None else parse_confusion(args.misread)
    closed = close_sample(read.log, closed_samples()) if args.final else None
    if closed is not None:
        print(f"tableside: a closed sample since {closed.declared}", file=sys.stderr)
    found = analyse_log(read.log, confusion, is_final=args.final)
    if args.html is not None:
        _write_html(args, found, read)
    if args.json:
        report = {
            **findings_json(found),
            "closed": closed and asdict(closed),
            "notices": [str(notice) for notice in read.notices],
        }
        print(json.dumps(report, allow_nan=False, ensure_ascii=False))
    else:
        print("\n".join(report_lines(found)))
    return 0


def _read(args: Namespace) -> ReadDice:
    from tableside.dice.rolls_csv import read_dice
    from tableside.dice.sources import dice_of_files, dice_of_record

    if args.csv == Path("-"):
        with TemporaryDirectory() as folder:
            piped = Path(folder) / "what was piped in"
            piped.write_bytes(sys.stdin.buffer.read())
            return read_dice(piped)
    if args.csv is not None:
        return read_dice(args.csv)
    if args.match is not None:
        return dice_of_files(args.match)
    return dice_of_record(args.record or default_record())


def _files(args: Namespace) -> str:
    """The names of the files read; empty for a record."""
    paths = [args.csv] if args.csv is not None else args.match or []
    return ", ".join(path.name for path in paths)


def parse_confusion(text: str) -> ConfusionMatrix:
    """A reader's confusion matrix from an error rate, or from a JSON file with six rows of six."""
    try:
        return ConfusionMatrix.symmetric(float(text))
    except InvalidDice as error:
        raise WrongUsage(f"--misread {text}: give a rate from 0 to 0.5, or a file") from error
    except ValueError:
        pass  # not a number, so a file
    try:
        return ConfusionMatrix(json.loads(Path(text).read_text("utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise BadDice(f"{text}: {error}; give six rows of six numbers") from error


def _write_html(args: Namespace, found: Findings, read: ReadDice) -> None:
    from tableside.record.files import replace_file
    from webui.i18n.locale import LANGUAGES, system_language, use_language
    from webui.views.dice_phrases import title
    from webui.views.dice_report import report_html

    code = args.lang or system_language(os.environ)
    if code not in LANGUAGES:
        raise WrongUsage(f"--lang {code}: choose {' or '.join(LANGUAGES)}")
    with use_language(code):
        page = report_html(found, title=_files(args) or title(None), notices=read.notices)
    replace_file(args.html, page)


def _log(args: Namespace) -> int:
    """Write every die of the record as CSV, including those that could not be read."""
    from tableside.dice.rolls_csv import write_rows
    from tableside.dice.sources import record_rows
    from tableside.record.store import Store

    record = args.record or default_record()
    if not record.exists():
        raise StoreError(f"there is no record {record}; give one with --record")
    check_overwriting(args, args.out)
    with Store.open_read_only(record) as store, args.out.open("w", encoding="utf-8") as out:
        written = write_rows((row for rows in record_rows(store) for row in rows), out)
    rolls = ngettext("{number:,} die roll", "{number:,} die rolls", written)
    print(f"wrote {rolls} to {args.out}", file=sys.stderr)
    return 0


def _plan(args: Namespace) -> int:
    """Say what a number of rolls shows, or how many show a bias."""
    from engine.fairness.plan import plan_rolls, rolls_for
    from tableside.dice.report_text import plan_lines, rolls_for_line

    if (args.rolls is None) == (args.bias is None):
        raise WrongUsage("dice plan: give either the number of rolls or --bias")
    if args.bias is not None:
        if not 0.1 <= args.bias <= MAX_PLANNED_BIAS:
            raise WrongUsage(f"--bias: give a percentage from 0.1 to {MAX_PLANNED_BIAS}")
        once, anytime = rolls_for(args.bias / 100, judged_together=args.dice)
        if args.json:
            print(json.dumps({"bias": args.bias / 100, "once": once, "anytime": anytime}))
        else:
            print(rolls_for_line(args.bias, once, anytime))
        return 0
    if args.rolls < MIN_PLANNED_ROLLS:
        raise WrongUsage(f"dice plan: fewer than {MIN_PLANNED_ROLLS} rolls show next to nothing")
    plan = plan_rolls(args.rolls, judged_together=args.dice)
    print(json.dumps(asdict(plan)) if args.json else "\n".join(plan_lines(plan)))
    return 0


def _simulate(args: Namespace) -> int:
    """Simulate dice and report how often the guarantees hold; return 1 if they do not."""
    import numpy as np

    from engine.fairness.simulate import (
        decisions,
        look_alike_powers,
        powers,
        simulate,
        verdict_powers,
    )

    chance = np.random.default_rng(DEFAULT_SEED if args.seed is None else args.seed)
    logs, rolls = args.logs or DEFAULT_LOGS, args.rolls or DEFAULT_ROLLS
    if logs < 100 or rolls < 100:
        raise WrongUsage("--logs and --rolls: give 100 or more")
    kinds: list[tuple[str, Iterable[Any], Callable[[Any], str]]] = [
        ("rates", simulate(logs, rolls, chance), _rate_line)
    ]
    if args.power:
        kinds.append(("reached", verdict_powers(min(logs, 1_000), chance), _rate_line))
        kinds.append(("reached", look_alike_powers(min(logs, 300), chance), _rate_line))
        kinds.append(("powers", powers(logs, chance), _power_line))
        kinds.append(("decisions", decisions(min(logs, 5_000), chance), _decided_line))
    results: dict[str, list[dict[str, Any]]] = {kind: [] for kind, *_ in kinds}
    for kind, found, line in kinds:
        for one in found:
            results[kind].append(_as_json(one))
            if not args.json:
                print(line(one), flush=True)
    if args.json:
        print(json.dumps(results, allow_nan=False))
    is_kept = all(one["is_kept"] for kind in results.values() for one in kind if "is_kept" in one)
    if not is_kept:
        print("tableside: some promises do not hold; see above", file=sys.stderr)
    return 0 if is_kept else 1


def _as_json(one: Any) -> dict[str, Any]:
    fields = {name: getattr(one, name) for name in one.__slots__}
    return {**fields, "is_kept": one.is_kept} if hasattr(one, "is_kept") else fields


def _power_line(one: Any) -> str:
    line = f"{one.reckoned:.1%} expected, {one.tried:.1%} found"
    return f"{one.name:<18}{one.rolls:>8,} rolls: {line} ({one.logs:,})"


def _decided_line(one: Any) -> str:
    line = f"e >= 20 after {one.median:,} rolls [{one.late:,}], e >= 1000 after {one.alarm:,}"
    return f"{one.name:<18}{line}; a planned test needs {one.fixed:,} ({one.logs:,})"


def _rate_line(rate: Any) -> str:
    promise = "" if rate.nominal is None else f"{rate.nominal:.1%}"
    sign = "kept" if rate.is_kept else "NOT KEPT"
    sign = "shown only" if rate.nominal is None else sign
    return f"{rate.name:<22}{rate.found:>8.2%} {promise:>7}  {sign:<11}{rate.what} ({rate.logs:,})"


ACTIONS: Final[dict[str, Callable[[Namespace], int]]] = {
    "report": _report,
    "simulate": _simulate,
    "plan": _plan,
    "log": _log,
    "merge": lambda args: _edit_names(args, DiceMerged(args.keep, args.other)),
    "rename": lambda args: _edit_names(args, DiceRenamed(args.name, args.to.strip())),
    "undo": lambda args: _edit_names(args, DiceUndone()),
}
