"""A question as somebody wrote it, as conditions on matches and on turns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from engine import Side
from engine.errors import EngineError
from engine.formats.ids.position_id import parse_position_id
from engine.formats.ids.xgid import parse_xgid
from engine.message import Sentence, join, message_of, msg
from engine.pattern import BoardPattern
from engine.play import Play
from engine.position import Position
from engine.rules import VARIANTS
from webui.contracts.catalog import BadQuestion, MatchQuestion, player_key, searched

_DICE: Final = re.compile(r"([1-6])\s*[-,]?\s*([1-6])")
_XGID: Final = re.compile(r"(XGID=)?[-a-zA-O]{26}:.*")
_POSITION_ID: Final = re.compile(r"[A-Za-z0-9+/]{14}(:\S*)?")
MOST_WORDS: Final = 20
"""Words of a search that count."""
Condition = tuple[str, tuple[object, ...]]
"""A condition in SQL on the table `matches`, and its values."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for; raises `BadQuestion` when it is made."""

    matches: Condition
    player: str
    """The key of the player whose turns they are; empty: anybody's."""
    opponent: str
    dice: tuple[int, int] | None
    opening: str
    """A roll, or a roll and a play, as the catalog has it; empty: any."""
    pattern: BoardPattern | None
    loss: float | None
    luck: float | None

    @classmethod
    def of(cls, asked: MatchQuestion, *, with_open: bool = True) -> Wanted:
        """Read a question; `with_open`: whether matches in play are among those asked."""
        player, opponent = player_key(asked.player), player_key(asked.opponent)
        conditions = [
            *_on_matches(asked, with_open=with_open),
            *_on_players(player, opponent),
            ("id NOT IN (SELECT value FROM json_each(?))", (json.dumps(sorted(asked.without)),)),
        ]
        sql = " AND ".join(one for one, _ in conditions)
        values = tuple(value for _, values in conditions for value in values)
        return cls(
            matches=(sql, values),
            player=player,
            opponent=opponent,
            dice=dice_of(asked.dice),
            opening=_opening(asked.opening),
            pattern=pattern_of(asked.position),
            loss=asked.loss,
            luck=asked.luck,
        )


def _on_matches(asked: MatchQuestion, *, with_open: bool) -> Iterator[Condition]:
    if not with_open:
        yield "is_over", ()
    for word in searched(asked.words).split()[:MOST_WORDS]:
        yield "instr(words, ?)", (word,)
    if asked.state == "review":
        yield "to_review", ()
    elif asked.state:
        yield "NOT is_over" if asked.state == "unfinished" else "is_over", ()
        yield "NOT EXISTS (SELECT 1 FROM seats WHERE match = id AND won)", ()
    if asked.event.strip():
        yield "instr(event_key, ?)", (player_key(asked.event),)
    if asked.since.strip():
        yield "begun >= ?", (midnight(asked.since),)
    if asked.until.strip():
        yield "begun < ?", (midnight(asked.until, days=1),)
    if asked.variant.strip():
        yield "variant = ?", (known_variant(asked.variant),)


def _on_players(player: str, opponent: str) -> Iterator[Condition]:
    if player and opponent:
        yield (
            "EXISTS (SELECT 1 FROM seats a JOIN seats b ON b.match = a.match AND b.side != a.side"
            " WHERE a.match = id AND a.key = ? AND b.key = ?)",
            (player, opponent),
        )
    elif player or opponent:
        yield "EXISTS (SELECT 1 FROM seats WHERE match = id AND key = ?)", (player or opponent,)


def known_variant(name: str) -> str:
    """The name, if a game has it."""
    if name not in VARIANTS:
        known = msg("known: {names}", names=", ".join(VARIANTS))
        raise BadQuestion(join([msg("there is no game {name}", name=name), known]))
    return name


def midnight(text: str, days: int = 0) -> float:
    """When a local day begins, or one some days later, in seconds since 1970."""
    try:
        day = date.fromisoformat(text.strip()) + timedelta(days=days)
        return datetime(day.year, day.month, day.day).astimezone().timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise _bad(msg("{text} is not a date", text=repr(text[:20])), "2026-11-30") from error


def dice_of(text: str) -> tuple[int, int] | None:
    """A roll, the larger die first; None if the text is empty."""
    if not text.strip():
        return None
    found = _DICE.fullmatch(text.strip())
    if found is None:
        raise _bad(msg("{text} is not a roll", text=repr(text[:20])), "6-4")
    low, high = sorted(map(int, found.groups()))
    return high, low


def _opening(text: str) -> str:
    if not text.strip():
        return ""
    roll, _, play = text.strip().partition(" ")
    dice = dice_of(roll.rstrip(":"))
    try:
        written = str(Play.parse(play)) if play.strip() else ""
    except EngineError as error:
        raise BadQuestion(message_of(error)) from error
    assert dice is not None, "the text is not empty"  # noqa: S101
    return f"{dice[0]}-{dice[1]} {written}".strip()


def _exactly(position: Position, side: Side) -> BoardPattern:
    return BoardPattern.of_position(position.of(side), position.of(side.other))


def _bad(what: Sentence, example: str) -> BadQuestion:
    return BadQuestion(join([what, msg("write it as {example}", example=example)]))


def pattern_of(text: str) -> BoardPattern | None:
    """A pattern, or what a Position ID or an XGID shows; None if the text is empty."""
    words = text.strip()
    if not words:
        return None
    try:
        if _XGID.fullmatch(words):
            shown = parse_xgid(words)
            return _exactly(shown.position, shown.decider)
        if _POSITION_ID.fullmatch(words):
            return _exactly(parse_position_id(words.partition(":")[0], Side.LIGHT), Side.LIGHT)
        return BoardPattern.parse(words)
    except EngineError as error:
        raise BadQuestion(message_of(error)) from error
