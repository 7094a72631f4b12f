"""The review pages: the list of recorded matches, and one of them replayed.

Their addresses under `/api/matches` are in `webui.api.matches`. Entries, matches, steps and review
items carry a `shown` with what the page draws.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Flask, current_app, redirect, render_template, request
from pydantic import ValidationError
from werkzeug.wrappers import Response as AnyResponse

from engine.events.names import LONGEST_NAME, LONGEST_NOTE
from engine.message import message_of
from engine.rules import VARIANTS
from webui.api.match_edits import install_match_edits
from webui.api.matches import (
    analysis_here,
    archive_here,
    catalog_here,
    listed,
    reason_of,
    refuse_early,
    review_api,
    status_of,
)
from webui.api.schemas.matches import ListQuery
from webui.context import serving_of
from webui.contracts.archive import Archive, ArchiveError, RecordedMatch
from webui.contracts.catalog import BadQuestion, MatchQuestion
from webui.http.auth import (
    COMMAND_RATE,
    asks_for_passwords,
    require_record,
    require_referee,
)
from webui.http.errors import no_board
from webui.i18n.locale import language, use_language
from webui.views import phrases, replay
from webui.views.match_report import report_shown

MOST_IN_DOUBT: Final = 500
"""Matches whose doubts are one queue; a match is read again only after it has changed."""

review: Final = Blueprint("review", __name__)


def install_review(app: Flask, archive: Archive, *, has_table: bool = True) -> None:
    """Make `app` show the matches of `archive`; without a table the list is its start page."""
    app.extensions["archive"] = archive
    serving = serving_of(app)
    if serving.least_delay:
        is_over = serving.streams.gone(lambda: False)
        serving.event_history.follow(archive, serving.table, is_over)
    app.jinja_env.globals.update(replay=replay, has_archive=True, has_table=has_table)
    for limiter in app.extensions["limiter"]:
        limiter.limit(COMMAND_RATE, methods=["POST"])(review_api)
    app.register_blueprint(review)
    app.register_blueprint(review_api)
    install_match_edits(app)
    if not has_table:

        @app.before_request
        def go_to_the_list() -> AnyResponse | None:
            return redirect("/matches") if request.path == "/" else None


@review.errorhandler(ArchiveError)
def refuse(error: ArchiveError) -> tuple[str, int]:
    """The refusal as a page."""
    page = render_template("refusal.html", state=no_board(), why=reason_of(error))
    return page, status_of(error)


@review.get("/matches")
def matches_page() -> tuple[str, int]:
    """The list of matches, newest first, or of those that are searched."""
    require_record()
    asked, why = _asked(), ""
    missing = catalog_here().missing() if asked.is_search else 0
    try:
        shown = listed(asked)
    except BadQuestion as error:
        shown, why = replay.ShownList(matches=[], older=None), phrases.sentence(message_of(error))
    page = render_template(
        "matches.html",
        state=no_board(),
        listed=shown,
        asked=asked,
        kept=asked.model_dump(exclude={"before"}, exclude_defaults=True),
        missing=missing,
        variants=[(name, phrases.variant_name(name)) for name in VARIANTS],
        why=why,
    )
    return page, 400 if why else 200


def _asked() -> ListQuery:
    """The search in the request's address; what is no search is left out."""
    given = {
        name: text[:LONGEST_NOTE]
        for name in ListQuery.model_fields
        if (text := request.args.get(name, ""))
    }
    try:
        return ListQuery.model_validate(given)
    except ValidationError:
        return ListQuery()


@review.get("/matches/<record:number>/edit")
def edit_page(number: int) -> str:
    """The form in which the referee changes a match, or deletes it."""
    require_referee()
    entry = archive_here().match(number)["entry"]
    return render_template(
        "match_edit.html",
        state=no_board(),
        entry=replay.entry_shown(entry),
        names=entry["players"],
        longest_name=LONGEST_NAME,
        longest_note=LONGEST_NOTE,
        needs_password=asks_for_passwords(),
    )


@review.get("/matches/deleted")
def deleted_page() -> str:
    """The matches that can be restored."""
    require_referee()
    deleted = [replay.deleted_shown(one) for one in archive_here().deleted()]
    return render_template("deleted_matches.html", state=no_board(), deleted=deleted)


@review.get("/doubts")
def doubts_page() -> str:
    """The doubtful turns of all matches that are over, one at a time, to be answered with a key."""
    require_referee()
    doubts = archive_here().doubts(_numbers_in_doubt())
    at = max(0, request.args.get("at", 0, type=int))
    if at >= len(doubts):
        return render_template("doubts.html", state=no_board(), item=None, at=at, left=0)
    doubt = doubts[at]
    match = replay.match_shown(archive_here().match(doubt["match"]))
    item = next(one for one in match["doubtful"] if one["turn"] == doubt["turn"] and one["review"])
    step = next(n for n, one in enumerate(match["steps"]) if one["id"] == item["step"])
    return render_template(
        "doubts.html",
        state=_state(match, step),
        match=match,
        item=item,
        at=at,
        left=len(doubts) - at,
    )


def _numbers_in_doubt() -> list[int]:
    """The newest matches of which a person should look at something."""
    if "catalog" not in current_app.extensions:
        return [one["id"] for one in archive_here().matches()["matches"] if one["to_review"]]
    catalog_here().missing()
    return catalog_here().numbers(MatchQuestion(state="review"), most=MOST_IN_DOUBT)


@review.get("/matches/<record:number>")
def recorded_match(number: int) -> str:
    """One match: its list, and the board at its first step, or at the last if the match is open."""
    require_record()
    refuse_early(number)
    return match_page("match.html", archive_here().match(number))


def match_page(template: str, found: RecordedMatch, **more: object) -> str:
    """The page of a match, at its first step, or at its last if it is still played."""
    with use_language(language()):  # it has thousands of texts
        match = replay.match_shown(found)
        steps = match["steps"]
        at = (len(steps) - 1 if match["entry"]["is_open"] else 0) if steps else None
        state = no_board() if at is None else _state(match, at)
        asks = any(one["review"] for one in match["doubtful"])
        only_review = request.args.get("show") == "review" and asks
        return render_template(
            template, match=match, state=state, at=at, only_review=only_review, **more
        )


@review.get("/matches/<record:number>/report")
def report_page(number: int) -> str:
    """The report on a match: its errors by kind, and the worst of them with their boards."""
    require_record()
    refuse_early(number)
    found, analysis = archive_here().match(number), analysis_here(number)
    match, figures = replay.match_shown(found), analysis["figures"]
    is_done = analysis["state"] == "done"
    report = report_shown(match, figures) if is_done and figures is not None else None
    note = analysis["note"]
    return render_template(
        "match_report.html", match=match, state=no_board(), report=report, note=note
    )


def _state(match: replay.ShownMatch, at: int) -> dict[str, object]:
    """A step in the form that the board's drawing takes."""
    shown = {**match["steps"][at]["shown"], "colours": match["shown"]["colours"]}
    return {"light_home": match["light_home"], "shown": shown}
