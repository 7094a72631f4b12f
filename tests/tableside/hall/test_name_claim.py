"""Of several tables with one name, exactly one publishes: the one that was there."""

from __future__ import annotations

import pytest

from tableside.hall.messages import Presence
from tableside.hall.name_claim import ANNOUNCE_S, ANSWER_S, REPEAT_S, RETURN_S, NameClaim


def said(instance, *, online=True):
    return Presence(online=online, instance=instance, page="", sent=0.0)


class Name:
    """Tables that hear what each of them says, as over a broker that keeps the last message."""

    def __init__(self):
        self.now, self.kept, self.claims = 0.0, None, {}

    def connect(self, *names):
        for name in names:
            claim = self.claims.setdefault(name, NameClaim(name, lambda: self.now))
            claim.connect()
            if self.kept is not None:
                self.hear(claim, name, self.kept, is_kept=True)

    def hear(self, claim, name, message, *, is_kept):
        if claim.hear(message, is_kept=is_kept):
            self.say(said(name, online=False))

    def say(self, message, *, is_kept=False):
        if is_kept:
            self.kept = message
        for name, claim in self.claims.items():
            if claim.is_connected:
                self.hear(claim, name, message, is_kept=False)

    def lose_broker(self, *, forgets):
        for claim in self.claims.values():
            claim.disconnect()
        if forgets:
            self.kept = None

    def leave(self, name):
        self.claims.pop(name)
        self.say(said(name, online=False), is_kept=True)

    def after(self, seconds):
        """Which tables hold the name after so long."""
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            for name, claim in self.claims.items():
                if claim.take():
                    self.say(said(name), is_kept=True)
        return {name for name, claim in self.claims.items() if claim.is_held}


@pytest.fixture
def name():
    return Name()


@pytest.mark.parametrize("other", ["a", "c"])
def test_the_first_keeps_the_name_until_it_leaves(name, other):
    name.connect("b")
    assert name.after(ANNOUNCE_S + 1) == {"b"}
    name.connect(other)
    assert name.after(60) == {"b"}
    assert name.claims[other].is_taken
    name.leave("b")
    assert name.after(1) == {other}


def test_of_two_that_come_at_once_one_has_the_name(name):
    name.connect("a", "b")
    assert name.after(60) == {"a"}
    assert name.claims["b"].is_taken


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("order", ["bxa", "xba", "axb", "xab"])
def test_a_restarted_broker_gives_the_name_to_no_other(name, order, forgets):
    """Also if the table that had it comes back seconds after the other, at x."""
    for holder, waits in ("ab", "ba"):
        name = Name()
        name.connect(holder)
        name.after(ANNOUNCE_S + 1)
        name.connect(waits)
        assert name.after(ANSWER_S + 1) == {holder}
        name.lose_broker(forgets=forgets)
        for step in order:
            if step == "x":
                name.after(8)
            else:
                name.connect(step)
        assert name.after(60) == {holder}
        assert name.claims[waits].is_taken


def test_a_table_that_died_with_the_broker_blocks_its_name_for_seconds_only(name):
    name.kept = said("dead")
    name.connect("b")
    assert name.after(ANSWER_S - 1) == set()
    assert name.after(2) == {"b"}
    name.connect("c")
    name.after(ANSWER_S + 1)
    name.lose_broker(forgets=False)
    del name.claims["b"]
    name.connect("c")
    assert name.after(RETURN_S + 1) == {"c"}


def test_the_last_will_of_an_earlier_start_does_not_stand(name):
    name.connect("b")
    name.after(ANNOUNCE_S + 1)
    name.say(said("before", online=False), is_kept=True)
    assert name.after(1) == {"b"}
    assert name.kept == said("b")


def test_a_table_that_waits_asks_again_now_and_then_and_the_first_keeps_the_name(name):
    name.connect("first")
    name.after(ANNOUNCE_S)
    name.connect("second")
    name.after(ANSWER_S)
    second, asked = name.claims["second"], 0
    for _ in range(3):
        assert name.after(REPEAT_S) == {"first"}
        if second.asks_again():
            asked += 1
            name.say(said("second", online=False))
    assert asked == 3
    assert not second.asks_again()
    assert name.after(REPEAT_S) == {"first"}
