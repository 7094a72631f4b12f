"""The cube in one game: its value, who may turn it, and who must respond to an offer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.formats.model.match_file import CubeAction, CubeMove
from engine.message import Message, msg
from engine.position import SIDE_NAMES, Side

_ANSWERS = {
    CubeAction.TAKE: msg("a take"),
    CubeAction.DROP: msg("a drop"),
    CubeAction.BEAVER: msg("a beaver"),
    CubeAction.RACCOON: msg("a raccoon"),
}


@dataclass(frozen=True, slots=True)
class CubeCheck:
    """The state of the cube; `after` gives the next, `faults` says why an action does not fit."""

    value: int = 1
    owner: Side | None = None
    """None if it is in the middle."""
    must_answer: Side | None = None
    """Who must respond to an offer."""
    offer: CubeAction | None = None
    owner_if_taken: Side | None = None
    """Who owns the cube if the offer is taken."""
    dropped_by: Side | None = None

    def after(self, action: CubeMove) -> CubeCheck:
        """The cube after `action`, whether it fits or not."""
        match action.cube_action:
            case CubeAction.DOUBLE | CubeAction.BEAVER | CubeAction.RACCOON:
                return self._offered(action)
            case CubeAction.TAKE:
                return self._taken()
            case CubeAction.DROP:
                return replace(self, must_answer=None, offer=None, dropped_by=action.side)

    def _offered(self, action: CubeMove) -> CubeCheck:
        # A beaver accepts the double that it responds to; beavers and raccoons leave the cube in
        # place.
        value = self.value * 2 if self.must_answer else self.value
        keeper = self.owner_if_taken if self.must_answer is not None else action.side.other
        if action.cube_action is CubeAction.BEAVER:
            keeper = action.side
        return replace(
            self,
            value=value,
            must_answer=action.side.other,
            offer=action.cube_action,
            owner_if_taken=keeper,
        )

    def _taken(self) -> CubeCheck:
        return CubeCheck(self.value * 2, self.owner_if_taken)

    def rolled(self) -> CubeCheck:
        """The cube once play continues: rolling accepts a beaver."""
        return self._taken() if self.must_answer is not None else self

    def fault_of_roll(self, roller: Side) -> Message | None:
        """What is wrong with a roll at this time; None if nothing is."""
        if self.dropped_by is not None:
            return msg("the game goes on after a drop")
        if self.must_answer is not None and self.offer is CubeAction.DOUBLE:
            return msg(
                "{roller} rolls, but the double has not been answered", roller=SIDE_NAMES[roller]
            )
        return None

    def faults(self, action: CubeMove, is_crawford: bool) -> Iterator[Message]:
        """Why `action` does not fit; a value in the file is compared with the cube."""
        who = SIDE_NAMES[action.side]
        if self.dropped_by is not None:
            yield msg("the game goes on after a drop")
        if action.cube_action is CubeAction.DOUBLE:
            if is_crawford:
                yield msg("{who} doubles in the Crawford game", who=who)
            if self.owner is action.side.other:
                owner = SIDE_NAMES[self.owner]
                yield msg("{who} doubles, but {owner} owns the cube", who=who, owner=owner)
            if self.must_answer is not None:
                yield msg("{who} doubles before the last double has been answered", who=who)
        elif self.must_answer is not action.side:
            answer = _ANSWERS[action.cube_action]
            yield msg(
                "{who} answers with {answer}, but no double was offered", who=who, answer=answer
            )
        due = self.after(action).value * 2
        if action.cube_action.is_offer and action.value not in {0, due}:
            yield msg(
                "the record turns the cube to {action}, but it should be {due}",
                action=action.value,
                due=due,
            )
