"""The rows of the table keep their names, and the sample's board does not move."""

from tableside.bench.benchmarks import BENCHMARKS
from tableside.bench.vision import QUIET_FRAME, known_board


def test_the_rows_keep_their_names():
    assert list(BENCHMARKS) == [
        *("legal_plays_arrays", "legal_plays_api", "first_roll"),
        *("dice_log", "dice_log_alike", "dice_roll"),
        *("read_full", "read_still", "frame_quiet", "steady", "board_kept", "transcribe_cpu"),
        *("help", "start_picture", "start_resumed", "stop"),
        *("live_start", "live_dice", "live_roll", "live_play"),
        *("phone_event", "phone_cpu", "page_streams"),
        *("page_pixel", "page_first", "page_weight", "match_page", "search_position"),
        *("referee_right", "referee_turn"),
    ]


def test_the_tracked_board_has_not_moved():
    board = known_board()
    pose = board.reader.profile.pose
    assert board.tracker.track(board.frames[QUIET_FRAME].image) is pose
