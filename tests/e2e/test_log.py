"""What a match over the network leaves in the log: both processes, no names and no passwords."""

from __future__ import annotations

import http.cookiejar
import json
import signal
import urllib.error
import urllib.parse
import urllib.request

import pytest

PASSWORDS = {"TABLESIDE_REFEREE_PASSWORD": "sapphire-7", "TABLESIDE_VIEWER_PASSWORD": "moonstone-8"}
NAMES = ("Xanthippe", "Zebulon")


class Visitor:
    """A browser's requests, with its cookies."""

    def __init__(self, url):
        self.url = url
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def ask(self, address, body=None, kind="application/json"):
        headers = {"X-Tableside": "1", "Content-Type": kind}
        request = urllib.request.Request(f"{self.url}{address}", body, headers)
        try:
            with self._opener.open(request, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code

    def log_in(self, password):
        body = urllib.parse.urlencode({"password": password}).encode()
        return self.ask("login", body, "application/x-www-form-urlencoded")

    def command(self, address, **words):
        return self.ask(f"api/desk/{address}", json.dumps(words).encode())


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name, value in {**PASSWORDS, "TABLESIDE_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def play_a_little(program):
    program.wait_for("recording match")
    visitor = Visitor(program.url)
    assert visitor.log_in("guessed-wrongly") == 401
    assert visitor.log_in(PASSWORDS["TABLESIDE_REFEREE_PASSWORD"]) == 200
    assert visitor.command("word", word="cup_roll") != 200  # there is no cup
    assert visitor.command("roll", dice=[6, 1]) == 200
    assert visitor.command("names", light=NAMES[1], dark=NAMES[0]) == 200
    assert visitor.command("word", word="end_match") == 200
    program.process.send_signal(signal.SIGINT)
    assert program.wait_for_exit() == 0, program.lines


def test_a_match_is_logged_by_both_processes_without_names_and_passwords(home, start):
    options = ("--host", "0.0.0.0", "--no-browser", "--light", NAMES[0], "--dark", NAMES[1])
    program = start("live", "--no-camera", *options)
    play_a_little(program)
    text = (home / "tableside.log").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert {line["process"] for line in lines} == {"MainProcess", "vision"}
    messages = [line["message"] for line in lines]
    assert messages[0].startswith("started: command live")
    assert messages[-1] == "stopped"
    for part in (
        "failed log-in from",
        "match 1 begins",
        "command RollEntered was carried out",
        "command cup_roll was refused: NotNow",
        "match 1 is closed",
    ):
        assert any(part in message for message in messages), part
    for secret in (*NAMES, *PASSWORDS.values(), "guessed-wrongly"):
        assert secret not in text, secret
