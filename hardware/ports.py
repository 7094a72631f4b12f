"""Serial ports that a cup may be plugged into, and how to open one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from engine.message import message_of, msg
from hardware.errors import NoCup

BAUD: Final = 250_000
READ_SECONDS: Final = 0.01
WRITE_SECONDS: Final = 0.5
CHIPS: Final = {
    0x2341: "Arduino",
    0x2A03: "Arduino",
    0x1A86: "CH340",
    0x0403: "FTDI",
    0x10C4: "CP210x",
    0x067B: "PL2303",
    0x16C0: "a home-made USB device",
    0x2E8A: "Raspberry Pi Pico",
}
"""USB vendors of the chips that connect a microcontroller's UART to USB, or that are one."""


class Port(Protocol):
    """The part of `serial.Serial` that we use."""

    in_waiting: int

    def read(self, size: int = 1) -> bytes:
        """Read at most `size` bytes; fewer after a timeout."""

    def write(self, data: bytes) -> int | None:
        """Write all of `data`; raises an error after a timeout."""

    def close(self) -> None:
        """Free the port."""


Open = Callable[[str], Port]


@dataclass(frozen=True, slots=True)
class PortInfo:
    """A serial port of this machine."""

    url: str
    name: str
    serial: str
    """The USB device's serial number; empty if it has none."""
    is_likely: bool
    """Whether its chip is one used in such cups."""


def list_ports() -> list[PortInfo]:
    """List the serial ports of this machine, likely ones first."""
    from serial.tools.list_ports import comports

    found = [
        PortInfo(
            port.device,
            CHIPS.get(port.vid or 0, port.description or ""),
            port.serial_number or "",
            port.vid in CHIPS,
        )
        for port in comports()
    ]
    return sorted(found, key=lambda port: (not port.is_likely, port.url))


def open_port(url: str) -> Port:
    """Open a path, COM name or pyserial URL exclusively; raises `NoCup` with the reason."""
    import serial

    try:
        port = serial.serial_for_url(url, do_not_open=True)
        port.baudrate = BAUD
        port.timeout = READ_SECONDS
        # pyserial rejects a write timeout for these; their socket gives up by itself after 5 s.
        port.write_timeout = None if url.lower().startswith("rfc2217:") else WRITE_SECONDS
        port.exclusive = True
        port.open()
    except _faults() as error:
        raise NoCup(
            msg(
                "{url} cannot be opened: {error}",
                url=url,
                error=message_of(error) or type(error).__name__,
            )
        ) from error
    opened: Port = port
    return opened


def _faults() -> tuple[type[Exception], ...]:
    """The errors of pyserial, and those that it lets through when a port vanishes."""
    import serial

    usual = (OSError, ValueError, NotImplementedError, serial.SerialException)
    if sys.platform == "win32":
        return usual
    import termios

    return (*usual, termios.error)


@dataclass(slots=True)
class PortSearch:
    """Which port to try next: the one that was named, or all likely ones in turn."""

    url: str | None = None
    known: str = ""
    """The serial number of the device that last was the cup."""
    list_ports: Callable[[], list[PortInfo]] = list_ports
    _turn: int = field(default=0)

    def next(self) -> str:
        """Return another port each time; raises `NoCup` if there is none."""
        if self.url is not None:
            return self.url
        likely = [port for port in self.list_ports() if port.is_likely]
        if not likely:
            raise NoCup(msg("no cup is connected: plug it in by USB, or give its port"))
        likely.sort(key=lambda port: port.serial != self.known)
        self._turn += 1
        return likely[(self._turn - 1) % len(likely)].url

    def has_another(self, url: str) -> bool:
        """Whether there is another likely port to try than `url`."""
        if self.url is not None:
            return False
        return any(port.is_likely and port.url != url for port in self.list_ports())

    def was_wrong(self) -> None:
        """Note that the port tried last was not the cup's, even if it had been tried first."""
        self._turn = max(self._turn, 1)

    def was_right(self, url: str) -> None:
        """Note that the cup was found at `url`, to try it first next time."""
        self._turn = 0
        for port in self.list_ports() if self.url is None else ():
            if port.url == url and port.serial:
                self.known = port.serial
