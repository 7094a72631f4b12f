"""Where chances come from: the networks of GNU Backgammon, in one of two ways."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Final, Protocol

import numpy as np

from engine.arrays import Boards, Floats
from engine.message import join, msg
from tableside.analysis.program_evaluator import ProgramEvaluator, find_program, program_name
from tableside.errors import NoAnalysis

PACKAGE: Final = "gnubg-nn"
MODULE: Final = "gnubg_nn"
NOT_INSTALLED: Final = join(
    [
        msg("no backgammon engine is installed: `pip install 'tableside[analysis]'`, or GNU "
            "Backgammon (`sudo apt install gnubg` on Debian and Ubuntu)"),
        msg("then restart the program"),
    ]
)  # fmt: skip


class Evaluator(Protocol):
    """A backgammon engine without a cube or a score."""

    name: str
    """With its version; part of the key of every answer."""

    def chances(self, boards: Boards, plies: int) -> Floats:
        """(N, 5): as `engine.study.cubeful.cube_equities` takes them, for the player on roll.

        boards: (N, 2, 26), the player on roll first; no game is over. plies: 0 or 1.
        """

    def close(self) -> None:
        """Release what it uses."""


class PackageEvaluator:
    """The networks in the package gnubg-nn.

    Only its evaluation is used: its search for moves ends some processes (1.1.0a11).
    """

    def __init__(self) -> None:
        import gnubg_nn

        self._networks: Any = gnubg_nn
        self.name = f"{PACKAGE} {version(PACKAGE)}"

    def chances(self, boards: Boards, plies: int) -> Floats:
        """See `Evaluator`."""
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
    """The name of what `new_evaluator` gives; None if no engine is installed."""
    if has_package():
        return f"{PACKAGE} {version(PACKAGE)}"
    program = find_program()
    return None if program is None else program_name(program)


def new_evaluator() -> Evaluator:
    """The package's networks, else GNU Backgammon's; raises `NoAnalysis` without either."""
    if has_package():
        return PackageEvaluator()
    program = find_program()
    if program is None:
        raise NoAnalysis(NOT_INSTALLED)
    return ProgramEvaluator(program)
