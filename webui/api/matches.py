"""The API of recorded matches: the list, and each match with its steps, files and analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify, request

from engine.message import Sentence, join, message_of, msg
from webui.api.schemas import matches as answers
from webui.api.schemas.common import JPEG, MP4
from webui.api.schemas.events import FEED_STREAM, EventsAnswer, EventsQuery
from webui.context import clip_response, endless, gone, here, least_delay
from webui.contracts.archive import (
    MATCHES_PER_PAGE,
    Analysis,
    Archive,
    ArchiveError,
    DownloadFile,
    MatchList,
    NotInRecord,
    Unavailable,
)
from webui.contracts.catalog import BadQuestion, Catalog, MatchQuestion
from webui.contracts.events import EventList
from webui.contracts.roles import Visibility
from webui.http.auth import require_record, require_referee, rights, seen_as
from webui.http.errors import REFUSED_RESPONSES, one_line
from webui.i18n.locale import language
from webui.streaming.feed import feed_parts
from webui.views import replay

DELAYED: Final = ("review_api.one_match", "review_api.events", "review_api.event_stream")
STILL_PLAYED: Final = join(
    (msg("the match is still in progress"), msg("it will be shown here when it is over"))
)
STATUS: Final = {NotInRecord: 404, Unavailable: 409, BadQuestion: 400}
UNREADABLE_STATUS: Final = 503
HIDDEN_REASON: Final = msg("the record cannot be read: the referee can see why")
FAILED: Final = msg("the analysis has failed: the referee can see why")
UNREADABLE: Final = {UNREADABLE_STATUS: "The record cannot be read; the message gives the reason."}
NO_MATCH_RESPONSES: Final = {**REFUSED_RESPONSES, 404: "There is no such match.", **UNREADABLE}
ONE_MATCH_RESPONSES: Final[Any] = {
    204: {"description": "Nothing has changed: `known` is the newest version."},
    **NO_MATCH_RESPONSES,
}
EVENT_STREAM: Final[Any] = {
    **NO_MATCH_RESPONSES,
    200: FEED_STREAM,
    503: "The record cannot be read, or there are too many streams.",
}
STILL: Final[Any] = {
    200: {"description": "The picture.", "content": JPEG},
    **NO_MATCH_RESPONSES,
    404: "There is no such match, or no such picture in it any more.",
}
CLIP: Final[Any] = {
    200: {"description": "The clip.", "content": MP4},
    206: {"description": "The part of it that the client asks for.", "content": MP4},
    **NO_MATCH_RESPONSES,
    404: "There is no such match, or no such clip of it any more.",
    416: "The clip has no such part.",
}
FILE: Final[Any] = {
    200: {
        "description": "The file, to be saved under its name.",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    },
    **NO_MATCH_RESPONSES,
    404: "There is no such match, or no such file of it.",
    409: "The format cannot express the match, or it is withheld until the match is over.",
}
ANALYSED: Final[Any] = {
    202: {
        "description": "It is running; ask again for its progress.",
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/AnalysisAnswer"}}
        },
    },
    **NO_MATCH_RESPONSES,
    409: "It cannot be analyzed now; the message names what is missing.",
}

review_api: Final = APIBlueprint("review_api", __name__, tag="Matches of the record")
review_api.before_request(require_record)


def archive_here() -> Archive:
    """The archive of the application that handles this request."""
    archive: Archive = current_app.extensions["archive"]
    return archive


def reason_of(error: ArchiveError) -> Sentence:
    """What the client may read of a refusal: the folders of this machine are the referee's."""
    hides = status_of(error) == UNREADABLE_STATUS and not rights().commands
    return HIDDEN_REASON if hides else message_of(error)


def analysis_here(match: int) -> Analysis:
    """The progress of a match's analysis; only the referee reads why one has failed."""
    found = archive_here().analysis(match)
    if found["state"] == "failed" and not rights().commands:
        return {**found, "note": FAILED}
    return found


def status_of(error: ArchiveError) -> int:
    """The HTTP status of a refusal."""
    return STATUS.get(type(error), UNREADABLE_STATUS)


@review_api.before_request
def keep_back() -> None:
    """Refuse delayed viewers a match in play; its steps and events have the delay themselves."""
    if request.endpoint in DELAYED:
        return
    match = (request.view_args or {}).get("match")
    if match is not None:
        refuse_early(match)


def refuse_early(match: int) -> None:
    """Raise `Unavailable` if the client's delay has not passed since the end of the match."""
    if _known_early(match) is not None:
        raise Unavailable(STILL_PLAYED)


def _known_early(match: int) -> int | None:
    """How many events a delayed client may know of a match that is in play to it, else None."""
    delay = least_delay()
    if not delay:
        return None
    count, is_open = archive_here().event_count(match)
    known = here().event_history.known(match, count, delay, is_open=is_open)
    return known if is_open or known < count else None


def early_matches() -> frozenset[int]:
    """The recent matches that `refuse_early` refuses; open ones without news are not among them."""
    if not least_delay():
        return frozenset()
    return frozenset(match for match in here().event_history.matches() if _is_early(match))


def _is_early(match: int) -> bool:
    try:
        refuse_early(match)
    except (NotInRecord, Unavailable):  # not there: deleted since
        return True
    return False


def limits() -> dict[str, Any]:
    """What of a `MatchQuestion` keeps from this client what it may not see yet."""
    return {"without": early_matches(), "only_over": bool(least_delay())}


def catalog_here() -> Catalog:
    """The catalog of the application; raises `Unavailable` if it has none."""
    catalog: Catalog | None = current_app.extensions.get("catalog")
    if catalog is None:
        raise Unavailable(msg("these matches cannot be searched here"))
    return catalog


def listed(asked: answers.ListQuery) -> replay.ShownList:
    """A page of the list; delayed viewers do not get matches whose end is younger than that."""
    if asked.is_search:
        question = MatchQuestion(**asked.model_dump(exclude={"before"}), **limits())
        catalog_here().missing()
        numbers = catalog_here().numbers(question, most=MATCHES_PER_PAGE + 1, before=asked.before)
        some = archive_here().listed(numbers[:MATCHES_PER_PAGE])
        if asked.state == "review":  # a match in play tells no more here than on the whole list
            some = [one for one in some if one["to_review"]]
        older = numbers[MATCHES_PER_PAGE - 1] if len(numbers) > MATCHES_PER_PAGE else None
        return replay.matches_shown(MatchList(matches=some, older=older))
    found = archive_here().matches(asked.before)
    if least_delay():
        early = early_matches()
        found["matches"] = [
            entry for entry in found["matches"] if not (entry["is_open"] or entry["id"] in early)
        ]
    return replay.matches_shown(found)


@review_api.errorhandler(ArchiveError)
def _refuse(error: ArchiveError) -> Response:
    return one_line(status_of(error), reason_of(error), request.path)


@review_api.get("/api/matches")
@review_api.input(answers.ListQuery, location="query")
@review_api.output(answers.MatchesAnswer, description="A part of the list, newest first.")
@review_api.doc(responses={**REFUSED_RESPONSES, 409: "They cannot be searched here.", **UNREADABLE})
def matches(query_data: answers.ListQuery) -> Response:
    """List all matches or those that are searched, newest first."""
    return jsonify(listed(query_data))


@review_api.get("/api/matches/<record:match>")
@review_api.input(answers.MatchQuery, location="query")
@review_api.output(answers.MatchAnswer, description="The match.")
@review_api.doc(responses=ONE_MATCH_RESPONSES)
def one_match(match: int, query_data: answers.MatchQuery) -> Response:
    """Show one match with all its steps; one in play to delayed viewers as late as the rest."""
    archive, early, known = archive_here(), _known_early(match), query_data.known
    shown = None if early is None else archive.match_as_of(match, early)
    newest = archive.version(match) if shown is None else shown["entry"]["version"]
    if known is not None and known == newest:
        return Response(status=204)
    return jsonify(replay.match_shown(shown or archive.match(match)))


@review_api.get("/api/matches/<record:match>/events")
@review_api.input(EventsQuery, location="query")
@review_api.output(EventsAnswer, description="The events, oldest first; at most 500.")
@review_api.doc(responses=NO_MATCH_RESPONSES)
def events(match: int, query_data: EventsQuery) -> Response:
    """List what happened in a match, as far as the client's role and delay allow."""
    return jsonify(_feed(match, query_data)(query_data.after))


@review_api.get("/api/matches/<record:match>/events/stream")
@review_api.input(EventsQuery, location="query")
@review_api.doc(responses=EVENT_STREAM)
def event_stream(match: int, query_data: EventsQuery) -> Response:
    """Stream the same as server-sent events, with those to come; Last-Event-ID resumes."""
    after = request.headers.get("Last-Event-ID", query_data.after, type=int)
    read = _feed(match, query_data)
    read(after)  # so that a match that is not there is refused before the stream begins
    parts = feed_parts(read, max(0, after), here().table, gone(), language())
    return endless(parts, "text/event-stream")


def _feed(match: int, asked: EventsQuery) -> Callable[[int], EventList]:
    """Reads the feed of a match after a number, for the role and the delay of this request."""
    archive, history = archive_here(), here().event_history
    visibility, delay = seen_as(asked.role), max(asked.delay, least_delay())
    is_whole = visibility is Visibility.EVERYTHING and not delay

    def read(after: int) -> EventList:
        count, is_open = archive.event_count(match)
        known = history.known(match, count, delay, is_open=is_open) if delay else count
        found = archive.events(match, after, is_whole=is_whole, known=known)
        return {**found, "is_open": found["is_open"] or known < count}

    return read


@review_api.get("/api/matches/<record:match>/stills/<record:frame>.jpg")
@review_api.doc(responses=STILL)
def still(match: int, frame: int) -> Response:
    """Get a picture of a doubtful moment."""
    return Response(archive_here().still(match, frame), mimetype="image/jpeg")


@review_api.get("/api/matches/<record:match>/clips/<record:frame>.mp4")
@review_api.doc(responses=CLIP)
def clip(match: int, frame: int) -> Response:
    """Get a clip of a doubtful moment: 4 seconds before it, 2 after."""
    return clip_response(archive_here().clip(match, frame))


@review_api.get("/api/matches/<record:match>/files/<name>")
@review_api.doc(responses=FILE)
def file(match: int, name: str) -> Response:
    """Download a file of the match."""
    return as_download(archive_here().file(match, name), match)


def as_download(made: DownloadFile, match: int | None = None) -> Response:
    """The file, to be saved under its name, with the number of its match if it has one."""
    response = Response(made.content, mimetype=made.mimetype)
    stem, _, ending = made.name.rpartition(".")
    name = made.name if match is None else f"{stem}-{match}.{ending}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@review_api.get("/api/matches/<record:match>/analysis")
@review_api.output(answers.AnalysisAnswer, description="Where it is.")
@review_api.doc(responses=NO_MATCH_RESPONSES)
def analysis(match: int) -> Response:
    """Show the progress of the match's analysis; this does not start one."""
    return jsonify(analysis_here(match))


@review_api.post("/api/matches/<record:match>/analysis")
@review_api.output(answers.AnalysisAnswer, description="It is there already.")
@review_api.doc(responses=ANALYSED)
def analyse(match: int) -> Response:
    """Start the analysis (referee only)."""
    require_referee()
    begun = archive_here().analyse(match)
    answer = jsonify(begun)
    answer.status_code = 202 if begun["state"] == "running" else 200
    return answer
