"""Which decisions a match has, and that corrections of others leave their keys alone."""

from dataclasses import replace

import pytest

from engine import Play, Side, apply_play
from engine.events.match import (
    GameStart,
    IllegalMade,
    OpeningRolled,
    PlayMade,
    PlayRejected,
    TakenBack,
)
from engine.match.amendments import effective_events
from engine.match.state import MatchState
from engine.study.cubeful import CubeHolder
from tableside.analysis.questions import CubeQuestion, PlayQuestion, questions
from tests.tableside.sample_record import OPENING, SHORT, finished, match_events


def at_once(kind, **fields):
    return kind(time=0.0, frame=0, **fields)


def asked(events, **more):
    return questions(effective_events(events), MatchState(length=3, **more))


def test_every_play_and_cube_action_that_stands_is_a_question():
    found = asked(finished(match_events()))
    assert [one.turn for one in found if one.turn] == [1, 2, 4, 5, 6, 7], "3 was rejected"
    cube = [one.about for one in found if isinstance(one.about, CubeQuestion)]
    assert [about.answer for about in cube][:2] == [None, "take"]
    assert cube[0].stake == cube[1].stake, "the answer is judged as the double was"
    numbers = [one.event for one in found]
    assert numbers == sorted(numbers)


def test_who_may_double_is_asked_only_of_those_who_could():
    plays = [one.about for one in asked(finished(match_events())) if one.turn]
    assert isinstance(plays[0], PlayQuestion)
    assert plays[0].is_opening
    assert not plays[0].could_double
    assert plays[1].could_double
    assert [about.stake.value for about in plays[:3]] == [1, 1, 2]
    assert not plays[2].could_double, "the cube was just turned to the other side"
    assert plays[3].stake.holder is CubeHolder.OWN


@pytest.mark.parametrize(("kind", "again"), [(IllegalMade, PlayRejected), (PlayMade, TakenBack)])
def test_a_roll_that_is_played_again_is_still_the_opening_roll(kind, again):
    """And its player still could not have doubled."""
    rule = {"rule": "no", "legal_plays": 9} if kind is IllegalMade else {}
    fields = {"player": Side.LIGHT, "dice": (3, 1)}
    first, second = (
        apply_play(OPENING, Side.LIGHT, Play.parse(text), SHORT) for text in ("13/9", "8/5 6/5")
    )
    (found,) = asked(
        [
            match_events()[0],
            at_once(OpeningRolled, light=3, dark=1),
            at_once(kind, play="13/9", position=first, **fields, **rule),
            at_once(again, player=Side.DARK if again is PlayRejected else Side.LIGHT),
            at_once(PlayMade, play="8/5 6/5", position=second, **fields),
        ]
    )
    assert (found.turn, found.about.is_opening, found.about.could_double) == (2, True, False)
    assert found.about.play == "8/5 6/5"


def test_other_games_are_not_judged():
    events = finished(match_events())
    narde = [
        replace(event, variant="hypergammon") if isinstance(event, GameStart) else event
        for event in events
    ]
    assert asked(narde, variant="hypergammon") == []


def test_the_key_depends_on_the_decision_alone():
    before = asked(finished(match_events()))
    renamed = asked(finished(match_events(light="Somebody else")))
    assert [one.key for one in before] == [one.key for one in renamed]
    assert len({one.key for one in before}) == len(before)
    longer = asked(finished(match_events(length=5)))
    assert before[1].key != longer[1].key, "the score matters"
