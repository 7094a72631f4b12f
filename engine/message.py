"""Sentences for people as values: an English text with named placeholders, and their values.

The code that shows a message translates it into the reader's language; its text is the key in the
catalogs. `pybabel extract` finds the texts by the calls to `msg`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, Union

Value: TypeAlias = Union[str, int, float, "Message"]


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence; `str(message)` gives it in English."""

    text: str
    """The text, with a name in braces, and optionally a format, for each value: `{share:.1f} %`."""
    values: Mapping[str, Value] = field(default_factory=dict)
    plural: str = ""
    """The text unless the value `number` is 1; empty if one text serves all numbers."""

    def __str__(self) -> str:
        is_plural = self.plural and self.values["number"] != 1
        return (self.plural if is_plural else self.text).format_map(self.values)

    def __hash__(self) -> int:
        return hash(str(self))


Sentence: TypeAlias = Message | str
"""Plain text is shown as it is: names, file names, and sentences of older records."""


def msg(text: str, /, **values: Value) -> Message:
    """The sentence `text` with `values` for its placeholders."""
    return Message(text, values)


def ngettext(one: str, many: str, number: int, /, **values: Value) -> Message:
    """The sentence for `number`, which both texts show as `{number}`.

    It has gettext's name, by which `pybabel extract` knows that there are two texts.
    """
    return Message(one, {"number": number, **values}, many)


def number(value: float, form: str = "{}") -> Message:
    """A number with the separators of the reader's language; `form` as in `str.format`."""
    return Message(form.replace("{", "{number", 1), {"number": value})


def join(parts: Iterable[Sentence], between: str = "; ") -> Message:
    """Several sentences as one; each is translated separately."""
    values = {f"part{number}": part for number, part in enumerate(parts)}
    return Message(between.join(f"{{{name}}}" for name in values), values)


def message_of(error: BaseException) -> Sentence:
    """The message that an error was raised with, else its text in one line."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Message) else " ".join(str(error).split())
