"""A transcript is scored against what truly happened in its clip."""

import json

import pytest

import samples
from vision.benchmark.clip_score import read_truth, score_transcript
from vision.errors import BadTruth

TRUTH = read_truth(samples.CLIP)


def recorded(**changes):
    """A perfect transcript of the sample clip; `changes` maps plays' numbers to other fields."""
    events = []
    for number, play in enumerate(TRUTH.plays):
        shown = play["position_after"]
        light, dark = [0] * 26, [0] * 26
        for point, count in enumerate(shown["points"], start=1):
            light[point], dark[25 - point] = max(count, 0), max(-count, 0)
        light[0], dark[0] = shown["off"]["light"], shown["off"]["dark"]
        light[25], dark[25] = shown["bar"]["light"], shown["bar"]["dark"]
        events.append(
            {"type": "play", "player": play["player"], "dice": play["dice"], "legal": play["legal"],
             "position": {"light": light, "dark": dark}, "time": play["t"], "review": False}
            | changes.get(f"play{number}", {})
        )  # fmt: skip
    return events


def scored(events):
    return score_transcript(events, TRUTH, seconds=60.0)


def test_a_perfect_transcript_is_all_right():
    score = scored(recorded())
    assert score.right == score.plays == score.dice_right > 5
    assert (score.wrong_unflagged, score.missed_unflagged, score.accusations) == (0, 0, 0)


def test_a_missing_play_is_forgiven_where_the_stretch_is_recorded_as_unseen():
    events = recorded()
    missing = events.pop(3)
    assert scored(events).missed_unflagged == 1
    gap = {"type": "unseen", "from": missing["time"] - 1, "to": missing["time"] + 1}
    score = scored([*events, gap])
    assert (score.right, score.missed_unflagged) == (score.plays - 1, 0)
    assert score.unseen_seconds == pytest.approx(2.0)


def test_a_neighbour_marked_for_review_forgives_too():
    events = recorded(play4={"review": True})
    del events[3]
    assert scored(events).missed_unflagged == 0


def test_a_wrong_play_counts_unless_it_is_marked():
    position = recorded()[0]["position"]
    assert scored(recorded(play3={"position": position})).wrong_unflagged == 1
    marked = scored(recorded(play3={"position": position, "review": True}))
    assert (marked.wrong_unflagged, marked.for_review) == (0, 1)


def test_calling_a_legal_play_illegal_is_an_accusation():
    assert scored(recorded(play2={"legal": False, "type": "illegal"})).accusations == 1


def test_so_is_rejecting_a_play_that_nobody_rejected():
    events = recorded()
    tried = events[2] | {"legal": False, "type": "illegal"}
    score = scored([*events[:2], tried, {"type": "rejected"}, *events[2:]])
    assert (score.right, score.accusations) == (len(events), 1)


def test_a_play_that_was_taken_back_counts_once():
    events = recorded()
    score = scored([*events[:3], {"type": "take_back"}, *events[2:]])
    assert (score.right, score.wrong_unflagged) == (len(events), 0)


def test_scores_of_clips_add_up():
    one = scored(recorded())
    assert (one + one).plays == 2 * one.plays


def test_truth_that_is_missing_is_named(tmp_path):
    (tmp_path / "clip.setup.json").write_text(json.dumps({"game": "backgammon"}))
    with pytest.raises(BadTruth, match=r"clip\.events\.jsonl"):
        read_truth(tmp_path / "clip.mp4")
