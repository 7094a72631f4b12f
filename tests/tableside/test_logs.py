"""The log: one file of JSON lines for both processes, rotated, and what the console shows of it."""

import json
import logging
import multiprocessing
import os
import threading

import pytest

from tableside import cli, logs
from tableside.console import say
from tableside.logs import ALREADY_SHOWN, log_into, log_target, logging_to, records_from

LOGGER = logging.getLogger("tableside.test")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "tableside.log"


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_record_is_one_json_object_with_its_extra_fields(path):
    with logging_to(path, logging.WARNING):
        LOGGER.warning("lost %s", "camera 1", extra={"seconds": 2.5})
    (line,) = lines(path)
    assert line["time"].endswith("+00:00")
    assert (line["level"], line["logger"]) == ("WARNING", "tableside.test")
    assert (line["message"], line["seconds"]) == ("lost camera 1", 2.5)
    assert line["process"] == "MainProcess"
    assert "exception" not in line


def test_credentials_in_an_address_are_left_out(path):
    with logging_to(path, logging.ERROR):
        LOGGER.warning("rtsp://ann:secret@10.0.0.7/stream does not answer")
    (line,) = lines(path)
    assert line["message"] == "rtsp://10.0.0.7/stream does not answer"


def test_an_error_has_its_traceback_in_its_line(path):
    with logging_to(path, logging.CRITICAL):
        try:
            raise ValueError("no")
        except ValueError:
            LOGGER.exception("failed")
    (line,) = lines(path)
    assert line["exception"].startswith("Traceback")
    assert line["exception"].endswith("ValueError: no")


def test_the_file_is_rotated(path, monkeypatch):
    monkeypatch.setattr(logs, "FILE_BYTES", 2000)
    with logging_to(path, logging.ERROR):
        for number in range(200):
            LOGGER.info("record %s", number)
    names = sorted(one.name for one in path.parent.iterdir())
    assert names == ["tableside.log", *(f"tableside.log.{n}" for n in range(1, 6))]
    assert all(one.stat().st_size <= 2000 for one in path.parent.iterdir())
    assert lines(path)[-1]["message"] == "record 199"


def test_no_file_is_made_where_nothing_is_logged(path):
    with logging_to(path, logging.WARNING):
        LOGGER.debug("nothing of note")
    assert not path.parent.exists()


def test_a_file_that_cannot_be_written_is_reported_once(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with logging_to(tmp_path / "file" / "tableside.log", logging.ERROR):
        LOGGER.info("one")
        LOGGER.info("two")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tableside: the log cannot be written: ")


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        (logging.ERROR, ["tableside: error"]),
        (logging.WARNING, ["tableside: line", "tableside: warning", "tableside: error"]),
    ],
)
def test_the_console_shows_warnings_and_quietly_only_errors(path, capsys, level, shown):
    with logging_to(path, level):
        say("line")
        LOGGER.info("information")
        LOGGER.warning("warning")
        LOGGER.error("error")
        LOGGER.error("printed already", extra=ALREADY_SHOWN)
    assert capsys.readouterr().err.splitlines() == shown


def test_the_console_shows_all_of_ours_when_verbose_and_nothing_of_others(path, capsys):
    with logging_to(path, logging.DEBUG):
        LOGGER.debug("detail")
        logging.getLogger("numba").info("chatter")
    assert capsys.readouterr().err == "tableside: DEBUG tableside.test: detail\n"
    assert [line["message"] for line in lines(path)] == ["detail"]


def test_levels_and_handlers_are_as_before_afterwards(path):
    before = logging.getLogger().handlers[:], logging.getLogger("tableside").level
    with logging_to(path, logging.DEBUG):
        assert logging.getLogger("tableside").level == logging.DEBUG
    assert (logging.getLogger().handlers, logging.getLogger("tableside").level) == before


def test_what_ends_a_thread_is_logged(path, monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    with logging_to(path, logging.WARNING):
        thread = threading.Thread(target=lambda: 1 / 0, name="drain")
        thread.start()
        thread.join()
    (line,) = lines(path)
    assert line["message"] == "thread drain ended by an error"
    assert "ZeroDivisionError" in line["exception"]
    assert len(seen) == 1


def _other_process(target):
    log_into(target)
    logger = logging.getLogger("tableside.other")
    logger.debug("below its level")
    try:
        raise KeyError("gone")
    except KeyError:
        logger.exception("failed in %s", "there", extra={"frame": 7})
    os._exit(3)  # a crash: nothing is flushed


def test_both_processes_log_to_one_file_and_a_crash_loses_nothing(path):
    context = multiprocessing.get_context("spawn")
    with logging_to(path, logging.CRITICAL):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_other_process, args=[log_target(theirs)], name="vision")
        process.start()
        theirs.close()
        with ours, records_from(ours):
            LOGGER.info("here")
            process.join()
    here, there = sorted(lines(path), key=lambda line: line["message"], reverse=True)
    assert (here["process"], here["message"]) == ("MainProcess", "here")
    assert (there["process"], there["message"]) == ("vision", "failed in there")
    assert there["pid"] == process.pid
    assert there["frame"] == 7
    assert there["exception"].endswith("KeyError: 'gone'")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TABLESIDE_HOME", str(tmp_path))
    return tmp_path


def test_an_error_of_a_command_is_logged_and_printed_once(home, capsys):
    assert cli.main(["review", "--record", str(home / "missing.sqlite")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    _started, line = lines(home / "tableside.log")
    assert line["level"] == "ERROR"
    assert "missing.sqlite" in line["message"]


def test_wrong_usage_and_what_only_converts_leave_no_log(home, capsys):
    assert cli.main(["bench", "--referee", "0"]) == 2
    assert "at least one game" in capsys.readouterr().err
    assert not (home / "tableside.log").exists()


def test_an_unexpected_error_is_logged_with_its_traceback(home, monkeypatch):
    def broken(_args):
        raise RuntimeError("a fault of the program")

    monkeypatch.setattr("tableside.commands.bench.run", broken)
    with pytest.raises(RuntimeError):
        cli.main(["bench"])
    (line,) = lines(home / "tableside.log")
    assert line["level"] == "CRITICAL"
    assert "a fault of the program" in line["exception"]


def test_a_server_logs_its_start_with_versions_and_its_stop(home, monkeypatch):
    monkeypatch.setattr("tableside.commands.review.run", lambda _args: 0)
    assert cli.main(["review", "--quiet"]) == 0
    started, stopped = lines(home / "tableside.log")
    assert started["message"].startswith("started: command review, python 3.")
    assert started["numpy"]
    assert (stopped["message"], stopped["exit_code"]) == ("stopped", 0)


def test_quiet_and_verbose_belong_to_every_command_and_its_words(monkeypatch):
    levels = []
    monkeypatch.setattr(
        "tableside.commands.dice.run",
        lambda _args: levels.append(logging.getLogger("tableside").level),
    )
    cli.main(["dice", "undo", "--verbose"])
    cli.main(["dice", "--verbose", "undo"])
    cli.main(["dice", "undo", "--quiet"])
    assert levels == [logging.DEBUG, logging.DEBUG, logging.INFO]
