"""Numbered files made in parallel, and chunks of several scenes' arrays."""

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
    """Make the files with these numbers, and print their names in order."""
    numbers = range(first, first + count)
    if workers == 1:  # in this same process: Blender allows neither a fork nor a second start
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

    `inputs`: names of the folders from which it reads.
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
    """Scenes whose arrays are written to files, several per file."""

    make_arrays: Callable[[int], tuple[NDArray[Any], ...]]
    """The arrays of one scene, given its seed."""
    names: tuple[str, ...]
    """Names of the arrays."""
    scenes: int
    """Number of scenes per chunk."""
    kind: str = ""
    """The prefix of the files' names."""

    def path(self, folder: Path, index: int) -> Path:
        """The path of one chunk."""
        return folder / f"{self.kind}{index:05}.npz"

    def make(self, index: int, folder: Path) -> Path:
        """Write one chunk unless it exists."""
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
