"""Shows the match in play as it is judged: to the referee and a delayed audience, never to players.

The state of the players' page has no analysis at all; the audience's has one only where the rule
set says that it sees everything, and is shown only with a delay.
"""

from __future__ import annotations

import logging
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from engine.message import message_of
from engine.ruleset import StreamAudience
from tableside.analysis.analyst import Analyst
from tableside.errors import NoAnalysis, StoreError
from tableside.record.store import Store
from tableside.review.match_cache import CachedMatch, MatchCache
from tableside.site.state_hub import StateHub
from webui.contracts.analysis import AnalysisResult, LiveAnalysis
from webui.contracts.archive import NotInRecord
from webui.contracts.roles import Visibility

POLL_SECONDS: Final = 0.25
ERRORS_SHOWN: Final = 6
_LOGGER: Final = logging.getLogger(__name__)


class LiveAnalyst:
    """Follows the match that a table shows; a context manager."""

    def __init__(self, record: Path, table: StateHub, analyst: Analyst) -> None:
        self._record, self._table, self._analyst = record, table, analyst
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)

    def __enter__(self) -> LiveAnalyst:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        with ExitStack() as opened:
            try:
                store = Store.open_read_only(self._record)
                opened.callback(store.close)
                cache = MatchCache(store)
                while not self._over.wait(POLL_SECONDS):
                    match = self._table.state(Visibility.EVERYTHING)["record"].get("match")
                    if match is not None:
                        self.show(cache.read(match))
            except (NoAnalysis, NotInRecord, StoreError) as error:
                _LOGGER.error("the match is not analyzed: %s", message_of(error))

    def show(self, read: CachedMatch) -> None:
        """Publish what has been judged of a match; raises `NoAnalysis` if nothing can be."""
        self._analyst.follow(read.entry.id)
        part = live_part(self._analyst.result(read), read)
        sees_all = read.state.rule_set.audience is StreamAudience.EVERYTHING
        self._table.publish(
            analysis=None,
            audience={"analysis": part} if sees_all else None,
            referee={"analysis": part},
        )


def live_part(result: AnalysisResult, read: CachedMatch) -> LiveAnalysis:
    """The analysis of the match in play, for the page."""
    events = result["events"]
    newest = events[-1] if events else None
    marked = [one for event in reversed(events) for one in event["decisions"] if one["mark"]]
    is_play = newest is not None and newest["turn"] is not None
    played = read.effective[newest["event"] - 1] if newest is not None and is_play else None
    return LiveAnalysis(
        engine=result["engine"],
        light=result["light"],
        dark=result["dark"],
        newest=newest,
        play=getattr(played, "play", ""),
        errors=marked[:ERRORS_SHOWN],
    )
