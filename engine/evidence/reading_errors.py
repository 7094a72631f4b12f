"""How often this board is misread, learnt from places that nobody touched.

A sharp picture under a good lamp is misread once in a hundred places, a soft or noisy one ten times
as often; what a reading is worth against the rules follows from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from engine.arrays import Mask

MIN_MISREAD_SHARE: Final = 0.01
"""Of the places, in the best of pictures ..."""
MAX_MISREAD_SHARE: Final = 0.1
"""... and in one that is worth reading at all."""
MIN_FALSE_CHANGE_SHARE: Final = 0.018
"""Of the untouched places that the comparison of pictures calls changed: 1 in 55, 4 nats ..."""
MAX_FALSE_CHANGE_SHARE: Final = 0.2
"""... and at worst."""
PRIOR_PLACES: Final = 100.0
"""As many places as it takes to outweigh the prior, which expects the best: four turns' worth."""
MEMORY: Final = 0.9
"""Weight of what is known when another turn is added: light and focus change within the hour."""


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """The posterior of a share, a beta distribution, in which the past counts less and less."""

    wrong: float = 0.0
    places: float = 0.0

    def with_places(self, is_wrong: Mask) -> ErrorRate:
        """The rate after a turn; is_wrong: (N,) for each place at which it could be told."""
        wrong, places = float(np.count_nonzero(is_wrong)), len(is_wrong)
        return ErrorRate(MEMORY * self.wrong + wrong, MEMORY * self.places + places)

    def share(self, least: float, most: float) -> float:
        """Its mean, between the least, which is also the prior's, and the most that is believed."""
        mean = (least * PRIOR_PLACES + self.wrong) / (PRIOR_PLACES + self.places)
        return min(max(mean, least), most)


@dataclass(frozen=True, slots=True)
class ReadingErrors:
    """How often counts are misread, and how often pictures show a change where there is none."""

    counts: ErrorRate = ErrorRate()
    changes: ErrorRate = ErrorRate()

    @property
    def misread_share(self) -> float:
        """Probability that the count on a place is misread."""
        return self.counts.share(MIN_MISREAD_SHARE, MAX_MISREAD_SHARE)

    @property
    def max_change_nats(self) -> float:
        """What the comparison of pictures may contribute for one place."""
        share = self.changes.share(MIN_FALSE_CHANGE_SHARE, MAX_FALSE_CHANGE_SHARE)
        return log((1 - share) / share)


NONE_LEARNT: Final = ReadingErrors()
