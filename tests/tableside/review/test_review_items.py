"""The reasons that review items give."""

import re

import pytest

from tableside.review.review_items import WHY_VOID
from webui.i18n.locale import use_language
from webui.i18n.messages import translate


@pytest.mark.parametrize("reason", WHY_VOID)
def test_why_a_throw_is_void_is_translated(reason):
    with use_language("ru"):
        assert not re.search(r"[A-Za-z]{2,}", translate(WHY_VOID[reason]))
