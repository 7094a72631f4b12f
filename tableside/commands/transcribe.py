"""`tableside transcribe`: turns the video of a match into its files."""

from __future__ import annotations

import json
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from engine import Event, GameStart, PlayMade
from engine.match.amendments import effective_events
from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_folder,
    check_overwriting,
    command,
    force_option,
    jobs_option,
    match_config,
    match_options,
    position,
)
from tableside.console import number_of_plays
from tableside.errors import NothingSeen, WrongUsage
from tableside.record.files import replace_file

if TYPE_CHECKING:
    from tableside.console import Progress
    from tableside.match.config import MatchConfig
    from tableside.match.session import Session
    from tableside.recording.transcription import TranscriptRecord
    from tableside.review.stills import StillKeeper

RECORD: Final = "record.sqlite"
MAX_UNSEEN_SHARE: Final = 0.5
"""Fraction of the time; if more is unseen, the transcript is not a record of the match."""
STILLS: Final = "record.stills"
"""Where pictures are kept until it is known which of them belong to the review."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside transcribe` and its options."""
    parser = command(
        subparsers,
        "transcribe",
        COMMANDS["transcribe"],
        "tableside transcribe evening.mp4 --out evening --length 7 --light Ann --dark Bob\n"
        "tableside transcribe part1.mp4 part2.mp4 --out evening",
    )
    parser.add_argument(
        "videos",
        nargs="+",
        metavar="VIDEO",
        help="video file or folder of images; several files are parts of one match, in order, "
        "unless --jobs is given",
    )
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="DIR",
        help="folder for match.mat, match.sgf, events.jsonl, rolls.csv, review.json, "
        "review/index.html and the record",
    )
    force_option(parser)
    jobs_option(
        parser,
        "each VIDEO, or video in a folder, is a match of its own, and N are transcribed at the "
        "same time, as by `tableside archive`",
    )
    match_options(parser)
    parser.add_argument(
        "--start",
        type=position,
        metavar="POSITION",
        help="position at the start of the video: JSON, a file with JSON, a Position ID or words "
        "such as 'light 24:2 13:5 | dark 24:2'; default: the starting position, or read from the "
        "video",
    )

    _segment_options(parser)


def _segment_options(parser: ArgumentParser) -> None:
    """What `tableside archive` asks of its processes."""
    parser.add_argument("--segments", type=Path, help=SUPPRESS)
    parser.add_argument("--segment-seconds", type=float, help=SUPPRESS)
    parser.add_argument("--segment", type=int, help=SUPPRESS)


def run(args: Namespace) -> int:
    """Transcribe and write the files; return 0, or raise an error that names the obstacle."""
    if args.jobs:
        return _transcribe_each(args)
    from tableside.console import progress_of
    from tableside.recording.transcription import ACTIVE_FPS, TranscriptRecord, transcribe
    from tableside.review.report import OUTPUT_FILES
    from tableside.review.stills import temporary_stills
    from vision.sources.open import open_videos

    config = replace(match_config(args), start=args.start)
    check_folder(args.out)
    check_overwriting(args, *(args.out / name for name in OUTPUT_FILES))
    source = open_videos(args.videos, min_fps=ACTIVE_FPS)
    if source.is_live:
        source.close()
        raise NothingSeen(f"{source.name} is live: record it with `tableside live --camera`")
    if args.segments is not None and _is_part_done(args, config):
        source.close()
        return 0
    record = TranscriptRecord(args.out / RECORD, config, ", ".join(args.videos))
    is_whole = False
    with temporary_stills(args.out / STILLS) as stills:
        try:
            with progress_of(source, sys.stderr) as progress:
                if args.segment is None:
                    session = transcribe(source, config, record, progress, stills)
                else:
                    session = _join(args, config, record, progress, stills)
            is_whole = True
        finally:
            # Whatever ended the video, what it showed until then is written.
            source.close()
            record.close(is_whole=is_whole)
            paths = _write(args.out, record.events, stills)
    if not any(isinstance(event, GameStart) for event in record.events):
        hint = "" if config.profile is None else "; to join a game under way, omit --profile"
        raise NothingSeen(f"{source.name} shows no game: {session.message}{hint}")
    print(f"{_summary(record.events)}; wrote {', '.join(str(path) for path in paths)}")
    if session.lacks_cube:
        print("no doubling cube was seen: doubles, takes and drops are not recorded")
    shown = quote(str(record.path))
    print(f"the record is {record.path}; to browse it: tableside review --record {shown}")
    if session.coverage.unseen_share > MAX_UNSEEN_SHARE:
        raise NothingSeen(
            f"{source.name}: most of the match was not seen: the board could not be read for "
            f"{session.coverage.unseen_share:.0%} of the time; the `unseen` events in "
            f"{args.out / 'events.jsonl'} say when and why"
        )
    return 0


def _is_part_done(args: Namespace, config: MatchConfig) -> bool:
    """Cut a long video, or read a segment of it; return whether that was all there is to do."""
    from tableside.recording.archive.cuts import find_cuts, keep_cuts, kept_cuts
    from tableside.recording.archive.segment_folder import SegmentFolder
    from tableside.recording.archive.segments import read_segment

    folder, video = SegmentFolder(args.segments), Path(args.videos[0])
    if args.segment is None and (cuts := find_cuts(video, config, args.segment_seconds)):
        keep_cuts(folder, cuts)
    elif args.segment:
        read_segment(video, kept_cuts(folder), args.segment, config, args.out)
    else:
        return False
    return True


def _join(
    args: Namespace,
    config: MatchConfig,
    record: TranscriptRecord,
    progress: Progress,
    stills: StillKeeper,
) -> Session:
    """Transcribe a video from its segments."""
    from tableside.recording.archive.entries import JOINED
    from tableside.recording.archive.join import Join
    from tableside.recording.archive.segment_folder import SegmentFolder

    folder = SegmentFolder(args.segments)
    join = Join(Path(args.videos[0]), folder, config, record, stills)
    try:
        return join.transcribe(progress)
    finally:
        figures = {"segments": folder.number, "read_again": len(join.read_again)}
        replace_file(args.out / JOINED, json.dumps(figures))


def _transcribe_each(args: Namespace) -> int:
    """Transcribe each video into a folder of its own."""
    from tableside.commands import archive
    from tableside.recording.archive.segment_folder import SEGMENT_S

    if args.start is not None or args.force:
        raise WrongUsage("--start and --force are for one match; leave out --jobs")
    args.sources = [Path(video) for video in args.videos]
    args.scheduler, args.retry, args.segment = None, False, SEGMENT_S / 60
    return archive.run(args)


def _write(folder: Path, events: Sequence[Event], stills: StillKeeper) -> tuple[Path, ...]:
    """Write all files of a match and return their paths; none if nothing was seen."""
    if not events:
        return ()
    from tableside.review.output_files import write_record_files
    from tableside.review.report import write_review

    if stills.fault is not None:
        print(f"tableside: {stills.fault}; the review lacks the picture", file=sys.stderr)
    return *write_record_files(folder, events), *write_review(folder, events, stills)


def _summary(events: Sequence[Event]) -> str:
    from tableside.review.review_items import count_to_review

    plays = [event for event in effective_events(events) if isinstance(event, PlayMade)]
    return f"{number_of_plays(len(plays))}, {count_to_review(events)} to review"
