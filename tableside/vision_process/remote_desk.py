"""The pictures and the desk of a match that another process records."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, wait
from pathlib import Path
from typing import Final

from engine import Event, NotNow, fold
from engine.message import join, msg
from tableside.desk.availability import DeskContext
from tableside.desk.queries import DeskQueries
from tableside.recording.job import AttachedMatch, KeptEvents
from tableside.review.stills import StillKeeper, stills_folder
from tableside.vision_process import messages
from tableside.vision_process.channel import Channel, ChannelLost
from webui.contracts.desk import Command, DeskUnavailable
from webui.contracts.state import State, blank_state

PICTURE_SECONDS: Final = 0.4
"""How long a request for the newest picture waits before it gets the previous one."""
FRESH_SECONDS: Final = 0.03
"""A picture that arrived this recently counts as the newest."""
START_SECONDS: Final = 5.0
"""Time limit to start a command: a running match accepts commands at least four times a second."""
EXECUTION_SECONDS: Final = 25.0
"""Time limit to execute a command: a long game is judged again from its start."""
STILL_BUSY: Final = join(
    [msg("the program is still working on it"), msg("check the record before you try again")]
)
GONE: Final = msg("the board is no longer being watched")
NOT_STARTED: Final = join(
    [msg("the recording does not respond"), msg("nothing was changed; try again")]
)


class RemotePreview:
    """A `PictureSource` whose pictures are requested one at a time, when a client asks."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._changed = threading.Condition()
        self._newest: tuple[int, bytes] | None = None
        self._received_at = -FRESH_SECONDS
        self._is_requested = False

    def picture(self) -> bytes | None:
        """The newest picture; None before any."""
        with self._changed:
            if time.monotonic() - self._received_at >= FRESH_SECONDS:
                self._await(self._number, PICTURE_SECONDS)
            return None if self._newest is None else self._newest[1]

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`; None after `timeout` seconds."""
        with self._changed:
            self._await(after, timeout)
            return self._newest if self._number > after else None

    @property
    def _number(self) -> int:
        return 0 if self._newest is None else self._newest[0]

    def _await(self, after: int, timeout: float) -> None:
        until = time.monotonic() + timeout
        while self._number <= after and (left := until - time.monotonic()) > 0:
            if not self._is_requested:
                self._is_requested = True
                request = messages.NewerPicture(self._number)
                self._channel.request(request).add_done_callback(self._receive)
            self._changed.wait(left)

    def _receive(self, response: Future[tuple[int, bytes] | None]) -> None:
        with self._changed:
            self._is_requested = False
            if response.exception() is None and (newest := response.result()) is not None:
                self._newest, self._received_at = newest, time.monotonic()
            self._changed.notify_all()


class RemoteDesk(DeskQueries):
    """A `Desk`: commands go to the vision process, queries are answered from what it has recorded.

    The record on the disk may be behind, if that is full, or have been replaced by another.
    """

    record: Path
    """The record that the matches are in; set before the first of them."""

    def __init__(
        self,
        channel: Channel,
        shown: Callable[[], State] = blank_state,
        start_seconds: float = START_SECONDS,
    ) -> None:
        """`shown`: the page's state as the referee sees it."""
        self._channel, self._shown, self._start_seconds = channel, shown, start_seconds
        self._match: _RunningMatch | None = None

    def execute(self, command: Command) -> None:
        """See `webui.contracts.desk.Desk`; the one place that waits for a command."""
        self._attached()
        if self._channel.is_lost:
            raise DeskUnavailable(join([GONE, msg("restart the program")]))
        response = self._channel.request(command)
        if not wait([response], self._start_seconds).done:
            self._channel.cancel(response)
            if not wait([response], EXECUTION_SECONDS).done:
                raise DeskUnavailable(STILL_BUSY)
        try:
            response.result()
        except CancelledError:
            raise DeskUnavailable(NOT_STARTED) from None
        except ChannelLost:
            raise DeskUnavailable(join([GONE, msg("check the record")])) from None

    def context(self) -> DeskContext:
        """The current match."""
        match, shown = self._attached(), self._shown()
        state = match.state
        return DeskContext(
            state,
            state.rules,
            match.can_undo,
            match.begins_matches,
            shown["by_hand"],
            shown["cup"],
        )

    def evidence(self) -> tuple[Sequence[Event], StillKeeper]:
        """See `DeskQueries`."""
        match = self._attached()
        return match.events, StillKeeper(stills_folder(self.record, match.match))

    def _attached(self) -> _RunningMatch:
        match = self._match
        if match is None:
            raise NotNow(messages.NO_MATCH)
        return match

    def attach(self, match: AttachedMatch | None) -> None:
        """Show another match, or none."""
        self._match = None if match is None else _RunningMatch(match)

    def take(self, kept: KeptEvents) -> None:
        """Add what was recorded, unless it belongs to a match that is not shown."""
        if self._match is not None and self._match.match == kept.match:
            self._match.take(kept)

    def set_undo(self, can_undo: bool) -> None:
        """Note whether a correction can be undone."""
        if self._match is not None:
            self._match.can_undo = can_undo


class _RunningMatch:
    """A match in progress, according to the process that records it."""

    def __init__(self, attached: AttachedMatch) -> None:
        self.can_undo, self.begins_matches = attached.can_undo, attached.begins_matches
        self.match, self.events = attached.match, attached.events
        self.state = fold(self.events, attached.blank)

    def take(self, kept: KeptEvents) -> None:
        """Add the events that are new."""
        new = kept.events[len(self.events) - kept.after :]
        self.state, self.events = fold(new, self.state), (*self.events, *new)
