"""What comes from below in English is told in Russian: every sentence that there is, whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import ALL_ROLLS, Setup, Side, legal_plays
from engine.rules import VARIANTS, find_rules
from engine.rules.illegality import judge_result
from webui.i18n.locale import SOURCE, catalogue, language, speaking
from webui.i18n.messages import CONTEXT, templates, translate

ENGLISH = re.compile(r"[A-Za-z]{2,}")
NAME = re.compile(r"\{(\w+)\}")
SENTENCES = sorted(key.removeprefix(CONTEXT) for key in catalogue("ru") if key.startswith(CONTEXT))
WORDS = st.text("абвгдеж0123456789-+/", min_size=1, max_size=8)


def in_russian(sentence):
    with speaking("ru"):
        return translate(sentence)


@given(st.data())
def test_every_sentence_is_recognised_whatever_stands_in_it(data):
    sentence = data.draw(st.sampled_from(SENTENCES))
    values = [data.draw(WORDS) for _ in NAME.findall(sentence)]
    filled = iter(values)
    said = NAME.sub(lambda _: next(filled), sentence)
    russian = in_russian(said)
    assert russian != said
    assert all(value in russian for value in values)


@given(st.lists(st.sampled_from([one for one in SENTENCES if "{" not in one]), max_size=4))
def test_sentences_that_are_told_together_are_told_each(sentences):
    assert in_russian("; ".join(sentences)) == "; ".join(map(in_russian, sentences))


@given(st.text())
def test_whatever_is_said_can_be_told(text):
    assert isinstance(in_russian(text), str)
    with speaking(SOURCE):
        assert translate(text) == text


def test_a_sentence_that_nobody_has_translated_stays_as_it_is():
    assert in_russian("the moon is made of cheese") == "the moon is made of cheese"


def test_what_stands_in_a_sentence_is_told_too():
    assert in_russian("light has 3 on the 6 point, not 5") == "светлые, пункт 6: 3 вместо 5"
    assert in_russian(
        "camera 0: no picture for 1.5 s; check its plug, its power and its cable"
    ) == ("камера 0: нет изображения уже 1,5 с; проверьте разъём, питание и кабель")


def test_names_that_hold_a_template_change_nothing_but_themselves():
    assert in_russian("Ann {name} %s \\1 to roll") == "бросок: Ann {name} %s \\1"


def test_the_plainest_of_several_templates_is_meant():
    weights = [template.weight for template in templates("ru")]
    assert weights == sorted(weights, reverse=True)


def some_result(position, side, roll, rules, draw):
    """A board that a player may leave, right or wrong: a play, and checkers put elsewhere."""
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


@pytest.mark.parametrize(
    "notice",
    [
        "{}, line 7: 63: cannot read '13/x' as moves such as 13/7 8/5",
        "{}, line 9: light doubles, but dark owns the cube",
        "{}, line 3: 4-1: 13/8 cannot be followed on the board: there is no checker on 13; "
        "the rest of the game is not checked",
        "{}: 3 faults more; see `tableside check`",
        "{} is not Unicode: it is read as 1252; check the names",
        "line 12: the player throws '5' from here on, and '4' before; they are taken for two dice",
        "sight alone did not read 8 of 20 that showed 6, and 9 of 120 dice in all (p 0.001): "
        "where no play told them, that face is missing; look at the pictures before the dice",
    ],
)
def test_what_is_odd_in_rolls_is_told(notice):
    russian = in_russian(notice.format("матч.1"))
    allowed = {"tableside", "check", "x"}
    assert set(ENGLISH.findall(russian)) <= allowed, russian


def test_every_variant_has_a_russian_name():
    from webui.views.phrases import variant_name

    with speaking("ru"):
        assert language() == "ru"
        assert not [name for name in VARIANTS if ENGLISH.search(variant_name(name))]
