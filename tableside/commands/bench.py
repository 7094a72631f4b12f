"""`tableside bench`: figures of this program, of read images, clips or simulated games."""

from __future__ import annotations

import argparse
import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import TextIO

from tableside.commands import COMMANDS
from tableside.commands.options import Subparsers, command, count, setting
from tableside.errors import WrongUsage


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside bench` and its options."""
    parser = command(
        subparsers,
        "bench",
        COMMANDS["bench"],
        "tableside bench\ntableside bench --only read_full --json\n"
        "tableside bench --stills labelled --out report\n"
        "tableside bench --robust clip.mp4 --fault shake --fault flicker=2\n"
        "tableside bench --referee 300 --noise sight=0.01 miscounted=0.01 --curve --out report",
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="only this row; may be given again"
    )
    stills = parser.add_argument_group("how well labelled pictures are read")
    stills.add_argument(
        "--stills",
        type=Path,
        metavar="FOLDER",
        help="instead: NAME.jpg beside NAME.json, or photos with a manifest.json",
    )
    stills.add_argument(
        "--adapt",
        action="store_true",
        help="learn each board from one of its own pictures first, and read the others",
    )
    stills.add_argument(
        "--limit", type=count, metavar="N", help="only N of the pictures, the same ones each time"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="images.csv, figures.json and reliability.png of stills; referee.json, with every "
        "fault, and referee.png of simulated games",
    )
    robust = parser.add_argument_group("how well clips are transcribed through a bad camera")
    robust.add_argument(
        "--robust",
        nargs="+",
        type=Path,
        metavar="CLIP",
        help="instead: CLIP.mp4 beside CLIP.setup.json and CLIP.events.jsonl, its truth",
    )
    robust.add_argument(
        "--fault",
        action="append",
        metavar="NAME[=1|2|3]",
        help="only this fault of camera, lamp or table, at this severity; may be given again. A "
        "name that there is not is answered with those there are",
    )
    _referee_options(parser)


def _referee_options(parser: argparse.ArgumentParser) -> None:
    referee = parser.add_argument_group("how well simulated games are refereed")
    referee.add_argument(
        "--referee", type=count, metavar="GAMES", help="instead: so many games, seen with errors"
    )
    referee.add_argument(
        "--noise",
        nargs="+",
        type=setting,
        metavar="NAME=SHARE",
        help="what goes wrong how often; sight=0.01 is 1 %% of the cells misread. A name that "
        "there is not is answered with those there are",
    )
    referee.add_argument(
        "--curve", action="store_true", help="also with 0.1, 0.3, 1 and 3 %% of the cells misread"
    )
    referee.add_argument(
        "--seed", type=count, metavar="N", help="of the first match; 0 if not given"
    )


def run(args: Namespace) -> int:
    """Measure what was chosen and print it."""
    _check(args)
    if args.stills is not None:
        _bench_stills(args)
    elif args.referee is not None:
        bench_referee(args, sys.stdout)
    elif args.robust is not None:
        _bench_robustness(args)
    else:
        _bench_figures(args)
    return 0


def _check(args: Namespace) -> None:
    measurements = ("stills", "referee", "robust", "only")
    chosen = [name for name in measurements if getattr(args, name)]
    if len(chosen) > 1:
        raise WrongUsage(f"--{chosen[0]} and --{chosen[1]} are two measurements; choose one")
    if args.fault and not args.robust:
        raise WrongUsage("--fault goes with --robust CLIP; name a clip")
    if args.out is not None and args.stills is None and args.referee is None:
        raise WrongUsage("--out goes with --stills FOLDER or --referee GAMES; give one of them")
    if (args.adapt or args.limit is not None) and args.stills is None:
        raise WrongUsage("--adapt and --limit go with --stills FOLDER; name the folder")
    if (args.noise or args.curve or args.seed is not None) and not args.referee:
        raise WrongUsage("--noise, --curve and --seed go with --referee GAMES; say how many")
    if args.referee == 0:
        raise WrongUsage("--referee 0 plays no game; say how many")


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
    from vision.benchmark.report import table, write_report

    scored = score_stills(args.stills, args.limit, adapts=args.adapt)
    if args.out is not None:
        paths = write_report(args.out, scored)
        print(f"wrote {', '.join(map(str, paths))}", file=sys.stderr)
    figures = figures_of(scored)
    print(json.dumps(figures, indent=1) if args.json else table(figures))


def _bench_robustness(args: Namespace) -> None:
    from tableside.bench.robustness import find_faults, print_runs, run_clips

    runs = run_clips(args.robust, find_faults(args.fault or ()))
    if args.json:
        print(json.dumps([run.as_json() for run in runs], indent=1))
    else:
        print_runs(runs, sys.stdout)


def bench_referee(args: Namespace, out: TextIO) -> None:
    """Simulate games, and print how they were refereed."""
    from engine.simulation.trial import USUAL_CONDITIONS, total_score
    from tableside.bench.referee import curve_table, report, run_games, run_json, write_runs

    conditions = USUAL_CONDITIONS.with_settings(args.noise or ())
    runs = run_games(args.referee, conditions, args.seed or 0, has_curve=args.curve)
    if args.out is not None:
        write_runs(args.out, runs)
    if args.json:
        print(json.dumps([run_json(*one) for one in runs], indent=1), file=out)
        return
    print(report(conditions, total_score(runs[0][1])), file=out)
    if args.curve:
        print(f"\n{curve_table(runs[1:])}", file=out)
