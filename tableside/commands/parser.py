"""What can be said on the command line; each command's options are in an `options_*.py`."""

from __future__ import annotations

import argparse
import logging
from typing import Final, NoReturn

from tableside.commands.options_bench import bench
from tableside.commands.options_dice import cup, dice
from tableside.commands.options_files import check, export, identifiers, plays
from tableside.commands.options_pictures import calibrate, read, transcribe
from tableside.commands.options_table import cameras, demo, live, review

COMMANDS: Final = (
    *(demo, live, review, cameras, transcribe, read, calibrate, plays, bench),
    *(check, export, dice, cup, identifiers),
)
"""In the order of the help."""


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line that says where to look, not the whole usage text."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = _Parser(
        prog="tableside",
        description="A camera over the backgammon board: sees the play, referees it, records it.",
        epilog="start with `tableside demo`; `tableside COMMAND --help` tells the rest",
    )
    top.set_defaults(console_level=logging.WARNING)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    return top
