"""Messages are translated with the values in them; other text stays as it is."""

from __future__ import annotations

import json
import re
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import ALL_ROLLS, MatchState, Setup, Side, legal_plays
from engine.dice_sets.edits import DiceMerged
from engine.dice_sets.names import COLOUR_NAMES, name_message, pair_of
from engine.fairness.verdict import ceil_percent, format_e_value
from engine.formats.mat.read import read_mat
from engine.formats.validate.replay import replay
from engine.message import join, msg, ngettext
from engine.rules import VARIANTS, find_rules
from engine.rules.illegality import judge_result
from webui.i18n.locale import SOURCE, language, use_language
from webui.i18n.messages import MessageJSON, finalized, translate

ENGLISH = re.compile(r"[A-Za-z]{2,}")


def in_russian(sentence):
    with use_language("ru"):
        return translate(sentence)


@given(st.text())
def test_text_that_is_no_message_stays_as_it_is(text):
    assert in_russian(text) == text
    assert finalized(text) == text


@given(st.text())
def test_names_that_look_like_placeholders_change_nothing_but_themselves(name):
    assert in_russian(msg("{name} to roll", name=name)) == f"бросок: {name}"


def test_a_message_that_nobody_has_translated_stays_english():
    assert in_russian(msg("the moon is made of {what}", what="cheese")) == (
        "the moon is made of cheese"
    )


def test_in_english_a_message_is_its_text():
    with use_language(SOURCE):
        assert translate(msg("{count:,} of {share:.1f}", count=1234, share=0.25)) == "1,234 of 0.2"


def test_messages_in_messages_and_joined_ones_are_translated_each():
    frozen = msg("the picture is frozen")
    waits = join([msg("camera {index}", index=0), join([frozen, frozen])], ": ")
    assert in_russian(waits) == "камера 0: картинка застыла; картинка застыла"


def test_numbers_in_messages_have_the_marks_of_the_language():
    late = join([msg("no picture for {silent:.1f} s", silent=1.46)])
    assert in_russian(late) == "нет изображения уже 1,5 с"
    assert in_russian(ceil_percent(0.0123)) == "1,3 %"
    assert in_russian(format_e_value(log(123_456.0))) == "123\u00a0456"


@pytest.mark.parametrize(
    ("number", "russian"), [(1, "1 партия"), (3, "3 партии"), (11, "11 партий"), (21, "21 партия")]
)
def test_a_message_has_the_form_that_goes_with_its_number_in_each_language(number, russian):
    games = ngettext("{number} game", "{number} games", number)
    assert in_russian(games) == russian
    with use_language(SOURCE):
        assert translate(games) == str(games)


def test_a_message_becomes_text_in_json_and_in_templates():
    with use_language("ru"):
        coded = json.dumps({"why": msg("too often")}, default=MessageJSON.default)
        assert json.loads(coded) == {"why": "слишком часто"}
        assert finalized(msg("too often")) == "слишком часто"


def test_a_player_without_a_name_is_called_by_the_side_in_every_language():
    message = MatchState(variant="short", light="Light", dark="Ann").name(Side.LIGHT)
    assert in_russian(msg("{name} to roll", name=message)) == "бросок: Светлые"


@pytest.mark.parametrize(
    ("name", "russian"),
    [
        ("white pair", "белая пара костей"),
        ("white die, the darker", "белая кость, потемнее"),
        ("white pair no. 2 thrown by Light", "белая пара костей № 2, бросает Светлые"),
        ("cup 1a2b", "стаканчик 1a2b"),
        (pair_of("Ann"), "Пара костей: Ann"),
        ("club dice", "club dice"),
        ("club dice no. 3", "club dice № 3"),
        ("", ""),
    ],
)
def test_a_name_of_dice_is_the_languages_own_unless_somebody_gave_it(name, russian):
    assert str(name_message(name)) == name
    assert in_russian(name_message(name)) == russian


@pytest.mark.parametrize("colour", COLOUR_NAMES)
def test_every_colour_of_dice_has_a_russian_name(colour):
    pair, die = (str(name) for name in COLOUR_NAMES[colour])
    edit = DiceMerged(f"{pair}, the lighter", die)
    assert str(edit.sentence) == f"{die} and {pair}, the lighter are the same dice"
    assert not ENGLISH.search(in_russian(edit.sentence))


def some_result(position, side, roll, rules, draw):
    """A board that a player may leave, legally or not: a play, and checkers put elsewhere."""
    plays = legal_plays(position, side, roll, rules)
    result = draw(st.sampled_from([one.position for one in plays]))
    own = list(result.of(side))
    held = [place for place in range(1, 26) if own[place]]
    for _ in range(draw(st.integers(0, 2))):
        source, target = draw(st.sampled_from(held)), draw(st.integers(0, 25))
        if own[source]:
            own[source], own[target] = own[source] - 1, own[target] + 1
    other = list(result.of(side.other))
    if draw(st.booleans()):
        other[6], other[5] = other[6] - 1, other[5] + 1
    light, dark = (own, other) if side is Side.LIGHT else (other, own)
    return Setup(tuple(light), tuple(dark), rules.course)


@pytest.mark.parametrize("variant", ["short", "narde", "fevga"])
@settings(max_examples=60)  # the first turn compiles the search
@given(data=st.data())
def test_whatever_rule_is_broken_is_named_without_a_word_of_english(variant, data):
    rules = find_rules(variant)
    roll = data.draw(st.sampled_from(list(ALL_ROLLS)))
    side = data.draw(st.sampled_from(Side))
    position = rules.opening()
    seen = some_result(position, side, roll, rules, data.draw)
    if not seen.faults():
        seen = seen.checked()
    judged = judge_result(position, side, roll, seen, rules)
    assert not ENGLISH.search(in_russian(judged.sentence)), judged.sentence


MATCH = """\
 3 point match

 Game 1
 Ann : 0                             Bob : 0
  1) 63: 13/x                        41: 13/8
  2)  Doubles => 4                    Takes
  3) 11: 3/2(4)
"""


def test_the_faults_of_a_match_file_are_listed_without_a_word_of_english():
    faults = replay(read_mat(MATCH)).faults
    assert len(faults) >= 3
    for fault in faults:
        assert set(ENGLISH.findall(in_russian(fault.message))) <= {"x"}, fault


def test_every_variant_has_a_russian_name():
    from webui.views.phrases import variant_name

    with use_language("ru"):
        assert language() == "ru"
        assert not [name for name in VARIANTS if ENGLISH.search(variant_name(name))]
        titles = [rules.title for rules in VARIANTS.values() if not rules.has_cube]
        assert not [title for title in titles if ENGLISH.search(translate(msg(title)))]
