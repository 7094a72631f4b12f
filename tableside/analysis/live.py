"""Shows the match in play as it is judged: to the referee and a delayed audience, never to players.

The state of the players' page has no analysis at all; the audience's has one only where the rule
set says that it sees everything, and is shown only with a delay.
"""

from __future__ import annotations

import logging
import threading
from contextlib import closing
from pathlib import Path
from typing import Final

from engine.message import Sentence, message_of
from engine.position import Side
from engine.ruleset import StreamAudience
from tableside.analysis.analyst import Analyst
from tableside.analysis.summary import player_figures
from tableside.errors import NoAnalysis, StoreError
from tableside.record.store import Store
from tableside.review.match_cache import CachedMatch, MatchCache
from tableside.site.state_hub import StateHub
from webui.contracts.analysis import AnalysisResult, LiveAnalysis
from webui.contracts.archive import NotInRecord
from webui.contracts.roles import Visibility

POLL_SECONDS: Final = 0.25
ERRORS_SHOWN: Final = 6
_NOTHING: Final = LiveAnalysis(
    engine="",
    light=player_figures((), Side.LIGHT),
    dark=player_figures((), Side.DARK),
    newest=None,
    play="",
    errors=[],
    note="",
)
_LOGGER: Final = logging.getLogger(__name__)


class LiveAnalyst:
    """Follows the match that a table shows; a context manager."""

    def __init__(self, record: Path, table: StateHub, analyst: Analyst) -> None:
        self._record, self._table, self._analyst = record, table, analyst
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)
        self._shown, self._sees_all = _NOTHING, False
        self._seen: tuple[CachedMatch, int, Sentence] | None = None
        """What `_shown` was made of."""
        self._logged: set[str] = set()

    def __enter__(self) -> LiveAnalyst:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        with closing(Store.open_read_only(self._record)) as store:
            cache = MatchCache(store)
            while not self._over.wait(POLL_SECONDS):
                match = self._table.state(Visibility.EVERYTHING)["record"].get("match")
                if match is not None:
                    self.update(cache, match)

    def update(self, cache: MatchCache, match: int) -> None:
        """Publish what has been judged of the match of this number, or why nothing can be."""
        try:
            self.show(cache.read(match))
        except (NoAnalysis, NotInRecord, StoreError) as error:
            why = message_of(error)
            if str(why) not in self._logged:
                self._logged.add(str(why))
                _LOGGER.error("the match is not analyzed: %s", why)
            self._seen = None
            self._publish({**self._shown, "note": why})

    def show(self, read: CachedMatch) -> None:
        """Publish what has been judged of a match; raises `NoAnalysis` if nothing can be."""
        self._analyst.follow(read.entry.id)
        now = read, self._analyst.change(), self._analyst.failure
        if now == self._seen:
            return
        part = live_part(self._analyst.result(read), read, self._analyst.failure)
        self._sees_all = read.state.rule_set.audience is StreamAudience.EVERYTHING
        self._publish(part)
        self._seen, self._shown = now, part

    def _publish(self, part: LiveAnalysis) -> None:
        self._table.publish(
            analysis=None,
            audience={"analysis": part} if self._sees_all else None,
            referee={"analysis": part},
        )


def live_part(result: AnalysisResult, read: CachedMatch, note: Sentence) -> LiveAnalysis:
    """The analysis of the match in play, for the page; `note`: what went wrong."""
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
        note=note,
    )
