"""Writes gnubg's `.sgf`, with the properties that gnubg 1.07 itself writes, except analysis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.dice import Roll
from engine.formats.mat.plays import hops, is_plain
from engine.formats.model.errors import NotInFormat
from engine.formats.model.match_file import BoardSet, CubeMove, GameFile, MatchFile, RollAction
from engine.formats.model.options import OPTION_HEADERS
from engine.formats.model.safe_text import safe_name, safe_text
from engine.formats.model.variants import GNUBG_RULES, SGF_RULES
from engine.formats.sgf.read import DRAWN, HEADERS, OPTIONS, SIDES
from engine.formats.sgf.syntax import escaped
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import Replay, replay
from engine.play import Move
from engine.position import BAR, OFF, Course, Position, Side

_COLOURS: Final = {side: letter for letter, side in SIDES.items()}


def sgf_text(match: MatchFile) -> str:
    """The match as SGF; raises `NotInFormat` for narde, which gnubg does not know."""
    played = replay(match)
    if played.rules.course is not Course.OPPOSED:
        raise NotInFormat(f"GNU Backgammon's SGF has no {played.rules.title}; use .mat")
    if not match.games:
        raise NotInFormat("an SGF needs at least one game")
    return "".join(_Tree(played, game).text() for game in played.games)


@dataclass(frozen=True, slots=True)
class _Tree:
    """One game."""

    played: Replay
    replayed: ReplayedGame

    def text(self) -> str:
        nodes = [self._root(), *self._start()]
        nodes += [node for step in self.replayed.steps for node in self._nodes(step)]
        return "(" + "\n".join(nodes) + ")\n"

    def _root(self) -> str:
        match, game = self.played.match, self.replayed.game
        fields = {
            "FF": "4", "GM": "6", "CA": "UTF-8", "AP": "Tableside",
            "MI": f"length:{match.length}][game:{game.number - 1}"
                  f"][ws:{game.score[0]}][bs:{game.score[1]}",
            "PW": escaped(safe_name(match.players[0], Side.LIGHT)),
            "PB": escaped(safe_name(match.players[1], Side.DARK)),
        }  # fmt: skip
        if game is match.games[0]:
            named = {HEADERS[name]: name for name in HEADERS}
            kept = ((named[key], text) for key, text in match.headers if key in named)
            fields |= {name: escaped(safe_text(_date(name, text))) for name, text in kept}
            chosen = ((name, match.header(name)) for name in OPTION_HEADERS)
            fields[OPTIONS] = "][".join(f"{name}:{text}" for name, text in chosen if text)
        fields["RU"] = _rules(match, game)
        fields["CV"] = str(game.cube) if game.cube > 1 else ""
        if game.result is not None:
            fields["RE"] = self._result()
        return ";" + "".join(f"{name}[{value}]" for name, value in fields.items() if value)

    def _result(self) -> str:
        result = self.replayed.game.result
        assert result is not None  # noqa: S101
        if result.winner is None:
            return DRAWN
        resigned = "R" if self.replayed.how == "resign" else ""
        return f"{_COLOURS[result.winner]}+{result.points}{resigned}"

    def _start(self) -> Iterator[str]:
        """The starting position, if it is not one that gnubg begins with."""
        start, variant = self.replayed.start, self.played.match.variant
        if start is not None and (self.replayed.game.start or not _is_gnubgs(variant)):
            yield _board(start)

    def _nodes(self, step: ReplayedAction) -> Iterator[str]:
        match step.action:
            case CubeMove(side=side, cube_action=cube_action):
                word = "double" if cube_action.is_offer else cube_action.value
                yield f";{_COLOURS[side]}[{word}]"
            case BoardSet(position=position):
                yield _board(position)
            case RollAction():
                yield from self._rolled(step, step.action)

    def _rolled(self, step: ReplayedAction, action: RollAction) -> Iterator[str]:
        colour, roll = _COLOURS[action.side], action.roll or Roll(2, 1)
        is_cut = bool(step.rule) and step is self.replayed.steps[-1]
        if is_plain(step, roll) and not is_cut:
            moves = hops(step, roll, self.played.rules)
            yield f";{colour}[{roll}{''.join(_letters(move, action.side) for move in moves)}]"
            return
        yield f";PL[{colour}]DI[{roll}]"
        if step.after != step.before or step.rule:
            yield _board(step.after)


def _is_gnubgs(variant: str) -> bool:
    return variant == "short" or variant in GNUBG_RULES


def _date(name: str, text: str) -> str:
    return text.replace(".", "-") if name == "DT" else text


def _rules(match: MatchFile, game: GameFile) -> str:
    words = {
        "Crawford": match.has_crawford,
        "CrawfordGame": game.number == match.crawford_game(),
        "Jacoby": match.length == 0 and match.header("Jacoby").lower() == "on",
        SGF_RULES.get(match.variant, ""): match.variant in SGF_RULES,
    }
    return ":".join(word for word, is_said in words.items() if is_said)


def _letters(move: Move, side: Side) -> str:
    return _letter(move.source, side) + _letter(move.target, side)


def _letter(place: int, side: Side) -> str:
    if place in {BAR, OFF}:
        return "y" if place == BAR else "z"
    return chr(ord("a") + (place if side is Side.LIGHT else BAR - place) - 1)


def _board(position: Position) -> str:
    """The complete board, always with White on roll; otherwise gnubg 1.07 turns it around."""
    sides = "".join(
        f"A{colour}" + "".join(f"[{_letter(p, side)}]" * n for p, n in enumerate(vector) if p and n)
        for side, colour in _COLOURS.items()
        if any((vector := position.of(side))[1:])
    )
    return f";PL[W]AE[a:y]{sides}"
