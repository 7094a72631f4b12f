"""`LiveDesk`: words said by hand, from the page's threads to the one that watches the board.

A session is not thread-safe, so a word waits in a queue until the sitting has a moment between two
frames. The state that is read here is a value that never changes, so reading waits for nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, Final

from engine import (
    ALL_ROLLS,
    Beavered,
    BoardMoved,
    Doubled,
    Dropped,
    EngineError,
    Event,
    MatchState,
    NotNow,
    Phase,
    Play,
    PlayAccepted,
    PlayRejected,
    Position,
    Raccooned,
    Resigned,
    Roll,
    Setup,
    Side,
    Taken,
    Turn,
    TurnEnded,
    apply_play,
    is_legal,
    legal_plays,
    position_json,
)
from engine.corrections import PlayChosen, RollFixed, last_correction
from engine.events import IllegalMade, PositionSet
from engine.looks import When
from engine.rules import Rules
from engine.telling import told_events
from tableside.recorder import Recorder
from tableside.session import Session
from webui.desk import Command, NoAnswer, PositionGiven, Resignation, Word

PATIENCE: Final = 5.0
"""Seconds that a word waits to be heard: the sitting looks four times a second or more."""
AT_WORK: Final = 25.0
"""Seconds more that one may take which was heard: a long game is judged again from its start."""
TURNED: Final = {Word.DOUBLE: Doubled, Word.BEAVER: Beavered, Word.RACCOON: Raccooned}
BY_HAND: Final = {Word.ACCEPT: PlayAccepted, Word.END_TURN: TurnEnded}
ANSWERED: Final = {Word.REJECT: PlayRejected, Word.TAKE: Taken, Word.DROP: Dropped}
IN_PLAY: Final = (Phase.TO_ROLL, Phase.TO_PLAY, Phase.DISPUTED)


class LiveDesk:
    """The `webui.desk.Desk` of a sitting, which works it off with `work_off`."""

    def __init__(self, recorder: Recorder, rules: Rules, patience: float = PATIENCE) -> None:
        self._recorder, self._rules, self._patience = recorder, rules, patience
        self._waiting: SimpleQueue[tuple[Command, Future[None]]] = SimpleQueue()
        self.is_paused = False
        """Set by the sitting."""
        self._may_undo = self._has_correction()

    def tell(self, command: Command) -> None:
        """The command was carried out and is in the record; see `webui.desk.Desk`."""
        answer: Future[None] = Future()
        self._waiting.put((command, answer))
        try:
            answer.result(self._patience)
        except NotYet:
            if answer.cancel():
                raise NoAnswer(
                    "the table does not answer; nothing was changed, try again"
                ) from None
            self._await(answer)

    def _await(self, answer: Future[None]) -> None:
        """The answer to a word that was heard: it cannot be taken back any more."""
        try:
            answer.result(AT_WORK)
        except NotYet:
            raise NoAnswer(
                "the table is still at it; look at the record before you try again"
            ) from None

    def work_off(self, do: Callable[[Command], object], timeout: float = 0.0) -> int:
        """Carry out all that was said, waiting so many seconds for the first; how many there were.

        What goes wrong is raised where the word was said, and not here.
        """
        done = 0
        while True:
            try:
                command, answer = self._waiting.get(timeout > 0 and not done, timeout)
            except Empty:
                return done
            done += 1
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                do(command)
            except Exception as error:  # noqa: BLE001 (the request that waits tells it)
                answer.set_exception(error)
            else:
                answer.set_result(None)

    def was_obeyed(self) -> None:
        """The sitting has carried a word out: what can be undone may have changed."""
        self._may_undo = self._has_correction()

    def _has_correction(self) -> bool:
        try:
            last_correction(tuple(said.word for said in self._recorder.said()))
        except NotNow:
            return False
        return True

    def now(self) -> dict[str, Any]:
        """What can be said now."""
        state = self._recorder.state
        cube = state.cube
        owner, offer = cube.owner, cube.offer
        refused = {word: self._why_not(word, state) for word in Word}
        return {
            "paused": self.is_paused,
            "phase": state.phase.value,
            "message": state.message,
            "game": state.games,
            "asked": list(state.asked),
            "turns": len(state.turns),
            "to_move": None if state.to_move is None else state.to_move.value,
            "cube": {
                "value": cube.value,
                "owner": None if owner is None else owner.value,
                "offered": None if offer is None else offer.value,
                "in_use": self._rules.has_cube,
            },
            "rule_set": state.rule_set.name,
            "can": [word.value for word, why in refused.items() if not why],
            "cannot": {word.value: why for word, why in refused.items() if why},
        }

    def turns(self) -> list[dict[str, Any]]:
        """Every turn of the match."""
        state = self._recorder.state
        return [_turn_told(number, turn) for number, turn in enumerate(state.turns, start=1)]

    def turn(self, number: int) -> dict[str, Any] | None:
        """One turn with what else it may have been; None if there is none of that number."""
        turn = self._turn(number)
        if turn is None:
            return None
        made = turn.made
        others = [
            {
                "play": one.play,
                "confidence": one.confidence,
                "position": self._reached(turn, one.play),
            }
            for one in made.alternatives
        ]
        rolls = [
            {"dice": [roll.high, roll.low], "explains": self._explains(turn, roll)}
            for roll in ALL_ROLLS
        ]
        return {
            **_turn_told(number, turn),
            "before": position_json(turn.before),
            "after": position_json(made.position),
            "alternatives": others,
            "rolls": rolls,
        }

    def plays(self, number: int, dice: tuple[int, int] | None) -> list[dict[str, Any]] | None:
        """The legal plays of a turn with its roll or with `dice`; None if there is no such turn."""
        turn = self._turn(number)
        if turn is None:
            return None
        high, low = dice or turn.made.dice or (None, None)
        if high is None or low is None:
            raise NotNow(f"the roll of turn {number} was not read: name one with ?dice=3,1")
        found = legal_plays(turn.before, turn.made.player, Roll(high, low), self._rules)
        return [
            {
                "play": str(one.play),
                "position": position_json(one.position),
                "played": one.position == turn.made.position,
            }
            for one in found
        ]

    def _turn(self, number: int) -> Turn | None:
        turns = self._recorder.state.turns
        return turns[number - 1] if 1 <= number <= len(turns) else None

    def _reached(self, turn: Turn, play: str) -> dict[str, Any] | None:
        try:
            return position_json(
                apply_play(turn.before, turn.made.player, Play.parse(play), self._rules)
            )
        except EngineError:
            # An alternative to an illegal play need not be one that can be made.
            return None

    def _explains(self, turn: Turn, roll: Roll) -> bool:
        """Whether the play is a legal one with that roll."""
        return is_legal(turn.before, turn.made.player, roll, turn.made.position, self._rules)

    def _why_not(self, word: Word, state: MatchState) -> str:
        """Why a word would be refused now; empty if it would be taken."""
        match word:
            case Word.PAUSE:
                return "it is paused already" if self.is_paused else ""
            case Word.GO_ON:
                return "" if self.is_paused else "it is not paused"
            case Word.UNDO:
                return "" if self._may_undo else "there is no correction to undo"
            case Word.END_TURN:
                is_played = state.phase in IN_PLAY and state.to_move is not None
                return "" if is_played else "no turn is being played"
        try:
            next(told_events(state, word_event(word, state, When(0.0, 0)), self._rules))
        except EngineError as refused:
            return str(refused)
        return ""


class PassedDesk:
    """The desk of whichever sitting is on; between two of them `NotNow` says so."""

    def __init__(self) -> None:
        self._desk: LiveDesk | None = None

    @contextmanager
    def passed_to(self, desk: LiveDesk) -> Iterator[None]:
        """What is said goes to `desk` meanwhile."""
        self._desk = desk
        try:
            yield
        finally:
            self._desk = None

    def _sitting(self) -> LiveDesk:
        if self._desk is None:
            raise NotNow("no match is being watched: set one up first")
        return self._desk

    def tell(self, command: Command) -> None:
        """See `webui.desk.Desk`."""
        self._sitting().tell(command)

    def now(self) -> dict[str, Any]:
        """See `webui.desk.Desk`."""
        return self._sitting().now()

    def turns(self) -> list[dict[str, Any]]:
        """See `webui.desk.Desk`."""
        return self._sitting().turns()

    def turn(self, number: int) -> dict[str, Any] | None:
        """See `webui.desk.Desk`."""
        return self._sitting().turn(number)

    def plays(self, number: int, dice: tuple[int, int] | None) -> list[dict[str, Any]] | None:
        """See `webui.desk.Desk`."""
        return self._sitting().plays(number, dice)


def carry_out(session: Session, command: Command, rules: Rules, when: When) -> list[Event]:
    """What `command` adds to the record, which has it; `EngineError` if it cannot be."""
    match command:
        case Word.UNDO:
            return session.undo(when)
        case PlayChosen() | RollFixed():
            return session.correct(command, when)
        case PositionGiven():
            here = Setup(command.light, command.dark, rules.course).checked()
            return session.told(_position_set(here, command.to_move, when))
        case Resignation():
            return session.told(_resigned(session.state, command, rules, when))
        case Word():
            return session.told(word_event(command, session.state, when))


def word_event(word: Word, state: MatchState, when: When) -> Event:
    """The event that a word of the players makes; it is theirs whose turn it is."""
    at: dict[str, Any] = {"time": when.time, "frame": when.frame}
    if word is Word.BOARD_MOVED:
        return BoardMoved(**at)
    if state.to_move is None:
        raise NotNow("it is nobody's turn yet: the opening roll was not seen")
    fields = {**at, "player": state.to_move}
    if word in TURNED:
        offer = state.cube.offer
        value = 2 * (state.cube.value if offer is None else offer.value)
        return TURNED[word](**fields, value=value)
    if word in BY_HAND:
        return BY_HAND[word](**fields, by="hand")
    return ANSWERED[word](**fields)


def _position_set(here: Position, to_move: Side | None, when: When) -> PositionSet:
    return PositionSet(time=when.time, frame=when.frame, position=here, to_move=to_move)


def _resigned(state: MatchState, given: Resignation, rules: Rules, when: When) -> Resigned:
    points = given.points
    if points is None:
        points = given.times
        if rules.has_cube:
            points = state.cube.points(points, state.game, state.cube_rules)
    return Resigned(
        time=when.time, frame=when.frame, player=given.player, points=points, game=given.game
    )


def _turn_told(number: int, turn: Turn) -> dict[str, Any]:
    made = turn.made
    return {
        "number": number,
        "game": turn.game,
        "player": made.player.value,
        "dice": None if made.dice is None else list(made.dice),
        "play": made.play,
        "legal": made.legal,
        "rule": made.rule if isinstance(made, IllegalMade) else "",
        "confidence": made.confidence,
        "review": made.review,
        "doubts": list(made.doubts),
        "rejected": turn.rejected,
        "by": made.by,
        "time": made.time,
        "frame": made.frame,
    }
