"""Matches entered by hand, for the pictures: dice and sensible plays."""

from __future__ import annotations

import random
from typing import Any, Final

from tableside.documents.pictures import ask

SEED: Final = 4


class HandTable:
    """A desk at which somebody enters dice and sensible plays."""

    def __init__(self, url: str) -> None:
        self.url, self.chance = url, random.Random(SEED)  # noqa: S311 (a game, not a secret)

    def say(self, word: str) -> None:
        """Press a button of the desk."""
        ask(f"{self.url}/api/desk/word", {"word": word})

    def roll(self) -> None:
        """Enter a roll."""
        dice = [self.chance.randint(1, 6), self.chance.randint(1, 6)]
        if ask(f"{self.url}/api/desk")["telling"]["lots"]:
            dice = [6, 3]
        ask(f"{self.url}/api/desk/roll", {"dice": dice})

    def play(self, turns: int) -> None:
        """Enter some turns: dice, and the play that leaves the fewest blots and the most points."""
        for _ in range(turns):
            if not ask(f"{self.url}/api/desk")["telling"]["dice"]:
                self.roll()
            if ask(f"{self.url}/api/desk")["telling"]["dice"]:  # otherwise it was a pass
                best = max(self._plays(), key=lambda one: _worth(one["position"], self._player))
                ask(f"{self.url}/api/desk/play", {"play": best["play"]})

    def illegal_play(self) -> str:
        """A play of one checker by a number that was not rolled."""
        telling = ask(f"{self.url}/api/desk/plays")
        before, player = telling["before"], telling["player"]
        own, other = before[player], before["dark" if player == "light" else "light"]
        return next(
            f"{start}/{start - number}"
            for number in range(6, 0, -1)
            for start in range(24, number, -1)
            if number not in telling["dice"] and own[start] and not other[25 - start + number]
        )

    def _plays(self) -> list[dict[str, Any]]:
        found = ask(f"{self.url}/api/desk/plays")
        self._player = found["player"]
        return list(found["plays"])


def _worth(position: dict[str, list[int]], player: str) -> float:
    own = position[player]
    made = sum(2.0 - abs(n - 6) / 9 for n in range(1, 25) if own[n] > 1)
    return made - sum(own[n] == 1 for n in range(1, 25)) - 0.1 * max(own)
