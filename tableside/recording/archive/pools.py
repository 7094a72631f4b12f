"""Who does the work: processes of this machine, or a cluster of `dask.distributed`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tableside.console import say
from tableside.errors import WrongUsage
from tableside.recording.archive.attempt import JOIN, Done, Task, Transcriber

NEVER: Final = 10**6
"""How many workers may die that were given a video before it is given up: a bad video only ends a
process of its own, so a worker dies for other reasons."""
CONNECT_S: Final = 10
"""Seconds to wait for a scheduler to answer."""


class Joins:
    """What is to be done next of the videos that are cut into segments."""

    def __init__(self) -> None:
        self._missing: dict[Path, int] = {}
        """How many segments of each video have not been read."""

    def after(self, done: Done) -> list[Task]:
        """The tasks that follow one that is done: all segments but the first, then the join."""
        task = done.task
        if done.segments:
            self._missing[task.video] = done.segments - 1
            return [replace(task, segment=number) for number in range(2, done.segments + 1)]
        if not task.segment:
            return []
        self._missing[task.video] -= 1
        return [] if self._missing[task.video] else [replace(task, segment=JOIN)]


def on_this_machine(tasks: Sequence[Task], jobs: int) -> Iterator[Done]:
    """The tasks as they are done, `jobs` at a time."""
    transcriber = Transcriber()
    with ThreadPoolExecutor(jobs) as pool:
        running, joins = {pool.submit(transcriber.transcribe, task) for task in tasks}, Joins()
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                    following = joins.after(future.result())
                    running |= {pool.submit(transcriber.transcribe, task) for task in following}
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            transcriber.stop()


def on_cluster(tasks: Sequence[Task], jobs: int, scheduler: str | None) -> Iterator[Done]:
    """The same by the workers of a `scheduler`, or else of a local cluster with `jobs` workers.

    All workers must see the videos and the archive under the same paths. Raises `WrongUsage` if
    the scheduler does not answer.
    """
    try:
        import dask
        import distributed as package
    except ImportError as error:
        raise WrongUsage("a cluster needs Dask: pip install 'tableside[archive]'") from error
    distributed: Any = package  # largely without types
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": NEVER}))
        address: Any = scheduler
        if scheduler is None:
            address = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0"
                )
            )
        try:
            client = stack.enter_context(distributed.Client(address, timeout=CONNECT_S))
        except (OSError, ValueError) as error:
            raise WrongUsage(f"no scheduler answers at {scheduler}: {error}") from error
        say(f"the work can be watched at {client.dashboard_link}")
        futures, joins = client.map(_transcribed, tasks, pure=False), Joins()
        task_of = {future.key: task for future, task in zip(futures, tasks, strict=True)}
        waiting = distributed.as_completed(futures)
        for future in waiting:
            try:
                done = future.result()
            except distributed.KilledWorker:  # another's scheduler gives up after a few: see NEVER
                following = [task_of[future.key]]
            else:
                yield done
                following = joins.after(done)
                future.release()
            for task in following:
                another = client.submit(_transcribed, task, pure=False)
                task_of[another.key] = task
                waiting.add(another)


def _transcribed(task: Task) -> Done:
    return Transcriber().transcribe(task)
