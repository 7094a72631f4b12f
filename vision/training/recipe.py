"""The recipe: from nothing to every net, one stage a net.

    python -m vision.training WORK [STAGE ...]

A stage is data: the samples that it draws, how many of them it keeps back and never learns from,
from how many more it chooses those that it is least sure of, how many steps it learns, the earlier
net from which it begins, and whether it is written in 8 bits too. All seeds are fixed. Scenes are
drawn by all cores while the net learns from those that there are (`train/learning.py`), and stages
that need the same samples share them. Nothing begins from a shipped file.

All is kept in WORK: `samples/`, `checkpoints/` (every few minutes), `weights/`, `nets/`, and in
`stages/` a record of each finished stage: its settings, figures and checksums. After a kill at any
time the same command goes on, to the same nets. A stage whose settings, or the nets that it begins
from or uses, are others than those of its record is run anew; changes of the code are not noticed:
begin with an empty folder after one. On one machine two runs give equal nets; on others the last
bits differ.

The estimates are minutes of drawing on two cores and of learning on one in 32 bits: processor time
of a few scenes and steps of each stage, scaled up. No stage takes more than two hours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from itertools import count, islice
from typing import Any, Final, NamedTuple

from vision.training.samples import (
    bar_crops,
    cube_crops,
    die_crops,
    lean_crops,
    number_crops,
    samples,
    size_crops,
    stack_crops,
    tray_crops,
)
from vision.training.scenes.chunks import Chunks

FOUND: Final = "found"
"""The kind of samples that are cut from the `scenes` where `FINDER` sees something."""
FINDER: Final = "dice_finder"
KINDS: Final[dict[str, Chunks[Any]]] = {
    "scenes": samples.CHUNKS,
    "crops": die_crops.CHUNKS,
    FOUND: die_crops.CHUNKS,
    "bars": bar_crops.CHUNKS,
    "stacks": stack_crops.CHUNKS,
    "trays": tray_crops.CHUNKS,
    "sized": size_crops.CHUNKS,
    "lean": lean_crops.CHUNKS,
    "cubes": cube_crops.CHUNKS,
    "numbers": number_crops.CHUNKS,
}
"""How each kind of samples is drawn and stored."""
SCENES_PER_CHUNK: Final = {kind: chunks.scenes for kind, chunks in KINDS.items()} | {
    FOUND: samples.CHUNKS.scenes
}
CYCLES: Final = 1.5
"""How often each chunk is the newest of a round."""
MIN_SCENES: Final = 8
"""Scenes per chunk at the smallest scale."""


class RecipeError(ValueError):
    """What the user asked for cannot be done; the message is one line."""


class Chunk(NamedTuple):
    """Scenes of one kind, in one file."""

    kind: str
    seeds: range


class DrawnChunks(NamedTuple):
    """What a stage learns from, what is kept back, and what it chooses from."""

    learnt: list[Chunk]
    kept: list[Chunk]
    choices: list[Chunk]


@dataclass(frozen=True, slots=True)
class Draw:
    """Samples of one kind that a stage needs, in chunks; those kept back have the first seeds."""

    kind: str
    learnt: int
    kept: int
    choices: int = 0
    """Further chunks, of which from halfway on the net learns what it is least sure of."""

    def chunks(self, scale: float) -> DrawnChunks:
        """The chunks of each purpose; below one chunk to learn from they are made smaller."""
        scenes = max(MIN_SCENES, round(SCENES_PER_CHUNK[self.kind] * min(1.0, self.learnt * scale)))
        every = (Chunk(self.kind, range(at * scenes, (at + 1) * scenes)) for at in count())

        def take(number: int) -> list[Chunk]:
            return list(islice(every, max(1, round(number * scale)) if number else 0))

        kept, learnt, choices = map(take, (self.kept, self.learnt, self.choices))
        return DrawnChunks(learnt, kept, choices)


@dataclass(frozen=True, slots=True)
class Stage:
    """How one net is made."""

    name: str
    module: str
    """The module of `vision/training/train` with its task."""
    draws: tuple[Draw, ...]
    steps: int
    minutes: tuple[int, int]
    """Estimates of drawing, unless an earlier stage drew the same, and of learning."""
    begins_from: str | None = None
    """The stage whose net it begins from."""
    is_quantized: bool = True
    """Whether it is written in 8 bits too; not where an error of part of a pixel matters."""

    @property
    def needs(self) -> frozenset[str]:
        """The stages whose nets it begins from or uses."""
        uses = {FINDER} if any(draw.kind == FOUND for draw in self.draws) else set()
        return frozenset(uses | ({self.begins_from} if self.begins_from else set()))

    def steps_at(self, scale: float) -> int:
        """The number of steps at this scale."""
        return max(4, round(self.steps * scale))

    def chunks(self, scale: float) -> DrawnChunks:
        """The chunks of all kinds; those to learn from and to choose from are evenly mixed."""
        every = [draw.chunks(scale) for draw in self.draws]
        return DrawnChunks(
            _mixed([chunks.learnt for chunks in every]),
            [chunk for chunks in every for chunk in chunks.kept],
            _mixed([chunks.choices for chunks in every]),
        )

    def settings(self, scale: float, precision: str, needed: dict[str, str]) -> str:
        """A hash of all that the net depends on; `needed`: checksums of the earlier nets."""
        fields = {"stage": asdict(self) | {"minutes": None}, "scale": scale}
        text = json.dumps(fields | {"precision": precision, "needed": needed}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _mixed(kinds: Sequence[Sequence[Chunk]]) -> list[Chunk]:
    """The chunks of several kinds, evenly mixed."""
    placed = [
        ((index + 0.5) / len(chunks), chunk)
        for chunks in kinds
        for index, chunk in enumerate(chunks)
    ]
    placed.sort(key=lambda pair: pair[0])
    return [chunk for _, chunk in placed]


SCENES: Final = Draw("scenes", 100, 4)
DICE: Final = (Draw("crops", 120, 4), Draw(FOUND, 100, 4))

RECIPE: Final = (
    Stage(
        "finder", "finder", (SCENES,), steps=6_000, minutes=(45, 47), is_quantized=False,
    ),
    Stage("checkers", "checkers", (SCENES,), steps=12_000, minutes=(0, 90)),
    Stage(FINDER, FINDER, (SCENES,), steps=5_000, minutes=(0, 16)),
    Stage("occlusion", "occlusion", (SCENES,), steps=5_000, minutes=(0, 30)),
    Stage("stacks", "stacks", (Draw("stacks", 90, 3, choices=68),), steps=9_000, minutes=(34, 47)),
    Stage(
        "trays", "trays", (Draw("trays", 160, 4),), steps=11_000, minutes=(14, 66),
        begins_from="stacks",
    ),
    Stage("die", "die", DICE, steps=20_000, minutes=(23, 43)),
    Stage("faces", "faces", DICE, steps=15_000, minutes=(0, 35), begins_from="die"),
    Stage("die_centre", "centre", DICE, steps=6_000, minutes=(0, 3), is_quantized=False),
    Stage("bar", "bar", (Draw("bars", 90, 3),), steps=6_600, minutes=(14, 27)),
    Stage(
        "die_size", "size", (Draw("sized", 45, 2),), steps=11_500, minutes=(12, 10),
        is_quantized=False,
    ),
    Stage(
        "lean", "lean", (Draw("lean", 120, 2),), steps=10_300, minutes=(18, 23),
        begins_from="die",
    ),
    Stage(
        "cube", "cube", (Draw("cubes", 130, 4), Draw("crops", 60, 4), Draw("numbers", 30, 2)),
        steps=24_000, minutes=(18, 50), begins_from="die",
    ),
)  # fmt: skip
"""All stages, in an order in which each finds the nets that it needs."""


def chosen(names: Sequence[str], finished: Collection[str]) -> list[Stage]:
    """These stages of the recipe, or all, in its order.

    Raises `RecipeError` for a name that is none, and where a net is needed that is not finished.
    """
    known = [stage.name for stage in RECIPE]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"they are {', '.join(known)}"
            raise RecipeError(f"there is no stage {name!r}; {hint}")
    stages = [stage for stage in RECIPE if stage.name in (names or known)]
    made = {*finished}
    for stage in stages:
        if missing := sorted(stage.needs - made):
            raise RecipeError(f"{stage.name} needs the net of {missing[0]}: run that stage first")
        made.add(stage.name)
    return stages
