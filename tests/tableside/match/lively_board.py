"""A filmed board whose players move as people do: hands carry, hesitate, slide and straighten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from engine import Roll, cell_counts, find_rules
from engine.arrays import Floats, Image, Ints
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.observation import CELLS, DARK_BAR, LIGHT_BAR, CubePlace, Surface
from engine.position import Position, Side
from engine.ruleset import GameOptions
from engine.simulation.board import FLAT, die
from tests.tableside.match.film_set import TABLE_Z, film_set
from tests.tableside.match.filmed_board import (
    DIE_SIDE,
    FPS,
    FilmedBoard,
    Place,
)
from tests.tableside.match.looks import Look, usual_look
from vision.checkers.strips import POINTS
from vision.sources.frame import Frame
from vision.training.render import raycast as rc
from vision.training.scenes.arms import put_arm
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.cube_faces import CUBE_VALUES
from vision.training.scenes.dice import CUBE_NORMALS, FACE_NORMALS, with_up
from vision.training.scenes.hand_poses import PINCH, joints_of, random_axes
from vision.training.scenes.hands import put_skin
from vision.training.scenes.limbs import HandFrame

SPEED = 1.1
"""Field widths that a hand goes in a second."""
LIFTED = 0.09
"""How high a checker is carried."""
ENTERS_AT = 0.2
"""How high a hand is that comes or goes."""
HESITATES, SLIDES = 0.25, 0.3
"""Fractions of the checkers that are held over their goal for a while, or pushed along the felt."""
TRIES, STRAIGHTENS = 0.2, 0.2
"""Fractions of the plays of which a part is taken back first, or that end with a nudge."""
FLIGHT_FRAMES = 7
DRIFT = 0.04
"""How much the exposure drifts, as a fraction, ..."""
DRIFT_FRAMES = 50
"""... and in how many frames it does so by a radian."""
REST_FRAMES = FPS / 3
"""Frames of each look of the simulated board."""
CUBE_SIDE = 0.055
COUNTS = (FLAT, Surface.BOARD)
"""How a die lies that counts."""
SEATS = {CubePlace.LIGHT: Side.LIGHT, CubePlace.DARK: Side.DARK}
CUBE_ALONG = {CubePlace.CENTRE: 0.5, CubePlace.LIGHT: 0.07, CubePlace.DARK: 0.93}
"""Where the cube lies along the bar, as a fraction of the field's height."""
AWAY = {Side.LIGHT: -1, Side.DARK: 1}
"""Which way along y each player sits."""

Checker = tuple[Place, bool]
"""Its center, and whether it is dark."""


@dataclass
class LivelyBoard(FilmedBoard):
    """A board at which hands are seen at whatever they do."""

    habits_seed: int = 0
    _stacks: list[list[Checker]] = field(default_factory=list)
    """The checkers of each cell, the last one on top or nearest to the middle."""
    _flying: list[Floats] = field(default_factory=list)
    """The dice in the air, as rows of the world's objects."""
    _hand: tuple[Place, Side] | None = None
    """Where its fingertips are, and whose it is."""
    _held: Checker | CubeAtRest | None = None
    _void: Floats | None = None
    """The die of a throw that does not count, as it lies."""
    _thrower: Side = Side.LIGHT

    def __post_init__(self) -> None:
        super().__post_init__()
        self._moves = np.random.default_rng(self.habits_seed)
        self._hands = {side: int(self._moves.integers(1 << 30)) for side in Side}
        """By side, the seed of its hand and sleeve."""
        for cell, count in enumerate(cell_counts(self.position).tolist()):
            places = self._places_at(cell, abs(count))
            self._stacks.append([(place, count < 0) for place in places])

    def throw(
        self, roll: Roll, side: Side, flat: float = FLAT, surface: Surface = Surface.BOARD
    ) -> None:
        """A hand throws two dice, which bounce and tumble."""
        values = self.rng.permutation([roll.high, roll.low]).tolist()
        spots = self._draw_spots(side)
        self._thrower = side
        start = (spots[0][0], self._laid.aspect * (0.5 + 0.25 * AWAY[side]), 0.16)
        self._go(start, side)
        self._void = None if (flat, surface) == COUNTS else self._void_row(values[1], surface)
        thrown = tuple(die(value, spot) for value, spot in zip(values, spots, strict=True))
        spins = self._moves.normal(0, 0.9, (len(thrown), 3))
        for step in range(1, FLIGHT_FRAMES):
            self._flying = [
                self._flying_row(start, one.value, one.board, spin, step)
                for one, spin in zip(thrown, spins, strict=True)
            ]
            self._show_next()
        self._flying, self.dice = [], thrown
        self._leave()
        self.rest()

    def play(self, position: Position, observations: int = 2) -> None:
        """A hand carries checker after checker; without observations, it stays for the dice."""
        mover = self._mover(position)
        carried = list(_carried(cell_counts(self.position), cell_counts(position), mover))
        if len(carried) > 1 and self._moves.random() < TRIES:
            source, target = carried[-1]
            self._carry(source, target, mover)
            self._pause(self._moves.uniform(0.3, 1.5))
            self._carry(target, source, mover)
        for source, target in carried:
            self._carry(source, target, mover)
        self.position = position
        if not observations:
            return
        if carried and self._moves.random() < STRAIGHTENS:
            self._straighten(carried[-1][1], mover)
        self._leave()
        self.rest(observations)

    def lift(self, observations: int = 2) -> None:
        """A hand takes one die after the other."""
        side = self._hand[1] if self._hand else self._thrower
        for row in self._dice():
            x, y, z = row[rc.CENTRE : rc.CENTRE + 3].tolist()
            self._go((x, y, z + DIE_SIDE / 2), side)
            self.dice = self.dice[1:]
            self._pause(0.1)
        self._void = None
        self._leave()
        self.rest(observations)

    def set_cube(self, cube: CubeAtRest, observations: int = 2) -> None:
        """A hand turns the cube and puts it down elsewhere."""
        side = SEATS.get(cube.place, self._thrower.other)
        if self.cube is not None:
            self._go(self._cube_place(self.cube), side)
        self.cube, self._held = None, cube
        self._go(self._cube_place(cube), side)
        self.cube, self._held = cube, None
        if observations:
            self._leave()
            self.rest(observations)

    def move_hand(self) -> None:
        """A hand passes over the board."""
        self._go((0.5, self._laid.aspect / 2, 0.12), self._thrower)
        self._leave()

    def _mover(self, after: Position) -> Side:
        """Whose checkers get on; those of the other only go to the bar."""
        return min(Side, key=lambda side: after.pips(side) - self.position.pips(side))

    def _carry(self, source: int, target: int, side: Side) -> None:
        place, is_dark = self._stacks[source][-1]
        self._go(place, side)
        self._pause(self._moves.uniform(0.0, 0.3))
        self._stacks[source].pop()
        goal = self._free_place(target)
        self._held = place, is_dark
        slides = max(source, target) < POINTS and self._moves.random() < SLIDES
        if not slides and self._moves.random() < HESITATES:
            self._go((goal[0], goal[1], goal[2] + LIFTED), side)
            self._pause(self._moves.uniform(0.4, 1.2))
        self._go(goal, side, is_low=slides)
        self._held = None
        self._stacks[target].append((goal, is_dark))
        self._pause(0.1)

    def _straighten(self, cell: int, side: Side) -> None:
        (x, y, z), is_dark = self._stacks[cell][-1]
        self._go((x, y, z), side)
        dx, dy = self._moves.normal(0, 0.12 * self._laid.radius, 2).tolist()
        self._stacks[cell][-1] = (x + dx, y + dy, z), is_dark
        self._pause(0.2)

    def _free_place(self, cell: int) -> Place:
        """Where the next checker goes: beside the last of a row, or on top of one of it."""
        stack, laid = self._stacks[cell], self._laid
        if cell >= POINTS or not stack:
            return self._places_at(cell, len(stack) + 1)[-1]
        dx, dy = self._moves.normal(0, 0.08 * laid.radius, 2).tolist()
        if len(stack) < laid.row:
            away = 1 if cell < POINTS / 2 else -1
            y = stack[-1][0][1] + away * 2.03 * laid.radius
            return laid.layout.point_x(cell + 1) + dx, y, laid.thick / 2
        x, y, z = stack[len(stack) - laid.row][0]
        return x + dx, y + dy, z + laid.thick

    def _leave(self) -> None:
        if self._hand is not None:
            (x, _, _), side = self._hand
            self._go((x, self._outside(side), ENTERS_AT), side)
        self._hand = None

    def _outside(self, side: Side) -> float:
        return self._laid.aspect / 2 + AWAY[side] * (self._laid.aspect / 2 + 0.5)

    def _go(self, goal: Place, side: Side, *, is_low: bool = False) -> None:
        """Move a hand there on a smooth path (minimum jerk, Flash and Hogan 1985)."""
        if self._hand is not None and self._hand[1] is not side:
            self._leave()
        if self._hand is None:
            self._hand = (goal[0], self._outside(side), ENTERS_AT), side
        start = np.array(self._hand[0])
        way = np.array(goal) - start
        far = float(np.linalg.norm(way))
        frames = max(2, round(FPS * far / SPEED))
        for t in np.linspace(1 / frames, 1, frames).tolist():
            x, y, z = (start + t**3 * (10 - 15 * t + 6 * t * t) * way).tolist()
            arc = 0.0 if is_low else LIFTED * float(np.sin(np.pi * t)) * min(1.0, far / 0.1)
            self._hand = (x, y, z + arc), side
            self._show_next()

    def _pause(self, seconds: float) -> None:
        for _ in range(round(seconds * FPS)):
            self._show_next()

    def _observe(self, observations: int, quality: float) -> None:
        self.clock += 0.25 * observations
        for _ in range(round(REST_FRAMES * observations)):
            self._show_next()

    def _show_next(self) -> None:
        moving, paints = self._hand_rows()
        picture = self._film.picture(self._things(), [*moving, *self._flying], paints)
        gain = 1 + DRIFT * np.sin(self.shown / DRIFT_FRAMES)
        self._show(np.clip(picture * gain, 0, 255).astype(np.uint8))

    def _picture(self) -> Image:
        return self._film.picture(self._things())

    def _things(self) -> list[Floats]:
        cube = [] if self.cube is None else [self._cube_row(self._cube_place(self.cube), self.cube)]
        return [*self._checkers(), *self._dice(), *cube]

    def _checkers(self) -> list[Floats]:
        build = SceneBuilder(np.random.default_rng(0))
        for stack in self._stacks:
            for place, is_dark in stack:
                seed = round(1e6 * (place[0] + 3 * place[1] + 9))
                build.rng = np.random.default_rng(seed)  # its looks, wherever others go
                self._add_checker(build, place, is_dark=is_dark)
        return build.objects

    def _dice(self) -> list[Floats]:
        rows = super()._dice()
        return rows if self._void is None or not rows else [*rows[:-1], self._void]

    def _hand_rows(self) -> tuple[list[Floats], list[Floats]]:
        """The hand, its arm and what it holds, and their materials beyond the scene's."""
        if self._hand is None:
            return [], []
        target, side = self._hand
        build = SceneBuilder(np.random.default_rng(self._hands[side]))
        build.materials = list(self.scene.world.materials)
        unit = 1 / build.rng.uniform(38, 46)  # centimeters, in field widths
        out = np.array([0.5, self._laid.aspect / 2 + AWAY[side] * 1.3]) - target[:2]
        towards = np.append(out / np.linalg.norm(out), 0.0)
        fingers, thumb = joints_of(build.rng, PINCH, 2 * self._laid.radius / unit + 1.5)
        axes = random_axes(build.rng, PINCH, towards, 1)
        grip = axes @ ((fingers[0][-1] + thumb[-1]) / 2) * unit
        hand = HandFrame(build, axes, np.array(target) - grip, unit)
        put_arm(hand, towards, put_skin(hand, fingers, thumb, 1.0))
        if isinstance(self._held, CubeAtRest):
            build.objects.append(self._cube_row(target, self._held))
        elif self._held is not None:
            self._add_checker(build, target, is_dark=self._held[1])
        return build.objects, build.materials[len(self.scene.world.materials) :]

    def _cube_place(self, cube: CubeAtRest) -> Place:
        if cube.place is CubePlace.OFFERED:
            return 0.73, 0.5 * self._laid.aspect, CUBE_SIDE / 2
        along = CUBE_ALONG[cube.place] * self._laid.aspect
        return 0.5, along, self.scene.bar_high + CUBE_SIDE / 2

    def _cube_row(self, place: Place, cube: CubeAtRest) -> Floats:
        face = CUBE_VALUES.index(64 if cube.value == 1 else cube.value)
        turn = rotation(0, 0, 1.7 * place[0]) @ with_up(CUBE_NORMALS[face])
        return _box(place, CUBE_SIDE, self.scene.cube, turn)

    def _flying_row(
        self, start: Place, value: int, spot: tuple[float, float], spin: Floats, step: int
    ) -> Floats:
        """A die on its way from the hand to its spot, which it reaches at `FLIGHT_FRAMES`."""
        share = step / FLIGHT_FRAMES
        x, y = ((1 - share) * np.array(start[:2]) + share * np.array(self._seen_at(*spot))).tolist()
        bounce = start[2] * (1 - share) * abs(float(np.cos(2.2 * np.pi * share)))
        turn = rotation(*(spin * (FLIGHT_FRAMES - step))) @ _upright(value, x, y)
        return self._die_row((x, y, bounce + 0.6 * DIE_SIDE), turn)

    def _void_row(self, value: int, surface: Surface) -> Floats:
        """A die that does not count: propped up by a checker, on a stack, or beside the board."""
        stacks = [stack for stack in self._stacks[:POINTS] if stack]
        (x, y, z), _ = stacks[int(self._moves.integers(len(stacks)))][-1]
        half, turn = DIE_SIDE / 2, _upright(value, x, y)
        if surface is Surface.TABLE:
            return self._die_row((-0.25, y, TABLE_Z + half), turn)
        if surface is Surface.CHECKER:
            return self._die_row((x, y, z + self._laid.thick / 2 + half), turn)
        tilt, away = np.radians(self._moves.uniform(20, 40)), self._laid.radius + 0.35 * DIE_SIDE
        inward = 1 if y < self._laid.aspect / 2 else -1
        centre = (x, y + inward * away, half * float(np.cos(tilt) + np.sin(tilt)))
        return self._die_row(centre, rotation(inward * tilt, 0, 0) @ _upright(value, 0, 0))

    def _die_row(self, place: Place, turn: Floats) -> Floats:
        return _box(place, DIE_SIDE, self.scene.die, turn, cut=0.8 * DIE_SIDE)


def _box(
    place: Place, side: float, material: int, turn: Floats, cut: float | None = None
) -> Floats:
    build = SceneBuilder(np.random.default_rng(4))
    build.add(rc.BOX, np.array(place), np.full(3, side / 2), material, turn.T, cut=cut)
    return build.objects[0]


def _upright(value: int, x: float, y: float) -> Floats:
    """(3, 3) rotation of a die that shows `value`, turned as chance has it at its place."""
    return np.asarray(rotation(0, 0, 40 * x + 70 * y) @ with_up(FACE_NORMALS[value]))


def _carried(before: Ints, after: Ints, mover: Side) -> Iterator[tuple[int, int]]:
    """Which checkers go from cell to cell: first those hit, then the mover's, from the back."""
    for side in (mover.other, mover):
        sign = 1 if side is Side.LIGHT else -1
        more = np.maximum(sign * after, 0) - np.maximum(sign * before, 0)
        order = sorted(range(CELLS), key=lambda cell: -_pips_at(cell, side))
        left, reached = (
            [cell for cell in order for _ in range(max(way * int(more[cell]), 0))]
            for way in (-1, 1)
        )
        yield from zip(left, reached, strict=True)


def _pips_at(cell: int, side: Side) -> int:
    if cell in (LIGHT_BAR, DARK_BAR):
        return POINTS + 1
    if cell >= POINTS:
        return 0
    return cell + 1 if side is Side.LIGHT else POINTS - cell


def lively_board(
    seed: int, variant: str, watch: Callable[[Frame], object], look: Look | None = None
) -> LivelyBoard:
    """A board set up for a game; `watch` gets every frame; look: by default a usual one."""
    rules = find_rules(variant, GameOptions(variant))
    return LivelyBoard(
        np.random.default_rng(seed),
        rules.opening(),
        scene=film_set(seed, look or usual_look(seed % 3, seed // 3 % 3, seed // 9 % 3)),
        watch=watch,
        habits_seed=seed,
    )
