"""`Move` (one checker, one die or more) and `Play` (a whole turn), with notation both ways.

Notation is the standard one: `13/7`, `8/5(2)`, `24/18/13*`, `bar/20`, `6/off`, a star for a hit,
`(no play)` if no move is possible; all numbers from the mover's side.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from engine.errors import InvalidNotation
from engine.message import msg
from engine.position import BAR, OFF, place_number, place_symbol

NO_PLAY: Final = "(no play)"
MAX_MOVES: Final = 4

_TOKEN: Final = re.compile(r"(?P<path>[^()]+)(?:\((?P<times>[1-9]|1\d|2[0-4])\))?")
_PLACE: Final = re.compile(r"(?P<name>bar|off|\d{1,2})(?P<hit>\*?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Move:
    """One checker from one place to a lower one."""

    source: int
    """1..24, or 25 for the bar."""
    target: int
    """1..24, or 0 for off."""
    hit: bool = False
    """Whether a blot is sent to the bar."""

    def __str__(self) -> str:
        return _chain_text(((self.source, False), (self.target, self.hit)))


@dataclass(frozen=True, slots=True)
class Play:
    """The moves of one turn, one for each die played; empty for a forced pass."""

    moves: tuple[Move, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Play:
        """Read standard notation; raises `InvalidNotation`, which says what cannot be read.

        Chains (`24/18/13`) and repeats (`8/5(2)`) become single moves, in order; in repeats, the
        first one hits.
        """
        if not isinstance(text, str):
            raise InvalidNotation(msg("a play must be text, not {name}", name=type(text).__name__))
        if text.strip().lower() in {NO_PLAY, "cannot move"}:
            return cls()
        return cls(
            tuple(
                move
                for token in re.split(r"[\s,;]+", text.strip(" ,;"))
                if token
                for move in _parse_token(token)
            )
        )

    def __str__(self) -> str:
        if not self.moves:
            return NO_PLAY
        chains = sorted(map(_written, _joined(self.moves)), key=attrgetter("order"))
        repeats = Counter(chain.stops for chain in chains)
        if len(repeats) == len(chains):
            return " ".join(chain.text for chain in chains)
        starred = {chain.stops: chain.text for chain in reversed(chains)}
        texts = ((starred[stops], times) for stops, times in repeats.items())
        return " ".join(text if times == 1 else f"{text}({times})" for text, times in texts)


Chain = tuple[tuple[int, bool], ...]


class _Written(NamedTuple):
    """A chain in notation, and what decides about its place among others."""

    text: str
    order: tuple[int, bool, list[int]]
    """From the back of the board forward; of two with the same start, the one that hits first."""
    stops: tuple[int, ...]
    """What two must share to be written with `(2)`: only the first of them can have hit."""


@lru_cache(maxsize=4096)
def _written(chain: Chain) -> _Written:
    """The chain in notation; of the many in a long list of plays, few are different."""
    stops = tuple(place for place, _ in chain)
    order = -stops[0], not any(hit for _, hit in chain), [-place for place in stops]
    return _Written(_chain_text(chain), order, stops)


def _joined(moves: tuple[Move, ...]) -> list[Chain]:
    """The moves of one checker as one chain; intermediate points are kept only if it hits there."""
    chains: list[list[tuple[int, bool]]] = []
    for move in moves:
        source, step = move.source, (move.target, move.hit)
        for chain in chains:
            if chain[-1][0] == source and source not in (OFF, BAR):
                chain.append(step)
                break
        else:
            chains.append([(source, False), step])
    return [
        (first, *[stop for stop in between if stop[1]], last) for first, *between, last in chains
    ]


def _chain_text(chain: Chain) -> str:
    return "/".join(f"{place_symbol(place)}{'*' if hit else ''}" for place, hit in chain)


def _parse_token(word: str) -> Iterator[Move]:
    token = _TOKEN.fullmatch(word)
    stops = [_parse_place(part, word) for part in token["path"].split("/")] if token else []
    if token is None or len(stops) < 2:
        raise InvalidNotation(
            msg("cannot read {word} as a move such as 13/7 or bar/20", word=repr(word[:40]))
        )
    for repeat in range(int(token["times"] or 1)):
        for (source, _), (target, hit) in pairwise(stops):
            if target >= source or source == OFF or target == BAR:
                raise InvalidNotation(msg("{word} does not move forward", word=repr(word[:40])))
            yield Move(source, target, hit and repeat == 0)


def _parse_place(text: str, word: str) -> tuple[int, bool]:
    place = _PLACE.fullmatch(text)
    if place is None:
        raise InvalidNotation(
            msg(
                "cannot read {text} in {word} as a point",
                text=repr(text[:40]),
                word=repr(word[:40]),
            )
        )
    number = place_number(place["name"].lower())
    if number > BAR:
        raise InvalidNotation(
            msg("there is no point {number} in {word}", number=number, word=repr(word[:40]))
        )
    return number, bool(place["hit"])
