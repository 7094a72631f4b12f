"""The trained nets answer alike whoever runs them."""

import numpy as np
import pytest

from vision.nets import MODELS, load_net, with_opencv

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing to compare")


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("dice_finder", (1, 3, 96, 96)),
        ("dice_finder", (1, 3, 160, 224)),
        ("die", (1, 5, 48, 48)),
        ("die", (7, 5, 48, 48)),
        ("finder", (1, 3, 192, 320)),
        ("checkers", (26, 5, 168, 44)),
    ],
)
def test_opencv_and_onnxruntime_agree(name, shape):
    tensor = np.random.default_rng(0).random(shape, np.float32) - 0.5

    assert load_net(name)(tensor) == pytest.approx(
        with_opencv(MODELS / f"{name}.onnx")(tensor), abs=1e-4
    )


def test_no_net_is_larger_than_two_megabytes():
    for path in MODELS.glob("*.onnx"):
        assert path.stat().st_size < 2_000_000
