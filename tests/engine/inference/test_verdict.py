"""Evidence and legality together determine what was played, or say that they cannot."""

import numpy as np
import pytest

from engine.dice import ALL_ROLLS, Roll
from engine.evidence.likelihood import (
    BoardMemory,
    PositionEvidence,
    PositionView,
    board_cells,
    position_of,
    with_floor,
)
from engine.evidence.observation import Observation, cell_counts
from engine.evidence.still_period import DieTrack, StillPeriod
from engine.inference.outcomes import PRIOR, find_outcomes, moves_between
from engine.inference.verdict import Illegal, NothingYet, Played, Unsure, interpretations, judge
from engine.play import Play
from engine.position import Position, Setup, Side
from engine.rules import find_rules
from engine.rules.legal import apply_play, legal_plays
from engine.simulation.board import counts_of, die, observation_of
from engine.turns.throw import Throw

SHORT = find_rules("short")
OPENING = SHORT.opening()
UNLIKELY_VOID = np.log(0.003)


def known(roll):
    chances = np.full(21, 1e-5)
    chances[ALL_ROLLS.index(roll)] = 1.0
    return np.log(chances / chances.sum())


def result_of(play, roll, side=Side.LIGHT, position=OPENING):
    wanted = Play.parse(play)
    return next(
        legal.position
        for legal in legal_plays(position, side, roll, SHORT)
        if str(legal.play) == str(wanted)
    )


def view(position, wrong=(), hidden=()):
    cells = cell_counts(position)
    for cell, off_by in wrong:
        cells[cell] += off_by
    return PositionView.of(StillPeriod.of(Observation(counts_of(cells, hidden))))


def compared(position):
    """A view whose picture was compared with that of the starting position."""
    before, after = cell_counts(OPENING), cell_counts(position)
    change = np.where(before == after, -6.0, 6.0).astype(np.float32)
    return PositionView.of(StillPeriod.of(Observation(counts_of(after), change=change)))


def verdict_on(*views, roll=None, side=Side.LIGHT, position=OPENING, nothing=UNLIKELY_VOID):
    rolls = PRIOR if roll is None else known(roll)
    return judge(position, side, PositionEvidence(views[0], views[1:]), SHORT, rolls, nothing)


def test_an_unchanged_board_is_nothing_yet():
    verdict = verdict_on(view(OPENING), roll=Roll(3, 1))
    assert isinstance(verdict, NothingYet)
    assert verdict.p > 0.99


@pytest.mark.parametrize("side", Side)
def test_every_legal_play_of_a_clear_roll_is_found(side):
    for legal in legal_plays(OPENING, side, Roll(4, 2), SHORT):
        verdict = verdict_on(view(legal.position), roll=Roll(4, 2), side=side)
        assert isinstance(verdict, Played)
        assert (verdict.best.position, str(verdict.best.play)) == (legal.position, str(legal.play))


def test_a_misread_cell_does_not_change_the_play():
    after = result_of("8/5 6/5", Roll(3, 1))
    verdict = verdict_on(view(after, wrong=[(12, 1)]), roll=Roll(3, 1))
    assert isinstance(verdict, Played)
    assert verdict.best.position == after


def test_a_second_view_settles_what_one_leaves_open():
    after = result_of("24/23 13/8", Roll(5, 1))
    torn = view(after, wrong=[(23, 1), (22, -1)])
    assert not isinstance(verdict_on(torn, roll=Roll(5, 1)), Played)
    settled = verdict_on(view(after), torn, roll=Roll(5, 1))
    assert isinstance(settled, Played)
    assert settled.best.position == after


def test_hidden_cells_are_supplied_by_the_fifteen_checkers():
    after = result_of("13/5", Roll(6, 2))
    verdict = verdict_on(view(after, hidden=(4, 26, 27)), roll=Roll(6, 2))
    assert isinstance(verdict, Played)
    assert verdict.best.position == after


def test_an_unseen_roll_is_inferred_from_the_play():
    verdict = verdict_on(view(result_of("24/13", Roll(6, 5))))
    assert verdict.best.roll == Roll(6, 5)
    assert verdict.best.roll_p > 0.99


BACKWARDS = Position((*OPENING.light[:6], 4, 0, 4, *OPENING.light[9:]), OPENING.dark)
"""6/8: no roll explains it."""


def test_two_views_that_are_counted_alike_are_one_kind_of_evidence():
    """An error of the board's pose affects both."""
    verdict = verdict_on(view(BACKWARDS), view(BACKWARDS), roll=Roll(4, 3))
    assert isinstance(verdict, Unsure)
    assert not verdict.candidates[0].legal


def test_of_two_illegal_results_that_look_alike_each_is_followed_up():
    # 8/3 6/5 was played correctly with 5-1, and one more checker left the 13 point for 10 or 9.
    moved = apply_play(OPENING, Side.LIGHT, Play.parse("8/3 6/5"), SHORT).light
    one, other = (Position((*moved[:at], 1, *moved[at + 1 : 13], 4, *moved[14:]), OPENING.dark)
                  for at in (10, 9))  # fmt: skip
    counts = np.logaddexp(counts_of(cell_counts(one)), counts_of(cell_counts(other)))
    moved_cells = (cell_counts(one) != cell_counts(OPENING)) & (np.arange(28) != 9)
    change = np.where(moved_cells, 6.0, -6.0) * ~np.isin(np.arange(28), (8, 9))
    seen = PositionView.of(StillPeriod.of(Observation(counts, change=change.astype(np.float32))))

    verdict = verdict_on(seen, seen, roll=Roll(5, 1))

    assert isinstance(verdict, Illegal)
    followed = [reading for reading, _ in interpretations(verdict) if isinstance(reading, Illegal)]
    assert {reading.best.position for reading in followed[:2]} == {one, other}
    assert all(reading.rule for reading in followed)
    shares = [p for _, p in interpretations(verdict)]
    assert sum(shares) == pytest.approx(1, abs=0.02)


def test_a_comparison_of_pictures_is_a_second_kind_of_evidence():
    verdict = verdict_on(compared(BACKWARDS), roll=Roll(4, 3))
    assert isinstance(verdict, Illegal)
    assert verdict.best.position == BACKWARDS
    assert verdict.legal_plays == len(legal_plays(OPENING, Side.LIGHT, Roll(4, 3), SHORT))


def test_no_player_is_accused_of_what_a_deep_shadow_hides():
    """The hitting checker came from a point, and stands on one, where white is not told apart."""
    light, dark = "24:1 11:1 8:3 7:3 6:4 4:3", "24:2 13:3 11:1 10:1 7:1 6:3 5:2 3:2"
    before = Position.parse(f"light {light} | dark {dark}")
    after = result_of("24/18*", Roll(5, 1), position=before)
    source, target = 23, 17
    read, recorded = cell_counts(after), cell_counts(before)
    read[target] = -1
    change = np.where(read == recorded, -4.0, 0.0)
    change[[source, target]] = -4.0, 4.0
    counts = counts_of(read)
    counts[source] = np.logaddexp(counts[source], np.roll(counts[source], 1) - 0.5)
    counts[target] = np.logaddexp(counts[target], np.roll(counts[target], 1) - 2.0)
    seen = Observation(counts, change=change.astype(np.float32))
    was_read = recorded.copy()
    was_read[source] = 0
    shaded = PositionView.of(StillPeriod.of(seen)).with_memory(BoardMemory(was_read, recorded))
    verdict = verdict_on(shaded, shaded, roll=Roll(5, 1), position=before)
    assert not isinstance(verdict, Illegal | Played)


def test_a_view_of_the_unmoved_board_is_no_witness_of_an_illegal_play():
    # With 6-6, the starting position is closer to one misplaced checker than to any legal play.
    misread = view(OPENING, wrong=[(5, -1), (6, 1)])
    verdict = verdict_on(misread, view(OPENING), roll=Roll(6, 6), nothing=np.log(1e-6))
    assert not isinstance(verdict, Illegal)


@pytest.mark.parametrize("p", [0.9, 0.97, 0.974, 0.99, 0.999])
def test_what_is_unsure_names_a_play_though_no_legal_one_is_left(p):
    """After 6-6, nothing but one pip that somebody moved: no legal play is near."""
    cells = cell_counts(OPENING).copy()
    table = np.full((28, 31), 1e-6)
    table[np.arange(28), cells + 15] = 1
    for cell, step in ((5, -1), (4, 1)):
        table[cell] = 1e-6
        table[cell, cells[cell] + 15] = 1 - p
        table[cell, cells[cell] + step + 15] = p
    seen = PositionView(with_floor(np.log(table / table.sum(1, keepdims=True))), np.zeros(28))
    verdict = judge(
        OPENING, Side.LIGHT, PositionEvidence(seen), SHORT, known(Roll(6, 6)), np.log(0.01)
    )
    assert not isinstance(verdict, Unsure) or verdict.candidates


def test_a_play_of_another_roll_is_no_accusation_while_the_dice_are_doubtful():
    after = result_of("24/15", Roll(6, 3))
    chances = np.full(21, 0.02 / 20)
    chances[ALL_ROLLS.index(Roll(6, 2))] = 0.98
    sight = PositionEvidence(compared(after))
    verdict = judge(OPENING, Side.LIGHT, sight, SHORT, np.log(chances), UNLIKELY_VOID)
    assert isinstance(verdict, Played | Unsure)


@pytest.mark.parametrize(
    ("thrown", "played", "roll"),
    [
        (Roll(6, 2), "24/15", Roll(6, 3)),
        (Roll(3, 1), "13/11 6/5", Roll(2, 1)),
        (Roll(6, 5), "24/18(2) 13/7(2)", Roll(6, 6)),
        (Roll(5, 4), "13/8 6/4", Roll(5, 2)),
    ],
)
def test_a_wrong_number_is_found_when_a_misread_die_is_rarer_whatever_could_be_played(
    thrown, played, roll
):
    after = result_of(played, roll)
    sight = PositionEvidence(compared(after))

    def verdict_at(confidence):
        dice = (die(n, confidence=confidence) for n in (thrown.high, thrown.low))
        throw = Throw(tuple(map(DieTrack.of, dice)), 0, 0)
        return judge(OPENING, Side.LIGHT, sight, SHORT, throw.rolls(), UNLIKELY_VOID)

    accused, spared = verdict_at(0.9999), verdict_at(0.999)
    assert isinstance(accused, Illegal)
    assert accused.best.position == after
    assert not isinstance(spared, Illegal)


def test_a_forced_pass_is_a_play():
    shut_out = Setup((13, *[0] * 24, 2), (3, *[2] * 6, *[0] * 19)).checked()
    verdict = verdict_on(view(shut_out), roll=Roll(6, 5), position=shut_out)
    assert isinstance(verdict, Played)
    assert not verdict.best.play.moves
    assert find_outcomes(shut_out, Side.LIGHT, SHORT).is_shut_out


def test_cells_and_positions_are_inverses():
    for side in Side:
        plays = legal_plays(OPENING, side, Roll(5, 5), SHORT)
        cells = board_cells(plays.results, side, OPENING.course)
        assert [position_of(row, OPENING.course) for row in cells] == [p.position for p in plays]


def test_the_floor_keeps_probabilities_and_favours_neighbours():
    table = with_floor(StillPeriod.of(observation_of(OPENING)).table)
    assert np.exp(table).sum(axis=1) == pytest.approx(1.0, abs=0.01)
    assert table[0, 15 - 3] > table[0, 15 + 7]


def test_a_difference_is_written_in_notation():
    after = result_of("13/7 8/7", Roll(6, 1))
    assert str(moves_between(OPENING, after, Side.LIGHT)) == "13/7 8/7"
    hit = result_of("24/18 13/11", Roll(6, 2))
    reply = next(
        p for p in legal_plays(hit, Side.DARK, Roll(6, 1), SHORT) if str(p.play) == "13/7* 8/7"
    )
    assert str(moves_between(hit, reply.position, Side.DARK)) == "13/7* 8/7"
