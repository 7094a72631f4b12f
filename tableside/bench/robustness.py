"""How well a clip is transcribed when its picture is degraded: every fault, every severity."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, Final, TextIO

from engine import Event
from engine.events.codec import as_json
from engine.match.amendments import effective_events
from engine.rules import find_rules
from tableside.errors import WrongUsage
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.recording.transcription import ACTIVE_FPS, feed_frames
from vision.benchmark.clip_score import ClipScore, ClipTruth, read_truth, score_transcript
from vision.benchmark.degradations import KINDS, Degradation, DegradedSource
from vision.errors import VisionError
from vision.sources.files import VideoFile

CLEAN: Final = "clean"
SEVERITIES: Final = (1, 2, 3)
COLUMNS: Final = (
    ("right", 6),
    ("plays", 6),
    ("wrong", 6),
    ("missed", 7),
    ("accused", 8),
    ("review", 7),
    ("rerolls", 8),
    ("cube", 6),
    ("unseen", 8),
    ("x real", 7),
)


@dataclass(frozen=True, slots=True)
class RobustnessRun:
    """One clip with one fault."""

    clip: str
    kind: str
    severity: int
    score: ClipScore
    cpu_seconds: float
    """CPU time of this process, including that for making the fault."""

    def as_json(self) -> dict[str, Any]:
        """The run as a JSON object."""
        return asdict(self)


def find_faults(wanted: Sequence[str]) -> list[tuple[str, int]]:
    """The faults given as `NAME` or `NAME=SEVERITY`, with their severities; all if none are given.

    Raises `WrongUsage` for an unknown fault.
    """
    faults = []
    for one in wanted or (CLEAN, *KINDS):
        kind, _, severity = one.partition("=")
        if kind != CLEAN and kind not in KINDS:
            known = ", ".join((CLEAN, *sorted(KINDS)))
            raise WrongUsage(f"there is no fault {kind!r}; choose from {known}")
        if severity not in ("", *map(str, SEVERITIES)):
            raise WrongUsage(f"{one}: the severity must be 1, 2 or 3")
        severities = (0,) if kind == CLEAN else (int(severity),) if severity else SEVERITIES
        faults += [(kind, each) for each in severities]
    return faults


def run_clips(clips: Sequence[Path], faults: Sequence[tuple[str, int]]) -> Iterator[RobustnessRun]:
    """Yield a run for each clip with each fault; the truth of all clips is read first."""
    for clip, truth in [(clip, read_truth(clip)) for clip in clips]:
        for kind, severity in faults:
            yield run_clip(clip, truth, kind, severity)


def run_clip(clip: Path, truth: ClipTruth, kind: str, severity: int) -> RobustnessRun:
    """Transcribe the clip through one fault."""
    began = process_time()
    faults = Degradation() if kind == CLEAN else KINDS[kind][severity - 1]
    source = DegradedSource(VideoFile(clip, ACTIVE_FPS), faults)
    events, seconds = transcribed(source, is_narde=truth.is_narde)
    if faults.late:
        truth = truth.trimmed(source.skipped_seconds)
    standing = [as_json(event) for event in effective_events(events)]  # as `transcribe` writes it
    score = score_transcript(standing, truth, seconds)
    return RobustnessRun(clip.stem, kind, severity, score, process_time() - began)


def transcribed(source: DegradedSource, *, is_narde: bool) -> tuple[list[Event], float]:
    """The events recorded from a source, and its length in seconds."""
    events: list[Event] = []
    session = Session(MatchConfig(find_rules("narde" if is_narde else "short")), events.extend)
    seconds, index = 0.0, 0
    try:
        for frame in feed_frames(source, session):
            seconds, index = frame.seconds, frame.index
    except VisionError as error:
        print(f"tableside: {source.name}: {error}", file=sys.stderr)
    finally:
        source.close()
    session.finish(seconds, index)
    return events, seconds


def print_runs(runs: Iterable[RobustnessRun], out: TextIO) -> None:
    """Print a line for each run as it finishes, and a total for each severity at the end."""
    heading = "".join(f"{name:>{width}}" for name, width in COLUMNS)
    print(f"{'clip':<14}{'fault':<12}{heading}", file=out)
    done = []
    for run in runs:
        done.append(run)
        print(_line(run.clip, f"{run.kind} {run.severity or ''}", [run]), file=out, flush=True)
    for severity in sorted({run.severity for run in done}):
        of_it = [run for run in done if run.severity == severity]
        name = f"severity {severity}" if severity else CLEAN
        print(_line("all", name, of_it), file=out)


def _line(clip: str, fault: str, runs: Sequence[RobustnessRun]) -> str:
    score = sum((run.score for run in runs), ClipScore())
    cpu = sum(run.cpu_seconds for run in runs)
    cells = (
        *(score.right, score.plays, score.wrong_unflagged, score.missed_unflagged),
        *(score.accusations, score.for_review),
        f"{score.rerolls_found}/{score.rerolls}",
        f"{score.cube_actions_found}/{score.cube_actions}",
        f"{100 * score.unseen_seconds / max(score.seconds, 1e-9):.1f} %",
        f"{score.seconds / max(cpu, 1e-9):.1f}",
    )
    row = "".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, COLUMNS, strict=True))
    return f"{clip:<14}{fault:<12}{row}"
