"""A match is analyzed in another process; its answers are kept, and a crash costs one of them."""

import os
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from engine import Side
from engine.events.match import GameEnd
from tableside.analysis.analyst import Analyst
from tableside.analysis.engines import engine_name, has_package
from tableside.analysis.process import OpenEngine, Orders, Worker
from tableside.analysis.program_engine import ProgramEngine, find_program
from tableside.analysis.store import MOST_TRIES, AnswerStore, answers_file
from tableside.errors import NoAnalysis, StoreError
from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tableside.review.match_cache import MAX_CACHED_MATCHES
from tests.tableside.sample_record import finished, match_events, record_match
from webui.contracts.analysis import JudgedEvent
from webui.contracts.archive import Unavailable

IDLE = (sys.executable, "-c", "import sys; sys.stdin.read()")
ANSWER: JudgedEvent = {
    "event": 3, "game": 1, "turn": 1, "player": "light", "luck": 0.5, "chances": None,
    "decisions": [],
}  # fmt: skip


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "record.sqlite"
    with closing(Store.open(path)) as store:
        record_match(store, finished(match_events()), is_closed=True)
    return path


def waited(archive, state, seconds=120):
    end = time.monotonic() + seconds
    while (found := archive.analysis(1))["state"] != state:
        assert found["state"] in ("none", "running"), found
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


def test_a_match_is_analyzed_once_and_its_answers_are_kept(record):
    if not has_package():
        pytest.skip("gnubg-nn is not installed")
    with closing(RecordArchive(record, analyses=Analyst(record))) as archive:
        assert archive.analysis(1)["state"] == "none"
        assert archive.analyse(1)["state"] in ("running", "done")
        figures = waited(archive, "done")["figures"]
    by_turn = {event["turn"]: event for event in figures["events"] if event["turn"]}
    assert by_turn.keys() == {1, 2, 4, 5, 6, 7}, "the rejected play is not judged"
    assert by_turn[4]["decisions"][-1]["best"] == "8/5 6/5"
    assert by_turn[4]["step"] == "turn-4"
    (double,) = [e for e in figures["events"] if e["decisions"][0]["kind"] == "double"][:1]
    assert double["step"].startswith("step-")
    assert double["decisions"][0]["mark"] == "very bad"
    light = figures["light"]
    lost = [d["loss"] for e in figures["events"] for d in e["decisions"]
            if d["player"] == "light" and d["counts"]]  # fmt: skip
    assert light["error"] == pytest.approx(sum(lost), abs=1e-3)
    assert light["rating"] == pytest.approx(500 * sum(lost) / len(lost), abs=0.01)
    assert light["double"]["very_bad"] == 1
    idle = Analyst(record, command=("/nowhere",))
    with closing(RecordArchive(record, analyses=idle)) as archive:
        assert archive.analysis(1)["figures"] == figures, "read from the file"


def test_without_an_engine_one_line_explains_how_to_get_one(record):
    with closing(RecordArchive(record, analyses=Analyst(record, find=lambda: None))) as archive:
        found = archive.analysis(1)
        assert (found["state"], found["figures"]) == ("missing", None)
        assert "pip install" in str(found["note"])
        with pytest.raises(Unavailable, match="apt install gnubg"):
            archive.analyse(1)


def test_an_analysis_that_ends_by_itself_has_failed_and_can_be_asked_for_again(record, caplog):
    code = (
        "import sys; from pathlib import Path; from tests.tableside.analysis.crashing import run\n"
        "tried = Path(sys.argv[1] + '.tried')\n"
        "if not tried.exists(): tried.touch(); sys.exit('no room on the disk')\n"
        "run(sys.argv[1])"
    )
    analyst = Analyst(record, find=lambda: "test 1", command=(sys.executable, "-c", code))
    with closing(RecordArchive(record, analyses=analyst)) as archive:
        archive.analyse(1)
        assert "ended unexpectedly" in str(waited(archive, "failed")["note"])
        assert archive.analyse(1)["state"] == "running"
        waited(archive, "done")
    assert "no room on the disk" in caplog.text, "the log says why"


class BrokenEngine:
    """An engine that fails at every question."""

    name = "test 1"

    def rater(self, variant):
        raise NoAnalysis("it has ended")

    def close(self):
        """Nothing is left open."""


def test_a_question_at_which_the_engine_fails_is_given_up_and_the_engine_started_again(record):
    started = []

    def new():
        started.append(BrokenEngine())
        return started[-1]

    with (
        OpenEngine(new) as opened,
        closing(Store.open_read_only(record)) as store,
        AnswerStore(record, "test 1") as answers,
    ):
        worker, orders = Worker(opened.answer, store, answers, opened.reopen), Orders()
        orders.take("judge 1")
        while worker.step(orders):
            pass
        found = answers.answers(1)
    assert set(found.values()) == {None}
    assert len(started) == 1 + MOST_TRIES * len(found)


def test_a_question_during_which_gnu_backgammon_was_killed_is_asked_again(record):
    program = find_program()
    if program is None:
        pytest.skip("GNU Backgammon is not installed")
    started = []

    def new():
        started.append(ProgramEngine(program))
        return started[-1]

    with (
        OpenEngine(new) as opened,
        closing(Store.open_read_only(record)) as store,
        AnswerStore(record, "test 1") as answers,
    ):
        worker, orders = Worker(opened.answer, store, answers, opened.reopen), Orders()
        orders.take("judge 1")
        started[0]._process.kill()
        worker.step(orders)
        assert answers.answers(1) == {}
        worker.step(orders)
        assert all(answers.answers(1).values())
        assert len(answers.answers(1)) == 1


def test_one_question_that_crashes_the_engine_is_given_up(record):
    """Only the play that ends the process has no answer."""
    code = "import sys; from tests.tableside.analysis.crashing import run; run(sys.argv[1])"
    command = (sys.executable, "-c", code)
    with closing(
        RecordArchive(record, analyses=Analyst(record, find=lambda: "test 1", command=command))
    ) as archive:
        archive.analyse(1)
        figures = waited(archive, "done")["figures"]
    turns = {event["turn"] for event in figures["events"]}
    assert 5 not in turns
    assert {1, 2, 4, 6, 7} <= turns


def test_a_match_with_nothing_to_judge_is_done_at_once(tmp_path):
    path = tmp_path / "record.sqlite"
    with closing(Store.open(path)) as store:
        end = GameEnd(time=2.0, frame=24, winner=Side.LIGHT, points=1, result="resign")
        record_match(store, [match_events()[0], end], is_closed=True)
    analyst = Analyst(path, find=lambda: "test 1", command=IDLE)
    with closing(RecordArchive(path, analyses=analyst)) as archive:
        found = archive.analyse(1)
    assert (found["state"], found["done"], found["total"]) == ("done", 0, 0)


class BusyStore(Store):
    """A record that cannot be read while it is busy."""

    is_busy = True

    def match(self, number):
        if self.is_busy:
            raise StoreError("the record is busy")
        return super().match(number)


def test_a_match_that_cannot_be_read_is_analyzed_later_and_logged_once(record, caplog):
    with (
        closing(BusyStore.open_read_only(record)) as store,
        AnswerStore(record, "test 1") as answers,
    ):
        worker, orders = Worker(lambda question: ANSWER, store, answers), Orders()
        orders.take("judge 1")
        assert not worker.step(orders)
        assert not worker.step(orders)
        store.is_busy = False
        assert worker.step(orders)
    assert caplog.text.count("the record is busy") == 1


def test_only_the_newest_matches_looked_at_and_those_in_work_stay_in_memory(record):
    with closing(Store.open(record)) as store:
        for _ in range(MAX_CACHED_MATCHES + 1):
            record_match(store, finished(match_events()), is_closed=True)
        numbers = [entry.id for entry in store.matches()]
    analyst = Analyst(record, find=lambda: "test 1", command=IDLE)
    with closing(RecordArchive(record, analyses=analyst)) as archive:
        for number in numbers:
            archive.analysis(number)
        assert len(analyst._asked) == MAX_CACHED_MATCHES
    with closing(Store.open_read_only(record)) as store, AnswerStore(record, "test 1") as answers:
        worker, orders = Worker(lambda question: ANSWER, store, answers), Orders()
        for number in numbers:
            orders.take(f"judge {number}")
        while worker.step(orders):
            assert len(worker._open) <= 2
        assert not worker._open.keys() - {numbers[-1]}


def test_the_newest_events_of_a_match_in_play_come_first(record):
    def judge(question):
        order.append(question.event)
        return ANSWER

    with closing(Store.open_read_only(record)) as store, AnswerStore(record, "test 1") as answers:
        worker, orders, order = Worker(judge, store, answers), Orders(), []
        orders.take("judge 1")
        worker.step(orders)
        orders.take("follow 1")
        while worker.step(orders):
            pass
    assert order[0] < order[1]
    assert order[1:] == sorted(order[1:], reverse=True)
    assert len(order) == len(set(order))


def test_answers_belong_to_a_decision_and_an_engine(tmp_path):
    record = tmp_path / "record.sqlite"
    with AnswerStore(record, "one 1") as store:
        store.begin(1, (3, "key"))
        assert store.answers(1) == {}, "it may still come"
        store.keep(1, (3, "key"), ANSWER)
        assert store.answers(1) == {(3, "key"): ANSWER}
        for _ in range(MOST_TRIES):
            store.begin(1, (4, "key"))
        assert store.answers(1)[4, "key"] is None, "given up"
    with AnswerStore(record, "two 1") as store:
        assert store.answers(1) == {}
    if os.name == "posix":
        assert answers_file(record).stat().st_mode & 0o077 == 0, (
            "it tells what players must not know"
        )


def test_a_file_that_is_no_store_is_an_error_in_one_line(tmp_path):
    record = tmp_path / "record.sqlite"
    answers_file(record).write_text("nonsense" * 1000)
    with pytest.raises(NoAnalysis, match="analysis in"):
        AnswerStore(record, "one 1").answers(1)


def test_what_has_the_patience_waits_for_a_file_that_another_process_holds(record):
    with (
        closing(sqlite3.connect(answers_file(record), isolation_level=None)) as other,
        AnswerStore(record, "one", 0.01) as hasty,
        AnswerStore(record, "one", 60) as patient,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(NoAnalysis, match="is locked"):
            hasty.begin(1, (3, "play"))
        with ThreadPoolExecutor() as pool:
            begun = pool.submit(patient.begin, 1, (3, "play"))
            other.execute("COMMIT")
            begun.result()


def test_the_analysis_runs_at_the_lowest_priority(record):
    if sys.platform != "linux" or engine_name() is None:
        pytest.skip("needs Linux and an engine")
    analyst = Analyst(record)
    analyst.follow(1)
    try:
        number = analyst._process.pid
        end = time.monotonic() + 60
        while os.getpriority(os.PRIO_PROCESS, number) != 19:
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        analyst.close()
    assert not Path(f"/proc/{number}").exists()
