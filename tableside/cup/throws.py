"""Throws of a cup or of dice with Bluetooth that wait for their turn in the game."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from engine import Event, MatchState, Phase
from engine.events.cup import BluetoothRolled, CupRolled, CupSetAside, UnusedReason
from engine.events.match import DiceRolled, GameStart, OpeningRolled, TurnEnded
from engine.message import Message, Sentence, msg
from engine.referee.manual import ACCEPTED_BY_ROLL
from engine.timestamp import Timestamp
from tableside.cup.history import turn_events
from tableside.cup.roll_turn import RollTurn, is_opening, next_roll

Thrown = CupRolled | BluetoothRolled
WHY_UNUSED: Final[dict[UnusedReason, Message]] = {
    "late": msg("the turn that it was rolled for already has another roll, or is over"),
    "unasked": msg("nobody asked for it, or it was rolled while the program was not running"),
    "aside": msg("the cup was set aside"),
}


class WaitingThrow(NamedTuple):
    """A recorded throw that is no roll of the match yet."""

    thrown: Thrown
    turn: RollTurn


class CupThrows:
    """The throws in order; each becomes the roll that it was made for, or none."""

    def __init__(self, *, is_manual: bool, throws_alone: bool) -> None:
        """is_manual: whether plays are entered by hand; throws_alone: whether no hand shakes it."""
        self.refused: Sentence = ""
        """Why the newest throw is not a roll."""
        self.due: RollTurn | None = None
        """The next roll of the match as of the last step; None between games."""
        self._waiting: deque[WaitingThrow] = deque()
        self._is_manual, self._throws_alone = is_manual, throws_alone
        self._known: MatchState | None = None
        """The match as of the last step."""

    @property
    def _due_throw(self) -> WaitingThrow | None:
        """The throw for the next roll of the match; those for later rolls wait for theirs."""
        return next((one for one in self._waiting if one.turn.is_same(self.due)), None)

    @property
    def is_made(self) -> bool:
        """Whether the next roll of the match has been thrown."""
        return self._due_throw is not None

    @property
    def why(self) -> Sentence:
        """Why the newest throw is not a roll, or not yet; empty if all are."""
        if self.refused or not self._waiting or self.is_made:
            return self.refused
        thrown = self._waiting[0].thrown
        return msg("{dice} waits for the turn that it was rolled for", dice=_dice_text(thrown))

    def add(self, thrown: Thrown, turn: RollTurn | None = None) -> None:
        """Queue a recorded throw for `turn`, by default the next roll; or say why it is unused."""
        self.refused = ""
        unused = thrown.unused if isinstance(thrown, CupRolled) else None
        turn = turn or self.due
        if unused is not None:
            self._refuse(thrown, unused)
        elif turn is not None:
            self._waiting.append(WaitingThrow(thrown, turn))

    def set_aside(self) -> None:
        """Drop all throws: none of them counts."""
        for one in self._waiting:
            self._refuse(one.thrown, "aside")
        self._waiting.clear()

    def follow(self, state: MatchState) -> None:
        """Note the match before a step; if it was judged again, take its throws from the record."""
        known, self._known = self._known, state
        if known is state:
            return
        self.due = next_roll(state)
        if (
            known is None
            or state.event_count < known.event_count
            or state.at(known.event_count) is not known
        ):
            self._restore(state)
        for one in [one for one in self._waiting if self.is_late(one.turn, one.thrown.kind)]:
            self._waiting.remove(one)
            self._refuse(one.thrown, "late")

    def _restore(self, state: MatchState) -> None:
        """Queue the throws in the record: a correction may have left some without a turn."""
        self._waiting.clear()
        used: set[int] = set()
        is_turn_over = False
        for at in _states_of_game(state):
            match at.last_event:
                case DiceRolled(cup_roll=number) | OpeningRolled(cup_roll=number):
                    used.add(number)
                    is_turn_over = True
                case CupRolled(unused=str(unused)) as thrown if not is_turn_over:
                    self._refuse(thrown, unused)
                case BluetoothRolled() | CupRolled(unused=None) as thrown:
                    turn = recorded_turn(thrown)
                    if is_turn_over and (turn is None or thrown.number in used):
                        pass  # it was used, or its turn is not known
                    elif turn is None and at.previous is not None:  # of an older record
                        self._wait(thrown, next_roll(at.previous))
                    elif turn is not None and not (is_turn_over and self._is_past(turn, state)):
                        self._wait(thrown, turn)

    def _wait(self, thrown: Thrown, turn: RollTurn | None) -> None:
        """Queue a throw made before all that wait."""
        if turn is not None:
            self._waiting.appendleft(WaitingThrow(thrown, turn))

    def is_late(self, turn: RollTurn, kind: str) -> bool:
        """Whether a throw of that kind for `turn` can no longer become its roll."""
        state = self._known
        if state is None or self._is_past(turn, state):
            return True
        if not turn.is_same(self.due) or state.phase not in (Phase.TO_ROLL, Phase.DISPUTED):
            return False
        is_others = turn.player is not None and turn.player is not state.to_move
        return is_others or (kind == "opening") != is_opening(state)

    def _is_past(self, turn: RollTurn, state: MatchState) -> bool:
        """Whether a roll has been made, or never will be.

        One of a game whose beginning was undone waits until that game begins again.
        """
        if self.due is None and not state.is_over:
            return turn.game <= state.games
        return turn.is_past(self.due)

    def is_awaited(self, state: MatchState) -> bool:
        """Whether a throw is possible now."""
        if state.phase is Phase.DISPUTED:
            # A throw that no hand has made would decide for the players.
            return not self._throws_alone and state.rule_set.acceptance_event in ACCEPTED_BY_ROLL
        if state.phase is Phase.TO_ROLL:
            return state.to_move is not None or is_opening(state)
        return state.phase is Phase.TO_PLAY and not self._is_manual

    def next_event(
        self, state: MatchState, now: Timestamp
    ) -> OpeningRolled | DiceRolled | TurnEnded | None:
        """The throw for the next roll, as that or as the end of the turn before.

        None if there is none, or if it must wait.
        """
        due, at = self._due_throw, now._asdict()
        if due is None or not self.is_awaited(state):
            return None
        thrown, player = due.thrown, state.to_move
        if thrown.kind == "opening" or player is None:
            self._take(due)
            light, dark = thrown.dice
            return OpeningRolled(
                **at, light=light, dark=dark, by=_source(thrown), cup_roll=_number(thrown)
            )
        if state.phase is not Phase.TO_ROLL and _has_ended_a_turn(state, thrown):
            # The play shows later; until an illegal one is visible, nobody can let it stand.
            return None
        if state.phase is Phase.TO_PLAY:
            return TurnEnded(**at, player=player, by="cup")
        self._take(due)
        high, low = sorted(thrown.dice, reverse=True)
        return DiceRolled(
            **at, player=player, dice=(high, low), by=_source(thrown), cup_roll=_number(thrown)
        )

    def _take(self, one: WaitingThrow) -> None:
        self._waiting.remove(one)
        self.refused = ""

    def refuse(self, event: Event, why: Sentence) -> None:
        """Drop the throw behind `event`, which the match does not allow."""
        self.refused = why
        due = self._due_throw
        if isinstance(event, TurnEnded) and due is not None:
            self._waiting.remove(due)

    def _refuse(self, thrown: Thrown, reason: UnusedReason) -> None:
        self.refused = msg(
            "{dice} does not count: {reason}", dice=_dice_text(thrown), reason=WHY_UNUSED[reason]
        )


def recorded_turn(thrown: Thrown) -> RollTurn | None:
    """The turn that a throw was requested for, if its event says so."""
    if not isinstance(thrown, CupRolled) or not thrown.game:
        return None
    return RollTurn(thrown.game, thrown.turn, thrown.player)


def _states_of_game(state: MatchState) -> Iterator[MatchState]:
    """The states of the game in play, latest first, since the cup was last set aside.

    Also those to which a throw for this game led before it began: its beginning was undone then.
    """
    is_before = False
    at: MatchState | None = state
    while at is not None and not isinstance(at.last_event, CupSetAside | None):
        if isinstance(at.last_event, GameStart):
            if is_before:
                return
            is_before = True
        elif not is_before or _is_of(at.last_event, state.games):
            yield at
        at = at.previous


def _is_of(event: Event | None, game: int) -> bool:
    """Whether an event is a throw for a roll of that game."""
    turn = recorded_turn(event) if isinstance(event, Thrown) else None
    return turn is not None and turn.game == game


def _dice_text(thrown: Thrown) -> str:
    return "-".join(map(str, thrown.dice))


def _source(thrown: Thrown) -> Literal["cup", "bluetooth"]:
    return "cup" if isinstance(thrown, CupRolled) else "bluetooth"


def _number(thrown: Thrown) -> int:
    return thrown.number if isinstance(thrown, CupRolled) else 0


def _has_ended_a_turn(state: MatchState, thrown: Thrown) -> bool:
    is_ended = False
    for event in turn_events(state):
        if isinstance(event, Thrown) and event.number == thrown.number:
            return is_ended
        is_ended |= isinstance(event, TurnEnded) and event.by == "cup"
    return is_ended
