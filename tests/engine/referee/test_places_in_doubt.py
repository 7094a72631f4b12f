"""What rests on a doubtful reading is marked until the board is seen to bear it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from engine.dice import Roll
from engine.events.match import Alternative, Event, GameStart, PlayMade, Uncertainty
from engine.events.record import Confirmed, PositionFound, PositionSet
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.match.amendments import effective_events
from engine.match.fold import apply_event, fold
from engine.match.state import MatchState
from engine.play import Play
from engine.position import CHECKERS, Position, Side
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.rules import SHORT, find_rules
from engine.rules.legal import apply_play
from engine.simulation.board import SimulatedBoard

MIDPOINT, SIX_POINT, FIVE_POINT = 12, 5, 4
"""Cells: two of light's stacks, and an empty point."""
PLAYS = (
    (Side.LIGHT, Roll(3, 1), "8/5 6/5"),
    (Side.DARK, Roll(4, 2), "8/4 6/4"),
    (Side.LIGHT, Roll(6, 2), "24/16"),
)


def found_position() -> Position:
    """The starting position with a checker of light's moved from the six point to the midpoint."""
    light = list(SHORT.opening().light)
    light[MIDPOINT + 1] += 1
    light[SIX_POINT + 1] -= 1
    return Position(tuple(light), SHORT.opening().dark)


def unclear(seen: Observation | Motion, *cells: int) -> Observation | Motion:
    """The same, read by a reader that cannot tell how tall the stacks in `cells` are."""
    if isinstance(seen, Motion):
        return seen
    counts = seen.counts.copy()
    for cell in cells:
        counts[cell] = -9.0
        counts[cell, CHECKERS : CHECKERS + 8] = np.log(1 / 8)
    return replace(seen, counts=counts)


def begun_with(events: Sequence[Event]) -> tuple[SimulatedBoard, Referee]:
    """A board in play, and its referee, who has recorded these events too."""
    board = SimulatedBoard(np.random.default_rng(1), SHORT.opening())
    board.rest()
    referee = Referee(SHORT)
    for seen in board.seen:
        referee.observe(seen)
    for event in events:
        referee.record(event)
    return board, referee


def after_found(*, is_unclear: bool) -> tuple[list[PlayMade], MatchState]:
    """The plays recorded after the position was found, and the state after them."""
    board, referee = begun_with([PositionFound(time=0.5, frame=9, position=found_position())])
    made: list[PlayMade] = []
    board.position, board.seen = found_position(), []
    for side, roll, text in PLAYS:
        board.throw(roll, side)
        board.play(apply_play(board.position, side, Play.parse(text), SHORT))
        board.lift()
    for seen in board.seen:
        shown = unclear(seen, MIDPOINT, SIX_POINT) if is_unclear else seen
        made += [event for event in referee.observe(shown) if isinstance(event, PlayMade)]
    return made, referee.state


def test_a_clear_look_at_the_board_after_the_next_play_bears_it_out():
    made, state = after_found(is_unclear=False)
    assert [one.play for one in made] == [text for _, _, text in PLAYS]
    assert not any(one.review for one in made)
    assert state.places_in_doubt == ()


def test_while_the_places_are_not_read_clearly_every_play_is_marked():
    made, state = after_found(is_unclear=True)
    assert [one.play for one in made] == [text for _, _, text in PLAYS]
    assert all("position" in one.uncertainties and one.review for one in made)
    assert {MIDPOINT, SIX_POINT} <= set(state.places_in_doubt)


@pytest.mark.parametrize(
    "entry",
    [
        Confirmed(time=9.0, frame=99, turn=3, by="hand"),
        PositionSet(time=9.0, frame=99, position=SHORT.opening(), to_move=Side.DARK),
    ],
)
def test_who_looks_at_it_himself_ends_the_doubt(entry):
    _, state = after_found(is_unclear=True)
    assert apply_event(state, entry).places_in_doubt == ()


ILLEGAL_LOOKING = PlayMade(
    time=0.5,
    frame=5,
    player=Side.LIGHT,
    dice=(3, 1),
    play="8/5 6/4",
    position=apply_play(SHORT.opening(), Side.LIGHT, Play.parse("8/5 6/4"), SHORT),
    legal=False,
    confidence=0.9,
    review=True,
    alternatives=(Alternative(play="8/5 6/5", confidence=0.1),),
    uncertainties=("play",),
)
"""Nothing but the counts of the four point and the five point speaks for it."""
LATER_PLAYS = (
    (Side.DARK, Roll(4, 2), "8/4 6/4"),
    (Side.LIGHT, Roll(6, 2), "24/16"),
    (Side.DARK, Roll(6, 1), "13/7 8/7"),
    (Side.LIGHT, Roll(4, 1), "8/4 6/5"),
    (Side.DARK, Roll(5, 3), "13/8 6/3"),
)


def played_on(
    events: Sequence[Event], plays: Sequence[tuple[Side, Roll, str]], *, is_unclear: bool = False
) -> list[PlayMade]:
    """What is recorded of plays on a board that shows what the record of these events says."""
    board, referee = begun_with(events)
    assert referee.state.position is not None
    board.position, board.seen = referee.state.position, []
    for side, roll, text in plays:
        board.throw(roll, side)
        board.play(apply_play(board.position, side, Play.parse(text), SHORT))
        board.lift()
    shown = (unclear(seen, FIVE_POINT, SIX_POINT) if is_unclear else seen for seen in board.seen)
    found = (event for seen in shown for event in referee.observe(seen))
    made = [event for event in found if isinstance(event, PlayMade)]
    assert [one.play for one in made] == [text for _, _, text in plays]
    return made


def plays_after(*events: Event, is_unclear: bool = False) -> list[PlayMade]:
    """What is recorded of `LATER_PLAYS` after these events."""
    return played_on(events, LATER_PLAYS, is_unclear=is_unclear)


def test_after_a_play_that_looks_illegal_turns_are_marked_until_its_places_change():
    marks = [one.uncertainties for one in plays_after(ILLEGAL_LOOKING)]
    assert marks == [("position",)] * 3 + [()] * 2


def test_who_confirms_the_play_ends_the_doubt_about_the_turns_after_it():
    by_hand = Confirmed(time=0.6, frame=6, turn=1, by="hand")
    assert not any(one.review for one in plays_after(ILLEGAL_LOOKING, by_hand))


LEGAL = replace(
    ILLEGAL_LOOKING,
    play="8/5 6/5",
    position=apply_play(SHORT.opening(), Side.LIGHT, Play.parse("8/5 6/5"), SHORT),
    legal=True,
    alternatives=(Alternative(play="8/5 6/4", confidence=0.1),),
)


@pytest.mark.parametrize("is_unclear", [False, True])
def test_after_a_doubtful_play_that_looks_legal_one_clear_look_is_enough(is_unclear):
    plays = plays_after(LEGAL, is_unclear=is_unclear)
    assert plays[0].review == is_unclear


def recorded(before: Position, side: Side, play: str, *uncertainties: Uncertainty) -> PlayMade:
    """A play that rests on the one that looks illegal, as the record has it."""
    return PlayMade(
        time=0.7,
        frame=7,
        player=side,
        dice=(6, 1),
        play=play,
        position=apply_play(before, side, Play.parse(play), SHORT),
        legal=True,
        confidence=0.9,
        review=True,
        uncertainties=uncertainties,
    )


def is_marked_after(*events: Event) -> bool:
    """Whether light's first play after these events is marked."""
    (made,) = played_on(events, [(Side.LIGHT, Roll(6, 2), "24/16")])
    return made.review


def test_another_doubtful_play_does_not_end_the_doubt():
    assert is_marked_after(
        ILLEGAL_LOOKING,
        recorded(ILLEGAL_LOOKING.position, Side.DARK, "13/7 8/7", "play", "position"),
    )


def test_the_places_of_the_likeliest_other_play_are_in_question():
    rival = Alternative(play="8/5 6/3", confidence=0.01)  # listed first, because it breaks a rule
    made = replace(ILLEGAL_LOOKING, alternatives=(rival, *ILLEGAL_LOOKING.alternatives))
    marks = [one.review for one in plays_after(made)]
    assert marks == [True] * 3 + [False] * 2


def test_the_same_play_in_other_words_leaves_no_place_in_question():
    same = Alternative(play="6/4 8/5", confidence=0.1)
    marks = [one.review for one in plays_after(replace(ILLEGAL_LOOKING, alternatives=(same,)))]
    assert marks == [True] * 3 + [False] * 2


def test_a_position_set_by_hand_ends_the_doubt_for_good():
    made = recorded(ILLEGAL_LOOKING.position, Side.DARK, "13/7 8/7", "position")
    set_up = PositionSet(time=0.6, frame=6, position=ILLEGAL_LOOKING.position, to_move=Side.DARK)
    assert not is_marked_after(ILLEGAL_LOOKING, set_up, made)


ELSEWHERE = ("24/23", "24/23", "24/23", "24/23", "23/22", "23/22", "23/22", "23/22")
"""Plays of dark and light in turn that touch no place in question."""


@pytest.mark.parametrize(("number", "is_marked"), [(7, True), (8, False)])
def test_after_eight_turns_one_clear_look_at_an_untouched_place_is_enough(number, is_marked):
    events, side = [ILLEGAL_LOOKING], Side.DARK
    for play in ELSEWHERE[:number]:
        events.append(recorded(events[-1].position, side, play, "position"))
        side = side.other
    (made,) = played_on(events, [(side, Roll(6, 2), "13/11 13/7")])
    assert made.review == is_marked


def test_moves_left_over_by_a_double_are_in_doubt_too():
    before = find_rules("gulbar").opening()
    state = MatchState(variant="gulbar", games=1, position=before, to_move=Side.DARK, leftover=(3,))
    moved = recorded(before, Side.DARK, "24/21", "play")
    made = replace(moved, dice=None)
    after = apply_event(state, made)
    assert len(after.places_in_doubt) == 2
    assert apply_event(state, replace(made, uncertainties=())).places_in_doubt == ()


FOUND = PositionFound(time=0.6, frame=6, position=LEGAL.position)


def marks(
    *events: Event, unclear_turns: int, entries: Mapping[int, Event] = MappingProxyType({})
) -> list[tuple[Uncertainty, ...]]:
    """The uncertainties of all turns after `LATER_PLAYS`, of which the first are seen badly.

    entries: by number of a play, what is recorded before it; the board then shows that.
    """
    board, referee = begun_with(events)
    search = HistorySearch(referee)
    for number, (side, roll, text) in enumerate(LATER_PLAYS):
        if number in entries:
            referee.record(entries[number])
        assert referee.state.position is not None
        board.position, board.seen = referee.state.position, []
        board.throw(roll, side)
        board.play(apply_play(board.position, side, Play.parse(text), SHORT))
        board.lift()
        for seen in board.seen:
            is_unclear = number < unclear_turns
            search.observe(unclear(seen, FIVE_POINT, SIX_POINT) if is_unclear else seen)
        assert search.history_count == 1
    made = [turn.event for turn in search.state.turns]
    assert [one.play for one in made[-len(LATER_PLAYS) :]] == [text for _, _, text in LATER_PLAYS]
    return [one.uncertainties for one in made]


MARKED: tuple[Uncertainty, ...] = ("position",)
CLEAR: tuple[Uncertainty, ...] = ()


def test_marks_that_only_rest_on_a_doubt_go_once_a_look_shows_that_the_record_was_right():
    assert marks(FOUND, unclear_turns=5) == [MARKED] * 5
    assert marks(FOUND, unclear_turns=3) == [CLEAR] * 5


@pytest.mark.parametrize(
    "made",
    [
        ILLEGAL_LOOKING,
        replace(ILLEGAL_LOOKING, uncertainties=("position", "illegal"), alternatives=()),
        replace(LEGAL, uncertainties=("record",)),
    ],
)
def test_they_stay_while_a_play_that_they_rest_on_is_in_doubt(made):
    assert marks(FOUND, made, unclear_turns=3)[1:] == [MARKED] * 3 + [CLEAR] * 2


def elsewhere(position: Position) -> Position:
    """The position with two of light's checkers of the midpoint on the 11 point."""
    light = list(position.light)
    light[MIDPOINT + 1] -= 2
    light[11] += 2
    return replace(position, light=tuple(light))


@pytest.mark.parametrize(
    "entry",
    [
        PositionSet(time=9, frame=9, position=elsewhere(LEGAL.position), to_move=Side.LIGHT),
        PositionFound(time=9, frame=9, position=elsewhere(LEGAL.position)),
    ],
)
def test_they_stay_if_the_board_showed_something_else_in_the_end(entry):
    assert marks(FOUND, unclear_turns=3, entries={3: entry}) == [MARKED] * 3 + [CLEAR] * 2


def test_they_stay_if_nobody_but_a_person_saw_what_followed():
    seen = recorded(FOUND.position, Side.DARK, "24/23", "position")
    told = replace(recorded(seen.position, Side.LIGHT, "24/23"), by="hand", review=False)
    assert marks(FOUND, seen, told, unclear_turns=0) == [MARKED] + [CLEAR] * 6


def test_who_confirms_a_play_does_not_vouch_for_the_turns_before_it():
    by_hand = Confirmed(time=9, frame=9, turn=2, by="hand")
    assert marks(FOUND, unclear_turns=3, entries={3: by_hand}) == [
        *(MARKED, CLEAR, MARKED), *[CLEAR] * 2
    ]  # fmt: skip


def test_what_was_played_is_settled_by_sight_before_the_position_that_it_rests_on():
    made = replace(LEGAL, uncertainties=("play", "position"), review=True)
    by_sight = Confirmed(time=0.9, frame=9, turn=1)
    for number, left in enumerate([("play", "position"), MARKED, CLEAR]):
        events = [GameStart(time=0, frame=0, position=SHORT.opening()), made, *[by_sight] * number]
        ((turn,), (*_, effective)) = fold(events).turns, effective_events(events)
        assert (turn.event.uncertainties, turn.event.review) == (left, bool(left))
        assert effective == turn.event
