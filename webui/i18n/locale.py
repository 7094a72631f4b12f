"""The language of a page: which one its reader wants, and words in it.

English is written in the code; `translations/` holds a catalogue for each other language. Words are
looked up when they are said, in the language of the request or of `speaking`; outside of both they
are English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

import flask_babel
from babel import Locale, negotiate_locale
from babel.dates import format_date, format_datetime
from babel.numbers import get_decimal_symbol, get_group_symbol
from babel.support import NullTranslations, Translations
from flask import Flask, redirect, request
from werkzeug.wrappers import Response

FOLDER: Final = Path(__file__).parents[1] / "translations"
SOURCE: Final = "en"
COOKIE: Final = "tableside-language"
"""What was chosen on the page; without it the browser's own wish counts."""
A_YEAR: Final = 365 * 24 * 3600
SCRIPTS: Final = Path(__file__).parents[1] / "static"
MARKED: Final = re.compile(r'\b_\(("(?:[^"\\]|\\.)*")')
"""A text that a script translates."""
PAGES_WITHOUT_SWITCH: Final = ("/api/", "/overlay", "/static/")
"""Under these addresses `lang` is said each time and not remembered."""


def _own_name(code: str) -> str:
    name = Locale.parse(code).get_display_name(code) or code
    return name[:1].upper() + name[1:]


LANGUAGES: Final = {
    code: _own_name(code)
    for code in (SOURCE, *sorted(path.parts[-3] for path in FOLDER.glob("*/LC_MESSAGES/*.mo")))
}
"""Every language that there is, by its code, as its speakers call it."""


Speech = tuple[str, NullTranslations]
"""The code of a language, and its words."""
_spoken: Final[ContextVar[Speech | None]] = ContextVar("spoken", default=None)

N_ = str
"""Marks a text for extraction; `gettext` translates it where it is shown."""


def gettext(text: str, **values: object) -> str:
    """`text` in the language of the reader, its `%(name)s` filled in."""
    said = _speech()[1].gettext(text)
    return said % values if values else said


def ngettext(one: str, many: str, number: int) -> str:
    """The form of the words that goes with `number`, which is their `%(num)s`."""
    return _speech()[1].ngettext(one, many, number) % {"num": whole(number)}


def npgettext(context: str, one: str, many: str, number: int) -> str:
    """The form of the words that goes with `number`, as they are said in a context."""
    return _speech()[1].npgettext(context, one, many, number) % {"num": number}


def pgettext(context: str, text: str) -> str:
    """`text` as it is said in a context, where one English word is several elsewhere."""
    return str(_speech()[1].pgettext(context, text))


def language() -> str:
    """The code of the language that words are in now."""
    return _speech()[0]


def _speech() -> Speech:
    """Of `speaking`, else of the request; looking into the request costs 20 times as much."""
    spoken = _spoken.get()
    return speech(str(flask_babel.get_locale() or SOURCE)) if spoken is None else spoken


@cache
def speech(code: str) -> Speech:
    """A language with its words; what is not translated, and all of the source, is English."""
    return code, Translations.load(FOLDER, [code])


def decimal(number: float, digits: int) -> str:
    """The number with so many decimals, as the language writes it."""
    return f"{number:,.{digits}f}".translate(number_marks(language()))


def whole(number: int) -> str:
    """A number without decimals, its thousands apart as the language sets them."""
    return f"{number:,}".translate(number_marks(language()))


@cache
def number_marks(code: str) -> dict[int, str]:
    """For `str.translate`: what a language writes for the comma and the point of 1,234.5."""
    return str.maketrans({",": get_group_symbol(code), ".": get_decimal_symbol(code)})


def moment(when: object) -> str:
    """`22 Nov 2026, 10:05` of a `datetime`."""
    return format_datetime(when, "d MMM y, HH:mm", locale=language())  # type: ignore[arg-type]


def day(when: date) -> str:
    """`22 Nov 2026`."""
    return format_date(when, "d MMM y", locale=language())


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Words are in the language `code` meanwhile, also where no request is answered."""
    token = _spoken.set(speech(code))
    try:
        yield
    finally:
        _spoken.reset(token)


@cache
def script_texts() -> frozenset[str]:
    """Every text that the browser's scripts translate."""
    sources = (path.read_text("utf-8") for path in SCRIPTS.rglob("*.js"))
    return frozenset(json.loads(text) for source in sources for text in MARKED.findall(source))


@cache
def script_words(code: str) -> str:
    """The translations of the scripts' texts as JSON; none for English."""
    translations = speech(code)[1]
    words = {text: translations.gettext(text) for text in sorted(script_texts())}
    differing = {text: word for text, word in words.items() if word != text}
    return json.dumps(differing, ensure_ascii=False, separators=(",", ":"))


def of_system(environment: Mapping[str, str]) -> str:
    """What the environment says, as gettext reads it: of `ru_RU.UTF-8` what comes first."""
    said = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    code = next(filter(None, said), SOURCE).partition("_")[0].partition(".")[0]
    return code if code in LANGUAGES else SOURCE


def install_language(app: Flask) -> None:
    """Each request of `app` is answered in the language that it asks for."""
    flask_babel.Babel(app, default_translation_directories=str(FOLDER), locale_selector=wanted)
    app.jinja_env.globals.update(
        language=language, languages=LANGUAGES, script_words=script_words, switch_to=switch_to
    )
    app.before_request(_remember)


def wanted() -> str:
    """What the address says, else what was chosen, else what the browser asks for."""
    for code in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if code in LANGUAGES:
            return code
    wishes = list(request.accept_languages.values())
    return negotiate_locale(wishes, LANGUAGES, sep="-") or SOURCE


def switch_to(code: str) -> str:
    """The address of this page that changes it to the language `code`."""
    return _address({**request.args.to_dict(), "lang": code})


def _address(args: dict[str, str]) -> str:
    """Of the page that is asked for, with other arguments."""
    # One slash: with two a browser takes what follows for another host.
    path = "/" + quote(request.path.lstrip("/"))
    return f"{path}?{urlencode(args)}" if args else path


def _remember() -> Response | None:
    """A page that is asked for with `lang` is shown without it, and so are all from then on."""
    args = request.args.to_dict()
    code = args.pop("lang", None)
    is_page = request.method == "GET" and not request.path.startswith(PAGES_WITHOUT_SWITCH)
    if code is None or not is_page or request.endpoint is None:
        return None
    answer = redirect(_address(args))
    if code in LANGUAGES:
        answer.set_cookie(COOKIE, code, max_age=A_YEAR, samesite="Lax", httponly=True)
    return answer
