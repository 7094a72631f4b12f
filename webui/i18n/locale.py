"""The language of a response: which one the reader wants, its translations, numbers and dates.

The code is written in English; `translations/` holds a catalog for each other language. The
language is that of `use_language`, else that of the request, else English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

import flask_babel
from babel import Locale, dates, negotiate_locale
from babel.numbers import get_decimal_symbol, get_group_symbol
from babel.support import NullTranslations, Translations
from flask import Flask, redirect, request
from werkzeug.wrappers import Response

FOLDER: Final = Path(__file__).parents[1] / "translations"
SCRIPTS: Final = Path(__file__).parents[1] / "static"
SOURCE: Final = "en"
COOKIE: Final = "tableside-language"
"""Holds the language chosen on the page; without it `Accept-Language` decides."""
COOKIE_SECONDS: Final = 365 * 24 * 3600
PAGES_WITHOUT_SWITCH: Final = ("/api/", "/overlay", "/static/")
"""Under these addresses `lang` is given with every request and not remembered."""
_SCRIPT_TEXT: Final = re.compile(r'\b_\(("(?:[^"\\]|\\.)*")')
_current: Final[ContextVar[str | None]] = ContextVar("language", default=None)

N_ = str
"""Marks a text for extraction; `gettext` translates it where it is shown."""


def _own_name(code: str) -> str:
    name = Locale.parse(code).get_display_name(code) or code
    return name[:1].upper() + name[1:]


LANGUAGES: Final = {
    code: _own_name(code)
    for code in (SOURCE, *sorted(path.parts[-3] for path in FOLDER.glob("*/LC_MESSAGES/*.mo")))
}
"""Each available language's name for itself, by code."""


def language() -> str:
    """The code of the current language."""
    # Asking the request is 20 times slower.
    return _current.get() or str(flask_babel.get_locale() or SOURCE)


@contextmanager
def use_language(code: str) -> Iterator[None]:
    """Make `code` the current language within the block, even outside a request."""
    token = _current.set(code)
    try:
        yield
    finally:
        _current.reset(token)


@cache
def translations(code: str) -> NullTranslations:
    """The catalog of a language; a text without a translation stays English."""
    return Translations.load(FOLDER, [code])


def gettext(text: str, **values: object) -> str:
    """`text` in the current language, with its `%(name)s` placeholders filled in."""
    translated = translations(language()).gettext(text)
    return translated % values if values else translated


def ngettext(one: str, many: str, number: int) -> str:
    """The plural form that goes with `number`, which fills in `%(num)s`."""
    form = translations(language()).ngettext(one, many, number)
    return form % {"num": format_integer(number)}


def npgettext(context: str, one: str, many: str, number: int) -> str:
    """The plural form that goes with `number`, in a context."""
    return translations(language()).npgettext(context, one, many, number) % {"num": number}


def pgettext(context: str, text: str) -> str:
    """`text` in a context, for English words with several translations."""
    return str(translations(language()).pgettext(context, text))


def format_decimal(number: float, digits: int) -> str:
    """The number with this many decimals."""
    return f"{number:,.{digits}f}".translate(number_marks(language()))


def format_integer(number: int) -> str:
    """The number with its thousands separated."""
    return f"{number:,}".translate(number_marks(language()))


@cache
def number_marks(code: str) -> dict[int, str]:
    """For `str.translate`: how a language writes the comma and the point of 1,234.5."""
    return str.maketrans({",": get_group_symbol(code), ".": get_decimal_symbol(code)})


NO_COUNTRIES: Final = ("EU", "EZ", "UN", "QO", "XA", "XB", "ZZ")
"""Codes of two letters for what is no country."""


@cache
def country_codes() -> frozenset[str]:
    """The two letters of ISO 3166 for every country."""
    known = map(str, Locale.parse(SOURCE).territories)
    return frozenset(code for code in known if len(code) == 2 and code.isalpha()) - {*NO_COUNTRIES}


def country_name(code: str) -> str:
    """What a country is called in the current language."""
    return str(Locale.parse(language()).territories.get(code, code))


def format_datetime(when: datetime) -> str:
    """`22 Nov 2026, 10:05`."""
    return dates.format_datetime(when, "d MMM y, HH:mm", locale=language())


def format_date(when: date) -> str:
    """`22 Nov 2026`."""
    return dates.format_date(when, "d MMM y", locale=language())


@cache
def script_texts() -> frozenset[str]:
    """Every text that the browser's scripts translate."""
    sources = (path.read_text("utf-8") for path in SCRIPTS.rglob("*.js"))
    return frozenset(json.loads(text) for code in sources for text in _SCRIPT_TEXT.findall(code))


@cache
def script_translations(code: str) -> str:
    """The translations of the scripts' texts as a JSON object; empty for English."""
    known = {text: translations(code).gettext(text) for text in sorted(script_texts())}
    differing = {text: translated for text, translated in known.items() if translated != text}
    return json.dumps(differing, ensure_ascii=False, separators=(",", ":"))


def system_language(environment: Mapping[str, str]) -> str:
    """The language that the environment names, read like gettext does: `ru` from `ru_RU.UTF-8`."""
    named = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    code = next(filter(None, named), SOURCE).partition("_")[0].partition(".")[0]
    return code if code in LANGUAGES else SOURCE


def install_language(app: Flask) -> None:
    """Respond to each request of `app` in the language that it asks for."""
    flask_babel.Babel(
        app, default_translation_directories=str(FOLDER), locale_selector=requested_language
    )
    app.jinja_env.globals.update(
        language=language,
        languages=LANGUAGES,
        script_translations=script_translations,
        switch_url=switch_url,
    )
    app.before_request(_remember)


def requested_language() -> str:
    """The language in the address, else in the cookie, else in `Accept-Language`."""
    for code in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if code in LANGUAGES:
            return code
    accepted = list(request.accept_languages.values())
    return negotiate_locale(accepted, LANGUAGES, sep="-") or SOURCE


def switch_url(code: str) -> str:
    """The address of this page in another language."""
    return _address({**request.args.to_dict(), "lang": code})


def _address(args: dict[str, str]) -> str:
    """The address of the requested page with other query arguments."""
    # A single slash: after two, a browser reads what follows as another host.
    path = "/" + quote(request.path.lstrip("/"))
    return f"{path}?{urlencode(args)}" if args else path


def _remember() -> Response | None:
    """If the page's address has `lang`, redirect to the one without it and set the cookie."""
    args = request.args.to_dict()
    code = args.pop("lang", None)
    is_page = request.method == "GET" and not request.path.startswith(PAGES_WITHOUT_SWITCH)
    if code is None or not is_page or request.endpoint is None:
        return None
    response = redirect(_address(args))
    if code in LANGUAGES:
        response.set_cookie(COOKIE, code, max_age=COOKIE_SECONDS, samesite="Lax", httponly=True)
    return response
