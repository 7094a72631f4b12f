"""What is kept of simulated matches, and the file in which a long run keeps it to be resumed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from calibration.files import write_whole
from engine.ruleset import GameOptions
from engine.ruleset_file import game_options_json
from engine.simulation.score import RefereeScore
from engine.simulation.trial import Trial, TrialConditions
from tableside.errors import StoreError


class TrialKey(NamedTuple):
    """Which match of a run."""

    seed: int
    games: int


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What is kept of one simulated match."""

    score: RefereeScore
    faults: tuple[dict[str, Any], ...]
    """Every error, as in `referee.json`."""

    @classmethod
    def of(cls, trial: Trial) -> TrialResult:
        """The counts and errors of a trial."""
        return cls(trial.score, tuple(_faults(trial)))


def _faults(trial: Trial) -> list[dict[str, Any]]:
    return [
        {
            "seed": trial.seed,
            "turn": number,
            "true": pair.true and f"{pair.true.side.value} {pair.true.dice} {pair.true.after}",
            "slip": pair.true and pair.true.breach and pair.true.breach.value,
            "recorded": (one := pair.recorded)
            and f"{one.player.value} {one.dice} {one.play} {one.position}",
            "illegal": pair.is_recorded_illegal,
            "review": pair.is_for_review,
        }
        for number, pair in trial.errors
    ]


class TrialLog:
    """Results by match; with a file, one JSON line for each match, written when it is judged."""

    def __init__(
        self, path: Path | None, conditions: TrialConditions, options: GameOptions
    ) -> None:
        """`path`: the file, which may have matches of other conditions or variants too.

        Raises `StoreError` if it cannot be read or is another kind of file.
        """
        self._path = path
        self._about = {"conditions": asdict(conditions), "game": game_options_json(options)}
        self.results = {} if path is None else self._read(path)

    def _read(self, path: Path) -> dict[TrialKey, TrialResult]:
        try:
            text = path.read_text("utf-8") if path.exists() else ""
            rows = [json.loads(line) for line in text.splitlines(keepends=True) if line[-1] == "\n"]
            known = {
                TrialKey(row["seed"], row["games"]): TrialResult(
                    RefereeScore(**row["score"]), tuple(row["faults"])
                )
                for row in rows
                if row["about"] == self._about
            }
            if not text.endswith("\n") and text:  # a line that was cut off when the program ended
                write_whole(path, text[: text.rfind("\n") + 1].encode())
        except OSError as error:
            raise StoreError(f"{path}: cannot be used: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{path}: is not a log of simulated games") from error
        return known

    def add(self, key: TrialKey, result: TrialResult) -> None:
        """Keep the result of a match; raises `StoreError` if it cannot be written."""
        self.results[key] = result
        if self._path is None:
            return
        score = asdict(result.score)
        row = {**key._asdict(), "about": self._about, "score": score, "faults": result.faults}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be written: {error.strerror}") from error
