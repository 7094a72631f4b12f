"""An archive of many short videos, some of them poison, whose workers are killed again and again.

    python -m tests.tableside.recording.archive.simulated_archive --videos 1000 --kill-every 30

Every video is the sample's first turn with other bytes after it, so each has its own content.
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
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        simulate(Path(folder), args)


def simulate(folder, args):
    poisoned = round(args.poison * args.videos)
    make_videos(folder, args.videos, poisoned)
    kills, over = [], threading.Event()
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
    took = time.monotonic() - began
    entries = list(ArchiveFolder(folder / "archive").entries())
    matches = Counter(Path(entry.video).name for entry in entries if entry.is_match)
    aside = [entry for entry in entries if not entry.is_match]
    print(f"{args.videos} videos, {poisoned} of them poison: {took:.0f} s")
    print(f"{len(kills)} workers killed")
    print(f"{sum(matches.values())} matches, {len(aside)} set aside with their reason")
    wrong = [name for name, count in matches.items() if count != 1 or name.startswith("poison")]
    lost = args.videos - poisoned - len(matches)
    print(f"lost: {lost}; doubled, or a match of poison: {len(wrong)}")
    assert not lost
    assert not wrong
    assert len(aside) == poisoned
    assert all(entry.fault for entry in aside)


def make_videos(folder, count, poisoned):
    (folder / "videos").mkdir()
    clip = first_turn(folder / "first.mp4").read_bytes()
    for number in range(count):
        is_poison = number < poisoned
        name = f"{'poison' if is_poison else 'match'}{number:04}.mp4"
        half = clip[: len(clip) // 2] if number % 2 else b"not a video"
        content = half if is_poison else clip
        # A box of MP4 that players skip.
        mark = b"\0\0\0\x10free" + number.to_bytes(8)
        (folder / "videos" / name).write_bytes(content + mark)


def kill_workers(cluster, pause, kills, over):
    chance = random.Random(1)
    while not over.wait(pause):
        with distributed.Client(cluster) as client:
            workers = list(client.run(os.getpid).values())
        if workers:
            os.kill(chance.choice(workers), signal.SIGKILL)
            kills.append(time.monotonic())


if __name__ == "__main__":
    main()
