"""What of a match somebody should look at: plays, throws and set-ups, with why and their stills.

A throw that surely does not count is among them, with its picture, and dice that only the play
tells; but these ask for nobody's look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from engine import Event, IllegalMade, OpeningRolled, PlayMade, SetUpError, Side, Unfinished
from engine.events.cup import CupDecided, CupDisagrees
from engine.events.match import Dice, DiceRolled, DiceVoid, PlayRejected, TakenBack
from engine.match.amendments import effective_events
from engine.match.phase import BETWEEN_GAMES
from engine.match.state import DICE_UNCERTAIN, INFERRED, PLAY_UNCERTAIN, MatchState, fold
from tableside.review.stills import StillKeeper, StoredStill

WHY_VOID: Final = {
    "cocked": "a die leans: both are thrown again",
    "on_checker": "a die lies on a checker: both are thrown again",
    "off_board": "a die left the board: both are thrown again",
    "split": "the dice lie in both halves: both are thrown again",
    "wrong_half": "the dice lie in the wrong half: both are thrown again",
    "premature": "thrown before the other turn had ended: both are thrown again",
}
SEEN_REASONS: Final = ("cocked", "on_checker", "off_board", "split", "wrong_half")
SURE_LEAN: Final = 0.95
"""From this probability that a die leans a void throw is told as one, and asks nobody to look."""
SWEPT: Final = "the checkers were swept or set up anew: who won, and how high, is not known"
NO_PLAY_EXPLAINS: Final = "the board was left as no play, not even a wrong one, explains well"
MAY_MISS: Final = "a turn that nobody saw may have come before it"


@dataclass(frozen=True, slots=True)
class ItemStill:
    """A still, and what is to be seen in it."""

    shows: str
    moment: StoredStill


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to look at."""

    event: Event
    kind: str
    """`doubt`, `inferred`, `illegal`, `unfinished`, `set_up_error`, `reroll` or `cup_disagrees`."""
    why: tuple[str, ...]
    """Why it is listed, in words."""
    shots: tuple[ItemStill, ...]
    game: int
    turn: int | None = None
    """Its number in the match, rejected turns counted; of a void throw, the turn it was for."""
    is_open: bool = True
    """Whether somebody should look; False of a throw that was read surely to be void, and of dice
    that only the play tells."""

    @property
    def player(self) -> Side | None:
        """Whose it is; None of what both did."""
        event = self.event
        return event.player if isinstance(event, PlayMade | DiceVoid | CupDisagrees) else None

    @property
    def dice(self) -> Dice | None:
        """What was thrown for it, as told."""
        return self.event.dice if isinstance(self.event, PlayMade | DiceVoid) else None

    @property
    def rule(self) -> str:
        """The rule that was broken, in words; empty where none was."""
        return self.event.rule if isinstance(self.event, IllegalMade) else ""


def doubtful_things(events: Sequence[Event], stills: StillKeeper) -> list[ReviewItem]:
    """All that is doubtful at last, in the order of time; what was settled since is not in it."""
    standing = effective_events(events)
    last = fold(standing)
    walked = tuple(_walk(standing))
    decided = {at.turn for at in walked if isinstance(at.event, CupDecided)}
    found = (
        _thing(at, last, stills)
        for at in walked
        if not (isinstance(at.event, CupDisagrees) and at.turn in decided)
    )
    return sorted((one for one in found if one is not None), key=lambda one: one.event.time)


def shots_of_turn(events: Sequence[Event], stills: StillKeeper, turn: int) -> tuple[ItemStill, ...]:
    """What was kept of a turn, doubtful or not: its throw, and the board after it."""
    for at in _walk(effective_events(events)):
        if isinstance(at.event, PlayMade) and at.turn == turn:
            return _shots_of_play(stills, at)
    return ()


@dataclass(frozen=True, slots=True)
class _At:
    """An event, what it led to, and the throw of the turn that it belongs to."""

    event: Event
    state: MatchState
    throw: Event | None

    @property
    def turn(self) -> int:
        """How many turns there were with it."""
        return len(self.state.turns)


def _walk(standing: Sequence[Event]) -> Iterator[_At]:
    state = MatchState()
    throw: Event | None = None
    last: Event | None = None
    for event in standing:
        state = state.after(event)
        if isinstance(event, DiceRolled | OpeningRolled):
            throw = event
        elif isinstance(event, PlayRejected | TakenBack):
            throw = last  # it is played again
        yield _At(event, state, throw)
        if isinstance(event, PlayMade):
            throw, last = None, throw


def _thing(at: _At, last: MatchState, stills: StillKeeper) -> ReviewItem | None:
    """The event as a thing to look at; None if it is not doubtful, or is settled by now."""
    event, game = at.event, at.state.games
    match event:
        case PlayMade() if not last.turns[at.turn - 1].rejected:
            if event.legal and not event.uncertainties and not event.review:
                return None
            is_open = event.review or not event.legal
            kind = "illegal" if not event.legal else "doubt" if is_open else "inferred"
            why = tuple(_why(doubt, event, at.throw) for doubt in event.uncertainties)
            return ReviewItem(event, kind, why, _shots_of_play(stills, at), game, at.turn, is_open)
        case DiceVoid() | CupDisagrees():
            shots, why = _shots(stills, ("The throw", event)), (_why_throw(event),)
            is_open = not (isinstance(event, DiceVoid) and is_surely_void(event))
            return ReviewItem(event, event.type, why, shots, game, at.turn + 1, is_open)
        case Unfinished() if event.game in last.unresolved_games:
            before = at.state.turns[-1].event if at.state.turns else None
            shots = _shots(stills, ("After the last turn", before), ("The board then", event))
            return ReviewItem(event, event.type, (SWEPT,), shots, event.game)
        case SetUpError():
            shots = _shots(stills, ("The board", event))
            between = at.state.phase in BETWEEN_GAMES
            return ReviewItem(event, event.type, event.faults, shots, game + between)
        case _:
            return None


def _why_throw(event: DiceVoid | CupDisagrees) -> str:
    if isinstance(event, DiceVoid):
        return WHY_VOID.get(event.reason, event.reason)
    cups, seen = ("-".join(str(die) for die in dice) for dice in (event.dice, event.seen))
    return f"the cup rolled {cups}, the dice on the board show {seen}, and nobody said which count"


def is_surely_void(event: DiceVoid) -> bool:
    """Whether both dice were seen and what makes the throw void was read surely.

    A die leans as surely as it does not lie flat; where it lies and on what, is seen or not.
    """
    if len(event.dice_at_rest) < 2 or event.reason not in SEEN_REASONS:
        return False
    leans = 1 - prod(die.flat for die in event.dice_at_rest)
    return event.reason != "cocked" or leans >= SURE_LEAN


def _shots_of_play(stills: StillKeeper, at: _At) -> tuple[ItemStill, ...]:
    return _shots(stills, ("The throw", at.throw), ("The board after the turn", at.event))


def _shots(stills: StillKeeper, *wanted: tuple[str, Event | None]) -> tuple[ItemStill, ...]:
    """The stills that were kept; where two are one, it is told as the last."""
    found = {}
    for shows, event in wanted:
        moment = None if event is None else stills.of(event)
        if moment is not None:
            found[moment.frame] = ItemStill(shows, moment)
    return tuple(found.values())


def _why(doubt: str, made: PlayMade, throw: Event | None) -> str:
    if doubt == PLAY_UNCERTAIN:
        if made.alternatives:
            return "the pictures leave more than one play open"
        return "the pictures do not settle what was played"
    if doubt in (DICE_UNCERTAIN, INFERRED):
        return _why_dice(made.dice, throw)
    return {"record": MAY_MISS, "illegal": NO_PLAY_EXPLAINS}.get(doubt, doubt)


def _why_dice(dice: Dice | None, throw: Event | None) -> str:
    if dice is None:
        return "no dice were seen for this turn"
    if None in dice:
        return "a die could not be read"
    seen = _likeliest(throw)
    if len(seen) == len(dice) and set(seen) != set(dice):
        faces = "-".join(str(face) for face in reversed(seen))
        return f"the dice look like {faces}: a die was misread, or the play broke a rule"
    return "the dice were not read surely: they are told as the play needs them"


def _likeliest(throw: Event | None) -> tuple[int, ...]:
    """The likeliest face of every die of a throw, the smaller first."""
    lay = throw.dice_at_rest if isinstance(throw, DiceRolled | OpeningRolled) else ()
    return tuple(sorted(1 + max(range(6), key=die.chances.__getitem__) for die in lay))
