"""Dice that came to rest together: which roll they show, and whether it counts.

Both players' pairs may lie there at once: `own_pair` finds those of one throw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import dist, prod
from typing import Final

import numpy as np

from engine.dice import ALL_ROLLS
from engine.events.match import Dice, DieAtRest, VoidReason
from engine.evidence.likelihood import Scores
from engine.evidence.observation import Surface
from engine.evidence.still_period import SAME_PLACE, DieTrack
from engine.inference.outcomes import PRIOR
from engine.position import Side
from engine.turns.zones import RollZone

NUDGE: Final = 0.15
"""How far a hand may push dice that still count as the same throw, in board widths."""
LONE_DIE: Final = 0.9
"""A single die must be read this surely to count as a throw."""
BAR_HALF: Final = 0.03
"""Half of the bar's width: a die this close to the middle is in neither half for certain."""
SURFACE_TRUST: Final = 0.95
"""Probability that the surface a die is read to rest on is the true one."""
HALF_ODDS: Final = 30.0
"""Odds that a throw lies in its roller's own half where the rules ask for that."""
KNOWN_FLOOR: Final = 1e-9
"""Probability of another roll than the one that was entered or reported."""
EARLY: Final = "premature"
"""The fault of a throw before the opponent's turn had ended, where such a throw is void."""
_INDEX: Final = {(roll.high, roll.low): i for i, roll in enumerate(ALL_ROLLS)}


@dataclass(frozen=True, slots=True)
class Throw:
    """One or two dice that lie still; one where the other was not seen."""

    tracks: tuple[DieTrack, ...]
    seconds: float
    frame: int
    may_be_opening: bool = False
    """Whether the game has not begun, so that this may be the opening roll."""
    is_early: bool = False
    """Whether it is void as it was thrown before the opponent's turn had ended."""
    known_roll: tuple[int, int] | None = None
    """The roll as it was entered or reported by a cup, the larger first."""

    def rolls(self) -> Scores:
        """(21,) log-probabilities of the rolls, `ALL_ROLLS` order."""
        if self.known_roll is not None:
            chances = np.full(len(ALL_ROLLS), KNOWN_FLOOR)
            chances[_INDEX[self.known_roll]] = 1.0
            return np.asarray(np.log(chances), np.float64)
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
        if self.known_roll is not None:
            return self.known_roll
        values = sorted((track.value for track in self.tracks), reverse=True)
        return (values[0] if values else None, values[1] if len(values) > 1 else None)

    @property
    def lay(self) -> tuple[DieAtRest, ...]:
        """How its dice lay, for the record."""
        return tuple(_lay_of(track) for track in self.tracks)

    @property
    def roller(self) -> Side | None:
        """Whose dice these look like, if they agree."""
        sides = {track.side for track in self.tracks}
        return sides.pop() if len(sides) == 1 else None

    @property
    def is_opening_roll(self) -> bool:
        """Whether it is one die for each player: in both halves, and not both of one colour."""
        return self.may_be_opening and len(self._halves(self.tracks)) == 2 and self.roller is None

    def faults(self, roller: Side | None, zone: RollZone) -> dict[VoidReason, float]:
        """The probability of each reason why the throw would not count."""
        found: dict[VoidReason, float] = {
            "off_board": 0.0, "on_checker": 0.0, "cocked": 0.0, "split": 0.0, "wrong_half": 0.0,
        }  # fmt: skip
        reasons = [zone.void_reason(track.surface, track.board) for track in self.tracks]
        for reason in reasons:
            if reason is not None:
                found[reason] = SURFACE_TRUST
        fit = tuple(t for t, reason in zip(self.tracks, reasons, strict=True) if reason is None)
        found["cocked"] = 1 - prod(track.flat / track.observation_count for track in fit)
        if self.is_early:
            found[EARLY] = SURFACE_TRUST
        return found if self.is_opening_roll else {**found, **self._misplaced(fit, roller, zone)}

    def _misplaced(
        self, fit: tuple[DieTrack, ...], roller: Side | None, zone: RollZone
    ) -> dict[VoidReason, float]:
        halves, own = self._halves(fit), zone.own_half(roller)
        is_split = zone.asks_one_half and len(halves) == 2
        is_wrong = own is not None and len(halves) == 1 and halves != {own}
        return {"split": SURFACE_TRUST * is_split, "wrong_half": SURFACE_TRUST * is_wrong}

    def odds_of(self, side: Side, zone: RollZone) -> float:
        """The odds that `side` threw it and not the opponent, by the half it lies in."""
        halves, own = self._halves(self.tracks), zone.own_half(side)
        if own is None or len(halves) != 1:
            return 1.0
        return HALF_ODDS if halves == {own} else 1 / HALF_ODDS

    def likely_roller(self, zone: RollZone) -> tuple[Side, float] | None:
        """Whose throw it is, by the colour of its dice or else by the half they lie in.

        With the probability that it is: a colour is believed, a half is at `HALF_ODDS`.
        """
        if self.roller is not None:
            return self.roller, 1.0
        for side in Side:
            odds = self.odds_of(side, zone)
            if odds > 1:
                return side, odds / (1 + odds)
        return None

    @staticmethod
    def _halves(tracks: tuple[DieTrack, ...]) -> set[bool]:
        return {half for track in tracks if (half := is_right_half(track)) is not None}

    def count_lying(self, seen: tuple[DieTrack, ...]) -> int:
        """How many of these dice `seen` shows."""
        return sum(partner is not None for partner in self._partners(seen))

    def is_still_there(self, seen: tuple[DieTrack, ...]) -> bool:
        """Whether `seen` shows these dice, perhaps pushed a little, perhaps not all of them."""
        partners = self._partners(seen)
        found = [partner for partner in partners if partner is not None]
        return len(found) == len(partners) or 0 < len(found) == len(seen)

    def without(self, seen: tuple[DieTrack, ...]) -> tuple[DieTrack, ...]:
        """The dice of `seen` that are none of these."""
        own = self._partners(seen)
        return tuple(die for die in seen if die not in own)

    def with_tracks(self, seen: tuple[DieTrack, ...]) -> Throw:
        """The throw with another still period's reading of the same dice pooled in."""
        own = self._matched(seen)
        pooled = [
            old if new is None else old + new for old, new in zip(self.tracks, own, strict=True)
        ]
        others = [die for die in seen if die not in own]
        return replace(self, tracks=(*pooled, *others[: 2 - len(pooled)]))

    def _partners(self, seen: tuple[DieTrack, ...]) -> list[DieTrack | None]:
        """For each of these dice the one of `seen` that it is.

        None of them where two dice lie there of which one is new and the other has moved or shows
        another face: a nudge turns no die over, so both were thrown, and one fell near an old one.
        """
        partners = self._matched(seen)
        pairs = [(old, new) for old, new in zip(self.tracks, partners, strict=True) if new]
        if len(partners) == len(seen) == 2 and len(pairs) == 1:
            (old, new) = pairs[0]
            if not old.is_at(new) or old.value != new.value:
                return [None, None]
        return partners

    def _matched(self, seen: tuple[DieTrack, ...]) -> list[DieTrack | None]:
        """For each of these dice another one of `seen`, or None."""
        left, matched = list(seen), []
        for track in self.tracks:
            found = self._partner(track, tuple(left))
            if found is not None:
                left.remove(found)
            matched.append(found)
        return matched

    @staticmethod
    def _partner(track: DieTrack, seen: tuple[DieTrack, ...]) -> DieTrack | None:
        """The die of `seen` that is `track`: at its place, or pushed with the same face up."""
        near = [s for s in seen if track.is_at(s, NUDGE if s.value == track.value else SAME_PLACE)]
        return min(near, key=lambda s: dist(s.board, track.board)) if near else None


def _lay_of(track: DieTrack) -> DieAtRest:
    return DieAtRest(
        chances=tuple(float(chance) for chance in track.faces),
        place=(float(track.board[0]), float(track.board[1])),
        flat=track.flat / track.observation_count,
        surface=track.surface.value,
        side=track.side,
        appearance=track.appearance,
    )


def is_right_half(track: DieTrack) -> bool | None:
    """Whether a die lies in the half with x > 0.5; None where the bar is too near to tell."""
    x = track.board[0]
    return None if abs(x - 0.5) < BAR_HALF else x > 0.5


def throw_of(dice: tuple[DieTrack, ...], seconds: float, frame: int) -> Throw:
    """The throw of the two dice that are read most surely."""
    ranked = sorted(
        dice, key=lambda die: (die.observation_count, float(die.faces.max())), reverse=True
    )
    return Throw(tuple(ranked[:2]), seconds, frame)


def is_throw(dice: tuple[DieTrack, ...], zone: RollZone) -> bool:
    """Whether these dice can be a throw: two, or a certain one, and one of them in play."""
    on_field = (Surface.BOARD, Surface.CHECKER)
    if not any(d.surface in on_field or zone.void_reason(d.surface, d.board) is None for d in dice):
        return False
    return len(dice) >= 2 or float(dice[0].faces.max()) >= LONE_DIE


Tracks = tuple[DieTrack, ...]


def own_pair(dice: Tracks, roller: Side | None, zone: RollZone) -> tuple[Tracks, Tracks]:
    """The two dice that are `roller`'s by where they lie and by their colour, and the others.

    Of pairs that fit alike it is the one that is read most surely.
    """
    if len(dice) <= 2:
        return dice, ()
    ranked = sorted(dice, key=lambda die: (-die.observation_count, -float(die.faces.max())))
    pairs = combinations(ranked, 2)
    pair: Tracks = min(pairs, key=lambda two: _misfit(two, roller, zone))
    return pair, tuple(die for die in ranked if die not in pair)


def _misfit(pair: Tracks, roller: Side | None, zone: RollZone) -> int:
    """How much speaks against one throw of `roller`: two that are unlike, then whose they are."""
    halves = {half for die in pair if (half := is_right_half(die)) is not None}
    sides = {die.side for die in pair} - {None}
    unlike = (len(halves) > 1) + (len(sides) > 1)
    unfit = sum(zone.void_reason(die.surface, die.board) is not None for die in pair)
    own = None if roller is None else zone.right_half_of(roller)
    foreign = sum(own is not None and is_right_half(die) is not own for die in pair)
    foreign += 2 * sum(roller is not None and die.side is roller.other for die in pair)
    return 4 * unlike + 3 * unfit + foreign
