"""The match in play is shown as it is judged: to the referee, and to nobody who plays."""

import sys
from contextlib import closing
from dataclasses import replace

import pytest

from engine import USUAL
from engine.ruleset import StreamAudience
from tableside.analysis import engines
from tableside.analysis.analyst import Analyst
from tableside.analysis.live import LiveAnalyst
from tableside.analysis.questions import questions
from tableside.analysis.store import AnswerStore
from tableside.cli import main
from tableside.record.store import Store
from tableside.review.match_cache import MatchCache
from tableside.site.state_hub import StateHub
from tests.tableside.sample_record import match_events, record_match
from webui.contracts.analysis import JudgedDecision, ShownChances
from webui.contracts.roles import Visibility

ENGINE = "test 1"
IDLE = (sys.executable, "-c", "import sys; sys.stdin.read()")
CHANCES: ShownChances = {
    "light": 0.6, "light_gammon": 0.2, "light_backgammon": 0.0, "dark_gammon": 0.1,
    "dark_backgammon": 0.0,
}  # fmt: skip


def judge_all(path, number, read):
    """Store an answer to every question of a match; each cube action is an error."""
    with AnswerStore(path, ENGINE) as answers:
        for one in questions(read.effective, read.entry.blank_state):
            loss = 0.2 if one.turn is None else 0.0
            decision: JudgedDecision = {
                "kind": "double" if one.turn is None else "play", "player": one.player.value,
                "loss": loss, "mark": "very bad" if loss else "", "counts": True,
                "best": "no_double" if one.turn is None else "8/5 6/5", "choices": [],
            }  # fmt: skip
            answers.begin(number, (one.event, one.key))
            answers.keep(number, (one.event, one.key), {
                "event": one.event, "game": one.game, "turn": one.turn,
                "player": one.player.value, "luck": 0.0, "chances": CHANCES,
                "decisions": [decision],
            })  # fmt: skip


def idle(path):
    """An analyst whose process does nothing."""
    return Analyst(path, find=lambda: ENGINE, command=IDLE)


def shown(folder, rules):
    """The three states of a table whose match has been judged."""
    path = folder / "record.sqlite"
    table = StateHub()
    with closing(Store.open(path)) as store:
        number = record_match(store, match_events(rules))
        read = MatchCache(store).read(number)
        judge_all(path, number, read)
        with closing(idle(path)) as analyst:
            LiveAnalyst(path, table, analyst).show(read)
    return {one: table.state(one)["analysis"] for one in Visibility}


def test_the_referee_sees_chances_ratings_and_errors(tmp_path):
    part = shown(tmp_path, USUAL)[Visibility.EVERYTHING]
    assert part["engine"] == ENGINE
    assert part["newest"]["chances"] == CHANCES
    assert part["play"] == "8/5 6/5"
    assert [one["kind"] for one in part["errors"]] == ["double", "double"]
    assert part["light"]["double"]["very_bad"] >= 1


@pytest.mark.parametrize("audience", StreamAudience)
def test_players_and_viewers_see_nothing_and_the_audience_what_the_rule_set_says(
    tmp_path, audience
):
    parts = shown(tmp_path, replace(USUAL, audience=audience))
    assert parts[Visibility.PLAYERS] is None
    sees_all = audience is StreamAudience.EVERYTHING
    assert (parts[Visibility.AUDIENCE] is not None) is sees_all
    assert parts[Visibility.EVERYTHING] is not None


def test_a_failure_is_shown_and_logged_once_and_does_not_end_the_commentary(tmp_path, caplog):
    path, table = tmp_path / "record.sqlite", StateHub()
    with closing(Store.open(path)) as store, closing(idle(path)) as analyst:
        live, cache = LiveAnalyst(path, table, analyst), MatchCache(store)
        for _ in range(2):
            live.update(cache, 1)
        part = table.state(Visibility.EVERYTHING)["analysis"]
        assert (str(part["note"]), part["engine"]) == ("there is no match 1 in the record", "")
        assert caplog.text.count("there is no match 1") == 1
        number = record_match(store, match_events())
        judge_all(path, number, cache.read(number))
        live.update(cache, number)
        live.update(cache, 9)
        live.update(cache, number)
    part = table.state(Visibility.EVERYTHING)["analysis"]
    assert (part["note"], part["engine"]) == ("", ENGINE)
    assert table.state(Visibility.PLAYERS)["analysis"] is None


def test_an_analysis_that_has_ended_is_noted_beside_what_was_judged(tmp_path):
    path, table = tmp_path / "record.sqlite", StateHub()
    code = (sys.executable, "-c", "import sys; sys.exit(1)")
    with (
        closing(Store.open(path)) as store,
        closing(Analyst(path, find=lambda: ENGINE, command=code)) as analyst,
    ):
        live, cache = LiveAnalyst(path, table, analyst), MatchCache(store)
        number = record_match(store, match_events())
        judge_all(path, number, cache.read(number))
        live.update(cache, number)
        analyst._process.wait()
        live.update(cache, number)
    part = table.state(Visibility.EVERYTHING)["analysis"]
    assert "ended unexpectedly" in str(part["note"])
    assert part["newest"]["chances"] == CHANCES


def test_answers_are_read_again_only_when_there_are_new_ones(tmp_path):
    class CountingAnalyst(Analyst):
        reads = 0

        def result(self, read):
            self.reads += 1
            return super().result(read)

    path, table = tmp_path / "record.sqlite", StateHub()
    with (
        closing(Store.open(path)) as store,
        closing(CountingAnalyst(path, find=lambda: ENGINE, command=IDLE)) as analyst,
    ):
        live, cache = LiveAnalyst(path, table, analyst), MatchCache(store)
        number = record_match(store, match_events())
        for _ in range(3):
            live.update(cache, number)
        assert analyst.reads == 1
        judge_all(path, number, cache.read(number))
        for _ in range(3):
            live.update(cache, number)
        assert analyst.reads == 2
    assert table.state(Visibility.EVERYTHING)["analysis"]["newest"] is not None


def test_live_analysis_without_an_engine_is_refused_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(engines, "engine_name", lambda: None)
    assert main(["live", "--no-camera", "--analysis"]) == 1
    assert "no backgammon engine is installed" in capsys.readouterr().err
