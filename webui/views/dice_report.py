"""The report as one page that needs nothing else: to be kept, sent, printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from engine.fairness import Findings
from engine.message import Sentence
from webui.i18n.locale import gettext, language, ngettext
from webui.i18n.messages import translate
from webui.views.dice import dice_shown

WEBUI: Final = Path(__file__).parents[1]


def report_html(found: Findings, *, title: str, notices: Sequence[Sentence] = ()) -> str:
    """The page, in the language that is spoken; it loads nothing, and is dark where the system is.

    title: in that language already; notices are translated here.
    """
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    loader = FileSystemLoader(WEBUI / "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    words: Any = environment  # the extension gives it a method that its type does not know
    words.install_gettext_callables(gettext, ngettext, newstyle=True)
    sheets = [(WEBUI / "static" / name).read_text("utf-8") for name in ("report.css", "dice.css")]
    return environment.get_template("dice_report.html").render(
        shown=dice_shown(found),
        language=language(),
        title=title,
        notices=[translate(notice) for notice in notices],
        sheets=Markup("\n".join(sheets)),  # noqa: S704 (our own files)
    )
