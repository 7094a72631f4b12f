"""A match whose observations and manual entries are kept, so that it can be judged again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.errors import EngineError, NotNow
from engine.events.match import Event, GameStart, PlayMade
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.match.amendments import rewritten
from engine.match.corrections import (
    CorrectionUndone,
    Order,
    PlayChosen,
    RollFixed,
    Word,
    check_order,
    holding,
    last_correction,
    orders_of,
)
from engine.match.state import MatchState
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.timestamp import Timestamp


@dataclass(frozen=True, slots=True)
class ManualEntry:
    """A word, among the looks; `number` counts all that was said, from 0."""

    number: int
    word: Word
    when: Timestamp


Entry = Observation | Motion | ManualEntry
T = TypeVar("T")
BitByBit = Generator[None, None, list[Event]]
"""Judging again takes a while: each step takes in one entry, the end gives the events."""


class ObservationLog(Protocol):
    """Where everything that was seen and said is kept, in its order."""

    def append(self, entry: Entry) -> None:
        """Keep one more."""

    def since(self, frame: int) -> Iterable[Entry]:
        """All from that frame on, as it is now: what is kept later is not among them."""

    def said(self) -> Iterable[ManualEntry]:
        """Everything that was said."""


class InMemoryLog:
    """A log that is gone with its process."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def append(self, entry: Entry) -> None:
        """Keep one more."""
        self._entries.append(entry)

    def since(self, frame: int) -> Iterator[Entry]:
        """All from that frame on."""
        return (entry for entry in tuple(self._entries) if frame_of(entry) >= frame)

    def said(self) -> Iterator[ManualEntry]:
        """Everything that was said."""
        return (entry for entry in self._entries if isinstance(entry, ManualEntry))


def frame_of(entry: Entry) -> int:
    """The picture of its source that it belongs to."""
    return entry.when.frame if isinstance(entry, ManualEntry) else entry.frame


class ReplayableMatch:
    """Looks and words in, events out: a chronicle that can be judged again."""

    def __init__(
        self, referee_at: Callable[[MatchState | None], Referee], log: ObservationLog | None = None
    ) -> None:
        """`referee_at`: a referee that goes on from a state, or begins if that is None."""
        self._referee_at = referee_at
        self._log = InMemoryLog() if log is None else log
        self._said = list(self._log.said())
        referee = referee_at(None)
        referee.heed(orders_of(self._words()))
        self._rules, self._is_told = referee.rules, referee.is_told
        self._was_busy = False
        self._meanwhile: deque[Entry] | None = None
        """What comes while the match is judged again; None while it is not."""
        self._chronicle = HistorySearch(referee)

    @property
    def state(self) -> MatchState:
        """Everything that the events so far say."""
        return self._chronicle.state

    def see(self, seen: Observation | Motion) -> list[Event]:
        """Take in one quiet look, or that a hand is over the board; give what became certain."""
        is_busy = isinstance(seen, Motion)
        if not (is_busy and self._was_busy):  # a hand is told of with every picture
            self._log.append(seen)
        self._was_busy = is_busy
        if self._meanwhile is not None:
            self._meanwhile.append(seen)
            return []
        return self._chronicle.see(seen)

    def pending_play(self) -> PlayMade | None:
        """The play that lies there and is not final yet, see `Referee.pending_play`."""
        return self._chronicle.pending_play()

    def told(self, event: Event) -> list[Event]:
        """Take in what the players say by hand, see `Referee.told`; it raises as that does.

        While the match is judged again it is heard in its turn, and void where it does not fit.
        """
        when = Timestamp(event.time, event.frame)
        if self._meanwhile is not None:
            self._meanwhile.append(self._keep(event, when))
            return []
        events = self._chronicle.told(event)
        self._keep(event, when)
        return events

    def finish(self, time: float, frame: int) -> list[Event]:
        """The video is over: record the last play if it was seen whole."""
        return self._chronicle.finish(time, frame)

    @property
    def can_undo(self) -> bool:
        """Whether something was put right that can be taken back."""
        try:
            self._last_correction()
        except NotNow:
            return False
        return True

    def _last_correction(self) -> int:
        return last_correction(tuple(said.word for said in self._said), self._open_from)

    @property
    def _open_from(self) -> int:
        """The first word since the newest turn; all, where turns are words too."""
        if self._is_told or not self.state.turns:
            return 0
        newest = self.state.turns[-1].made.frame
        since = (said.number for said in self._said if said.when.frame >= newest)
        return next(since, len(self._said))

    def correct(self, order: Order, when: Timestamp) -> list[Event]:
        """Judge the game of that turn again, and all after it, knowing what is said here.

        `EngineError` says why that cannot be; then nothing has changed.
        """
        return all_of(self.correcting(order, when))

    def correcting(self, order: Order, when: Timestamp) -> BitByBit:
        """The same bit by bit; what is seen in between waits, and is judged at the end."""
        check_order(self.state, order, self._rules)
        begun = self._start_of(ManualEntry(len(self._said), order, when))
        self._keep(order, when)
        return (yield from self._judge_again(begun, when, str(order)))

    def undo(self, when: Timestamp) -> list[Event]:
        """Take the last correction back; `NotNow` if there is none."""
        return all_of(self.undoing(when))

    def undoing(self, when: Timestamp) -> BitByBit:
        """The same bit by bit, see `correcting`."""
        number = self._last_correction()
        undone = CorrectionUndone(number)
        begun = self._start_of(self._said[number])
        self._keep(undone, when)
        return (yield from self._judge_again(begun, when, str(undone)))

    def _start_of(self, said: ManualEntry) -> MatchState:
        """What the game began with that a word is about; `NotNow` if the record lacks that."""
        turns, word = self.state.turns, said.word
        if isinstance(word, PlayChosen | RollFixed) and turns:
            game = turns[min(word.turn, len(turns)) - 1].game
            return _game_start(self.state, lambda begun, _: begun.games == game)
        return _game_start(self.state, lambda _, start: start.frame <= said.when.frame)

    def _keep(self, word: Word, when: Timestamp) -> ManualEntry:
        said = ManualEntry(len(self._said), word, when)
        self._said.append(said)
        self._log.append(said)
        return said

    def _words(self) -> tuple[Word, ...]:
        """Those that hold."""
        words = tuple(said.word for said in self._said)
        return tuple(word for word, holds in zip(words, holding(words), strict=True) if holds)

    def _judge_again(self, begun: MatchState, when: Timestamp, what: str) -> BitByBit:
        """Everything from the start of a game on."""
        assert begun.last is not None  # noqa: S101 (a game started with an event)
        referee = self._referee_at(begun)
        referee.heed(orders_of(self._words()))
        chronicle = HistorySearch(referee)
        kept = self._log.since(begun.last.frame)
        self._meanwhile = meanwhile = deque[Entry]()
        try:
            for entry in kept:
                self._hear_again(chronicle, entry)
                yield
            while meanwhile:
                self._hear_again(chronicle, meanwhile.popleft())
                yield
        finally:
            self._meanwhile = None
        told = self.state
        self._chronicle = chronicle
        return rewritten(told, chronicle.state, begun, when, what)

    def _hear_again(self, chronicle: HistorySearch, entry: Entry) -> None:
        if not isinstance(entry, ManualEntry):
            chronicle.see(entry)
            return
        holds = holding(tuple(said.word for said in self._said))
        if holds[entry.number] and isinstance(entry.word, Event):
            _hear(chronicle, entry.word)


def all_of(steps: Generator[None, None, T]) -> T:
    """What `steps` give when they are all done."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


def _game_start(state: MatchState, is_it: Callable[[MatchState, GameStart], bool]) -> MatchState:
    """The newest state that such a game began with; `NotNow` if there is none."""
    found: MatchState | None = state
    while found is not None:
        if isinstance(found.last, GameStart) and is_it(found, found.last):
            return found
        found = found.prior
    raise NotNow("the start of that game is not in the record, so it cannot be judged again")


def _hear(chronicle: HistorySearch, event: Event) -> None:
    """What was said then; it is void where the match now stands otherwise."""
    try:
        chronicle.told(event)
    except EngineError:
        return
