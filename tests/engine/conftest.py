"""Lets a test import its helpers as `tests.naive` however pytest was started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
