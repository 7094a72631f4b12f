"""The pictures and the desk of a match that another process records."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, wait
from pathlib import Path
from typing import Final

from engine import Event, MatchState, NotNow, fold
from engine.message import join, msg
from tableside.desk.availability import DeskContext
from tableside.desk.queries import DeskQueries
from tableside.record.recorder import blank_match
from tableside.record.store import Store
from tableside.recording.job import AttachedMatch
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
    """A `Desk`: commands go to the vision process, queries are answered from the record."""

    def __init__(
        self,
        channel: Channel,
        shown: Callable[[], State] = blank_state,
        start_seconds: float = START_SECONDS,
    ) -> None:
        """`shown`: the page's state as the referee sees it."""
        self._channel, self._shown, self._start_seconds = channel, shown, start_seconds
        self._store: Store | None = None
        self._match: _RecordedMatch | None = None

    def read_from(self, record: Path) -> None:
        """Open the record that the matches are in."""
        self._store = Store.open_read_only(record)

    def close(self) -> None:
        """Close the record."""
        if self._store is not None:
            self._store.close()

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
        """The current match, according to the record."""
        match, shown = self._attached(), self._shown()
        state = match.state()
        return DeskContext(
            state,
            state.rules,
            shown["paused"],
            match.can_undo,
            match.begins_matches,
            shown["by_hand"],
            shown["cup"],
        )

    def evidence(self) -> tuple[Sequence[Event], StillKeeper]:
        """See `DeskQueries`."""
        return self._attached().evidence()

    def _attached(self) -> _RecordedMatch:
        match = self._match
        if match is None:
            raise NotNow(messages.NO_MATCH)
        return match

    def attach(self, match: AttachedMatch | None) -> None:
        """Show another match, or none."""
        assert self._store is not None, "the record is claimed first"  # noqa: S101
        self._match = None if match is None else _RecordedMatch(self._store, match)

    def set_undo(self, can_undo: bool) -> None:
        """Note whether a correction can be undone."""
        if self._match is not None:
            self._match.can_undo = can_undo


class _RecordedMatch:
    """A match in progress, according to its record."""

    def __init__(self, store: Store, attached: AttachedMatch) -> None:
        self.can_undo, self.begins_matches = attached.can_undo, attached.begins_matches
        self._store, self._match = store, attached.match
        self._lock = threading.Lock()
        self._state: MatchState = blank_match(store, attached.match)
        self._read = 0

    def state(self) -> MatchState:
        """The current state of the match; only new events are read."""
        with self._lock:
            new = self._store.events(self._match, self._read)
            self._read += len(new)
            self._state = fold(new, self._state)
            return self._state

    def evidence(self) -> tuple[Sequence[Event], StillKeeper]:
        """The match's events and the stills kept so far."""
        folder = stills_folder(self._store.path, self._match)
        return self._store.events(self._match), StillKeeper(folder)
