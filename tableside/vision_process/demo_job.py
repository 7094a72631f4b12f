"""What `demo` has sight do: the sample clip, watched as if it were a match."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import samples
from engine.rules import find_rules
from tableside.cup.sample import show_cup
from tableside.match.config import MatchConfig
from tableside.paths import board_profile
from tableside.record.recorder import Recorder
from tableside.recording.job import JobContext
from tableside.recording.live_match import LiveMatch, StateReceiver
from tableside.recording.sample_truth import compared
from tableside.review.output_files import write_record_files
from tableside.review.report import write_review
from tableside.review.retention import bound_stills, keep_doubtful
from tableside.review.stills import StillKeeper, stills_folder
from vision.sources.frame import FrameSource
from webui.contracts.state import RecordLocation

LENGTH: Final = 5
"""Points of the match that the sample is from."""


def show(folder: Path, source: FrameSource, post: JobContext, *, is_once: bool) -> None:
    """The clip as a match of its own; its files are in `folder`.

    is_once: whether all is over with the clip; else corrections are heard until it is to end.
    """
    store, plan = post.store, MatchConfig(find_rules("short"), length=LENGTH)
    match = store.new_match(length=LENGTH, source=samples.CLIP.name)
    recorder, stills = Recorder(store, match), StillKeeper(stills_folder(store.path, match))
    sitting = LiveMatch(
        source,
        plan,
        recorder,
        post.table,
        stills=stills,
        pictures=post.pictures,
        meters=post.meters,
        stopping=post.stopping,
        learnt=lambda profile: profile.save(board_profile(store.path, match)),
    )
    with post.seated(sitting.desk, match, plan.rules.name):
        sitting.run()
        store.close_match(match)
        leave = partial(_leave_files, folder, recorder, post.table, stills)
        leave()
        print(show_cup(folder / "cup.jsonl"), flush=True)
        keep_doubtful(stills, recorder.events)
        bound_stills(store.path, match)
        if not is_once:
            print("the clip has ended; Ctrl-C closes the page", flush=True)
            sitting.stay(post.stopping, leave)


def _leave_files(
    folder: Path, recorder: Recorder, table: StateReceiver, stills: StillKeeper
) -> None:
    events = recorder.events
    paths = *write_record_files(folder, events), *write_review(folder, events, stills)
    written = RecordLocation(path=str(paths[0]))
    table.tell(record=RecordLocation(path=paths[0].name), referee={"record": written})
    print(compared(events, samples.TRUTH))
    print(f"wrote {', '.join(str(path) for path in paths)}", flush=True)
