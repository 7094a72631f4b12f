"""Dice reports from Python, and from folders of match files."""

from __future__ import annotations

import pytest

from tableside.dice.library import dice_frame, dice_report
from tableside.dice.sources import dice_of_files
from tableside.errors import StoreError


def test_one_line_reports_on_a_list_of_faces():
    die = dice_report([6, 1, 4, 2, 3, 5] * 20)["dice"]["die"]
    assert (die["n"], die["counts"], die["sign"]) == (120, [20] * 6, "quiet")


def test_one_line_gives_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = dice_frame([6, 1, 4, 2, 3, 5] * 20)
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc["die", "count_6"] == 20


def test_a_folder_stands_for_all_files_in_it(tmp_path):
    for name, value in (("b.csv", 6), ("a.csv", 5), ("copy of a.csv", 5)):
        (tmp_path / name).write_text(f"time,player,die,value\n1,Ann,red,{value}\n", "utf-8")
    (tmp_path / "notes.txt").write_text("no rolls", "utf-8")
    found = dice_of_files([tmp_path])
    assert len(found.log) == 2, "a copy is no further evidence"
    assert any("copy of a.csv" in str(notice) for notice in found.notices)


def test_a_folder_without_any_is_an_error(tmp_path):
    with pytest.raises(StoreError, match="no match file in"):
        dice_of_files([tmp_path])
