"""Captures the raw samples of a cup's noise, for an assessment by NIST's SP 800-90B.

The samples are those that the cup's health tests see, one a byte, before any hash. The cup uses
what it sends for no seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty
from typing import BinaryIO, Final

from hardware.connection import CupConnection
from hardware.errors import CupLost, CupRefused, NoCup
from hardware.messages import RawNoise, UnsolicitedMessage
from hardware.protocol_constants import Capability, CommandCode, NoiseSource, Refusal

MIN_SET: Final = 1000
"""How many samples must be consecutive at least, SP 800-90B 3.1.1."""
SILENCE_S: Final = 3.0
"""Seconds without samples after which the cup is asked again; a message fills in half a second."""
ANSWER_PATIENCE_S: Final = 6.0
"""Seconds to find the cup and get its answer; an Arduino takes two after its port is opened."""
PATIENCE_S: Final = 60.0
"""Seconds without samples after which the capture fails."""


@dataclass(slots=True)
class NoiseFile:
    """Writes samples in sets of at least `MIN_SET` consecutive ones; shorter sets are left out."""

    out: BinaryIO
    wanted: int
    written: int = 0
    sets: int = 0
    left_out: int = 0
    """Samples of sets that were too short."""
    _next: int = 0
    _in_set: int = 0
    """Samples of the present set that are written."""
    _waiting: bytearray = field(default_factory=bytearray)
    """Samples of a set that is still too short."""

    @property
    def is_full(self) -> bool:
        """Whether there are as many samples as wanted."""
        return self.written >= self.wanted

    def add(self, noise: RawNoise) -> None:
        """Add the samples of one message; a new set begins if some before them are missing."""
        if noise.first != self._next:
            self.left_out += len(self._waiting)
            self._waiting.clear()
            self._in_set = 0
        self._next = noise.first + len(noise.samples)
        self._waiting += noise.samples
        least = min(MIN_SET, self.wanted)
        if self._in_set + len(self._waiting) >= least:
            self._write(max(self.wanted - self.written, least - self._in_set))

    def _write(self, most: int) -> None:
        if not self._in_set:
            self.sets += 1
        ready = bytes(self._waiting[:most])
        self.out.write(ready)
        self.out.flush()
        self.written += len(ready)
        self._in_set += len(ready)
        self._waiting.clear()


def start_noise(cup: CupConnection, source: NoiseSource) -> None:
    """Make the cup send samples of `source`.

    Raises `NoCup` if the cup cannot do that, `CupRefused` if it is in a match.
    """
    if Capability.RAW_NOISE not in cup.wait_ready(ANSWER_PATIENCE_S).can:
        raise NoCup("this cup cannot send its noise: it needs firmware 1.2 or newer")
    # Samples that another program asked for may still be on the line; none follow this answer.
    cup.call(CommandCode.RAW, b"\0", ANSWER_PATIENCE_S)
    with suppress(Empty):
        while True:
            cup.notices.get_nowait()
    _ask(cup, source)


def capture_noise(
    cup: CupConnection,
    source: NoiseSource,
    file: NoiseFile,
    on_progress: Callable[[], None] = lambda: None,
) -> None:
    """Fill the file with the samples of `source`, which has been started.

    It goes on after a break of the line or a reset of the cup; `on_progress` is called after each
    message. Raises `CupLost` if no samples come for `PATIENCE_S`; the file then keeps what it has.
    """
    asked = heard = time.monotonic()
    while not file.is_full:
        noise = _next_noise(cup)
        now = time.monotonic()
        if noise is not None and noise.source is source:
            heard = now
            file.add(noise)
            on_progress()
        elif now - heard > PATIENCE_S:
            raise CupLost(cup.no_answer)
        elif now - max(asked, heard) > SILENCE_S:
            asked = now
            with suppress(CupLost):  # it may come back
                _ask(cup, source)
    cup.call(CommandCode.RAW, b"\0")


def _next_noise(cup: CupConnection) -> RawNoise | None:
    try:
        notice = cup.notices.get(timeout=SILENCE_S)
    except Empty:
        return None
    match notice:
        case UnsolicitedMessage(message=RawNoise() as noise):
            return noise
        case _:
            return None


def _ask(cup: CupConnection, source: NoiseSource) -> None:
    """Ask for the samples; asking again changes nothing while the cup sends them."""
    try:
        cup.call(CommandCode.RAW, bytes([source]), ANSWER_PATIENCE_S)
    except CupRefused as refused:
        if refused.code != Refusal.NOT_NOW:
            raise
        raise CupRefused("this cup is in a match: end it first", refused.code) from refused
