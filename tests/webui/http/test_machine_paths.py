"""No error tells anybody but the referee where the files of this machine lie."""

from __future__ import annotations

import pytest

from tests.webui.http.test_auth import HASHES, OURS, enter
from tests.webui.http.test_roles import routes
from webui.app import create_app
from webui.contracts.archive import Analysis, ArchiveError
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.pages.catalog import install_catalog
from webui.pages.dice import install_dice
from webui.pages.matches import install_review

WHERE = "/home/ann/matches"


class Unreadable:
    """An archive, a catalog and dice of a record that cannot be read."""

    def __getattr__(self, name):
        def refuse(*_given, **_named):
            raise ArchiveError(f"the record {WHERE}/record.sqlite is damaged")

        return refuse


class FailedAnalysis(Unreadable):
    def analysis(self, _number):
        note = f"the analysis in {WHERE}: the disk is full"
        return Analysis(state="failed", note=note, figures=None, done=0, total=0)


@pytest.fixture
def site(table, desk):
    app = create_app(table, desk=desk, passwords=Passwords(HASHES))
    install_review(app, Unreadable())
    install_catalog(app, Unreadable())
    install_dice(app, Unreadable())
    return app


def test_an_unreadable_record_tells_only_the_referee_its_place(site, table):
    table.show_picture()
    told = {role: set() for role in Role}
    for role in Role:
        client = enter(site, role)
        for endpoint, method, path in routes(site):
            if method == "GET" and not endpoint.startswith(("access.", "api.events", "pages.pict")):
                answer = client.get(path, headers=OURS)
                if answer.status_code >= 400 and WHERE in answer.text:
                    told[role].add(endpoint)
                answer.close()
    assert {"review_api.matches", "review.matches_page", "dice_page.show"} <= told[Role.REFEREE]
    assert {"catalog.players", "review_api.event_stream"} <= told[Role.REFEREE]
    assert {role: found for role, found in told.items() if found} == {
        Role.REFEREE: told[Role.REFEREE]
    }
    answer = enter(site, Role.VIEWER).get("/api/matches")
    assert (answer.status_code, answer.json["message"]) == (
        503, "the record cannot be read: the referee can see why",
    )  # fmt: skip


def test_a_failed_analysis_tells_only_the_referee_why(table, desk):
    app = create_app(table, desk=desk, passwords=Passwords(HASHES))
    install_review(app, FailedAnalysis())
    notes = {role: enter(app, role).get("/api/matches/1/analysis") for role in Role}
    assert WHERE in notes[Role.REFEREE].json["note"]
    assert WHERE not in "".join(one.text for role, one in notes.items() if role != Role.REFEREE)
    assert notes[Role.VIEWER].json["state"] == "failed"
