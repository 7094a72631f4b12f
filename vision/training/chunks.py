"""Scenes drawn into chunks, several at a time: the command line, and how a chunk is written."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Made = Callable[[int], tuple[NDArray[Any], ...]]
"""What draws the arrays of one scene, given its seed."""


def make_chunks(
    what: str | None, make_chunk: Callable[[int, Path], Path], scenes: int, workers: int = 2
) -> None:
    """Parse the command line and make chunks of so many scenes, in the order of their numbers."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("folder", type=Path, help="where the chunks are kept")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--chunks", type=int, default=40, help=f"chunks of {scenes} scenes")
    parser.add_argument("--workers", type=int, default=workers)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    indices = range(args.first, args.first + args.chunks)
    folders = [args.folder] * len(indices)
    if args.workers == 1:  # in this very process: Blender bears neither a fork nor a second start
        for path in map(make_chunk, indices, folders):
            print(path.name, flush=True)
        return
    with ProcessPoolExecutor(args.workers) as pool:
        for path in pool.map(make_chunk, indices, folders):
            print(path.name, flush=True)


def write_chunk(path: Path, names: tuple[str, ...], made: Made, seeds: range) -> Path:
    """Writes what is `made` of all seeds as arrays of these names, unless the file is there."""
    if not path.exists():
        cv2.setNumThreads(1)
        parts = zip(*(made(seed) for seed in seeds), strict=True)
        arrays: dict[str, Any] = dict(zip(names, map(np.concatenate, parts), strict=True))
        partial = path.with_suffix(".part.npz")
        np.savez_compressed(partial, **arrays)
        partial.rename(path)
    return path
