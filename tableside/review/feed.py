"""The feed of a match: its record, event by event, as far as a reader may know it.

What is in a feed depends on nothing that happened later, so that its numbers hold for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatchmethod
from typing import Any, cast

from engine import (
    DiceRolled,
    DiceVoid,
    Event,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchState,
    OpeningRolled,
    PlayMade,
    PrematureRoll,
)
from engine.events.match import (
    CubeEvent,
    CubeTurned,
    GameDrawn,
    MatchEnd,
    PlayAccepted,
    PlayRejected,
    Resigned,
    TakenBack,
)
from engine.events.record import (
    Corrected,
    MatchClosed,
    MatchContinued,
    MatchPaused,
    PlayersNamed,
    PositionFound,
    PositionSet,
    Resumed,
    Unfinished,
)
from engine.match.fold import apply_event
from engine.ruleset import Audience
from webui.contracts.events import MatchEvent
from webui.contracts.state import Names, Numbers, board_of


class Feed:
    """Makes the feed of a match from its events."""

    def __init__(self, blank: MatchState, *, is_whole: bool) -> None:
        """blank: the match before its first event. is_whole: whether nothing is hidden."""
        self.events: list[MatchEvent] = []
        self.ends = [0]
        """Its length after each event of the record, the first before any."""
        self._is_whole = is_whole
        self._states = [blank]
        """The match after each event in effect, the first before any."""
        self._lengths = [0]
        """The length of the feed after each of them."""
        self._hidden: list[tuple[tuple[int, IllegalMade], ...]] = [()]
        """After each of them, the game's illegal plays not yet announced, with their turns."""

    def add(self, events: Sequence[Event]) -> None:
        """Follow the record through these events."""
        for event in events:
            if isinstance(event, Corrected):
                self._correct(event)
            else:
                self._states.append(apply_event(self._states[-1], event))
                self._hidden.append(self._hidden[-1])
                for part in self._parts(event):
                    self._put(event, part)
                self._lengths.append(len(self.events))
            self.ends.append(len(self.events))

    @property
    def _state(self) -> MatchState:
        return self._states[-1]

    @property
    def _announces(self) -> bool:
        return self._is_whole or self._state.rule_set.announces_to_players

    def _correct(self, event: Corrected) -> None:
        kept = min(event.keep, len(self._states) - 1)
        del self._states[kept + 1 :], self._lengths[kept + 1 :], self._hidden[kept + 1 :]
        self._put(event, {"event": "corrected", "after": self._lengths[-1]})

    def _put(self, event: Event, part: dict[str, Any]) -> None:
        head = {"seq": len(self.events) + 1, "time": event.time, "game": self._state.games}
        self.events.append(cast(MatchEvent, {**head, **part}))

    @singledispatchmethod
    def _parts(self, event: Event) -> Iterator[dict[str, Any]]:
        """What the feed says of an event; nothing of most about the record and the cup."""
        yield from ()

    @_parts.register
    def _(self, event: GameStart) -> Iterator[dict[str, Any]]:
        yield {
            "event": "game_start",
            "players": Names(light=event.light, dark=event.dark),
            "variant": event.variant,
            "length": event.length,
            "score": Numbers(light=event.score[0], dark=event.score[1]),
            "position": board_of(event.position),
        }

    @_parts.register
    def _(self, event: OpeningRolled) -> Iterator[dict[str, Any]]:
        yield {"event": "opening", "light": event.light, "dark": event.dark}

    @_parts.register
    def _(self, event: DiceRolled) -> Iterator[dict[str, Any]]:
        yield {"event": "roll", "player": event.player.value, "dice": list(event.dice)}

    @_parts.register
    def _(self, event: DiceVoid) -> Iterator[dict[str, Any]]:
        dice, player = list(event.dice), event.player.value
        yield {"event": "void", "player": player, "dice": dice, "reason": event.reason}

    @_parts.register
    def _(self, event: PrematureRoll) -> Iterator[dict[str, Any]]:
        if not event.stands:
            dice, player = list(event.dice), event.player.value
            yield {"event": "void", "player": player, "dice": dice, "reason": "premature"}

    @_parts.register
    def _(self, event: PlayMade) -> Iterator[dict[str, Any]]:
        turn = len(self._state.turns)
        if isinstance(event, IllegalMade) and self._announces:
            yield self._illegal(turn, event)
            return
        if isinstance(event, IllegalMade):
            self._hidden[-1] += ((turn, event),)
        yield {"event": "play", **self._made(turn, event)}

    def _illegal(self, turn: int, event: IllegalMade) -> dict[str, Any]:
        return {"event": "illegal", **self._made(turn, event), "rule": event.broken_rule}

    def _made(self, turn: int, event: PlayMade) -> dict[str, Any]:
        return {
            "player": event.player.value,
            "turn": turn,
            "dice": None if event.dice is None else list(event.dice),
            "play": event.play,
            "position": board_of(event.position),
        }

    @_parts.register
    def _(self, event: PlayAccepted) -> Iterator[dict[str, Any]]:
        if self._announces:
            yield {"event": "accepted", "player": event.player.value}

    @_parts.register(PlayRejected)
    @_parts.register(TakenBack)
    def _(self, event: PlayRejected | TakenBack) -> Iterator[dict[str, Any]]:
        yield {"event": event.type, "player": event.player.value}

    @_parts.register
    def _(self, event: CubeEvent) -> Iterator[dict[str, Any]]:
        value = {"value": event.value} if isinstance(event, CubeTurned) else {}
        yield {"event": event.type, "player": event.player.value, **value}

    @_parts.register
    def _(self, event: Resigned) -> Iterator[dict[str, Any]]:
        yield {"event": "resign", "player": event.player.value, "points": event.points}

    @_parts.register(PositionSet)
    @_parts.register(PositionFound)
    def _(self, event: PositionSet | PositionFound) -> Iterator[dict[str, Any]]:
        yield {"event": "position", "position": board_of(event.position)}

    @_parts.register
    def _(self, event: GameEnd) -> Iterator[dict[str, Any]]:
        winner, points = event.winner.value, event.points
        yield {"event": "game_end", "winner": winner, "points": points, "result": event.result}
        yield from self._announced_late()

    @_parts.register
    def _(self, event: GameDrawn) -> Iterator[dict[str, Any]]:
        yield {"event": "game_end", "winner": None, "points": event.points, "result": "draw"}
        yield from self._announced_late()

    def _announced_late(self) -> Iterator[dict[str, Any]]:
        if self._state.rule_set.announce is Audience.AFTER:
            yield from (self._illegal(turn, made) for turn, made in self._hidden[-1])
        self._hidden[-1] = ()

    @_parts.register(MatchEnd)
    @_parts.register(MatchClosed)
    def _(self, event: MatchEnd | MatchClosed) -> Iterator[dict[str, Any]]:
        winner = event.winner.value if isinstance(event, MatchEnd) else None
        score = Numbers(light=event.score[0], dark=event.score[1])
        yield {"event": "match_end", "winner": winner, "score": score}

    @_parts.register
    def _(self, event: PlayersNamed) -> Iterator[dict[str, Any]]:
        yield {"event": "names", "players": Names(light=event.light, dark=event.dark)}

    @_parts.register(Unfinished)
    @_parts.register(Resumed)
    @_parts.register(MatchPaused)
    @_parts.register(MatchContinued)
    def _(
        self, event: Unfinished | Resumed | MatchPaused | MatchContinued
    ) -> Iterator[dict[str, Any]]:
        yield {"event": event.type}
