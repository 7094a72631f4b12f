"""The frames that sight's figures are measured on."""

from tableside.bench import find_rows
from tableside.bench.vision import STILL, _sample
from vision.board.tracking import BoardTracker


def test_the_figures_of_sight_keep_their_names():
    assert {
        "transcribe_cpu",
        "read_full",
        "frame_quiet",
        "steady",
        "board_kept",
    } <= find_rows().keys()


def test_the_board_that_is_kept_lies_still():
    frames, profile = _sample()
    tracker = BoardTracker(profile.pose, profile.layout)
    assert tracker.track(frames[0].image) is profile.pose
    assert tracker.track(frames[STILL].image) is profile.pose
