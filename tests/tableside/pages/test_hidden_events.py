"""What players may not know cannot be inferred: not from any page, its size, timing or version.

The same game is watched twice: once by rules under which a play is legal, once by rules under which
it is not (it hits and runs on). Nothing else differs. So whatever a role is shown of one may differ
from what it is shown of the other only where its rules announce the play.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from engine import Roll, Side
from engine.match.phase import Phase
from engine.ruleset import USUAL, Audience, HitAndRunRule, StreamAudience
from tableside.analysis.catalog.search import RecordCatalog
from tableside.review.archive import RecordArchive
from tests.at_length import at_length
from tests.tableside.running_match import RunningMatch
from tests.webui.http.test_auth import HASHES, enter
from tests.webui.streaming.test_delay import Clock
from webui.app import create_app
from webui.context import install_serving, serving_of
from webui.contracts.desk import DeskCommand
from webui.contracts.roles import RIGHTS, Role, Visibility
from webui.http.passwords import Passwords
from webui.pages.catalog import install_catalog
from webui.pages.dice import install_dice
from webui.pages.matches import install_review
from webui.streaming.delay import EventHistory, StateHistory
from webui.streaming.sse import StateEncoder

HIDDEN = (Audience.REFEREE, Audience.AFTER)
WATCHERS = (Role.AUDIENCE, Role.VIEWER, Role.LIGHT_PLAYER)
PAGES = (
    "/", "/tv", "/overlay", "/health", "/metrics", "/camera.jpg", "/api/state", "/api/session",
    "/api/seat", "/api/desk", "/api/turns", "/api/matches", "/api/matches/1", "/matches",
    "/matches/1", "/api/matches/1/events", "/api/matches/1/analysis",
    "/api/matches/1/files/match.mat", "/dice", "/api/dice", "/api/matches/1/dice",
    "/api/dice/rolls.csv", "/api/matches?state=review", "/matches?words=an", "/players",
)  # fmt: skip
CHANGING = ("Date", "Content-Security-Policy", "Set-Cookie", "X-RateLimit-Reset")
"""Headers with a random number or the time."""


class Watched:
    """A match, and what every moment of it was to those who watch."""

    def __init__(self, folder, announce, hit_and_run, delay=0.0, *, is_looked_at=True, **other):
        folder.mkdir()
        self.is_looked_at = is_looked_at
        rules = replace(USUAL, announce=announce, hit_and_run=hit_and_run, **other)
        # By clocks that stand still, versions count the changes and a busy computer is never late.
        self.running = RunningMatch(
            folder, clock=lambda: 1.8e9, seconds=lambda: 0.0, rule_set=rules
        )
        self.running.begin()
        self.known = []
        """Each state since the game began: its frame, and what the stream sends."""
        self.moments = {}
        """What every role gets from every page, by the moment."""
        self.clock = Clock()
        self.history = StateHistory(self.running.table, self.clock, self.clock.sleep)
        self.history.follow(lambda: True)  # the test notes each state itself
        self.broadcast = StateHistory(
            self.running.table, self.clock, self.clock.sleep, Visibility.AUDIENCE
        )
        self.broadcast.follow(lambda: True)
        self.archive = RecordArchive(self.running.recorder.path)
        self.app = create_app(
            self.running.table,
            desk=self.running.desk,
            passwords=Passwords(HASHES),
            least_delay=delay,
        )
        serving = serving_of(self.app)
        late = replace(
            serving,
            history=self.history,
            broadcast=self.broadcast,
            event_history=EventHistory(self.clock),
        )
        install_serving(self.app, late)
        install_review(self.app, self.archive)
        install_dice(self.app, self.archive.dice)
        self.catalog = RecordCatalog(self.running.recorder.path, shows_all=lambda: False)
        install_catalog(self.app, self.catalog)
        self.clients = {role: enter(self.app, role) for role in WATCHERS}
        self._follow(self.running.table)

    def _follow(self, table: Any) -> None:
        """Note every state that `table` publishes from now on."""
        publish, coder = table.publish_each, StateEncoder()
        newest = table.state()["version"]

        def noted(changes):
            nonlocal newest
            publish(changes)
            self.broadcast.note()
            if (state := table.state())["version"] != newest:
                newest = state["version"]
                sent = coder.event(state, Visibility.PLAYERS)
                self.known.append((self.running.live.timeline.newest.frame, sent))
                self.clock.sleep(0.2)
                self.history.note()

        table.publish_each = noted

    def look(self, moment):
        """Open every page as every role."""
        if not self.is_looked_at:
            return
        self.moments[moment] = {
            (role, path): answered(client.get(path))
            for role, client in self.clients.items()
            for path in PAGES
        }

    def play(self):
        """A game in which dark hits and runs on, with void throws before and after its answer."""
        running = self.running
        running.turn(Side.LIGHT, (6, 2), "24/18 13/11")
        self.look("before")
        running.turn(Side.DARK, (6, 1), "13/7*/6")
        self.is_illegal = running.recorder.state.phase is Phase.DISPUTED
        self.look("after the play")
        self.throw_cocked(Roll(4, 2), Side.LIGHT)
        running.turn(Side.LIGHT, (4, 2), "bar/21 6/4")
        self.throw_cocked(Roll(3, 1), Side.DARK)
        self.look("after another void throw")
        running.turn(Side.DARK, (3, 1), "8/5 6/5")
        running.desk.execute(DeskCommand.DOUBLE)
        self.look("after a double")
        self.in_play = len(self.known)
        running.desk.execute(DeskCommand.DROP)
        self.look("after the game")

    def throw_cocked(self, roll, side):
        self.running.board.throw(roll, side, flat=0.2)
        self.running.board.lift()
        self.running.show()


def answered(answer):
    """The whole answer but for what comes from a clock or a die."""
    headers = [item for item in answer.headers.items() if item[0] not in CHANGING]
    return answer.status_code, headers, answer.get_data()


@pytest.fixture
def watch(tmp_path):
    """A game by rules under which the play is legal, or by rules under which it is not."""
    watched = []

    def play(announce, rule, **more):
        name = f"{rule.value}-{len(watched)}"
        watched.append(Watched(tmp_path / name, announce, rule, **more))
        watched[-1].play()
        watched[-1].running.close()
        assert watched[-1].is_illegal == (rule is HitAndRunRule.FORBIDDEN)
        return watched[-1]

    yield play
    for one in watched:
        one.archive.close()
        one.catalog.close()


@pytest.mark.parametrize(
    "announce", [*HIDDEN, *(at_length(told) for told in Audience if told not in HIDDEN)]
)
def test_a_hidden_play_changes_nothing_that_anybody_is_shown(watch, announce):
    legal, illegal = (watch(announce, rule) for rule in HitAndRunRule)
    told = {moment for moment in legal.moments if illegal.moments[moment] != legal.moments[moment]}
    if announce in HIDDEN:
        assert illegal.known[: illegal.in_play] == legal.known[: legal.in_play]
    if announce is Audience.REFEREE:
        assert illegal.known == legal.known
        assert told == set()
    elif announce is Audience.AFTER:
        assert told == {"after the game"}
    else:
        assert told == {*legal.moments} - {"before"}


@pytest.mark.parametrize("announce", HIDDEN)
def test_a_play_that_no_die_explains_looks_as_any_other(tmp_path, announce):
    """Nothing tells how little it was trusted, and only the board differs."""
    states: list[Any] = []
    for play in ("13/7 8/7", "13/7 8/6"):
        folder = tmp_path / play.replace("/", "-")
        folder.mkdir()
        rules = replace(USUAL, announce=announce)
        running = RunningMatch(folder, clock=lambda: 1.8e9, seconds=lambda: 0.0, rule_set=rules)
        running.begin()
        running.turn(Side.LIGHT, (6, 1), play)
        archive = RecordArchive(running.recorder.path)
        states.append(
            (running.recorder.state.turns[0].event.legal, running.table.state(), archive.match(1))
        )
        running.close()
        archive.close()
    (is_legal, legal, recorded), (is_also_legal, illegal, recorded_too) = states
    assert (is_legal, is_also_legal) == (True, False)
    board = {"position", "ids", "pips", "last_play", "moves"}
    assert {key for key in legal if illegal[key] != legal[key]} == board
    for one in (legal["last_play"], illegal["last_play"]):
        one.pop("play")
    assert illegal["last_play"] == legal["last_play"]
    board = {"position", "pips", "play", "ids"}
    for step, other in zip(recorded["steps"], recorded_too["steps"], strict=True):
        assert {key for key in step if other[key] != step[key]} <= board


@pytest.mark.parametrize(
    ("announce", "delay"),
    [
        (Audience.BOTH, 10.0),
        (Audience.REFEREE, 600.0),
        at_length(Audience.OPPONENT, 60.0),
        at_length(Audience.AFTER, 120.0),
    ],
)
def test_within_the_delay_nothing_is_told_at_all(watch, announce, delay):
    watched = watch(announce, HitAndRunRule.FORBIDDEN, delay=delay)
    late = [role for role in WATCHERS if RIGHTS[role].is_delayed]
    first = watched.moments["before"]
    assert watched.clock.now - 1000.0 < 10.0, "the whole game is younger than the delay"
    for moment, seen in watched.moments.items():
        for role in late:
            for path in PAGES:
                assert seen[role, path] == first[role, path], (moment, role, path)
    watched.clock.sleep(delay)
    newest = watched.running.table.state()
    assert watched.clients[late[0]].get("/api/state").json["version"] == newest["version"]


@pytest.mark.parametrize("audience", StreamAudience)
def test_the_audience_of_a_delayed_stream_sees_what_the_referee_lets_it_see(watch, audience):
    rules = {"announce": Audience.REFEREE, "aids": False, "audience": audience}
    rules |= {"delay": 10.0, "is_looked_at": False}
    watched = watch(rules.pop("announce"), HitAndRunRule.FORBIDDEN, **rules)
    watched.clock.sleep(60.0)
    shown = {role: watched.clients[role].get("/api/state").json for role in WATCHERS}
    sees_all = {role for role, state in shown.items() if state["pips"] is not None}
    knows = {
        role
        for role, state in shown.items()
        if any(
            cell and cell["illegal"]
            for row in state["moves"]
            for cell in (row["light"], row["dark"])
        )
    }
    wanted = {Role.AUDIENCE} if audience is StreamAudience.EVERYTHING else set()
    assert (sees_all, knows) == (wanted, wanted)
    hidden = '<p class="pips" hidden>'
    assert {role for role in WATCHERS if hidden not in watched.clients[role].get("/").text} == (
        wanted
    )
    judged: Any = {"analysis": {"engine": "test 1"}}
    watched.running.table.publish(audience=judged if wanted else None, referee=judged)
    watched.clock.sleep(60.0)
    link = 'href="/commentary">'
    assert {role for role in WATCHERS if link in watched.clients[role].get("/").text} == wanted
    assert "as=audience" not in watched.clients[Role.VIEWER].get("/overlay").text
    for role in (Role.VIEWER, Role.LIGHT_PLAYER):
        assert watched.clients[role].get("/api/state?as=audience").status_code == 403


def test_only_a_delay_of_the_servers_lets_the_audience_see_more_than_the_players(watch):
    rules = {"aids": False, "audience": StreamAudience.EVERYTHING, "is_looked_at": False}
    watched = watch(Audience.REFEREE, HitAndRunRule.FORBIDDEN, **rules)
    watched.clock.sleep(60.0)
    paths = (
        "/api/state", "/api/state?as=audience", "/overlay", "/api/state?delay=0",
        "/api/state?delay=0.001", "/api/state?as=audience&delay=30", "/overlay?delay=0.001",
    )  # fmt: skip
    for path in paths:
        shown = watched.clients[Role.AUDIENCE].get(path).text
        assert shown == watched.clients[Role.AUDIENCE].get(path.replace("audience", "viewer")).text
        assert '"pips":{' not in shown


def test_a_token_of_the_overlay_lets_nobody_choose_to_see_more(watch):
    rules = {"aids": False, "audience": StreamAudience.EVERYTHING, "is_looked_at": False}
    watched = watch(Audience.REFEREE, HitAndRunRule.FORBIDDEN, **rules)
    token = watched.app.extensions["stream_links"].make("OBS")
    watched.clock.sleep(60.0)
    stream = watched.app.test_client().get(f"/api/events?as=audience&delay=0.001&token={token}")
    parts = iter(stream.response)
    state = next(part for part in parts if b"data: " in part).decode()
    stream.close()
    assert json.loads(state.partition("data: ")[2].splitlines()[0])["pips"] is None
