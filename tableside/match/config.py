"""From the command line to a `MatchConfig`: which rules, which names, which board."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from calibration.profile import Profile
from engine import RULE_SETS, USUAL, MatchState, Phase, Position, RuleSet, load_rule_set
from engine.rules import Rules, find_rules
from tableside.errors import WrongUsage

BETWEEN: Final = (Phase.OVER, Phase.UNFINISHED)
"""Between two games: the board is set up for the next."""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What is known of a match before its first frame."""

    rules: Rules
    light: str = "Light"
    dark: str = "Dark"
    length: int = 0
    start: Position | None = None
    profile: Profile | None = None
    resumed: MatchState | None = None
    rule_set: RuleSet = USUAL
    """How it is refereed; a match that is resumed keeps its own."""
    is_told: bool = False
    """Whether no camera watches: all is told by hand, or by a cup."""

    @property
    def awaited(self) -> Position:
        """The position that the first pictures should show."""
        state = self.resumed
        if state is None or state.position is None or state.phase in BETWEEN:
            return self.start or self.rules.opening()
        return state.position


def plan_of(args: Namespace) -> MatchConfig:
    """What the options of `transcribe` and `live` say of a match."""
    return MatchConfig(
        rules=find_rules(args.variant),
        light=args.light,
        dark=args.dark,
        length=args.length,
        start=getattr(args, "start", None),
        profile=None if args.profile is None else Profile.load(args.profile),
        rule_set=_rule_set(args.rules),
        is_told=getattr(args, "no_camera", False),
    )


def _rule_set(given: Path | None) -> RuleSet:
    """The preset of this name, or the rules of this file; without either, the usual ones."""
    if given is None:
        return USUAL
    if str(given) in RULE_SETS:
        return RULE_SETS[str(given)]
    if not given.exists():
        raise WrongUsage(
            f"there is no rule set and no file {str(given)!r}; --rules takes a TOML file or one of "
            f"{', '.join(RULE_SETS)}"
        )
    return load_rule_set(given)
