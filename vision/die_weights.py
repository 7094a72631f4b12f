"""How much each feature of `die_kernels` speaks for a die of each value, in log-odds.

Fitted by maximum likelihood (no die, or one of six values; a small quadratic penalty) on the
odd half of the rendered stills and two of the five clips; never on what the figures report.
Rows: value 1..6. Columns: the features, then a constant.
"""

from __future__ import annotations

from typing import Final

import numpy as np

COARSE: Final = np.array(
    [
        [9.82, 0.00, 3.97, 8.20, 7.26, 0.20, 0.31, 2.00, 1.53, 1.86, 2.64, -22.23],
        [9.90, 0.00, 3.97, 8.20, 7.26, 0.20, 0.31, 1.44, 1.11, 1.86, 2.64, -22.79],
        [9.20, 0.00, 3.97, 8.20, 7.26, 0.20, 0.31, 1.57, 1.00, 1.86, 2.64, -22.64],
        [10.80, 0.00, 3.97, 8.20, 7.26, 0.20, 0.31, 2.75, 2.02, 1.86, 2.64, -21.49],
        [10.59, 0.00, 3.97, 8.20, 7.26, 0.20, 0.31, 3.30, 2.37, 1.86, 2.64, -21.04],
        [9.77, 0.00, 3.97, 8.20, 7.26, 0.20, 0.31, 2.14, 1.56, 1.86, 2.64, -22.02],
    ]
)
"""For the first look, every two pixels and 11 degrees, at the nearest pixels."""

FINE: Final = np.array(
    [
        [9.26, 4.48, 2.41, 4.45, 6.73, 0.81, 1.74, 1.25, 1.66, 0.33, 3.50, -16.24],
        [9.63, 4.61, 2.41, 4.45, 6.73, 0.81, 1.74, 0.67, 1.20, 0.33, 3.50, -16.79],
        [9.24, 4.61, 2.41, 4.45, 6.73, 0.81, 1.74, 0.45, 1.06, 0.33, 3.50, -17.00],
        [9.99, 5.11, 2.41, 4.45, 6.73, 0.81, 1.74, 1.53, 1.65, 0.33, 3.50, -15.98],
        [9.89, 5.10, 2.41, 4.45, 6.73, 0.81, 1.74, 1.70, 1.84, 0.33, 3.50, -15.80],
        [9.50, 4.25, 2.41, 4.45, 6.73, 0.81, 1.74, 0.84, 1.10, 0.33, 3.50, -16.49],
    ]
)
"""For the last look: the log-odds of a die of that value against none."""
