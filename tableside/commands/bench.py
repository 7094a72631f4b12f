"""`tableside bench`: figures for this program, for read images, clips or simulated games."""

from __future__ import annotations

import argparse
import json
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    count,
    force_option,
    preset_option,
    setting,
)
from tableside.errors import WrongUsage


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside bench` and its options."""
    parser = command(
        subparsers,
        "bench",
        COMMANDS["bench"],
        "tableside bench\ntableside bench --only read_full --json\n"
        "tableside bench --stills labeled --out report\n"
        "tableside bench --robust clip.mp4 --fault shake --fault flicker=2\n"
        "tableside bench --referee 300 --noise sight=0.01 miscounted=0.01 --curve --out report",
        "Without --stills, --robust, --referee or --slowest it measures speed, each figure next\n"
        "to a baseline from the same run.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="measure only this row; repeatable"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for images.csv, figures.json and reliability.png (--stills) or referee.json "
        "and referee.png (--referee)",
    )
    force_option(parser)
    stills = parser.add_argument_group("reading of labeled photos")
    stills.add_argument(
        "--stills",
        type=Path,
        metavar="FOLDER",
        help="score the photos here: NAME.jpg with NAME.json each, or any with a manifest.json",
    )
    stills.add_argument(
        "--adapt",
        action="store_true",
        help="first learn each board from one of its photos, then score the others",
    )
    stills.add_argument(
        "--limit", type=count, metavar="N", help="use only N photos, the same ones each time"
    )
    stills.add_argument(
        "--severity",
        nargs="+",
        type=int,
        choices=range(4),
        metavar="N",
        help="make the photos worse in each of several ways, at severity 1, 2 or 3, and print a "
        "line for each: what is right, and how sure the program is; 0: as they are",
    )
    robust = parser.add_argument_group("transcription under bad conditions")
    robust.add_argument(
        "--robust",
        nargs="+",
        type=Path,
        metavar="CLIP",
        help="score these clips: CLIP.mp4 with CLIP.setup.json and CLIP.events.jsonl each",
    )
    robust.add_argument(
        "--fault",
        action="append",
        metavar="NAME[=1|2|3]",
        help="add only this fault of camera, light or table, at this severity; repeatable. "
        "An unknown name lists the known ones",
    )
    _referee_options(parser)
    parser.add_argument(
        "--slowest",
        type=count,
        metavar="STEPS",
        help="search each variant, or the one of --variant, for the position that takes longest to "
        "judge, in so many steps",
    )


def _referee_options(parser: argparse.ArgumentParser) -> None:
    referee = parser.add_argument_group("refereeing of simulated games")
    referee.add_argument(
        "--referee", type=count, metavar="GAMES", help="simulate this many games with errors"
    )
    referee.add_argument(
        "--noise",
        nargs="+",
        type=setting,
        metavar="NAME=RATE",
        help="rate of each error: sight=0.01 misreads 1 %% of all places. An unknown name lists "
        "the known ones",
    )
    referee.add_argument(
        "--curve", action="store_true", help="also simulate 0.1, 0.3, 1 and 3 %% of misread places"
    )
    referee.add_argument(
        "--variant",
        metavar="V",
        help="game to simulate or search, such as narde; default: short",
    )
    preset_option(referee)
    referee.add_argument("--seed", type=count, metavar="N", help="random seed; default: 0")
    referee.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="keep each simulated match in this file, and do not simulate again what it has",
    )


def run(args: Namespace) -> int:
    """Measure what was chosen and print the results."""
    _check(args)
    if args.severity:
        _bench_severities(args)
    elif args.stills is not None:
        _bench_stills(args)
    elif args.referee is not None:
        bench_referee(args, sys.stdout)
    elif args.slowest is not None:
        _search_slowest(args)
    elif args.robust is not None:
        _bench_robustness(args)
    else:
        _bench_figures(args)
    return 0


def _check(args: Namespace) -> None:
    measurements = ("stills", "referee", "robust", "only", "slowest")
    chosen = [name for name in measurements if getattr(args, name)]
    if len(chosen) > 1:
        raise WrongUsage(f"give either --{chosen[0]} or --{chosen[1]}, not both")
    if args.fault and not args.robust:
        raise WrongUsage("--fault needs --robust CLIP")
    if args.out is not None and args.stills is None and args.referee is None:
        raise WrongUsage("--out needs --stills FOLDER or --referee GAMES")
    if (args.adapt or args.limit is not None or args.severity) and args.stills is None:
        raise WrongUsage("--adapt, --limit and --severity need --stills FOLDER")
    if args.severity and args.out is not None:
        raise WrongUsage("--out writes the report of photos as they are, without --severity")
    if any((args.noise, args.curve, args.resume, args.preset)) and not args.referee:
        raise WrongUsage("--noise, --curve, --resume and --preset need --referee GAMES")
    if (args.variant or args.seed is not None) and not (args.referee or args.slowest):
        raise WrongUsage("--variant and --seed need --referee GAMES or --slowest STEPS")
    if args.referee == 0:
        raise WrongUsage("--referee needs at least one game")


def _check_out(args: Namespace, names: Iterable[str]) -> None:
    if args.out is not None:
        check_overwriting(args, *(args.out / name for name in names))


def _bench_figures(args: Namespace) -> None:
    from tableside.bench import measure, print_table
    from tableside.bench.benchmarks import BENCHMARKS

    measured = measure(BENCHMARKS, args.only or ())
    if args.json:
        print(json.dumps({name: row.as_json() for name, row in measured}, indent=1))
    else:
        print_table(measured, sys.stdout)


def _bench_stills(args: Namespace) -> None:
    from tableside.bench.stills import score_stills
    from vision.benchmark.figures import figures_of
    from vision.benchmark.report import REPORT_FILES, table, write_report

    _check_out(args, REPORT_FILES)
    scored = score_stills(args.stills, args.limit, adapts=args.adapt)
    if args.out is not None:
        paths = write_report(args.out, scored)
        print(f"wrote {', '.join(map(str, paths))}", file=sys.stderr)
    figures = figures_of(scored)
    print(json.dumps(figures, indent=1) if args.json else table(figures))


def _bench_severities(args: Namespace) -> None:
    from tableside.bench.stills import effects_at, score_degraded
    from vision.benchmark.figures import still_figures
    from vision.benchmark.report import severity_table

    scored = score_degraded(args.stills, effects_at(args.severity), args.limit, adapts=args.adapt)
    runs = [(effect, still_figures(stills)) for effect, stills in scored]
    if args.json:
        rows = [{"effect": kind, "severity": at} | figures for (kind, at), figures in runs]
        print(json.dumps(rows, indent=1))
    else:
        print(severity_table(runs))


def _bench_robustness(args: Namespace) -> None:
    from tableside.bench.robustness import find_faults, print_runs, run_clips

    runs = run_clips(args.robust, find_faults(args.fault or ()))
    if args.json:
        print(json.dumps([run.as_json() for run in runs], indent=1))
    else:
        print_runs(runs, sys.stdout)


def _search_slowest(args: Namespace) -> None:
    from engine.rules import VARIANTS, find_rules
    from tableside.bench.slowest import slowest_text

    for name in [args.variant] if args.variant else VARIANTS:
        print(slowest_text(find_rules(name), args.slowest, args.seed or 0), flush=True)


def bench_referee(args: Namespace, out: TextIO) -> None:
    """Simulate games and print how well they were refereed."""
    from engine.rules import SHORT
    from engine.ruleset import GameOptions
    from engine.simulation.trial import USUAL_CONDITIONS
    from tableside.bench.referee import (
        RUN_FILES,
        curve_table,
        report,
        run_games,
        run_json,
        write_runs,
    )

    _check_out(args, RUN_FILES)
    conditions = USUAL_CONDITIONS.with_settings(args.noise or ())
    options = GameOptions(variant=args.variant or SHORT.name, preset=args.preset)
    runs = run_games(
        args.referee,
        conditions,
        args.seed or 0,
        options,
        has_curve=args.curve,
        log=args.resume,
    )
    if args.out is not None:
        write_runs(args.out, runs)
    if args.json:
        print(json.dumps([run_json(one) for one in runs], indent=1), file=out)
        return
    print(report(runs[0]), file=out)
    if args.curve:
        print(f"\n{curve_table(runs[1:])}", file=out)
