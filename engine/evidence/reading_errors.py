"""How often this board is misread, learned from places that nobody touched.

A sharp picture under a good lamp is misread once in a hundred places, a soft or noisy one ten times
as often; this determines how much a reading counts against the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from engine.arrays import Mask

MIN_MISREAD_SHARE: Final = 0.01
"""Fraction of the places, in the best of pictures ..."""
MAX_MISREAD_SHARE: Final = 0.1
"""... and in a picture that is barely worth reading."""
MIN_FALSE_CHANGE_SHARE: Final = 0.018
"""Fraction of untouched places that the comparison of pictures calls changed, at best: 1 in 55, 4
nats ..."""
MAX_FALSE_CHANGE_SHARE: Final = 0.2
"""... and at worst."""
PRIOR_PLACES: Final = 100.0
"""Number of places needed to outweigh the prior, which expects the best: four turns' worth."""
MEMORY: Final = 0.9
"""Weight of earlier evidence when a turn is added: light and focus change within the hour."""


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """The posterior of a proportion, a beta distribution that gradually forgets the past."""

    wrong: float = 0.0
    places: float = 0.0

    def with_places(self, is_wrong: Mask) -> ErrorRate:
        """The rate after a turn; is_wrong: (N,) for each place at which this is known."""
        wrong, places = float(np.count_nonzero(is_wrong)), len(is_wrong)
        return ErrorRate(MEMORY * self.wrong + wrong, MEMORY * self.places + places)

    def share(self, least: float, most: float) -> float:
        """The posterior mean, limited to `least`, which is also the prior's mean, and `most`."""
        mean = (least * PRIOR_PLACES + self.wrong) / (PRIOR_PLACES + self.places)
        return min(max(mean, least), most)


@dataclass(frozen=True, slots=True)
class ReadingErrors:
    """How often counts are misread, and how often pictures show a change where there is none."""

    counts: ErrorRate = ErrorRate()
    changes: ErrorRate = ErrorRate()

    @property
    def misread_share(self) -> float:
        """The probability that the count of a place is misread."""
        return self.counts.share(MIN_MISREAD_SHARE, MAX_MISREAD_SHARE)

    @property
    def max_change_nats(self) -> float:
        """Nats that the comparison of pictures may contribute for one place, at most."""
        share = self.changes.share(MIN_FALSE_CHANGE_SHARE, MAX_FALSE_CHANGE_SHARE)
        return log((1 - share) / share)


NONE_LEARNT: Final = ReadingErrors()
