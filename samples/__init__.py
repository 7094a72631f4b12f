"""The clip that the demo plays, with the truth about it; a package so that it is installed."""

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
CLIP: Final = FOLDER / "short_game.mp4"
TRUTH: Final = FOLDER / "short_game.events.jsonl"


def true_events(kind: str) -> list[dict[str, Any]]:
    """The events of one kind in the clip, as its renderer wrote them."""
    events = map(json.loads, TRUTH.read_text("utf-8").splitlines())
    return [event for event in events if event["event"] == kind]
