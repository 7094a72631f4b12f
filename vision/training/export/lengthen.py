"""Extends the exported stacks' net to longer strips, with unchanged counts on the shorter ones."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.position import CHECKERS
from vision.checkers.stacks import STACK_LENGTH, STACK_WIDTH
from vision.training.nets.from_onnx import start_from
from vision.training.nets.strip_nets import RowNet
from vision.training.train.counting import export
from vision.training.train.stacks import STACKS


def lengthen(old: Path, length: int) -> RowNet:
    """A net for full strips that counts like the exported `old` one for strips of `length` pixels.

    Raises `ValueError` if that is another kind of net, or one for other strips.
    """
    if length > STACK_LENGTH:
        raise ValueError(
            f"strips are {STACK_LENGTH} pixels long, a net of {length} has to be shortened"
        )
    shorter, net = (
        RowNet((pixels, STACK_WIDTH), CHECKERS + 1) for pixels in (length, STACK_LENGTH)
    )
    start_from(shorter, old)
    net.copy_from(shorter)
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--length", type=int, default=248, help="pixels of the old one's strips")
    args = parser.parse_args()
    export(STACKS, lengthen(args.old, args.length), args.out)
