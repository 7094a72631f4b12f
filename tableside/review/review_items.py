"""Review items: plays, throws and set-ups that a person should check, with reasons and stills.

Throws that are certainly void and dice inferred from the play are listed too, but need no review.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Final

from engine import Event, IllegalMade, OpeningRolled, PlayMade, SetUpError, Side, Unfinished, Unseen
from engine.events.cup import CupDecided, CupDisagrees
from engine.events.match import Dice, DiceRolled, DiceVoid, PlayRejected, TakenBack
from engine.match.amendments import (
    effective_events,
    effective_states,
    standing_events,
    states_after,
)
from engine.match.fold import fold
from engine.match.phase import BETWEEN_GAMES
from engine.match.state import DICE_UNCERTAIN, INFERRED, PLAY_UNCERTAIN, MatchState
from engine.message import Message, Sentence, msg, ngettext
from tableside.review.clips import is_doubtful
from tableside.review.stills import StillKeeper, StoredStill

WHY_VOID: Final = {
    "cocked": msg("a die is cocked: both are rolled again"),
    "on_checker": msg("a die landed on a checker: both are rolled again"),
    "off_board": msg("a die left the board: both are rolled again"),
    "split": msg("the dice landed in different halves: both are rolled again"),
    "wrong_half": msg("the dice landed in the wrong half: both are rolled again"),
    "premature": msg("rolled before the other turn had ended: both are rolled again"),
    "apart": msg("the dice were not thrown together: both are rolled again"),
    "paused": msg("thrown while play was paused: both are rolled again"),
}
WHY_UNSEEN: Final = {
    "covered": msg("something covered it"),
    "moving": msg("the picture never settled"),
    "lost": msg("it was not found"),
    "blank": msg("the picture was blank"),
    "skipped": msg("frames are missing"),
    "joined": msg("the game was already under way"),
    "unread": msg("the dice were not read, and no play explains the position"),
}
SEEN_REASONS: Final = ("cocked", "on_checker", "off_board", "split", "wrong_half")
MIN_LEAN_PROBABILITY: Final = 0.95
"""Probability that a die is cocked from which a void throw needs no review."""
BOARD_SWEPT: Final = msg(
    "the checkers were swept away or reset: who won, and by how much, is unknown"
)
NO_PLAY_EXPLAINS: Final = msg("no play, legal or not, explains the position well")
SEEMS_ILLEGAL: Final = msg("it looks like a play that breaks a rule")
THROW: Final = msg("The roll")
NO_FOLDER: Final = Path("no-stills")
"""Used where no stills are wanted."""
UNSEEN: Final = msg("the board could not be judged for part of this turn")
MAY_MISS: Final = msg("a turn before it may be missing, or a place misread")
NOT_CONFIRMED: Final = msg("the board had not yet confirmed the position before it")
_REASONS: Final = {
    "record": MAY_MISS,
    "position": NOT_CONFIRMED,
    "illegal": NO_PLAY_EXPLAINS,
    "unseen": UNSEEN,
}


@dataclass(frozen=True, slots=True)
class ItemStill:
    """A still and what it shows."""

    shows: Message
    still: StoredStill


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Something in a match that a person should check, or that is listed for information."""

    event: Event
    kind: str
    """`doubt`, `inferred`, `illegal`, `unfinished`, `set_up_error`, `reroll`, `cup_disagrees` or
    `unseen`."""
    why: tuple[Sentence, ...]
    """Why it is listed."""
    stills: tuple[ItemStill, ...]
    game: int
    turn: int | None = None
    """The turn's number in the match, counting rejected turns; for a void throw, the next
    turn's."""
    is_open: bool = True
    """Whether a person should check it; false for inferred dice, and for throws that were certainly
    void or thrown again."""

    @property
    def player(self) -> Side | None:
        """Whose turn or throw it is; None if nobody's."""
        event = self.event
        return event.player if isinstance(event, PlayMade | DiceVoid | CupDisagrees) else None

    @property
    def dice(self) -> Dice | None:
        """The dice as recorded."""
        return self.event.dice if isinstance(self.event, PlayMade | DiceVoid) else None

    @property
    def rule(self) -> Sentence:
        """The rule that was broken; empty if none was."""
        return self.event.broken_rule if isinstance(self.event, IllegalMade) else ""


def find_review_items(
    events: Sequence[Event], stills: StillKeeper, last: MatchState | None = None
) -> list[ReviewItem]:
    """The review items of a match in order of time, without those settled by corrections.

    last: the match after its events, if that is known.
    """
    effective = effective_events(events)
    last = last or fold(standing_events(events))
    walked = tuple(_walk(effective, effective_states(effective, last, MatchState())))
    decided = {at.turn for at in walked if isinstance(at.event, CupDecided)}
    unseen_ends = _unseen_ends(effective)
    open_ids = {id(void) for void in open_throws(effective)}
    found = (
        _review_item(at, last, stills, unseen_ends, open_ids)
        for at in walked
        if not (isinstance(at.event, CupDisagrees) and at.turn in decided)
        and not (isinstance(at.event, Unseen) and id(at.event) not in unseen_ends)
    )
    return sorted((item for item in found if item), key=lambda item: item.event.time)


def count_to_review(events: Sequence[Event]) -> int:
    """How many items a person should check, as the page counts them."""
    return sum(item.is_open for item in find_review_items(events, StillKeeper(NO_FOLDER)))


def seen_confidence(event: Event) -> float | None:
    """How sure a play or a roll is; None unless the camera saw it: nothing else is a guess."""
    is_seen = getattr(event, "by", "") == "sight"
    return getattr(event, "confidence", None) if is_seen else None


def event_of_turn(events: Sequence[Event], turn: int) -> PlayMade | None:
    """The play of any turn; None if there is no such turn."""
    for at in _walk_events(events):
        if isinstance(at.event, PlayMade) and at.turn == turn:
            return at.event
    return None


def stills_of_turn(
    events: Sequence[Event], stills: StillKeeper, turn: int
) -> tuple[ItemStill, ...]:
    """The stills kept of any turn: its throw, and the board after it."""
    for at in _walk_events(events):
        if isinstance(at.event, PlayMade) and at.turn == turn:
            return _stills_of_play(stills, at)
    return ()


@dataclass(frozen=True, slots=True)
class _Step:
    """An event, the state after it, and the throw of its turn."""

    event: Event
    state: MatchState
    throw: Event | None

    @property
    def turn(self) -> int:
        """The number of turns up to and including it."""
        return len(self.state.turns)


def _walk_events(events: Sequence[Event]) -> Iterator[_Step]:
    effective = effective_events(events)
    return _walk(effective, states_after(effective, MatchState()))


def _walk(effective: Sequence[Event], states: Sequence[MatchState]) -> Iterator[_Step]:
    throw: Event | None = None
    last: Event | None = None
    for event, state in zip(effective, states, strict=True):
        if isinstance(event, DiceRolled | OpeningRolled):
            throw = event
        elif isinstance(event, PlayRejected | TakenBack):
            throw = last  # the same roll is played again
        yield _Step(event, state, throw)
        if isinstance(event, PlayMade):
            throw, last = None, throw


def _unseen_ends(effective: Sequence[Event]) -> dict[int, float]:
    """The end time of each unseen stretch, by the `id()` of its first event.

    Sparse pictures have an event between any two, because each of them is judged.
    """
    ends: dict[int, float] = {}
    first: Unseen | None = None
    for event in effective:
        if isinstance(event, Unseen):
            if first is None or (event.start, event.reason) != (ends[id(first)], first.reason):
                first = event
            ends[id(first)] = event.end
    return ends


def _review_item(
    at: _Step,
    last: MatchState,
    stills: StillKeeper,
    ends: dict[int, float],
    open_ids: Collection[int],
) -> ReviewItem | None:
    """The item for an event; None if the event is certain, or settled by now.

    ends: see `_unseen_ends`. open_ids: the `id()` of the void throws to check.
    """
    event, game = at.event, at.state.games
    match event:
        case PlayMade() if not last.turns[at.turn - 1].rejected:
            if not is_doubtful(event):
                return None
            is_open = last.turns[at.turn - 1].needs_review
            is_accused = isinstance(event, IllegalMade)
            kind = "illegal" if is_accused else "doubt" if is_open else "inferred"
            why = tuple(_why(doubt, event, at.throw) for doubt in event.uncertainties)
            why += () if event.legal or is_accused else (SEEMS_ILLEGAL,)
            shown = _stills_of_play(stills, at)
            return ReviewItem(event, kind, why, shown, game, at.turn, is_open)
        case DiceVoid() | CupDisagrees():
            shown, why = _stills(stills, (THROW, event)), (_why_throw(event),)
            is_open = not isinstance(event, DiceVoid) or id(event) in open_ids
            return ReviewItem(event, event.type, why, shown, game, at.turn + 1, is_open)
        case Unfinished() if event.game in last.unresolved_games:
            before = at.state.turns[-1].event if at.state.turns else None
            shown = _stills(
                stills, (msg("After the last turn"), before), (msg("The board at that time"), event)
            )
            return ReviewItem(event, event.type, (BOARD_SWEPT,), shown, event.game)
        case SetUpError() | Unseen():
            shown = _stills(stills, (msg("The board"), event))
            why = (_why_unseen(event, ends),) if isinstance(event, Unseen) else event.sentences
            between = at.state.phase in BETWEEN_GAMES
            return ReviewItem(event, event.type, why, shown, game + between)
        case _:
            return None


def _why_unseen(event: Unseen, ends: dict[int, float]) -> Message:
    return ngettext(
        "for {number} second the board could not be judged: {reason}",
        "for {number} seconds the board could not be judged: {reason}",
        round(ends[id(event)] - event.start),
        reason=WHY_UNSEEN[event.reason],
    )


def _why_throw(event: DiceVoid | CupDisagrees) -> Sentence:
    if isinstance(event, DiceVoid):
        return WHY_VOID.get(event.reason, event.reason)
    cups, seen = ("-".join(str(die) for die in dice) for dice in (event.dice, event.seen))
    return msg(
        "the cup rolled {cups}, the dice on the board show {seen}, and nobody decided which count",
        cups=cups,
        seen=seen,
    )


def open_throws(effective: Sequence[Event]) -> list[DiceVoid]:
    """The void throws that a person should check.

    One that was certainly void is not among them, nor one after which its player rolled again: that
    roll counts, whatever the first one was.
    """
    settled: list[DiceVoid] = []
    waiting: list[DiceVoid] = []
    found: list[DiceVoid] = []
    for event in effective:
        match event:
            case DiceVoid():
                waiting.append(event)
                found += [] if is_surely_void(event) else [event]
            case DiceRolled() | OpeningRolled():
                settled += [void for void in waiting if _is_roller(void.player, event)]
                waiting = []
            case PlayMade():
                waiting = []
    return [void for void in found if not any(void is one for one in settled)]


def _is_roller(player: Side, roll: DiceRolled | OpeningRolled) -> bool:
    return isinstance(roll, OpeningRolled) or roll.player is player


def is_surely_void(event: DiceVoid) -> bool:
    """Whether both dice were seen and the reason for the void throw is certain.

    Only cocked dice are uncertain; where a die lies, and on what, is either seen or not.
    """
    if len(event.dice_at_rest) < 2 or event.reason not in SEEN_REASONS:
        return False
    leans = 1 - prod(die.flat for die in event.dice_at_rest)
    return event.reason != "cocked" or leans >= MIN_LEAN_PROBABILITY


def _stills_of_play(stills: StillKeeper, at: _Step) -> tuple[ItemStill, ...]:
    return _stills(stills, (THROW, at.throw), (msg("The board after the turn"), at.event))


def _stills(stills: StillKeeper, *wanted: tuple[Message, Event | None]) -> tuple[ItemStill, ...]:
    """The stills that were kept; one that shows two events appears once, for the later one."""
    found = {}
    for shows, event in wanted:
        still = None if event is None else stills.still_of(event)
        if still is not None:
            found[still.frame] = ItemStill(shows, still)
    return tuple(found.values())


def _why(doubt: str, made: PlayMade, throw: Event | None) -> Sentence:
    if doubt == PLAY_UNCERTAIN:
        if made.alternatives:
            return msg("the pictures allow more than one play")
        return msg("the pictures do not show clearly what was played")
    if doubt in (DICE_UNCERTAIN, INFERRED):
        return _why_dice(made.dice, throw)
    return _REASONS.get(doubt, doubt)


def _why_dice(dice: Dice | None, throw: Event | None) -> Message:
    if dice is None:
        return msg("no dice were seen for this turn")
    if None in dice:
        return msg("a die could not be read")
    seen = _likeliest(throw)
    if len(seen) == len(dice) and set(seen) != set(dice):
        faces = "-".join(str(face) for face in reversed(seen))
        return msg(
            "the dice look like {faces}: a die was misread, or the play broke a rule", faces=faces
        )
    return msg("the dice were not read reliably: they are recorded as the play requires")


def _likeliest(throw: Event | None) -> tuple[int, ...]:
    """The likeliest face of each die of a throw, in ascending order."""
    lay = throw.dice_at_rest if isinstance(throw, DiceRolled | OpeningRolled) else ()
    return tuple(sorted(1 + max(range(6), key=die.chances.__getitem__) for die in lay))
