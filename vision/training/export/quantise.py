"""Quantizes a net to 8-bit integers, which onnxruntime runs in a third of the time.

Weights have 7 bits, scaled per channel, because processors without VNNI add two products in 16
bits. Activations are scaled by those of synthetic scenes. The first layer and the dense ones, cheap
and sensitive, are not quantized.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.arrays import Floats32
from vision.dice.views import as_input
from vision.nets import MODELS, as_tensor, in_8_bits
from vision.training.samples.samples import decode, finder_plane, load_chunk

BATCH: Final = 64


def planes(path: Path) -> Iterator[Floats32]:
    """The dice finder's inputs from a chunk of `samples.py`."""
    for sample in load_chunk(path.with_suffix(".pickle")):
        yield as_tensor(finder_plane(decode(sample.plane))[0])


def crops(path: Path) -> Iterator[Floats32]:
    """The die net's inputs from a chunk of `die_crops.py`."""
    chunk = np.load(path.with_suffix(".npz"))
    batch = as_input(chunk["crops"], chunk["views"])
    for first in range(0, len(batch), BATCH):
        yield batch[first : first + BATCH]


INPUTS: Final[dict[str, Callable[[Path], Iterator[Floats32]]]] = {
    "dice_finder": planes,
    "die": crops,
    "faces": crops,
    "lean": crops,
}


def quantise(net: Path, inputs: Iterator[Floats32], out: Path) -> None:
    """Write `net` in 8 bits, calibrated on `inputs`."""
    import onnx
    from onnxruntime import quantization as q
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / net.name
        quant_pre_process(str(net), str(whole), skip_symbolic_shape=True)
        graph = onnx.load(str(whole)).graph

        class Inputs(q.CalibrationDataReader):
            def get_next(self) -> dict[str, Any] | None:
                tensor = next(inputs, None)
                return None if tensor is None else {graph.input[0].name: tensor}

        q.quantize_static(
            str(whole), str(out), Inputs(), quant_format=q.QuantFormat.QDQ,
            activation_type=q.QuantType.QUInt8, weight_type=q.QuantType.QInt8,
            per_channel=True, reduce_range=True, nodes_to_exclude=_not_quantised(graph),
        )  # fmt: skip


def _not_quantised(graph: Any) -> list[str]:
    first = next(node.name for node in graph.node if node.op_type == "Conv")
    return [first, *(node.name for node in graph.node if node.op_type == "Gemm")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(INPUTS))
    parser.add_argument("chunk", type=Path, help="made before, without its ending")
    parser.add_argument("--net", type=Path, help="instead of the one that is shipped")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    net = args.net or MODELS / f"{args.kind}.onnx"
    quantise(net, INPUTS[args.kind](args.chunk), args.out or in_8_bits(args.kind))
