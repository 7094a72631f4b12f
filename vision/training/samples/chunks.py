"""Scenes drawn into chunks, several at a time: the command line, and how a chunk is written."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

MakeArrays = Callable[[int], tuple[NDArray[Any], ...]]
"""What draws the arrays of one scene, given its seed."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """Scenes whose arrays are written so many to a file."""

    made: MakeArrays
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
        """Writes one chunk unless it is there."""
        path = self.path(folder, index)
        if not path.exists():
            cv2.setNumThreads(1)
            seeds = range(index * self.scenes, (index + 1) * self.scenes)
            parts = zip(*map(self.made, seeds), strict=True)
            arrays: dict[str, Any] = dict(zip(self.names, map(np.concatenate, parts), strict=True))
            partial = path.with_suffix(".part.npz")
            np.savez_compressed(partial, **arrays)
            partial.rename(path)
        return path

    def main(self, what: str | None, workers: int = 2) -> None:
        """Parse the command line and make chunks, in the order of their numbers."""
        parser = argparse.ArgumentParser(description=what)
        parser.add_argument("folder", type=Path, help="where the chunks are kept")
        parser.add_argument("--first", type=int, default=0)
        parser.add_argument("--chunks", type=int, default=40, help=f"of {self.scenes} scenes")
        parser.add_argument("--workers", type=int, default=workers)
        args = parser.parse_args()
        args.folder.mkdir(parents=True, exist_ok=True)
        indices = range(args.first, args.first + args.chunks)
        folders = [args.folder] * len(indices)
        if args.workers == 1:  # in this very process: Blender bears no fork and no second start
            for path in map(self.make, indices, folders):
                print(path.name, flush=True)
            return
        with ProcessPoolExecutor(args.workers) as pool:
            for path in pool.map(self.make, indices, folders):
                print(path.name, flush=True)
