"""A referee follows its rule set: where dice count, when a play stands, who threw too early."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import (
    USUAL,
    DiceRolled,
    DiceVoid,
    Doubled,
    GameStart,
    IllegalMade,
    MatchState,
    NotNow,
    Phase,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Position,
    PrematureRoll,
    Referee,
    Roll,
    Surface,
    as_json,
    fold,
    from_json,
    legal_plays,
)
from engine.events.record import PositionSet
from engine.evidence.still_period import DieTrack
from engine.match.prompt import prompt_of
from engine.ruleset import (
    AcceptanceRule,
    DieOnCheckerRule,
    IllegalPlayRule,
    PrematureRule,
    TurnEndRule,
    ZoneRule,
    find_rule_set,
)
from engine.simulation.board import die
from engine.turns.throw import Throw, is_throw
from engine.turns.zones import RollZone
from tests.refereed_board import DARK, LIGHT, OPENING, SHORT, match

AT: dict[str, Any] = {"time": 99.0, "frame": 99}
FLAT_LEFT, FLAT_RIGHT = die(4, (0.2, 0.4)), die(2, (0.8, 0.6))
ON_CHECKER = die(2, (0.3, 0.6), surface=Surface.CHECKER)
LEANING = die(2, (0.3, 0.6), surface=Surface.CHECKER, flat=0.1)
BESIDE = die(2, (1.2, 0.6), surface=Surface.TABLE)
ON_BAR = die(2, (0.5, 0.6), surface=Surface.BAR)


def house(**changes):
    return replace(USUAL, **changes)


def faults(zone, on_checker, *dice, side=DARK, hand=True):
    rules = house(roll_zone=zone, die_on_checker=on_checker)
    throw = Throw(tuple(DieTrack.of(one) for one in dice), 0.0, 0)
    found = throw.faults(side, RollZone(rules, hand))
    return {reason for reason, p in found.items() if p >= 0.5}


REROLL, FLAT = DieOnCheckerRule.REROLL, DieOnCheckerRule.VALID_IF_FLAT
OWN, ONE, ANY, BAFFLE = (
    ZoneRule.OWN_RIGHT_HALF,
    ZoneRule.ANY_ONE_HALF,
    ZoneRule.ANYWHERE,
    ZoneRule.BAFFLE,
)


@pytest.mark.parametrize(
    ("zone", "on_checker", "dice", "reasons"),
    [
        (OWN, REROLL, (FLAT_LEFT, die(2, (0.3, 0.3))), set()),
        (OWN, REROLL, (FLAT_RIGHT, die(2, (0.7, 0.3))), {"wrong_half"}),
        (OWN, REROLL, (FLAT_LEFT, FLAT_RIGHT), {"split"}),
        (ONE, REROLL, (FLAT_RIGHT, die(2, (0.7, 0.3))), set()),
        (ONE, REROLL, (FLAT_LEFT, FLAT_RIGHT), {"split"}),
        (ANY, REROLL, (FLAT_LEFT, FLAT_RIGHT), set()),
        (BAFFLE, REROLL, (FLAT_LEFT, FLAT_RIGHT), set()),
        (ANY, REROLL, (FLAT_LEFT, BESIDE), {"off_board"}),
        (BAFFLE, REROLL, (BESIDE, BESIDE), set()),
        (BAFFLE, REROLL, (FLAT_LEFT, ON_BAR), {"off_board"}),
        (OWN, REROLL, (FLAT_LEFT, ON_CHECKER), {"on_checker"}),
        (OWN, FLAT, (FLAT_LEFT, ON_CHECKER), set()),
        (OWN, FLAT, (FLAT_LEFT, LEANING), {"cocked"}),
    ],
)
def test_where_dice_count(zone, on_checker, dice, reasons):
    assert faults(zone, on_checker, *dice) == reasons


def test_the_own_half_is_only_judged_when_the_hand_is_known():
    assert faults(OWN, REROLL, FLAT_RIGHT, die(2, (0.7, 0.3)), hand=None) == set()


def test_dice_beside_the_field_are_a_throw_with_a_baffle_box_only():
    beside = (DieTrack.of(BESIDE), DieTrack.of(BESIDE))
    assert not is_throw(beside, RollZone(house(roll_zone=ANY)))
    assert is_throw(beside, RollZone(house(roll_zone=BAFFLE)))


BOX = ((1.1, 0.4), (1.4, 0.4), (1.4, 0.8), (1.1, 0.8))
OTHER_TABLE = die(2, (-0.2, 0.6), surface=Surface.TABLE)


@pytest.mark.parametrize(
    ("dice", "reasons"),
    [
        ((BESIDE, die(4, (1.3, 0.5), surface=Surface.TABLE)), set()),
        ((BESIDE, die(4, (1.12, 0.7), surface=Surface.FRAME)), set()),
        ((BESIDE, die(4, (1.3, 0.5), surface=Surface.TABLE, flat=0.1)), {"cocked"}),
        ((BESIDE, die(4, (1.3, 0.9), surface=Surface.TABLE)), {"off_board"}),
        ((BESIDE, OTHER_TABLE), {"off_board"}),
        ((BESIDE, FLAT_LEFT), {"off_board"}),
        ((FLAT_LEFT, FLAT_RIGHT), {"off_board"}),
        ((BESIDE, ON_CHECKER), {"off_board"}),
    ],
)
def test_with_a_box_whose_place_is_known_dice_count_in_it_and_nowhere_else(dice, reasons):
    rules = house(roll_zone=BAFFLE)
    throw = Throw(tuple(DieTrack.of(one) for one in dice), 0.0, 0)
    found = throw.faults(DARK, RollZone(rules, True, BOX))
    assert {reason for reason, p in found.items() if p >= 0.5} == reasons


def test_the_place_of_a_box_does_not_matter_where_none_is_asked_for():
    throw = Throw((DieTrack.of(FLAT_LEFT), DieTrack.of(die(2, (0.3, 0.3)))), 0.0, 0)
    assert max(throw.faults(DARK, RollZone(house(), True, BOX)).values()) < 0.5


@pytest.mark.parametrize("resumed", [False, True])
def test_a_throw_into_the_box_is_recorded_and_one_beside_it_is_rolled_again(resumed):
    rules = house(roll_zone=BAFFLE)
    one = match(rule_set=rules, light_throws_right=True, throw_zone=BOX)
    one.dice(BESIDE, die(1, (1.3, 0.5), surface=Surface.TABLE))
    one.play(LIGHT, "13/11 6/5")
    one.lift()
    if resumed:
        args: dict[str, Any] = {"light_throws_right": True, "throw_zone": BOX}
        one.referee = Referee.resume(SHORT, one.state, **args)
    one.dice(FLAT_LEFT, die(2, (0.3, 0.3)))
    one.lift()
    one.dice(die(6, (1.2, 0.7), surface=Surface.TABLE), die(1, (1.3, 0.5), surface=Surface.TABLE))
    assert one.state.roll == (6, 1)
    one.play(DARK, "13/7 8/7")
    one.lift()
    assert [(e.player, e.reason, e.dice) for e in one.of(DiceVoid)] == [(DARK, "off_board", (4, 2))]
    assert [(e.player, e.dice) for e in one.of(PlayMade)] == [(LIGHT, (2, 1)), (DARK, (6, 1))]
    one.check_fold()


def dark_throws(first, second, rules):
    one = match(rule_set=rules, light_throws_right=True)
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    one.dice(first, second)
    one.play(DARK, "24/20 13/11")
    one.lift()
    return one


def test_a_throw_that_lies_as_the_rules_ask_is_recorded_at_once():
    one = dark_throws(FLAT_LEFT, FLAT_RIGHT, house(roll_zone=ANY))
    assert [e.dice for e in one.of(DiceRolled)] == [(6, 1), (4, 2)]
    assert one.of(DiceVoid) == []
    assert not any(play.review for play in one.of(PlayMade))


def test_a_die_on_a_checker_counts_where_the_rules_have_it_so():
    one = match(rule_set=house(die_on_checker=FLAT))
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    one.dice(die(4, (0.2, 0.4)), ON_CHECKER)
    assert one.state.roll == (4, 2)


def illegal(**changes):
    """Dark has played 6/7 and lifted the dice."""
    one = match(rule_set=house(**changes))
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    one.throw((2, 1), DARK)
    own = list(OPENING.dark)
    own[6], own[7] = own[6] - 1, own[7] + 1
    board = one.board.position
    one.board.play(board.with_sides(DARK, tuple(own), board.light))
    one.observe()
    one.lift()
    assert one.state.phase is Phase.DISPUTED
    return one


def test_a_valid_roll_accepts_an_illegal_play():
    one = illegal(acceptance_event=AcceptanceRule.VALID_ROLL)
    one.throw((2, 1), LIGHT)
    assert [(e.player, e.by) for e in one.of(PlayAccepted)] == [(LIGHT, "roll")]
    one.check_fold()


def test_a_roll_that_does_not_count_accepts_nothing():
    one = illegal()
    one.throw((2, 1), LIGHT, flat=0.1)
    one.lift()
    assert one.of(PlayAccepted) == []
    one.throw((4, 3), LIGHT)
    assert [(e.player, e.reason) for e in one.of(DiceVoid)] == [(LIGHT, "cocked")]
    assert [e.by for e in one.of(PlayAccepted)] == ["roll"]
    one.play(LIGHT, "24/20 13/10")
    one.lift()
    assert one.of(PlayMade)[-1].dice == (4, 3)
    one.check_fold()


def test_a_roll_that_does_not_count_but_is_played_accepts_all_the_same():
    one = illegal()
    one.throw((4, 3), LIGHT, flat=0.3)
    one.play(LIGHT, "24/20 13/10")
    one.lift()
    assert [e.by for e in one.of(PlayAccepted)] == ["roll"]
    assert one.of(PlayMade)[-1].player is LIGHT


@pytest.mark.parametrize("acceptance", [AcceptanceRule.VALID_DOUBLE, AcceptanceRule.EITHER])
def test_a_double_accepts_an_illegal_play(acceptance):
    from engine import CubePlace

    one = illegal(acceptance_event=acceptance)
    one.set_cube(2, CubePlace.OFFERED, observations=4)
    assert [e.by for e in one.of(PlayAccepted)] == ["double"]
    assert [e.player for e in one.of(Doubled)] == [LIGHT]
    by_hand = illegal(acceptance_event=acceptance)
    by_hand.enter(Doubled(**AT, player=LIGHT, value=2))
    assert [e.by for e in by_hand.of(PlayAccepted)] == ["double"]
    one.check_fold()


def test_a_double_accepts_nothing_where_only_a_roll_does():
    one = illegal(acceptance_event=AcceptanceRule.VALID_ROLL)
    with pytest.raises(NotNow):
        one.enter(Doubled(**AT, player=LIGHT, value=2))


def test_an_illegal_play_may_be_accepted_only_by_the_next_play():
    one = illegal(acceptance_event=AcceptanceRule.NEXT_PLAY_COMPLETE)
    one.throw((4, 3), LIGHT)
    one.play(LIGHT, "24/20 13/10")
    assert one.of(PlayAccepted) == []
    one.lift()
    assert [e.by for e in one.of(PlayAccepted)] == ["play"]
    made = one.of(PlayMade)
    assert [(e.player, e.dice, e.review) for e in made][2:] == [(LIGHT, (4, 3), False)]
    one.check_fold()


def test_until_then_it_may_be_taken_back_and_the_roll_with_it():
    one = illegal(acceptance_event=AcceptanceRule.NEXT_PLAY_COMPLETE)
    before = one.of(PlayMade)[0].position
    one.throw((4, 3), LIGHT)
    one.board.play(before)
    one.observe()
    assert [e.player for e in one.of(PlayRejected)] == [LIGHT]
    assert (one.state.to_move, one.state.roll) == (DARK, (2, 1))
    one.play(DARK, "13/11 6/5")
    one.lift()
    one.turn(LIGHT, (6, 5), "24/13")
    assert [e.play for e in one.of(PlayMade)] == ["13/7 8/7", "6/7", "13/11 6/5", "24/13"]
    one.check_fold()


def test_where_legal_plays_are_asked_for_no_other_is_accepted_by_hand():
    accepted = PlayAccepted(**AT, player=LIGHT, by="hand")
    one = illegal(illegal_play=IllegalPlayRule.MUST_CORRECT)
    assert str(prompt_of(one.state)) == "illegal play: it must be replayed"
    with pytest.raises(NotNow, match="to be replayed"):
        one.enter(accepted)
    other = illegal()
    other.enter(accepted)
    assert other.state.phase is Phase.TO_ROLL
    other.check_fold()


def test_a_play_that_is_rejected_by_hand_is_played_again():
    one = illegal()
    one.enter(PlayRejected(**AT, player=LIGHT))
    assert (one.state.to_move, one.state.roll) == (DARK, (2, 1))
    before = one.of(PlayMade)[0].position
    one.board.play(before)
    one.observe()
    one.play(DARK, "13/11 6/5")
    one.turn(LIGHT, (6, 5), "24/13")
    assert [e.play for e in one.of(PlayMade)] == ["13/7 8/7", "6/7", "13/11 6/5", "24/13"]
    assert len(one.of(PlayRejected)) == 1


@pytest.mark.parametrize("player", [LIGHT, DARK])
def test_nothing_is_accepted_or_rejected_that_is_not_disputed(player):
    one = match()
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    for kind in (PlayAccepted, PlayRejected):
        with pytest.raises(NotNow):
            one.enter(kind(**AT, player=player))
    with pytest.raises(NotNow, match="no throw of this player is awaited"):
        one.enter(DiceVoid(**AT, player=LIGHT, reason="cocked", dice=(2, 1)))
    with pytest.raises(NotNow, match="is seen by the camera, not entered"):
        one.enter(PrematureRoll(**AT, player=DARK, dice=(2, 1)))


LIFTED: dict[str, Any] = {"turn_end": TurnEndRule.DICE_LIFTED_ONE}


def too_early(play, **changes):
    """Dark throws 4-3 while light's dice, a 6-1, still lie there; light has made `play`."""
    one = match(rule_set=house(**LIFTED, **changes))
    one.turn(DARK, (2, 1), "13/11 6/5")
    one.begun, one.events = one.state, []
    one.throw((6, 1), LIGHT)
    if play:
        one.play(LIGHT, play)
    lights = one.board.dice
    one.dice(*lights, die(4, (0.2, 0.3)), die(3, (0.3, 0.7)))
    return one


def test_a_roll_before_the_turn_is_over_is_recorded():
    one = too_early("13/7 8/7", premature_roll=PrematureRule.VOID)
    (early,) = one.of(PrematureRoll)
    assert (early.player, early.dice, early.stands) == (DARK, (4, 3), False)


def test_a_premature_roll_that_is_void_is_rolled_again():
    one = too_early("13/7 8/7", premature_roll=PrematureRule.VOID)
    one.dice(*one.board.dice[:2])  # dark has taken his dice back
    one.lift()
    one.throw((5, 2), DARK)
    assert one.state.roll == (5, 2)
    one.play(DARK, "24/22 13/8")
    one.lift()
    assert [(e.player, e.dice) for e in one.of(DiceRolled)] == [(LIGHT, (6, 1)), (DARK, (5, 2))]
    assert one.of(DiceVoid) == []
    assert len(one.of(PrematureRoll)) == 1
    one.check_fold()


def test_a_premature_roll_that_counts_is_played():
    one = too_early("13/7 8/7", premature_roll=PrematureRule.STANDS)
    darks = one.board.dice[2:]
    one.dice(*darks)
    one.play(DARK, "24/20 13/10")
    one.lift()
    assert [e.stands for e in one.of(PrematureRoll)] == [True]
    assert [(e.player, e.dice) for e in one.of(PlayMade)] == [(LIGHT, (6, 1)), (DARK, (4, 3))]
    assert one.of(DiceVoid) == []


NO_CONTACT = "light 6:8 3:7 | dark 6:10 2:5"
DANCING = "light bar:1 13:5 8:4 6:5 | dark 24:2 13:3 6:2 5:2 4:2 3:2 1:2"
"""Light cannot enter with a 6-1."""
ONE_PLAY = "light 24:1 1:14 | dark 13:5 12:5 11:5"


@pytest.mark.parametrize(
    ("position", "play", "stands"),
    [
        (NO_CONTACT, "6/off 6/5", True),
        (DANCING, "", True),
        (ONE_PLAY, "24/17", True),
        ("light 24:2 13:5 8:3 6:5 | dark 24:2 13:5 8:3 6:5", "13/7 8/7", False),
    ],
)
def test_a_premature_roll_counts_if_the_play_is_forced_or_there_is_no_more_contact(
    position, play, stands
):
    rules = find_rule_set("seeds")
    assert rules.premature_roll is PrematureRule.VOID_UNLESS_FORCED
    one = match(SHORT, Position.parse(position), rule_set=replace(rules, **LIFTED))
    one.enter(PositionSet(**AT, position=Position.parse(position), to_move=LIGHT))
    one.throw((6, 1), LIGHT)
    if play:
        one.play(LIGHT, play)
    lights = one.board.dice
    one.dice(*lights, die(4, (0.2, 0.3)), die(3, (0.3, 0.7)))
    (early,) = one.of(PrematureRoll)
    assert (early.player, early.dice, early.stands) == (DARK, (4, 3), stands)
    one.dice(*one.board.dice[2:])  # light lifts the dice; dark's are left where they are
    one.rest(3)
    assert [(e.player, e.dice) for e in one.of(DiceRolled)] == [
        (LIGHT, (6, 1)), *([(DARK, (4, 3))] if stands else [])
    ]  # fmt: skip
    one.check_fold()


@pytest.mark.parametrize("rule", PrematureRule)
def test_whoever_is_on_turn_finishes_knowing_what_comes_next(rule):
    one = too_early("", premature_roll=rule)
    assert one.of(PlayMade) == []
    darks = one.board.dice[2:]
    one.play(LIGHT, "13/7 8/7")
    one.dice(*darks)
    assert [(e.player, e.play) for e in one.of(PlayMade)] == [(LIGHT, "13/7 8/7")]
    assert (one.state.to_move, one.state.roll) == (
        DARK,
        (4, 3) if rule is PrematureRule.STANDS else None,
    )
    assert len(one.of(PrematureRoll)) == 1
    one.check_fold()


def test_a_void_roll_that_is_played_all_the_same_is_recorded_as_it_was():
    one = too_early("13/7 8/7", premature_roll=PrematureRule.VOID)
    one.dice(*one.board.dice[2:])
    one.play(DARK, "24/20 13/10")
    one.lift()
    one.turn(LIGHT, (6, 5), "24/13")
    assert [(e.player, e.dice) for e in one.of(PlayMade)] == [
        (LIGHT, (6, 1)),
        (DARK, (4, 3)),
        (LIGHT, (6, 5)),
    ]


def test_without_rules_no_throw_is_premature():
    one = match()
    one.throw((6, 1), LIGHT)
    one.play(LIGHT, "13/7 8/7")
    one.dice(*one.board.dice, die(4, (0.2, 0.3)), die(3, (0.3, 0.7)))
    assert one.of(PrematureRoll) == []
    assert one.state.roll == (4, 3)


def test_the_record_keeps_the_rule_set():
    rules = replace(find_rule_set("us2009"), name="club", cube=replace(USUAL.cube, jacoby=True))
    one = match(rule_set=rules)
    (start,) = one.of(GameStart)
    again: Any = from_json(as_json(start))
    assert again.rule_set == start.rule_set == rules
    assert (one.state.rule_set, one.state.cube_rules) == (rules, rules.cube)
    assert Referee.resume(SHORT, one.state)._ref.zone.rule_set == rules


def test_an_older_record_without_a_rule_set_is_refereed_as_usual():
    start = GameStart(time=0, frame=0, position=OPENING)
    assert fold([start]).rule_set is USUAL
    kept = MatchState(rule_set=find_rule_set("wbgf"))
    assert fold([start], kept).rule_set.name == "wbgf"


def test_a_quick_forced_play_whose_dice_are_lifted_within_a_second_counts():
    shut = replace(SHORT)
    one = match(shut)
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    one.board.throw(Roll(6, 6), DARK)
    plays = legal_plays(one.board.position, DARK, Roll(6, 6), SHORT)
    one.board.move_hand()
    one.board.position, one.board.dice = plays[0].position, ()
    one.rest(1)
    one.turn(LIGHT, (2, 1), "6/4 24/23")
    made = one.of(PlayMade)
    assert [(e.player, e.dice, e.review) for e in made] == [
        (LIGHT, (6, 1), False),
        (DARK, (6, 6), False),
        (LIGHT, (2, 1), False),
    ]


def test_the_opponent_may_lift_the_dice_and_throw_them_at_once():
    one = match()
    one.throw((6, 1), LIGHT)
    one.play(LIGHT, "13/7 8/7")
    one.throw((5, 3), DARK)  # with the pair that light had: it is gone from where it lay
    one.play(DARK, "8/3 6/3")
    one.lift()
    assert [(e.player, e.dice) for e in one.of(PlayMade)] == [(LIGHT, (6, 1)), (DARK, (5, 3))]
    assert one.of(IllegalMade) == []


@pytest.mark.parametrize("colours", [True, False])
def test_one_shared_pair_or_a_pair_each(colours):
    one = match()
    for side, roll, play in ((LIGHT, (6, 1), "13/7 8/7"), (DARK, (5, 3), "8/3 6/3")):
        left = 0.6 if side is LIGHT else 0.1
        own = side if colours else None
        one.dice(*(die(v, (left + 0.2 * i, 0.4), side=own) for i, v in enumerate(roll)))
        one.play(side, play)
        one.lift()
    assert [(e.player, e.review) for e in one.of(PlayMade)] == [(LIGHT, False), (DARK, False)]
