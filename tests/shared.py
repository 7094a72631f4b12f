"""Where the data lies that is measured on and not kept here; tests that use it skip without."""

import os
from pathlib import Path

SHARED = Path(os.environ.get("TABLESIDE_SHARED", Path(__file__).parents[2] / "shared"))
RENDERED = SHARED / "data" / "rendered"
STILLS = RENDERED / "stills"
CLIPS = RENDERED / "clips"
REAL = SHARED / "data" / "real"
