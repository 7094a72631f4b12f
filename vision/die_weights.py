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
        [3.84, 4.18, 4.76, 8.44, 6.83, -1.28, -0.37, 4.25, 3.56, 1.63, 3.80, -18.46],
        [4.04, 4.40, 4.76, 8.44, 6.83, -1.28, -0.37, 3.93, 3.20, 1.63, 3.80, -18.79],
        [3.47, 4.12, 4.76, 8.44, 6.83, -1.28, -0.37, 3.96, 3.12, 1.63, 3.80, -18.70],
        [4.71, 4.81, 4.76, 8.44, 6.83, -1.28, -0.37, 5.02, 4.14, 1.63, 3.80, -17.76],
        [4.71, 4.87, 4.76, 8.44, 6.83, -1.28, -0.37, 5.30, 4.46, 1.63, 3.80, -17.46],
        [4.01, 3.47, 4.76, 8.44, 6.83, -1.28, -0.37, 4.24, 3.60, 1.63, 3.80, -18.35],
    ]
)
"""For the first look, every 2.5 pixels and 11 degrees."""

FINE: Final = np.array(
    [
        [5.54, 3.41, 2.37, 4.91, 5.93, 0.84, 1.19, 2.21, 2.44, 0.93, 5.05, -12.37],
        [5.96, 3.72, 2.37, 4.91, 5.93, 0.84, 1.19, 1.68, 1.96, 0.93, 5.05, -12.87],
        [5.54, 3.45, 2.37, 4.91, 5.93, 0.84, 1.19, 1.51, 1.74, 0.93, 5.05, -13.02],
        [6.11, 3.81, 2.37, 4.91, 5.93, 0.84, 1.19, 2.45, 2.33, 0.93, 5.05, -12.08],
        [6.16, 3.94, 2.37, 4.91, 5.93, 0.84, 1.19, 2.64, 2.50, 0.93, 5.05, -11.93],
        [5.71, 3.18, 2.37, 4.91, 5.93, 0.84, 1.19, 1.87, 1.96, 0.93, 5.05, -12.55],
    ]
)
"""For the last look: the log-odds of a die of that value against none."""
