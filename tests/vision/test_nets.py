"""The trained nets answer alike whoever runs them."""

import numpy as np
import pytest

from vision.nets import MODELS, load_net, with_opencv

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing to compare")


@pytest.mark.parametrize("size", [(96, 96), (160, 224)])
def test_opencv_and_onnxruntime_agree(size):
    picture = np.random.default_rng(0).random((1, 3, *size), np.float32) - 0.5

    assert load_net("dice")(picture) == pytest.approx(
        with_opencv(MODELS / "dice.onnx")(picture), abs=1e-4
    )


def test_no_net_is_larger_than_two_megabytes():
    for path in MODELS.glob("*.onnx"):
        assert path.stat().st_size < 2_000_000
