"""Dice that came to rest together: which roll they show, and whether it counts.

Both players' pairs may be on the board at once: `own_pair` finds those of one throw.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from math import dist, log, prod
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.dice import ALL_ROLLS
from engine.events.match import Dice, DieAtRest, VoidReason
from engine.evidence.observation import Surface
from engine.evidence.still_period import SAME_PLACE, DieTrack
from engine.inference.outcomes import PRIOR
from engine.position import Side
from engine.timestamp import Timestamp
from engine.turns.zones import RollZone

MAX_PUSH: Final = 0.15
"""How far a hand may push dice that still count as the same throw, in board widths."""
MIN_LONE_DIE_POSTERIOR: Final = 0.9
"""Posterior that a single die must have to count as a throw."""
HALF_BAR_WIDTH: Final = 0.03
"""A die this close to the middle, in board widths, is in neither half for certain."""
SURFACE_P: Final = 0.95
"""Probability that a die really rests on the surface that was read."""
OWN_HALF_ODDS: Final = 30.0
"""Odds that a throw lies in its roller's own half if the rules require that."""
KNOWN_ROLL_DOUBT: Final = 1e-9
"""Probability of a roll other than the one entered or reported."""
PREMATURE: Final = "premature"
"""The reason of a throw before the opponent's turn had ended, if such a throw is void."""
_INDEX: Final = {(roll.high, roll.low): i for i, roll in enumerate(ALL_ROLLS)}


@dataclass(frozen=True, slots=True)
class Throw:
    """One or two dice at rest; one if the other was not seen."""

    tracks: tuple[DieTrack, ...]
    seconds: float
    frame: int
    may_be_opening: bool = False
    """Whether the game has not begun, so that this may be the opening roll."""
    is_early: bool = False
    """Whether it is void because it was thrown before the opponent's turn had ended."""
    known_roll: tuple[int, int] | None = None
    """The roll as entered or reported by a cup, larger first."""

    @property
    def timestamp(self) -> Timestamp:
        """When it was first seen."""
        return Timestamp(self.seconds, self.frame)

    def rolls(self) -> Floats:
        """(21,) log-probabilities of the rolls, in `ALL_ROLLS` order."""
        if self.known_roll is not None:
            known = np.full(len(ALL_ROLLS), log(KNOWN_ROLL_DOUBT))
            known[_INDEX[self.known_roll]] = 0.0
            return known
        if not self.tracks:
            return PRIOR.copy()
        faces = [track.faces for track in self.tracks] + [np.full(6, 1 / 6)]
        p = np.zeros(len(ALL_ROLLS))
        for (a, b), joint in np.ndenumerate(np.outer(faces[0], faces[1])):
            p[_INDEX[max(a, b) + 1, min(a, b) + 1]] += joint
        return np.asarray(np.log(p / p.sum()), np.float64)

    @property
    def dice(self) -> Dice:
        """The faces on the board, larger first; None for a die that was not seen."""
        if self.known_roll is not None:
            return self.known_roll
        values = sorted((track.value for track in self.tracks), reverse=True)
        high, low = (*values, None, None)[:2]
        return high, low

    @property
    def dice_at_rest(self) -> tuple[DieAtRest, ...]:
        """How its dice lay, for the record."""
        return tuple(
            DieAtRest(
                chances=tuple(track.faces.tolist()),
                place=(float(track.board[0]), float(track.board[1])),
                flat=track.flat / track.observation_count,
                surface=track.surface.value,
                side=track.side,
                appearance=track.appearance,
            )
            for track in self.tracks
        )

    @property
    def roller(self) -> Side | None:
        """Whose dice they look like, if they agree."""
        sides = {track.side for track in self.tracks}
        return sides.pop() if len(sides) == 1 else None

    @property
    def is_opening_roll(self) -> bool:
        """Whether it is one die from each player: in both halves, and not both of one color."""
        return self.may_be_opening and len(_halves(self.tracks)) == 2 and self.roller is None

    def faults(self, roller: Side | None, zone: RollZone) -> dict[VoidReason, float]:
        """The probability of each reason for which the throw would not count."""
        reasons = [zone.void_reason(track.surface, track.board) for track in self.tracks]
        fit = tuple(t for t, reason in zip(self.tracks, reasons, strict=True) if reason is None)
        halves, own = _halves(fit), zone.own_half(roller)
        is_split = zone.asks_one_half and len(halves) == 2
        is_wrong_half = own is not None and len(halves) == 1 and halves != {own}
        found: dict[VoidReason, float] = {
            "off_board": SURFACE_P * ("off_board" in reasons),
            "on_checker": SURFACE_P * ("on_checker" in reasons),
            "cocked": 1 - prod(track.flat / track.observation_count for track in fit),
            "split": SURFACE_P * (is_split and not self.is_opening_roll),
            "wrong_half": SURFACE_P * (is_wrong_half and not self.is_opening_roll),
        }
        return {**found, PREMATURE: SURFACE_P} if self.is_early else found

    def odds_of(self, side: Side, zone: RollZone) -> float:
        """The odds that `side` threw it rather than the opponent, by the half it lies in."""
        halves, own = _halves(self.tracks), zone.own_half(side)
        if own is None or len(halves) != 1:
            return 1.0
        return OWN_HALF_ODDS if halves == {own} else 1 / OWN_HALF_ODDS

    def likely_roller(self, zone: RollZone) -> tuple[Side, float] | None:
        """Whose throw it is, by the color of its dice or else by the half they lie in.

        With the probability that this is right: 1 by color, and by half that of `OWN_HALF_ODDS`.
        """
        if self.roller is not None:
            return self.roller, 1.0
        for side in Side:
            odds = self.odds_of(side, zone)
            if odds > 1:
                return side, odds / (1 + odds)
        return None

    def count_lying(self, seen: tuple[DieTrack, ...]) -> int:
        """How many of these dice `seen` shows."""
        return sum(partner is not None for partner in self._partners(seen))

    def is_still_there(self, seen: tuple[DieTrack, ...]) -> bool:
        """Whether `seen` shows these dice, possibly pushed a little, possibly not all of them."""
        found = self.count_lying(seen)
        return found == len(self.tracks) or 0 < found == len(seen)

    def outlasts(self, seen: tuple[DieTrack, ...]) -> bool:
        """Whether it is one die, which stays while two others are thrown: it was not thrown itself.

        Whoever throws again throws both dice.
        """
        is_lone = len(self.tracks) == 1 and any(map(self.tracks[0].is_same, seen))
        return is_lone and len(self.without(seen)) > 1

    def without(self, seen: tuple[DieTrack, ...]) -> tuple[DieTrack, ...]:
        """The dice in `seen` that are not these."""
        own = self._partners(seen)
        return tuple(die for die in seen if die not in own)

    def with_tracks(self, seen: tuple[DieTrack, ...]) -> Throw:
        """The throw, pooled with another still period's reading of the same dice."""
        own = self._matched(seen)
        pairs = zip(self.tracks, own, strict=True)
        pooled = [old if new is None else old + new for old, new in pairs]
        others = [die for die in seen if die not in own]
        return replace(self, tracks=(*pooled, *others[: 2 - len(pooled)]))

    def _partners(self, seen: tuple[DieTrack, ...]) -> list[DieTrack | None]:
        """For each of these dice, the matching one in `seen`.

        No match at all if there are two dice of which one is new and the other has moved or shows
        another face: a nudge does not turn a die over, so both were thrown, and one fell near an
        old one.
        """
        partners = self._matched(seen)
        pairs = [(old, new) for old, new in zip(self.tracks, partners, strict=True) if new]
        if len(partners) == len(seen) == 2 and len(pairs) == 1:
            (old, new) = pairs[0]
            if not old.is_same(new):
                return [None, None]
        return partners

    def _matched(self, seen: tuple[DieTrack, ...]) -> list[DieTrack | None]:
        """For each of these dice, another in `seen`: at its place, or pushed with the same face."""
        left: list[DieTrack] = list(seen)
        matched = []
        for track in self.tracks:
            near = [s for s in left if track.is_at(s, _reach(track, s))]
            found = min(near, key=lambda s: dist(s.board, track.board), default=None)
            if found is not None:
                left.remove(found)
            matched.append(found)
        return matched


def _reach(track: DieTrack, seen: DieTrack) -> float:
    return MAX_PUSH if seen.value == track.value else SAME_PLACE


def is_right_half(track: DieTrack) -> bool | None:
    """Whether a die is in the half with x > 0.5; None if it is too near the bar to tell."""
    x = track.board[0]
    return None if abs(x - 0.5) < HALF_BAR_WIDTH else x > 0.5


def _halves(tracks: Iterable[DieTrack]) -> set[bool]:
    return {half for track in tracks if (half := is_right_half(track)) is not None}


def throw_of(dice: tuple[DieTrack, ...], seconds: float, frame: int) -> Throw:
    """The throw of the two dice that are read with the greatest certainty."""
    return Throw(tuple(sorted(dice, key=_rank)[:2]), seconds, frame)


def _rank(die: DieTrack) -> tuple[float, float]:
    return -die.observation_count, -float(die.faces.max())


def is_throw(dice: tuple[DieTrack, ...], zone: RollZone) -> bool:
    """Whether these dice can be a throw: two, or one certain one, at least one in play."""
    on_field = (Surface.BOARD, Surface.CHECKER)
    if not any(d.surface in on_field or zone.void_reason(d.surface, d.board) is None for d in dice):
        return False
    return len(dice) >= 2 or float(dice[0].faces.max()) >= MIN_LONE_DIE_POSTERIOR


Tracks = tuple[DieTrack, ...]


def own_pair(dice: Tracks, roller: Side | None, zone: RollZone) -> tuple[Tracks, Tracks]:
    """The two dice that are `roller`'s by position and color, and the others.

    Of equally fitting pairs, it is the one read with the greatest certainty.
    """
    if len(dice) <= 2:
        return dice, ()
    ranked = sorted(dice, key=_rank)
    pair = min(combinations(ranked, 2), key=lambda two: _misfit(two, roller, zone))
    return pair, tuple(die for die in ranked if die not in pair)


def _misfit(pair: Tracks, roller: Side | None, zone: RollZone) -> int:
    """How much speaks against one throw by `roller`: two unlike dice, then their position."""
    sides = {die.side for die in pair} - {None}
    unlike = (len(_halves(pair)) > 1) + (len(sides) > 1)
    unfit = sum(zone.void_reason(die.surface, die.board) is not None for die in pair)
    own = None if roller is None else zone.right_half_of(roller)
    foreign = sum(own is not None and is_right_half(die) is not own for die in pair)
    foreign += 2 * sum(roller is not None and die.side is roller.other for die in pair)
    return 4 * unlike + 3 * unfit + foreign
