"""What the vision process is given to do, and what it offers to whoever does it."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from webui.contracts.metrics import MetricsSink

if TYPE_CHECKING:  # the page's process does without sight
    from tableside.desk.command_queue import CommandQueue
    from tableside.record.store import Store
    from tableside.recording.live_match import StateReceiver
    from tableside.recording.preview import PreviewEncoder
    from vision.sources.frame import FrameSource


class JobContext(Protocol):
    """What an errand finds where it is done; the vision process is such a place."""

    store: Store
    pictures: PreviewEncoder
    stopping: threading.Event
    """Set when it is to end."""

    @property
    def table(self) -> StateReceiver:
        """Who is told the state."""

    @property
    def meters(self) -> MetricsSink:
        """Who is told the figures."""

    def seated(self, desk: CommandQueue, match: int, variant: str) -> AbstractContextManager[None]:
        """What is said by hand goes to `desk` meanwhile."""


class Job(Protocol):
    """Something to watch, from beginning to end; it is sent, so it is a value."""

    def open(self) -> FrameSource:
        """Where its pictures come from."""

    def run(self, source: FrameSource, post: JobContext) -> None:
        """Watch it until it ends or `post.stopping` is set."""
