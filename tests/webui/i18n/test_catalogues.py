"""Every message of the page is in every catalog, and the compiled catalogs are up to date."""

from __future__ import annotations

import ast
import io
import re
import tomllib
from fnmatch import fnmatch
from gettext import GNUTranslations
from typing import Any

import pytest
from babel.messages.extract import DEFAULT_KEYWORDS, extract, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from tests.paths import ROOT
from webui.i18n.locale import FOLDER, LANGUAGES, SOURCE, script_texts

OTHERS = [code for code in LANGUAGES if code != SOURCE]
NAMES = re.compile(r"%\((\w+)\)s|\{(\w+(?::[^}]*)?)\}")
MARKING = {"gettext": 1, "N_": 1, "msg": 1, "ngettext": 2, "pgettext": 2, "npgettext": 3}
"""Functions that mark a text, and how many of their arguments are part of it."""
HTML = re.compile(r"[<>&\"]")


@pytest.fixture(scope="module")
def said():
    """Every message of code and templates: {(context, message): a file}."""
    with (FOLDER / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    keywords = {**DEFAULT_KEYWORDS, "msg": None}
    found = extract_from_dir(ROOT, methods, options, keywords, callback=None)
    return {(context, message): name for name, _, message, _, context in found}


def catalogue(code):
    path = FOLDER / code / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        return read_po(file, locale=code)


def messages_of(code):
    return {(one.context, one.id): one for one in catalogue(code) if one.id}


def forms(message):
    return message if isinstance(message, (list, tuple)) else (message,)


def names_in(text):
    return {name for pair in NAMES.findall(text) for name in pair if name}


def test_there_is_russian():
    assert LANGUAGES == {"en": "English", "ru": "Русский"}


@pytest.mark.parametrize("code", OTHERS)
def test_no_message_of_code_and_templates_is_missing_and_none_is_left_over(code, said):
    known = {(context, message) for context, message in messages_of(code)}
    assert {key: said[key] for key in said.keys() - known} == {}
    assert known - said.keys() == set()


@pytest.mark.parametrize("code", OTHERS)
def test_every_message_is_translated_and_none_is_a_guess(code):
    doubtful = [
        key
        for key, one in messages_of(code).items()
        if one.fuzzy or not all(forms(one.string or ""))
    ]
    assert doubtful == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_placeholders_of_its_message(code):
    wrong = {}
    for (_, message), one in messages_of(code).items():
        wanted = set().union(*map(names_in, forms(message)))
        for text in forms(one.string):
            if names_in(text) != wanted or text.strip() == "":
                wrong[message] = text
    assert wrong == {}


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_a_form_for_every_number(code):
    count = catalogue(code).num_plurals
    plural = [
        one for (_, message), one in messages_of(code).items() if not isinstance(message, str)
    ]
    assert plural
    assert {len(one.string) for one in plural} == {count}


@pytest.mark.parametrize("code", OTHERS)
def test_no_translation_brings_markup_onto_the_page(code):
    """Templates put messages into attributes too."""
    marked = [
        text
        for (_, message), one in messages_of(code).items()
        for text in forms(one.string)
        if HTML.search(text) and not HTML.search(str(message))
    ]
    assert marked == []


def messages_in(file):
    """Everything but the header, which names the Babel version that wrote it."""
    translations: Any = GNUTranslations(file)
    known = dict(translations._catalog)
    assert known.pop("")
    return known


@pytest.mark.parametrize("code", OTHERS)
def test_what_is_compiled_is_what_is_written(code):
    anew = io.BytesIO()
    write_mo(anew, catalogue(code))
    anew.seek(0)
    with (FOLDER / code / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        compiled, written = (messages_in(one) for one in (file, anew))
    assert compiled == written, "compile it: pybabel compile -d webui/translations"


def test_catalogues_travel_with_an_install():
    with (ROOT / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["webui"]
    for path in FOLDER.glob("*/LC_MESSAGES/*.mo"):
        name = path.relative_to(FOLDER.parent).as_posix()
        assert any(fnmatch(name, pattern) for pattern in patterns)


def test_a_page_brings_every_text_of_the_scripts():
    found = set()
    for path in (ROOT / "webui" / "static").rglob("*.js"):
        options = {"parse_template_string": True}
        with path.open("rb") as file:
            found |= {text for _, text, _, _ in extract("javascript", file, options=options)}
    assert script_texts() == found


def marked_in(path):
    """The messages that the calls of gettext and `msg` in a file name: (context, message)."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            args = node.args[: MARKING.get(node.func.id, 0)]
            texts = [one.value for one in args if isinstance(one, ast.Constant)]
            if texts and len(texts) == len(args):
                context = texts.pop(0) if node.func.id.startswith(("p", "np")) else None
                yield context, texts[0] if len(texts) == 1 else tuple(texts)


@pytest.mark.parametrize(
    "folder", ["engine", "calibration", "vision", "hardware", "tableside", "webui"]
)
def test_every_text_that_code_marks_is_found(folder, said):
    """Babel overlooks calls within an f-string."""
    overlooked = {
        key: path.name
        for path in (ROOT / folder).rglob("*.py")
        for key in marked_in(path)
        if key not in said
    }
    assert overlooked == {}
