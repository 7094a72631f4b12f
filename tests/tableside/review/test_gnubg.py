"""GNU Backgammon's analysis: of each play, stored, abandoned in time, or reported missing."""

import stat
import sys
import threading

import pytest

from engine.formats.from_events import match_from_events
from engine.formats.sgf.write import sgf_text
from tableside.errors import NoAnalysis
from tableside.record.store import Store
from tableside.review.analysis_queue import AnalysisQueue
from tableside.review.archive import RecordArchive
from tableside.review.gnubg import GnubgRun
from tests.gnubg import find_gnubg
from tests.tableside.sample_record import finished, match_events, record_match
from webui.contracts.archive import Unavailable

TURNS = [[1, 2, 4, 5, 6], [7]]
"""Turn 3 was rejected, turn 5 is illegal."""


@pytest.fixture
def archive(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        record_match(store, finished(match_events(light="<Ann>; quit")))
    archive = RecordArchive(tmp_path / "record.sqlite")
    yield archive
    archive.close()


@pytest.fixture
def script(tmp_path):
    """`script(text)`: a program that stands in for gnubg."""
    if sys.platform == "win32":
        pytest.skip("a script is no program there")

    def write(text):
        path = tmp_path / "fake-gnubg"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return write


def analysed(analyst, events=20, sgf="", turns=TURNS):
    """Run the analysis; return how it ends."""
    analyst.start(1, events, sgf, turns)
    analyst._thread.join()
    return analyst.state(1, events)


def test_each_play_gets_its_loss_and_each_player_an_error_rate(archive):
    find_gnubg()
    assert archive.analysis(1)["state"] == "none"
    assert archive.analyse(1)["state"] == "running"
    archive._analyses._thread.join()
    analysis = archive.analysis(1)
    figures = analysis["figures"]
    assert analysis["state"] == "done"
    by_turn = {one["turn"]: one for one in figures["turns"]}
    assert by_turn.keys() == {1, 2, 4, 6, 7}, "the rejected and the illegal one are not judged"
    assert by_turn[1]["best"].startswith("24/")
    assert by_turn[4] == {**by_turn[4], "loss": 0.0, "mark": "", "best": "8/5 6/5"}
    assert by_turn[7]["best"] == "8/5 6/5"
    assert figures["light"]["rating"]
    assert figures["dark"]["rating"]
    lost = sum(one["loss"] for n, one in by_turn.items() if n in (1, 4, 6))
    assert figures["light"]["error_total"] >= round(lost, 3) - 0.002


def test_an_analysis_is_kept_until_the_match_is_corrected(tmp_path, archive):
    find_gnubg()
    archive.analyse(1)
    archive._analyses._thread.join()
    again = AnalysisQueue(tmp_path / "record.sqlite", find=lambda: None)
    events = archive.match(1)["entry"]["version"]
    assert again.state(1, events)["state"] == "done"
    assert again.state(1, events + 1)["state"] == "missing"
    (tmp_path / "record.analysis-1.json").write_text("{")
    assert again.state(1, events)["state"] == "missing"


def test_without_an_engine_one_line_explains_how_to_get_it(tmp_path):
    analyst = AnalysisQueue(tmp_path / "record.sqlite", find=lambda: None)
    analysis = analyst.state(1, 3)
    assert (analysis["state"], analysis["figures"]) == ("missing", None)
    assert "apt install gnubg" in str(analysis["note"])
    assert "\n" not in str(analysis["note"])
    with pytest.raises(Unavailable, match="apt install gnubg"):
        analyst.start(1, 3, "", [])


def test_an_engine_that_takes_too_long_is_given_up(tmp_path, script):
    slow = script("exec sleep 60")
    analysis = analysed(AnalysisQueue(tmp_path / "r.sqlite", find=lambda: slow, seconds=0.2))
    assert analysis["state"] == "failed"
    assert "did not finish within" in str(analysis["note"])


@pytest.mark.parametrize("text", ["exit 3", "echo nonsense; touch saved.sgf", "cat > /dev/null"])
def test_an_engine_with_useless_output_is_an_error(tmp_path, script, text):
    analysis = analysed(AnalysisQueue(tmp_path / "r.sqlite", find=lambda: script(text)))
    assert analysis["state"] == "failed"
    assert "gnubg" in str(analysis["note"])


def test_an_engine_that_cannot_be_run_is_an_error(tmp_path):
    with pytest.raises(NoAnalysis, match="cannot be run"):
        GnubgRun(str(tmp_path)).figures("", [])


def test_one_match_is_analysed_at_a_time_and_closing_ends_it(tmp_path, script):
    slow = script("exec sleep 60")
    analyst = AnalysisQueue(tmp_path / "r.sqlite", find=lambda: slow)
    assert analyst.start(1, 3, "", [])["state"] == "running"
    assert analyst.start(1, 3, "", [])["state"] == "running"
    with pytest.raises(Unavailable, match="another match"):
        analyst.start(2, 3, "", [])
    analyst.close()
    assert analyst.state(1, 3)["state"] == "failed"
    assert not [t for t in threading.enumerate() if t is analyst._thread]


def test_gnubg_is_given_the_moves_and_neither_names_nor_settings(tmp_path, script):
    copy = tmp_path / "given.copy"
    spy = script(f'cat given.sgf > {copy}; echo "$HOME" >> {copy}')
    match = match_from_events(finished(match_events(light="Zebulon")))
    with pytest.raises(NoAnalysis):
        GnubgRun(spy).figures(sgf_text(match), TURNS)
    assert "tableside-" in copy.read_text().splitlines()[-1]
