"""`tableside dice`: what rolls tell of dice, and whether that can be relied on."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TextIO

from engine.fairness import ConfusionMatrix, Findings, InvalidDice, find_all
from engine.fairness.report_json import findings_json
from tableside.dice.naming import run_merge, run_rename, run_undo
from tableside.dice.rolls_csv import ReadDice, read_dice, write_rows
from tableside.dice.sources import dice_of_files, dice_of_record, record_rows
from tableside.errors import BadDice, StoreError, WrongUsage
from tableside.paths import default_record

LOGS: Final = 1_000
ROLLS: Final = 5_000
SEED: Final = 1


def run_dice(args: Namespace) -> int:
    """Run one of its words; the exit code."""
    words: dict[str, Callable[[Namespace], int]] = {
        "report": run_report,
        "simulate": run_simulate,
        "log": run_log,
        "merge": run_merge,
        "rename": run_rename,
        "undo": run_undo,
    }
    return words[args.action](args)


def run_report(args: Namespace, out: TextIO | None = None) -> int:
    """Tell what the rolls say; notices go to stderr."""
    out = out or sys.stdout
    read = _read(args)
    for notice in read.notices:
        print(f"tableside: {notice}", file=sys.stderr)
    if not len(read.log):
        raise BadDice("there are no rolls in it; nothing can be told")
    found = find_all(read.log, None if args.misread is None else misreading_of(args.misread))
    if args.html is not None:
        _write_html(args, found, read)
    if args.json:
        told = {**findings_json(found), "notices": list(read.notices)}
        print(json.dumps(told, allow_nan=False, ensure_ascii=False), file=out)
    else:
        print("\n".join(report_lines(found)), file=out)
    return 0


def _read(args: Namespace) -> ReadDice:
    if args.csv is not None:
        return read_dice(args.csv)
    if args.match is not None:
        return dice_of_files(args.match)
    return dice_of_record(args.db or default_record())


def _files(args: Namespace) -> str:
    """The names of the files that were read; empty where it was a record."""
    paths = [args.csv] if args.csv is not None else args.match or []
    return ", ".join(path.name for path in paths)


def misreading_of(text: str) -> ConfusionMatrix:
    """A reader's mistakes from a rate, or from a JSON file with six rows of six."""
    try:
        return ConfusionMatrix.even(float(text))
    except InvalidDice as error:
        raise WrongUsage(f"--misread {text}: give a rate from 0 to 0.5, or a file") from error
    except ValueError:
        pass  # no number, so a file
    try:
        return ConfusionMatrix(json.loads(Path(text).read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise BadDice(f"{text}: {error}; six rows of six numbers are wanted") from error


def _write_html(args: Namespace, found: Findings, read: ReadDice) -> None:
    # Imported here: only a report draws.
    from tableside.record.files import replace_file
    from webui.i18n.locale import LANGUAGES, of_system, speaking
    from webui.views.dice_phrases import title
    from webui.views.dice_report import report_html

    code = args.lang or of_system(os.environ)
    if code not in LANGUAGES:
        raise WrongUsage(f"--lang {code}: there are {' and '.join(LANGUAGES)}")
    with speaking(code):
        page = report_html(found, title=_files(args) or title(None), notices=read.notices)
    replace_file(args.html, page)


def report_lines(found: Findings) -> Iterator[str]:
    """The report as text."""
    told = findings_json(found)
    for kind in ("dice", "players", "cups"):
        if told[kind]:
            yield f"{kind}:"
        for name, unit in told[kind].items():
            yield from _unit_lines(name, unit)
    for name, pair in told["pairs"].items():
        yield from _pair_lines(name, pair)
    for name, one in told["comparisons"].items():
        yield f"{name} against each other: p {one['p']:.3g}"
    tests = told["tests"]
    yield (
        f"{tests['asked']} questions were asked, {len(tests['told'])} stand out at a false "
        f"discovery rate of {100 * tests['false_discovery']:.0f} %"
    )
    for test in tests["told"]:
        yield f"  {test['of']}, {test['question']}: p {test['p']:.2g}"
    rows = told["rows"]
    yield (
        f"{rows['all']:,} rows: {rows['void']:,} void, {rows['unread']:,} not read, "
        f"{rows['openings']:,} of openings without their ties, {rows['doubtful']:,} doubtful"
    )


def _unit_lines(name: str, unit: dict[str, Any]) -> Iterator[str]:
    mark = " (two like dice, counted as one)" if unit["pooled"] else ""
    yield f"  {name or 'without a name'}{mark}: {unit['verdict']}"
    counts = " ".join(f"{count:,}" for count in unit["counts"])
    yield (
        f"    1 to 6: {counts}; X2 {unit['chi2']:.3f}, p {unit['p']:.3g}; axes "
        f"{unit['axis_chi2']:.2f}, p {unit['axis_p']:.3g}; e-value {unit['e_words']}"
    )
    luck = unit["luck"]
    if luck is not None and luck["throws"]:
        yield (
            f"    luck, which is not the dice: {luck['pips']:,} pips where "
            f"{luck['expected']:,.0f} were to be expected (z {luck['z']:+.2f})"
        )


def _pair_lines(name: str, pair: dict[str, Any]) -> Iterator[str]:
    yield (
        f"pair {name}: {pair['throws']:,} throws, {pair['doubles']:,} doubles "
        f"(one in six would be {pair['throws'] / 6:,.0f}, p {pair['doubles_p']:.3g}); "
        f"one die and the other: p {pair['independence_p']:.3g}"
    )


def run_log(args: Namespace) -> int:
    """Write every die of the record as CSV, those too that could not be read."""
    # Imported here: SQLite is not needed for files.
    from tableside.record.store import Store

    record = args.db or default_record()
    if not record.exists():
        raise StoreError(f"there is no record {record}; name one with --db")
    with Store.open_reading(record) as store, args.out.open("w", encoding="utf-8") as out:
        count = write_rows((row for rows in record_rows(store) for row in rows), out)
    print(f"{count:,} dice: {args.out}", file=sys.stderr)
    return 0


def run_simulate(args: Namespace, out: TextIO | None = None) -> int:
    """Simulate dice and tell how often what is promised is kept; 1 if it is not."""
    import numpy as np

    from engine.fairness.simulate import decisions, powers, reached, simulate

    out = out or sys.stdout
    chance = np.random.default_rng(SEED if args.seed is None else args.seed)
    logs, rolls = args.logs or LOGS, args.rolls or ROLLS
    if logs < 100 or rolls < 100:
        raise WrongUsage("--logs and --rolls: fewer than 100 show nothing")
    kinds: list[tuple[str, Iterable[Any], Callable[[Any], str]]] = [
        ("rates", simulate(logs, rolls, chance), _rate_line)
    ]
    if args.power:
        kinds.append(("reached", reached(min(logs, 1_000), chance), _rate_line))
        kinds.append(("powers", powers(logs, chance), _power_line))
        kinds.append(("decisions", decisions(min(logs, 5_000), chance), _decided_line))
    told: dict[str, list[dict[str, Any]]] = {kind: [] for kind, *_ in kinds}
    for kind, found, line in kinds:
        for one in found:
            told[kind].append(_as_json(one))
            if not args.json:
                print(line(one), file=out, flush=True)
    if args.json:
        print(json.dumps(told, allow_nan=False), file=out)
    is_kept = all(one["is_kept"] for kind in told.values() for one in kind if "is_kept" in one)
    if not is_kept:
        print("tableside: a promise is not kept, see above", file=sys.stderr)
    return 0 if is_kept else 1


def _as_json(one: Any) -> dict[str, Any]:
    told = {name: getattr(one, name) for name in one.__slots__}
    return {**told, "is_kept": one.is_kept} if hasattr(one, "is_kept") else told


def _power_line(one: Any) -> str:
    line = f"{one.reckoned:.1%} reckoned, {one.tried:.1%} found"
    return f"{one.name:<18}{one.rolls:>8,} rolls: {line} ({one.logs:,})"


def _decided_line(one: Any) -> str:
    line = f"e >= 20 after {one.median:,} rolls [{one.late:,}], e >= 1000 after {one.alarm:,}"
    return f"{one.name:<18}{line}; a planned test needs {one.fixed:,} ({one.logs:,})"


def _rate_line(rate: Any) -> str:
    promise = "" if rate.nominal is None else f"{rate.nominal:.1%}"
    sign = "kept" if rate.is_kept else "NOT KEPT"
    sign = "shown only" if rate.nominal is None else sign
    return f"{rate.name:<22}{rate.found:>8.2%} {promise:>7}  {sign:<11}{rate.what} ({rate.logs:,})"
