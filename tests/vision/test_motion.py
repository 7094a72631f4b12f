"""A hand over the rail and anything that moves keep the board from being read."""

from tests.vision.conftest import clip_frames
from vision.motion import MotionGate


def views(adapted):
    gate = MotionGate(adapted.profile.pose, adapted.profile.layout)
    return [gate.see(frame.image, frame.seconds) for frame in clip_frames()]


def test_every_play_is_seen_busy_and_then_open(adapted, clip_truth):
    seen = views(adapted)
    ins = [e["frame"] for e in clip_truth if e["event"] == "hand_in"]
    outs = [e["frame"] for e in clip_truth if e["event"] == "hand_out"]

    assert len(ins) == len(outs) == 10
    for start, end in zip(ins, outs, strict=True):
        assert not any(view.is_open for view in seen[start:end])
        assert any(view.is_open for view in seen[end : end + 8])
