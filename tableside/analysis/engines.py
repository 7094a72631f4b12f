"""Which engine there is: the networks of the package gnubg-nn, else an installed GNU Backgammon."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from engine import find_rules
from engine.arrays import Boards, Floats
from engine.message import join, msg
from tableside.analysis.lookahead import Lookahead
from tableside.analysis.program_engine import ProgramEngine, find_program, program_name
from tableside.analysis.ratings import Engine, Rater
from tableside.errors import NoAnalysis

PACKAGE: Final = "gnubg-nn"
MODULE: Final = "gnubg_nn"
NOT_INSTALLED: Final = join(
    [
        msg(
            "no backgammon engine is installed: `pip install 'tableside[analysis]'`, or GNU "
            "Backgammon (`sudo apt install gnubg` on Debian and Ubuntu)"
        ),
        msg("then restart the program"),
    ]
)


class PackageEngine:
    """The networks in the package gnubg-nn, with our own lookahead and cube.

    Only its evaluation is used: its search for moves ends some processes (1.1.0a11).
    """

    def __init__(self) -> None:
        import gnubg_nn

        self._networks: Any = gnubg_nn
        self.name = _package_name()

    def rater(self, variant: str) -> Rater:
        """See `Engine`."""
        return Lookahead(self.chances, find_rules(variant))

    def chances(self, boards: Boards, plies: int) -> Floats:
        """(N, 5): see `tableside.analysis.lookahead.Evaluate`."""
        found = np.empty((len(boards), 5))
        # It takes the other player first, and no counts of checkers borne off.
        for row, board in enumerate(boards[:, ::-1, 1:].tolist()):
            found[row] = self._networks.probabilities(board, plies)
        return found

    def close(self) -> None:
        """Nothing is left open."""


def has_package() -> bool:
    """Whether gnubg-nn is installed; loads nothing."""
    if find_spec(MODULE) is None:
        return False
    try:
        version(PACKAGE)
    except PackageNotFoundError:
        return False
    return True


def engine_name() -> str | None:
    """The name of what `new_engine` gives; None if no engine is installed."""
    if has_package():
        return _package_name()
    program = find_program()
    return None if program is None else program_name(program)


def new_engine() -> Engine:
    """The package's networks, else GNU Backgammon; raises `NoAnalysis` without either."""
    if has_package():
        return PackageEngine()
    program = find_program()
    if program is None:
        raise NoAnalysis(NOT_INSTALLED)
    return ProgramEngine(program)


def _package_name() -> str:
    return f"{PACKAGE} {version(PACKAGE)}"
