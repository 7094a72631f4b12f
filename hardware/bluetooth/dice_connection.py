"""Two dice with Bluetooth, served by a thread of its own.

The thread finds the dice, connects to each again whenever it is out of reach, and feeds what they
send to the sans-I/O `DicePair`. Throws come out of `throws`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from queue import SimpleQueue
from typing import Final

from engine.message import Sentence, join, message_of, msg
from hardware.bluetooth.pair import DicePair, DiceThrow
from hardware.bluetooth.radio import DieFound, Radio
from hardware.bluetooth.reports import Battery
from hardware.errors import BadFrame, NoRadio

FIND_S: Final = 5.0
RETRY_S: Final = 1.0
"""Pause before a die or a radio that failed is tried again."""
BATTERY_S: Final = 300.0
"""Seconds between two questions for the charge."""
LOW_PERCENT: Final = 15
JOIN_S: Final = 10.0

_LOGGER: Final = logging.getLogger(__name__)


class DiceState(Enum):
    """The dice's state as shown to people."""

    SEARCHING = "searching"
    READY = "ready"
    ROLLING = "rolling"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class DieCharge:
    """The charge of a die's battery in percent; None before it said so."""

    name: str
    percent: int | None

    @property
    def is_low(self) -> bool:
        """Whether it should be charged before the next match."""
        return self.percent is not None and self.percent <= LOW_PERCENT


@dataclass(frozen=True, slots=True)
class DiceView:
    """The dice's state, for display."""

    state: DiceState
    why: Sentence = ""
    charges: tuple[DieCharge, ...] = ()


class DiceConnection:
    """Two dice; `close` it or use it in a `with` statement."""

    def __init__(
        self,
        radio: Radio,
        wanted: Sequence[str] = (),
        *,
        find_s: float = FIND_S,
        retry_s: float = RETRY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """wanted: the names or addresses of both dice, light's first; empty for the nearest two."""
        self.throws: SimpleQueue[DiceThrow] = SimpleQueue()
        self._radio, self._wanted, self._clock = radio, tuple(wanted), clock
        self._find_s, self._retry_s = find_s, retry_s
        self._pair: DicePair | None = None
        self._makes: dict[str, DieFound] = {}
        self._charges: dict[str, int | None] = {}
        self._out_of_reach: set[str] = set()
        self._why: Sentence = msg("searching")
        self._failed: Sentence = ""
        """Why the thread has ended by itself; empty if it has not."""
        self._loop = asyncio.new_event_loop()
        self._serving: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="bluetooth dice", daemon=True)
        self._thread.start()

    @property
    def view(self) -> DiceView:
        """The current state."""
        pair = self._pair
        if pair is None:
            state = DiceState.LOST if self._failed else DiceState.SEARCHING
            return DiceView(state, self._failed or self._why)
        charges = tuple(DieCharge(name, self._charges[name]) for name in pair.names)
        if self._failed:
            return DiceView(DiceState.LOST, self._failed, charges)
        lost = sorted(self._out_of_reach)
        if lost:
            gone = msg("{dice} out of reach", dice=", ".join(lost))
            return DiceView(DiceState.LOST, join([pair.why, gone]) if pair.why else gone, charges)
        state = DiceState.ROLLING if pair.is_rolling else DiceState.READY
        return DiceView(state, pair.why, charges)

    def cocked(self, throw: DiceThrow) -> Sentence:
        """That a die of a throw lies cocked, in its maker's word; empty if none does."""
        return self._makes[throw.cocked].make.cocked(throw.cocked) if throw.cocked else ""

    def close(self) -> None:
        """Free the dice and the radio."""
        with suppress(RuntimeError):  # the loop is closed if the thread has failed
            self._loop.call_soon_threadsafe(self._cancel)
        self._thread.join(JOIN_S)

    def __enter__(self) -> DiceConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # In the dice's thread

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._serving = self._loop.create_task(self._serve())
        try:
            self._loop.run_until_complete(self._serving)
        except asyncio.CancelledError:
            _LOGGER.info("the Bluetooth dice are no longer in use")
        except Exception as error:
            _LOGGER.exception("the Bluetooth dice failed")
            self._failed = msg(
                "the dice have failed: {error}; set them aside, or start the program again",
                error=_reason(error),
            )
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def _cancel(self) -> None:
        if self._serving is not None:
            self._serving.cancel()

    async def _serve(self) -> None:
        dice = await self._found()
        self._makes = {die.name: die for die in dice}
        self._charges = dict.fromkeys(self._makes)
        self._out_of_reach = set(self._makes)
        first, second = self._makes
        self._pair = DicePair((first, second))
        async with asyncio.TaskGroup() as group:
            for die in dice:
                group.create_task(self._hold(die))

    async def _found(self) -> list[DieFound]:
        """Both dice, searched for until they are found."""
        while True:
            try:
                return _chosen(await self._radio.find(self._find_s), self._wanted)
            except NoRadio as error:
                self._why = message_of(error)
            except self._radio.faults as error:
                self._why = msg("Bluetooth does not work: {error}", error=_reason(error))
            await asyncio.sleep(self._retry_s)

    async def _hold(self, die: DieFound) -> None:
        """Stay connected to a die, and connect again whenever it was out of reach."""
        while True:
            try:
                await self._stay(die)
            except self._radio.faults as error:
                _LOGGER.info("no connection to %s: %s", die.name, _reason(error))
            await asyncio.sleep(self._retry_s)

    async def _stay(self, die: DieFound) -> None:
        """Connect to a die and serve it until the connection breaks."""
        gone = asyncio.Event()

        def lost() -> None:
            self._lose(die)
            gone.set()

        client = self._radio.client(die, lost)
        await client.connect()
        try:
            await client.start_notify(
                die.make.notify, lambda _from, packet: self._receive(die, bytes(packet))
            )
            self._out_of_reach.discard(die.name)
            while not gone.is_set():
                await client.write_gatt_char(die.make.write, die.make.battery_command, False)
                try:
                    await asyncio.wait_for(gone.wait(), BATTERY_S)
                except TimeoutError:
                    continue
        finally:
            self._lose(die)
            await client.disconnect()

    def _lose(self, die: DieFound) -> None:
        if self._pair is not None and die.name not in self._out_of_reach:
            self._pair.lost(die.name)
        self._out_of_reach.add(die.name)

    def _receive(self, die: DieFound, packet: bytes) -> None:
        """Process a packet."""
        assert self._pair is not None, "dice are known before they are connected"  # noqa: S101
        try:
            report = die.make.decode(packet)
        except BadFrame as error:
            _LOGGER.warning("%s: %s", die.name, error)
            return
        match report:
            case None:
                pass
            case Battery():
                self._charges[die.name] = report.percent
            case _:
                throw = self._pair.report(die.name, report, self._clock())
                if throw is not None:
                    self.throws.put(throw)


def _chosen(found: list[DieFound], wanted: tuple[str, ...]) -> list[DieFound]:
    """Both dice among those found; raises `NoRadio` if they are not there.

    Dice with the same name, as of new Pixels, are told apart by their addresses.
    """
    names = [die.name for die in found]
    unique = [
        die
        if names.count(die.name) == 1
        else DieFound(f"{die.name} {die.address}", die.address, die.make, die.device)
        for die in found
    ]
    if not wanted:
        if len(unique) < 2:
            seen = ", ".join(die.name for die in unique) or "-"
            raise NoRadio(msg("two dice are needed, in reach: {dice}; wake them up", dice=seen))
        # Reception must not decide whose a die is in the opening roll.
        return sorted(unique[:2], key=lambda die: (die.name, die.address))
    chosen = [die for name in wanted for die in unique if name in (die.name, die.address)]
    missing = [name for name in wanted if not any(name in (d.name, d.address) for d in chosen)]
    if missing:
        raise NoRadio(msg("{die} is not in reach: wake it up", die=missing[0]))
    if len({die.address for die in chosen}) < len(wanted):
        raise NoRadio(
            msg("{first} and {second} are one die: name two", first=wanted[0], second=wanted[1])
        )
    return chosen


def _reason(error: Exception) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
