"""What a camera would see of the rendered clips, from their exact truth."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from engine.dice import Roll
from engine.evidence.observation import DieSeen, Observation, Surface, cell_counts
from engine.evidence.still_period import Motion
from engine.position import Position, Setup, Side
from engine.simulation.board import counts_of, die
from engine.simulation.match import MatchTruth, RuleBreach, TruePlay
from tests.paths import CLIPS


def clip_looks(
    name: str, *, colours: bool = True
) -> Iterator[tuple[Observation | Motion, Position]]:
    """Perfect readings of a rendered clip, from its exact truth, and the position behind each."""
    setup = json.loads((CLIPS / f"{name}.setup.json").read_text())
    board_from_image = _field_homography(setup)
    for line in (CLIPS / f"{name}.segments.jsonl").read_text().splitlines():
        part = json.loads(line)
        if part["hand"] or part["kind"] == "tumble":
            yield Motion(part["t"], part["frame_start"]), clip_position(part)
            continue
        dice = tuple(_clip_die(d, board_from_image, colours) for d in part["dice"])
        for frame in range(part["frame_start"], part["frame_end"] + 1, 6):
            position = clip_position(part)
            counts = counts_of(cell_counts(position))
            yield Observation(counts, dice, frame / setup["fps"], frame), position


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
        confidence=0.9999,
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


def clip_truth(name: str) -> MatchTruth:
    """What truly happened in a rendered clip of the short game."""
    truth, before = MatchTruth(), None
    for line in (CLIPS / f"{name}.events.jsonl").read_text().splitlines():
        event = json.loads(line)
        truth.rerolls += event["event"] == "throw_invalid"
        if event["event"] == "play":
            roll = Roll(*event["dice"])
            after = clip_position(event["position_after"])
            breach = None if event["legal"] else RuleBreach.MISPLACED
            side = Side(event["player"])
            dice = (roll.high, roll.low)
            truth.plays.append(TruePlay(1, side, before or after, after, dice, breach))
            before = after
    return truth
