"""Background analyses, one match at a time; results are stored beside the record."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from engine.message import Sentence, join, message_of, msg
from tableside.errors import NoAnalysis, StoreError
from tableside.record.files import replace_file
from tableside.review.gnubg import NOT_INSTALLED, TIME_LIMIT_S, GnubgRun, find_engine
from webui.contracts.archive import Analysis, AnalysisResult, Unavailable

VERSION: Final = 1
_LOGGER: Final = logging.getLogger(__name__)
BUSY: Final = join([msg("another match is being analyzed"), msg("try again when it is done")])


class AnalysisQueue:
    """The analyses of one record; no method blocks, except `close`."""

    def __init__(
        self,
        record: Path,
        find: Callable[[], str | None] = find_engine,
        seconds: float = TIME_LIMIT_S,
    ) -> None:
        self._record, self._find, self._seconds = record, find, seconds
        self._lock = threading.Lock()
        self._running: tuple[int, GnubgRun] | None = None
        self._thread: threading.Thread | None = None
        self._failed: dict[int, tuple[int, Sentence]] = {}

    def state(self, match: int, events: int) -> Analysis:
        """The state of the analysis of a match with that many events."""
        with self._lock:
            if self._running is not None and self._running[0] == match:
                return Analysis(state="running", note="", figures=None)
            figures = self._kept(match, events)
            if figures is not None:
                return Analysis(state="done", note="", figures=figures)
            known, why = self._failed.get(match, (0, ""))
            if known == events:
                return Analysis(state="failed", note=why, figures=None)
        if self._find() is None:
            return Analysis(state="missing", note=NOT_INSTALLED, figures=None)
        return Analysis(state="none", note="", figures=None)

    def start(self, match: int, events: int, sgf: str, turns: Sequence[Sequence[int]]) -> Analysis:
        """Start the analysis unless it is running or done; return its state.

        sgf, turns: see `GnubgRun.figures`. Raises `Unavailable` if the engine cannot be run.
        """
        now = self.state(match, events)
        if now["state"] in ("running", "done"):
            return now
        program = self._find()
        if program is None:
            raise Unavailable(NOT_INSTALLED)
        with self._lock:
            if self._running is not None:
                if self._running[0] != match:
                    raise Unavailable(BUSY)
                return Analysis(state="running", note="", figures=None)
            self._failed.pop(match, None)
            run = GnubgRun(program, self._seconds)
            self._running = match, run
            self._thread = threading.Thread(
                target=self._analyse, args=(match, events, run, sgf, turns), daemon=True
            )
            self._thread.start()
        return Analysis(state="running", note="", figures=None)

    def close(self) -> None:
        """Stop a running analysis and wait for its end."""
        with self._lock:
            running, thread = self._running, self._thread
        if running is not None and thread is not None:
            running[1].stop()
            thread.join()

    def _analyse(
        self, match: int, events: int, run: GnubgRun, sgf: str, turns: Sequence[Sequence[int]]
    ) -> None:
        why: Sentence = msg("the analysis ended unexpectedly")
        try:
            self._keep(match, events, run.figures(sgf, turns))
            why = ""
        except (NoAnalysis, StoreError) as error:
            why = message_of(error)
        finally:
            with self._lock:
                self._running = None
                if why:
                    _LOGGER.warning("the analysis of match %s failed: %s", match, why)
                    self._failed[match] = events, why

    def _path(self, match: int) -> Path:
        return self._record.with_name(f"{self._record.stem}.analysis-{match}.json")

    def _keep(self, match: int, events: int, figures: AnalysisResult) -> None:
        kept = {"version": VERSION, "events": events, "figures": figures}
        replace_file(self._path(match), json.dumps(kept, ensure_ascii=False))

    def _kept(self, match: int, events: int) -> AnalysisResult | None:
        """The stored result, if it is for exactly these events: a correction invalidates it."""
        try:
            kept = json.loads(self._path(match).read_text("utf-8"))
            if (kept["version"], kept["events"]) != (VERSION, events):
                return None
            figures: AnalysisResult = kept["figures"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return figures
