"""Trained nets at run time, with onnxruntime if it is installed, else with OpenCV's dnn.

Both give the same outputs to within 1e-4; onnxruntime is two to four times faster, and twice more
for a net quantized to 8 bits, whose probabilities differ by a few hundredths. One thread: the
decoder has the other core.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from scipy.special import log_softmax, softmax

from engine.arrays import Floats, Floats32, Image

Run = Callable[[Floats32], Floats32]

MODELS: Final = Path(__file__).parent / "models"
MIN_PROBABILITY: Final = 1e-6
"""Lower bound: a net is never trusted to rule anything out."""
_SHARING: Final = threading.Lock()


@cache
def load_net(name: str) -> Run:
    """Load models/NAME.onnx as a function from (N, C, H, W) float32 to its first output."""
    path, small = MODELS / f"{name}.onnx", in_8_bits(name)
    if not find_spec("onnxruntime"):
        return with_opencv(path)
    return with_onnxruntime(small if small.exists() else path)


def in_8_bits(name: str) -> Path:
    """The file of a net quantized to 8 bits by `vision/training/export/quantise.py`, if any."""
    return MODELS / f"{name}.int8.onnx"


def log_probabilities(chances: Floats) -> Floats:
    """Logarithms of probabilities of any shape, each raised to at least `MIN_PROBABILITY`."""
    return np.asarray(np.log(np.maximum(chances, MIN_PROBABILITY)))


def mean_probabilities(logits: Sequence[Floats32] | Sequence[Floats]) -> Floats:
    """Probabilities along the last axis: the geometric mean over several logits for one thing."""
    logs = [log_softmax(each.astype(np.float64), axis=-1) for each in logits]
    return np.asarray(softmax(np.mean(logs, axis=0), axis=-1))


def pool_probabilities(first: Floats, second: Floats, weight: float) -> Floats:
    """(N, n) probabilities from two nets; `weight`: of the first relative to the second."""
    logs = weight * log_probabilities(first) + (1 - weight) * log_probabilities(second)
    return np.asarray(softmax(logs, axis=1))


def as_tensor(picture: Image) -> Floats32:
    """(1, 3, h, w) BGR / 255 - 0.5 of an (h, w, 3) uint8 picture, as in the nets' training."""
    return np.asarray(cv2.dnn.blobFromImage(picture, 1 / 255, mean=(127.5, 127.5, 127.5)))


def with_onnxruntime(path: Path) -> Run:
    """Run a net with onnxruntime, which otherwise reports its use to its makers."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the module is imported
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # It would keep a plan of its memory for every shape of input, and these never stop changing.
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.use_env_allocators", "1")
    with _SHARING:
        _share_memory()
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda tensor: np.asarray(session.run(None, {name: tensor})[0], np.float32)


@cache
def _share_memory() -> None:
    """Have all nets of onnxruntime share the memory that their runs need.

    Otherwise each keeps for itself the most that it ever needed, in blocks that double in size:
    https://onnxruntime.ai/docs/get-started/with-c.html
    """
    import onnxruntime

    kinds = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    onnxruntime.create_and_register_allocator(onnxruntime.OrtMemoryInfo("Cpu", *kinds), None)


def with_opencv(path: Path) -> Run:
    """Run the same net with OpenCV."""
    net = cv2.dnn.readNetFromONNX(str(path))

    def run(tensor: Floats32) -> Floats32:
        net.setInput(tensor)
        return np.asarray(net.forward(), np.float32)

    return run
