"""What a hall does again and again beside its page, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from engine.message import Sentence, msg

SetTrouble = Callable[[str, Sentence], object]
"""Takes what is wrong with the hall, by its kind; empty if that is over: `Boards.set_trouble`."""


class Loop:
    """Calls `step` until `close`, each time after the pause in seconds that it returned.

    An error that no step expects ends the thread: the log has it, and the hall's page says so.
    """

    def __init__(self, name: str, step: Callable[[], float], set_trouble: SetTrouble) -> None:
        self._name, self._step, self._set_trouble = name, step, set_trouble
        self.stopping = threading.Event()
        """Set when it is to end: whatever a step waits for, it must not wait for longer."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin, once everything is there that a step uses."""
        self._thread.start()

    def close(self) -> None:
        """End after the step that is being made."""
        self.stopping.set()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        try:
            while not self.stopping.wait(pause):
                pause = self._step()
        except BaseException:
            ended = msg(
                "a part of the hall ({name}) has ended by a fault of the program: start the hall "
                "again; the log says more",
                name=self._name,
            )
            self._set_trouble(self._name, ended)
            raise
