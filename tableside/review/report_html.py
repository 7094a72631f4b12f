"""`review/index.html`: the open review items of a match on one page that loads only its stills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from engine import Side
from tableside.review.review_items import ReviewItem
from webui.contracts.state import Names
from webui.i18n.locale import format_decimal
from webui.i18n.messages import translate
from webui.views import phrases
from webui.views.replay import sureness
from webui.views.standalone import render_standalone

TEMPLATES: Final = Path(__file__).parent / "templates"


def review_page(
    items: Sequence[ReviewItem], stills: Mapping[int, str], players: Mapping[Side, str]
) -> str:
    """The page in the current language; `stills`: the names of the pictures beside it, by frame."""
    return render_standalone(
        TEMPLATES,
        "review_report.html",
        items=items,
        names=stills,
        players=phrases.players(Names(light=players[Side.LIGHT], dark=players[Side.DARK])),
        words=phrases,
        percent=_percent,
        sureness=sureness,
        translate=translate,
    )


def _percent(confidence: float) -> str:
    """A probability that never claims certainty, with a decimal near 0 and 1."""
    if confidence > 0.999:
        return f"> {format_decimal(99.9, 1)} %"
    digits = 0 if 0.01 <= confidence <= 0.99 else 1
    return f"{format_decimal(100 * confidence, digits)} %"
