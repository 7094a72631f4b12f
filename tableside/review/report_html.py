"""`review/index.html`: everything doubtful of a match on one page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from engine import PlayMade, Side
from tableside.review.review_items import ItemStill, ReviewItem
from tableside.review.stills import StoredStill
from vision.reading.labels import PictureLabel
from webui.contracts.state import Names
from webui.i18n.locale import decimal, gettext, language, ngettext
from webui.i18n.messages import translate
from webui.views import phrases as words

GENERATOR: Final = '<meta name="generator" content="Tableside">'
"""By which a page is known as ours."""
WIDE: Final = 1280
"""Units across a drawing over a still."""
CHIP: Final = 23
"""Units of a mark's radius: two points next to each other have room for theirs."""
CLOSE: Final = 64
"""Units of the square that is cut out around a die."""
SURE_FROM, DOUBTFUL_FROM = 0.99, 0.8
SURE, DOUBTFUL, UNSURE = "#5acd78", "#fabe28", "#eb4646"
INK, PAPER = "#16181c", "#faf8f4"

_STYLE: Final = """
:root { --ground: #f3efe8; --panel: #fffdf9; --ink: #211d18; --soft: #655d52; --line: #ded6c8;
  --accent: #1d6b5f; --bar: #1d6b5f2b; --warn: #8a4b00; --warn-ground: #ffe9c2; --bad: #a01225;
  --bad-ground: #ffe3e3; color-scheme: light dark; color: var(--ink); background: var(--ground);
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --panel: #1e2126; --ink: #f2eee7;
  --soft: #aaa398; --line: #343940; --accent: #6fcdbb; --bar: #6fcdbb33; --warn: #ffc765;
  --warn-ground: #3b2a0c; --bad: #ff9d9d; --bad-ground: #45161b; } }
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1360px; padding: 24px clamp(12px, 3vw, 32px) 48px; }
h1, h2, h3, p, ul, figure { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; letter-spacing: -0.01em; }
h2 { font-size: 1.12rem; }
h3 { font-size: 0.78rem; font-weight: 650; text-transform: uppercase; letter-spacing: 0.06em;
  color: var(--soft); margin-bottom: 6px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.lead { color: var(--soft); margin: 4px 0 14px; }
label { display: inline-flex; gap: 8px; align-items: center; cursor: pointer; }
#marks { accent-color: var(--accent); width: 18px; height: 18px; margin: 0 8px 0 0;
  vertical-align: -4px; }
#marks:not(:checked) ~ main .shot svg { display: none; }
.key { display: inline-flex; flex-wrap: wrap; gap: 2px 14px; margin-left: 18px;
  color: var(--soft); font-size: 0.92rem; }
.key i { display: inline-block; width: 13px; height: 13px; margin-right: 6px;
  border: 3px solid var(--ring); border-radius: 50%; vertical-align: -1px; }
article { background: var(--panel); border: 1px solid var(--line); border-radius: 14px;
  box-shadow: 0 1px 2px #2b20100f, 0 6px 20px #2b201012; margin-top: 18px; overflow: hidden; }
article header { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline;
  padding: 14px 18px; }
.when { margin-left: auto; color: var(--soft); font-variant-numeric: tabular-nums; }
.kind { font-size: 0.85rem; font-weight: 650; padding: 2px 11px; border-radius: 99px;
  background: var(--warn-ground); color: var(--warn); }
.illegal .kind { background: var(--bad-ground); color: var(--bad); }
.body { display: grid; gap: 1px; background: var(--line); border-top: 1px solid var(--line); }
.body > * { background: var(--panel); min-width: 0; }
.shot a { display: block; position: relative; background: #000; }
.shot img, .shot svg { display: block; width: 100%; height: auto; }
.shot svg { position: absolute; inset: 0; height: 100%; }
.dice ul { display: flex; flex-wrap: wrap; gap: 14px; font-size: 0.92rem; }
.dice svg { display: block; width: 120px; height: 120px; border-radius: 8px; margin-bottom: 4px; }
figcaption { padding: 8px 18px 10px; color: var(--soft); font-size: 0.92rem; }
.words { padding: 14px 18px 18px; display: grid; gap: 16px 32px; align-content: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 270px), 1fr)); }
.words ul { list-style: none; }
.why li::first-letter { text-transform: uppercase; }
.why li + li { margin-top: 4px; }
.plays li { display: flex; gap: 12px; padding: 3px 10px; border-radius: 6px; margin: 0 -10px 3px;
  background: linear-gradient(90deg, var(--bar) var(--p), transparent var(--p)); }
.plays span:last-child { margin-left: auto; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.plays em { color: var(--soft); font-style: normal; }
text { font: 650 27px system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  text-anchor: middle; dominant-baseline: central; }
@media (min-width: 900px) {
  .two { grid-template-columns: 1fr 1fr; } .two .words { grid-column: 1 / -1; }
  .one { grid-template-columns: 1fr 1fr; }
}
@media (max-width: 520px) { .key { margin: 8px 0 0; } .when { margin-left: 0; width: 100%; } }
@media print { article { break-inside: avoid; box-shadow: none; } }
"""


def review_page(
    things: Sequence[ReviewItem], stills: Mapping[int, str], players: Mapping[Side, str]
) -> str:
    """The page, in the language that is spoken; `stills`: by frame, the pictures beside it."""
    named = words.players(Names(light=players[Side.LIGHT], dark=players[Side.DARK]))
    names = escape(gettext("%(light)s and %(dark)s", light=named["light"], dark=named["dark"]))
    players = {side: named[side.value] for side in Side}
    count = ngettext("%(num)s thing to look at.", "%(num)s things to look at.", len(things))
    articles = "\n".join(_article(one, stills, players) for one in things)
    return f"""<!doctype html>
<html lang="{language()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{GENERATOR}
<title>({len(things)}) {gettext("Review")} · {names}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{names}</h1>
<p class="lead">{count} {gettext("Nothing else is doubtful.")}</p>
<input type="checkbox" id="marks" checked><label for="marks">{gettext("Show what was read")}</label>
<p class="key">{gettext("The ring tells how surely:")}
<span><i style="--ring: {SURE}"></i>{gettext("over %(share)s", share="99 %")}</span>
<span><i style="--ring: {DOUBTFUL}"></i>{gettext("over %(share)s", share="80 %")}</span>
<span><i style="--ring: {UNSURE}"></i>{gettext("less")}</span></p>
<main>
{articles}
</main>
</body>
</html>
"""


def _article(one: ReviewItem, stills: Mapping[int, str], players: Mapping[Side, str]) -> str:
    shots = [shot for shot in one.stills if shot.still.frame in stills]
    figures = "\n".join(_figure(shot, stills[shot.still.frame]) for shot in shots)
    columns = ("none", "one", "two")[len(shots)]
    told_of_it = "".join(_words(one, shots[0] if shots else None, stills))
    place = gettext("Game %(number)s", number=one.game)
    if one.turn is not None:
        place += f" · {gettext('Turn %(number)s', number=one.turn)}"
    frame = gettext("frame %(number)s", number=one.event.frame)
    return f"""<article class="{one.kind}">
<header><h2>{_title(one, players)}</h2><span class="kind">{words.review_title(one.kind)}</span>
<span class="when">{place} · {words.clock(one.event.time)} · {frame}</span></header>
<div class="body {columns}">
{figures}
<div class="words">{told_of_it}</div>
</div>
</article>"""


def _title(one: ReviewItem, players: Mapping[Side, str]) -> str:
    """Who, what was thrown, and what is told of it."""
    if one.player is None:
        return gettext("The game") if one.kind == "unfinished" else gettext("The board")
    dice = f" {words.dice(list(one.dice))}" if one.dice else ""
    play = f": {escape(words.play(one.event.play))}" if isinstance(one.event, PlayMade) else ""
    return f"{escape(players[one.player])}{dice}{play}"


def _words(one: ReviewItem, shot: ItemStill | None, stills: Mapping[int, str]) -> Iterator[str]:
    """`shot`: where its dice lie."""
    rule = gettext("it breaks a rule: %(rule)s", rule=translate(one.rule))
    why = [*([rule] if one.rule else []), *map(translate, one.why)]
    if why:
        yield _section(
            "why", gettext("Why it is here"), [f"<li>{escape(text)}</li>" for text in why]
        )
    if isinstance(one.event, PlayMade):
        made = one.event
        first = _option(made.play, made.confidence, f" <em>{gettext('told')}</em>")
        others = [_option(other.play, other.confidence) for other in made.alternatives]
        title = gettext("What it can have been") if others else gettext("What is told")
        yield _section("plays", title, [first, *others])
    dice = [] if shot is None else [_close_up(m, shot.still, stills) for m in shot.still.dice_marks]
    if dice:
        yield _section("dice", gettext("The dice, close up"), dice)


def _section(name: str, title: str, items: Iterable[str]) -> str:
    return f'<section class="{name}"><h3>{title}</h3><ul>{"".join(items)}</ul></section>'


def _option(play: str, confidence: float, note: str = "") -> str:
    return (
        f'<li style="--p: {100 * confidence:.1f}%"><span>{escape(words.play(play))}{note}</span>'
        f"<span>{_percent(confidence)}</span></li>"
    )


def _figure(shot: ItemStill, name: str) -> str:
    width, height = shot.still.size
    caption = f"{escape(translate(shot.shows))}, {words.clock(shot.still.seconds)}"
    return f"""<figure class="shot"><a href="{name}">
<img src="{name}" width="{width}" height="{height}" loading="lazy" alt="{caption}">
{_drawing(shot.still)}</a>
<figcaption>{caption}</figcaption></figure>"""


def _drawing(moment: StoredStill) -> str:
    """The marks over a still."""
    width, height = moment.size
    tall = round(WIDE * height / width)
    chips = "".join(_chip(mark, tall) for mark in moment.marks)
    return f'<svg viewBox="0 0 {WIDE} {tall}" aria-hidden="true">{chips}</svg>'


def _chip(mark: PictureLabel, tall: int) -> str:
    x, y = round(mark.x * WIDE), round(mark.y * tall)
    rim = SURE if mark.sure >= SURE_FROM else DOUBTFUL if mark.sure >= DOUBTFUL_FROM else UNSURE
    fill, ink = (INK, PAPER) if mark.kind == "dark" else (PAPER, INK)
    if mark.kind == "die":  # beside it, so that its pips can be compared
        y += -2 * CHIP if y > 3 * CHIP else 2 * CHIP
        corner = f'x="{x - CHIP}" y="{y - CHIP}" width="{2 * CHIP}" height="{2 * CHIP}"'
        shape = f'<rect {corner} rx="8"'
    else:
        shape = f'<circle cx="{x}" cy="{y}" r="{CHIP}"'
    text = f'<text x="{x}" y="{y}" fill="{ink}">{mark.text}</text>'
    return f'{shape} fill="{fill}" stroke="{rim}" stroke-width="5"/>{text}'


def _close_up(mark: PictureLabel, moment: StoredStill, stills: Mapping[int, str]) -> str:
    """A die cut out of its still, with what it was read as."""
    width, height = moment.size
    tall = round(WIDE * height / width)
    x, y = mark.x * WIDE - CLOSE / 2, mark.y * tall - CLOSE / 2
    read = gettext("read as %(face)s, %(share)s", face=mark.text, share=_percent(mark.sure))
    name = gettext("a die %(read)s", read=read)
    return (
        f'<li><svg viewBox="{x:.0f} {y:.0f} {CLOSE} {CLOSE}" role="img" aria-label="{name}">'
        f'<image href="{stills[moment.frame]}" width="{WIDE}" height="{tall}"/></svg>{read}</li>'
    )


def _percent(confidence: float) -> str:
    """A probability in words that never claims certainty."""
    if confidence > 0.999:
        return f"> {decimal(99.9, 1)} %"
    return f"{decimal(100 * confidence, 1 if confidence > 0.99 or confidence < 0.01 else 0)} %"
