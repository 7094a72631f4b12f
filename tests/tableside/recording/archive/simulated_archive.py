"""An archive of many short videos, some of them poison, whose workers are killed again and again.

    python -m tests.tableside.recording.archive.simulated_archive --videos 1000 --kill-every 30

Every video is the sample's first turn with other bytes after it, so each has its own content.
With `--folder`, the videos and the archive are kept there, and a run that was interrupted goes on
with the rest.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import distributed

from tableside.recording.archive.entries import ArchiveFolder
from tableside.recording.archive.pools import on_cluster
from tableside.recording.archive.run import transcribe_new
from tableside.recording.archive.videos import find_videos
from tests.tableside.recording.archive.test_run import first_turn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--videos", type=int, default=100)
    parser.add_argument("--poison", type=float, default=0.05)
    parser.add_argument("--kill-every", type=float, default=30.0, metavar="SECONDS")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where all of it stays, to go on later")
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        simulate(folder, args)


def simulate(folder, args):
    poisoned = make_videos(folder / "videos", args.videos, args.poison)
    kills, over = Kills(folder / "kills.txt"), threading.Event()
    began = time.monotonic()
    with distributed.LocalCluster(
        n_workers=args.workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:
        killer = threading.Thread(target=kill_workers, args=(cluster, args.kill_every, kills, over))
        killer.start()
        try:
            transcribe_new(
                folder / "archive",
                find_videos([folder / "videos"]),
                lambda tasks: on_cluster(tasks, args.workers, cluster.scheduler_address),
            )
        finally:
            over.set()
            killer.join()
    kills.note(f"a run ended after {time.monotonic() - began:.0f} s")
    entries = list(ArchiveFolder(folder / "archive").entries())
    matches = Counter(Path(entry.video).name for entry in entries if entry.is_match)
    aside = [entry for entry in entries if not entry.is_match]
    print(f"{args.videos} videos, {poisoned} of them poison; {kills.number} workers killed")
    print(f"{sum(matches.values())} matches, {len(aside)} set aside with their reason")
    wrong = [name for name, count in matches.items() if count != 1 or "poison" in name]
    lost = args.videos - poisoned - len(matches)
    print(f"lost: {lost}; doubled, or a match of poison: {len(wrong)}")
    assert not lost
    assert not wrong
    assert len(aside) == poisoned
    assert all(entry.fault for entry in aside)


class Kills:
    """A file with a line for each worker that was killed, in this run and in those before it."""

    def __init__(self, path):
        self._path = path

    def note(self, line):
        with self._path.open("a") as file:
            file.write(f"{time.strftime('%H:%M:%S')} {line}\n")

    @property
    def number(self):
        return self._path.read_text().count("killed")


def make_videos(folder, count, share):
    """Make the videos that are not there yet; return how many are poison."""
    folder.mkdir(exist_ok=True)
    clip = first_turn(folder.parent / "first.mp4").read_bytes()
    poison = {int((number + 0.5) / share) for number in range(round(share * count))}
    for number in range(count):
        # A box of MP4 that players skip.
        mark = b"\0\0\0\x10free" + number.to_bytes(8)
        half = clip[: len(clip) // 2] if number % 2 else b"not a video"
        kind, content = ("poison", half) if number in poison else ("match", clip)
        path = folder / f"{number:04}-{kind}.mp4"
        if not path.exists():
            path.write_bytes(content + mark)
    return len(poison)


def kill_workers(cluster, pause, kills, over):
    chance = random.Random()
    while not over.wait(pause):
        with distributed.Client(cluster) as client:
            workers = list(client.run(os.getpid).values())
        if workers:
            chosen = chance.choice(workers)
            os.kill(chosen, signal.SIGKILL)
            kills.note(f"killed {chosen}")


if __name__ == "__main__":
    main()
