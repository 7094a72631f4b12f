"""The page shows what the record holds."""

import json
from dataclasses import replace

import pytest

from engine import (
    USUAL,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleTaken,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchClosed,
    PlayAccepted,
    PlayMade,
    PrematureRoll,
    Side,
    fold,
)
from engine.events.match import Alternative, DieAtRest
from engine.events.record import Confirmed
from engine.formats.ids.match_id import parse_gnubg_ids
from engine.formats.ids.xgid import parse_xgid
from engine.rules import SHORT
from engine.ruleset import Audience, find_rule_set
from tableside.review.review_items import NO_FOLDER, find_review_items
from tableside.review.stills import StillKeeper
from tableside.site.page_state import match_part, pending_part, phase_of

OPENING = SHORT.opening()
START = GameStart(time=0, frame=0, position=OPENING, light="Ann", dark="Bob", length=5)


def rolled(side, dice):
    return DiceRolled(time=1, frame=1, player=side, dice=dice, confidence=0.9)


def played(side, dice, play, **more):
    return PlayMade(time=2, frame=2, player=side, dice=dice, play=play, position=OPENING, **more)


ILLEGAL = IllegalMade(
    time=3, frame=3, player=Side.LIGHT, dice=(3, 1), play="8/3", position=OPENING,
    rule="no die shows five",
)  # fmt: skip


def match_shown(*events):
    return match_part(fold(events), events)


def test_before_a_game_there_is_no_position():
    assert match_shown()["position"] is None
    assert phase_of(fold(())) == "waiting"


def test_a_roll_waits_to_be_played():
    shown = match_shown(START, rolled(Side.LIGHT, (3, 1)))
    assert shown["roll"] == {"player": "light", "dice": [3, 1], "confidence": 0.9}
    assert shown["to_move"] == "light"


@pytest.mark.parametrize("length", [0, 5])
def test_after_a_game_the_match_goes_on_whether_or_not_it_has_a_length(length):
    start = replace(START, length=length)
    end = GameEnd(time=2, frame=2, winner=Side.LIGHT, points=1, result="drop")
    assert phase_of(fold((start, end))) == "playing"
    assert phase_of(fold((start, end, MatchClosed(time=3, frame=3, score=(0, 0))))) == "ended"


def test_the_ids_of_the_position_are_those_that_the_replay_has():
    ids = match_shown(START, rolled(Side.LIGHT, (3, 1)))["ids"]
    assert ids is not None
    same = parse_gnubg_ids(*ids["gnubg"].split(":"))
    for one in (parse_xgid(ids["xgid"]), same):
        assert (one.position, one.on_roll, one.length) == (OPENING, Side.LIGHT, 5)
        assert sorted(one.dice or ()) == [1, 3]
    assert match_shown()["ids"] is None


def test_a_play_that_is_not_final_is_shown_with_its_player_and_dice_alone():
    assert pending_part(None) is None
    shown = pending_part(played(Side.DARK, (3, 1), "8/5 6/5", confidence=0.993))
    assert shown == {"player": "dark", "play": "8/5 6/5", "dice": [3, 1]}


def test_a_row_of_the_sheet_begins_with_light_or_when_dark_begins():
    shown = match_shown(
        START,
        played(Side.DARK, (3, 1), "8/5 6/5"),
        played(Side.LIGHT, (6, 5), "24/13"),
        played(Side.DARK, (2, 1), "24/22 6/5"),
    )
    rows = [(row["light"] and row["light"]["play"], row["dark"] and row["dark"]["play"])
            for row in shown["moves"]]  # fmt: skip
    assert rows == [(None, "8/5 6/5"), ("24/13", "24/22 6/5")]


def test_what_needs_review_is_listed_with_its_reason():
    void = DiceVoid(time=5, frame=5, player=Side.DARK, reason="cocked", dice=(4, 4))
    shown = match_shown(START, played(Side.DARK, None, "8/5 6/5", review=True), ILLEGAL, void)
    assert [(one["kind"], str(one["note"])) for one in shown["review"]] == [
        ("doubt", "no dice were seen for this turn"),
        ("illegal", "no die shows five"),
        ("reroll", "a die is cocked: both are rolled again"),
    ]


@pytest.mark.parametrize(
    ("illegal", "after", "listed"),
    [
        (ILLEGAL, PlayAccepted(time=4, frame=4, player=Side.DARK, by="roll"), ["illegal"]),
        (ILLEGAL, PlayAccepted(time=4, frame=4, player=Side.DARK, by="hand"), []),
        (ILLEGAL, Confirmed(time=4, frame=4, turn=1, by="hand"), []),
        (replace(ILLEGAL, by="hand"), Confirmed(time=4, frame=4, turn=1, by="sight"), []),
    ],
)
def test_an_illegal_play_is_to_be_reviewed_until_somebody_has_settled_it(illegal, after, listed):
    events = (START, illegal, after)
    assert [one["kind"] for one in match_shown(*events)["review"]] == listed
    found = find_review_items(events, StillKeeper(NO_FOLDER))
    assert [(one.kind, one.is_open) for one in found] == [("illegal", bool(listed))]


def test_a_throw_that_is_surely_void_needs_no_review():
    lay = DieAtRest(chances=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0), place=(0.4, 0.5), flat=0.02)
    void = DiceVoid(
        time=5, frame=5, player=Side.DARK, reason="cocked", dice=(4, 4), dice_at_rest=(lay, lay)
    )
    assert match_shown(START, void)["review"] == []


def test_a_doubtful_void_throw_is_to_be_reviewed_until_its_player_has_rolled_again():
    void = DiceVoid(time=5, frame=5, player=Side.DARK, reason="cocked", dice=(4, 4))
    assert len(match_shown(START, void)["review"]) == 1
    assert match_shown(START, void, rolled(Side.DARK, (3, 1)))["review"] == []
    unseen = played(Side.DARK, (4, 4), "8/4(2) 6/2(2)"), rolled(Side.LIGHT, (3, 1))
    assert len(match_shown(START, void, *unseen)["review"]) == 1


def test_an_illegal_play_is_alerted_until_it_is_accepted():
    assert match_shown(START, ILLEGAL)["last_play"]["accepted"] is False
    accepted = PlayAccepted(time=4, frame=4, player=Side.DARK)
    assert match_shown(START, ILLEGAL, accepted)["last_play"]["accepted"] is True


def under(*events, **changes):
    start = replace(START, rule_set=replace(USUAL, **changes))
    return match_shown(start, *events)


def test_an_illegal_play_that_is_not_announced_is_nowhere_on_the_page():
    shown = under(ILLEGAL, announce=Audience.REFEREE)
    assert (shown["last_play"]["legal"], shown["last_play"]["rule"]) == (True, "")
    assert shown["moves"][0]["light"]["illegal"] is False
    assert shown["review"] == []


def test_a_pass_without_a_choice_has_no_probability():
    for by in ("rules", "hand", "sight"):
        shown = match_shown(START, played(Side.DARK, (6, 6), "", by=by))
        assert (shown["last_play"]["confidence"] is None) == (by != "sight")


def test_in_a_tournament_the_page_helps_no_player():
    other = Alternative(play="24/20", confidence=0.2)
    doubtful = played(Side.DARK, (3, 1), "8/5 6/5", review=True, alternatives=(other,))
    for aids in (True, False):
        shown = under(doubtful, aids=aids)
        assert (shown["pips"] is not None) is aids
        assert (shown["last_play"]["confidence"] is not None) is aids
        assert bool(shown["review"][0]["alternatives"]) is aids


@pytest.mark.parametrize("name", ["us2009", "usbgf", "wbgf", "ukbgf"])
def test_the_rules_of_tournaments_give_no_aids(name):
    assert not find_rule_set(name).aids
    assert find_rule_set("casual").aids


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("cocked", "a die is cocked"),
        ("on_checker", "on a checker"),
        ("off_board", "left the board"),
        ("split", "different halves"),
        ("wrong_half", "wrong half"),
    ],
)
def test_a_void_throw_is_shown_with_its_reason_until_the_next(reason, words):
    void = DiceVoid(time=5, frame=5, player=Side.DARK, reason=reason, dice=(4, None))
    shown = match_shown(START, void)["void"]
    assert (shown["player"], shown["dice"], shown["reason"]) == ("dark", [4, None], reason)
    assert words in str(shown["note"])
    assert match_shown(START, void, rolled(Side.DARK, (3, 1)))["void"] is None


def test_a_throw_before_its_turn_is_void_unless_it_counts():
    early = PrematureRoll(time=5, frame=5, player=Side.DARK, dice=(4, 2), stands=False)
    assert match_shown(START, early)["void"]["reason"] == "premature"
    assert match_shown(START, replace(early, stands=True))["void"] is None


def test_a_void_throw_lies_open_whatever_is_announced():
    void = DiceVoid(time=5, frame=5, player=Side.DARK, reason="cocked", dice=(4, 4))
    for announce in Audience:
        assert under(void, announce=announce)["void"]["reason"] == "cocked"
    assert under(ILLEGAL, void, announce=Audience.REFEREE)["last_play"]["legal"]


def test_the_cube_is_shown_with_its_owner_and_its_offered_value():
    middle = {"value": 1, "owner": None, "offered": None, "by": None, "crawford": False}
    assert match_shown(START)["cube"] == middle
    doubled = Doubled(time=1, frame=1, player=Side.LIGHT, value=2)
    assert match_shown(START, doubled)["cube"] == {**middle, "offered": 2, "by": "light"}
    taken = DoubleTaken(time=2, frame=2, player=Side.DARK)
    assert match_shown(START, doubled, taken)["cube"] == {**middle, "value": 2, "owner": "dark"}


def test_without_a_cube_none_is_shown():
    assert match_shown()["cube"] is None
    assert match_shown(replace(START, variant="narde"))["cube"] is None


def test_a_void_throw_becomes_json():
    void = DiceVoid(time=1.0, frame=1, player=Side.LIGHT, reason="cocked", dice=(3, 1))
    part = match_part(fold([START]), [START, void])
    assert (
        json.loads(json.dumps(part, default=str))["void"]["note"]
        == "a die is cocked: both are rolled again"
    )
    assert json.loads(json.dumps(part, default=str))["review"][0]["kind"] == "reroll"
