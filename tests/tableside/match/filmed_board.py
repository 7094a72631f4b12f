"""A board whose simulated players are filmed: every state is drawn, and a session watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np

from engine import cell_counts, find_rules
from engine.arrays import Floats, Image
from engine.evidence.observation import DARK_BAR, DARK_OFF, LIGHT_BAR, LIGHT_OFF
from engine.evidence.orientation import Orientation
from engine.position import Side
from engine.ruleset import GameOptions
from engine.simulation.board import SimulatedBoard
from tests.tableside.match.film_set import FilmSet, film_set
from tests.tableside.match.scene_film import SceneFilm
from vision.sources.frame import Frame
from vision.training.render import raycast as rc
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.checkers import CheckerSet
from vision.training.scenes.dice import FACE_NORMALS, with_up

FPS = 12
STILL_FRAMES = 4
"""Frames of each look of the simulated board."""
HAND_FRAMES = 8
NOISE = 2
"""Standard deviation, in gray levels."""
DIE_SIDE = 0.028
"""In field widths, as all sizes here."""
SKIN = (110, 140, 190)

Place = tuple[float, float, float]
"""In field widths; the third is the height above the felt."""


@dataclass
class FilmedBoard(SimulatedBoard):
    """Draws what is on the board, for `watch`, instead of observing it."""

    scene: FilmSet = field(default_factory=lambda: film_set(0))
    watch: Callable[[Frame], object] = lambda frame: None
    shown: int = 0
    """The number of frames so far."""
    is_turned: bool = False
    """Whether the board is seen from its other side."""

    def __post_init__(self) -> None:
        super().__post_init__()
        laid = CheckerSet(
            np.random.default_rng(7), self.scene.layout, self.scene.pose.aspect, thin=False
        )
        laid.radius, laid.thick = 0.46 * self.scene.layout.point_width, 0.018
        laid.sloppy, laid.gap, laid.row, laid.bridged = 0.03, 0.0, 5, False
        self._laid = laid
        rng, (width, height) = np.random.default_rng(1), self.scene.pose.size
        self._noise = [
            np.rint(rng.normal(0, NOISE, (height, width, 3))).astype(np.int16) for _ in range(5)
        ]
        self._film = SceneFilm(self.scene)

    def move_hand(self) -> None:
        super().move_hand()
        below, (width, height) = self._picture(), self.scene.pose.size
        for step in range(HAND_FRAMES):
            image, reach = below.copy(), np.sin(np.pi * (step + 0.5) / HAND_FRAMES)
            x = int(width * (0.35 + 0.3 * step / HAND_FRAMES))
            y = int(height * (1 - 0.75 * reach))
            cv2.line(image, (x - 60, height + 200), (x, y), SKIN, 90, cv2.LINE_AA)
            self._show(image)

    def _observe(self, observations: int, quality: float) -> None:
        self.clock += 0.25 * observations
        picture = self._picture()
        for _ in range(STILL_FRAMES * observations):
            self._show(picture)

    def _draw_spots(self, side: Side) -> list[tuple[float, float]]:
        """Like the simulated board's, but on the felt, where nothing is in the way."""
        discs = np.array([row[rc.CENTRE : rc.CENTRE + 2] for row in self._checkers()])
        while True:
            spots = super()._draw_spots(side)
            places = np.array([self._seen_at(*spot) for spot in spots])
            far = np.linalg.norm(places[:, None] - discs[None], axis=2).min()
            beside_bar = np.abs(places[:, 0] - 0.5).min() - self.scene.layout.bar / 2
            if far > self._laid.radius + DIE_SIDE and beside_bar > DIE_SIDE:
                return spots

    def _show(self, image: Image) -> None:
        noise = self._noise[self.shown % len(self._noise)]
        self.shown += 1
        noisy = cv2.add(image, noise, dtype=cv2.CV_8U)
        self.watch(Frame(np.asarray(noisy, np.uint8), self.shown, self.shown / FPS))

    def _picture(self) -> Image:
        return self._film.picture([*self._checkers(), *self._dice()])

    def _checkers(self) -> list[Floats]:
        """Rows of the world's objects; a point looks the same as long as nobody touches it."""
        cells = Orientation(self.is_turned).cells(cell_counts(self.position))
        objects: list[Floats] = []
        for cell, count in enumerate(cells.tolist()):
            build = SceneBuilder(np.random.default_rng(cell))
            for place in self._places_at(cell, abs(count)):
                self._add_checker(build, place, is_dark=count < 0)
            objects += build.objects
        return objects

    def _add_checker(self, build: SceneBuilder, place: Place, *, is_dark: bool) -> None:
        half = np.array([self._laid.radius, self._laid.radius, self._laid.thick / 2])
        build.add(rc.CYLINDER, np.array(place), half, self.scene.checkers[int(is_dark)])

    def _places_at(self, cell: int, count: int) -> list[Place]:
        """The centers of so many checkers on a point or the bar, or in a tray."""
        aspect, right = self._laid.aspect, self.scene.inside[2]
        thick, radius = self._laid.thick, self._laid.radius
        low = self.scene.bar_high if cell in (LIGHT_BAR, DARK_BAR) else 0.0
        if cell in (LIGHT_BAR, DARK_BAR):
            away = 1 if cell == LIGHT_BAR else -1
            places = [
                (0.5, aspect / 2 + away * radius * (2.2 * (slot % 4) + 1.5), slot // 4)
                for slot in range(count)
            ]
        elif cell in (LIGHT_OFF, DARK_OFF):
            along = [radius * (2.1 * (slot % 5) + 1.2) for slot in range(count)]
            places = [
                ((1 + right) / 2, y if cell == LIGHT_OFF else aspect - y, slot // 5)
                for slot, y in enumerate(along)
            ]
        else:
            places = self._laid.places(np.random.default_rng(cell + 1), cell + 1, count)
        return [(x, y, low + (layer + 0.5) * thick) for x, y, layer in places]

    def _seen_at(self, x: float, y: float) -> tuple[float, float]:
        """A place on the field as the camera sees the board, in field widths."""
        x, y = (1 - x, 1 - y) if self.is_turned else (x, y)
        return x, y * self.scene.pose.aspect

    def _dice(self) -> list[Floats]:
        build = SceneBuilder(np.random.default_rng(4))
        for one in self.dice:
            x, y = self._seen_at(*one.board)
            spin = rotation(0, 0, 40 * x + 70 * y)
            turn = (spin @ with_up(FACE_NORMALS[one.value])).T
            build.add(rc.BOX, np.array([x, y, DIE_SIDE / 2]), np.full(3, DIE_SIDE / 2),
                      self.scene.die, turn, cut=0.8 * DIE_SIDE)  # fmt: skip
        return build.objects


def filmed_board(seed: int, options: GameOptions, watch: Callable[[Frame], object]) -> FilmedBoard:
    """A board set up for a game of this variant; `watch` gets every frame."""
    rng, rules = np.random.default_rng(seed), find_rules(options.variant or "short", options)
    return FilmedBoard(rng, rules.opening(), scene=film_set(seed), watch=watch)
