"""The previous set-up, stored beside the record and offered again."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from calibration.errors import BadProfile
from calibration.profile import Profile
from engine import EngineError
from engine.rules import find_rules

FORMAT: Final = "tableside setup 1"


@dataclass(frozen=True, slots=True)
class LastSetup:
    """A camera, the board under it, and who played what."""

    address: str
    """What `--camera` takes; it may hold a password."""
    name: str
    when: float
    """Seconds since 1970."""
    light: str
    dark: str
    length: int
    variant: str
    rules: str


class LastSetupStore:
    """Two files named after the record's."""

    def __init__(self, record: Path) -> None:
        self.board: Final = record.with_name(f"{record.stem}.board.json")
        self._path = record.with_name(f"{record.stem}.setup.json")

    def keep(self, last: LastSetup, profile: Profile) -> None:
        """Write both files, readable by their owner only; raises `OSError`."""
        beside = self.board.with_suffix(".new")
        profile.save(beside)
        beside.replace(self.board)
        text = json.dumps({"format": FORMAT, **asdict(last)}, indent=1)
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")

    def last(self) -> LastSetup | None:
        """The previous set-up; None if there is none or it cannot be read."""
        try:
            value = json.loads(self._path.read_text("utf-8"))
            return _from_json(value) if self.board.exists() else None
        except (OSError, ValueError, TypeError, EngineError):
            # It only saves typing: a damaged file is ignored.
            return None

    def profile(self) -> Profile | None:
        """The previous board; None if it cannot be read."""
        try:
            return Profile.load(self.board)
        except BadProfile:
            return None


def _from_json(value: Any) -> LastSetup:
    if not isinstance(value, dict) or value.pop("format", None) != FORMAT:
        raise ValueError("another version's")
    last = LastSetup(**value)
    find_rules(last.variant)
    texts = last.address, last.name, last.light, last.dark, last.variant, last.rules
    if not all(isinstance(text, str) for text in texts) or not isinstance(last.length, int):
        raise TypeError("damaged")
    return LastSetup(**{**value, "when": float(last.when)})
