"""Names of dice as a fold over their edits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import NotNow
from engine.dice_sets.edits import (
    DiceMerged,
    DiceNames,
    DiceRenamed,
    DiceUndone,
    check_edit,
    edit_from_json,
    edit_json,
    edits_in_effect,
)

NAMES = ("white pair", "ivory pair", "red pair", "blue die")
NAME = st.sampled_from(NAMES)
EDIT = st.one_of(
    st.builds(DiceMerged, NAME, NAME),
    st.builds(DiceRenamed, NAME, st.sampled_from(("club dice", "Öl"))),
    st.just(DiceUndone()),
)


def called(*edits):
    return [DiceNames.after(edits).called(name) for name in NAMES]


def test_merged_dice_have_one_name_and_the_others_keep_theirs():
    merged = called(DiceMerged("white pair", "ivory pair"))
    assert merged == ["white pair", "white pair", "red pair", "blue die"]


def test_merged_dice_are_renamed_together():
    edits = DiceMerged("white pair", "ivory pair"), DiceRenamed("white pair", "club dice")
    assert called(*edits)[:3] == ["club dice", "club dice", "red pair"]
    assert called(*edits, DiceMerged("red pair", "club dice"))[:3] == ["red pair"] * 3
    assert called(*edits, DiceUndone())[:3] == ["white pair", "white pair", "red pair"]


def test_a_pair_kept_apart_by_thrower_follows_its_name():
    names = DiceNames.after([DiceRenamed("white pair", "club dice")])
    assert names.called("white pair thrown by Ann") == "club dice thrown by Ann"
    both = DiceMerged("white pair thrown by Ann", "white pair thrown by Ben")
    assert DiceNames.after([both]).called("white pair thrown by Ben") == both.keep


@given(st.lists(EDIT, max_size=8), EDIT)
def test_an_undone_edit_has_no_effect(edits, last):
    if not isinstance(last, DiceUndone):
        assert called(*edits, last, DiceUndone()) == called(*edits)
    assert called(*edits_in_effect(edits)) == called(*edits)


@given(EDIT)
def test_an_edit_is_read_back_from_its_json(edit):
    assert edit_from_json(edit_json(edit)) == edit


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (DiceMerged("white pair", "green pair"), "no dice in the record are called green pair"),
        (DiceMerged("white pair", "white pair"), "already have the same name"),
        (DiceMerged("white pair", "cup 01234567"), "a cup's dice cannot be renamed"),
        (DiceRenamed("white pair", "red pair"), "other dice are already called red pair"),
        (DiceRenamed("white pair", "  "), "1 to 60 characters"),
        (DiceRenamed("white pair", "cup mine"), "other dice"),
        (DiceUndone(), "no change to the dice names to undo"),
    ],
)
def test_an_impossible_edit_is_refused_in_one_line(edit, why):
    with pytest.raises(NotNow, match=why) as refused:
        check_edit(edit, {*NAMES, "cup 01234567"}, [])
    assert "\n" not in str(refused.value)
