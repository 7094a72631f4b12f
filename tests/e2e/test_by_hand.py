"""`live --no-camera` as users start it: a match at the desk with a virtual cup, and its proof."""

from __future__ import annotations

import json
import signal
import time
import urllib.error
import urllib.request

import pytest

from tests.e2e.conftest import run

pytestmark = pytest.mark.slow
OPTIONS = ("--light", "Ann", "--dark", "Bob", "--length", "1", "--no-browser")


class DeskClient:
    """The desk of a running program, over its API."""

    def __init__(self, program):
        program.wait_for("recording match")
        self.program = program

    def ask(self, address, body=None):
        request = urllib.request.Request(
            f"{self.program.url}api/desk{address}",
            None if body is None else json.dumps(body).encode(),
            {"X-Tableside": "1", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            return json.load(refused)

    def play(self, turns):
        """Play this many turns, or all: the cup rolls, and the play that bears off most is made."""
        while turns:
            now = self.ask("")
            if now.get("phase") == "over":
                return
            if "telling" not in now or now["telling"]["dice"] is None:
                cup = self.program.state()["cup"]  # none yet while the match is being started
                if cup is not None and cup["state"] == "words":
                    self.ask("/cup/words", {"light": "walnut", "dark": "elm"})
                self.ask("/word", {"word": "cup_roll"})
                continue
            turn = self.ask("/plays")
            if "plays" in turn:
                best = max(turn["plays"], key=lambda one: one["position"][turn["player"]][0])
                self.ask("/play", {"play": best["play"]})
                turns -= 1


def wait_until_revealed(program):
    """Waits until the cup has revealed its seed."""
    until = time.monotonic() + 30
    while program.state()["cup"]["state"] != "revealed":
        assert time.monotonic() < until, program.state()["cup"]
        time.sleep(0.05)


def test_a_match_without_a_camera_is_played_on_after_a_restart_and_proven(start, tmp_path):
    record = tmp_path / "record.sqlite"
    args = ("live", "--no-camera", "--cup", "virtual", *OPTIONS, "--record", record)
    for turns in (10, 400):
        program = start(*args)
        DeskClient(program).play(turns)
        if turns == 400:
            wait_until_revealed(program)
        program.process.send_signal(signal.SIGINT)
        assert program.wait_for_exit() == 0, program.lines
    code, output, _ = run("cup", "verify", "last", "--record", record)
    assert code == 0
    assert "all proven" in output
    assert ", 0 are not" in output
    code, output, _ = run("check", "--json", tmp_path / "match-1" / "match.mat")
    assert code == 0
    report = json.loads(output)
    assert report["plays"] > 30
    assert report["illegal"] == report["faults"] == []
