"""From the command line to a `Plan`: which rules, which names, which board."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from calibration.profile import Profile
from engine import RULE_SETS, USUAL, RuleSet, load_rule_set
from engine.rules import find_rules
from tableside.errors import WrongUsage
from tableside.session import Plan


def plan_of(args: Namespace) -> Plan:
    """What the options of `transcribe` and `live` say of a match."""
    return Plan(
        rules=find_rules(args.variant),
        light=args.light,
        dark=args.dark,
        length=args.length,
        start=getattr(args, "start", None),
        profile=None if args.profile is None else Profile.load(args.profile),
        rule_set=_rule_set(args.rules),
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
