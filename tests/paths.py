"""Where test data is: ours, and what is measured on but not kept here.

Tests that use the latter are skipped without it.
"""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
SHARED = Path(os.environ.get("TABLESIDE_SHARED", Path(__file__).parents[2] / "shared"))
RENDERED = SHARED / "data" / "rendered"
STILLS = RENDERED / "stills"
CLIPS = RENDERED / "clips"
REAL = SHARED / "data" / "real"
