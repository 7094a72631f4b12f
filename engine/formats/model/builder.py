"""A game as a reader puts it together, the same for every format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import (
    Action,
    BoardSet,
    CubeDeed,
    Deed,
    FaultList,
    GameFile,
    Result,
    Rolled,
)
from engine.position import Position, Side

MOST_GAMES: Final = 2000
MOST_ACTIONS: Final = 20_000
"""Of one game; the longest on record has a few hundred. Both bound what a hostile file costs."""


@dataclass(slots=True)
class GameBuilder:
    """Takes what is read in its order; `built` is the game."""

    number: int
    line: int
    faults: FaultList
    score: tuple[int, int] = (0, 0)
    start: Position | None = None
    actions: list[Action] = field(default_factory=list)
    result: Result | None = None
    offer: CubeDeed | None = None
    """The offer that is not answered yet."""

    def add_cube(self, side: Side, deed: Deed, value: int, line: int) -> None:
        """One more deed; a double in answer to a double is a beaver, and so on."""
        if deed is Deed.DOUBLE and self.offer is not None and self.offer.side is not side:
            is_first = self.offer.deed is Deed.DOUBLE
            deed = Deed.BEAVER if is_first else Deed.RACCOON
        elif deed is Deed.BEAVER and self.offer is not None and self.offer.deed is Deed.BEAVER:
            deed = Deed.RACCOON  # gnubg calls both a beaver
        action = CubeDeed(side, deed, value, line)
        self.offer = action if deed.is_offer else None
        self._add(action)

    def add_roll(self, rolled: Rolled) -> None:
        """One more roll; it accepts a beaver, for gnubg writes no word for that."""
        offer, self.offer = self.offer, None
        if offer is not None and offer.deed is not Deed.DOUBLE:
            self._add(CubeDeed(offer.side.other, Deed.TAKE, 0, rolled.line))
        self._add(rolled)

    def _add(self, action: Action) -> None:
        if len(self.actions) >= MOST_ACTIONS:
            what = f"more than {MOST_ACTIONS} actions are no game"
            raise InvalidMatchFile(f"line {action.line}: {what}")
        self.actions.append(action)

    def set_board(self, position: Position, line: int) -> None:
        """The board as the file sets it: the start, what a roll left, or a change by hand."""
        last = self.actions[-1] if self.actions else None
        if last is None:
            self.start = position
        elif isinstance(last, Rolled) and last.moves is None and last.board is None:
            side, roll, text = last.side, last.roll, last.text
            self.actions[-1] = Rolled(side, roll, None, last.line, position, text)
        else:
            self._add(BoardSet(position, line))

    def end(self, winner: Side, points: int, line: int) -> None:
        """Who has won; a fault where that was told otherwise before."""
        if self.result is not None and self.result.winner is not winner:
            self.faults.add(line, f"both sides are said to win game {self.number}")
            return
        self.result = Result(winner, points, line)

    def built(self) -> GameFile:
        """The game as far as it was read."""
        actions = tuple(self.actions)
        return GameFile(self.number, self.score, actions, self.result, self.start, self.line)
