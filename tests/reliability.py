"""`make reliability`: runs the tests that docs/explanation/reliability.md names, and writes there
what came out.

A row is numbered and names its tests; what a test has to tell is its property `seen`. The page is
written after every row, so an interrupted run goes on where it was: rows of today are left alone.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs/explanation/reliability.md"
SEEN, DATE, TESTS = 3, 4, 5
"""Columns of the table: number, what is done, asked, then these."""
JUNIT: Final = ("-o", "junit_logging=no", "-o", "junit_family=xunit1")
"""Newer reports have no properties of tests."""

Run = Callable[[Sequence[str]], str]
"""Runs tests; what they saw, in one line."""


def updated(
    page: str, run: Run, today: str, numbers: set[int], done: set[int] | None = None
) -> str | None:
    """The page after the next row whose turn it is was run; None if there is none.

    numbers: the rows to run; all if empty. `today`: what is written as their date. done: the rows
    that were run, to which this one is added; None to leave out all that have this date.
    """
    lines = page.splitlines()
    for place, line in enumerate(lines):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) <= TESTS or not cells[0].isdecimal():
            continue
        if cells[DATE] == today if done is None else int(cells[0]) in done:
            continue
        tests = re.findall(r"`(tests/[^`]+)`", cells[TESTS])
        if tests and (not numbers or int(cells[0]) in numbers):
            cells[SEEN], cells[DATE] = run(tests), today
            if done is not None:
                done.add(int(cells[0]))
            lines[place] = f"| {' | '.join(cells)} |"
            return "\n".join([*lines, ""])
    return None


def with_pytest(tests: Sequence[str], *, is_long: bool) -> str:
    """Run the tests, the slow ones if that is wanted; what they saw, or which failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = ["-n", "0", "-q", f"--junit-xml={report}", *JUNIT]
        marks = ["-m", ""] if is_long else []
        command = [sys.executable, "-m", "pytest", *options, *marks, *tests]
        subprocess.run(command, cwd=ROOT, check=False)
        return told(report.read_text("utf-8"))


def told(report: str) -> str:
    """What a JUnit report says, in one line without bars."""
    cases = list(ET.fromstring(report).iter("testcase"))
    failed = [case.get("name") for case in cases if {"failure", "error"} & {e.tag for e in case}]
    skipped = sum(case.find("skipped") is not None for case in cases)
    passed = len(cases) - len(failed) - skipped
    seen = [
        str(one.get("value"))
        for case in cases
        for one in case.iter("property")
        if one.get("name") == "seen" and case.get("name") not in failed
    ]
    counts = [f"{passed} passed" if passed and not seen else ""]
    counts += [f"**failed: {', '.join(map(str, failed))}**" if failed else ""]
    counts += [f"{skipped} skipped" if skipped else ""]
    return "; ".join(filter(None, [*seen, *counts])).replace("|", "/") or "nothing was run"


def main() -> None:
    """Run what has not been run today."""
    parser = argparse.ArgumentParser(prog="make reliability", description=__doc__)
    parser.add_argument("--long", action="store_true", help="the slow tests as well: hours")
    parser.add_argument("--again", action="store_true", help="also the rows of today")
    parser.add_argument("--only", type=int, nargs="*", default=[], help="numbers of rows")
    asked = parser.parse_args()
    scale = "long" if asked.long else "short"
    today = f"{datetime.datetime.now(datetime.UTC).date()}, {scale}"
    done: set[int] = set()
    while True:
        page = updated(
            PAGE.read_text("utf-8"),
            lambda tests: with_pytest(tests, is_long=asked.long),
            today,
            set(asked.only),
            done if asked.again else None,
        )
        if page is None:
            return
        PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
