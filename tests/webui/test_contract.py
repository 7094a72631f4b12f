"""The API against its own document: no answer is the server's fault, and none undocumented."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from engine.errors import NotNow
from tests.webui.conftest import ScriptedDesk, ScriptedTable, make_five_point, start_game
from webui import create_app
from webui.access import HEADER
from webui.desk import Word

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
    """Takes some words and refuses others."""

    def tell(self, command):
        if command is Word.UNDO:
            raise NotNow("there is no correction to undo")


def document():
    """The API of a game in play, as its document tells it; what never ends is left out."""
    table = ScriptedTable()
    start_game(table)
    make_five_point(table)
    app = create_app(table, desk=MoodyDesk())
    # The many tries of one test come from one address.
    for limiter in app.extensions["limiter"]:
        limiter.enabled = False
    return schemathesis.openapi.from_wsgi("/api/openapi.json", app).exclude(path="/api/events")


schema = document()
CHECKS = [check for check in schemathesis.checks.CHECKS.get_all() if check.__name__ in WANTED]


def hold(case):
    case.headers = {**(case.headers or {}), HEADER: "1"}
    case.call_and_validate(checks=CHECKS)


QUICK = {"max_examples": 12, "deadline": None, "suppress_health_check": list(HealthCheck)}


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
