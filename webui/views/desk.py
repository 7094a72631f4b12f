"""The desk's responses, with what the page draws of them."""

from __future__ import annotations

from typing_extensions import TypedDict

from webui.contracts.archive import StillShown
from webui.contracts.desk import (
    AlternativePlay,
    DeskStatus,
    PlayableMove,
    RollCheck,
    TurnDetail,
    TurnSummary,
    TurnToPlay,
)
from webui.contracts.state import Board, SideName, State
from webui.views import phrases
from webui.views.board import PlayMarks, play_marks
from webui.views.piles import Pile, course_of, piles
from webui.views.setup import rules_name
from webui.views.sheet import ActionView, GameLine, actions_shown, game_line, whole_game


class ShownStatus(DeskStatus):
    """What can be entered now."""

    rules_name: str
    """The display name of the rule set."""


class TurnList(TypedDict):
    """Every turn of the match."""

    turns: list[TurnSummary]
    actions: list[ActionView]
    """What was done between them."""
    games: list[GameLine]


class ShownAlternative(AlternativePlay):
    """Another play that the pictures leave possible, with what the board draws of it."""

    piles: list[Pile] | None
    marks: PlayMarks


class ShownTurn(TurnSummary):
    """One turn with all that is known of it."""

    before: Board
    after: Board
    piles: list[Pile]
    """The piles before the play."""
    piles_after: list[Pile]
    marks: PlayMarks
    alternatives: list[ShownAlternative]
    rolls: list[RollCheck]


class ShownPlay(PlayableMove):
    """A legal play, with what the board draws of it."""

    piles: list[Pile]
    marks: PlayMarks


class PlayList(TypedDict):
    """The legal plays of a turn."""

    plays: list[ShownPlay]


class ShownTurnToPlay(TypedDict):
    """The turn in progress: its roll, and the plays it allows."""

    player: SideName
    dice: list[int]
    before: Board
    plays: list[ShownPlay]


class StillList(TypedDict):
    """What the camera saw of a turn."""

    stills: list[StillShown]
    has_clip: bool
    """Whether `/api/turns/<number>/clip.mp4` shows the end of the turn."""


def status_shown(status: DeskStatus) -> ShownStatus:
    """What can be entered now."""
    return {**status, "rules_name": rules_name(status["rule_set"])}


def turns_shown(turns: list[TurnSummary], state: State) -> TurnList:
    """Every turn, and what was done between them according to `state`."""
    players, games = phrases.players(state["players"]), state["games"]
    lines = [game_line(game, players, state["length"]) for game in games]
    whole = [whole_game(state, game) for game in games]
    return TurnList(turns=turns, actions=actions_shown(whole, players), games=lines)


def turn_shown(turn: TurnDetail) -> ShownTurn:
    """A turn with what the board draws of it and of its alternatives."""
    course = course_of(turn["before"])
    return {
        **turn,
        "piles": piles(turn["before"]),
        "piles_after": piles(turn["after"]),
        "marks": play_marks(turn["player"], turn["play"], course, legal=not turn["rule"]),
        "alternatives": [
            {
                **one,
                "piles": None if one["position"] is None else piles(one["position"]),
                "marks": play_marks(turn["player"], one["play"], course, legal=True),
            }
            for one in turn["alternatives"]
        ],
    }


def plays_shown(player: SideName, before: Board, plays: list[PlayableMove]) -> list[ShownPlay]:
    """Legal plays with what the board draws of them."""
    course = course_of(before)
    return [
        {
            **one,
            "piles": piles(one["position"]),
            "marks": play_marks(player, one["play"], course, legal=True),
        }
        for one in plays
    ]


def turn_to_play_shown(turn: TurnToPlay) -> ShownTurnToPlay:
    """The turn in progress with what the board draws of its plays."""
    return {**turn, "plays": plays_shown(turn["player"], turn["before"], turn["plays"])}
