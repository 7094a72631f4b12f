"""A game as a reader assembles it, the same for every format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import (
    Action,
    BoardSet,
    CubeAction,
    CubeMove,
    FaultList,
    GameFile,
    GameResult,
    RollAction,
)
from engine.message import msg
from engine.position import Position, Side

MAX_GAMES: Final = 2000
MAX_ACTIONS: Final = 20_000
"""Per game; the longest on record has a few hundred. Both limits bound the cost of a hostile
file."""


@dataclass(slots=True)
class GameBuilder:
    """Takes what is read in order; `built` is the game."""

    number: int
    line: int
    faults: FaultList
    score: tuple[int, int] = (0, 0)
    start: Position | None = None
    cube: int = 1
    """The cube's value at the start."""
    is_crawford: bool | None = None
    actions: list[Action] = field(default_factory=list)
    result: GameResult | None = None
    offer: CubeMove | None = None
    """The offer that has not been answered yet."""

    def add_cube(self, side: Side, cube_action: CubeAction, value: int, line: int) -> None:
        """Add a cube action; a double in response to a double is a beaver, and so on."""
        if (
            cube_action is CubeAction.DOUBLE
            and self.offer is not None
            and self.offer.side is not side
        ):
            is_first = self.offer.cube_action is CubeAction.DOUBLE
            cube_action = CubeAction.BEAVER if is_first else CubeAction.RACCOON
        elif (
            cube_action is CubeAction.BEAVER
            and self.offer is not None
            and self.offer.cube_action is CubeAction.BEAVER
        ):
            cube_action = CubeAction.RACCOON  # gnubg calls both a beaver
        action = CubeMove(side, cube_action, value, line)
        self.offer = action if cube_action.is_offer else None
        self._add(action)

    def add_roll(self, rolled: RollAction) -> None:
        """Add a roll; it accepts a beaver, because gnubg writes no take of one."""
        offer, self.offer = self.offer, None
        if offer is not None and offer.cube_action is not CubeAction.DOUBLE:
            self._add(CubeMove(offer.side.other, CubeAction.TAKE, 0, rolled.line))
        self._add(rolled)

    def _add(self, action: Action) -> None:
        if len(self.actions) >= MAX_ACTIONS:
            what = f"more than {MAX_ACTIONS} actions in one game"
            raise InvalidMatchFile(f"line {action.line}: {what}")
        self.actions.append(action)

    def set_board(self, position: Position, line: int) -> None:
        """Set the board as the file does: at the start, after a roll, or by hand."""
        last = self.actions[-1] if self.actions else None
        if last is None:
            self.start = position
        elif isinstance(last, RollAction) and last.moves is None and last.board is None:
            side, roll, text = last.side, last.roll, last.text
            self.actions[-1] = RollAction(side, roll, None, last.line, position, text)
        else:
            self._add(BoardSet(position, line))

    def end(self, winner: Side | None, points: int, line: int) -> None:
        """Record the winner; add an error if the file contradicted it earlier."""
        if self.result is not None and self.result.winner is not winner:
            self.faults.add(
                line,
                msg("both sides are recorded as the winner of game {number}", number=self.number),
            )
            return
        self.result = GameResult(winner, points, line)

    def built(self) -> GameFile:
        """The game as far as it has been read."""
        actions = tuple(self.actions)
        return GameFile(
            self.number, self.score, actions, self.result, self.start, self.line, self.cube,
            self.is_crawford,
        )  # fmt: skip
