"""`tableside archive`: turns a collection of videos into recorded matches."""

from __future__ import annotations

import os
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_folder,
    command,
    jobs_option,
    match_config,
    match_options,
    minutes,
)
from tableside.console import say
from tableside.errors import NothingSeen
from tableside.printable import printable
from tableside.recording.archive.segment_folder import SEGMENT_S

if TYPE_CHECKING:
    from tableside.recording.archive.run import Outcome

MOST_LINES: Final = 20
"""Videos read otherwise that are named."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside archive` and its options."""
    parser = command(
        subparsers,
        "archive",
        COMMANDS["archive"],
        "tableside archive /media/videos --out archive\n"
        "tableside archive matches.csv --out archive --jobs 4\n"
        "tableside archive /shared/videos --out /shared/archive --scheduler tcp://hall:8786",
        "Every video is a match of its own. A second run only does what is new, by the content of\n"
        "the videos. OUT/index.html lists all doubts of all matches.",
    )
    parser.add_argument(
        "sources",
        nargs="+",
        type=Path,
        metavar="SOURCE",
        help="video, folder that is searched for videos at any depth, text file with a path in "
        "each line, or CSV file with the column `video` and any of light, dark, date, event, "
        "round, table, length, variant, rules, profile",
    )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="folder of the archive"
    )
    jobs_option(parser)
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the workers of this Dask scheduler do the work, such as tcp://hall:8786; they "
        "must see the same folders under the same paths. `local` starts workers on this machine, "
        "with a page to watch them. Needs the extra `archive`",
    )
    parser.add_argument(
        "--retry", action="store_true", help="try again the videos that were set aside"
    )
    parser.add_argument(
        "--segment",
        type=minutes,
        default=SEGMENT_S / 60,
        metavar="MINUTES",
        help="read long videos in segments of about this length, several at a time, and join them "
        "(default: 20; 0: read every video in one go)",
    )
    match_options(parser)


def run(args: Namespace) -> int:
    """Transcribe what is new and write the report; return 0, or 1 if a video could not be read."""
    from tableside.recording.archive.pools import on_cluster, on_this_machine
    from tableside.recording.archive.run import transcribe_new
    from tableside.recording.archive.video_list import READING, Caption
    from tableside.recording.archive.videos import find_videos

    check_folder(args.out)
    config = match_config(args)  # complains about options that are wrong for every video
    given = {name: f"{value}" for name in READING if (value := getattr(args, name)) is not None}
    names = {"light": config.light, "dark": config.dark}
    said = {side: name for side, name in names.items() if name != side.title()}
    videos = find_videos(args.sources, given, Caption(**said))
    jobs = args.jobs or os.cpu_count() or 1
    pool = partial(on_this_machine, jobs=jobs)
    if args.scheduler is not None:
        scheduler = None if args.scheduler == "local" else args.scheduler
        pool = partial(on_cluster, jobs=jobs, scheduler=scheduler)
    outcome = transcribe_new(
        args.out, videos, pool, retries=args.retry, segment_seconds=60 * args.segment
    )
    return report_outcome(args.out, outcome)


def report_outcome(folder: Path, outcome: Outcome) -> int:
    """Print what became of a run; return 0, or 1 if some video could not be read."""
    from tableside.recording.archive.report import REPORT
    from tableside.recording.archive.run import table_of

    for line in outcome.unreadable:
        say(printable(line))
    for line in outcome.ignored[:MOST_LINES]:
        say(printable(line))
    if len(outcome.ignored) > MOST_LINES:
        say(
            f"{len(outcome.ignored) - MOST_LINES} more videos were read otherwise than they are now"
        )
    print(table_of(outcome.entries))
    matches = sum(entry.is_match for entry in outcome.entries)
    aside = len(outcome.entries) - matches
    doubts = sum(entry.to_review for entry in outcome.entries)
    print(
        f"{outcome.done} videos done now; in all {matches} matches, {aside} videos set aside, "
        f"{doubts} items to review: {folder / REPORT}"
    )
    if not matches:
        raise NothingSeen("no video shows a match; the report says why")
    return 1 if outcome.unreadable else 0
