"""An illegal play that stood for a while beside its dice and was put back is not ignored."""

from __future__ import annotations

import pytest

from engine import (
    IllegalMade,
    Phase,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Position,
    apply_play,
)
from engine.play import Play
from engine.simulation.board import die
from tests.refereed_board import DARK, LIGHT, SHORT, Match, match

SECONDS = 12
"""Observations, four a second, for longer than any hesitation."""
MOMENT = 2


def dark_to_play() -> Match:
    """Light has played 6-1, dark has thrown 2-1 and not moved."""
    one = match(light_throws_right=True)
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    one.dice(*(die(value, (0.2, y), confidence=0.9999) for value, y in ((2, 0.3), (1, 0.6))))
    return one


def stand(one: Match, position: Position, observations: int = SECONDS) -> None:
    """A hand moves checkers and leaves them so."""
    one.board.play(position, observations)
    one.observe()


def misplaced(one: Match, source: int, target: int) -> Position:
    """The board with one of dark's checkers moved in a way that no roll of 2-1 allows."""
    own = list(one.board.position.dark)
    own[source] -= 1
    own[target] += 1
    return one.board.position.with_sides(DARK, tuple(own), one.board.position.light)


def after(position: Position, play: str) -> Position:
    return apply_play(position, DARK, Play.parse(play), SHORT)


def finish(one: Match) -> list[tuple[str, bool]]:
    """The dice are lifted, light plays; dark's plays and whether each was legal."""
    one.lift()
    one.turn(LIGHT, (6, 5), "24/13")
    one.check_fold()
    return [(made.play, made.legal) for made in one.of(PlayMade) if made.player is DARK]


@pytest.mark.parametrize("between", ["all goes back", "one checker is put right"])
def test_an_illegal_play_that_is_put_back_while_its_dice_lie_is_rejected(between):
    one = dark_to_play()
    before = one.board.position
    stand(one, after(misplaced(one, 13, 10), "6/5"))
    assert one.of(IllegalMade) == []
    if between == "all goes back":
        stand(one, before, MOMENT)
        assert [made.play for made in one.of(IllegalMade)] == ["13/10 6/5"]
        assert (one.state.phase, one.state.to_move) == (Phase.TO_PLAY, DARK)
        assert one.state.roll == (2, 1)
    stand(one, after(before, "13/11 6/5"), MOMENT)
    assert [rejected.player for rejected in one.of(PlayRejected)] == [LIGHT]
    assert finish(one) == [("13/10 6/5", False), ("13/11 6/5", True)]
    assert one.of(PlayMade)[-1].play == "24/13"


def test_it_is_recorded_though_one_checker_goes_back_before_the_other():
    one = dark_to_play()
    before = one.board.position
    stand(one, after(misplaced(one, 13, 10), "6/5"))
    stand(one, misplaced(one, 10, 13), MOMENT)
    stand(one, before, MOMENT)
    assert len(one.of(IllegalMade)) == len(one.of(PlayRejected)) == 1


def test_a_second_illegal_play_of_the_roll_is_judged_like_the_first():
    one = dark_to_play()
    before = one.board.position
    stand(one, after(misplaced(one, 13, 10), "6/5"))
    stand(one, before)
    stand(one, misplaced(one, 8, 4))
    one.lift()
    assert one.state.phase is Phase.DISPUTED
    one.throw((6, 5), LIGHT)
    assert [(made.play, made.legal) for made in one.of(IllegalMade)] == [
        ("13/10 6/5", False),
        ("8/4", False),
    ]
    assert len(one.of(PlayAccepted)) == 1
    one.check_fold()


def test_a_hesitation_is_no_illegal_play():
    one = dark_to_play()
    before = one.board.position
    stand(one, after(misplaced(one, 13, 10), "6/5"), MOMENT)
    stand(one, before)
    stand(one, after(before, "13/11 6/5"), MOMENT)
    assert finish(one) == [("13/11 6/5", True)]


@pytest.mark.parametrize("begun", ["13/11", "6/5"])
def test_a_play_that_was_only_begun_is_no_illegal_play(begun):
    one = dark_to_play()
    before = one.board.position
    stand(one, after(before, begun))
    stand(one, before)
    stand(one, after(before, "24/22 24/23"))
    assert finish(one) == [("24/23 24/22", True)]


def test_a_legal_play_that_is_changed_for_another_is_no_illegal_play():
    one = dark_to_play()
    before = one.board.position
    stand(one, after(before, "13/11 6/5"))
    stand(one, after(before, "24/22 24/23"))
    assert finish(one) == [("24/23 24/22", True)]


def test_a_checker_that_a_hand_holds_is_no_illegal_play():
    one = dark_to_play()
    before = one.board.position
    own = list(before.dark)
    own[6], own[5], own[13], own[0] = own[6] - 1, own[5] + 1, own[13] - 1, own[0] + 1
    stand(one, before.with_sides(DARK, tuple(own), before.light))
    stand(one, after(before, "13/11 6/5"))
    assert finish(one) == [("13/11 6/5", True)]
