"""A game that is joined under way: every way its board may be numbered, until plays decide."""

from __future__ import annotations

import numpy as np
import pytest

from engine import Motion, NotNow, Play, Referee, Roll, apply_play
from engine.evidence.observation import (
    CELLS,
    COUNTS,
    CubePlace,
    CubeSeen,
    DieSeen,
    Observation,
    cell_counts,
)
from engine.evidence.orientation import ORIENTATIONS, Orientation
from engine.referee.join import JoinSearch, min_hits
from engine.simulation.board import SimulatedBoard
from engine.timestamp import Timestamp
from tests.at_length import at_length
from tests.refereed_board import DARK, LIGHT, OPENING, SHORT


def numbered() -> Observation:
    """An observation in which every cell says its own number."""
    counts = np.zeros((CELLS, COUNTS), np.float32) + np.arange(CELLS)[:, None]
    dice = (DieSeen((1.0, 0, 0, 0, 0, 0), (10.0, 20.0), (0.8, 0.1)),)
    cube = CubeSeen((0, 1.0, 0, 0, 0, 0, 0), (0.0, 1.0, 0.0, 0.0))
    return Observation(counts, dice=dice, change=np.arange(CELLS, dtype=np.float32), cube=cube)


@pytest.mark.parametrize("way", ORIENTATIONS)
def test_a_board_numbered_twice_from_another_corner_is_numbered_as_before(way):
    seen = numbered()
    again = way.observation(way.observation(seen))
    assert (again.counts == seen.counts).all()
    assert (again.change == seen.change).all()
    assert again.dice[0].board == pytest.approx(seen.dice[0].board)
    assert again.cube == seen.cube


def test_a_half_turn_gives_the_ace_point_the_number_13_and_swaps_the_players():
    seen = Orientation(is_turned=True).observation(numbered())
    assert seen.counts[12, 0] == 0
    assert seen.dice[0].board == pytest.approx((0.2, 0.9))
    assert seen.cube is not None
    assert seen.cube.places[list(CubePlace).index(CubePlace.DARK)] == 1.0


def test_a_mirror_image_swaps_the_hands_and_leaves_the_players():
    seen = Orientation(is_mirrored=True).observation(numbered())
    assert seen.counts[11, 0] == 0
    assert seen.dice[0].board == pytest.approx((0.2, 0.1))
    assert seen.cube == numbered().cube


def test_checkers_go_back_by_hits_alone():
    opening = OPENING.light
    assert min_hits(opening, opening) == 0
    ahead, behind = list(opening), list(opening)
    ahead[13], ahead[7] = ahead[13] - 1, ahead[7] + 1
    assert min_hits(tuple(ahead), opening) == 0
    behind[6], behind[20] = behind[6] - 1, behind[20] + 1
    assert min_hits(tuple(behind), opening) == 1


START = apply_play(
    apply_play(OPENING, DARK, Play.parse("24/20 13/11"), SHORT), LIGHT, Play.parse("13/8"), SHORT
)
"""Two plays from the opening; dark is to roll."""
TURNS = ((DARK, (3, 1), "8/5 6/5"), (LIGHT, (6, 1), "13/7 8/7"), (DARK, (5, 4), "11/2"))


class Joined:
    """A game that is joined in `START`, on a board whose grid lies in another orientation."""

    def __init__(self, way: Orientation) -> None:
        self.way, self.shown = way, 0
        self.board = SimulatedBoard(np.random.default_rng(2), START)
        cells = way.cells(cell_counts(START))
        self.search = JoinSearch(self.referee, SHORT, cells, Timestamp(0.0, 0), since=0.0)

    def referee(self, assumed: Orientation) -> Referee:
        is_mirrored = assumed.is_mirrored != self.way.is_mirrored
        return Referee(SHORT, light_throws_right=not is_mirrored)

    def see(self):
        """What is decided by all that was seen since the last time."""
        decided = None
        for seen in self.board.seen[self.shown :]:
            turned = seen if isinstance(seen, Motion) else self.way.observation(seen)
            decided = self.search.observe(turned)
            if decided is not None or self.search.is_refuted:
                break
        self.shown = len(self.board.seen)
        return decided

    def turn(self, side, roll, play):
        self.board.throw(Roll(*roll), side)
        self.board.play(apply_play(self.board.position, side, Play.parse(play), SHORT))
        self.board.lift()
        return self.see()


@pytest.mark.parametrize("way", [*ORIENTATIONS[:2], *map(at_length, ORIENTATIONS[2:])])
def test_plays_show_which_way_the_board_runs(way):
    game = Joined(way)
    decided = next(filter(None, (game.turn(*turn) for turn in TURNS)))
    assert decided.orientation == way
    assert decided.start == START
    plays = [turn.event.play for turn in decided.search.state.turns]
    assert plays == [play for _, _, play in TURNS[: len(plays)]]
    assert len(plays) >= 2


def test_nothing_is_joined_when_the_board_was_only_being_set_up():
    game = Joined(Orientation(is_turned=True))
    game.board.play(OPENING, 4)
    assert game.see() is None
    assert game.search.is_refuted


def test_motion_that_lasts_is_kept_once():
    game = Joined(Orientation())
    game.board.rest(2)
    game.board.seen += [Motion(game.board.seen[-1].seconds + n / 25, n) for n in range(1, 500)]
    game.see()
    entries = game.search.best.entries
    assert sum(isinstance(one, Motion) for one in entries) == 1
    game.board.rest(2)
    game.see()
    assert isinstance(entries[-1], Observation)


def test_a_play_that_was_made_already_is_not_asked_of_the_dice_that_lie_there():
    game = Joined(Orientation())
    game.board.throw(Roll(6, 4), DARK)
    del game.board.seen[:-1]  # the camera is switched on while they lie there
    game.board.lift()
    game.see()
    turns = ((LIGHT, (6, 1), "13/7 8/7"), (DARK, (3, 1), "8/5 6/5"))
    decided = next(filter(None, (game.turn(*turn) for turn in turns)))
    events = [turn.event for turn in decided.search.state.turns]
    assert [(event.player, event.play, event.legal) for event in events] == [
        (LIGHT, "13/7 8/7", True),
        (DARK, "8/5 6/5", True),
    ]


@pytest.mark.parametrize("way", [*ORIENTATIONS[:2], *map(at_length, ORIENTATIONS[2:])])
def test_a_way_that_somebody_says_is_followed_once_one_play_bears_it_out(way):
    game = Joined(way)
    game.board.rest(2)
    assert game.see() is None
    assert game.search.open_starts[way] == START
    game.search.choose(way)
    assert game.search.is_chosen
    decided = game.turn(*TURNS[0])
    assert (decided.orientation, decided.start) == (way, START)
    state = decided.search.state
    (turn,) = state.turns
    assert (turn.event.play, turn.event.legal, turn.needs_review) == (TURNS[0][2], True, True)


def ways_to_mistake():
    """Each way a board may run, with each way that may be pressed in its place."""
    ways = [(way, said) for way in ORIENTATIONS for said in ORIENTATIONS if said != way]
    return [
        pytest.param(*one, marks=[pytest.mark.slow] if n % 6 else []) for n, one in enumerate(ways)
    ]


@pytest.mark.parametrize(("way", "said"), ways_to_mistake())
def test_a_way_that_is_said_wrongly_is_contradicted_and_accuses_nobody(way, said):
    game = Joined(way)
    if said not in game.search.open_starts:
        pytest.skip("nobody is offered it")
    game.search.choose(said)
    decided = next(filter(None, (game.turn(*turn) for turn in TURNS)))
    assert decided.orientation == way
    assert game.search.is_contradicted
    assert all(turn.event.legal for turn in decided.search.state.turns)


def test_before_the_first_play_every_place_of_a_joined_board_is_in_doubt():
    game = Joined(Orientation())
    assert len(game.search.best.search.state.places_in_doubt) == CELLS - 2


def test_dice_that_lie_there_wait_for_the_next_play_before_a_way_that_is_said_is_followed():
    game = Joined(Orientation())
    game.board.throw(Roll(6, 4), DARK)
    del game.board.seen[:-1]
    assert game.see() is None
    game.search.choose(Orientation())
    game.board.lift()
    assert game.see() is None
    decided = game.turn(LIGHT, (6, 1), "13/7 8/7")
    (turn,) = decided.search.state.turns
    assert (turn.event.player, turn.event.play, turn.event.legal) == (LIGHT, "13/7 8/7", True)


def test_a_way_that_the_plays_rule_out_cannot_be_said():
    game = Joined(Orientation())
    game.turn(*TURNS[0])
    (ruled_out, *_) = (way for way in ORIENTATIONS if way not in game.search.open_starts)
    with pytest.raises(NotNow, match="rule this out"):
        game.search.choose(ruled_out)
