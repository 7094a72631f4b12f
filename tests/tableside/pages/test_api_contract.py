"""The API against its own document: no answer is a server error, and none is undocumented."""

from __future__ import annotations

import atexit
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from engine.errors import NotNow
from tableside.analysis.summary import summed
from tests.tableside.sample_archive import archived
from tests.webui.conftest import ScriptedDesk, ScriptedTable, make_five_point, start_game
from tests.webui.scripted_wizard import ScriptedWizard
from webui.app import create_app
from webui.contracts.analysis import JudgedDecision, JudgedEvent
from webui.contracts.archive import Archive
from webui.contracts.desk import DeskCommand
from webui.contracts.setup import SetupRefused
from webui.http.auth import HEADER
from webui.pages.matches import install_review

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

WANTED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)


class MoodyDesk(ScriptedDesk):
    """Refuses some commands."""

    def execute(self, command):
        if command is DeskCommand.UNDO:
            raise NotNow("there is nothing to undo")


class MoodyWizard(ScriptedWizard):
    """Sees a board but cannot start."""

    def __init__(self):
        super().__init__()
        camera = {"id": "0", "name": "Webcam", "picture": 1, "fault": None}
        self.publish(
            cameras=[camera], before={"name": "Webcam", "when": 1e9, "game": self.now["game"]}
        )
        self.open_source("0")

    def start(self):
        raise SetupRefused("the board is not learned yet")


DECISION: JudgedDecision = {
    "kind": "play", "player": "light", "loss": 0.05, "mark": "doubtful", "counts": True,
    "best": "8/5 6/5", "choices": [{"choice": "8/5 6/5", "equity": 0.16}],
}  # fmt: skip
EVENT: JudgedEvent = {
    "event": 3, "game": 1, "turn": 1, "player": "light", "luck": 0.1, "step": "turn-1",
    "chances": {
        "light": 0.5, "light_gammon": 0.1, "light_backgammon": 0.0, "dark_gammon": 0.1,
        "dark_backgammon": 0.0,
    },
    "decisions": [DECISION],
}  # fmt: skip
FIGURES = summed("gnubg-nn 1.0", [EVENT])


@dataclass
class AnalysedArchive:
    """An archive whose first match is analyzed and whose others are being analyzed."""

    kept: Archive

    def __getattr__(self, name):
        return getattr(self.kept, name)

    def analysis(self, number):
        self.kept.version(number)
        if number == 1:
            return {"state": "done", "note": "", "figures": FIGURES, "done": 1, "total": 1}
        return {"state": "running", "note": "", "figures": None, "done": 0, "total": 9}

    analyse = analysis


def application(folder):
    """A page with everything on it: a game in play, a board set up, and recorded matches."""
    table = ScriptedTable()
    start_game(table)
    make_five_point(table)
    app = create_app(table, desk=MoodyDesk(), wizard=MoodyWizard())
    record = archived(folder)
    atexit.register(record.close)
    install_review(app, AnalysedArchive(record.archive))
    # The many requests of one test come from one address.
    for limiter in app.extensions["limiter"]:
        limiter.enabled = False
    return app


def document():
    """The API as its document describes it, without the requests that never end."""
    # Not a fixture: the tests are generated from the document, so the record must exist first.
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    app = application(Path(folder.name))
    streams = ["/api/events", "/api/matches/{match}/events/stream"]
    return schemathesis.openapi.from_wsgi("/api/openapi.json", app).exclude(path=streams)


schema = document()
CHECKS = [check for check in schemathesis.checks.CHECKS.get_all() if check.__name__ in WANTED]


def hold(case):
    # Over WSGI, schemathesis asks for gzip but does not decompress it.
    case.headers = {**(case.headers or {}), HEADER: "1", "Accept-Encoding": "identity"}
    case.call_and_validate(checks=CHECKS)


QUICK: dict[str, Any] = {"max_examples": 12, "suppress_health_check": list(HealthCheck)}


@schema.parametrize()
@settings(**QUICK)
def test_every_answer_is_the_documented_one(case):
    hold(case)


@pytest.mark.slow
@schema.parametrize()
@settings(**{**QUICK, "max_examples": 500, "derandomize": False})
def test_every_answer_of_many_is_the_documented_one(case):
    hold(case)


def test_all_checks_are_made():
    assert len(CHECKS) == len(WANTED)
