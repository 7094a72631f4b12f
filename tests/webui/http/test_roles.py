"""Who may request what: every route of the page has an entry here."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.webui.http.test_auth import HASHES, OURS, enter
from tests.webui.scripted_wizard import ScriptedWizard
from webui.app import create_app
from webui.contracts.state import Role
from webui.http.passwords import Passwords
from webui.pages.dice import install_dice
from webui.pages.matches import install_review

ANYBODY = {
    "access.login",
    "api.health",
    "scripts.joined",
    "static",
}
"""Also who has not logged in."""
VIEWER = {
    "access.leave",
    "api.events",
    "api.session",
    "api.state",
    "openapi.spec",
    "overlay.show",
    "pages.index",
    "pages.picture",
    "pages.pictures",
}
"""And the referee."""
VIEWER_BLUEPRINTS = ("dice_api.", "dice_page.", "review.", "review_api.")
REFEREE = {
    "access.dismiss",
    "api.metrics",
    "dice_api.merge",
    "dice_api.rename",
    "dice_api.undo",
    "review_api.analyse",
}
REFEREE_BLUEPRINTS = ("desk.", "desk_page.", "setup.", "setup_api.")
VALUES = {"number": 1, "record": 1, "frame": 1, "camera": "0", "name": "x", "filename": "x"}


@pytest.fixture
def site(table, desk):
    """Every page of `live`, with passwords; where one needs an archive, there is only an error."""
    app = create_app(table, desk=desk, passwords=Passwords(HASHES), wizard=ScriptedWizard())
    nothing = SimpleNamespace()
    install_review(app, nothing)
    install_dice(app, nothing)
    return app


def routes(app):
    """Each route but the log-in itself, which the tests of it cover."""
    for rule in app.url_map.iter_rules():
        if rule.endpoint == "access.enter":
            continue
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            values = {name: VALUES.get(name, 1) for name in rule.arguments}
            yield rule.endpoint, method, app.url_map.bind("localhost").build(rule.endpoint, values)


def wanted(endpoint):
    if endpoint in ANYBODY:
        return {None, *Role}
    if endpoint in REFEREE or endpoint.startswith(REFEREE_BLUEPRINTS):
        return {Role.REFEREE}
    if endpoint in VIEWER or endpoint.startswith(VIEWER_BLUEPRINTS):
        return set(Role)
    raise AssertionError(f"say in this file who may request {endpoint}")


def is_let_in(client, method, path):
    answer = client.open(path, method=method, headers=OURS, json={} if method == "POST" else None)
    answer.close()
    if answer.status_code == 302:
        return not answer.headers["Location"].startswith("/login?")
    return answer.status_code not in (401, 403)


def test_every_route_lets_in_those_it_is_for_and_nobody_else(site, table):
    table.show_picture()  # else its stream would wait for one
    seen = {}
    for endpoint, method, path in routes(site):
        for role in (None, *Role):
            client = site.test_client() if role is None else enter(site, role)
            if is_let_in(client, method, path):
                seen.setdefault(endpoint, set()).add(role)
    assert seen == {endpoint: wanted(endpoint) for endpoint, *_ in routes(site)}
