"""The page's side of the analysis: orders matches, and sums up what has been answered so far."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from typing import Final

from engine.message import Sentence, join, message_of, msg
from tableside.analysis.engines import NOT_INSTALLED, engine_name
from tableside.analysis.questions import VARIANTS, Question, questions
from tableside.analysis.store import AnswerStore
from tableside.analysis.summary import summed
from tableside.background import apart
from tableside.errors import NoAnalysis
from tableside.review.match_cache import MAX_CACHED_MATCHES, CachedMatch
from webui.contracts.analysis import AnalysisResult, JudgedEvent
from webui.contracts.archive import Analysis, AnalysisState, Unavailable

COMMAND: Final = (sys.executable, "-m", "tableside.analysis.process")
ENDING_SECONDS: Final = 2.0
"""Time for the process to end by itself, which it does after a question."""
OTHER_GAME: Final = msg("only backgammon, nackgammon and longgammon can be analyzed")
ENDED: Final = join([msg("the analysis has ended unexpectedly"), msg("the program's log says why")])
_LOGGER: Final = logging.getLogger(__name__)


class Analyst:
    """Has the matches of one record analyzed in a process that it starts when it is needed."""

    def __init__(
        self,
        record: Path,
        find: Callable[[], str | None] = engine_name,
        command: tuple[str, ...] = COMMAND,
    ) -> None:
        self._record, self._find, self._command = record, find, command
        self._lock = threading.RLock()
        self._process: Popen[str] | None = None
        self._answers: AnswerStore | None = None
        self._wanted: set[int] = set()
        self._followed: int | None = None
        self._failure: Sentence = ""
        self._asked: dict[int, tuple[CachedMatch, list[Question]]] = {}

    def state(self, read: CachedMatch) -> Analysis:
        """How far the analysis of a match has come; starts none, but goes on with a broken one."""
        if read.state.variant not in VARIANTS or self._find() is None:
            is_other = read.state.variant not in VARIANTS
            return _analysis("missing", OTHER_GAME if is_other else NOT_INSTALLED)
        try:
            result, asked = self._result(read)
        except NoAnalysis as error:
            return _analysis("failed", message_of(error))
        done, match = len(result["events"]), read.entry.id
        with self._lock:
            if done == asked and (asked or match in self._wanted):
                self._wanted.discard(match)
                self._end_if_idle()
                return _analysis("done", "", result, done, asked)
            if match not in self._wanted:
                return _analysis("none", "", None, done, asked)
            self._keep_running()
            if self._failure:
                return _analysis("failed", self._failure)
            return _analysis("running", "", result, done, asked)

    def start(self, read: CachedMatch) -> Analysis:
        """Have a match analyzed; raises `Unavailable` if that is impossible."""
        now = self.state(read)
        if now["state"] == "missing":
            raise Unavailable(now["note"])
        with self._lock:
            if now["state"] in ("none", "failed"):
                self._failure = ""
                if self._process is not None and (self._process.poll() or 0) > 0:
                    self._end()  # so that another is started
                self._wanted.add(read.entry.id)
                self._order(f"judge {read.entry.id}")
        return self.state(read)

    def follow(self, match: int) -> None:
        """Have the events of a match in play judged as they come."""
        with self._lock:
            if self._followed != match:
                self._followed = match
                self._order(f"follow {match}")
            else:
                self._keep_running()

    def result(self, read: CachedMatch) -> AnalysisResult:
        """What has been answered about a match; raises `NoAnalysis` without an engine."""
        return self._result(read)[0]

    def change(self) -> int:
        """A number that changes with the answers; raises `NoAnalysis` without an engine."""
        return self._store().change()

    @property
    def failure(self) -> Sentence:
        """Why the process has ended, in one line; empty while it runs."""
        return self._failure

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()
            if self._answers is not None:
                self._answers.close()

    def _result(self, read: CachedMatch) -> tuple[AnalysisResult, int]:
        """What has been answered, and how many questions can be."""
        answered = self._store().answers(read.entry.id)
        asked = self._questions(read)
        events: list[JudgedEvent] = []
        given_up = 0
        for question in asked:
            answer = answered.get((question.event, question.key))
            given_up += answer is None and (question.event, question.key) in answered
            if answer is not None:
                events.append({**answer, "turn": question.turn, "game": question.game})
        return summed(self._find() or "", events), len(asked) - given_up

    def _store(self) -> AnswerStore:
        with self._lock:
            if self._answers is None:
                engine = self._find()
                if engine is None:
                    raise NoAnalysis(NOT_INSTALLED)
                self._answers = AnswerStore(self._record, engine)
            return self._answers

    def _questions(self, read: CachedMatch) -> list[Question]:
        with self._lock:
            known = self._asked.pop(read.entry.id, None)
            if known is None or known[0] is not read:
                known = read, questions(read.effective, read.entry.blank_state)
            self._asked[read.entry.id] = known
            while len(self._asked) > MAX_CACHED_MATCHES:
                del self._asked[next(iter(self._asked))]
            return known[1]

    def _order(self, line: str) -> None:
        self._keep_running()
        self._send(line)

    def _send(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:  # it has ended; the next look at it says why
            _LOGGER.debug("the analysis took no order")

    def _keep_running(self) -> None:
        """Start the process, or start it again if a question has ended it."""
        code = None if self._process is None else self._process.poll()
        if self._process is not None and code is None:
            return
        if code is not None and code > 0:  # by its own will: it would do so again
            self._failure = ENDED
            return
        if code is not None:
            _LOGGER.warning("the analysis has ended (%s) and is started again", code)
            self._end()
        self._process = _spawn((*self._command, str(self._record)))
        for match in sorted(self._wanted):
            self._send(f"judge {match}")
        if self._followed is not None:
            self._send(f"follow {self._followed}")

    def _end_if_idle(self) -> None:
        if not self._wanted and self._followed is None:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            assert process.stdin is not None, "it is a pipe"  # noqa: S101
            with suppress(OSError):  # an order that it did not take before it ended
                process.stdin.close()
            process.wait(ENDING_SECONDS)
        except TimeoutExpired:
            process.kill()
            process.wait()


def _log_errors(process: Popen[str]) -> None:
    """Log what the process says about its errors, until it has ended."""
    assert process.stderr is not None, "it is a pipe"  # noqa: S101
    with process.stderr as lines:
        for line in lines:
            _LOGGER.warning("the analysis: %s", line.rstrip())


def _spawn(command: tuple[str, ...]) -> Popen[str]:
    """The process in a session of its own."""
    started = Popen(command, stdin=PIPE, stderr=PIPE, text=True, **apart())
    threading.Thread(target=_log_errors, args=(started,), name="analysis log", daemon=True).start()
    return started


def _analysis(
    state: AnalysisState,
    note: Sentence,
    figures: AnalysisResult | None = None,
    done: int = 0,
    total: int = 0,
) -> Analysis:
    return Analysis(state=state, note=note, figures=figures, done=done, total=total)
