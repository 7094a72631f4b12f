"""The radio: finds dice and connects to them, through `bleak`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from engine.message import msg
from hardware.bluetooth.godice import GODICE, NAME_PREFIX
from hardware.bluetooth.pixels import OLD_PIXELS, OLD_SERVICE, PIXELS, SERVICE
from hardware.bluetooth.reports import DieMake
from hardware.errors import NoRadio

INSTALL: Final = "pip install tableside[dice-ble]"

OnPacket = Callable[[Any, bytearray], None]
"""Receives the characteristic and the packet."""


@dataclass(frozen=True, slots=True)
class DieFound:
    """A die in reach."""

    name: str
    address: str
    make: DieMake
    device: Any = None
    """What `bleak` knows of it."""


class DieClient(Protocol):
    """The part of `bleak.BleakClient` that we use."""

    async def connect(self) -> None:
        """Connect."""

    async def disconnect(self) -> None:
        """Disconnect."""

    async def start_notify(self, characteristic: str, on_packet: OnPacket, /) -> None:
        """Call `on_packet` with each packet."""

    async def write_gatt_char(self, characteristic: str, command: bytes, response: bool, /) -> None:
        """Send a command."""


class Radio(Protocol):
    """Finds dice and connects to them."""

    faults: tuple[type[Exception], ...]
    """What its functions and its clients raise if the radio or a die fails."""

    async def find(self, seconds: float) -> list[DieFound]:
        """The dice in reach, looked for at most so long."""

    def client(self, found: DieFound, gone: Callable[[], None]) -> DieClient:
        """A connection to a die, not open yet; `gone` is called when it breaks."""


def make_of(name: str, services: list[str]) -> DieMake | None:
    """The make of a device with this name and these services; None if it is no die.

    GoDice are known by their names: the service of older Pixels is also that of other devices.
    """
    if name.startswith(NAME_PREFIX):
        return GODICE
    if SERVICE in services:
        return PIXELS
    # Only Pixels advertise the device information next to this service.
    is_old = OLD_SERVICE in services and any(one.startswith("0000180a") for one in services)
    return OLD_PIXELS if is_old else None


class BleakRadio:
    """The Bluetooth of the machine."""

    def __init__(self) -> None:
        """Raise `NoRadio` if `bleak` is not installed."""
        try:
            import bleak
            from bleak.exc import BleakError
        except ImportError as error:
            raise NoRadio(msg("Bluetooth needs a package: {command}", command=INSTALL)) from error
        self._bleak = bleak
        self.faults: tuple[type[Exception], ...] = (
            BleakError,
            OSError,
            EOFError,
            TimeoutError,
        )

    async def find(self, seconds: float) -> list[DieFound]:
        """The dice in reach, nearest first."""
        seen = await self._bleak.BleakScanner.discover(timeout=seconds, return_adv=True)
        nearest = sorted(seen.values(), key=lambda one: -one[1].rssi)
        named = ((one, heard, one.name or heard.local_name or "") for one, heard in nearest)
        return [
            DieFound(name or one.address, one.address, make, one)
            for one, heard, name in named
            if (make := make_of(name, [uuid.lower() for uuid in heard.service_uuids])) is not None
        ]

    def client(self, found: DieFound, gone: Callable[[], None]) -> DieClient:
        """A connection to a die, not open yet; `gone` is called when it breaks."""
        client: DieClient = self._bleak.BleakClient(found.device, lambda _client: gone())
        return client
