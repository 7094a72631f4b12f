"""The edge field is the color structure tensor, however it is computed."""

import cv2
import numpy as np
import pytest

from vision.board.edge_field import COLOUR_WEIGHT, STRONG_PERCENTILE, edge_field


def test_the_edge_field_is_the_structure_tensor_of_weighed_colours():
    picture = np.random.default_rng(5).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    blurred = cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 1.2), cv2.COLOR_BGR2LAB)
    lab = blurred.astype(np.float32) * (1, COLOUR_WEIGHT, COLOUR_WEIGHT)
    dx, dy = (cv2.Scharr(lab, cv2.CV_64F, *way) / 32 for way in ((1, 0), (0, 1)))
    xx, yy, xy = (
        cv2.GaussianBlur((one * other).sum(-1), (0, 0), 1.0)
        for one, other in ((dx, dx), (dy, dy), (dx, dy))
    )
    strength = np.sqrt(xx + yy)
    strong = np.percentile(strength[::2, ::2], STRONG_PERCENTILE)
    gain = np.clip(strength / max(strong, 1.0), 0, 1)

    field = edge_field(picture, 1.2, 1.0)

    assert field.cosine == pytest.approx(gain * (xx - yy) / (xx + yy), abs=1e-4)
    assert field.sine == pytest.approx(gain * 2 * xy / (xx + yy), abs=1e-4)
