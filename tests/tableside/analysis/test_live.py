"""The match in play is shown as it is judged: to the referee, and to nobody who plays."""

from contextlib import closing
from dataclasses import replace

import pytest

from engine import USUAL
from engine.ruleset import StreamAudience
from tableside.analysis.analyst import Analyst
from tableside.analysis.live import LiveAnalyst
from tableside.analysis.questions import questions
from tableside.analysis.store import AnswerStore
from tableside.record.store import Store
from tableside.review.match_cache import MatchCache
from tableside.site.state_hub import StateHub
from tests.tableside.sample_record import match_events, record_match
from webui.contracts.analysis import JudgedDecision, ShownChances
from webui.contracts.roles import Visibility

ENGINE = "test 1"
CHANCES: ShownChances = {
    "light": 0.6, "light_gammon": 0.2, "light_backgammon": 0.0, "dark_gammon": 0.1,
    "dark_backgammon": 0.0,
}  # fmt: skip


def shown(folder, rules):
    """The three states of a table whose match has been judged."""
    path = folder / "record.sqlite"
    table = StateHub()
    with closing(Store.open(path)) as store:
        number = record_match(store, match_events(rules))
        read = MatchCache(store).read(number)
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
        with closing(Analyst(path, find=lambda: ENGINE, command=("sleep", "60"))) as analyst:
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
