"""Virtual dice that send what real ones would, faults included, and the radio that reaches them."""

from __future__ import annotations

import asyncio
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from hardware.bluetooth import godice, pixels
from hardware.bluetooth.godice import GODICE
from hardware.bluetooth.radio import DieFound, OnPacket
from hardware.bluetooth.reports import DieMake
from hardware.errors import NoRadio

TREMBLE: Final = 6
"""Largest error of each component of a virtual GoDice's gravity, of 64."""


@dataclass(frozen=True, slots=True)
class DieFaults:
    """What goes wrong with a die, each as a probability per throw."""

    cocked: float = 0.0
    unrolled: float = 0.0
    """It is turned over instead of rolled."""
    breaks: float = 0.0
    """The connection breaks while it rolls."""
    repeats: float = 0.0
    """Each packet arrives twice."""
    junk: float = 0.0
    """A packet is preceded by one that says nothing, such as a broken one."""


class VirtualDie:
    """One die, which keeps what it really showed."""

    def __init__(
        self,
        make: DieMake,
        name: str,
        chance: random.Random,
        faults: DieFaults | None = None,
    ) -> None:
        self.make, self.name, self.percent = make, name, 80
        self.face = 1
        """The face that is up."""
        self._chance, self._faults = chance, faults or DieFaults()
        self._is_godice = make is GODICE

    def throw(self) -> Iterator[bytes | None]:
        """Roll: the packets that follow, and None last if the connection breaks meanwhile."""
        faults, chance = self._faults, self._chance
        self.face = chance.randint(1, 6)
        how = "rolled"
        if chance.random() < faults.cocked:
            how = "cocked"
        elif chance.random() < faults.unrolled:
            how = "unrolled"
        packets = list(self._packets(how))
        end = len(packets)
        if chance.random() < faults.breaks:
            end = chance.randrange(len(packets))
        repeats = 2 if chance.random() < faults.repeats else 1
        for packet in packets[:end]:
            if chance.random() < faults.junk:
                yield chance.choice((b"", packet[:-1], bytes([255, *packet])))
            for _ in range(repeats):
                yield packet
        if end < len(packets):
            yield None

    def turn(self, face: int) -> bytes:
        """Turn it by hand to show `face`; the packet that follows."""
        self.face = face
        return self._at_rest("unrolled")

    def answer(self, command: bytes) -> Iterator[bytes]:
        """The packets that answer a command."""
        if command == self.make.battery_command:
            if self._is_godice:
                yield godice.BATTERY + bytes([self.percent])
            else:
                yield bytes([pixels.BATTERY_LEVEL, self.percent, 0])

    def _packets(self, how: str) -> Iterator[bytes]:
        if self._is_godice:
            yield godice.ROLLING
        else:
            yield bytes([pixels.ROLL_STATE, pixels.HANDLING, self.face - 1])
            for _ in range(3):  # it says every face that comes up on the way
                passing = self._chance.randrange(6)
                yield bytes([pixels.ROLL_STATE, pixels.ROLLING, passing])
        yield self._at_rest(how)

    def _at_rest(self, how: str) -> bytes:
        if self._is_godice:
            letters = {"rolled": b"S", "cocked": b"TS", "unrolled": b"FS"}[how]
            known = godice.FACES[self.face]
            gravity = (part + self._chance.randint(-TREMBLE, TREMBLE) for part in known)
            return letters + struct.pack("bbb", *gravity)
        state = {"rolled": 1, "cocked": 4, "unrolled": 5}[how]
        return bytes([pixels.ROLL_STATE, state, self.face - 1])


@dataclass(slots=True)
class VirtualClient:
    """The connection to a virtual die; see `DieClient`."""

    die: VirtualDie
    gone: Callable[[], None]
    on_packet: OnPacket | None = None
    loop: asyncio.AbstractEventLoop | None = None

    async def connect(self) -> None:
        """Connect."""
        self.loop = asyncio.get_running_loop()

    async def disconnect(self) -> None:
        """Disconnect."""
        self.on_packet = None

    async def start_notify(self, _characteristic: str, on_packet: OnPacket) -> None:
        """Deliver the die's packets to `on_packet` from now on."""
        self.on_packet = on_packet

    async def write_gatt_char(self, _characteristic: str, command: bytes, _response: bool) -> None:
        """Give the die a command."""
        for packet in self.die.answer(bytes(command)):
            self.deliver(packet)

    def deliver(self, packet: bytes | None) -> None:
        """Deliver a packet; None breaks the connection."""
        if packet is None:
            self.on_packet = None
            self.gone()
        elif self.on_packet is not None:
            self.on_packet(None, bytearray(packet))


@dataclass(slots=True)
class VirtualRadio:
    """A radio in whose reach the virtual `dice` lie."""

    dice: list[VirtualDie]
    faults: tuple[type[Exception], ...] = (NoRadio,)
    _clients: dict[str, VirtualClient] = field(default_factory=dict)

    async def find(self, _seconds: float) -> list[DieFound]:
        """The dice in reach."""
        return [DieFound(die.name, die.name, die.make) for die in self.dice]

    def client(self, found: DieFound, gone: Callable[[], None]) -> VirtualClient:
        """A connection to one of them."""
        (die,) = (one for one in self.dice if one.name == found.name)
        self._clients[die.name] = VirtualClient(die, gone)
        return self._clients[die.name]

    def throw(self) -> None:
        """Throw all dice; may be called from any thread."""
        for die in self.dice:
            self.send(die, die.throw())

    def send(self, die: VirtualDie, packets: Iterator[bytes | None]) -> None:
        """Deliver the packets of a die where its connection runs; without one they are lost."""
        client = self._clients.get(die.name)
        if client is None or client.loop is None:
            return
        for packet in packets:
            client.loop.call_soon_threadsafe(client.deliver, packet)


def virtual_radio(chance: random.Random, faults: DieFaults | None = None) -> VirtualRadio:
    """A radio with one die of each make."""
    return VirtualRadio(
        [
            VirtualDie(GODICE, "GoDice_A1B2C3_K_v04", chance, faults),
            VirtualDie(pixels.PIXELS, "Pixel", chance, faults),
        ]
    )
