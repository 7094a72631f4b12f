"""The newest state and pictures of the board for the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Unpack, cast

from engine.message import Sentence, msg
from webui.contracts.roles import Visibility
from webui.contracts.state import State, StatePart, blank_state


class PictureSource(Protocol):
    """Where a table gets its pictures; see `webui.contracts.state.LiveBoard`."""

    def picture(self) -> bytes | None:
        """The newest picture; None before any."""

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`; None after `timeout` seconds."""


def parts_by_visibility(
    changes: StatePart, audience: StatePart | None, referee: StatePart | None
) -> dict[Visibility, StatePart]:
    """What each is shown of `changes`: the audience and the referee some things otherwise."""
    return {
        Visibility.PLAYERS: changes,
        Visibility.AUDIENCE: {**changes, **(audience or {})},
        Visibility.EVERYTHING: {**changes, **(referee or {})},
    }


class StateHub:
    """A `webui.contracts.state.LiveBoard`; `publish` changes it, from any thread."""

    def __init__(
        self, pictures: PictureSource | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._clock, self._pictures = clock, pictures
        self._changed = threading.Condition()
        blank = blank_state(self._next_version(0), msg("starting"))
        self._states: dict[Visibility, State] = dict.fromkeys(Visibility, blank)
        self._troubles: dict[Visibility, list[Sentence]] = {one: [] for one in Visibility}
        """Those that were published."""
        self._other_troubles: list[Sentence] = []

    def _next_version(self, last: int) -> int:
        return max(last + 1, int(self._clock() * 1000))

    def publish(
        self,
        *,
        audience: StatePart | None = None,
        referee: StatePart | None = None,
        **changes: Unpack[StatePart],
    ) -> None:
        """Change parts of the state; does nothing if they are unchanged.

        audience, referee: what these are shown instead of some of them.
        """
        self.publish_each(parts_by_visibility(changes, audience, referee))

    def publish_each(self, changes: Mapping[Visibility, StatePart]) -> None:
        """Change parts of the state that each visibility shows."""
        with self._changed:
            for visibility, parts in changes.items():
                known = self._states[visibility]
                found = parts.get("troubles", self._troubles[visibility])
                self._troubles[visibility] = found
                new = {**known, **parts, "troubles": [*found, *self._other_troubles]}
                # A change that is not shown does not exist: the version stays the same too.
                if new != known:
                    version = self._next_version(known["version"])
                    self._states[visibility] = cast(State, {**new, "version": version})
                    self._changed.notify_all()

    def set_other_troubles(self, troubles: Sequence[Sentence]) -> None:
        """From now on, show these after those that are published."""
        with self._changed:
            self._other_troubles = [*troubles]
            self.publish_each({one: {"troubles": found} for one, found in self._troubles.items()})

    def state(self, visibility: Visibility = Visibility.PLAYERS) -> State:
        """The newest state that `visibility` may see."""
        with self._changed:
            return self._states[visibility]

    def next_state(
        self, after: int, timeout: float, visibility: Visibility = Visibility.PLAYERS
    ) -> State | None:
        """The newest state once its version is above `after`; None after `timeout` seconds."""
        with self._changed:
            is_newer = self._changed.wait_for(
                lambda: self._states[visibility]["version"] > after, timeout
            )
            return self._states[visibility] if is_newer else None

    def picture(self) -> bytes | None:
        """The newest picture with what was seen drawn on it; None before any."""
        return None if self._pictures is None else self._pictures.picture()

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`; None after `timeout` seconds."""
        if self._pictures is not None:
            return self._pictures.next_picture(after, timeout)
        time.sleep(timeout)
        return None
