"""What lies there while throw after throw comes and goes is no die."""

from engine.simulation.board import die
from vision.dice.lookalikes import GONE_SECONDS, Lookalikes

SPOT = die(1, (0.76, 0.8))
THROWS = [((0.6, 0.5), (0.9, 0.3)), ((0.1, 0.4), (0.3, 0.6)), ((0.7, 0.2), (0.8, 0.5))]
TURN = 12.0
"""Seconds from one throw to the next."""


def played(lookalikes, throws, *left):
    """Note throws, each picked up after half a turn; what is `left` lies there all along."""
    for number, throw in enumerate(throws):
        began = number * TURN
        lookalikes.note((*left, *(die(3, place) for place in throw)), began)
        for later in (1, GONE_SECONDS + 2):
            lookalikes.note(left, began + later)


def test_a_spot_that_outlasts_two_throws_is_no_die():
    lookalikes = Lookalikes()
    played(lookalikes, THROWS, SPOT)
    thrown = die(3, (0.5, 0.3))
    assert lookalikes.without((SPOT, thrown)) == (thrown,)


def test_dice_left_while_the_opponent_plays_are_dice():
    lookalikes, left = Lookalikes(), (die(5, (0.2, 0.2)), die(2, (0.3, 0.3)))
    played(lookalikes, THROWS[:1], *left)
    assert lookalikes.without(left) == left


def test_a_die_that_lands_where_one_lay_long_ago_is_a_die():
    lookalikes = Lookalikes()
    played(lookalikes, THROWS, SPOT)
    lookalikes.note((), 3 * TURN + GONE_SECONDS)
    assert lookalikes.without((SPOT,)) == (SPOT,)
