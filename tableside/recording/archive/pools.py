"""Who does the work: processes of this machine, or a cluster of `dask.distributed`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from typing import Any, Final

from tableside.console import say
from tableside.errors import WrongUsage
from tableside.recording.archive.attempt import Done, Task, Transcriber

NEVER: Final = 10**6
"""How many workers may die that were given a video before it is given up: a bad video only ends a
process of its own, so a worker dies for other reasons."""
CONNECT_S: Final = 10
"""Seconds to wait for a scheduler to answer."""


def on_this_machine(tasks: Sequence[Task], jobs: int) -> Iterator[Done]:
    """The tasks as they are done, `jobs` at a time."""
    transcriber = Transcriber()
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(transcriber.transcribe, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
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
        futures = client.map(_transcribed, tasks, pure=False)
        task_of = {future.key: task for future, task in zip(futures, tasks, strict=True)}
        waiting = distributed.as_completed(futures)
        for future in waiting:
            try:
                done = future.result()
            except distributed.KilledWorker:  # another's scheduler gives up after a few: see NEVER
                again = client.submit(_transcribed, task_of[future.key], pure=False)
                task_of[again.key] = task_of[future.key]
                waiting.add(again)
                continue
            yield done
            future.release()


def _transcribed(task: Task) -> Done:
    return Transcriber().transcribe(task)
