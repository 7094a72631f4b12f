"""The sample clip as a match: recorded as `demo` does it, and compared with the truth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any, Final

import samples
from engine import Event, Position, Setup, Side
from engine.match.fold import fold
from engine.rules import find_rules
from tableside.cup.standalone import demonstrate_cup
from tableside.match.config import MatchConfig
from tableside.paths import board_profile
from tableside.record.recorder import Recorder
from tableside.recording.job import JobContext, StateReceiver
from tableside.recording.live_match import LiveMatch, MatchHooks
from tableside.recording.live_view import LiveView
from tableside.recording.timeline import Timeline
from tableside.review.clips import clip_recorder
from tableside.review.output_files import write_record_files
from tableside.review.report import write_review
from tableside.review.retention import limit_all_stills, prune_stills
from tableside.review.review_items import count_to_review
from tableside.review.stills import StillKeeper, stills_folder
from vision.sources.frame import FrameSource

LENGTH: Final = 5
"""Length in points of the match that the sample is from."""


def record_sample(folder: Path, source: FrameSource, context: JobContext, *, is_once: bool) -> None:
    """Record the clip as a match of its own, and write its files into `folder`.

    is_once: whether the job ends with the clip; otherwise it takes corrections, and what follows
    by hand, until stopped.
    """
    store, config = context.store, MatchConfig(find_rules("short"), length=LENGTH)
    match = store.new_match(length=LENGTH, source=samples.CLIP.name)
    recorder, stored = Recorder(store, match), stills_folder(store.path, match)
    stills = StillKeeper(stored, clip_recorder(stored))
    live = LiveMatch(
        Timeline(source),
        config,
        recorder,
        stills,
        context.outputs,
        MatchHooks(lambda profile: profile.save(board_profile(store.path, match))),
        stopping=context.stopping,
    )
    with live.attached_to(context):
        with closing(stills):
            live.run()
        store.close_match(match)
        live.view.video_ended()
        print(compared(recorder.events, samples.TRUTH))
        leave = partial(_leave_files, folder, live.view, recorder, context.outputs.page, stills)
        leave()
        print(demonstrate_cup(folder / "cup.jsonl"), flush=True)
        prune_stills(stills, recorder.events)
        limit_all_stills(store.path, match)
        if not is_once:
            print("the video has ended; press Ctrl-C to close the page", flush=True)
            live.take_corrections(context.stopping, leave)


def _leave_files(
    folder: Path, view: LiveView, recorder: Recorder, page: StateReceiver, stills: StillKeeper
) -> None:
    events = recorder.events
    paths = *write_record_files(folder, events), *write_review(folder, events, stills)
    written = view.recorded_in(str(paths[0]))
    page.publish(record=view.recorded_in(paths[0].name), referee={"record": written})
    print(f"wrote {', '.join(str(path) for path in paths)}", flush=True)


def compared(events: Sequence[Event], truth: Path) -> str:
    """How the recorded plays compare with the truth that ships with the sample."""
    true, turns = true_plays(truth), fold(events).effective_turns
    right = plays_right(events, truth)
    return (
        f"{right} of the {len(true)} plays in the video were recorded correctly, "
        f"{len(turns) - right} incorrectly; {count_to_review(events)} to review"
    )


def plays_right(events: Sequence[Event], truth: Path) -> int:
    """How many of the recorded plays are those in the video."""
    turns = fold(events).effective_turns
    recorded = [(turn.event.player, turn.event.position) for turn in turns]
    matcher = SequenceMatcher(None, true_plays(truth), recorded, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def true_plays(truth: Path) -> list[tuple[Side, Position]]:
    """Who played, and the position afterwards, from the rendered scene."""
    lines = (json.loads(line) for line in truth.read_text("utf-8").splitlines())
    return [
        (Side(line["player"]), _position(line["position_after"]))
        for line in lines
        if line["event"] == "play"
    ]


def _position(scene: dict[str, Any]) -> Position:
    """A position from the scene's signed counts by light's numbers, its bar and its trays."""
    points, bar, off = scene["points"], scene["bar"], scene["off"]
    light = [off["light"], *(max(0, count) for count in points), bar["light"]]
    dark = [off["dark"], *(max(0, -count) for count in reversed(points)), bar["dark"]]
    return Setup(light, dark).checked()
