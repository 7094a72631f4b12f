"""The argument parser of every command: reports each mistake in one line, with a suggestion."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn


class CommandParser(argparse.ArgumentParser):
    """Accepts only unabbreviated options; reports each mistake in one line with where to look."""

    def __init__(self, **options: Any) -> None:
        options |= {"allow_abbrev": False, "formatter_class": _HelpFormatter}
        super().__init__(**options)

    def error(self, message: str) -> NoReturn:
        """Exit with code 2 and one line instead of the usage text."""
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Like argparse, but report an unknown option first: a required one may be misspelled."""
        known = [name for action in self._actions for name in action.option_strings]
        for option in self._options_in(args or ()):
            if option not in known:
                self.error(f"unknown option {option}{_suggestion(option, known)}")
        found, extra = super().parse_known_args(args, namespace)
        if extra:
            self.error(f"unexpected argument {extra[0]!r}")
        return found, extra

    def _options_in(self, args: Sequence[str]) -> Iterator[str]:
        """The long options in `args` up to the name of a command, to which later ones belong."""
        has_commands = any(action.nargs == argparse.PARSER for action in self._actions)
        for arg in args:
            if arg == "--" or (has_commands and not arg.startswith("-")):
                return
            if arg.startswith("--") and " " not in arg.partition("=")[0]:
                yield arg.partition("=")[0]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Like argparse, but suggest the likeliest choice."""
        if action.choices is None or value in action.choices:
            return
        choices = list(map(str, action.choices))
        if action.nargs == argparse.PARSER:
            self.error(f"unknown command {value!r}{_suggestion(str(value), choices)}")
        raise argparse.ArgumentError(action, f"{value!r} is not one of {', '.join(choices)}")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and examples, and lists commands without a heading."""

    def __init__(self, prog: str, **sizes: Any) -> None:
        super().__init__(prog, **{"max_help_position": 26, **sizes})

    def _format_action(self, action: argparse.Action) -> str:
        if action.nargs != argparse.PARSER:
            return super()._format_action(action)
        self._dedent()
        text = super()._format_action(action)
        self._indent()
        return text.partition("\n")[2]


def _suggestion(wrong: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` if something known has a similar spelling."""
    from difflib import get_close_matches

    close = get_close_matches(wrong, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
