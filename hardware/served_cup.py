"""A virtual cup behind a local socket, so that the whole link is exercised without hardware.

It serves one program at a time.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hardware.virtual_cup import CupMemory, VirtualCup

EEPROM_FAULT: Final = 5
POLL_SECONDS: Final = 0.02


@dataclass(slots=True)
class LineFaults:
    """What goes wrong with the line and the cup, each as a probability."""

    bit_errors: float = 0.0
    """Per bit, in either direction."""
    drops: float = 0.0
    """Per byte."""
    stalls: float = 0.0
    """Per chunk of bytes, which is then delayed by a third of a second."""
    resets: float = 0.0
    """Per chunk of bytes, after which the cup is reset."""

    def distort(self, piece: bytes, chance: random.Random) -> bytes:
        """`piece` as it arrives after drops and bit errors."""
        out = bytearray(byte for byte in piece if not chance.random() < self.drops)
        if self.bit_errors:
            for at in range(8 * len(out)):
                if chance.random() < self.bit_errors:
                    out[at >> 3] ^= 1 << (at & 7)
        return bytes(out)


class ServedCup:
    """A virtual cup at `url`; `close` it or use it in a `with` statement."""

    def __init__(
        self,
        random_bytes: Callable[[int], bytes],
        *,
        faults: LineFaults | None = None,
        chance: random.Random | None = None,
        memory: CupMemory | None = None,
        is_shaken_at_once: bool = False,
        save: Callable[[CupMemory], object] = lambda _: None,
    ) -> None:
        """is_shaken_at_once: whether the cup throws by itself as soon as it is armed.

        save: makes the memory durable before anything is sent; an `OSError` puts the cup into its
        fault state.
        """
        self._save = save
        self._saved: tuple[int, ...] = ()
        self._random = random_bytes
        self.memory = memory or CupMemory(random_bytes(8))
        self._faults, self._chance = faults or LineFaults(), chance or random.Random(1)  # noqa: S311
        self._is_shaken_at_once = is_shaken_at_once
        self._lock = threading.RLock()
        self._cup = VirtualCup(random_bytes, self.memory)
        self._over = threading.Event()
        self._line: socket.socket | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(POLL_SECONDS)
        self.url = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run, name="virtual cup", daemon=True)
        self._thread.start()

    def handle(self, do: Callable[[VirtualCup], object]) -> None:
        """Call `do` with the cup."""
        with self._lock:
            do(self._cup)

    @property
    def is_armed(self) -> bool:
        """Whether the next throw is a roll."""
        with self._lock:
            return self._cup.is_armed

    def throw(self) -> None:
        """Shake the cup and turn it over."""
        self.handle(VirtualCup.shake)
        self.handle(VirtualCup.pour)

    def reset(self, cause: int = 2) -> None:
        """Reset the cup; its memory survives."""
        with self._lock:
            self._cup = VirtualCup(self._random, self.memory, cause)

    def unplug(self) -> None:
        """Break the line; it can be reopened at once."""
        with self._lock:
            line, self._line = self._line, None
        if line is not None:
            line.close()

    def close(self) -> None:
        """Stop listening."""
        self._over.set()
        self.unplug()
        self._thread.join(2)
        self._listener.close()

    def __enter__(self) -> ServedCup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                line, _ = self._listener.accept()
            except OSError:
                self._idle()
                continue
            line.settimeout(POLL_SECONDS)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._line = line
            while not self._over.is_set() and self._exchange(line):
                pass
            line.close()

    def _idle(self) -> None:
        with self._lock:
            self._cup.tick(time.monotonic())  # nobody receives what it sends in the meantime

    def _exchange(self, line: socket.socket) -> bool:
        try:
            piece = line.recv(4096)
            if not piece:
                return False
        except TimeoutError:
            piece = b""
        except OSError:
            return False
        try:
            line.sendall(self._answer(piece))
        except OSError:
            return False
        return True

    def _is_saved(self) -> bool:
        """Save the memory if it has changed; return whether it is safe."""
        memory = self.memory
        state = (memory.starts, memory.match, memory.phase, memory.number)
        if state != self._saved:
            try:
                self._save(memory)
            except OSError:
                return False
            self._saved = state
        return True

    def _answer(self, piece: bytes) -> bytes:
        faults, chance = self._faults, self._chance
        if piece and chance.random() < faults.stalls:
            self._over.wait(0.33)
        if piece and chance.random() < faults.resets:
            self.reset(8)
        with self._lock:
            now = time.monotonic()
            sent = self._cup.received(faults.distort(piece, chance), now)
            if self._is_shaken_at_once and self._cup.is_armed:
                self._cup.shake()
                self._cup.pour()
                sent += self._cup.output()
            if not self._is_saved():
                self._cup.set_fault(EEPROM_FAULT)
                sent = self._cup.output()  # a roll that might be forgotten is not sent
        return faults.distort(sent, chance)
