"""A table as it was some seconds ago, for broadcasts that must not help the players.

The delay is applied here and not in the browser: anything newer than `now - delay` is not sent at
all, so there is nothing to find in the page.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from engine.message import msg
from webui.contracts.archive import Archive, ArchiveError
from webui.contracts.roles import Visibility
from webui.contracts.state import LiveBoard, State, blank_state

LONGEST: Final = 600
"""The maximum delay of a viewer, in seconds, and so the length of the history."""

GRAIN: Final = 0.1
"""Seconds that one history entry covers; of many states in that time the last is kept."""

SLICE: Final = 0.5
LEAST_PAUSE: Final = 0.001

Clock = Callable[[], float]


class StateHistory:
    """A table's states of the last `LONGEST` seconds, each with the time it became known.

    `clock` is monotonic, in seconds; `pause` sleeps; `visibility`: of which states.
    """

    def __init__(
        self,
        table: LiveBoard,
        clock: Clock = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
        visibility: Visibility = Visibility.PLAYERS,
    ) -> None:
        self.table, self.clock, self.pause = table, clock, pause
        self._visibility = visibility
        self._lock = threading.Lock()
        self._is_followed = False
        self._times: list[float] = []
        self._states: list[State] = []

    def note(self) -> None:
        """Record the table's newest state as known from now on."""
        with self._lock:
            state, now = self.table.state(self._visibility), self.clock()
            if self._states and self._states[-1]["version"] >= state["version"]:
                return
            if self._times and self._times[-1] // GRAIN == now // GRAIN:
                # The later time counts: an entry may be sent late, but never early.
                self._times[-1], self._states[-1] = now, state
                return
            self._times.append(now)
            self._states.append(state)
            self._forget(now - LONGEST)

    def _forget(self, before: float) -> None:
        stale = bisect_right(self._times, before) - 1
        if stale > 0:
            del self._times[:stale], self._states[:stale]

    def follow(self, is_over: Callable[[], bool]) -> None:
        """From now on, record every change in a thread that ends with `is_over`.

        Called for the first delayed viewer; without one, nothing is kept.
        """
        with self._lock:
            if self._is_followed:
                return
            self._is_followed = True
        self.note()
        threading.Thread(target=self._follow, args=[is_over], name="history", daemon=True).start()

    def _follow(self, is_over: Callable[[], bool]) -> None:
        while not is_over():
            newest = self._states[-1]["version"]
            if self.table.next_state(newest, SLICE, self._visibility) is not None:
                self.note()

    def at(self, moment: float) -> State | None:
        """The state at `moment`; None if that is before the first one recorded."""
        with self._lock:
            index = bisect_right(self._times, moment)
            return self._states[index - 1] if index else None

    def next_after(self, moment: float) -> float | None:
        """When the first state after `moment` arrived; None if there is none yet."""
        with self._lock:
            index = bisect_right(self._times, moment)
            return self._times[index] if index < len(self._times) else None


class EventHistory:
    """How many events of each match in play were known when.

    Noted by `follow` where the server delays viewers, else when somebody asks. `clock` is
    monotonic, in seconds.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._noted: dict[int, list[tuple[float, int]]] = {}

    def follow(self, archive: Archive, table: LiveBoard, is_over: Callable[[], bool]) -> None:
        """From now on, note the events of the newest match in a thread that ends with `is_over`.

        The match counts as new even if it is over: it may have ended just before this program
        began.
        """
        threading.Thread(
            target=self._follow, args=[archive, table, is_over], name="event history", daemon=True
        ).start()

    def _follow(self, archive: Archive, table: LiveBoard, is_over: Callable[[], bool]) -> None:
        version = 0
        while not is_over():
            try:
                for number in archive.newest_played():
                    self._note(number, archive.event_count(number)[0])
            except ArchiveError:
                pass  # whoever asks for the match is told why it cannot be read
            changed = table.next_state(version, SLICE)
            version = version if changed is None else changed["version"]

    def _note(self, match: int, count: int) -> None:
        with self._lock:
            noted = self._noted.setdefault(match, [])
            if not noted or noted[-1][1] != count:
                noted.append((self._clock(), count))

    def matches(self) -> tuple[int, ...]:
        """The newest match in play since this program began, and those of the last `LONGEST`."""
        oldest = self._clock() - LONGEST
        with self._lock:
            newest = max(self._noted, default=None)
            return tuple(
                match
                for match, noted in self._noted.items()
                if match == newest or (noted and noted[-1][0] > oldest)
            )

    def known(self, match: int, count: int, delay: float, *, is_open: bool) -> int:
        """Of the `count` events of a match, how many were known `delay` seconds ago.

        All of a match that was over when it was first noted or asked for.
        """
        now = self._clock()
        with self._lock:
            noted = self._noted.setdefault(match, []) if is_open else self._noted.get(match)
            if noted is None:
                return count
            if not noted or noted[-1][1] != count:
                noted.append((now, count))
            old = bisect_right(noted, now - delay, key=lambda one: one[0])
            found = noted[old - 1][1] if old else 0
            stale = bisect_right(noted, now - LONGEST, key=lambda one: one[0]) - 1
            del noted[: max(0, stale)]
            return found


class DelayedTable:
    """A `LiveBoard` that shows what the history held `delay` seconds ago, without pictures."""

    def __init__(self, history: StateHistory, delay: float) -> None:
        self._history, self._delay = history, delay
        self._blank = blank_state(message=msg("shown with a delay of {delay:g} s", delay=delay))

    def state(self, visibility: Visibility = Visibility.PLAYERS) -> State:
        """The newest `State` that is old enough; a blank one if there is none yet.

        Always what the history's readers may know, whatever is asked for.
        """
        known = self._history.at(self._history.clock() - self._delay)
        return self._blank if known is None else known

    def next_state(
        self, after: int, timeout: float, visibility: Visibility = Visibility.PLAYERS
    ) -> State | None:
        """The newest `State` old enough once its version is above `after`; None after `timeout`."""
        history, state = self._history, self.state()
        ends = history.clock() + timeout
        while state["version"] <= after and (now := history.clock()) < ends:
            due = history.next_after(now - self._delay)
            until = ends if due is None else min(ends, due + self._delay)
            history.pause(max(LEAST_PAUSE, until - now))
            state = self.state()
        return state if state["version"] > after else None

    def picture(self) -> bytes | None:
        """Always None: pictures are not kept, and the newest would reveal what is delayed."""
        return None

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """Always None, after `timeout` seconds."""
        self._history.pause(timeout)
        return None


def late(history: StateHistory, delay: float, is_over: Callable[[], bool]) -> LiveBoard:
    """The table of `history` as seen by a viewer `delay` seconds behind; for 0, the table itself.

    The history is followed from the first such call until `is_over`.
    """
    if delay <= 0:
        return history.table
    history.follow(is_over)
    return DelayedTable(history, delay)
