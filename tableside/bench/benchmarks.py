"""All benchmarks, in the order of the table.

CPU times are for one core.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from engine.fairness.faces import chi_square
from engine.fairness.findings import analyse_log
from engine.fairness.reading import tally
from tableside.bench import (
    Measure,
    SpeedBenchmark,
    browser,
    catalog,
    first_roll,
    live,
    phone,
    referee,
    startup,
    streams,
    video,
)
from tableside.bench.dice import (
    CALLS,
    add_rolls,
    e_process,
    large_log,
    look_alike_log,
    run_chi_square,
)
from tableside.bench.engine import TURNS, MidgameTurns, midgame_turns
from tableside.bench.vision import FRAMES, KnownBoard, known_board

_LISTS: Final = partial(
    SpeedBenchmark,
    unit="lists/s",
    set_up=midgame_turns,
    baseline=MidgameTurns.call_gnubg,
    baseline_name="gnubg_nn.moves, the same turns",
    count=TURNS,
)
_FRAMES: Final = partial(
    SpeedBenchmark,
    unit="ms",
    set_up=known_board,
    baseline=KnownBoard.decode,
    baseline_name="decoding the frame",
    count=FRAMES,
)
_ONE_FRAME: Final = partial(
    SpeedBenchmark,
    unit="ms",
    set_up=known_board,
    baseline=KnownBoard.warp,
    baseline_name="cv2.warpPerspective of the frame",
)
BENCHMARKS: Final[Mapping[str, Measure]] = {
    "legal_plays_arrays": _LISTS(work=MidgameTurns.search_arrays),
    "legal_plays_api": _LISTS(work=MidgameTurns.call_api),
    "first_roll": first_roll.measure_first_roll,
    "dice_log": SpeedBenchmark(
        unit="s",
        set_up=large_log,
        work=analyse_log,
        baseline=lambda log: chi_square(tally(log)),
        baseline_name="counting them and scipy's chi-square alone",
    ),
    "dice_log_alike": SpeedBenchmark(
        unit="s",
        set_up=look_alike_log,
        work=analyse_log,
        baseline=lambda log: chi_square(tally(log)),
        baseline_name="counting them and scipy's chi-square alone",
    ),
    "dice_roll": SpeedBenchmark(
        unit="ms",
        set_up=e_process,
        work=add_rolls,
        baseline=run_chi_square,
        baseline_name="scipy's chi-square of six counts",
        count=CALLS,
    ),
    "read_full": _ONE_FRAME(work=KnownBoard.read, reset=KnownBoard.forget),
    "read_still": _ONE_FRAME(work=KnownBoard.read_unknown),
    "frame_quiet": _FRAMES(work=KnownBoard.watch),
    "steady": _FRAMES(work=KnownBoard.steady),
    "board_kept": _ONE_FRAME(work=KnownBoard.track),
    "transcribe_cpu": video.measure_transcribing,
    "help": startup.measure_help,
    "start_picture": startup.measure_picture,
    "start_resumed": startup.measure_resume,
    "stop": startup.measure_stop,
    "live_start": live.measure_start,
    "live_dice": live.measure_dice,
    "live_roll": live.measure_roll,
    "live_play": live.measure_play,
    "phone_event": phone.measure_event,
    "phone_cpu": phone.measure_cost,
    "page_streams": streams.measure_streams,
    "page_pixel": browser.measure_change,
    "page_first": browser.measure_first_view,
    "page_weight": browser.measure_weight,
    "match_page": catalog.measure_page,
    "search_position": catalog.measure_search,
    "referee_right": referee.measure_right,
    "referee_turn": referee.measure_turn,
}
