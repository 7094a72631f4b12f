"""The command line of what draws scenes into chunks, several at a time."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path


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
