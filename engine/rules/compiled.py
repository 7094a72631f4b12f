"""Compiles the search of every variant: `python -m engine.rules.compiled`, after the installation.

numba keeps the machine code beside the sources; otherwise the first roll of a game would wait for
it for up to twenty seconds.
"""

from __future__ import annotations

from engine.dice import Roll
from engine.position import Side
from engine.rules import VARIANTS, Rules
from engine.rules.legal import can_move, find_play, legal_plays

_ORDINARY = Roll(3, 1)
_DOUBLE = Roll(6, 6)


def compile_all() -> None:
    """Search each variant in every way that a game does."""
    for rules in VARIANTS.values():
        _compile(rules)


def _compile(rules: Rules) -> None:
    position = rules.opening()
    for roll in (_ORDINARY, _DOUBLE):
        after = legal_plays(position, Side.LIGHT, roll, rules)[0].position
        find_play(position, Side.LIGHT, roll, after, rules)
        can_move(position, Side.LIGHT, roll, rules)


if __name__ == "__main__":
    compile_all()
