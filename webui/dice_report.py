"""The report as one page that needs nothing else: to be kept, sent, printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.fairness import Findings
from webui.dice_shown import dice_shown

HERE: Final = Path(__file__).parent


def report_html(found: Findings, *, title: str, notices: Sequence[str] = ()) -> str:
    """The page; it loads nothing, and is dark where the reader's system is."""
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    loader = FileSystemLoader(HERE / "templates")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    sheets = [(HERE / "static" / name).read_text("utf-8") for name in ("report.css", "dice.css")]
    return environment.get_template("dice_report.html").render(
        shown=dice_shown(found),
        title=title,
        notices=notices,
        sheets=Markup("\n".join(sheets)),  # noqa: S704 (our own files)
    )
