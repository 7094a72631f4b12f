"""`tableside demo`: the sample clip played through the real thing, in real time, on the page."""

from __future__ import annotations

import json
import threading
from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import samples
from engine import Event, Position, Setup, Side
from engine.match import fold
from engine.rules import find_rules
from tableside.archive import RecordArchive
from tableside.folders import board_profile
from tableside.kept_stills import bound_stills, keep_doubtful
from tableside.network import network_of
from tableside.page import ended_by_signals, page_of, site_of
from tableside.record_files import write_record_files
from tableside.recorder import Recorder
from tableside.review import write_review
from tableside.session import Plan
from tableside.shown import recorded_in
from tableside.sitting import Sitting
from tableside.stills import Stills, stills_folder
from tableside.store import Store
from tableside.table import LiveTable
from vision.source import open_source

FOLDER: Final = Path("tableside-demo")
LENGTH: Final = 5
"""Points of the match that the sample is from."""


def run_demo(args: Namespace) -> int:
    """Play the sample; 0, or an error in one line."""
    folder, network = args.out or FOLDER, network_of(args)
    plan = Plan(find_rules("short"), light="Light", dark="Dark", length=LENGTH)
    stopped = threading.Event()
    with Store.open(folder / "record.sqlite") as store:
        match = store.new_match(length=LENGTH, source=samples.CLIP.name)
        recorder, table = Recorder(store, match), LiveTable()
        stills = Stills(stills_folder(store.path, match))
        source = open_source(str(samples.CLIP), realtime=True)
        sitting = Sitting(
            source,
            plan,
            recorder,
            table,
            stills=stills,
            learnt=lambda profile: profile.save(board_profile(store.path, match)),
        )

        def stop() -> None:
            stopped.set()
            sitting.stop()

        with (
            closing(RecordArchive(store.path)) as archive,
            page_of(
                site_of(sitting, network, archive), args.port, opens_browser=not args.no_browser
            ),
            ended_by_signals(stop),
        ):
            sitting.run()
            store.close_match(match)
            _leave_files(folder, recorder.events, table, stills)
            keep_doubtful(stills, recorder.events)
            bound_stills(store.path, match)
            if not args.once:
                print("the clip has ended; Ctrl-C closes the page", flush=True)
                sitting.stay(stopped, lambda: _leave_files(folder, recorder.events, table, stills))
    return 0


def _leave_files(folder: Path, events: Sequence[Event], table: LiveTable, stills: Stills) -> None:
    paths = *write_record_files(folder, events), *write_review(folder, events, stills)
    table.tell(**recorded_in(paths[0].name), referee=recorded_in(str(paths[0])))
    print(compared(events, samples.TRUTH))
    print(f"wrote {', '.join(str(path) for path in paths)}", flush=True)


def compared(events: Sequence[Event], truth: Path) -> str:
    """How the recorded plays compare with the truth that ships with the sample, in words."""
    wanted = true_plays(truth)
    standing = fold(events).standing
    said = [(turn.made.player, turn.made.position) for turn in standing]
    right = _common(wanted, said)
    extra = len(said) - right
    doubtful = sum(turn.made.review for turn in standing)
    return (
        f"{right} of the {len(wanted)} plays in the clip were recorded as they were made, "
        f"{extra} recorded otherwise; {doubtful} marked for review"
    )


def true_plays(truth: Path) -> list[tuple[Side, Position]]:
    """Who played and what stood on the board afterwards, from the rendered scene."""
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


def _common(wanted: Sequence[object], said: Sequence[object]) -> int:
    """The length of the longest common subsequence."""
    best = [0] * (len(said) + 1)
    for one in wanted:
        above = 0
        for column, other in enumerate(said, start=1):
            above, best[column] = (
                best[column],
                above + 1 if one == other else max(best[column], best[column - 1]),
            )
    return best[-1]
