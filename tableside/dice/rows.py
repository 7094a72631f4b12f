"""One row per thrown die: player, value, confidence and place, from the events of a match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

import numpy as np

from engine.dice_sets.names import cup_dice, pair_of
from engine.events.cup import BluetoothRolled, CupRolled
from engine.events.match import (
    THROW_EVENTS,
    Dice,
    DiceRolled,
    DiceVoid,
    DieAtRest,
    Event,
    GameStart,
    OpeningRolled,
    PlayMade,
)
from engine.events.record import PlayersNamed
from engine.evidence.observation import DieAppearance
from engine.fairness.rolls import CERTAIN, UNREAD_FACE, DiceLog, Labels
from engine.position import Side

UNKNOWN_PLACE: Final = (float("nan"), float("nan"))
MAX_PLACE_NOISE: Final = 0.01
"""How much the measured place of an untouched die varies at most, in field widths."""


@dataclass(frozen=True, slots=True)
class DieRow:
    """One die of one throw."""

    time: float
    player: str
    """`light` or `dark`, or a name."""
    die: str
    """The name of the die, if known."""
    value: int
    """1..6, or `UNREAD_FACE`."""
    throw: int
    """The number of the throw in its match, from 1."""
    reason: str = ""
    """Why the throw does not count; empty if it does."""
    confidence: float = CERTAIN
    """The probability that `value` is right."""
    place: tuple[float, float] = UNKNOWN_PLACE
    """Field coordinates; NaN if the die was not seen."""
    surface: str = ""
    cup: str = ""
    session: str = ""
    name: str = ""
    """The player's name."""
    appearance: DieAppearance | None = None
    """None if the die was not seen."""
    seen: float = float("nan")
    """The probability of `value` from the picture alone; NaN if the die was not seen."""

    @property
    def is_counted(self) -> bool:
        """Whether the throw counts."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class _Throw:
    """What the dice of a throw have in common."""

    event: Event
    number: int
    session: str
    cup: str = ""
    names: tuple[str, str] = ("", "")
    """The dice in the order of the values, if they have named themselves."""
    reason: str = ""
    sure: float = 0.0
    """The confidence of the whole throw, a lower bound for each of its dice."""


def rows_from_events(events: Iterable[Event], session: str = "") -> Iterator[DieRow]:
    """The dice of a match's effective events in order, including unread ones."""
    events = tuple(events)
    final = final_names(events)
    # Players who change seats after each game keep their names.
    swaps = sum(isinstance(event, GameStart) and event.swapped for event in events)
    names = final
    throws = 0
    made: CupRolled | BluetoothRolled | None = None
    for event in _without_withdrawn(events):
        match event:
            case GameStart():
                swaps -= event.swapped
                names = {side: final[side.other if swaps % 2 else side] for side in Side}
            case CupRolled(unused=None) | BluetoothRolled():
                made = event
            case DiceRolled(by="file") | OpeningRolled(by="file"):
                pass  # rolled with other dice: `tableside dice report FILE` judges them
            case DiceRolled() | DiceVoid():
                throws += 1
                cup, dice = _maker_of(made, event.dice)
                thrown = _Throw(event, throws, session, cup, dice)
                yield from _thrown(event, thrown, names[event.player])
            case OpeningRolled():
                throws += 1
                cup, dice = _maker_of(made, (event.light, event.dark))
                yield from _opening(event, _Throw(event, throws, session, cup, dice), names)
        if isinstance(event, THROW_EVENTS):
            made = None


def final_names(events: Iterable[Event]) -> dict[Side, str]:
    """The players' names at the end of a match: they may have been corrected."""
    names = {Side.LIGHT: "Light", Side.DARK: "Dark"}
    for event in events:
        if isinstance(event, GameStart | PlayersNamed):
            names = {Side.LIGHT: event.light, Side.DARK: event.dark}
    return names


def _without_withdrawn(events: Iterable[Event]) -> list[Event]:
    """The events without rolls that later turned out to be void throws."""
    kept: list[Event] = []
    last: DiceRolled | None = None
    for event in events:
        if isinstance(event, DiceVoid) and last is not None and _is_same_throw(last, event):
            kept.remove(last)
        if isinstance(event, (*THROW_EVENTS, PlayMade)):
            last = event if isinstance(event, DiceRolled) else None
        kept.append(event)
    return kept


def _is_same_throw(rolled: DiceRolled, void: DiceVoid) -> bool:
    """Whether a void throw is the one recorded as a roll before: its dice have not been touched."""
    before, after = (sorted(die.place for die in thrown.dice_at_rest) for thrown in (rolled, void))
    is_same = rolled.player is void.player and len(before) == len(after) > 0
    return is_same and bool(np.abs(np.subtract(before, after)).max() <= MAX_PLACE_NOISE)


def dice_of_cup(cup: str) -> str:
    """The name of an electronic cup's dice, which belong to neither player."""
    return cup_dice(cup[:8])


def _maker_of(made: CupRolled | BluetoothRolled | None, dice: Dice) -> tuple[str, tuple[str, str]]:
    """The cup that has just made that roll, and the names of the dice; empty if not known."""
    unknown = "", ("", "")
    if made is None or sorted(made.dice) != sorted(die for die in dice if die):
        return unknown
    if isinstance(made, CupRolled):
        return made.cup, ("", "")
    first, second = made.names
    return "", (first, second) if made.dice == dice else (second, first)


def _thrown(event: DiceRolled | DiceVoid, throw: _Throw, name: str) -> Iterator[DieRow]:
    if isinstance(event, DiceVoid):
        throw = replace(throw, reason=event.reason, cup="", names=("", ""))
    else:
        throw = replace(throw, sure=event.confidence)
    for die, (value, lay) in zip(
        throw.names, _matched(event.dice, event.dice_at_rest), strict=True
    ):
        yield _row(throw, event.player, name, value, lay, die)


def _opening(event: OpeningRolled, throw: _Throw, names: dict[Side, str]) -> Iterator[DieRow]:
    """One die of each player; only the values tell which of the dice seen is whose."""
    found = _matched((event.light, event.dark), event.dice_at_rest)
    for side, die, (value, lay) in zip(Side, throw.names, found, strict=True):
        sure = 0.0 if lay is not None else CERTAIN
        yield _row(replace(throw, sure=sure), side, names[side], value, lay, die)


def _row(
    throw: _Throw, side: Side, name: str, value: int | None, lay: DieAtRest | None, die: str
) -> DieRow:
    return DieRow(
        time=throw.event.time,
        player=side.value,
        die=dice_of_cup(throw.cup) if throw.cup else die or pair_of(name),
        value=UNREAD_FACE if value is None else value,
        throw=throw.number,
        reason=throw.reason,
        confidence=_confidence(value, lay, throw.sure),
        place=UNKNOWN_PLACE if lay is None else lay.place,
        surface="" if lay is None else lay.surface,
        cup=throw.cup,
        session=throw.session,
        name=name,
        appearance=None if lay is None else lay.appearance,
        seen=float("nan") if lay is None or value is None else lay.chances[value - 1],
    )


def _confidence(value: int | None, lay: DieAtRest | None, least: float) -> float:
    """The probability of `value`, from the picture or from the play made with it.

    least: the lower bound; see `_Throw.sure`.
    """
    if value is None:
        return 0.0
    seen = CERTAIN if lay is None and not least else 0.0 if lay is None else lay.chances[value - 1]
    return float(min(CERTAIN, max(seen, least)))


def _matched(dice: Dice, lay: tuple[DieAtRest, ...]) -> list[tuple[int | None, DieAtRest | None]]:
    """Each die with how it lay, in the order that best fits the readings."""
    seen: list[DieAtRest | None] = [*lay[:2], *([None] * (2 - len(lay[:2])))]
    best = max(permutations(seen), key=lambda order: _fit(dice, order))
    return list(zip(dice, best, strict=True))


def _fit(dice: Dice, order: tuple[DieAtRest | None, ...]) -> float:
    return sum(
        lay.chances[value - 1]
        for value, lay in zip(dice, order, strict=True)
        if value is not None and lay is not None
    )


def log_from_rows(rows: Iterable[DieRow]) -> DiceLog:
    """The rows as columns; players go by their names if known."""
    listed = list(rows)
    starts = [
        before is None or (before.throw, before.session) != (row.throw, row.session)
        for before, row in zip((None, *listed), listed, strict=False)
    ]
    return DiceLog(
        value=np.array([row.value for row in listed], np.int8),
        die=Labels.of(row.die for row in listed),
        player=Labels.of(row.name or row.player for row in listed),
        cup=Labels.of(row.cup for row in listed),
        session=Labels.of(row.session for row in listed),
        throw=np.cumsum(starts, dtype=np.int64),
        counted=np.array([row.is_counted for row in listed], np.bool_),
        reason=Labels.of(row.reason for row in listed),
        confidence=np.array([row.confidence for row in listed], np.float32),
        time=np.array([row.time for row in listed], np.float64),
        place=np.array([row.place for row in listed], np.float32).reshape(-1, 2),
    )
