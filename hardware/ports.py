"""Where a cup may be plugged in, and how such a place is opened."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from hardware.errors import NoCup

BAUD: Final = 115_200
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
}
"""Makers of what stands between a microcontroller's UART and USB."""


class Port(Protocol):
    """What of `serial.Serial` is used."""

    in_waiting: int

    def read(self, size: int = 1) -> bytes:
        """At most `size` bytes; fewer after a moment."""

    def write(self, data: bytes) -> int | None:
        """All of `data`, or an error after a moment."""

    def close(self) -> None:
        """The port can be opened by others."""


Open = Callable[[str], Port]


@dataclass(frozen=True, slots=True)
class PortInfo:
    """A serial port of this machine."""

    url: str
    name: str
    serial: str
    """The USB device's own serial number; empty where it has none."""
    is_likely: bool
    """Whether it hangs on a chip that such cups are built with."""


def places() -> list[PortInfo]:
    """The serial ports of this machine, the likely ones first."""
    from serial.tools.list_ports import comports

    found = [
        PortInfo(
            one.device,
            CHIPS.get(one.vid or 0, one.description or ""),
            one.serial_number or "",
            one.vid in CHIPS,
        )
        for one in comports()
    ]
    return sorted(found, key=lambda place: (not place.is_likely, place.url))


def open_port(url: str) -> Port:
    """The port of a path, a COM name or a pyserial URL, for us alone; `NoCup` says why not."""
    import serial

    try:
        port = serial.serial_for_url(url, do_not_open=True)
        port.baudrate = BAUD
        port.timeout = READ_SECONDS
        # pyserial refuses to open these with one; their socket gives up by itself after 5 s.
        port.write_timeout = None if url.lower().startswith("rfc2217:") else WRITE_SECONDS
        port.exclusive = True
        port.open()
    except _faults() as error:
        raise NoCup(f"{url} cannot be opened: {_plain(error)}") from error
    opened: Port = port
    return opened


def _faults() -> tuple[type[Exception], ...]:
    """What pyserial raises, and what it lets through where a port goes while it is opened."""
    import serial

    usual = (OSError, ValueError, NotImplementedError, serial.SerialException)
    if sys.platform == "win32":
        return usual
    import termios

    return (*usual, termios.error)


def _plain(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


@dataclass(slots=True)
class PortSearch:
    """Which place to try next: one that was named, or all likely ones in turn."""

    url: str | None = None
    known: str = ""
    """The serial number of the device that was the cup before."""
    list_places: Callable[[], list[PortInfo]] = places
    _turn: int = field(default=0)

    def next(self) -> str:
        """Another place each time; `NoCup` if there is none."""
        if self.url is not None:
            return self.url
        found = sorted(self._likely(), key=lambda place: place.serial != self.known)
        if not found:
            raise NoCup("no cup is plugged in: connect it by USB, or name its port")
        self._turn += 1
        return found[(self._turn - 1) % len(found)].url

    def _likely(self) -> Iterator[PortInfo]:
        yield from (place for place in self.list_places() if place.is_likely)

    def was_right(self, url: str) -> None:
        """The cup is there: it is tried first the next time."""
        self._turn = 0
        for place in self.list_places() if self.url is None else ():
            if place.url == url and place.serial:
                self.known = place.serial
