"""What players do to a board that no rule foresees: each has its event, and none a silent play."""

from __future__ import annotations

import numpy as np
import pytest

from engine import IllegalMade, Phase, PlayMade, Setup, Unfinished
from tests.refereed import DARK, LIGHT, match, three_turns


def mixed_up(position, checkers, seed=5):
    """`position` with that many checkers of each side pushed anywhere."""
    rng = np.random.default_rng(seed)
    sides = [list(position.light), list(position.dark)]
    for _ in range(checkers):
        for own, other in (sides, sides[::-1]):
            source = rng.choice([p for p in range(1, 25) if own[p]])
            target = rng.choice([p for p in range(1, 25) if not other[25 - p]])
            own[source] -= 1
            own[target] += 1
    return Setup(*map(tuple, sides)).checked()


def midway():
    """A match in which dark is to roll; `events` begin there."""
    one = match(light_throws_right=True)
    three_turns(one)
    one.begun, one.events = one.state, []
    return one


@pytest.mark.parametrize("checkers", [2, 4, 10])
@pytest.mark.parametrize("lifted", [True, False])
def test_checkers_that_are_mixed_up_in_a_turn_are_no_play_in_silence(checkers, lifted):
    one = midway()
    one.throw((5, 3), DARK)
    one.table.play(mixed_up(one.table.position, checkers), looks=4)
    one.look()
    if lifted:
        one.lift(looks=6)
    one.events += one.referee.finish(one.table.clock + 1, 0)
    assert all(isinstance(e, IllegalMade) and e.review for e in one.of(PlayMade))
    one.check_fold()


def test_a_board_that_is_left_mixed_up_is_an_unfinished_game():
    one = midway()
    one.throw((5, 3), DARK)
    one.table.play(mixed_up(one.table.position, 10), looks=4)
    one.look()
    one.lift(looks=6)
    assert one.of(PlayMade) == []
    one.events += one.referee.finish(one.table.clock + 1, 0)
    assert [broken.game for broken in one.of(Unfinished)] == [1]
    assert one.of(PlayMade) == []
    one.check_fold()


@pytest.mark.parametrize("checkers", [2, 10])
@pytest.mark.parametrize("thrown", [True, False])
def test_a_board_that_is_put_right_again_is_played_on(checkers, thrown):
    one = midway()
    before = one.table.position
    if thrown:
        one.throw((5, 3), DARK)
    one.table.play(mixed_up(before, checkers), looks=4)
    one.look()
    one.set_up(before)
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.turn(LIGHT, (6, 5), "24/13")
    assert [(e.player, e.dice, e.review) for e in one.of(PlayMade)] == [
        (DARK, (4, 2), False),
        (LIGHT, (6, 5), False),
    ]
    assert one.state.phase is Phase.TO_ROLL
    one.check_fold()
