"""A sentence and its values travel as one value."""

import pickle

from engine.errors import NotNow
from engine.message import join, message_of, msg, ngettext


def test_a_message_reads_as_its_english_sentence():
    assert str(msg("{count} of {share:.1%} were {what}", count=3, share=0.5, what=msg("red"))) == (
        "3 of 50.0% were red"
    )


def test_a_message_without_values_is_its_text():
    assert str(msg("the match is over")) == "the match is over"


def test_joined_messages_keep_their_parts():
    both = join([msg("one {n}", n=1), "two"])
    assert str(both) == "one 1; two"
    assert [str(part) for part in both.values.values()] == ["one 1", "two"]


def test_an_error_gives_back_the_message_it_was_raised_with():
    sentence = msg("turn {turn} was never recorded", turn=4)
    assert message_of(NotNow(sentence)) is sentence
    assert str(NotNow(sentence)) == "turn 4 was never recorded"
    assert message_of(OSError(2, "No such file")) == "[Errno 2] No such file"


def test_equal_messages_are_equal_after_a_trip_to_another_process():
    sentence = msg("turn {turn}", turn=4)
    assert pickle.loads(pickle.dumps(sentence)) == sentence


def test_a_message_has_a_text_for_one_and_a_text_for_more():
    lost = [
        ngettext("{number} {what} is lost", "{number} {what}s are lost", n, what="die")
        for n in (0, 1, 2)
    ]
    assert list(map(str, lost)) == ["0 dies are lost", "1 die is lost", "2 dies are lost"]
    assert pickle.loads(pickle.dumps(lost)) == lost
