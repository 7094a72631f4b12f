"""The table of reliability is made of what its tests saw."""

import re

import pytest

from tests.paths import ROOT
from tests.reliability import PAGE, told, updated, with_pytest

TABLE = """# Title

| no. | what | asked | seen | date | test |
| --- | --- | --- | --- | --- | --- |
| 1 | it is killed | nothing lost | 3 lost | 2026-01-01, short | `tests/a.py::test_kill` |
| 2 | it is asked | an answer | none | 2026-01-01, short | `tests/b.py`, `tests/c.py` |
| 3 | by hand | much | not yet | | |
"""
REPORT = """<testsuites><testsuite>
<testcase name="test_a"><properties><property name="seen" value="4 kills"/></properties></testcase>
<testcase name="test_b"><skipped/></testcase>
<testcase name="test_c"><failure/></testcase>
</testsuite></testsuites>"""


def test_each_row_is_run_once_a_day_and_rows_without_tests_stay():
    ran = []

    def run(tests):
        ran.append(tests)
        return "none lost"

    page = TABLE
    while (new := updated(page, run, "2026-11-27, short", set())) is not None:
        page = new
    assert ran == [["tests/a.py::test_kill"], ["tests/b.py", "tests/c.py"]]
    assert page.count("| none lost | 2026-11-27, short |") == 2
    assert page.splitlines()[-1] == TABLE.splitlines()[-1]


def test_only_the_rows_asked_for_are_run():
    page = updated(TABLE, lambda tests: "run", "today", {2})
    assert [line[2] for line in page.splitlines() if "| run |" in line] == ["2"]


def test_rows_of_today_are_run_once_more_when_that_is_asked_for():
    page, done = TABLE.replace("2026-01-01, short", "today"), set()
    assert updated(page, lambda tests: "again", "today", {2}) is None
    new = updated(page, lambda tests: "again", "today", {2}, done)
    assert new is not None
    assert new.count("| again | today |") == 1
    assert updated(new, lambda tests: "again", "today", {2}, done) is None


def test_a_report_is_told_in_one_line():
    assert told(REPORT) == "4 kills; **failed: test_c**; 1 skipped"


@pytest.mark.slow
def test_what_a_test_saw_reaches_the_table():
    quick = "tests/tableside/pages/test_ways_out.py::test_no_address_leads_out_of_what_is_served"
    assert with_pytest([quick], is_long=False).endswith("addresses, none led outside")


def test_every_test_that_the_page_names_exists():
    named = re.findall(r"`(tests/[^`]+)`", PAGE.read_text("utf-8"))
    assert named
    for one in named:
        path, _, test = one.partition("::")
        assert (ROOT / path).exists(), one
        assert not test or f"def {test}(" in (ROOT / path).read_text("utf-8"), one
