"""Questions to many matches: the players, one of them, turns by position, and their tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, get_args

from flask import Blueprint, Flask, Response, render_template, request

from engine.message import join, message_of, msg
from engine.pattern import BoardPattern, PlaceCount
from engine.position import BAR, CHECKERS, Course
from engine.rules import VARIANTS
from webui.api.matches import as_download, catalog_here, limits, reason_of, status_of
from webui.contracts.archive import ArchiveError, NotInRecord
from webui.contracts.catalog import (
    BadQuestion,
    Catalog,
    Form,
    FoundMatch,
    FoundTurns,
    MatchQuestion,
    Order,
    Players,
    Subject,
    player_key,
)
from webui.contracts.hall import Unindexed
from webui.contracts.words import SideName
from webui.http.auth import require_record
from webui.http.errors import no_board
from webui.views import phrases
from webui.views.catalog import match_line, player_shown, turn_shown

TURNS_PER_PAGE: Final = 12
WORST: Final = 6
"""Errors on a player's page."""
COUNTS: Final = {
    "0": (0, 0), "1": (1, 1), "2": (2, CHECKERS), "3": (3, CHECKERS), "4": (4, CHECKERS),
}  # fmt: skip
"""What may be wanted of a point: so many checkers."""
_TEXTS: Final = (
    *("player", "opponent", "event", "since", "until", "variant", "opening", "dice", "position"),
)

catalog_page: Final = Blueprint("catalog", __name__)
catalog_page.before_request(require_record)


def install_catalog(app: Flask, catalog: Catalog) -> None:
    """Make `app` answer questions to many matches."""
    app.extensions["catalog"] = catalog
    app.jinja_env.globals.update(has_catalog=True)
    app.register_blueprint(catalog_page)


@catalog_page.errorhandler(ArchiveError)
def _refuse(error: ArchiveError) -> tuple[str, int]:
    page = render_template("refusal.html", state=no_board(), why=reason_of(error))
    return page, status_of(error)


@catalog_page.get("/players")
def players() -> str:
    """All players, with their sums."""
    return players_page(catalog_here())


def players_page(asks: Players, *, unindexed: Sequence[Unindexed] | None = None) -> str:
    """The page of all players, with their sums.

    unindexed: a hall's matches that no question finds; None if the page is not a hall's.
    """
    asked, missing = question_here(), asks.missing()
    found = [player_shown(row) for row in asks.players(asked)]
    return render_template(
        "players.html",
        state=no_board(),
        is_hall=unindexed is not None,
        players=found,
        asked=asked,
        missing=missing,
        unindexed=unindexed,
    )


@catalog_page.get("/player")
def player() -> str:
    """One player across matches."""
    name = request.args.get("name", "")
    asked = MatchQuestion(player=name, **limits(), loss=0.001)
    asks = catalog_here()
    return player_page(asks, lambda: asks.turns(asked, order="loss", most=WORST))


def player_page(
    asks: Players,
    worst: Callable[[], FoundTurns] | None = None,
    *,
    unindexed: Sequence[Unindexed] | None = None,
) -> str:
    """The page of one player.

    worst: finds the worst errors; None if nothing is analyzed. unindexed: as for `players_page`.
    """
    name = request.args.get("name", "")
    asked, missing = MatchQuestion(player=name, **limits()), asks.missing()
    found = asks.players(asked) if name.strip() else []
    if not found:
        raise NotInRecord(
            join([msg("no match here has a player {name}", name=repr(name[:60])),
                  msg("the page of players lists their names")])
        )  # fmt: skip
    (row,) = found
    lines = [match_line(match, _side_of(name, match)) for match in asks.matches(asked)]
    errors = worst()["turns"] if worst is not None else []
    return render_template(
        "player.html",
        state=no_board(),
        is_hall=unindexed is not None,
        player=player_shown(row),
        matches=lines,
        worst=[turn_shown(turn, "/matches") for turn in errors],
        missing=missing,
        unindexed=unindexed,
    )


@catalog_page.get("/find")
def find() -> tuple[str, int]:
    """Turns by the position before them, by player, event, opening, error or luck."""
    missing, order = catalog_here().missing(), _order()
    ask = partial(catalog_here().turns, order=order, most=TURNS_PER_PAGE)
    return find_page(ask, missing)


def find_page(
    ask: Callable[..., FoundTurns],
    missing: int,
    *,
    unindexed: Sequence[Unindexed] | None = None,
) -> tuple[str, int]:
    """The page that asks for turns and shows some of those found.

    ask: called with the question and `start`. unindexed: as for `players_page`.
    """
    why, turns, found = "", [], 0
    start = max(0, request.args.get("start", 0, type=int))
    asked, matches = MatchQuestion(), "/matches" if unindexed is None else "/hall/matches"
    try:
        asked = question_here()
        result = ask(asked, start=start)
        turns = [turn_shown(one, matches) for one in result["turns"]]
        found = result["found"]
    except BadQuestion as error:
        why = phrases.sentence(message_of(error))
    kept = {key: value for key, value in request.args.items() if value and key != "start"}
    page = render_template(
        "find.html",
        state=no_board(),
        is_hall=unindexed is not None,
        asked=asked,
        said=request.args,
        kept=kept,
        turns=turns,
        found=found,
        start=start,
        most=TURNS_PER_PAGE,
        why=why,
        missing=missing,
        unindexed=unindexed,
        variants=[(name, phrases.variant_name(name)) for name in VARIANTS],
    )
    return page, 400 if why else 200


@catalog_page.get("/find/<what>.<form>")
def table(what: str, form: str) -> Response:
    """All rows wanted, as a file."""
    catalog_here().missing()
    return table_of(catalog_here(), what, form)


def table_of(asks: Players, what: str, form: str) -> Response:
    """All rows wanted, as a file; raises `NotInRecord` for one that there is not."""
    if what not in get_args(Subject) or form not in get_args(Form):
        raise NotInRecord(msg("there is no {name}", name=f"{what}.{form}"))
    made = asks.table(what, form, question_here())  # type: ignore[arg-type]
    return as_download(made)


def _side_of(name: str, match: FoundMatch) -> SideName:
    return "light" if player_key(match["light"]["name"]) == player_key(name) else "dark"


def question_here() -> MatchQuestion:
    """The question in the request's address; raises `BadQuestion`."""
    given = {name: request.args.get(name, "")[:200] for name in _TEXTS}
    drawn = _drawn(given["variant"])
    given["position"] = drawn or given["position"]
    return MatchQuestion(**given, loss=_number("loss"), luck=_number("luck"), **limits())  # type: ignore[arg-type]


def _order() -> Order:
    given = request.args.get("order", "newest")
    return given if given in get_args(Order) else "newest"  # type: ignore[return-value]


def _number(name: str) -> float | None:
    text = request.args.get(name, "").strip().replace(",", ".")
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        wrong = msg("{text} is not a number", text=repr(text[:20]))
        raise BadQuestion(join([wrong, msg("write it as {example}", example="0.08")]))
    return number


def _drawn(variant: str) -> str:
    """The pattern drawn on the board: `p6=own2`, `p20=other1`, `bar=own1`; empty if none is."""
    course = VARIANTS[variant].course if variant in VARIANTS else Course.OPPOSED
    own: list[PlaceCount] = []
    other: list[PlaceCount] = []
    for point in range(1, BAR):
        whose, count = _drawn_at(f"p{point}")
        if whose in ("own", "none"):
            own.append(PlaceCount(point, *COUNTS[count]))
        if whose in ("other", "none"):
            other.append(PlaceCount(course.across(point), *COUNTS[count]))
    for name, side in (("bar", own), ("barother", other)):
        whose, count = _drawn_at(name)
        if whose:
            side.append(PlaceCount(BAR, *COUNTS[count]))
    return str(BoardPattern(tuple(own), tuple(other))) if own or other else ""


def _drawn_at(name: str) -> tuple[str, str]:
    """Whose checkers are wanted there, and how many."""
    word = request.args.get(name, "")
    whose, count = word.rstrip("0123456789"), word.lstrip("abcdefghijklmnopqrstuvwxyz")
    return (whose, count) if whose in ("own", "other", "none") and count in COUNTS else ("", "")
