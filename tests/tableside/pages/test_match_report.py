"""The report on a match: figures by kind, the worst errors with their boards."""

import pytest

from tableside.analysis.questions import questions
from tableside.analysis.store import AnswerStore
from tests.tableside.sample_archive import archived
from webui.app import create_app
from webui.contracts.analysis import JudgedDecision
from webui.pages.matches import install_review

ENGINE = "test 1"


@pytest.fixture
def record(tmp_path):
    record = archived(tmp_path, lambda: ENGINE)
    yield record
    record.close()


@pytest.fixture
def client(table, record):
    app = create_app(table)
    install_review(app, record.archive)
    return app.test_client()


def decision(kind, player, loss, mark, best, choices) -> JudgedDecision:
    return {
        "kind": kind, "player": player, "loss": loss, "mark": mark, "counts": True, "best": best,
        "choices": [{"choice": choice, "equity": equity} for choice, equity in choices],
    }  # fmt: skip


def judge_all(record):
    """Every play is the best, but turn 2 is doubtful and the first double very bad."""
    match = record.numbers["over"]
    read = record.archive._read(match)
    with AnswerStore(record.store.path, ENGINE) as answers:
        for one in questions(read.effective, read.entry.blank_state):
            side = one.player.value
            given = decision("play", side, 0.0, "", "24/23", [("24/23", 0.1)])
            if one.turn == 2:
                given = decision(
                    "play", side, 0.05, "doubtful", "13/11 13/9", [("13/11 13/9", 0.1)]
                )
            if one.turn is None:
                kind = one.about.answer or "double"
                loss, mark = (0.345, "very bad") if kind == "double" and one.game == 1 else (0, "")
                given = decision(kind, side, loss, mark, "no_double", [("no_double", 0.09)])
            key = one.event, one.key
            answers.begin(match, key)
            answers.keep(match, key, {
                "event": one.event, "game": one.game, "turn": one.turn, "player": one.player.value,
                "luck": 0.1 if one.turn else None, "chances": None, "decisions": [given],
            })  # fmt: skip


def test_the_report_shows_the_worst_errors_first_each_on_its_board(client, record):
    judge_all(record)
    page = client.get(f"/matches/{record.numbers['over']}/report").text
    assert "test 1" in page
    assert page.index("Double") < page.index("The worst errors")
    worst = page[page.index("The worst errors") :]
    assert worst.index("very bad") < worst.index("doubtful")
    assert worst.count('class="board"') == 2
    assert "13/11 13/9" in worst
    assert worst.count('id="board"') == 0, "ids are unique"
    assert "<script>" not in page


def test_a_match_that_is_not_analyzed_has_no_report(client, record):
    page = client.get(f"/matches/{record.numbers['over']}/report").text
    assert "has not been analyzed yet" in page
    assert 'class="board"' not in page


def test_the_report_of_a_match_in_play_is_withheld(client, record):
    judge_all(record)
    page = client.get(f"/matches/{record.numbers['odd']}/report").text
    assert "the match is still in progress" in page
    assert "<img src=x" not in page
