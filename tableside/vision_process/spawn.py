"""Starts the vision process early, so that it loads while the page's process does.

This module imports nothing heavy: it is imported before anything that the command needs.
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
"""Time for a process to end when asked; a camera's driver may hang."""
ENDING: Final = (
    *(signal.SIGINT, signal.SIGTERM),
    *((signal.SIGHUP,) if sys.platform != "win32" else ()),  # the terminal was closed
)
_LOGGER: Final = logging.getLogger(__name__)


class VisionProcess(NamedTuple):
    """The process and the pipe to it."""

    process: SpawnProcess
    pipe: Connection


@contextmanager
def vision_process() -> Iterator[VisionProcess]:
    """A process that serves `tableside.vision_process.messages` and ends with the block.

    It is spawned, not forked, which works the same on every system; threads do not survive a fork.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    records, their_records = context.Pipe(duplex=False)
    process = context.Process(
        target=_run_worker, args=(theirs, log_target(their_records)), name="vision"
    )
    with _signals_blocked():
        process.start()
    theirs.close()
    their_records.close()
    with ours, records, records_from(records), _ended(process):
        yield VisionProcess(process, ours)


@contextmanager
def _ended(process: SpawnProcess) -> Iterator[None]:
    """Make sure that the process has ended when the block is left."""
    try:
        yield
    except BaseException:
        process.kill()  # everything recorded is on the disk
        raise
    finally:
        process.join(LEAVING_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals within the block: a process started there inherits the mask and receives none.

    Ctrl-C reaches both processes in a terminal, but the page's process ends the vision process.
    """
    if sys.platform == "win32":
        yield  # see `_run_worker`
        return
    resource_tracker.ensure_running()  # it would undo the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_worker(pipe: Connection, target: LogTarget) -> None:
    log_into(target)
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        from tableside.vision_process.worker import VisionWorker

        VisionWorker(pipe).run()
    except BaseException:
        _LOGGER.critical("the vision process ended by an error", exc_info=True, extra=ALREADY_SHOWN)
        raise
