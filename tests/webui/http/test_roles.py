"""Who may request what: every route of the page has an entry here."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import Side
from tests.webui.http.test_auth import HASHES, OURS, WORDS, enter
from tests.webui.scripted_wizard import ScriptedWizard
from webui.app import create_app
from webui.contracts.desk import DeskCommand, SeatCommand
from webui.contracts.roles import RIGHTS, Role, Visibility
from webui.http.passwords import Passwords
from webui.pages.catalog import install_catalog
from webui.pages.dice import install_dice
from webui.pages.hall import install_hall
from webui.pages.matches import install_review

ANYBODY = {
    "access.login",
    "api.health",
    "scripts.joined",
    "static",
}
"""Also who has not logged in."""
AUDIENCE = {
    "access.leave",
    "api.events",
    "api.game",
    "api.session",
    "api.state",
    "hall.boards",
    "hall.events",
    "hall.results",
    "hall.television",
    "logos.picture",
    "openapi.spec",
    "overlay.show",
    "pages.index",
    "pages.picture",
    "pages.pictures",
    "pages.television",
}
"""Who has logged in, in any role."""
RECORD = {"hall.find", "hall.find_json", "hall.find_table", "hall.match_file", "hall.match_json"}
RECORD |= {"hall.one_match", "hall.results_csv", "hall.results_json"}
RECORD |= {"hall.player", "hall.players"}
RECORD_BLUEPRINTS = ("catalog.", "dice_api.", "dice_page.", "review.", "review_api.")
"""Everybody but the audience."""
PLAYERS_BLUEPRINTS = ("seat.",)
REFEREE = {
    "access.dismiss",
    "api.metrics",
    "dice_api.merge",
    "dice_api.rename",
    "dice_api.undo",
    "review.deleted_page",
    "review.doubts_page",
    "review.edit_page",
    "logos.upload",
    "review_api.analyse",
}
REFEREE_BLUEPRINTS = (
    *("desk.", "desk_page.", "match_edits.", "setup.", "setup_api.", "share_api.", "share_page."),
)
VALUES = {"number": 1, "record": 1, "frame": 1, "camera": "0", "name": "x", "filename": "x"}


@pytest.fixture
def site(table, desk):
    """Every page of `live`, with passwords; where one needs an archive, there is only an error."""
    app = create_app(table, desk=desk, passwords=Passwords(HASHES), wizard=ScriptedWizard())
    nothing = SimpleNamespace(keeps_matches=True)
    install_review(app, nothing)
    install_catalog(app, nothing)
    install_dice(app, nothing)
    install_hall(app, nothing)
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
    if endpoint == "commentary.show":
        return {Role.REFEREE, Role.AUDIENCE}
    if endpoint.startswith(PLAYERS_BLUEPRINTS):
        return {Role.LIGHT_PLAYER, Role.DARK_PLAYER}
    if endpoint in RECORD or endpoint.startswith(RECORD_BLUEPRINTS):
        return {*Role} - {Role.AUDIENCE}
    if endpoint in AUDIENCE:
        return {*Role}
    raise AssertionError(f"say in this file who may request {endpoint}")


def ends_sessions(endpoint):
    return endpoint.startswith("access.")


def is_let_in(client, role, method, path):
    body = {"word": "reject"} if method == "POST" else None
    again = ("", WORDS[role]) if method == "POST" and role is not None else None
    answer = client.open(path, method=method, headers=OURS, json=body, auth=again)
    answer.close()
    if answer.status_code == 302:
        return not answer.headers["Location"].startswith("/login?")
    return answer.status_code not in (401, 403)


def test_every_route_lets_in_those_it_is_for_and_nobody_else(site, table):
    table.show_picture()  # else its stream would wait for one
    seen = {}
    clients = {role: enter(site, role) for role in Role}
    for endpoint, method, path in sorted(routes(site), key=lambda route: ends_sessions(route[0])):
        for role in (None, *Role):
            is_fresh = role is not None and ends_sessions(endpoint)
            client = enter(site, role) if is_fresh else clients.get(role, site.test_client())
            if is_let_in(client, role, method, path):
                seen.setdefault(endpoint, set()).add(role)
    assert seen == {endpoint: wanted(endpoint) for endpoint, *_ in routes(site)}


def test_what_each_role_sees_is_as_early_as_its_rights_say(table, desk):
    table.publish(message="the newest")
    table.tell_referee(message="an illegal play stands")
    app = create_app(table, desk=desk, passwords=Passwords(HASHES), least_delay=30)
    seen = {role: enter(app, role).get("/api/state").json["message"] for role in Role}
    late = "shown with a delay of 30 s"
    assert seen == {
        Role.AUDIENCE: late,
        Role.VIEWER: late,
        Role.LIGHT_PLAYER: "the newest",
        Role.DARK_PLAYER: "the newest",
        Role.REFEREE: "an illegal play stands",
    }


def test_a_player_speaks_for_the_own_side(site, desk):
    for role, side in ((Role.LIGHT_PLAYER, Side.LIGHT), (Role.DARK_PLAYER, Side.DARK)):
        client = enter(site, role)
        assert client.get("/api/seat").json["player"] == side.value
        said = client.post("/api/seat/word", json={"word": "double"}, headers=OURS)
        assert said.json["can"] == ["double"]
        assert desk.commands.pop() == SeatCommand(side, DeskCommand.DOUBLE)
        for word in ("undo", "end_match", "cup_stands"):
            answer = client.post("/api/seat/word", json={"word": word}, headers=OURS)
            assert answer.status_code == 422
    assert desk.commands == []


def test_security_md_has_the_rights_of_every_role():
    """Its table says of each role in turn what it sees, how early, and what it says."""
    text = (Path(__file__).parents[3] / "SECURITY.md").read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    table = {role: cells for role, *cells in rows[1:] if role != "---"}
    assert list(table) == ["audience", "viewer", "player", "referee"]
    for role, rights in RIGHTS.items():
        sees, when, says = table["player" if rights.seat else role.value]
        assert ("everything" in sees) == (rights.sees is Visibility.EVERYTHING)
        assert ("record" in sees or "everything" in sees) == rights.reads_record
        assert ("--delay" in when) == rights.is_delayed
        assert (says != "nothing") == rights.speaks


def test_who_logs_everybody_out_sends_the_phone_away_too(table, desk):
    wizard = ScriptedWizard()
    app = create_app(table, desk=desk, passwords=Passwords(HASHES), wizard=wizard)
    assert enter(app, Role.VIEWER).post("/logout/everybody", headers=OURS).status_code == 403
    assert wizard.commands == []
    assert enter(app, Role.REFEREE).post("/logout/everybody", headers=OURS).status_code == 303
    assert wizard.commands == [("phone/away",)]
