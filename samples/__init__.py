"""The clip that the demo plays, with the truth about it; a package so that it is installed."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
CLIP: Final = FOLDER / "short_game.mp4"
TRUTH: Final = FOLDER / "short_game.events.jsonl"
