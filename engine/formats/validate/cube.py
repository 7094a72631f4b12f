"""The cube of one game: its value, who may turn it, and what is asked of whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.formats.model.match_file import CubeAction, CubeMove
from engine.position import Side


@dataclass(frozen=True, slots=True)
class CubeCheck:
    """`after` gives the next state; `faults` tells why a deed does not fit this one."""

    value: int = 1
    owner: Side | None = None
    """None: in the centre."""
    asked: Side | None = None
    """Who has to answer an offer."""
    offer: CubeAction | None = None
    keeper: Side | None = None
    """Who owns the cube if the offer is taken."""
    dropped_by: Side | None = None

    def after(self, action: CubeMove) -> CubeCheck:
        """The cube when `action` was done, whether it fits or not."""
        match action.deed:
            case CubeAction.DOUBLE | CubeAction.BEAVER | CubeAction.RACCOON:
                return self._offered(action)
            case CubeAction.TAKE:
                return self._taken()
            case CubeAction.DROP:
                return replace(self, asked=None, offer=None, dropped_by=action.side)

    def _offered(self, action: CubeMove) -> CubeCheck:
        # A beaver takes the double that it answers; it and a raccoon keep the cube where it is.
        value = self.value * 2 if self.asked else self.value
        keeper = self.keeper if self.asked is not None else action.side.other
        if action.deed is CubeAction.BEAVER:
            keeper = action.side
        return replace(self, value=value, asked=action.side.other, offer=action.deed, keeper=keeper)

    def _taken(self) -> CubeCheck:
        return CubeCheck(self.value * 2, self.keeper)

    def rolled(self) -> CubeCheck:
        """The cube when the game went on: a beaver needs no word to be accepted."""
        return self._taken() if self.asked is not None else self

    def unanswered(self, roller: Side) -> str:
        """What is wrong with a roll now; empty if nothing is."""
        if self.dropped_by is not None:
            return "the game goes on after a drop"
        if self.asked is not None and self.offer is CubeAction.DOUBLE:
            return f"{roller.value} rolls, but a double is not answered"
        return ""

    def faults(self, action: CubeMove, is_crawford: bool) -> Iterator[str]:
        """Why `action` does not fit; a value that is told is held against the cube."""
        who = action.side.value
        if self.dropped_by is not None:
            yield "the game goes on after a drop"
        if action.deed is CubeAction.DOUBLE:
            if is_crawford:
                yield f"{who} doubles in the Crawford game"
            if self.owner is action.side.other:
                yield f"{who} doubles, but {self.owner.value} owns the cube"
            if self.asked is not None:
                yield f"{who} doubles while a double is not answered"
        elif self.asked is not action.side:
            yield f"{who} has no offer to answer with a {action.deed.value}"
        due = self.after(action).value * 2
        if action.deed.is_offer and action.value not in {0, due}:
            yield f"the cube is said to be turned to {action.value}, but it is {due}"
