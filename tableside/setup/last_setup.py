"""The previous set-ups, with a camera and without, stored beside the record and offered again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from calibration.errors import BadProfile
from calibration.files import write_whole
from calibration.profile import Profile
from engine import EngineError, MatchPlaced
from engine.events.codec import from_json
from engine.rules import find_rules
from engine.ruleset import USUAL
from engine.ruleset_file import with_options
from tableside.paths import board_profile
from webui.contracts.setup import ChosenOptions, GameChoice
from webui.contracts.state import NO_PLACE, PlaceShown, place_of

FORMAT: Final = "tableside setup 1"


@dataclass(frozen=True, slots=True)
class LastSetup:
    """A camera, the board under it, and what was played."""

    address: str
    """The value for `--camera`, which may contain a password; empty for no camera."""
    name: str
    when: float
    """Seconds since 1970."""
    game: GameChoice


class LastSetupStore:
    """Three files named after the record's."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self.board: Final = record.with_name(f"{record.stem}.board.json")
        self._path = record.with_name(f"{record.stem}.setup.json")
        self._path_by_hand = record.with_name(f"{record.stem}.setup-by-hand.json")

    def board_of(self, match: int) -> Path:
        """Where the board of a match is stored."""
        return board_profile(self._record, match)

    def keep(self, last: LastSetup, profile: Profile) -> None:
        """Write a set-up with a camera, readable by its owner only; raises `OSError`."""
        beside = self.board.with_suffix(".new")
        profile.save(beside, mode=0o600)
        beside.replace(self.board)
        _write(self._path, last)

    def keep_by_hand(self, game: GameChoice, when: float) -> None:
        """Write a set-up without a camera; raises `OSError`."""
        _write(self._path_by_hand, LastSetup("", "", when, game))

    def last(self) -> LastSetup | None:
        """The previous set-up with a camera; None if there is none or it cannot be read."""
        return _read(self._path) if self.board.exists() else None

    def game_by_hand(self) -> GameChoice | None:
        """What was played last without a camera; None if nothing was or it cannot be read."""
        last = _read(self._path_by_hand)
        return None if last is None else last.game

    def profile(self) -> Profile | None:
        """The previous board; None if it cannot be read."""
        try:
            return Profile.load(self.board)
        except BadProfile:
            return None


def _write(path: Path, last: LastSetup) -> None:
    game = {name: value for name, value in last.game.items() if name != "goes_on"}
    value = {"format": FORMAT, "address": last.address, "name": last.name, "when": last.when}
    text = json.dumps({**value, **game}, indent=1)
    write_whole(path, f"{text}\n".encode(), mode=0o600)


def _read(path: Path) -> LastSetup | None:
    try:
        return _from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, LookupError, TypeError, RecursionError, EngineError):
        # It only saves typing, so a damaged file is ignored.
        return None


def _from_json(value: dict[str, Any]) -> LastSetup:
    if value["format"] != FORMAT:
        raise ValueError("written by another version")
    options: Any = value.get("options", {})
    if not isinstance(options, dict):
        raise TypeError("damaged")
    game = GameChoice(
        light=value["light"],
        dark=value["dark"],
        length=value["length"],
        variant=value["variant"],
        rules=value["rules"],
        options=cast(ChosenOptions, options),
        goes_on=True,
        place=_place(value.get("place", {})),
    )
    find_rules(game["variant"], with_options(USUAL, game["options"]).game)
    texts = value["address"], value["name"], game["light"], game["dark"], game["rules"]
    if not all(isinstance(text, str) for text in texts) or not isinstance(game["length"], int):
        raise TypeError("damaged")
    return LastSetup(value["address"], value["name"], float(value["when"]), game)


def _place(value: dict[str, Any]) -> PlaceShown:
    """The place, checked like an event's; raises `EngineError`."""
    read = from_json({**value, "type": "placed", "time": 0.0, "frame": 0})
    return place_of(cast(MatchPlaced, read)) or NO_PLACE
