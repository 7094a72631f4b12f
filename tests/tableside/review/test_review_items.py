"""The reasons that review items give."""

import re

import pytest

from engine import Unseen
from tableside.review.review_items import WHY_VOID, find_review_items
from tableside.review.stills import StillKeeper
from webui.i18n.locale import use_language
from webui.i18n.messages import translate


@pytest.mark.parametrize("reason", WHY_VOID)
def test_why_a_throw_is_void_is_translated(reason):
    with use_language("ru"):
        assert not re.search(r"[A-Za-z]{2,}", translate(WHY_VOID[reason]))


def unseen(start, end, reason="skipped"):
    return Unseen(time=end, frame=int(end), start=start, end=end, reason=reason)


def test_unseen_stretches_that_follow_one_another_are_one_item(tmp_path):
    stretches = [unseen(0, 5), unseen(5, 10), unseen(10, 15), unseen(15, 40, "covered")]
    items = find_review_items([*stretches, unseen(60, 65)], StillKeeper(tmp_path))
    lengths = [re.search(r"\d+", str(item.why[0])).group() for item in items]
    assert lengths == ["15", "25", "5"]
