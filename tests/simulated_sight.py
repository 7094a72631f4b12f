"""Sight without pictures: looks made from known positions and dice, with chosen errors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.dice import ALL_ROLLS, Roll
from engine.evidence import CELLS, COUNTS, DieSeen, Observation, Surface, cell_counts
from engine.legal import legal_plays
from engine.looks import Busy
from engine.position import CHECKERS, Position, Setup, Side
from engine.rules import Rules

SHARED = Path(os.environ.get("TABLESIDE_SHARED", Path(__file__).parents[2] / "shared"))
CLIPS = SHARED / "data" / "rendered" / "clips"
SHARP = 0.995
"""Probability that a simulated reader gives its reading, right or wrong."""


def counts_of(cells: np.ndarray, hidden: tuple[int, ...] = (), sharp: float = SHARP) -> np.ndarray:
    """(28, 31) log-likelihoods of a reader that reads `cells` and does not see `hidden`."""
    chances = np.full((CELLS, COUNTS), (1 - sharp) / (COUNTS - 1))
    chances[np.arange(CELLS), cells + CHECKERS] = sharp
    chances[list(hidden)] = 1 / COUNTS
    return np.log(chances).astype(np.float32)


def die(
    value: int,
    board: tuple[float, float] = (0.7, 0.5),
    *,
    sharp: float = SHARP,
    flat: float = 0.99,
    surface: Surface = Surface.BOARD,
    side: Side | None = None,
) -> DieSeen:
    """A die that is read as `value`."""
    faces = tuple(sharp if face == value else (1 - sharp) / 5 for face in range(1, 7))
    return DieSeen(faces, (0.0, 0.0), board, flat, surface, side)


def look(position: Position, *dice: DieSeen, at: float = 0.0, quality: float = 1.0) -> Observation:
    """A perfect look at a position."""
    counts = counts_of(cell_counts(position))
    return Observation(counts, dice, at, round(at * 12), quality)


@dataclass
class Table:
    """A board in play: what happens is told by its methods, what is seen comes out as looks.

    `errors` is the share of cells misread, the same way in all looks of one quiet stretch.
    """

    rng: np.random.Generator
    position: Position
    errors: float = 0.0
    dice_errors: float = 0.0
    missed_dice: float = 0.0
    off_is_seen: bool = True
    dice: tuple[DieSeen, ...] = ()
    clock: float = 0.0
    seen: list[Observation | Busy] = field(default_factory=list)

    def hand(self) -> None:
        """A hand passes over the board."""
        self.clock += 1.0
        self.seen.append(Busy(self.clock, round(self.clock * 12)))

    def rest(self, looks: int = 2, quality: float = 1.0) -> None:
        """Nothing moves for some looks; the misreadings of the first stay."""
        counts = counts_of(self._misread(cell_counts(self.position)), self._hidden())
        dice = tuple(self._misread_die(one) for one in self.dice)
        dice = () if self.rng.random() < self.missed_dice else dice
        for _ in range(looks):
            self.clock += 0.25
            frame = round(self.clock * 12)
            self.seen.append(Observation(counts, dice, self.clock, frame, quality))

    def throw(self, roll: Roll, side: Side, flat: float = 0.99) -> None:
        """Two dice come to rest in the roller's right half."""
        self.hand()
        left = 0.55 if side is Side.LIGHT else 0.05
        values = [int(v) for v in self.rng.permutation([roll.high, roll.low])]
        spots = [(left + 0.4 * self.rng.random(), 0.15 + 0.7 * self.rng.random()) for _ in values]
        flats = (0.99, flat)
        self.dice = tuple(
            die(v, spot, flat=f) for v, spot, f in zip(values, spots, flats, strict=True)
        )
        self.rest()

    def play(self, position: Position) -> None:
        """The checkers are moved, the dice still lie."""
        self.hand()
        self.position = position
        self.rest()

    def lift(self, looks: int = 2) -> None:
        """The dice are picked up; without looks the next throw follows at once."""
        self.hand()
        self.dice = ()
        if looks:
            self.rest(looks)

    def _misread(self, cells: np.ndarray) -> np.ndarray:
        wrong = self.rng.random(CELLS) < self.errors
        off_by = np.where(self.rng.random(CELLS) < 0.5, -1, 1)
        return np.clip(cells + wrong * off_by, -CHECKERS, CHECKERS)

    def _hidden(self) -> tuple[int, ...]:
        return () if self.off_is_seen else (26, 27)

    def _misread_die(self, true: DieSeen) -> DieSeen:
        if self.rng.random() >= self.dice_errors:
            return true
        other = int(self.rng.choice([v for v in range(1, 7) if v != true.value]))
        return die(other, true.board, flat=true.flat)


def clip_looks(name: str, *, colours: bool = True) -> Iterator[Observation | Busy]:
    """Perfect sight of a rendered clip: what a camera would see, from its exact truth."""
    setup = json.loads((CLIPS / f"{name}.setup.json").read_text())
    board_from_image = _field_homography(setup)
    for line in (CLIPS / f"{name}.segments.jsonl").read_text().splitlines():
        part = json.loads(line)
        if part["hand"] or part["kind"] == "tumble":
            yield Busy(part["t"], part["frame_start"])
            continue
        dice = tuple(_clip_die(d, board_from_image, colours) for d in part["dice"])
        for frame in range(part["frame_start"], part["frame_end"] + 1, 6):
            position = clip_position(part)
            counts = counts_of(cell_counts(position))
            yield Observation(counts, dice, frame / setup["fps"], frame)


def clip_position(part: dict) -> Position:
    """The position of a truth line of a short clip."""
    light, dark = [0] * 26, [0] * 26
    for point, count in enumerate(part["points"], start=1):
        light[point], dark[25 - point] = max(count, 0), max(-count, 0)
    light[0], dark[0] = part["off"]["light"], part["off"]["dark"]
    light[25], dark[25] = part["bar"]["light"], part["bar"]["dark"]
    return Setup(light, dark).checked()


def _clip_die(truth: dict, board_from_image: np.ndarray, colours: bool) -> DieSeen:
    x, y, w = board_from_image @ [*truth["px"], 1.0]
    on_checker = truth["state"] == "on_checker"
    return die(
        truth["value"],
        (float(x / w), float(y / w)),
        sharp=0.9999,
        flat=0.1 if truth["state"] == "cocked" else 0.98,
        surface=Surface.CHECKER if on_checker else Surface.BOARD,
        side=Side(truth["player"]) if colours else None,
    )


def _field_homography(setup: dict) -> np.ndarray:
    """(3, 3) from image to field, light's home at x near 1 (ARCHITECTURE.md)."""
    target = [(0, 0), (1, 0), (1, 1), (0, 1)]
    if setup["light_home"] == "left":
        target = [(1 - x, y) for x, y in target]
    rows = []
    for (x, y), (u, v) in zip(setup["inner_corners_px"], target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    return np.linalg.svd(np.array(rows, float))[2][-1].reshape(3, 3)


@dataclass
class Told:
    """What truly happened: what the referee should say."""

    plays: list[tuple[Side, Position, tuple[int, int] | None]] = field(default_factory=list)
    illegal: int = 0
    rerolls: int = 0


def play_match(
    table: Table,
    rules: Rules,
    turns: int,
    *,
    rerolls: float = 0.0,
    hasty: float = 0.0,
    illegal: float = 0.0,
) -> Told:
    """Sensible play for some turns, or to the end of the game, seen at `table`.

    rerolls: share of throws that do not count; hasty: share of turns after which the next throw
    follows without a quiet look; illegal: share of turns with one checker elsewhere.
    """
    rng, told = table.rng, Told()
    side = Side(rng.choice([s.value for s in Side]))
    table.rest()
    for _ in range(turns):
        while rng.random() < rerolls:
            table.throw(_roll(rng), side, flat=0.1)
            table.lift(looks=0 if rng.random() < 0.5 else 2)
            told.rerolls += 1
        roll = _roll(rng)
        table.throw(roll, side)
        after = _sensible(rng, table.position, side, roll, rules)
        if rng.random() < illegal and (wrong := _astray(rng, table.position, after, side, rules)):
            after = wrong
            told.illegal += 1
        if after != table.position:
            table.play(after)
        told.plays.append((side, after, (roll.high, roll.low)))
        table.lift(looks=0 if rng.random() < hasty else 2)
        side = side.other
        if rules.outcome(after):
            break
    return told


def _roll(rng: np.random.Generator) -> Roll:
    return Roll(*(int(v) for v in rng.integers(1, 7, 2)))


def _sensible(
    rng: np.random.Generator, position: Position, side: Side, roll: Roll, rules: Rules
) -> Position:
    """A legal result with few blots of one's own, otherwise by chance."""
    plays = legal_plays(position, side, roll, rules)
    own = plays.results[:, 0, 1:25]
    worth = -(own == 1).sum(axis=1) + rng.random(len(plays))
    return plays[int(worth.argmax())].position


def _astray(
    rng: np.random.Generator, before: Position, after: Position, side: Side, rules: Rules
) -> Position | None:
    """`after` with one checker a pip or two away, where no roll leads; None if there is none."""
    own, other = list(after.of(side)), after.of(side.other)
    options = [
        (p, q)
        for p in range(1, 25)
        for q in range(max(1, p - 2), min(24, p + 2) + 1)
        if p != q and own[p] and not other[25 - q]
    ]
    every = {play.position for roll in ALL_ROLLS for play in legal_plays(before, side, roll, rules)}
    for index in rng.permutation(len(options)):
        p, q = options[index]
        moved = list(own)
        moved[p] -= 1
        moved[q] += 1
        position = after.with_sides(side, tuple(moved), other)
        if position not in every and position != before:
            return position
    return None


def clip_truth(name: str) -> Told:
    """What truly happened in a rendered clip of the short game."""
    told = Told()
    for line in (CLIPS / f"{name}.events.jsonl").read_text().splitlines():
        event = json.loads(line)
        told.rerolls += event["event"] == "throw_invalid"
        if event["event"] == "play":
            roll = Roll(*event["dice"])
            after = clip_position(event["position_after"])
            told.plays.append((Side(event["player"]), after, (roll.high, roll.low)))
            told.illegal += not event["legal"]
    return told
