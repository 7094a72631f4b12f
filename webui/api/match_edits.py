"""The API by which the referee changes recorded matches, and adds those of other programs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Flask, Response, current_app, jsonify, request

from engine.message import message_of, msg
from webui.api.matches import NO_MATCH_RESPONSES, UNREADABLE, archive_here, status_of
from webui.api.schemas import matches as answers
from webui.contracts.archive import ArchiveError, MatchDetails, Unavailable
from webui.http.auth import require_password_again, require_referee
from webui.http.errors import REFUSED_RESPONSES, one_line
from webui.i18n.messages import translate
from webui.views import replay

MOST_UPLOADS: Final = 4
"""Files that may be on their way at the same time."""
RATE: Final = "1200 per minute"
"""Requests of one address: a large file takes some hundred."""
EDITED: Final[Any] = {
    **NO_MATCH_RESPONSES,
    409: "The match may still be played; the message says what to do.",
}
ANSWERED: Final[Any] = {
    **NO_MATCH_RESPONSES,
    409: "The match may still be played, or what was played later does not follow from this play.",
}
ADDED: Final[Any] = {
    **REFUSED_RESPONSES,
    **UNREADABLE,
    202: {
        "description": "The rest of the file is awaited.",
        "content": {"application/json": {"schema": answers.RECEIVED}},
    },
    409: "It is no match that can be read; the message says why.",
}
match_edits: Final = APIBlueprint("match_edits", __name__, tag="Matches of the record")


class Uploads:
    """Files on their way, in parts; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: OrderedDict[tuple[str, str], bytearray] = OrderedDict()

    def add(self, asked: answers.FileQuery, part: bytes) -> bytes | int:
        """The file, if this part completes it; otherwise how many bytes there are.

        Raises `Unavailable` if a part before this one is missing.
        """
        key = asked.upload, asked.name
        with self._lock:
            held = self._parts.pop(key, None)
            held = bytearray() if held is None or asked.at == 0 else held
            if asked.at != len(held):
                raise Unavailable(msg("a part of the file was lost: send it again from the start"))
            held += part
            if len(held) > asked.size:
                raise Unavailable(msg("the file is longer than its size: send it again"))
            if len(held) == asked.size:
                return bytes(held)
            self._parts[key] = held
            while len(self._parts) > MOST_UPLOADS:
                self._parts.popitem(last=False)
            return len(held)


def install_match_edits(app: Flask) -> None:
    """Let the referee change the matches of the archive of `app`."""
    app.extensions["match_files"] = Uploads()
    for limiter in app.extensions["limiter"]:
        limiter.limit(RATE)(match_edits)
    app.register_blueprint(match_edits)


@match_edits.before_request
def _for_the_referee() -> None:
    require_referee()


@match_edits.errorhandler(ArchiveError)
def _refuse(error: ArchiveError) -> Response:
    return one_line(status_of(error), message_of(error), request.path)


def _version(match: int) -> dict[str, int]:
    return {"version": archive_here().version(match)}


@match_edits.post("/api/matches/<record:match>/details")
@match_edits.input(answers.DetailsBody)
@match_edits.output(answers.EditAnswer, description="It is in the record.")
@match_edits.doc(responses=EDITED)
def edit(match: int, json_data: answers.DetailsBody) -> dict[str, int]:
    """Change the names, the place and the note of a match."""
    details: MatchDetails = json_data.model_dump()  # type: ignore[assignment]
    archive_here().edit(match, details)
    return _version(match)


@match_edits.post("/api/matches/<record:match>/turns/<record:turn>/play")
@match_edits.input(answers.TurnPlayBody)
@match_edits.output(answers.EditAnswer, description="It is in the record.")
@match_edits.doc(responses=ANSWERED)
def answer_doubt(match: int, turn: int, json_data: answers.TurnPlayBody) -> dict[str, int]:
    """Say what was played in a doubtful turn of a match that is over.

    The play that is recorded becomes certain; another one replaces it, and the plays after it are
    made again from there.
    """
    archive_here().answer(match, turn, json_data.play)
    return _version(match)


@match_edits.get("/api/matches/deleted")
@match_edits.output(answers.DeletedAnswer, description="The last to be deleted first.")
@match_edits.doc(responses={**REFUSED_RESPONSES, **UNREADABLE})
def deleted() -> Response:
    """List the matches that can be restored."""
    return jsonify(archive_here().deleted())


@match_edits.get("/api/matches/unfinished")
@match_edits.output(answers.UnfinishedAnswer, description="Last played first.")
@match_edits.doc(responses={**REFUSED_RESPONSES, **UNREADABLE})
def unfinished() -> Response:
    """List the open matches that nobody records: they can go on, or be ended."""
    return jsonify([replay.unfinished_shown(one) for one in archive_here().unfinished()])


@match_edits.post("/api/matches/<record:match>/end")
@match_edits.output(answers.UnfinishedAnswer, description="It is over; what can go on.")
@match_edits.doc(responses=EDITED)
def end(match: int) -> Response:
    """End an unfinished match as it stands: it is stopped, and nobody has won it."""
    archive_here().end(match)
    return unfinished()


@match_edits.post("/api/matches/<record:match>/delete")
@match_edits.output(answers.DeletedAnswer, description="It is deleted; what can be restored.")
@match_edits.doc(responses=EDITED)
def delete(match: int) -> Response:
    """Delete a match; it can be restored for 30 days. Asks for the referee's password again."""
    require_password_again()
    archive_here().delete(match)
    return deleted()


@match_edits.post("/api/matches/<record:match>/restore")
@match_edits.output(answers.EditAnswer, description="It is in the list again.")
@match_edits.doc(responses=EDITED)
def restore(match: int) -> dict[str, int]:
    """Restore a deleted match."""
    archive_here().restore(match)
    return _version(match)


@match_edits.post("/api/matches/files")
@match_edits.input(answers.FileQuery, location="query")
@match_edits.output(answers.AddedAnswer, status_code=201, description="The match was added.")
@match_edits.doc(responses=ADDED)
def add_file(query_data: answers.FileQuery) -> Response:
    """Add the match in a file of another program: the body is a part of the file.

    A request holds at most 32 kB, so that a longer file comes in several, one after the other.
    """
    uploads: Uploads = current_app.extensions["match_files"]
    content = uploads.add(query_data, request.get_data())
    if isinstance(content, int):
        return _answer(202, received=content)
    added = archive_here().add_file(query_data.name, content)
    faults = [translate(fault) for fault in added["faults"]]
    return _answer(201, **{**added, "faults": faults})


def _answer(status: int, **body: object) -> Response:
    answer = jsonify(body)
    answer.status_code = status
    return answer
