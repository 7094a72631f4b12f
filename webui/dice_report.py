"""The report as one page that needs nothing else: to be kept, sent, printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from engine.fairness import Findings
from webui.dice_shown import dice_shown
from webui.language import gettext, language, ngettext
from webui.sentences import told

HERE: Final = Path(__file__).parent


def report_html(found: Findings, *, title: str, notices: Sequence[str] = ()) -> str:
    """The page, in the language that is spoken; it loads nothing, and is dark where the system is.

    title: in that language already; notices: in English, as they come from below.
    """
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    loader = FileSystemLoader(HERE / "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    words: Any = environment  # the extension gives it a method that its type does not know
    words.install_gettext_callables(gettext, ngettext, newstyle=True)
    sheets = [(HERE / "static" / name).read_text("utf-8") for name in ("report.css", "dice.css")]
    return environment.get_template("dice_report.html").render(
        shown=dice_shown(found),
        language=language(),
        title=title,
        notices=[told(notice) for notice in notices],
        sheets=Markup("\n".join(sheets)),  # noqa: S704 (our own files)
    )
