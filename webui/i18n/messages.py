"""Sentences that come from below in English, told in the language of the reader.

What is recorded or refused is an English sentence, and stays one: the engine knows no languages.
`webui/i18n/extractors.py` collects these sentences out of the code, with a name in braces for what
changes in them, and the catalogues translate them. Here a sentence is recognised again by its
template, and what stood in the braces is put into the translation, itself told if it is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from flask.json.provider import DefaultJSONProvider

from engine.message import Message, Sentence, Value
from webui.i18n.locale import SOURCE, catalogue, language, number_marks

CONTEXT: Final = "sentence\x04"
"""What stands before a sentence in a catalogue, as gettext writes it."""
BETWEEN: Final = "; "
"""What stands between sentences that are told together."""
REMEMBERED: Final = 4096
"""Sentences with their translations: a match has a few hundred."""
_SLOT: Final = re.compile(r"\{(\w+)\}")
_NUMBER: Final = re.compile(r"(\d{1,3}(,\d{3})+(\.\d+)?|\d+\.\d+(e[-+]?\d+)?)( %)?")
"""One with a mark that languages write differently: `1,234`, `0.5`, `26.1 %`."""


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with names in braces for what changes, and its translation."""

    shape: re.Pattern[str]
    names: tuple[str, ...]
    translation: str
    weight: int
    """Letters that do not change: of several that fit, the one with the most is meant."""


def translate(sentence: Sentence) -> str:
    """The sentence in the reader's language; one without a translation stays English."""
    code = language()
    if code == SOURCE:
        return str(sentence)
    return _of_message(code, sentence) if isinstance(sentence, Message) else _told(code, sentence)


def _of_message(code: str, message: Message) -> str:
    text = _translation(code, message.text) or BETWEEN.join(
        _translation(code, part) or part for part in message.text.split(BETWEEN)
    )
    return text.format_map({name: _value(code, one) for name, one in message.values.items()})


def _translation(code: str, text: str) -> str | None:
    known = catalogue(code)
    return known.get(CONTEXT + text) or known.get(text)


def _value(code: str, value: Value) -> Value:
    match value:
        case Message():
            return _of_message(code, value)
        case str():
            return _told(code, value)
        case float():
            return _LocalFloat(code, value)
    return value


class MessageJSON(DefaultJSONProvider):
    """JSON with messages in the reader's language."""

    @staticmethod
    def default(value: Any) -> Any:
        """A message as its text; else as Flask does it."""
        if isinstance(value, Message):
            return translate(value)
        return DefaultJSONProvider.default(value)


def finalized(value: Any) -> Any:
    """What a template shows of a value: a message in the reader's language."""
    return translate(value) if isinstance(value, Message) else value


class _LocalFloat(float):
    """A number that formats with the marks of a language."""

    marks: dict[int, str]

    def __new__(cls, code: str, value: float) -> _LocalFloat:
        number = super().__new__(cls, value)
        number.marks = number_marks(code)
        return number

    def __format__(self, spec: str) -> str:
        return super().__format__(spec).translate(self.marks)


@lru_cache(REMEMBERED)
def _told(code: str, sentence: str) -> str:
    known = catalogue(code).get(CONTEXT + sentence)
    if known:
        return known
    if BETWEEN in sentence:
        return BETWEEN.join(_told(code, part) for part in sentence.split(BETWEEN))
    for template in templates(code):
        found = template.shape.fullmatch(sentence)
        if found is not None:
            return _filled(code, template, found.groups())
    # `camera 0: it gives no picture`: what something is, and what is said of it.
    head, mark, rest = sentence.partition(": ")
    return _told(code, head) + mark + _told(code, rest) if mark else _number(code, sentence)


def _filled(code: str, template: Template, found: tuple[str, ...]) -> str:
    values = {name: _told(code, text) for name, text in zip(template.names, found, strict=True)}
    return _SLOT.sub(lambda slot: values[slot[1]], template.translation)


def _number(code: str, text: str) -> str:
    """A number as the language writes it; all else as it is."""
    return text.translate(number_marks(code)) if _NUMBER.fullmatch(text) else text


@cache
def templates(code: str) -> tuple[Template, ...]:
    """Those of a language with something that changes in them, the plainest first."""
    known = catalogue(code).items()
    sentences = ((key.removeprefix(CONTEXT), text) for key, text in known if CONTEXT in key)
    found = (_template(text, told_as) for text, told_as in sentences if "{" in text)
    return tuple(sorted(found, key=lambda one: -one.weight))


def _template(text: str, translation: str) -> Template:
    names = tuple(_SLOT.findall(text))
    shape = "".join(_pieces(text))
    return Template(re.compile(shape, re.DOTALL), names, translation, len(_SLOT.sub("", text)))


def _pieces(text: str) -> Iterator[str]:
    for number, piece in enumerate(_SLOT.split(text)):
        # Every other piece is a name that the braces held.
        yield "(.+?)" if number % 2 else re.escape(piece)
