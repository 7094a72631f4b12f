"""Every figure is shown with its baseline, and a missing baseline is named, not guessed."""

import json
from typing import Any

import pytest

from tableside import cli
from tableside.bench import BenchRow, SpeedBenchmark, measure, median_seconds
from tableside.bench.stills import sample
from tableside.errors import BenchError

ROWS = {
    "lists": lambda: BenchRow(300.0, "lists/s", "another program", 100.0),
    "wait": lambda: BenchRow(0.5, "s", "decoding alone", 0.25, is_more_better=False),
    "alone": lambda: BenchRow(
        7.0, "lists/s", "gnubg_nn is not installed: pip install tableside[bench]"
    ),
}


@pytest.fixture
def printed(monkeypatch, capsys):
    """`printed(*options)` is what `bench` prints of these rows."""
    monkeypatch.setattr("tableside.bench.benchmarks.BENCHMARKS", ROWS)

    def run(*options):
        assert cli.main(["bench", *options]) == 0
        return capsys.readouterr().out

    return run


def test_json_has_a_row_for_each_figure_in_the_options_of_the_contract(printed):
    figures = json.loads(printed("--json"))
    assert list(figures) == ["lists", "wait", "alone"]
    assert figures["lists"] == {
        "value": 300.0,
        "unit": "lists/s",
        "baseline": 100.0,
        "baseline_name": "another program",
        "ratio": 3.0,
    }


def test_a_ratio_above_one_is_better_for_rates_and_for_times():
    assert ROWS["lists"]().ratio == 3
    assert ROWS["wait"]().ratio == 0.5


def test_a_missing_baseline_has_no_ratio_but_a_reason(printed):
    alone = json.loads(printed("--json", "--only", "alone"))["alone"]
    assert alone["baseline"] is alone["ratio"] is None
    assert "not installed" in alone["baseline_name"]


def test_the_table_has_a_line_for_each_figure(printed):
    lines = printed().splitlines()
    assert [line.split()[0] for line in lines] == ["figure", "lists", "wait", "alone"]
    assert "3.00  another program (lists/s)" in lines[1]


def test_a_figure_that_nobody_measures_is_answered_with_those_there_are():
    with pytest.raises(BenchError, match=r"'speed'; known: lists, wait, alone"):
        list(measure(ROWS, ["speed"]))


def test_a_speed_is_measured_against_its_baseline_with_the_state_reset_before_each_call():
    calls = []
    row = SpeedBenchmark(
        unit="calls/s",
        set_up=lambda: calls,
        work=lambda made: made.append("work"),
        baseline=lambda _made: sum(range(1000)),
        baseline_name="a sum",
        reset=lambda made: made.append("reset"),
    )()
    assert (row.unit, row.baseline_name, row.is_more_better) == ("calls/s", "a sum", True)
    assert calls[:4] == ["reset", "work", "reset", "work"]
    assert row.baseline is not None
    assert row.value > row.baseline > 0


def test_a_baseline_that_is_not_installed_is_named():
    def baseline(_subject):
        raise ImportError("no module", name="rival")

    row = SpeedBenchmark(
        unit="ms", set_up=dict, work=len, baseline=baseline, baseline_name="a rival"
    )()
    assert row.baseline is None
    assert row.baseline_name == "rival is not installed: pip install tableside[bench]"


def test_a_time_is_the_median_of_at_least_five_calls():
    warm_up = [0, 9]
    ticks = iter([*warm_up, 10, 11, 20, 22, 30, 31, 40, 47, 50, 51])
    assert median_seconds(lambda: None, min_seconds=0, clock=lambda: next(ticks)) == 1


@pytest.mark.parametrize(
    "options",
    [["--adapt"], ["--limit", "0"], ["--out", "report"], ["--stills", ".", "--only", "read_full"]],
)
def test_options_that_do_not_go_together_are_wrong_usage(options, capsys):
    assert cli.main(["bench", *options]) == 2
    assert "--stills" in capsys.readouterr().err


def test_a_folder_of_stills_without_truth_is_one_line(tmp_path, capsys):
    assert cli.main(["bench", "--stills", str(tmp_path)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "has no labeled stills" in line


def test_a_sample_of_stills_is_the_same_each_time_and_in_order():
    stills: Any = list(range(100))
    few: Any = sample(stills, 10)
    assert few == sample(stills, 10) == sorted(set(few))
    assert len(few) == 10
    assert sample(stills, 200) == sample(stills, None) == stills
