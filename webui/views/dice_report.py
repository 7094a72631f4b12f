"""The report on dice as one self-contained HTML file, to keep, send or print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.fairness.findings import Findings
from engine.message import Sentence
from webui.views.dice import dice_shown
from webui.views.standalone import render_standalone

WEBUI: Final = Path(__file__).parents[1]
STYLE_SHEETS: Final = ("dice/report.css", "dice/dice.css")


def report_html(found: Findings, *, title: str, notices: Sequence[Sentence] = ()) -> str:
    """The page in the current language, which `title` must already be in."""
    from markupsafe import Markup

    sheets = [(WEBUI / "static" / name).read_text("utf-8") for name in STYLE_SHEETS]
    return render_standalone(
        WEBUI / "templates",
        "dice_report.html",
        shown=dice_shown(found),
        title=title,
        notices=notices,
        sheets=Markup("\n".join(sheets)),  # noqa: S704 (our own files)
    )
