"""From the command line to a `Plan`: which rules, which names, which board."""

from __future__ import annotations

from argparse import Namespace

from calibration.profile import Profile
from engine.rules import find_rules
from tableside.errors import NotBuilt
from tableside.session import Plan


def plan_of(args: Namespace) -> Plan:
    """What the options of `transcribe` and `live` say of a match."""
    if args.rules is not None:
        raise NotBuilt(f"house rules such as {args.rules} are not read yet; leave --rules out")
    return Plan(
        rules=find_rules(args.variant),
        light=args.light,
        dark=args.dark,
        length=args.length,
        start=getattr(args, "start", None),
        profile=None if args.profile is None else Profile.load(args.profile),
    )
