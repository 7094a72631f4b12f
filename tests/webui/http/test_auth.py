"""Who may see and say what: the login, the roles, and where a command must come from."""

from __future__ import annotations

import threading
import time
from base64 import b64encode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from webui.app import create_app
from webui.contracts.roles import Role
from webui.http.attempts import MOST_WAITING
from webui.http.auth import still_logged_in
from webui.http.passwords import Passwords, hashed, is_hash, new_password
from webui.http.sessions import Sessions

WORDS = {role: f"only-the-{role.value}-knows-this" for role in Role}
HASHES = {role: hashed(word, b"one salt for all") for role, word in WORDS.items()}
OURS = {"Origin": "http://localhost"}


@pytest.fixture
def closed(table, desk):
    """A table that asks for a password."""
    return create_app(table, desk=desk, passwords=Passwords(HASHES))


def enter(app, role, **more):
    client = app.test_client()
    client.post("/login", data={"password": WORDS[role]}, headers=OURS, **more)
    return client


PROTECTED = ("/api/state", "/api/events", "/camera.jpg", "/camera.mjpg", "/metrics", "/api/turns")


@pytest.mark.parametrize("path", PROTECTED)
def test_without_the_cookie_nothing_is_served(closed, path):
    answer = closed.test_client().get(path)
    assert answer.status_code == 401
    assert "/login" in answer.text


def test_a_browser_without_the_cookie_is_shown_the_log_in(closed):
    client = closed.test_client()
    answer = client.get("/", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login?next=/")
    page = client.get(answer.headers["Location"])
    assert page.status_code == 200
    assert 'type="password"' in page.text
    assert "<script>" not in page.text


@pytest.mark.parametrize("path", ["/health", "/static/shared/page.css", "/login"])
def test_what_the_log_in_needs_is_served_to_anybody(closed, path):
    assert closed.test_client().get(path, buffered=True).status_code == 200


def test_a_password_gives_its_role_in_a_cookie_that_scripts_and_strangers_do_not_get(closed):
    client = closed.test_client()
    answer = client.post("/login", data={"password": WORDS[Role.VIEWER]}, headers=OURS)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert WORDS[Role.VIEWER] not in cookie
    assert client.get("/api/session").json == {"role": "viewer", "login": True}
    assert enter(closed, Role.REFEREE).get("/api/session").json["role"] == "referee"


def test_a_wrong_password_gives_nothing(closed):
    client = closed.test_client()
    answer = client.post("/login", data={"password": "let me in"}, headers=OURS)
    assert answer.status_code == 401
    assert "let me in" not in answer.text
    assert "Set-Cookie" not in answer.headers
    assert client.get("/api/state").status_code == 401


def test_whoever_logs_out_is_nobody(closed):
    client = enter(closed, Role.REFEREE)
    assert client.post("/logout", headers=OURS).status_code == 303
    assert client.get("/api/state").status_code == 401


ELSEWHERE = (
    "//evil.example/",
    "///evil.example/",
    "https://evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
    "evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r/evil.example",
    "/\x00/evil.example",
    "/ /evil.example",
    "/\u2028/evil.example",
    "\t//evil.example",
    " //evil.example",
    "",
)


@pytest.mark.parametrize("away", ELSEWHERE)
def test_the_log_in_leads_nowhere_else(closed, away):
    client, password = closed.test_client(), WORDS[Role.VIEWER]
    by_address = client.post(
        "/login", query_string={"next": away}, data={"password": password}, headers=OURS
    )
    by_form = client.post("/login", data={"password": password, "next": away}, headers=OURS)
    already_in = client.get("/login", query_string={"next": away})
    for answer, status in ((by_address, 303), (by_form, 303), (already_in, 302)):
        assert (answer.status_code, answer.headers["Location"]) == (status, "/")


@pytest.mark.parametrize("path", ["/", "/desk", "/matches/1?game=2", "/a//b", "/%09/x"])
def test_the_log_in_leads_to_the_page_that_was_asked_for(closed, path):
    client = enter(closed, Role.VIEWER)
    answer = client.get("/login", query_string={"next": path})
    assert (answer.status_code, answer.headers["Location"]) == (302, path)


def test_a_viewer_commands_nothing_and_sees_no_more_than_players_may(closed, desk):
    client = enter(closed, Role.VIEWER)
    answer = client.post("/api/desk/word", json={"word": "undo"}, headers=OURS)
    assert answer.status_code == 403
    assert "referee" in answer.json["message"]
    assert client.get("/api/desk").status_code == 403
    assert client.get("/api/turns/1").status_code == 403
    assert client.get("/api/state").status_code == 200
    assert client.get("/api/state?as=referee").status_code == 403
    assert client.get("/api/events?as=referee").status_code == 403
    assert desk.commands == []


def test_each_role_is_shown_its_own_state(closed, table):
    table.tell_referee(message="an illegal play stands")
    assert enter(closed, Role.VIEWER).get("/api/state").json["message"] != "an illegal play stands"
    referee = enter(closed, Role.REFEREE)
    assert referee.get("/api/state").json["message"] == "an illegal play stands"
    assert referee.get("/api/state?as=viewer").json["message"] != "an illegal play stands"
    stream = iter(referee.get("/api/events").response)
    assert b"an illegal play stands" in b"".join(next(stream) for _ in range(2))
    assert "an illegal play stands" not in referee.get("/").text


def test_where_nobody_logs_in_everybody_is_the_referee(client, desk):
    assert client.get("/api/session").json == {"role": "referee", "login": False}
    answer = client.post("/api/desk/word", json={"word": "undo"}, headers=OURS)
    assert answer.status_code == 200
    assert len(desk.commands) == 1


FORGED = (
    {},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://[bad"},
    {"Origin": "http://evil.example", "X-Tableside": "1"},
    {"Origin": "http://localhost:9999"},
)


@pytest.mark.parametrize("headers", FORGED)
def test_a_command_that_does_not_come_from_the_page_is_refused(client, desk, headers):
    answer = client.post("/api/desk/word", json={"word": "undo"}, headers=headers)
    assert answer.status_code == 403
    assert "X-Tableside" in answer.json["message"]
    assert desk.commands == []


def test_a_log_in_that_does_not_come_from_the_page_is_refused(closed):
    answer = closed.test_client().post("/login", data={"password": WORDS[Role.REFEREE]})
    assert answer.status_code == 403


def test_a_program_says_that_it_means_it(client):
    answer = client.post("/api/desk/word", json={"word": "undo"}, headers={"X-Tableside": "1"})
    assert answer.status_code == 200


def test_passwords_cannot_be_tried_at_leisure(closed):
    client = closed.test_client()
    tries = [
        client.post("/login", data={"password": "guess"}, headers=OURS).status_code
        for _ in range(6)
    ]
    assert tries == [401] * 5 + [429]
    late = client.post("/login", data={"password": WORDS[Role.REFEREE]}, headers=OURS)
    assert late.status_code == 429
    assert late.headers["Retry-After"]
    assert client.get("/login").status_code == 200


def test_many_machines_that_guess_lock_nobody_out(closed, monkeypatch):
    with monkeypatch.context() as quick:
        quick.setattr(Passwords, "role_of", lambda *_: None)
        for number in range(100):
            assert at_the_form(closed, "guess", f"192.168.1.{number}").status_code == 401
    assert at_the_form(closed, WORDS[Role.REFEREE], "192.168.1.200").status_code == 303


def test_the_addresses_of_one_ipv6_network_are_one_guesser(closed):
    tries = [at_the_form(closed, "guess", f"2001:db8::{n}").status_code for n in range(1, 8)]
    assert tries == [401] * 5 + [429] * 2
    assert at_the_form(closed, "guess", "2001:db8:0:1::1").status_code == 401


def test_the_referee_gets_in_before_the_second_guesses_of_forty_machines(table, desk):
    """200 guesses are waiting: at most one of each machine is checked before the referee."""
    passwords = HeldPasswords()
    app = create_app(table, desk=desk, passwords=passwords)
    with ThreadPoolExecutor(202) as threads:
        first = threads.submit(at_the_form, app, "first", "10.0.0.1")
        passwords.wait_for(1)
        guesses = [
            threads.submit(at_the_form, app, f"guess {n}", f"10.0.0.{n % 40 + 1}")
            for n in range(200)
        ]
        wait_until(lambda: sum(guess.done() for guess in guesses) >= 200 - MOST_WAITING)
        referee = threads.submit(at_the_form, app, WORDS[Role.REFEREE], "10.0.0.99")
        passwords.let_go()
        assert referee.result(60).status_code == 303
        assert passwords.checked.index(WORDS[Role.REFEREE]) <= 41
        assert first.result(60).status_code == 401
        assert {guess.result(60).status_code for guess in guesses} <= {401, 429}


def test_a_log_out_ends_the_session_for_every_copy_of_its_cookie(closed):
    client = enter(closed, Role.REFEREE)
    cookie = client.get_cookie(closed.config["SESSION_COOKIE_NAME"]).value
    client.post("/logout", headers=OURS)
    thief = closed.test_client()
    thief.set_cookie(closed.config["SESSION_COOKIE_NAME"], cookie)
    assert thief.get("/api/state").status_code == 401


def test_the_referee_can_log_everybody_out(closed):
    viewer, other = enter(closed, Role.VIEWER), enter(closed, Role.REFEREE)
    stream = viewer.get("/api/events").response
    assert b"retry" in next(stream)
    assert b"event: state" in next(stream)
    assert viewer.post("/logout/everybody", headers=OURS).status_code == 403
    assert viewer.get("/api/state").status_code == 200
    assert other.post("/logout/everybody", headers=OURS).status_code == 303
    assert {one.get("/api/state").status_code for one in (viewer, other)} == {401}
    assert not [part for part in stream if b"event: state" in part], "it ends, and tells no more"
    assert enter(closed, Role.VIEWER).get("/api/state").status_code == 200


def test_a_session_ends_when_it_is_not_used_and_at_the_end_of_the_day():
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    idle, used = sessions.begin(Role.VIEWER), sessions.begin(Role.REFEREE)
    for hour in range(1, 17):
        now[0] = hour * 3600.0
        assert sessions.role_of(used) is Role.REFEREE
    assert sessions.role_of(idle) is None
    now[0] += 1
    assert sessions.role_of(used) is None
    assert sessions.role_of(None) is None


def test_commands_cannot_flood_the_table(client):
    said = [
        client.post("/api/desk/word", json={"word": "undo"}, headers=OURS).status_code
        for _ in range(121)
    ]
    assert said == [200] * 120 + [429]
    assert client.get("/api/desk").status_code == 200


def test_on_a_network_every_address_is_ours_but_no_foreign_name(table):
    app = create_app(table, hosts=["table.local"], any_address=True)
    for host, status in {
        "192.168.1.20:8000": 200,
        "[fe80::1]:8000": 200,
        "table.local": 200,
        "evil.example": 421,
        "192.168.1.20.evil.example": 421,
    }.items():
        assert app.test_client().get("/health", headers={"Host": host}).status_code == status


def test_a_stored_password_is_a_hash():
    kept = hashed("secret")
    assert "secret" not in kept
    assert is_hash(kept)
    assert not is_hash("secret")
    assert Passwords({Role.REFEREE: kept}).role_of("secret") is Role.REFEREE
    assert Passwords({Role.REFEREE: kept}).role_of("Secret") is None
    assert Passwords({Role.VIEWER: kept, Role.REFEREE: kept}).role_of("secret") is Role.REFEREE
    assert new_password() != new_password()
    assert len(new_password()) == 14


def test_one_hash_tells_the_passwords_of_all_roles_apart():
    found = CountingPasswords()
    assert [found.role_of(word) for word in WORDS.values()] == [*Role]
    assert found.role_of("wrong") is None
    assert found.hashes == len(Role) + 1


def test_hashes_of_earlier_versions_open_as_before():
    with_own_salt = {role: hashed(word) for role, word in WORDS.items()}
    assert [Passwords(with_own_salt).role_of(word) for word in WORDS.values()] == [*Role]


def basic(password):
    return {"Authorization": f"Basic {b64encode(f'anybody:{password}'.encode()).decode()}"}


@pytest.mark.parametrize("path", ["/metrics", "/api/state", "/overlay", "/camera.jpg"])
@pytest.mark.parametrize("role", Role)
def test_a_password_in_a_header_reads_as_a_viewer_or_the_audience_does(closed, role, path):
    client = closed.test_client()
    bearer = {"Authorization": f"Bearer {WORDS[role]}"}
    for headers in (basic(WORDS[role]), bearer):
        may = role is Role.REFEREE or path != "/metrics"
        assert client.get(path, headers=headers).status_code in ((200, 204) if may else (403,))
        reads_as = "audience" if role is Role.AUDIENCE else "viewer"
        assert client.get("/api/session", headers=headers).json["role"] == reads_as
        assert client.get("/desk", headers=headers).status_code == 403


def test_a_password_in_a_header_commands_nothing(closed, desk):
    headers = {**basic(WORDS[Role.REFEREE]), "X-Tableside": "1"}
    word = {"word": "pause"}
    answer = closed.test_client().post("/api/desk/word", json=word, headers=headers)
    assert answer.status_code == 401
    assert desk.commands == []


@pytest.mark.parametrize("path", ["/metrics", "/overlay"])
def test_only_what_programs_open_asks_for_a_password_in_a_header(closed, path):
    client = closed.test_client()
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].lower().startswith("basic realm=")
    assert "WWW-Authenticate" not in client.get("/api/state").headers


def test_passwords_in_headers_are_not_guessed_at_leisure(closed):
    client = closed.test_client()
    for _ in range(5):
        assert client.get("/metrics", headers=basic("wrong")).status_code == 401
    assert client.get("/metrics", headers=basic("wrong")).status_code == 429
    assert client.get("/metrics", headers=basic(WORDS[Role.REFEREE])).status_code == 429


class HeldPasswords(Passwords):
    """Passwords whose first check waits until it is let go."""

    def __init__(self):
        super().__init__(HASHES)
        self.checked, self._go = [], threading.Event()

    def role_of(self, password):
        self.checked.append(password)
        self._go.wait(60)
        return super().role_of(password)

    def wait_for(self, count):
        wait_until(lambda: len(self.checked) >= count)

    def let_go(self):
        self._go.set()


def wait_until(is_so):
    for _ in range(6000):
        if is_so():
            return
        time.sleep(0.01)
    raise TimeoutError


class CountingPasswords(Passwords):
    """Passwords that count how many were checked, and how many of them at once."""

    def __init__(self):
        super().__init__(HASHES)
        self.checked, self.at_once, self.most_at_once = [], 0, 0
        self.hashes = 0
        self._counting = threading.Lock()

    def role_of(self, password):
        with self._counting:
            self.checked.append(password)
        return super().role_of(password)

    def _opened(self, kept, password):
        with self._counting:
            self.hashes += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return super()._opened(kept, password)
        finally:
            with self._counting:
                self.at_once -= 1


def at_the_form(app, password, address="127.0.0.1"):
    return app.test_client().post(
        "/login",
        data={"password": password},
        headers=OURS,
        environ_base={"REMOTE_ADDR": address},
    )


def as_basic(app, password, address="127.0.0.1"):
    return app.test_client().get(
        "/metrics", headers=basic(password), environ_base={"REMOTE_ADDR": address}
    )


def as_bearer(app, password, address="127.0.0.1"):
    return app.test_client().get(
        "/metrics",
        headers={"Authorization": f"Bearer {password}"},
        environ_base={"REMOTE_ADDR": address},
    )


EVERY_WAY = pytest.mark.parametrize("tried", [at_the_form, as_basic, as_bearer])


def all_at_once(app, tried, passwords):
    """The answers to all passwords, each tried by its own thread at the same moment."""
    start = threading.Barrier(len(passwords))

    def one(password):
        start.wait(30)
        return tried(app, password)

    with ThreadPoolExecutor(len(passwords)) as threads:
        return list(threads.map(one, passwords))


@EVERY_WAY
def test_of_guesses_made_at_once_no_more_are_checked_than_of_those_made_in_turn(table, desk, tried):
    passwords = CountingPasswords()
    app = create_app(table, desk=desk, passwords=passwords)
    answers = all_at_once(app, tried, [f"guess {number}" for number in range(60)])
    assert Counter(answer.status_code for answer in answers) == {401: 5, 429: 55}
    assert len(passwords.checked) == 5
    assert passwords.most_at_once == 1
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    elsewhere = tried(app, WORDS[Role.REFEREE], "192.168.1.7")
    assert elsewhere.status_code in (200, 303)


@EVERY_WAY
def test_passwords_that_are_right_are_no_guesses(closed, tried):
    answers = [tried(closed, WORDS[role]) for role in Role for _ in range(4)]
    assert {answer.status_code for answer in answers} <= {200, 303, 403}
    wrong = [tried(closed, "guess").status_code for _ in range(6)]
    assert wrong == [401] * 5 + [429]


def test_a_right_password_in_many_headers_at_once_is_checked_once(table, desk):
    passwords = CountingPasswords()
    app = create_app(table, desk=desk, passwords=passwords)
    answers = all_at_once(app, as_basic, [WORDS[Role.REFEREE]] * 20)
    assert {answer.status_code for answer in answers} == {200}
    assert len(passwords.checked) == 1


def test_who_has_guessed_too_often_is_not_counted_among_all(closed):
    assert [at_the_form(closed, "guess").status_code for _ in range(40)][5:] == [429] * 35
    assert at_the_form(closed, "guess", "192.168.1.7").status_code == 401


def test_who_has_logged_in_can_log_out(closed):
    client = enter(closed, Role.VIEWER)
    assert "Log out" in client.get("/").text
    assert client.post("/logout", headers=OURS).headers["Location"] == "/login"
    assert client.get("/api/state").status_code == 401
    assert "Log out" not in closed.test_client().get("/", headers=basic(WORDS[Role.VIEWER])).text


@pytest.fixture
def late(table, desk):
    """A table whose viewers are a minute behind."""
    return create_app(table, desk=desk, passwords=Passwords(HASHES), least_delay=60)


def test_viewers_are_behind_whatever_they_ask_for_and_the_referee_is_not(late, table):
    table.publish(message="just now")
    table.show_picture()
    viewer, referee = enter(late, Role.VIEWER), enter(late, Role.REFEREE)
    for path in ("/api/state", "/api/state?delay=0", "/", "/overlay?delay=0"):
        assert "just now" not in viewer.get(path).text
    assert viewer.get("/camera.jpg").status_code == 204
    assert 'data-delay="60' in viewer.get("/overlay?delay=0").text
    assert referee.get("/api/state").json["message"] == "just now"
    assert referee.get("/camera.jpg").status_code == 200


def test_a_stream_ends_if_its_link_or_session_ends_before_it_begins(closed):
    token = closed.extensions["stream_links"].make("OBS")
    with closed.test_request_context(f"/api/events?token={token}"):
        assert closed.preprocess_request() is None
        goes_on = still_logged_in()
        assert goes_on()
        (link,) = closed.extensions["stream_links"].listed()
        closed.extensions["stream_links"].withdraw(link.id)
        assert not goes_on()
        assert not still_logged_in()()
    name = closed.config["SESSION_COOKIE_NAME"]
    cookie = enter(closed, Role.VIEWER).get_cookie(name)
    with closed.test_request_context("/api/events", headers={"Cookie": f"{name}={cookie.value}"}):
        assert closed.preprocess_request() is None
        closed.extensions["sessions"].end_all()
        assert not still_logged_in()()
