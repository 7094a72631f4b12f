"""A replay as one self-contained HTML file, which needs neither the program nor a network."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any, Final

from markupsafe import Markup

from webui.contracts.analysis import AnalysisResult
from webui.http.js_bundle import STATIC, join
from webui.i18n.locale import language, script_translations
from webui.i18n.messages import MessageJSON
from webui.views import geometry, phrases, replay
from webui.views.standalone import render_standalone

TEMPLATES: Final = STATIC.parent / "templates"
SHEETS: Final = ("shared/board", "shared/page", "review/replay", "shared/judged")
SHOWN: Final = (
    "id", "kind", "game", "turn", "player", "play", "score", "pips", "is_crawford", "ids", "shown",
)  # fmt: skip
"""What static/review/replay.js reads of a step."""


def replay_file(
    match: replay.ShownMatch, figures: AnalysisResult | None, logo: bytes | None
) -> str:
    """The page with every step of a match that has one; `logo`: the tournament's, as PNG."""
    shown = match["shown"]
    address = "" if logo is None else f"data:image/png;base64,{b64encode(logo).decode()}"
    shown = {**shown, "tournament": {**shown["tournament"], "logo": address}}
    match = {**match, "shown": shown, "doubtful": []}
    drawing = {**match["steps"][0]["shown"], "colours": shown["colours"]}
    return render_standalone(
        TEMPLATES,
        "replay_file.html",
        match=match,
        games=replay.games(match),
        at=0,
        state={"light_home": match["light_home"], "shown": drawing},
        has_analysis=figures is not None,
        board=geometry,
        words=phrases,
        replay=replay,
        words_in_scripts=script_translations(language()),
        sheets=[(name.rpartition("/")[2], _inline(f"{name}.css")) for name in SHEETS],
        theme=_inline("shared/theme.js"),
        script=Markup(join("review/file.js")),  # noqa: S704 (ours)
        data=_data(match, figures),
    )


def _inline(name: str) -> Markup:
    return Markup((STATIC / name).read_text("utf-8"))  # noqa: S704 (ours)


def _data(match: replay.ShownMatch, figures: AnalysisResult | None) -> Markup:
    """What the script reads, in which no text can end the element that it stands in."""
    steps: list[dict[str, Any]] = [
        {name: dict(one)[name] for name in SHOWN} for one in match["steps"]
    ]
    known = {"steps": steps, "shown": match["shown"], "light_home": match["light_home"]}
    text = json.dumps(
        {"match": known, "figures": figures},
        default=MessageJSON.default,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 (no < is left)
