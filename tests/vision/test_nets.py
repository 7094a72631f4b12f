"""The trained nets give the same output whoever runs them."""

import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.paths import ROOT
from tests.vision.conftest import clip_frames
from vision.board.heatmaps import sigmoid
from vision.dice.candidates import find_candidates, search_plane
from vision.nets import MODELS, as_tensor, in_8_bits, load_net, with_onnxruntime, with_opencv

THROWN = 29
"""The picture of the sample in which its first dice lie at rest."""

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing to compare")


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("dice_finder", (1, 3, 96, 96)),
        ("dice_finder", (1, 3, 160, 224)),
        ("die", (1, 5, 48, 48)),
        ("die", (7, 5, 48, 48)),
        ("faces", (3, 5, 48, 48)),
        ("lean", (3, 5, 48, 48)),
        ("die_centre", (3, 5, 48, 48)),
        ("die_size", (3, 5, 48, 48)),
        ("cube", (3, 5, 48, 48)),
        ("trays", (4, 7, 256, 96)),
        ("bar", (2, 7, 384, 48)),
        ("stacks", (3, 7, 312, 64)),
        ("finder", (1, 3, 192, 320)),
        ("checkers", (26, 5, 168, 44)),
        ("occlusion", (1, 3, 160, 192)),
    ],
)
def test_opencv_and_onnxruntime_agree(name, shape):
    tensor = np.random.default_rng(0).random(shape, np.float32) - 0.5

    path = MODELS / f"{name}.onnx"
    assert with_onnxruntime(path)(tensor) == pytest.approx(with_opencv(path)(tensor), abs=1e-4)


def test_whoever_wrote_onnxruntime_hears_nothing_of_it(tmp_path):
    # Nothing else is in its environment: within tests and CI it is silent by itself.
    script = "from vision.nets import load_net; load_net('bar')"
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    written = [path.name for path in tmp_path.rglob("*") if "onnxruntime" in path.name]
    assert written == [], "the identifier of this machine and what waits to be sent"


MANY_CROPS = """
from pathlib import Path
import numpy as np
from vision.nets import load_net

def mebibytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

nets, crops = [load_net(name) for name in ("die", "faces", "lean")], np.zeros((200, 5, 48, 48), "f")
used = [mebibytes()]
for net in nets:
    net(crops)
    used.append(mebibytes())
print(used[1] - used[0], used[3] - used[1])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells what is used")
def test_nets_share_the_memory_that_they_need_to_run():
    command = [sys.executable, "-c", MANY_CROPS]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    first, others = map(float, told.stdout.split())
    assert others < first / 2, "28 MiB for the first; alone, each of the others would take as much"


def test_the_dice_finder_marks_alike_in_8_bits(opening_image, located):
    tensor = as_tensor(search_plane(located.pose, 0.14).rectify(opening_image))
    small = sigmoid(with_onnxruntime(in_8_bits("dice_finder"))(tensor)[0])
    whole = sigmoid(with_onnxruntime(MODELS / "dice_finder.onnx")(tensor)[0])
    assert small == pytest.approx(whole, abs=0.05)
    assert whole.max() > 0.5, "there is a cube"


def test_dice_are_read_alike_in_8_bits(monkeypatch, located):
    image = next(islice(clip_frames(), THROWN, None)).image

    def spots(path_of):
        rounded = ("dice_finder", "die", "faces", "lean")
        nets = {name: with_onnxruntime(path_of(name)) for name in rounded}
        for name in ("die_centre", "die_size"):
            nets[name] = with_onnxruntime(MODELS / f"{name}.onnx")
        monkeypatch.setattr("vision.dice.candidates.load_net", nets.__getitem__)
        monkeypatch.setattr("vision.dice.classify.load_net", nets.__getitem__)
        return [spot for spot in find_candidates(image, located.pose) if spot.die_probability > 0.5]

    small, whole = spots(in_8_bits), spots(lambda name: MODELS / f"{name}.onnx")
    assert len(whole) >= 2
    for one, other in zip(small, whole, strict=True):
        assert one.place == pytest.approx(other.place, abs=0.01)
        assert one.class_probabilities == pytest.approx(other.class_probabilities, abs=0.05)
        assert one.flat_log_odds == pytest.approx(other.flat_log_odds, abs=0.3)


def test_where_onnxruntime_runs_it_takes_8_bits(monkeypatch):
    chosen = []
    monkeypatch.setattr("vision.nets.with_onnxruntime", chosen.append)
    load_net.__wrapped__("die")
    load_net.__wrapped__("die_size")
    assert [path.name for path in chosen] == ["die.int8.onnx", "die_size.onnx"]


def test_no_net_is_larger_than_two_megabytes():
    for path in MODELS.glob("*.onnx"):
        assert path.stat().st_size < 2_000_000
