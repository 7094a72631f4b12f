"""`tableside completion`: the script that completes commands and options in a shell."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tableside.commands import COMMANDS
from tableside.commands.options import Subparsers, command

SHELLS: Final = ("bash", "zsh", "fish", "tcsh", "powershell")
FOLDERS: Final = ("DIR", "FOLDER")
"""Metavars of options that name a folder."""
FILES: Final = ("VIDEO", "MATCH", "POSITION", "N|URL|FILE", "RATE|FILE")
"""Metavars of options that may name a file, among other things."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside completion` and its argument."""
    parser = command(
        subparsers,
        "completion",
        COMMANDS["completion"],
        "tableside completion bash > ~/.local/share/bash-completion/completions/tableside\n"
        "tableside completion zsh > ~/.zfunc/_tableside     (with ~/.zfunc in your fpath)\n"
        "tableside completion fish > ~/.config/fish/completions/tableside.fish",
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(args: Namespace) -> int:
    """Print the script; return 0."""
    import shtab

    from tableside.cli import build_parser

    parser = build_parser()
    for action in _path_actions(parser):
        is_folder = action.metavar in FOLDERS
        action.complete = shtab.DIRECTORY if is_folder else shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, args.shell))
    return 0


def _path_actions(parser: ArgumentParser) -> Iterator[Action]:
    """The options and arguments of all commands that may name a file or a folder."""
    for action in parser._actions:  # noqa: SLF001 (argparse has no other list of them)
        if action.type is Path or action.metavar in FILES:
            yield action
        elif isinstance(action.choices, dict):
            for subparser in action.choices.values():
                yield from _path_actions(subparser)
