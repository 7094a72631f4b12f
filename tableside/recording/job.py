"""The protocol of a recording job, and of the context in which it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Unpack

from webui.contracts.metrics import MetricsSink
from webui.contracts.state import StatePart

if TYPE_CHECKING:  # the page's process works without OpenCV
    from engine import Event, MatchState
    from tableside.desk.command_queue import CommandQueue
    from tableside.record.store import Store
    from tableside.recording.preview import PreviewEncoder
    from vision.sources.frame import FrameSource
    from vision.sources.phone_feed import PhoneFeed


class StateReceiver(Protocol):
    """Takes the page's state: `tableside.site.state_hub.StateHub`, here or in another process."""

    def publish(
        self,
        *,
        audience: StatePart | None = None,
        referee: StatePart | None = None,
        **changes: Unpack[StatePart],
    ) -> None:
        """Change parts of the state; the referee gets `referee` instead of some of them."""


@dataclass(frozen=True, slots=True)
class KeptEvents:
    """Events that are recorded, or wait until the disk takes them."""

    match: int
    after: int
    """How many events of the match come before them."""
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class MatchOutputs:
    """Where a running match sends what the page shows."""

    page: StateReceiver
    pictures: PreviewEncoder
    metrics: MetricsSink
    kept: Callable[[KeptEvents], object] = lambda _: None
    """Called with what is recorded, before the state is sent."""
    undo_changed: Callable[[bool], object] = lambda _: None
    """Called before the state is sent, when it changes whether a correction can be undone."""


@dataclass(frozen=True, slots=True)
class AttachedMatch:
    """A match of the record that takes commands."""

    match: int
    blank: MatchState
    """The match before its first event."""
    events: tuple[Event, ...]
    """All of its events, also those that wait until the disk takes them."""
    can_undo: bool = False
    begins_matches: bool = False
    """Whether another match can begin at the same board."""


class JobContext(Protocol):
    """What a job needs from the process that runs it."""

    store: Store
    outputs: MatchOutputs
    stopping: threading.Event
    """Set when the job is to end."""

    def attached(
        self, match: AttachedMatch, commands: CommandQueue
    ) -> AbstractContextManager[None]:
        """Within the block, commands go to `commands`; the desk shows this match from now on."""


class Job(Protocol):
    """Something to record, from beginning to end; a value, because it is pickled."""

    def open(self, phone: PhoneFeed) -> FrameSource:
        """Open the source of its frames; `phone` has those of a phone's browser."""

    def run(self, source: FrameSource, context: JobContext) -> None:
        """Record until the source ends or `context.stopping` is set."""
