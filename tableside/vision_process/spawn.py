"""The process in which sight runs: started early, so that it loads while the page does.

This module loads nothing itself: it is imported before the command's own.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final, NamedTuple

from tableside.logs import ALREADY_SHOWN, LogTarget, log_into, log_target, records_from

LEAVING_SECONDS: Final = 5.0
"""For a process that was asked to leave; a camera's driver may hang."""
ENDING: Final = (signal.SIGINT, signal.SIGTERM)
_LOGGER: Final = logging.getLogger(__name__)


class VisionProcess(NamedTuple):
    """The process, and the pipe to it."""

    process: SpawnProcess
    pipe: Connection


@contextmanager
def vision_process() -> Iterator[VisionProcess]:
    """A process that waits for `sight_messages`; it is gone at the end, whatever happens.

    It is spawned, not forked: the same on every system, and threads survive no fork.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    records, their_records = context.Pipe(duplex=False)
    process = context.Process(target=_watch, args=(theirs, log_target(their_records)), name="sight")
    with _deaf_to_signals():
        process.start()
    theirs.close()
    their_records.close()
    with ours, records, records_from(records), _ended(process):
        yield VisionProcess(process, ours)


@contextmanager
def _ended(process: SpawnProcess) -> Iterator[None]:
    """The process has ended when this block is left."""
    try:
        yield
    except BaseException:
        process.kill()  # what was recorded is on the disk
        raise
    finally:
        process.join(LEAVING_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()


@contextmanager
def _deaf_to_signals() -> Iterator[None]:
    """What is started here never hears them, and this thread does afterwards.

    Ctrl-C goes to both processes of a terminal, and it is the page's to say when sight ends.
    """
    if sys.platform == "win32":
        yield  # see `_watch`
        return
    resource_tracker.ensure_running()  # it would undo the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(pipe: Connection, target: LogTarget) -> None:
    log_into(target)
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        from tableside.vision_process.worker import VisionWorker

        VisionWorker(pipe).run()
    except BaseException:
        _LOGGER.critical("the vision process ended by an error", exc_info=True, extra=ALREADY_SHOWN)
        raise
