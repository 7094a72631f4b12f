"""Another play in a match that is over: what was recorded after it is kept, if it fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.errors import EngineError, NotNow
from engine.events.match import Event, GameEnd, IllegalMade, PlayMade
from engine.events.record import Corrected
from engine.match.amendments import standing_events
from engine.match.fold import apply_event, fold
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.message import Message, join, msg
from engine.referee.game_end import end_events
from engine.referee.manual import manual_play
from engine.timestamp import Timestamp


def revised(
    events: Iterable[Event], blank: MatchState, turn: int, play: str, what: Message
) -> list[Event]:
    """The events that make `play` that of a turn: a correction, the play, and all that followed.

    Later plays are made again from the position that `play` leads to.

    blank: the match before its first event. what: the correction in words.

    Raises `NotNow` if there is no such turn, or if what was recorded later does not follow;
    `InvalidNotation` or `IllegalPlay` if the play is impossible.
    """
    recorded = tuple(events)
    standing = standing_events(recorded)
    turns = [number for number, event in enumerate(standing) if isinstance(event, PlayMade)]
    if not 0 < turn <= len(turns):
        raise NotNow(msg("there is no turn {turn}", turn=turn))
    index = turns[turn - 1]
    before = fold(standing[:index], blank)
    made = standing[index]
    assert isinstance(made, PlayMade)  # noqa: S101 (its index says so)
    chosen = _played(before, made, play)
    if isinstance(chosen, IllegalMade):
        raise NotNow(join([msg("{play} breaks a rule", play=play), chosen.broken_rule]))
    was, now = apply_event(before, made), apply_event(before, chosen)
    last = recorded[-1]
    cut = Corrected(
        time=last.time,
        frame=last.frame,
        keep=index,
        by="hand",
        what=str(what),
        what_message=what,
    )
    return [cut, chosen, *_after(was, now, standing[index + 1 :])]


def _after(was: MatchState, now: MatchState, events: Iterable[Event]) -> Iterator[Event]:
    """The same events after another play; `was`, `now`: the state after each of the two plays."""
    for event in events:
        follows = event
        if was.position != now.position:
            if isinstance(event, PlayMade):
                follows = _again(now, event)
            elif isinstance(event, GameEnd) and _ends(was, event) != _ends(now, event):
                raise NotNow(msg("the game would not have ended as it was recorded"))
        was, now = apply_event(was, event), apply_event(now, follows)
        yield follows


def _ends(state: MatchState, end: GameEnd) -> list[Event]:
    """How the position ends the game, if it does."""
    return list(end_events(state, state.rules, Timestamp(end.time, end.frame)))


def _again(state: MatchState, event: PlayMade) -> PlayMade:
    """A later play from another position; raises `NotNow` if it is not what it was there."""
    try:
        made = _played(state, event, event.play)
    except EngineError:
        made = None
    if made is None or made.legal is not event.legal:
        turn = len(state.turns) + 1
        raise NotNow(
            msg("turn {turn}, {play}, could not have followed", turn=turn, play=event.play)
        )
    return replace(event, position=made.position)


def _played(state: MatchState, event: PlayMade, play: str) -> PlayMade:
    """The play in the place of the one recorded, with its dice."""
    # The recorded dice may be those that the play required, not those that were read.
    to_play = replace(state, phase=Phase.TO_PLAY, to_move=event.player, roll=event.dice)
    when = Timestamp(event.time, event.frame)
    return manual_play(to_play, event.player, play, state.rules, when)
