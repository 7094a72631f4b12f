"""Messages in the reader's language; text that is not a message is shown as it is."""

from __future__ import annotations

from typing import Any

from flask.json.provider import DefaultJSONProvider

from engine.message import Message, Sentence, Value
from webui.i18n.locale import gettext, language, number_marks, translations


def translate(sentence: Sentence) -> str:
    """The sentence in the reader's language; without a translation it stays English."""
    if not isinstance(sentence, Message):
        return sentence
    values = {name: _value(value) for name, value in sentence.values.items()}
    return _text(sentence).format_map(values)


def _text(message: Message) -> str:
    number = message.values.get("number")
    if not message.plural or not isinstance(number, int):
        return gettext(message.text)
    return str(translations(language()).ngettext(message.text, message.plural, number))


def _value(value: Value) -> Value | LocalNumber:
    if isinstance(value, Message):
        return translate(value)
    return value if isinstance(value, str) else LocalNumber(value)


class LocalNumber:
    """A number formatted with the separators of the reader's language."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return format(self._value, spec).translate(number_marks(language()))


class MessageJSON(DefaultJSONProvider):
    """JSON with messages in the reader's language."""

    @staticmethod
    def default(value: Any) -> Any:
        """A message as its text; anything else as Flask encodes it."""
        if isinstance(value, Message):
            return translate(value)
        return DefaultJSONProvider.default(value)


def finalized(value: Any) -> Any:
    """How a template shows a value: messages in the reader's language."""
    return translate(value) if isinstance(value, Message) else value
