"""Files made in parallel by number, and chunks of several scenes' arrays."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray


def make_files(make: Callable[[int], Path], first: int, count: int, workers: int) -> None:
    """Make the files of these numbers, and print their names in order."""
    numbers = range(first, first + count)
    if workers == 1:  # in this very process: Blender bears no fork and no second start
        for path in map(make, numbers):
            print(path.name, flush=True)
        return
    with ProcessPoolExecutor(workers) as pool:
        for path in pool.map(make, numbers):
            print(path.name, flush=True)


def numbered_parser(
    description: str | None, option: str, count: int, workers: int = 2, *inputs: str
) -> argparse.ArgumentParser:
    """The options of a command that makes numbered files; `option` says how many.

    `inputs`: names of the folders that it reads.
    """
    parser = argparse.ArgumentParser(description=description)
    for name in inputs:
        parser.add_argument(name, type=Path)
    parser.add_argument("folder", type=Path, help="where the files are kept")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(f"--{option}", type=int, default=count, dest="count")
    parser.add_argument("--workers", type=int, default=workers)
    return parser


@dataclass(frozen=True, slots=True)
class Chunks:
    """Scenes whose arrays are written so many to a file."""

    make_arrays: Callable[[int], tuple[NDArray[Any], ...]]
    """The arrays of one scene, given its seed."""
    names: tuple[str, ...]
    """Of the arrays."""
    scenes: int
    """Of a chunk."""
    kind: str = ""
    """What the files' names begin with."""

    def path(self, folder: Path, index: int) -> Path:
        """Where one chunk lies."""
        return folder / f"{self.kind}{index:05}.npz"

    def make(self, index: int, folder: Path) -> Path:
        """Write one chunk unless it is there."""
        path = self.path(folder, index)
        if not path.exists():
            cv2.setNumThreads(1)
            seeds = range(index * self.scenes, (index + 1) * self.scenes)
            parts = zip(*map(self.make_arrays, seeds), strict=True)
            arrays: dict[str, Any] = dict(zip(self.names, map(np.concatenate, parts), strict=True))
            partial_path = path.with_suffix(".part.npz")
            np.savez_compressed(partial_path, **arrays)
            partial_path.rename(path)
        return path

    def main(self, description: str | None, workers: int = 2) -> None:
        """Parse the command line and make chunks."""
        args = numbered_parser(description, "chunks", 40, workers).parse_args()
        args.folder.mkdir(parents=True, exist_ok=True)
        make_files(partial(self.make, folder=args.folder), args.first, args.count, args.workers)
