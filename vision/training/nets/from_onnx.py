"""The weights of an exported net, read back from the ONNX file.

The exporter folds each normalization into the preceding convolution. Once read back, the
normalization only adds the bias, so it must not update its statistics.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn


def start_from(net: nn.Module, path: Path) -> None:
    """Load the weights of the exported `path`; raises `ValueError` if it is another kind of net."""
    graph = onnx.load(str(path)).graph
    stored = {one.name: torch.from_numpy(np.array(numpy_helper.to_array(one)))
              for one in graph.initializer}  # fmt: skip
    own = net.state_dict()
    plain = {name: weight for name, weight in stored.items() if name in own}
    folded = [[stored[name] for name in node.input[1:3]] for node in graph.node
              if node.op_type == "Conv" and node.input[1] not in own]  # fmt: skip
    pairs = _normalised(net)
    dense = [f"{name}.weight" for name, one in net.named_modules() if isinstance(one, nn.Linear)]
    if not plain.keys() >= set(dense):
        raise ValueError(f"{path} is not a net of this kind: it has no {' or no '.join(dense)}")
    if len(folded) != len(pairs):
        raise ValueError(f"{path} is not a net of this kind: {len(folded)} folded layers")
    for name, weight in plain.items():
        if weight.shape != own[name].shape:
            raise ValueError(f"{path} is not a net of this kind: {name} is {tuple(weight.shape)}")
    net.load_state_dict(plain, strict=False)
    for (conv, norm), (weight, bias) in zip(pairs, folded, strict=True):
        if weight.shape != conv.weight.shape:
            raise ValueError(f"{path} is not a net of this kind: a layer is {tuple(weight.shape)}")
        _unfold(conv, norm, weight, bias)


def freeze_statistics(net: nn.Module) -> None:
    """Stop every normalization from updating its statistics; to be called after `net.train()`."""
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()


def _normalised(net: nn.Module) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """Convolutions followed by a normalization, in order of execution."""
    return [(one, two) for one, two in pairwise(net.modules())
            if isinstance(one, nn.Conv2d) and isinstance(two, nn.BatchNorm2d)]  # fmt: skip


def _unfold(conv: nn.Conv2d, norm: nn.BatchNorm2d, weight: Tensor, bias: Tensor) -> None:
    with torch.no_grad():
        conv.weight.copy_(weight)
        norm.weight.fill_(1.0)
        norm.bias.copy_(bias)
        norm.running_mean.zero_()
        norm.running_var.fill_(1.0 - norm.eps)
