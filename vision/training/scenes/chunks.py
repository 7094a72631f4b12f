"""Chunks: files of several scenes' samples, drawn by seed; and numbered files made in parallel."""

from __future__ import annotations

import argparse
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import cv2
import numpy as np

Sample = TypeVar("Sample")


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


def numbered_parser(description: str | None, count: int, workers: int) -> argparse.ArgumentParser:
    """The options of a command that makes numbered files."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, help="where the files are kept")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--workers", type=int, default=workers)
    return parser


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write a file that is to be complete or not exist; it takes its place at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".part{os.getpid()}")
    yield beside
    beside.replace(path)


@dataclass(frozen=True, slots=True)
class Chunks(Generic[Sample]):
    """A kind of samples, of which several scenes' are written to one file."""

    make: Callable[[int], Sample]
    """The sample or the arrays of one scene, given its seed."""
    scenes: int
    """Number of scenes per chunk."""
    names: tuple[str, ...] = ()
    """Names of the arrays; without any, a chunk is a list of samples."""

    @property
    def suffix(self) -> str:
        """The ending of the files' names."""
        return ".npz" if self.names else ".pickle"

    def draw(self, path: Path, seeds: range) -> None:
        """Write the chunk of these seeds unless it exists."""
        if not path.exists():
            cv2.setNumThreads(1)
            self.write(path, [self.make(seed) for seed in seeds])

    def write(self, path: Path, samples: Sequence[Sample]) -> None:
        """Write these samples; a file is complete or does not exist."""
        with whole_file(path) as beside, beside.open("wb") as file:
            if self.names:
                parts: Any = zip(*samples, strict=True)
                joined: Any = map(np.concatenate, parts)
                arrays: dict[str, Any] = dict(zip(self.names, joined, strict=True))
                np.savez_compressed(file, **arrays)
            else:
                pickle.dump(list(samples), file)

    def load(self, path: Path) -> Any:
        """The arrays, each of all scenes, or the list of samples, of a chunk we wrote."""
        if self.names:
            with np.load(path) as arrays:
                return tuple(arrays[name] for name in self.names)
        return pickle.loads(path.read_bytes())  # noqa: S301  our own file
