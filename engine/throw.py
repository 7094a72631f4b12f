"""`Throw`: dice that came to rest together: which roll they show, and whether it counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import dist, prod
from typing import Final

import numpy as np

from engine.dice import ALL_ROLLS
from engine.events import Dice
from engine.evidence import Surface
from engine.looks import SAME_PLACE, DieTrack
from engine.outcomes import PRIOR
from engine.position import Side
from engine.scoring import Scores

NUDGE: Final = 0.15
"""How far a hand may push dice that still count as the same throw, in board widths."""
LONE_DIE: Final = 0.9
"""A single die must be read this surely before it is taken for a throw."""
BAR_HALF: Final = 0.03
"""Half of the bar's width: a die this close to the middle is in neither half for certain."""
SURFACE_TRUST: Final = 0.95
"""How far the reader's word on what a die rests on is believed."""
HALF_ODDS: Final = 30.0
"""Odds that a throw lies in its roller's own half where the rules ask for that."""
UNFIT: Final = {
    Surface.CHECKER: "on_checker",
    Surface.BAR: "off_board",
    Surface.FRAME: "off_board",
    Surface.TABLE: "off_board",
}
_INDEX: Final = {(roll.high, roll.low): i for i, roll in enumerate(ALL_ROLLS)}


@dataclass(frozen=True, slots=True)
class Throw:
    """One or two dice that lie still; one where the other was not seen."""

    tracks: tuple[DieTrack, ...]
    seconds: float
    frame: int

    def rolls(self) -> Scores:
        """(21,) log-probabilities of the rolls, `ALL_ROLLS` order."""
        if not self.tracks:
            return PRIOR.copy()
        faces = [track.faces for track in self.tracks] + [np.full(6, 1 / 6)]
        joint = np.outer(faces[0], faces[1])
        chances = np.zeros(len(ALL_ROLLS))
        for (a, b), chance in np.ndenumerate(joint):
            chances[_INDEX[max(a, b) + 1, min(a, b) + 1]] += chance
        return np.asarray(np.log(chances / chances.sum()), np.float64)

    @property
    def dice(self) -> Dice:
        """The faces as they lie, the larger first; None for a die that was not seen."""
        values = sorted((track.value for track in self.tracks), reverse=True)
        return (values[0] if values else None, values[1] if len(values) > 1 else None)

    @property
    def roller(self) -> Side | None:
        """Whose dice these look like, if they agree."""
        sides = {track.side for track in self.tracks}
        return sides.pop() if len(sides) == 1 else None

    def faults(self, roller: Side | None, light_throws_right: bool | None) -> dict[str, float]:
        """The probability of each reason why the throw would not count."""
        found = dict.fromkeys(("off_board", "on_checker", "cocked", "split", "wrong_half"), 0.0)
        for track in self.tracks:
            reason = UNFIT.get(track.surface)
            if reason is not None:
                found[reason] = SURFACE_TRUST
        fit = [track for track in self.tracks if track.surface not in UNFIT]
        found["cocked"] = 1 - prod(track.flat / track.looks for track in fit)
        halves = {half for track in fit if (half := _is_right_half(track)) is not None}
        found["split"] = SURFACE_TRUST if len(halves) == 2 else 0.0
        if roller is not None and light_throws_right is not None and len(halves) == 1:
            own_half = light_throws_right is (roller is Side.LIGHT)
            found["wrong_half"] = SURFACE_TRUST if halves != {own_half} else 0.0
        return found

    def odds_of(self, side: Side, light_throws_right: bool | None) -> float:
        """The odds that `side` threw it and not the opponent, by the half it lies in."""
        halves = {half for track in self.tracks if (half := _is_right_half(track)) is not None}
        if light_throws_right is None or len(halves) != 1:
            return 1.0
        own_half = light_throws_right is (side is Side.LIGHT)
        return HALF_ODDS if halves == {own_half} else 1 / HALF_ODDS

    def is_still_there(self, seen: tuple[DieTrack, ...]) -> bool:
        """Whether `seen` shows these dice, perhaps pushed a little, perhaps not all of them."""
        partners = [self._partner(track, seen) for track in self.tracks]
        found = [partner for partner in partners if partner is not None]
        return len(found) == len(partners) or 0 < len(found) == len(seen)

    def without(self, seen: tuple[DieTrack, ...]) -> tuple[DieTrack, ...]:
        """The dice of `seen` that are none of these."""
        own = [self._partner(track, seen) for track in self.tracks]
        return tuple(die for die in seen if die not in own)

    def with_tracks(self, seen: tuple[DieTrack, ...]) -> Throw:
        """The throw with another stretch's reading of the same dice pooled in."""
        left = list(seen)
        pooled = []
        for track in self.tracks:
            partner = self._partner(track, tuple(left))
            if partner is not None:
                left.remove(partner)
            pooled.append(track if partner is None else track + partner)
        room = 2 - len(pooled)
        return Throw((*pooled, *left[:room]), self.seconds, self.frame)

    @staticmethod
    def _partner(track: DieTrack, seen: tuple[DieTrack, ...]) -> DieTrack | None:
        """The die of `seen` that is `track`: at its place, or pushed with the same face up."""
        near = [s for s in seen if track.is_at(s, NUDGE if s.value == track.value else SAME_PLACE)]
        return min(near, key=lambda s: dist(s.board, track.board)) if near else None


def _is_right_half(track: DieTrack) -> bool | None:
    x = track.board[0]
    return None if abs(x - 0.5) < BAR_HALF else x > 0.5


def throw_of(dice: tuple[DieTrack, ...], seconds: float, frame: int) -> Throw:
    """The throw of the two dice that are read most surely."""
    ranked = sorted(dice, key=lambda die: (die.looks, float(die.faces.max())), reverse=True)
    return Throw(tuple(ranked[:2]), seconds, frame)


def is_throw(dice: tuple[DieTrack, ...]) -> bool:
    """Whether these dice can be a throw: two, or a certain one, and one of them in the board."""
    if not any(die.surface in (Surface.BOARD, Surface.CHECKER) for die in dice):
        return False
    return len(dice) >= 2 or float(dice[0].faces.max()) >= LONE_DIE
