"""The process that analyzes: `python -m tableside.analysis.process RECORD`.

Its standard input has one order per line, `judge 12` or `follow 12`, with a match number: judge all
of it once, or the newest events of a match in play as they come. It ends with its input.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from tableside.analysis.engines import new_engine
from tableside.analysis.judge import Judge
from tableside.analysis.questions import Question, questions
from tableside.analysis.ratings import Engine
from tableside.analysis.store import AnswerStore
from tableside.background import lower_priority
from tableside.errors import NoAnalysis, StoreError
from tableside.record.store import Store
from tableside.review.match_cache import CachedMatch, MatchCache
from webui.contracts.analysis import JudgedEvent
from webui.contracts.archive import NotInRecord

POLL_SECONDS: Final = 0.2
"""Between two looks at the record for new events."""
PATIENCE: Final = 600.0
"""Seconds to wait for a busy file of answers, which a backup may hold; nobody waits for this."""
_LOGGER: Final = logging.getLogger(__name__)


class Orders:
    """The matches to analyze, as the input asks for them."""

    def __init__(self) -> None:
        self.followed: int | None = None
        self.wanted: list[int] = []
        self.is_over = False
        self._changed = threading.Event()

    def take(self, line: str) -> None:
        """Take one line of the input."""
        what, _, number = line.strip().partition(" ")
        if what == "follow":
            self.followed = int(number)
        elif int(number) not in self.wanted:
            self.wanted.append(int(number))
        self._changed.set()

    def end(self) -> None:
        """The input has ended."""
        self.is_over = True
        self._changed.set()

    def wait(self) -> None:
        """Wait for an order, or until it is time to look at the record."""
        self._changed.wait(POLL_SECONDS)
        self._changed.clear()


class Worker:
    """Answers what is ordered, one question at a time."""

    def __init__(
        self,
        judge: Callable[[Question], JudgedEvent],
        store: Store,
        answers: AnswerStore,
        reopen: Callable[[], None] = lambda: None,
    ) -> None:
        """`reopen`: starts the engine again, which `judge` uses, after a fault."""
        self._judge, self._cache, self._answers = judge, MatchCache(store), answers
        self._reopen = reopen
        self._open: dict[int, tuple[CachedMatch, list[Question]]] = {}
        self._logged: set[str] = set()

    def step(self, orders: Orders) -> bool:
        """Answer one question; False if there is none."""
        for match in self._open.keys() - {orders.followed, *orders.wanted}:
            del self._open[match]
        if orders.followed is not None:
            left = self._left(orders.followed)
            if left:
                self._answer(orders.followed, left.pop())  # what is on the board comes first
                return True
        for match in tuple(orders.wanted):
            left = self._left(match)
            if left:
                self._answer(match, left.pop(0))
                return True
            if left is not None:
                orders.wanted.remove(match)
        return False

    def _left(self, match: int) -> list[Question] | None:
        """The questions of a match without an answer; None if it cannot be read now."""
        try:
            read = self._cache.read(match)
        except (NotInRecord, StoreError) as error:
            if str(error) not in self._logged:
                self._logged.add(str(error))
                _LOGGER.warning("match %s cannot be analyzed yet: %s", match, error)
            return None
        known = self._open.get(match)
        if known is None or known[0] is not read:
            answered = self._answers.answers(match)
            asked = questions(read.effective, read.entry.blank_state)
            left = [one for one in asked if (one.event, one.key) not in answered]
            known = self._open[match] = read, left
        return known[1]

    def _answer(self, match: int, question: Question) -> None:
        key = question.event, question.key
        self._answers.begin(match, key)
        try:
            answer = self._judge(question)
        except Exception:
            _LOGGER.exception("event %s of match %s has no answer", question.event, match)
            del self._open[match]  # it is tried again until it is given up
            self._reopen()
        else:
            self._answers.keep(match, key, answer)


class OpenEngine:
    """The engine, which can be started again; a context manager."""

    def __init__(self, new: Callable[[], Engine] = new_engine) -> None:
        """Start it; raises `NoAnalysis` if there is none."""
        self._new = new
        self._start()

    def __enter__(self) -> OpenEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def answer(self, question: Question) -> JudgedEvent:
        """See `Judge`."""
        return self._judge.answer(question)

    def reopen(self) -> None:
        """Start it again; raises `NoAnalysis` if that fails."""
        self.engine.close()
        self._start()

    def _start(self) -> None:
        self.engine = self._new()
        self._judge = Judge(self.engine)


def main(record: Path) -> int:
    """Answer the orders of the input until it ends."""
    lower_priority()
    orders = Orders()
    threading.Thread(target=_read, args=(orders,), name="orders", daemon=True).start()
    try:
        with (
            OpenEngine() as opened,
            closing(Store.open_read_only(record)) as store,
            AnswerStore(record, opened.engine.name, PATIENCE) as answers,
        ):
            worker = Worker(opened.answer, store, answers, opened.reopen)
            while not orders.is_over:
                if not worker.step(orders):
                    orders.wait()
    except (NoAnalysis, StoreError) as error:
        print(f"tableside: the analysis has ended: {error}", file=sys.stderr)
        return 1
    return 0


def _read(orders: Orders) -> None:
    for line in sys.stdin:
        orders.take(line)
    orders.end()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
