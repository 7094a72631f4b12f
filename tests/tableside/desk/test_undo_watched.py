"""Undo at the desk of a match that a camera watches, across its games."""

from __future__ import annotations

import pytest

from engine import NotNow, Phase, Side
from engine.events.codec import as_json
from engine.match.amendments import effective_events
from engine.match.corrections import RollFixed
from tests.tableside.running_match import OPENING, RunningMatch
from webui.contracts.desk import DeskCommand, PlayEntered, Resignation, RollEntered

LIGHT, DARK = Side
FIRST = [
    (LIGHT, (3, 1), "8/5 6/5"),
    (DARK, (4, 2), "8/4 6/4"),
    (LIGHT, (6, 1), "13/7 8/7"),
]
SECOND = [(DARK, (3, 1), "8/5 6/5"), (LIGHT, (4, 2), "8/4 6/4")]
WRONG = Resignation(player=DARK, times=2)


@pytest.fixture
def match(tmp_path):
    """A match of which the camera has seen three turns."""
    one = RunningMatch(tmp_path)
    one.begin()
    for turn in FIRST:
        one.turn(*turn)
    yield one
    one.close()


def set_up_again(match):
    """Put the checkers back for the next game, in view of the camera."""
    match.board.move_hand()
    match.board.position, match.board.dice = OPENING, ()
    match.board.rest(4)
    match.show()


def standing(match):
    """What the record on the disk says, without the times at which it was entered."""
    events = map(as_json, effective_events(match.on_disk()))
    return [
        {key: one for key, one in event.items() if key not in ("time", "frame")} for event in events
    ]


def execute(match, *commands):
    for command in commands:
        match.desk.execute(command)


def test_a_correction_in_an_earlier_game_is_undone_and_the_games_since_stay(match):
    first = standing(match)
    execute(match, RollFixed(2, (5, 3)), Resignation(player=DARK, times=1))
    set_up_again(match)
    for turn in SECOND:
        match.turn(*turn)
    execute(match, DeskCommand.DOUBLE, DeskCommand.DROP)
    set_up_again(match)
    match.turn(*SECOND[0])
    before = standing(match)
    execute(match, RollFixed(4, (6, 2)), RollFixed(6, (6, 2)), DeskCommand.UNDO, DeskCommand.UNDO)
    assert standing(match) == before
    execute(match, DeskCommand.UNDO)
    assert standing(match)[: len(first)] == first
    state = match.recorder.state
    assert (state.games, state.score, len(state.effective_turns)) == (3, (1, 1), 6)
    assert match.plays == [play for _, _, play in [*FIRST, *SECOND, SECOND[0]]]
    with pytest.raises(NotNow, match="nothing to undo"):
        execute(match, DeskCommand.UNDO)
    match.turn(*SECOND[1])
    assert match.plays[-1] == SECOND[1][-1]


def test_a_wrong_result_is_undone_though_the_board_is_set_up_for_the_next_game(match):
    execute(match, WRONG)
    set_up_again(match)
    assert (match.recorder.state.games, match.recorder.state.score) == (2, (2, 0))
    execute(match, DeskCommand.UNDO)
    state = match.recorder.state
    assert (state.games, state.score, state.unresolved_games) == (2, (0, 0), (1,))
    execute(match, Resignation(player=DARK, times=1, game=1))
    for turn in SECOND:
        match.turn(*turn)
    state = match.recorder.state
    assert (state.games, state.score, state.unresolved_games) == (2, (1, 0), ())
    assert match.plays == [play for _, _, play in [*FIRST, *SECOND]]
    assert "undo" in match.desk.status()["cannot"], "play has gone on from it"


def test_a_game_begun_by_hand_is_undone_before_the_result_that_it_followed(match):
    before = standing(match)
    execute(match, DeskCommand.DOUBLE, DeskCommand.DROP, DeskCommand.BEGIN_GAME)
    for phase in (Phase.OVER, Phase.DOUBLED, Phase.TO_ROLL):
        execute(match, DeskCommand.UNDO)
        assert match.recorder.state.phase is phase
    assert standing(match) == before
    match.turn(DARK, (6, 5), "13/7 13/8")
    assert (match.plays[-1], match.recorder.state.games) == ("13/8 13/7", 1)


def test_entries_that_the_camera_also_saw_are_undone_to_what_it_saw(match):
    execute(match, RollEntered((6, 5)), PlayEntered("13/7 13/8"))
    match.turn(DARK, (6, 5), "13/7 13/8")
    execute(match, Resignation(player=LIGHT, times=1))
    set_up_again(match)
    for turn in SECOND:
        match.turn(*turn)
    execute(match, DeskCommand.UNDO, DeskCommand.UNDO)
    assert {event["by"] for event in standing(match) if event["type"] in ("roll", "play")} == {
        "sight"
    }
    state = match.recorder.state
    assert (state.games, state.score, len(state.effective_turns)) == (2, (0, 1), 6)
